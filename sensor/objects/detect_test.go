package objects_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
	"gosmp/timebase"
)

// vec, turn and id are shorthands for building views.
func vec(x, y, z float64) *osi3.Vector3D { return &osi3.Vector3D{X: &x, Y: &y, Z: &z} }
func turn(r, p, y float64) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: &r, Pitch: &p, Yaw: &y}
}
func size(l, w, h float64) *osi3.Dimension3D {
	return &osi3.Dimension3D{Length: &l, Width: &w, Height: &h}
}
func id(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: &n} }
func at(t timebase.Time) *osi3.Timestamp {
	s, n := t.Split()
	return &osi3.Timestamp{Seconds: &s, Nanos: &n}
}

// plainView has a host vehicle at (100, 50, 1) that faces along the world's y axis. Its rear axle
// is 1.4 m behind and 0.4 m below the center, and the sensor is 3.9 m ahead of the rear axle, at
// (100, 52.5, 1).
func plainView(others ...*osi3.MovingObject) *osi3.SensorView {
	host := &osi3.MovingObject{
		Id: id(7),
		Base: &osi3.BaseMoving{
			Dimension: size(4.5, 1.8, 1.5), Position: vec(100, 50, 1), Orientation: turn(0, 0,
				math.Pi/2),
			Velocity: vec(0, 20, 0), Acceleration: vec(0, 1, 0), OrientationRate: turn(0, 0, 0),
		},
		Type:              osi3.MovingObject_TYPE_VEHICLE.Enum(),
		VehicleAttributes: &osi3.MovingObject_VehicleAttributes{BbcenterToRear: vec(-1.4, 0, -0.4)},
	}
	return &osi3.SensorView{
		Version: osi3.Version(), Timestamp: at(step), SensorId: id(42), HostVehicleId: id(7),
		MountingPosition: &osi3.MountingPosition{Position: vec(3.9, 0, 0.4), Orientation: turn(0,
			0, 0)},
		GlobalGroundTruth: &osi3.GroundTruth{
			Version: osi3.Version(), Timestamp: at(step), HostVehicleId: id(7),
			MovingObject: append([]*osi3.MovingObject{host}, others...),
		},
	}
}

// carAt returns a car in the world.
func carAt(n uint64, x, y, z float64) *osi3.MovingObject {
	return &osi3.MovingObject{
		Id: id(n), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
		Base: &osi3.BaseMoving{
			Dimension: size(4, 2, 1.5), Position: vec(x, y, z), Orientation: turn(0, 0, math.Pi),
			Velocity: vec(-3, 24, 0), Acceleration: vec(0.5, 0, 0), OrientationRate: turn(0, 0,
				0.1),
		},
		VehicleClassification: &osi3.MovingObject_VehicleClassification{
			Type: osi3.MovingObject_VehicleClassification_TYPE_BUS.Enum(),
		},
	}
}

// detect runs both detectors once on a view and returns their common result.
func detect(t *testing.T, c objects.Config, view *osi3.SensorView) (*osi3.SensorData, *pair) {
	t.Helper()
	p := newPair(t, c)
	return p.step(t, marshal(t, view), step), p
}

func nearVector(t *testing.T, x, y, z float64, v *osi3.Vector3D, what ...any) {
	t.Helper()
	require.NotNil(t, v)
	require.InDelta(t, x, v.GetX(), 1e-9, what...)
	require.InDelta(t, y, v.GetY(), 1e-9, what...)
	require.InDelta(t, z, v.GetZ(), 1e-9, what...)
}

