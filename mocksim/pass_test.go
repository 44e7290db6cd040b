package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPass_OnlyOnOneRoad checks that an actor never ignores another one on a different road because
// one of them drives along s there and the other one against it: the two may follow each other into
// a junction.
func TestPass_OnlyOnOneRoad(t *testing.T) {
	w := busy(t, "crossing.xodr", 1, 40)
	w.refresh()
	for k := range w.traffic.entries {
		w.traffic.entries[k].out = true
	}
	passed := 0
	for a := range w.actors {
		for b := range w.actors {
			if one, two := w.actors[a], w.actors[b]; one.place.Road != two.place.Road {
				require.False(t, w.pass(int32(a), int32(b)), "%s, %s", one.name, two.name)
			} else if a != b && w.pass(int32(a), int32(b)) {
				passed++
			}
		}
	}
	require.Positive(t, passed)
}
