package examine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeld: an address that is looked at again after a reading is not the one that the reading has
// kept. FMUs with two outputs were accused when these places were the same.
func TestHeld(t *testing.T) {
	const places = 64 // PB_FETCHED
	seen := map[int]bool{}
	for n := range 14 {
		for k := range 2 {
			place := held(n, k)
			require.GreaterOrEqual(t, place, 32, "readings use what is below")
			require.Less(t, place, places)
			require.False(t, seen[place])
			seen[place] = true
		}
	}
}