// TestDetect_OneCarByHand checks every number of a detection against manually calculated values.
func TestDetect_OneCarByHand(t *testing.T) {
	c := objects.Default()
	c.PositionNoise = 0
	data, p := detect(t, c, plainView(carAt(9, 90, 82.5, 2)))
	require.Zero(t, p.fast.Problems())
	require.Len(t, data.MovingObject, 1)
	o := data.MovingObject[0]
	distance, reach := math.Sqrt(30*30+10*10+1), 1.1*135
	require.EqualValues(t, 1, o.Header.TrackingId.GetValue())
	require.EqualValues(t, 9, o.Header.GroundTruthId[0].GetValue())
	require.InDelta(t, math.Cos((2*distance-reach)/reach), o.Header.GetExistenceProbability(),
		1e-12)
	require.Zero(t, o.Header.GetAge())
	require.Equal(t, osi3.DetectedItemHeader_MEASUREMENT_STATE_MEASURED,
		o.Header.GetMeasurementState())
	require.EqualValues(t, 42, o.Header.SensorId[0].GetValue())
	nearVector(t, 30, 10, 1, o.Base.Position, "ahead, left, up")
	require.InDelta(t, math.Pi/2, o.Base.Orientation.GetYaw(), 1e-12)
	nearVector(t, 4, 3, 0, o.Base.Velocity, "4 m/s faster, 3 m/s to the left")
	nearVector(t, -1, -0.5, 0, o.Base.Acceleration)
	require.InDelta(t, 0.1, o.Base.OrientationRate.GetYaw(), 1e-12)
	require.Equal(t, 4.0, o.Base.Dimension.GetLength())
	nearVector(t, 0, 0, 0, o.BaseRmse.Position)
	nearVector(t, 0, 0, 0, o.BaseRmse.Velocity)
	require.Nil(t, o.PercentageSideLaneLeft)
	require.Nil(t, o.PercentageSideLaneRight)
	require.Equal(t, osi3.DetectedMovingObject_REFERENCE_POINT_CENTER, o.GetReferencePoint())
	require.Len(t, o.Candidate, 1)
	require.Equal(t, 1.0, o.Candidate[0].GetProbability())
	require.Equal(t, osi3.MovingObject_TYPE_VEHICLE, o.Candidate[0].GetType())
	require.Equal(t, osi3.MovingObject_VehicleClassification_TYPE_BUS,
		o.Candidate[0].VehicleClassification.GetType())
	require.EqualValues(t, 1, data.MovingObjectHeader.GetCycleCounter())
	require.Equal(t, osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE,
		data.MovingObjectHeader.GetDataQualifier())
	require.EqualValues(t, 20_000_000, data.MovingObjectHeader.MeasurementTime.GetNanos())
}

// TestDetect_VehicleFrame has the same car relative to the rear axle.
func TestDetect_VehicleFrame(t *testing.T) {
	c := objects.Default()
	c.Frame = objects.VehicleFrame
	data, _ := detect(t, c, plainView(carAt(9, 90, 82.5, 2)))
	nearVector(t, 33.9, 10, 1.4, data.MovingObject[0].Base.Position)
}

// TestDetect_MountingPrecedence: a configured mounting position and id take precedence over the
// view's.
func TestDetect_MountingPrecedence(t *testing.T) {
	c := objects.Default()
	own := uint64(5)
	c.SensorID = &own
	c.Mounting = &frames.Pose{Position: frames.Vector{X: 1},
		Orientation: frames.Orientation{Yaw: math.Pi / 2}}
	// The sensor is at (100, 49.6, 0.6) and points along -x.
	data, p := detect(t, c, plainView(carAt(9, 60, 49.6, 0.6), carAt(10, 100, 90, 1)))
	require.Len(t, data.MovingObject, 1)
	nearVector(t, 40, 0, 0, data.MovingObject[0].Base.Position)
	require.EqualValues(t, 5, data.MovingObject[0].Header.SensorId[0].GetValue())
	require.EqualValues(t, 5, p.fast.SensorID())
	require.Equal(t, *c.Mounting, p.fast.Mounting())
	c.Mounting.Position.X = 99
	require.Equal(t, 1.0, p.fast.Mounting().Position.X, "the configuration was copied")
}

