package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim/opendrive"
)

// TestPass_OnlyOncoming checks that an actor ignores another one only if the two face each other on
// a road, also if the actor is not on that road yet, and never because the roads of the two have
// different directions: the two may follow each other into a junction.
func TestPass_OnlyOncoming(t *testing.T) {
	w := busy(t, "crossing.xodr", 1, 40)
	w.refresh()
	for k := range w.traffic.entries {
		w.traffic.entries[k].out = true
	}
	passed, entering := 0, 0
	for a, one := range w.actors {
		for b, two := range w.actors {
			if a == b {
				continue
			}
			c := two.driver.course()
			for _, l := range two.place.Lane.Section.Lanes {
				for _, forwards := range []bool{true, false} {
					if !l.Drivable() || one.place.Road == two.place.Road &&
						forwards != one.driver.course().forwards {
						continue
					}
					from := fromStart(opendrive.Course{Lane: l, Forwards: forwards}, w.rail(l))
					switch passes := w.pass(int32(a), int32(b), &from); {
					case forwards == c.forwards || l == c.lane && one.place.Road != two.place.Road:
						require.False(t, passes, "%s, %s on %v", one.name, two.name, l)
					case passes && one.place.Road == two.place.Road:
						passed++
					case passes:
						entering++
					}
				}
			}
			elsewhere := outlook{lane: one.place.Lane, forwards: !c.forwards}
			if one.place.Road != two.place.Road {
				require.False(t, w.pass(int32(a), int32(b), &elsewhere), "another road")
			}
		}
	}
	require.Positive(t, passed)
	require.Positive(t, entering)
}
