package mocksim_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCapacity_OfTurns compares the saturation flow of turns with the Highway Capacity Manual:
// 1 900 cars per hour and lane, times 0.95 to the left and 0.85 to the right without oncoming
// traffic, and its formula for turns across oncoming traffic (critical headway 4.5 s, follow-up
// headway 2.5 s).
func TestCapacity_OfTurns(t *testing.T) {
	left := crossroads{half: 12, ways: [][2]int{{north, south}, {south, west}}}
	right := crossroads{half: 12, ways: [][2]int{{south, east}}}
	for _, c := range []struct {
		name string
		x    crossroads
		flow float64
		want float64

		seeds uint64
	}{
		{"to the left", left, 1, 0.95 * saturationFlow, 1},
		{"to the right", right, 1, 0.85 * saturationFlow, 1},
		{"to the left, 300 oncoming vehicles/h", left, 300, potential(300, 4.5, 2.5), 4},
		{"to the left, 600 oncoming vehicles/h", left, 600, potential(600, 4.5, 2.5), 8},
	} {
		m := c.x.read(t)
		sum := 0.0
		for seed := range c.seeds {
			sum += discharge(t, m, c.flow, seed+1)
		}
		t.Logf("%s: %.0f cars/h, HCM %.0f", c.name, sum/float64(c.seeds), c.want)
		require.InEpsilon(t, c.want, sum/float64(c.seeds), saturationTolerance, c.name)
	}
}