// TestDetect_FieldOfView tests both sides of the limits of the default cone: 148.5 m and 30
// degrees.
func TestDetect_FieldOfView(t *testing.T) {
	sensor := func(distance, azimuth, elevation float64) *osi3.MovingObject {
		s, c := math.Sincos(elevation)
		// The sensor at (100, 52.5, 1) points along y; its left is -x.
		return carAt(9, 100-distance*c*math.Sin(azimuth), 52.5+distance*c*math.Cos(azimuth),
			1+distance*s)
	}
	const degree = math.Pi / 180
	for _, c := range []struct {
		name                         string
		distance, azimuth, elevation float64
		seen                         bool
	}{
		{"straight ahead", 50, 0, 0, true},
		{"at the far end", 148.49, 0, 0, true},
		{"beyond the far end", 148.51, 0, 0, false},
		{"at the left edge", 100, 29.99 * degree, 0, true},
		{"beyond the left edge", 100, 30.01 * degree, 0, false},
		{"at the right edge", 100, -29.99 * degree, 0, true},
		{"beyond the right edge", 100, -30.01 * degree, 0, false},
		{"high up", 100, 0, 29.99 * degree, true},
		{"too high", 100, 0, 30.01 * degree, false},
		{"both angles make a cone, not a box", 100, 25 * degree, 25 * degree, false},
		{"behind", 20, math.Pi, 0, false},
		{"at the sensor", 0, 0, 0, false},
	} {
		data, _ := detect(t, objects.Default(), plainView(sensor(c.distance, c.azimuth,
			c.elevation)))
		require.Equal(t, c.seen, len(data.MovingObject) == 1, c.name)
		around := objects.Default()
		around.HalfAngle = math.Pi
		data, _ = detect(t, around, plainView(sensor(c.distance, c.azimuth, c.elevation)))
		require.Equal(t, c.distance > 0 && c.distance < 148.5, len(data.MovingObject) == 1, c.name)
	}
}

// TestDetect_Stationary covers an object without motion, including its classification.
func TestDetect_Stationary(t *testing.T) {
	view := plainView()
	view.GlobalGroundTruth.StationaryObject = []*osi3.StationaryObject{{
		Id: id(70),
		Base: &osi3.BaseStationary{Dimension: size(1, 1, 8), Position: vec(98, 92.5, 4),
			Orientation: turn(0, 0, 0)},
		Classification: &osi3.StationaryObject_Classification{
			Type: osi3.StationaryObject_Classification_TYPE_TREE.Enum()},
	}}
	data, p := detect(t, objects.Default(), view)
	require.Zero(t, p.fast.Problems())
	require.Len(t, data.StationaryObject, 1)
	o := data.StationaryObject[0]
	nearVector(t, 40, 2, 3, o.Base.Position)
	require.InDelta(t, -math.Pi/2, o.Base.Orientation.GetYaw(), 1e-12)
	require.Equal(t, osi3.StationaryObject_Classification_TYPE_TREE,
		o.Candidate[0].Classification.GetType())
	require.Len(t, p.fast.Detections(objects.StationaryObject), 1)
	require.Empty(t, p.fast.Detections(objects.MovingObject))
	require.Nil(t, p.fast.Detections(objects.Kind(9)))
}

// TestDetect_WhatIsUnknownStaysUnset has a pedestrian with only a known position.
func TestDetect_WhatIsUnknownStaysUnset(t *testing.T) {
	o := &osi3.MovingObject{Id: id(8), Base: &osi3.BaseMoving{Position: vec(100, 90, 1)}}
	data, p := detect(t, objects.Default(), plainView(o))
	require.Equal(t, "object without orientation", p.fast.Problems().String())
	require.True(t, proto.Equal(&osi3.BaseMoving{Position: vec(37.5, 0, 0)},
		rounded(data.MovingObject[0].Base)))
	require.Nil(t, data.MovingObject[0].BaseRmse.Velocity)
	require.Nil(t, data.MovingObject[0].Candidate[0].VehicleClassification)
}

// rounded removes the rounding errors of rotations in the last bits.
func rounded(b *osi3.BaseMoving) *osi3.BaseMoving {
	for _, x := range []*float64{b.Position.X, b.Position.Y, b.Position.Z} {
		*x = math.Round(*x*1e6)/1e6 + 0
	}
	return b
}

