package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

const input = "OSMPSensorDataIn"

// front is the distance of the front bumper from the rear axle, the start value of vehicle.front.
const front = 3.65

// car is a detected car, given by the gap in front of the vehicle.
type car struct{ gap, y, yaw, closing float64 }

const length, width = 4.6, 1.85

// data returns the SensorData of a sensor on the rear axle that detects these cars.
func data(cars ...car) *osi3.SensorData {
	d := &osi3.SensorData{Version: message.Version(), Timestamp: message.Time(timebase.Second),
		MountingPosition: message.Mounting(frames.Pose{})}
	for _, c := range cars {
		along := (math.Abs(length*math.Cos(c.yaw)) + math.Abs(width*math.Sin(c.yaw))) / 2
		d.MovingObject = append(d.MovingObject, &osi3.DetectedMovingObject{Base: &osi3.BaseMoving{
			Position:    message.Vector(frames.Vector{X: front + c.gap + along, Y: c.y}),
			Velocity:    message.Vector(frames.Vector{X: -c.closing}),
			Orientation: message.Orientation(frames.Orientation{Yaw: c.yaw}),
			Dimension: &osi3.Dimension3D{Length: proto.Float64(length), Width: proto.Float64(width),
				Height: proto.Float64(1.5)},
		}})
	}
	return d
}

func start(t *testing.T) *modeltest.Rig {
	t.Helper()
	r := modeltest.New(t, definition)
	r.Start()
	return r
}

// step returns the brake request after one step of 20 ms.
func step(r *modeltest.Rig, d *osi3.SensorData) float64 {
	if d == nil {
		r.Write(input, []byte{})
	} else {
		r.Write(input, d)
	}
	r.Step(0.02)
	return r.Get("brake.request").(float64)
}

// TestBrakesWhenItHasTo has thresholds that are easy to compute: 1.2 s, and v²/(2 (gap - 1)) of 5
// m/s2.
func TestBrakesWhenItHasTo(t *testing.T) {
	for name, c := range map[string]struct {
		car  car
		want float64
	}{
		"1.19 s at a low speed":       {car{gap: 2.38, closing: 2}, 1},
		"1.21 s at a low speed":       {car{gap: 2.42, closing: 2}, 0},
		"5.02 m/s2 at 20 m/s":         {car{gap: 40.84, closing: 20}, 1},
		"4.98 m/s2 at 20 m/s":         {car{gap: 41.16, closing: 20}, 0},
		"within the margin":           {car{gap: 0.9, closing: 0.1}, 1},
		"near, and not approaching":   {car{gap: 0.5, closing: 0}, 0},
		"near, and driving away":      {car{gap: 0.5, closing: -5}, 0},
		"overlapping aside by a hair": {car{gap: 5, closing: 10, y: 2.02}, 1},
		"just beside the path":        {car{gap: 5, closing: 10, y: 2.03}, 0},
		"across the road, reaching in": {car{gap: 5, closing: 10, y: 3.39, yaw: math.Pi / 2},
			1},
		"across the road, not reaching": {car{gap: 5, closing: 10, y: 3.41, yaw: math.Pi / 2},
			0},
		"behind":                           {car{gap: -12, closing: 10}, 0},
		"alongside, behind the bumper":     {car{gap: -2.5, closing: 10}, 0},
		"hit already, its centre is ahead": {car{gap: -1, closing: 1}, 1},
	} {
		require.Equal(t, c.want, step(start(t), data(c.car)), name)
	}
}

func TestReportsTheObjectThatIsHitFirst(t *testing.T) {
	r := start(t)
	step(r, data(car{gap: 10, closing: 1}, car{gap: 30, closing: 15}, car{gap: 4, closing: -1},
		car{gap: 3, y: 8, closing: 9}))
	require.Equal(t, []any{true, int32(3), true, 0.0},
		[]any{r.Get("valid"), r.Get("path.count"), r.Get("warning"), r.Get("brake.request")})
	require.InDelta(t, 30, r.Get("gap"), 1e-9)
	require.InDelta(t, 2, r.Get("timeToCollision"), 1e-9)
	step(r, data(car{gap: 12, closing: -1}, car{gap: 7, closing: 0}))
	require.InDelta(t, 7, r.Get("gap"), 1e-9)
	require.Equal(t, []any{false, longest}, []any{r.Get("warning"), r.Get("timeToCollision")})
}

