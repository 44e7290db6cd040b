package mocksim

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// TestRights_KeepTheirAge checks that an actor that receives the right to a further block still
// knows since when it has had the right to the previous one. Of two actors that have the right to a
// crossing, one after the other, the second one has to brake.
func TestRights_KeepTheirAge(t *testing.T) {
	if _, err := os.Stat("../../shared/data/xodr/multi_intersections.xodr"); err != nil {
		t.Skipf("the maps of other projects are not here: %v", err)
	}
	type right struct {
		to    float64
		since timebase.Time
	}
	further := 0
	for seed := range uint64(5) {
		w := busy(t, "../../../shared/data/xodr/multi_intersections.xodr", seed, 20)
		held := map[*actor]right{}
		for w.now < 300*timebase.Second {
			_, err := w.Step(100 * timebase.Millisecond)
			require.NoError(t, err)
			for _, a := range w.actors {
				d := &a.driver
				r, ok := held[a]
				if ok && d.pos() < r.to && d.cleared >= r.to {
					require.Equal(t, r.since, d.rightSince(r.to), "%s, %s", w.now, a.name)
					if d.granted.from > r.to-1 {
						further++
					}
					continue
				}
				delete(held, a)
				if d.cleared >= d.granted.to && d.pos() < d.granted.to && !d.granted.part {
					held[a] = right{d.granted.to, d.granted.since}
				}
			}
		}
	}
	require.Positive(t, further)
}

// TestDivert_AllWays checks that all ways of an actor can be tried, although its path changes with
// each attempt.
func TestDivert_AllWays(t *testing.T) {
	tried := 0
	for seed := range uint64(10) {
		w := busy(t, "crossing.xodr", seed, 40)
		for w.now < 60*timebase.Second {
			_, err := w.Step(100 * timebase.Millisecond)
			require.NoError(t, err)
			w.observe(w.crossings)
			for k, a := range w.actors {
				if a.state.Speed < standstill && a.driver.block.from > a.driver.pos() {
					w.divert(int32(k), a)
					tried++
				}
			}
		}
	}
	require.Positive(t, tried)
}

// TestPeriod_GrowsWithTheWait checks that others let an actor go first for longer, the longer it
// has waited.
func TestPeriod_GrowsWithTheWait(t *testing.T) {
	var a actor
	a.mode = byController
	for waited, period := range map[float64]float64{10: 8, 70: 16, 130: 24, 1000: 32} {
		a.driver.waited = waited
		require.InDelta(t, period, a.period(), 0, "%v", waited)
	}
	longest, since := 0.0, 0.0
	for waited := 20.5; waited < 400; waited++ {
		if a.driver.waited = waited; !a.claims() {
			since = waited
		}
		longest = max(longest, waited-since)
	}
	require.Greater(t, longest, 50.0)
}
