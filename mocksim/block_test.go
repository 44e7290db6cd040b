package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

const tenth = 100 * timebase.Millisecond

// busy returns a world with vehicles on a map from the examples.
func busy(t *testing.T, name string, seed uint64, count int) *World {
	t.Helper()
	m, err := opendrive.ReadFile("../examples/maps/" + name)
	require.NoError(t, err)
	w, err := New(m, Options{Seed: seed})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.Populate(Traffic{Count: count}))
	return w
}

// TestConflicts_AtTwoPlaces checks that if a path through a junction touches both the start and the
// end of a road, the road in between is not a conflict.
func TestConflicts_AtTwoPlaces(t *testing.T) {
	w := busy(t, "crossing.xodr", 1, 1)
	twice := 0
	for number, list := range w.crossings.conflicts {
		seen := map[int32]bool{}
		for k := range list {
			c := &list[k]
			if seen[c.other] {
				twice++
			}
			seen[c.other] = true
			for i := range c.zones {
				if z := &c.zones[i]; z.to >= z.from {
					require.Less(t, z.to-z.from, 60.0, "movement %d, body %d", number, i)
				}
			}
		}
	}
	require.Positive(t, twice)
}

// TestBlock_IsKnownToItsEnd checks that no vehicle is given the right to a block whose end it does
// not see, or to one that starts before the end of its current right.
func TestBlock_IsKnownToItsEnd(t *testing.T) {
	w := busy(t, "crossing.xodr", 2, 12)
	blocks := 0
	for range 3000 {
		_, err := w.Step(tenth)
		require.NoError(t, err)
		for _, a := range w.actors {
			b := w.nextBlock(a)
			if b.to == inf {
				continue
			}
			blocks++
			require.True(t, b.ends(a), "%s", a.name)
			require.GreaterOrEqual(t, b.from, a.driver.cleared, "%s", a.name)
		}
	}
	require.Positive(t, blocks)
}

// TestAnnounce_TellsAllThatComeThere checks that in the step in which a vehicle is given the right
// to a block, others see it on the whole block, however slow it is.
func TestAnnounce_TellsAllThatComeThere(t *testing.T) {
	w := busy(t, "crossing.xodr", 1, 1)
	a := w.actors[0]
	w.observe(w.crossings)
	w.prolongTo(a, longestBlock)
	far := a.driver.pos() + 500
	w.announce(0, a, far)
	seen := 0
	g := row(a.driver.path.legs[0].courses)
	for k := range g {
		if c := &g[k]; c.movement >= 0 && g.begins(k, 0) && c.begin() < far {
			v := w.crossings.visitor(c.movement, 0)
			require.NotNil(t, v)
			require.InDelta(t, far-c.begin(), v.cleared, 1e-9)
			seen++
		}
	}
	require.Greater(t, seen, 2)
}

// TestTraffic_NobodyWaitsForEver checks that with demand below capacity, no vehicle stands for
// three minutes or collides at a crossing with lights. With seeds 2, 4 and 5, traffic once blocked
// itself.
func TestTraffic_NobodyWaitsForEver(t *testing.T) {
	steps := 10 * 1000
	if testing.Short() {
		steps = 10 * 700
	}
	for _, name := range []string{"crossing.xodr", "left.xodr"} {
		for seed := uint64(2); seed <= 6; seed++ {
			w := busy(t, name, seed, 12)
			since := make([]timebase.Time, w.Len())
			for range steps {
				events, err := w.Step(tenth)
				require.NoError(t, err)
				for k := range events {
					require.NotEqual(t, Collision, events[k].Kind, "%s, seed %d: %v", name, seed,
						&events[k])
				}
				for k, a := range w.actors {
					if since[k] += tenth; a.state.Speed > 0.1 {
						since[k] = 0
					}
					require.Less(t, since[k], 180*timebase.Second, "%s, seed %d, %s at %s", name,
						seed, a.name, w.now)
				}
			}
		}
	}
}
