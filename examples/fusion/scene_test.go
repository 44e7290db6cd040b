package main

import (
	"math"
	"testing"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/model/modeltest"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

const (
	in1, in2, out = "OSMPSensorDataIn[1]", "OSMPSensorDataIn[2]", "OSMPSensorDataOut"

	h = 0.02
)

// ms returns a time in milliseconds.
func ms(n int) timebase.Time { return timebase.Time(n) * timebase.Millisecond }

// sensor creates the SensorData of one sensor.
type sensor struct {
	id   uint64
	x, y float64 // mounting position
	yaw  float64
}

// car is a moving object as the sensor sees it.
type car struct {
	id        uint64 // tracking id of the sensor
	x, y      float64
	vx, vy    float64
	sigma     float64 // of position and velocity; 0: not stated
	existence float64
	kind      osi3.MovingObject_Type
	truth     uint64
}

// data returns the sensor's measurement at a time.
func (s sensor) data(at timebase.Time, cars ...car) *osi3.SensorData {
	d := &osi3.SensorData{
		Version: message.Version(), Timestamp: message.Time(at),
		LastMeasurementTime: message.Time(at), SensorId: message.ID(s.id),
		MountingPosition: &osi3.MountingPosition{
			Position:    message.Vector(frames.Vector{X: s.x, Y: s.y}),
			Orientation: message.Orientation(frames.Orientation{Yaw: s.yaw}),
		},
		MovingObjectHeader: &osi3.DetectedEntityHeader{
			MeasurementTime: message.Time(at), CycleCounter: proto.Uint64(7),
			DataQualifier: osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE.Enum(),
		},
		SensorView: []*osi3.SensorView{{SensorId: message.ID(s.id)}},
	}
	for _, c := range cars {
		d.MovingObject = append(d.MovingObject, c.detected())
	}
	return d
}

func (c car) detected() *osi3.DetectedMovingObject {
	m := &osi3.DetectedMovingObject{
		Header: &osi3.DetectedItemHeader{
			TrackingId:       message.ID(c.id),
			MeasurementState: osi3.DetectedItemHeader_MEASUREMENT_STATE_MEASURED.Enum(),
		},
		Base: &osi3.BaseMoving{
			Position: message.Vector(frames.Vector{X: c.x, Y: c.y}),
			Velocity: message.Vector(frames.Vector{X: c.vx, Y: c.vy}),
		},
	}
	if c.existence != 0 {
		m.Header.ExistenceProbability = &c.existence
	}
	if c.truth != 0 {
		m.Header.GroundTruthId = []*osi3.Identifier{message.ID(c.truth)}
	}
	if s := (frames.Vector{X: c.sigma, Y: c.sigma, Z: c.sigma}); c.sigma != 0 {
		m.BaseRmse = &osi3.BaseMoving{Position: message.Vector(s), Velocity: message.Vector(s)}
	}
	if c.kind != 0 {
		m.Candidate = []*osi3.DetectedMovingObject_CandidateMovingObject{{Probability: proto.Float64(1), Type: &c.kind}}
	}
	return m
}

// into returns the position in which the sensor sees a car that is given in the vehicle frame.
func (s sensor) into(c car) car {
	p := frames.RotateZ(frames.Vector{X: c.x - s.x, Y: c.y - s.y}, -s.yaw)
	v := frames.RotateZ(frames.Vector{X: c.vx, Y: c.vy}, -s.yaw)
	c.x, c.y, c.vx, c.vy = p.X, p.Y, v.X, v.Y
	return c
}

// sees returns the SensorData about cars that are given in the vehicle frame.
func (s sensor) sees(at timebase.Time, cars ...car) *osi3.SensorData {
	for k, c := range cars {
		cars[k] = s.into(c)
	}
	return s.data(at, cars...)
}

var (
	front = sensor{id: 11, x: 3.5}
	left  = sensor{id: 12, x: 2, y: 0.75, yaw: math.Pi / 4}
)

// start returns a fusion after its initialization.
func start(t testing.TB, set map[string]any) *modeltest.Rig {
	t.Helper()
	r := modeltest.New(t, definition)
	for name, value := range set {
		r.Set(name, value)
	}
	r.Start()
	return r
}

// step performs a step with the given inputs and returns the output; nil stands for none.
func step(t *testing.T, r *modeltest.Rig, a, b *osi3.SensorData) *osi3.SensorData {
	t.Helper()
	for prefix, d := range map[string]*osi3.SensorData{in1: a, in2: b} {
		if d != nil {
			r.Write(prefix, d)
		} else {
			r.Write(prefix, []byte{})
		}
	}
	r.Step(h)
	fused := &osi3.SensorData{}
	if !r.Decode(out, fused) {
		return nil
	}
	return fused
}

// fuse performs the first step of a run.
func fuse(t *testing.T, set map[string]any, a, b *osi3.SensorData) *osi3.SensorData {
	t.Helper()
	return step(t, start(t, set), a, b)
}
