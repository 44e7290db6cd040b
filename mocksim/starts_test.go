package mocksim

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPopulate_NobodyObstructsALongVehicle checks that no vehicle starts where another one has the
// right to drive, even if only the longer of the two needs the room. Otherwise both would wait
// forever.
func TestPopulate_NobodyObstructsALongVehicle(t *testing.T) {
	swept := 0
	for _, name := range []string{"crossing.xodr", "left.xodr"} {
		for seed := range uint64(40) {
			w := busy(t, name, seed, 40)
			w.observe(w.crossings)
			for k, a := range w.actors {
				if w.swept(a) {
					swept++
				}
				require.False(t, w.obstructs(int32(k), a), "%s, seed %d: %s", name, seed, a.name)
			}
		}
	}
	require.Positive(t, swept)
}
