package main

import (
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// head is the SensorData of a step, still without objects.
func (f *fusion) head(now timebase.Time, views []view) *osi3.SensorData {
	out := &osi3.SensorData{
		Version: message.Version(), Timestamp: message.Time(now), SensorId: message.ID(uint64(f.sensorID)),
		MountingPosition: message.Mounting(frames.Pose{}),
	}
	newest := measured(nil, views[0].data, now)
	for _, v := range views {
		newest = max(newest, measured(nil, v.data, now))
		if f.sensorViews {
			out.SensorView = append(out.SensorView, v.data.SensorView...)
		}
	}
	out.LastMeasurementTime = message.Time(newest)
	return out
}

// listHeader is the header of a fused list; nil when no view has such a list.
func (f *fusion) listHeader(views []view, k kind) *osi3.DetectedEntityHeader {
	var there, usable, whole int
	var newest timebase.Time
	for _, v := range views {
		l := &v.lists[k]
		if !l.there {
			continue
		}
		if there == 0 || l.measured > newest {
			newest = l.measured
		}
		there, usable, whole = there+1, usable+one(l.usable), whole+one(l.whole)
	}
	qualifier := osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE_REDUCED
	switch {
	case there == 0:
		return nil
	case usable == 0:
		qualifier = osi3.DetectedEntityHeader_DATA_QUALIFIER_NOT_AVAILABLE
	case whole == len(f.inputs):
		qualifier = osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE
	}
	return &osi3.DetectedEntityHeader{
		MeasurementTime: message.Time(newest), CycleCounter: proto.Uint64(f.state.Cycle), DataQualifier: &qualifier,
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// asMoving writes o into what is left of the message that it came with.
func (o *object) asMoving() *osi3.DetectedMovingObject {
	m := o.moving
	m.Header, m.Base, m.BaseRmse = o.header(), o.base(m.GetBase()), o.rmse()
	return m
}

// asStationary writes o into what is left of the message that it came with.
func (o *object) asStationary() *osi3.DetectedStationaryObject {
	s, base, rmse := o.stationary, o.base(nil), o.rmse()
	s.Header = o.header()
	s.Base = &osi3.BaseStationary{Dimension: base.Dimension, Position: base.Position, Orientation: base.Orientation,
		BasePolygon: s.GetBase().GetBasePolygon(), BoundingBoxSection: s.GetBase().GetBoundingBoxSection()}
	s.BaseRmse = &osi3.BaseStationary{Dimension: rmse.Dimension, Position: rmse.Position, Orientation: rmse.Orientation}
	return s
}

func (o *object) header() *osi3.DetectedItemHeader {
	state := osi3.DetectedItemHeader_MEASUREMENT_STATE_MEASURED
	if o.predicted {
		state = osi3.DetectedItemHeader_MEASUREMENT_STATE_PREDICTED
	}
	return &osi3.DetectedItemHeader{
		TrackingId: message.ID(o.id), GroundTruthId: identifiers(o.truth), ExistenceProbability: o.existence, Age: &o.age,
		MeasurementState: &state, SensorId: identifiers(o.by),
	}
}

// base is where o is and how it moves. Its outline is in its own frame, and stays.
func (o *object) base(told *osi3.BaseMoving) *osi3.BaseMoving {
	b := &osi3.BaseMoving{BasePolygon: told.GetBasePolygon(), BoundingBoxSection: told.GetBoundingBoxSection()}
	o.fill(b, func(e estimate) (frames.Vector, bool) { return e.Value, e.Known })
	return b
}

// rmse is how sure that is, as far as any sensor has told.
func (o *object) rmse() *osi3.BaseMoving {
	b := &osi3.BaseMoving{}
	o.fill(b, func(e estimate) (frames.Vector, bool) { return e.Cov.deviations(), e.Stated })
	return b
}

func (o *object) fill(b *osi3.BaseMoving, get func(estimate) (v frames.Vector, there bool)) {
	if v, ok := get(o.Dimension); ok {
		b.Dimension = &osi3.Dimension3D{Length: &v.X, Width: &v.Y, Height: &v.Z}
	}
	if v, ok := get(o.Position); ok {
		b.Position = message.Vector(v)
	}
	if v, ok := get(o.Orientation); ok {
		b.Orientation = newAngles(v)
	}
	if v, ok := get(o.Velocity); ok {
		b.Velocity = message.Vector(v)
	}
	if v, ok := get(o.Acceleration); ok {
		b.Acceleration = message.Vector(v)
	}
	if v, ok := get(o.Rate); ok {
		b.OrientationRate = newAngles(v)
	}
}

func newAngles(v frames.Vector) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: &v.X, Pitch: &v.Y, Yaw: &v.Z}
}

func identifiers(ids []uint64) (list []*osi3.Identifier) {
	for _, id := range ids {
		list = append(list, message.ID(id))
	}
	return list
}
