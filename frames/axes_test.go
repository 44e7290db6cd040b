package frames_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/frames"
)

func TestAxes_EveryAxisOfTheSensorInTheVehicle(t *testing.T) {
	forward, left, up := frames.Vector{X: 1}, frames.Vector{Y: 1}, frames.Vector{Z: 1}
	right, down := frames.Vector{Y: -1}, frames.Vector{Z: -1}
	for _, c := range []struct {
		axes    frames.Axes
		x, y, z frames.Vector // where the sensor's axes point, in the vehicle's frame
	}{
		{frames.FRD, forward, right, down},
		{frames.FLU, forward, left, up},
	} {
		for _, p := range []struct{ sensor, vehicle frames.Vector }{{forward, c.x}, {left, c.y},
			{up, c.z}} {
			found := c.axes.ToVehicle(p.sensor)
			require.Zero(t, found.Sub(p.vehicle).Length(), "%v of axes %d is %v", p.sensor, c.axes,
				found)
		}
	}
}

func TestAxes_ZeroValueIsThatOfThePhoenixSensors(t *testing.T) {
	var axes frames.Axes
	require.Equal(t, frames.FRD, axes)
	require.Equal(t, frames.Vector{X: 1, Y: -2, Z: -3}, axes.ToVehicle(frames.Vector{X: 1, Y: 2,
		Z: 3}))
}

func TestFromNED_IsEastNorthUp(t *testing.T) {
	require.Equal(t, frames.Vector{X: 2, Y: 1, Z: -3}, frames.FromNED(frames.Vector{X: 1, Y: 2,
		Z: 3}))
}

// TestAxesAndNED_KeepLengthsAndHandedness checks that both maps are rotations: they preserve
// lengths and handedness.
func TestAxesAndNED_KeepLengthsAndHandedness(t *testing.T) {
	vector := rapid.Custom(func(t *rapid.T) frames.Vector {
		x := rapid.Float64Range(-1e3, 1e3)
		return frames.Vector{X: x.Draw(t, "x"), Y: x.Draw(t, "y"), Z: x.Draw(t, "z")}
	})
	rapid.Check(t, func(t *rapid.T) {
		v, w := vector.Draw(t, "v"), vector.Draw(t, "w")
		for name, turn := range map[string]func(frames.Vector) frames.Vector{
			"FRD": frames.FRD.ToVehicle, "FLU": frames.FLU.ToVehicle, "NED": frames.FromNED,
		} {
			require.Equal(t, v.Length(), turn(turn(v)).Length(), name)
			require.Zero(t, turn(turn(v)).Sub(v).Length(), "%s twice is nothing", name)
			require.InDelta(t, 0, turn(v.Cross(w)).Sub(turn(v).Cross(turn(w))).Length(), 1e-9, name)
		}
	})
}

func TestYawFromHeading_CompassToMathematicalAngle(t *testing.T) {
	for _, c := range []struct {
		point   string
		heading float64 // degrees
		yaw     float64 // degrees
	}{
		{"north", 0, 90},
		{"north-east", 45, 45},
		{"east", 90, 0},
		{"south-east", 135, -45},
		{"south", 180, -90},
		{"south-west", 225, -135},
		{"just before west", 269.999, -179.999},
		{"west", 270, 180},
		{"just after west", 270.001, 179.999},
		{"north again", 360, 90},
		{"west as a negative heading", -90, 180},
		{"two turns and east", 810, 0},
	} {
		require.InDelta(t, c.yaw, frames.YawFromHeading(c.heading*math.Pi/180)*180/math.Pi, 1e-9,
			c.point)
	}
}

// TestYawFromHeading_AgreesWithTheVelocity checks that a velocity along the heading has, in the
// world, the direction of the yaw.
func TestYawFromHeading_AgreesWithTheVelocity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		heading := rapid.Float64Range(-20, 20).Draw(t, "heading")
		north, east := math.Cos(heading), math.Sin(heading)
		world := frames.FromNED(frames.Vector{X: north, Y: east})
		ahead := frames.RotateZ(frames.Vector{X: 1}, frames.YawFromHeading(heading))
		require.InDelta(t, 0, world.Sub(ahead).Length(), 1e-12)
	})
}

func TestWrapAngle_HalfOpenInterval(t *testing.T) {
	for _, c := range []struct{ angle, want float64 }{
		{0, 0}, {1, 1}, {-1, -1}, {math.Pi, math.Pi}, {-math.Pi, math.Pi}, {3 * math.Pi, math.Pi},
		{-3 * math.Pi, math.Pi},
		{math.Nextafter(math.Pi, 4), -math.Pi + 4e-16}, {math.Nextafter(-math.Pi, 0),
			math.Nextafter(-math.Pi, 0)},
		{2 * math.Pi, 0}, {-2 * math.Pi, 0}, {7, 7 - 2*math.Pi}, {-7, 2*math.Pi - 7},
	} {
		require.InDelta(t, c.want, frames.WrapAngle(c.angle), 5e-16, "%v", c.angle)
	}
	rapid.Check(t, func(t *rapid.T) {
		angle := rapid.Float64Range(-1e6, 1e6).Draw(t, "angle")
		wrapped := frames.WrapAngle(angle)
		require.Greater(t, wrapped, -math.Pi)
		require.LessOrEqual(t, wrapped, math.Pi)
		require.InDelta(t, math.Sin(angle), math.Sin(wrapped), 1e-9)
		require.InDelta(t, math.Cos(angle), math.Cos(wrapped), 1e-9)
	})
}

func TestRotateZ_CounterClockwiseSeenFromAbove(t *testing.T) {
	v := frames.RotateZ(frames.Vector{X: 2, Y: 0, Z: 5}, math.Pi/2)
	require.InDelta(t, 0, v.X, 1e-15)
	require.InDelta(t, 2, v.Y, 1e-15)
	require.Equal(t, 5.0, v.Z)
}
