package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// TestAdvance_WaitsInsideAJunction checks that vehicles that turn across oncoming traffic wait
// inside a junction with lights, before the place that others need.
func TestAdvance_WaitsInsideAJunction(t *testing.T) {
	waits := 0
	for seed := uint64(2); seed <= 4; seed++ {
		w := busy(t, "crossing.xodr", seed, 12)
		for range 6000 {
			events, err := w.Step(tenth)
			require.NoError(t, err)
			for k := range events {
				require.NotEqual(t, Collision, events[k].Kind, "%v", &events[k])
			}
			for _, a := range w.actors {
				d := &a.driver
				if d.granted.part && a.state.Speed < standstill && d.pos() > d.granted.from {
					require.LessOrEqual(t, d.pos(), d.granted.to, a.name)
					waits++
				}
			}
		}
	}
	require.Positive(t, waits)
}

// TestStandsIn_TheRearOneWaits checks that of two vehicles that stand where their paths merge, the
// rear one waits for the other, and not the other way round: circular waits were not found.
func TestStandsIn_TheRearOneWaits(t *testing.T) {
	m, err := opendrive.ReadFile("../examples/maps/crossing.xodr")
	require.NoError(t, err)
	w, err := New(m, Options{})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.meet())
	merges := 0
	for number := range w.crossings.movements {
		for _, x := range w.crossings.conflicts[number] {
			one, two := &w.crossings.movements[number], &w.crossings.movements[x.other]
			front, rear := one.first().Lane, two.first().Lane
			if x.meeting != merging || len(one.parts) > 1 || len(two.parts) > 1 {
				continue
			}
			put := func(name string, l *opendrive.Lane, share float64) {
				require.NoError(t, w.Create(Actor{Name: name, Kind: Motorcycle,
					Start: OnRoad(l.Section.Road.ID, l.ID, share*l.Section.Length())}))
				require.NoError(t, w.SetController(name, Controller{}))
			}
			put("front", front, 1-1/one.length)
			put("rear", rear, 1-7/two.length)
			w.observe(w.crossings)
			for k, a := range w.actors {
				got := w.standsIn(int32(k), a, a.driver.course())
				if a.name == "rear" {
					require.Equal(t, int32(0), got)
				} else {
					require.Equal(t, int32(-1), got)
				}
			}
			require.NoError(t, w.Destroy("front"))
			require.NoError(t, w.Destroy("rear"))
			merges++
		}
	}
	require.Positive(t, merges)
}
