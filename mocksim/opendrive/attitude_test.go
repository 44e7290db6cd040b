package opendrive_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
)

// TestAttitude_OnLevelRoads compares roll and pitch, including the signs of zeros, with the formula
// for any road.
func TestAttitude_OnLevelRoads(t *testing.T) {
	zero := math.Copysign(0, -1)
	for _, yaw := range []float64{0, 1, math.Pi / 2, 2, math.Pi} {
		for _, x := range []float64{yaw, math.Nextafter(yaw, 0), math.Nextafter(yaw, 4), -yaw,
			math.Nextafter(-yaw, 0), math.Nextafter(-yaw, -4)} {
			sin, cos := portable.Sincos(x)
			for _, up := range []frames.Vector{{Z: 1}, {X: zero, Z: 1}, {Y: zero, Z: 1},
				{X: zero, Y: zero, Z: 1}} {
				st := opendrive.Station{Up: up}
				o := st.Attitude(x)
				roll := float64(up.X*sin) - float64(up.Y*cos)
				pitch := float64(up.X*cos) + float64(up.Y*sin)
				require.Equal(t, math.Float64bits(roll), math.Float64bits(o.Roll), x)
				require.Equal(t, math.Float64bits(pitch), math.Float64bits(o.Pitch), x)
				require.Equal(t, math.Float64bits(x), math.Float64bits(o.Yaw))
			}
		}
	}
}
