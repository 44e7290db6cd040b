package main

import (
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/model"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// fog is the model.
type fog struct {
	model.Stateless
	in  *model.Input
	out *model.Output

	visibility, contrast, threshold float64

	sight                     float64
	valid                     bool
	moving, stationary, signs int32
}

// Setup computes the sight range that can be read before the first step.
func (f *fog) Setup(model.Environment) error {
	f.sight = f.sightRange()
	return nil
}

// Step applies the fog to one SensorView.
func (f *fog) Step(timebase.Span) error {
	f.sight = f.sightRange()
	f.valid, f.moving, f.stationary, f.signs = false, 0, 0, 0
	view := &osi3.SensorView{}
	if !message.Read(f.in, view) {
		return nil
	}
	if truth := view.GetGlobalGroundTruth(); truth != nil {
		host, eye, err := lookout(view)
		if err != nil {
			f.in.Reject(err)
			return nil
		}
		f.hide(truth, host, surroundings{eye, f.sight})
		setFog(truth, f.visibility)
	}
	f.weaken(view.GetLidarSensorView())
	f.valid = true
	return message.Publish(f.out, view)
}

var ln20 = math.Log(20) // 5 % of the light is left after the visibility

// sightRange returns the distance at which an object is still visible (Koschmieder). An object with
// less contrast than the sensor needs is not visible at all.
func (f *fog) sightRange() float64 {
	return max(0, f.visibility*math.Log(f.contrast/f.threshold)/ln20)
}

// hide drops objects out of sight, and the references to them. The host vehicle stays, because the
// sensor is on it.
func (f *fog) hide(truth *osi3.GroundTruth, host *osi3.MovingObject, around surroundings) {
	gone := map[uint64]bool{}
	hidden := func(id *osi3.Identifier, b box) bool {
		far := !around.sees(b)
		if far && id != nil {
			gone[id.GetValue()] = true
		}
		return far
	}
	truth.MovingObject, f.moving = drop(truth.MovingObject, func(o *osi3.MovingObject) bool {
		return o != host && hidden(o.GetId(), o.GetBase())
	})
	truth.StationaryObject, f.stationary = drop(truth.StationaryObject,
		func(o *osi3.StationaryObject) bool {
			return hidden(o.GetId(), o.GetBase())
		})
	truth.TrafficSign, f.signs = drop(truth.TrafficSign, func(s *osi3.TrafficSign) bool {
		return hidden(s.GetId(), s.GetMainSign().GetBase())
	})
	forget(truth, gone)
}

// forget removes the references to dropped objects.
func forget(truth *osi3.GroundTruth, gone map[uint64]bool) {
	for _, o := range truth.MovingObject {
		if c := o.GetVehicleClassification(); c.GetTrailerId() != nil &&
			gone[c.GetTrailerId().GetValue()] {
			c.HasTrailer, c.TrailerId = proto.Bool(false), nil
		}
	}
	for _, b := range truth.LaneBoundary {
		if c := b.GetClassification(); c != nil {
			c.LimitingStructureId, _ = drop(c.LimitingStructureId, func(id *osi3.Identifier) bool {
				return gone[id.GetValue()]
			})
		}
	}
}

const (
	speedOfLight = 299792458.0 // m/s
	decibel      = 10.0        // of a ratio of powers, per power of ten
)

// weaken reduces lidar reflections by what the fog absorbs and scatters on the way there and back.
func (f *fog) weaken(views []*osi3.LidarSensorView) {
	perMetre := decibel * math.Log10(20) / f.visibility
	for _, v := range views {
		for _, r := range v.GetReflection() {
			if r.SignalStrength != nil && r.TimeOfFlight != nil {
				*r.SignalStrength -= float64(perMetre * speedOfLight * *r.TimeOfFlight)
			}
		}
	}
}

// classes lists OSI's fog classes, each with the visibility in m below which it ends.
var classes = [...]struct {
	end   float64
	class osi3.EnvironmentalConditions_Fog
}{
	{50, osi3.EnvironmentalConditions_FOG_DENSE},
	{200, osi3.EnvironmentalConditions_FOG_THICK},
	{1000, osi3.EnvironmentalConditions_FOG_LIGHT},
	{2000, osi3.EnvironmentalConditions_FOG_MIST},
	{4000, osi3.EnvironmentalConditions_FOG_POOR_VISIBILITY},
	{10000, osi3.EnvironmentalConditions_FOG_MODERATE_VISIBILITY},
	{40000, osi3.EnvironmentalConditions_FOG_GOOD_VISIBILITY},
	{math.Inf(1), osi3.EnvironmentalConditions_FOG_EXCELLENT_VISIBILITY},
}

// setFog sets the visibility in the ground truth.
func setFog(truth *osi3.GroundTruth, visibility float64) {
	if truth.EnvironmentalConditions == nil {
		truth.EnvironmentalConditions = &osi3.EnvironmentalConditions{}
	}
	for _, c := range classes {
		if visibility < c.end {
			truth.EnvironmentalConditions.Fog = c.class.Enum()
			return
		}
	}
}