// TestHoldsTheBrake uses the default of 2 s: 100 steps in which the gap does not close, with or
// without data.
func TestHoldsTheBrake(t *testing.T) {
	r := start(t)
	require.Equal(t, 1.0, step(r, data(car{gap: 2, closing: 5})))
	for k := range 50 {
		require.Equal(t, 1.0, step(r, data(car{gap: 1.5, closing: 0})), k)
	}
	require.Equal(t, 1.0, step(r, data(car{gap: 90, closing: 1})),
		"it closes again, far from danger")
	for k := range 99 {
		require.Equal(t, 1.0, step(r, nil), k)
		require.Equal(t, false, r.Get("valid"))
	}
	require.Zero(t, step(r, nil))
	require.Zero(t, step(r, data(car{gap: 90, closing: 1})), "only danger starts it again")
}

// TestTheMountingOfTheSensorDoesNotMatter turns and shifts the sensor, and feeds it the data that
// it would see from there.
func TestTheMountingOfTheSensorDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(q *rapid.T) {
		draw := func(name string, least, most float64) float64 {
			return rapid.Float64Range(least, most).Draw(q, name)
		}
		c := car{gap: draw("gap", 2, 40), y: draw("y", -3, 3), yaw: draw("yaw", -3, 3),
			closing: draw("closing", -5, 20)}
		one, other := start(t), start(t)
		d := data(c)
		step(one, d)
		yaw, x, y := draw("mounted yaw", -1, 1), draw("mounted x", 0, 4), draw("mounted y", -1, 1)
		base := d.MovingObject[0].Base
		sin, cos := math.Sincos(yaw)
		px, py := base.Position.GetX()-x, base.Position.GetY()-y
		base.Position = message.Vector(frames.Vector{X: px*cos + py*sin, Y: py*cos - px*sin})
		base.Velocity = message.Vector(frames.Vector{X: -c.closing * cos, Y: c.closing * sin})
		base.Orientation = message.Orientation(frames.Orientation{Yaw: c.yaw - yaw})
		d.MountingPosition = message.Mounting(frames.Pose{Position: frames.Vector{X: x, Y: y},
			Orientation: frames.Orientation{Yaw: yaw}})
		step(other, d)
		require.InDelta(t, one.Get("gap"), other.Get("gap"), 1e-9)
		require.InDelta(t, one.Get("timeToCollision"), other.Get("timeToCollision"), 1e-6)
	})
}

// TestARestoredStateContinues restores a state in another instance.
func TestARestoredStateContinues(t *testing.T) {
	r := start(t)
	step(r, data(car{gap: 2, closing: 5}))
	for range 60 {
		step(r, nil)
	}
	saved, now := r.Save(), r.Now()
	other := start(t)
	other.Restore(saved, now)
	for k := range 60 {
		require.Equal(t, step(r, nil), step(other, nil), k)
	}
	require.Zero(t, other.Get("brake.request"))
}

func TestUnusableObjectsAreIgnored(t *testing.T) {
	r := start(t)
	d := data(car{gap: 2, closing: 5}, car{gap: 2, closing: 5}, car{gap: 2, closing: 5},
		car{gap: 2, closing: 5})
	d.MovingObject[0].Base.Position = nil
	d.MovingObject[1].Base.Velocity = nil
	d.MovingObject[2].Base.Velocity.X = proto.Float64(math.NaN())
	d.MovingObject[3].Base.Dimension.Length = proto.Float64(math.Inf(1))
	d.MovingObject = append(d.MovingObject, &osi3.DetectedMovingObject{})
	require.Zero(t, step(r, d))
	require.Equal(t, []any{int32(0), longest}, []any{r.Get("path.count"), r.Get("timeToCollision")})
}
