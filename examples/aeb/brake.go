package main

import (
	"math"

	"gosmp/frames"
	"gosmp/model"
	"gosmp/model/message"
	"gosmp/osmp"
	"gosmp/proto/field"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// longest is the greatest time to collision that is reported, in s. It stands for no danger.
const longest = 100.0

// still is the closing speed in m/s below which a gap does not close.
const still = 0.05

// brake is one instance of the model.
type brake struct {
	in *model.Input

	front, width, margin                float64 // m
	warnBelow, brakeBelow, strong, hold float64 // hold in s, strong in m/s2

	valid, warning bool
	count          int32
	gap, time      float64
	request        float64

	braking bool
	calm    timebase.Duration // for how long the gap has not closed
}

// newBrake declares the variables.
func newBrake(d *model.Declaration) model.Model {
	b := &brake{in: d.Input(osmp.SensorDataIn)}
	m, s := model.Unit("m"), model.Unit("s")
	model.PlainOutput(d, &b.valid, "valid", "true when the step has a SensorData")
	model.PlainOutput(d, &b.request, "brake.request", "brake pedal, 0 to 1", model.Unit("1"))
	model.PlainOutput(d, &b.warning, "warning", "true when a collision is near")
	model.PlainOutput(d, &b.count, "path.count", "number of moving objects in the path")
	model.PlainOutput(d, &b.gap, "gap",
		"distance to the object in the path that is hit first, 0 if there is none", m)
	model.PlainOutput(d, &b.time, "timeToCollision", "at the present speeds, at most 100 s", s,
		model.Calculated())
	model.Parameter(d, &b.front, "vehicle.front", 3.65,
		"distance of the front bumper from the middle of the rear axle", m, model.Between(0, 20))
	model.Parameter(d, &b.width, "path.width", 2.2, "width of the path ahead", m,
		model.Between(0.1, 10))
	model.Parameter(d, &b.margin, "braking.margin", 1, "gap to keep", m, model.Between(0, 20))
	model.Parameter(d, &b.warnBelow, "warning.time", 2.5,
		"time to collision below which the model warns", s, model.Between(0, longest))
	model.Parameter(d, &b.brakeBelow, "braking.time", 1.2,
		"time to collision below which the model brakes", s, model.Between(0, longest))
	model.Parameter(d, &b.strong, "braking.deceleration", 5,
		"needed deceleration above which the model brakes", model.Unit("m/s2"),
		model.Between(0.1, 20))
	model.Parameter(d, &b.hold, "braking.hold", 2,
		"time for which the brake is held when the gap does not close", s, model.Between(0, 3600))
	return b
}

// Setup implements model.Model.
func (b *brake) Setup(model.Environment) error {
	b.time = longest
	return nil
}

// Step implements model.Model.
func (b *brake) Step(span timebase.Span) error {
	b.count, b.gap, b.time = 0, 0, longest
	var data osi3.SensorData
	b.valid = message.ReadFields(b.in, &data, field.SensorDataMountingPosition,
		field.SensorDataMovingObject)
	if b.valid {
		b.assess(&data)
	}
	b.decide(span.Length())
	return nil
}

// hazard is an object in the path.
type hazard struct {
	gap, closing float64 // m, m/s
}

// time returns the time to collision in s.
func (h hazard) time() float64 {
	if h.closing <= still {
		return longest
	}
	return min(longest, max(0, h.gap)/h.closing)
}

// assess finds the object that will be hit first or, if there is none, the nearest one.
func (b *brake) assess(data *osi3.SensorData) {
	mounting := message.OrientationOf(data.GetMountingPosition().GetOrientation())
	turn, shift := mounting.Rotation(), message.VectorOf(data.GetMountingPosition().GetPosition())
	for _, o := range data.MovingObject {
		h, inPath := b.hazard(o.GetBase(), turn, shift, mounting.Yaw)
		if !inPath {
			continue
		}
		if b.count++; b.count == 1 || h.time() < b.time || h.time() == b.time && h.gap < b.gap {
			b.gap, b.time = h.gap, h.time()
		}
		b.trigger(h)
	}
}

// hazard returns the hazard for an object in the path, relative to the front bumper. turn, shift
// and yaw transform from the sensor frame to the vehicle frame.
func (b *brake) hazard(base *osi3.BaseMoving, turn frames.Rotation, shift frames.Vector,
	yaw float64) (h hazard, inPath bool) {
	if base.GetPosition() == nil || base.GetVelocity() == nil {
		return h, false
	}
	at := shift.Add(turn.Apply(message.VectorOf(base.GetPosition())))
	velocity := turn.Apply(message.VectorOf(base.GetVelocity()))
	sin, cos := math.Sincos(base.GetOrientation().GetYaw() + yaw)
	length, width := base.GetDimension().GetLength(), base.GetDimension().GetWidth()
	along := (math.Abs(float64(length*cos)) + math.Abs(float64(width*sin))) / 2
	aside := (math.Abs(float64(length*sin)) + math.Abs(float64(width*cos))) / 2
	h = hazard{at.X - along - b.front, -velocity.X}
	finite := at.Finite() && velocity.Finite() && !math.IsNaN(along+aside) &&
		!math.IsInf(along+aside, 0)
	return h, finite && at.X > b.front && math.Abs(at.Y)-aside < b.width/2
}

// trigger begins to brake if an object requires it.
func (b *brake) trigger(h hazard) {
	if h.closing <= still {
		return
	}
	needed := math.Inf(1)
	if room := h.gap - b.margin; room > 0 {
		needed = h.closing * h.closing / (2 * room)
	}
	if h.time() < b.brakeBelow || needed > b.strong {
		b.braking, b.calm = true, 0
	}
}

// decide sets the outputs at the end of a step of length d.
func (b *brake) decide(d timebase.Duration) {
	if b.time < longest {
		b.calm = 0
	} else {
		b.calm += d
	}
	b.braking = b.braking && b.calm.Seconds() < b.hold
	b.warning = b.time < b.warnBelow
	b.request = 0
	if b.braking {
		b.request = 1
	}
}

// Snapshot implements model.Snapshotter.
func (b *brake) Snapshot(to []byte) ([]byte, error) { //nolint:unparam // the interface has an error
	return model.AppendUint64(model.AppendBool(to, b.braking), uint64(b.calm)), nil
}

// Restore implements model.Snapshotter.
func (b *brake) Restore(from []byte) error {
	d := model.StateReader{Data: from}
	b.braking, b.calm = d.Bool(), timebase.Duration(d.Uint64())
	return d.Done()
}
