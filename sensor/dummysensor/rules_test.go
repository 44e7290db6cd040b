package dummysensor_test

import (
	"fmt"

	"gosmp/proto/osi3"
)

// checker collects what a SensorData does against OSI's own rules (the \rules blocks of the .proto files that concern what this
// model writes): fields that must be set, references that must resolve, ids that must be unique, ranges.
type checker struct{ violations []string }

func (c *checker) require(ok bool, format string, args ...any) {
	if !ok {
		c.violations = append(c.violations, fmt.Sprintf(format, args...))
	}
}

// violations of a SensorData whose SensorView was made by the model.
func violations(m *osi3.SensorData) []string {
	c := &checker{}
	c.require(m.Version != nil, "SensorData.version")
	c.time(m.Timestamp, "SensorData.timestamp")
	c.require(m.SensorId != nil && m.SensorId.Value != nil, "SensorData.sensor_id")
	c.mounting(m.MountingPosition, "SensorData.mounting_position")
	if m.LastMeasurementTime != nil {
		c.time(m.LastMeasurementTime, "SensorData.last_measurement_time")
	}
	if m.SystemTime != nil {
		c.time(m.SystemTime, "SensorData.system_time")
	}
	for _, o := range m.MovingObject {
		c.require(o.Header.GetTrackingId() != nil, "DetectedItemHeader.tracking_id")
	}
	c.require(len(m.SensorView) == 1, "%d SensorViews", len(m.SensorView))
	for _, v := range m.SensorView {
		c.view(v)
	}
	return c.violations
}

func (c *checker) view(v *osi3.SensorView) {
	c.require(v.Version != nil, "SensorView.version")
	c.time(v.Timestamp, "SensorView.timestamp")
	c.require(v.SensorId != nil && v.SensorId.Value != nil, "SensorView.sensor_id")
	c.mounting(v.MountingPosition, "SensorView.mounting_position")
	c.require(v.HostVehicleId != nil, "SensorView.host_vehicle_id")
	c.require(v.GlobalGroundTruth != nil, "SensorView.global_ground_truth")
	truth := v.GetGlobalGroundTruth()
	c.require(truth.GetVersion() != nil, "GroundTruth.version")
	c.time(truth.GetTimestamp(), "GroundTruth.timestamp")
	c.require(truth.GetHostVehicleId() != nil, "GroundTruth.host_vehicle_id")
	ids := map[uint64]int{}
	for _, o := range truth.GetMovingObject() {
		ids[o.GetId().GetValue()]++
		c.object(o)
	}
	for id, n := range ids {
		c.require(n == 1, "MovingObject.id %d is not unique", id)
	}
	for name, id := range map[string]*osi3.Identifier{
		"SensorView": v.HostVehicleId, "GroundTruth": truth.GetHostVehicleId(), "HostVehicleData": v.GetHostVehicleData().GetHostVehicleId(),
	} {
		c.require(ids[id.GetValue()] == 1, "%s.host_vehicle_id refers to no MovingObject", name)
	}
	c.weather(truth.GetEnvironmentalConditions())
}

func (c *checker) object(o *osi3.MovingObject) {
	c.require(o.Id != nil && o.Id.Value != nil, "MovingObject.id")
	c.require(o.Type != nil, "MovingObject.type")
	if o.GetType() == osi3.MovingObject_TYPE_VEHICLE {
		c.require(o.VehicleAttributes != nil, "MovingObject.vehicle_attributes")
		c.require(o.VehicleClassification != nil, "MovingObject.vehicle_classification")
	}
}

func (c *checker) weather(e *osi3.EnvironmentalConditions) {
	if e == nil {
		return
	}
	if e.AtmosphericPressure != nil {
		c.require(*e.AtmosphericPressure >= 80000 && *e.AtmosphericPressure <= 120000, "pressure %v", *e.AtmosphericPressure)
	}
	if e.Temperature != nil {
		c.require(*e.Temperature >= 170 && *e.Temperature <= 340, "temperature %v", *e.Temperature)
	}
	if e.TimeOfDay != nil {
		c.require(e.TimeOfDay.GetSecondsSinceMidnight() < 86400, "seconds_since_midnight %d", e.TimeOfDay.GetSecondsSinceMidnight())
	}
}

func (c *checker) time(t *osi3.Timestamp, place string) {
	c.require(t != nil && t.Seconds != nil && t.Nanos != nil, "%s", place)
	c.require(t.GetNanos() <= 999_999_999, "%s: %d ns", place, t.GetNanos())
}

func (c *checker) mounting(p *osi3.MountingPosition, place string) {
	c.require(p.GetPosition() != nil && p.GetOrientation() != nil, "%s", place)
}
