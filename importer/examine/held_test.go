package examine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeld checks that an address that is checked again after a reading is stored in a different
// place than the addresses that readings use. With the same place, FMUs with two outputs would be
// accused falsely.
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