// TestDetect_KinematicsAreDerivatives differentiates the reported values of moving traffic, seen
// from a host vehicle in a curve.
func TestDetect_KinematicsAreDerivatives(t *testing.T) {
	c := objects.Default()
	c.HalfAngle = math.Pi
	const h = 100 * timebase.Microsecond
	now := 3 * timebase.Second
	frame := func(t0 timebase.Time) map[uint64]objects.Detection {
		d, err := objects.New(c)
		require.NoError(t, err)
		_, err = d.Detect(marshal(t, scene.Motorway(t0)), until(t0))
		require.NoError(t, err)
		seen := map[uint64]objects.Detection{}
		for _, x := range d.Detections(objects.MovingObject) {
			seen[x.ObjectID] = x
		}
		return seen
	}
	before, at, after := frame(now-h), frame(now), frame(now+h)
	compared := 0
	slope := func(a, b float64) float64 {
		return math.Remainder(b-a, 2*math.Pi) / (2 * h).Seconds()
	}
	for n, x := range at {
		a, ok1 := before[n]
		b, ok2 := after[n]
		if !ok1 || !ok2 {
			continue
		}
		compared++
		scale := 0.5 / h.Seconds()
		v, acc := b.Position.Sub(a.Position).Scale(scale), b.Velocity.Sub(a.Velocity).Scale(scale)
		require.Less(t, v.Sub(x.Velocity).Length(), 1e-5, "velocity of %d", n)
		require.Less(t, acc.Sub(x.Acceleration).Length(), 1e-5, "acceleration of %d", n)
		require.InDelta(t, slope(a.Orientation.Yaw, b.Orientation.Yaw), x.OrientationRate.Yaw, 1e-6)
		require.InDelta(t, slope(a.Orientation.Pitch, b.Orientation.Pitch), x.OrientationRate.Pitch,
			1e-6)
		require.InDelta(t, slope(a.Orientation.Roll, b.Orientation.Roll), x.OrientationRate.Roll,
			1e-6)
	}
	require.Greater(t, compared, 30)
}

// TestDetect_Host checks the reported host vehicle.
func TestDetect_Host(t *testing.T) {
	_, p := detect(t, objects.Default(), plainView())
	h, ok := p.fast.Host()
	require.True(t, ok)
	require.EqualValues(t, 7, h.ID)
	require.Equal(t, frames.Vector{X: 100, Y: 50, Z: 1}, h.Pose.Position)
	require.InDelta(t, 48.6, h.RearAxle.Y, 1e-12)
	require.InDelta(t, 0.6, h.RearAxle.Z, 1e-12)
	require.Equal(t, frames.Vector{Y: 20}, h.Velocity)
	require.Equal(t, frames.Vector{X: 4.5, Y: 1.8, Z: 1.5}, h.Dimension)
	require.True(t,
		h.Has.Has(
			objects.HasPosition|objects.HasVelocity|objects.HasAcceleration|
				objects.HasOrientationRate))
}

// TestConfig_Borders accepts the extreme values of a configuration, even if the sensor then sees
// nothing.
func TestConfig_Borders(t *testing.T) {
	for name, change := range map[string]func(*objects.Config){
		"range":      func(c *objects.Config) { c.NominalRange = 0 },
		"factor":     func(c *objects.Config) { c.RangeFactor = 0 },
		"half angle": func(c *objects.Config) { c.HalfAngle = 0 },
		"detection":  func(c *objects.Config) { c.DetectionProbability = 0 },
		"dropout":    func(c *objects.Config) { c.DropoutProbability = 1 },
	} {
		c := objects.Default()
		c.Occlusion = true
		change(&c)
		data, p := detect(t, c, plainView(carAt(10, 105, 90, 1), carAt(11, 100, 100, 2)))
		require.Empty(t, data.MovingObject, name)
		require.Zero(t, p.fast.Problems(), name)
	}
}

