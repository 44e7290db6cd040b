package recording

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
)

// TestMeasure_MeetsFiguresInACircle checks measurements in a left turn with a radius of 100 m at 10
// m/s, level and with a bank of 0.2 rad.
func TestMeasure_MeetsFiguresInACircle(t *testing.T) {
	thousandths := func(v frames.Vector) [3]int64 {
		return [3]int64{whole(v.X * 1000), whole(v.Y * 1000), whole(v.Z * 1000)}
	}
	s := mocksim.State{Velocity: frames.Vector{X: 10}, Acceleration: frames.Vector{Y: 1},
		Rate: frames.Orientation{Yaw: 0.1}}
	m := measure(&s)
	require.Equal(t, [3]int64{0, -1000, -9807}, thousandths(m.force))
	require.Equal(t, [3]int64{0, 0, -100}, thousandths(m.rates))

	s.Orientation.Roll = 0.2
	m = measure(&s)
	require.Equal(t, [3]int64{0, -2928, -9413}, thousandths(m.force))
	require.Equal(t, [3]int64{0, -20, -98}, thousandths(m.rates))
	rotation := s.Orientation.Rotation()
	field := frd(rotation.Into(frames.Vector{X: 1.3, Y: 20.6, Z: -43.7}))
	require.Equal(t, [3]float64{13, -115, 469}, [3]float64{math.Round(field.X * 10),
		math.Round(field.Y * 10), math.Round(field.Z * 10)})
}
