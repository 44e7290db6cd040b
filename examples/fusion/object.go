package main

import (
	"math"
	"slices"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/proto/osi3"
)

// object is a detected object in the frame of the vehicle at the end of the step.
type object struct {
	at, velocity frames.Vector
	variance     float64 // of each coordinate of at, m²
	existence    float64
	moves        bool // velocity is known
	predicted    bool
	paired       bool
	id           uint64  // of its track
	age          float64 // of its track, s
	rest         *osi3.DetectedMovingObject
}

// detections returns the objects of a SensorData that was measured dt seconds before the end of the
// step.
func (f *fusion) detections(data *osi3.SensorData, dt float64) (list []object) {
	place := message.VectorOf(data.GetMountingPosition().GetPosition())
	attitude := message.OrientationOf(data.GetMountingPosition().GetOrientation()).Rotation()
	for _, m := range data.MovingObject {
		base := m.GetBase()
		o := object{rest: m, variance: f.sigma * f.sigma, existence: 1,
			moves: base.GetVelocity() != nil}
		o.velocity = attitude.Apply(message.VectorOf(base.GetVelocity()))
		o.at = place.Add(attitude.Apply(message.VectorOf(base.GetPosition()))).
			Add(o.velocity.Scale(dt))
		if base.GetPosition() == nil || !o.at.Finite() {
			continue // an object without a position cannot be merged
		}
		if sigma := m.GetBaseRmse().GetPosition().GetX(); sigma > 0 {
			o.variance = sigma * sigma
		}
		o.variance += f.drift * f.drift * dt * dt
		if m.GetHeader().GetExistenceProbability() > 0 {
			o.existence = m.Header.GetExistenceProbability()
		}
		o.predicted = dt != 0 ||
			m.GetHeader().
				GetMeasurementState() == osi3.DetectedItemHeader_MEASUREMENT_STATE_PREDICTED
		own := message.OrientationOf(base.GetOrientation()).Rotation()
		turned := attitude.Compose(&own)
		o.rest.Base = &osi3.BaseMoving{Dimension: base.GetDimension(),
			Orientation: message.Orientation(turned.Orientation())}
		o.rest.Header = &osi3.DetectedItemHeader{GroundTruthId: m.GetHeader().GetGroundTruthId(),
			SensorId: m.GetHeader().GetSensorId()}
		if len(o.rest.Header.SensorId) == 0 && data.SensorId != nil {
			o.rest.Header.SensorId = []*osi3.Identifier{data.SensorId}
		}
		list = append(list, o)
	}
	return list
}

// merge adds the objects of another sensor to a list.
func (f *fusion) merge(list, others []object) []object {
	before := len(list) // one sensor does not report an object twice
	for _, o := range others {
		k := nearest(before, f.gate, func(k int) (frames.Vector, bool) {
			return list[k].at.Sub(o.at), !list[k].paired
		})
		if k < 0 {
			list = append(list, o)
			continue
		}
		list[k].join(&o)
		f.matched++
	}
	return list
}

// nearest returns the index of the shortest of n vectors that is free and shorter than the gate, or
// -1 if there is none.
func nearest(n int, gate float64, vector func(int) (v frames.Vector, free bool)) int {
	found := -1
	for k := range n {
		if v, free := vector(k); free && v.Length() < gate {
			found, gate = k, v.Length()
		}
	}
	return found
}

// join merges another detection of the same object into o.
func (o *object) join(other *object) {
	share := o.variance / (o.variance + other.variance) // share of the other one
	o.at = o.at.Add(other.at.Sub(o.at).Scale(share))
	switch {
	case o.moves && other.moves:
		o.velocity = o.velocity.Add(other.velocity.Sub(o.velocity).Scale(share))
	case other.moves:
		o.velocity, o.moves = other.velocity, true
	}
	o.variance = share * other.variance
	o.existence = 1 - (1-o.existence)*(1-other.existence)
	o.predicted, o.paired = o.predicted && other.predicted, true
	h, more := o.rest.Header, other.rest.Header
	h.GroundTruthId, h.SensorId = union(h.GroundTruthId, more.GroundTruthId),
		union(h.SensorId, more.SensorId)
}

// union returns the identifiers that are in a or b.
func union(a, b []*osi3.Identifier) []*osi3.Identifier {
	for _, id := range b {
		if !slices.ContainsFunc(a, func(other *osi3.Identifier) bool {
			return other.GetValue() == id.GetValue()
		}) {
			a = append(a, id)
		}
	}
	return a
}

// detected writes o into the remaining fields of its original message.
func (o *object) detected() *osi3.DetectedMovingObject {
	m, state := o.rest, osi3.DetectedItemHeader_MEASUREMENT_STATE_MEASURED
	if o.predicted {
		state = osi3.DetectedItemHeader_MEASUREMENT_STATE_PREDICTED
	}
	m.Header.TrackingId, m.Header.Age = message.ID(o.id), proto.Float64(o.age)
	m.Header.ExistenceProbability, m.Header.MeasurementState = proto.Float64(o.existence), &state
	m.Base.Position = message.Vector(o.at)
	if o.moves {
		m.Base.Velocity = message.Vector(o.velocity)
	}
	sigma := math.Sqrt(o.variance)
	m.BaseRmse = &osi3.BaseMoving{
		Position: message.Vector(frames.Vector{X: sigma, Y: sigma, Z: sigma})}
	return m
}