// TestDetect_NothingWanted: with no kind to detect, only time, sensor id and mounting position are
// read from the view.
func TestDetect_NothingWanted(t *testing.T) {
	c := objects.Default()
	c.Moving, c.Stationary = false, false
	view := plainView(carAt(10, 100, 90, 1))
	view.GlobalGroundTruth.HostVehicleId, view.HostVehicleId = nil, nil
	for _, c.Occlusion = range []bool{false, true} {
		data, p := detect(t, c, view)
		require.Zero(t, p.fast.Problems())
		require.Nil(t, data.MovingObjectHeader)
		require.InDelta(t, 3.9, data.MountingPosition.Position.GetX(), 0)
		require.EqualValues(t, step, data.LastMeasurementTime.GetNanos())
	}
	view.MountingPosition.Orientation.Yaw = proto.Float64(math.Inf(1))
	view.Timestamp = at(2 * step)
	data, p := detect(t, c, view)
	require.Equal(t, objects.Problems(0).With(objects.NoMounting).With(objects.LateTimestamp),
		p.fast.Problems())
	require.Zero(t, data.MountingPosition.Position.GetX())
	require.EqualValues(t, step, data.LastMeasurementTime.GetNanos(), "not later than now")
}

// TestDetect_HostWithoutMotion: unknown motion of the host vehicle leaves dependent values unset,
// except that an unknown turning rate counts as zero.
func TestDetect_HostWithoutMotion(t *testing.T) {
	seen := func(forget func(b *osi3.BaseMoving)) (*osi3.BaseMoving, objects.Problems) {
		view := plainView(carAt(10, 100, 90, 1))
		view.GlobalGroundTruth.MovingObject[0].Base.OrientationRate.Yaw = proto.Float64(0.1)
		forget(view.GlobalGroundTruth.MovingObject[0].Base)
		data, p := detect(t, objects.Default(), view)
		return data.MovingObject[0].Base, p.fast.Problems()
	}
	base, problems := seen(func(*osi3.BaseMoving) {})
	require.Zero(t, problems)
	nearVector(t, 4, 3-40*0.1, 0, base.Velocity, "40 m ahead of the host vehicle's centre")
	require.InDelta(t, 0, base.OrientationRate.GetYaw(), 1e-12)
	base, problems = seen(func(b *osi3.BaseMoving) { b.Velocity, b.OrientationRate = nil, nil })
	require.Equal(t, objects.Problems(0).With(objects.HostNoVelocity), problems)
	require.Nil(t, base.Velocity)
	require.Nil(t, base.Acceleration)
	base, problems = seen(func(b *osi3.BaseMoving) { b.Acceleration = nil })
	require.Zero(t, problems)
	require.NotNil(t, base.Velocity)
	require.Nil(t, base.Acceleration)
	base, problems = seen(func(b *osi3.BaseMoving) { b.OrientationRate = nil })
	require.Equal(t, objects.Problems(0).With(objects.HostNoTurning), problems)
	nearVector(t, 4, 3, 0, base.Velocity)
	require.InDelta(t, 0.1, base.OrientationRate.GetYaw(), 1e-12)
}

func TestConfig_Check(t *testing.T) {
	for name, change := range map[string]func(*objects.Config){
		"NominalRange":         func(c *objects.Config) { c.NominalRange = -1 },
		"RangeFactor":          func(c *objects.Config) { c.RangeFactor = math.NaN() },
		"HalfAngle":            func(c *objects.Config) { c.HalfAngle = 4 },
		"DetectionProbability": func(c *objects.Config) { c.DetectionProbability = 1.5 },
		"DropoutProbability":   func(c *objects.Config) { c.DropoutProbability = -0.1 },
		"DropoutCycles":        func(c *objects.Config) { c.DropoutCycles = 0 },
		"PositionNoise":        func(c *objects.Config) { c.PositionNoise = math.Inf(1) },
		"VelocityNoise":        func(c *objects.Config) { c.VelocityNoise = -0.1 },
		"Frame":                func(c *objects.Config) { c.Frame = 2 },
		"Mounting": func(c *objects.Config) {
			c.Mounting = &frames.Pose{Position: frames.Vector{X: math.NaN()}}
		},
	} {
		c := objects.Default()
		require.NoError(t, c.Check())
		change(&c)
		_, err := objects.New(c)
		require.ErrorIs(t, err, objects.ErrConfig)
		require.ErrorContains(t, err, "Config."+name)
		require.ErrorContains(t, err, "expected")
	}
}
