package main

import (
	"cmp"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/proto/osi3"
)

// object is a detected object, in the vehicle frame at the end of the step.
type object struct {
	motion
	Acceleration, Orientation, Rate, Dimension estimate

	id         uint64 // of its track
	age        float64
	existence  *float64
	predicted  bool
	sources    [2]source // by input
	truth, by  []uint64  // ground_truth_id and sensor_id
	moving     *osi3.DetectedMovingObject
	stationary *osi3.DetectedStationaryObject // one of these two has what is not above
}

// source is the tracking id that a sensor gives to an object.
type source struct {
	Known bool
	ID    uint64
}

// identify notes who has seen what, and how.
func (o *object) identify(r *reader, h *osi3.DetectedItemHeader) {
	o.predicted = h.GetMeasurementState() == osi3.DetectedItemHeader_MEASUREMENT_STATE_PREDICTED
	if p := h.GetExistenceProbability(); h != nil && h.ExistenceProbability != nil && p >= 0 && p <= 1 {
		o.existence = &p
	}
	o.sources[r.input] = source{h.GetTrackingId() != nil, h.GetTrackingId().GetValue()}
	o.truth, o.by = values(h.GetGroundTruthId()), values(h.GetSensorId())
	if len(o.by) == 0 && r.data.SensorId != nil {
		o.by = []uint64{r.data.GetSensorId().GetValue()}
	}
}

// values are the different ids of a list, in ascending order.
func values(ids []*osi3.Identifier) (v []uint64) {
	for _, id := range ids {
		v = append(v, id.GetValue())
	}
	slices.Sort(v)
	return slices.Compact(v)
}

// measure reads where o is and how it moves, and turns it into the vehicle frame. It is false when there is no place.
func (o *object) measure(r *reader, base, rmse *osi3.BaseMoving) bool {
	if o.Position = r.position.estimate(vector(base.GetPosition()), vector(rmse.GetPosition())); !o.Position.Known {
		return false
	}
	o.Velocity = r.speed.estimate(vector(base.GetVelocity()), vector(rmse.GetVelocity()))
	o.Acceleration = others.estimate(vector(base.GetAcceleration()), vector(rmse.GetAcceleration()))
	o.Orientation = others.estimate(angles(base.GetOrientation()), angles(rmse.GetOrientation()))
	o.Rate = others.estimate(angles(base.GetOrientationRate()), angles(rmse.GetOrientationRate()))
	o.Dimension = others.estimate(extent(base.GetDimension()), extent(rmse.GetDimension()))

	for _, e := range []*estimate{&o.Position, &o.Velocity, &o.Acceleration} {
		*e = e.turned(&r.attitude)
	}
	o.Position.Value = o.Position.Value.Add(r.place)
	own := orientation(o.Orientation.Value).Rotation()
	spin := r.attitude.Apply(own.AngularVelocity(orientation(o.Rate.Value)))
	turned := r.attitude.Compose(&own)
	o.Orientation.Value = triple(turned.Orientation())
	rate, exists := turned.Rates(spin)
	o.Rate.Value, o.Rate.Known = triple(rate), o.Rate.Known && o.Orientation.Known && exists
	return true
}

// predict moves o forward by dt seconds, or back.
func (o *object) predict(p *predictor, dt float64) {
	p.predict(&o.motion, dt)
	if o.Rate.Known {
		o.Orientation.Value = wrapped(o.Orientation.Value.Add(o.Rate.Value.Scale(dt)))
	}
	o.predicted = true
}

// byPlace orders objects by where they are, and those in the same place by how they move.
func byPlace(a, b object) int {
	return cmp.Or(compare(a.Position.Value, b.Position.Value), compare(a.Velocity.Value, b.Velocity.Value),
		compare(a.Dimension.Value, b.Dimension.Value), compare(a.Position.Cov.deviations(), b.Position.Cov.deviations()))
}

func compare(a, b frames.Vector) int {
	return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y), cmp.Compare(a.Z, b.Z))
}

// beyond is where no object is.
const beyond = 1e6

// optional is a vector that may be missing.
type optional struct {
	frames.Vector
	known bool
}

// estimate is what a value and its root mean square error make. A value out of bounds is unknown, an error out of
// bounds not told.
func (s sigma) estimate(value, rmse optional) estimate {
	if !value.known || !inside(value.Vector) {
		return estimate{}
	}
	told := rmse.known && inside(rmse.Vector)
	if !told {
		rmse.Vector = frames.Vector{X: s.unstated, Y: s.unstated, Z: s.unstated}
	}
	x, y, z := s.bound(rmse.X), s.bound(rmse.Y), s.bound(rmse.Z)
	return estimate{Known: true, Stated: told, Value: value.Vector, Cov: diagonal(x*x, y*y, z*z)}
}

// bound makes a standard deviation one that can be calculated with.
func (s sigma) bound(x float64) float64 { return min(max(x, s.least), 1e3) }

func inside(v frames.Vector) bool {
	return max(math.Abs(v.X), math.Abs(v.Y), math.Abs(v.Z)) <= beyond
}

func vector(v *osi3.Vector3D) optional {
	return optional{frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}, v != nil}
}

func angles(o *osi3.Orientation3D) optional {
	return optional{frames.Vector{X: o.GetRoll(), Y: o.GetPitch(), Z: o.GetYaw()}, o != nil}
}

func extent(d *osi3.Dimension3D) optional {
	return optional{frames.Vector{X: d.GetLength(), Y: d.GetWidth(), Z: d.GetHeight()}, d != nil}
}

func orientation(v frames.Vector) frames.Orientation {
	return frames.Orientation{Roll: v.X, Pitch: v.Y, Yaw: v.Z}
}

func triple(o frames.Orientation) frames.Vector {
	return frames.Vector{X: o.Roll, Y: o.Pitch, Z: o.Yaw}
}

// wrapped are angles in [-pi, pi].
func wrapped(v frames.Vector) frames.Vector {
	return frames.Vector{X: frames.WrapAngle(v.X), Y: frames.WrapAngle(v.Y), Z: frames.WrapAngle(v.Z)}
}
