package dummysensor

import (
	"fmt"

	"gosmp/proto/field"
	"gosmp/proto/osi"
	"gosmp/proto/wire"
	"gosmp/sensor/objects"
	"gosmp/sensor/replay"
	"gosmp/timebase"
)

// Values of OSI's enumerations.
const objectTypeVehicle, classificationTypeOther = 2, 1

// syntheticHostID is the id of the vehicle in the SensorView that is created when none is
// connected. It is outside the range of the parameter sensorId.
const syntheticHostID = 1 << 32

// emit outputs the SensorData of a step; the SensorView is nil if there is none. A step without
// samples and without a SensorView has no output.
func (s *dummySensor) emit(span timebase.Span, view []byte) error {
	s.valid, s.count = false, 0
	sampler := s.program.sampler
	if view == nil {
		s.detector.SkipStep()
		if !s.started() {
			return nil
		}
	} else {
		s.identity.sensorID, s.identity.mounting = s.detector.SensorID(), s.detector.Mounting()
	}
	d := sensorData{identity: s.identity, at: span.End, estimate: &s.estimate}
	s.estimate = replay.Estimate{}
	if s.started() {
		s.estimate = s.estimator.Estimate(sampler)
		d.measured, d.hasMeasured = sampler.Newest, true
	}
	if view != nil {
		d.look(s.detector, &s.result)
		d.location = hostLocation(view)
		d.known = s.program.isLive() && d.location != nil
	}
	var b []byte
	if view != nil {
		s.head = wire.AppendPrefix(d.appendHead(s.head[:0]), field.SensorDataSensorView, len(view))
		if err := s.data.Fits(len(s.head) + len(view)); err != nil { // before copying gigabytes
			return fmt.Errorf("%w; the SensorView to pass on has %d", err, len(view))
		}
		b = s.data.Enclose(s.head, s.view)
	} else {
		b = d.appendView(d.appendHead(s.data.Buffer()))
	}
	if err := s.data.Publish(d.appendTail(b)); err != nil {
		return err
	}
	s.valid, s.count = true, saturated(int64(d.moving))
	return nil
}

// sensorData is a SensorData under construction.
type sensorData struct {
	identity
	at       timebase.Time
	estimate *replay.Estimate
	detector *objects.Detector // nil without a SensorView
	moving   int               // detected moving objects
	location []byte            // of the host vehicle, from the SensorView; nil without one
	known    bool              // location goes beyond the estimate from the vehicle's sensors

	measured    timebase.Time // the newest measurement used
	hasMeasured bool
}

// look takes over the objects detected in the SensorView.
func (s *sensorData) look(d *objects.Detector, found *objects.Result) {
	s.detector, s.moving = d, found.Moving
	if !s.hasMeasured || found.Measured > s.measured {
		s.measured, s.hasMeasured = found.Measured, true
	}
}

// hostLocation returns the location of the host vehicle stated in a SensorView.
func hostLocation(view []byte) []byte {
	host, found := wire.First(view, field.SensorViewHostVehicleData)
	if !found {
		return nil
	}
	location, _ := wire.First(host, field.HostVehicleDataLocation)
	return location
}

// appendHead appends the fields before the SensorView: ascending field order makes the bytes
// canonical. The location of the host vehicle is in the world frame, although OSI's comment names
// the sensor frame; docs/RATIONALE.md gives the reason.
func (s *sensorData) appendHead(b []byte) []byte {
	b = appendVersion(b, field.SensorDataVersion)
	b = appendTime(b, field.SensorDataTimestamp, s.at)
	switch {
	case s.estimate.HasBaseMoving() && !s.known:
		b = s.estimate.AppendBaseMoving(b, field.SensorDataHostVehicleLocation)
	case s.location != nil:
		b = wire.AppendBytes(b, field.SensorDataHostVehicleLocation, s.location)
	}
	if s.estimate.HasRMSE() && !s.known {
		b = s.estimate.AppendRMSE(b, field.SensorDataHostVehicleLocationRmse)
	}
	b = wire.AppendIdentifier(b, field.SensorDataSensorId, s.sensorID)
	return appendMounting(b, field.SensorDataMountingPosition, &s.mounting)
}

// appendTail appends the fields after the SensorView.
func (s *sensorData) appendTail(b []byte) []byte {
	if s.hasMeasured {
		b = appendTime(b, field.SensorDataLastMeasurementTime, s.measured)
	}
	if s.detector != nil {
		b = s.detector.AppendMovingObjects(s.detector.AppendStationaryObjects(b))
	}
	if s.estimate.HasUTC {
		b = s.estimate.AppendUTC(b, field.SensorDataSystemTime)
	}
	return b
}

// appendView appends a SensorView of our own: the minimum that satisfies OSI's rules, plus the
// parts of the recording that do not fit elsewhere.
func (s *sensorData) appendView(b []byte) []byte {
	b, view := wire.Begin(b, field.SensorDataSensorView)
	b = appendVersion(b, field.SensorViewVersion)
	b = appendTime(b, field.SensorViewTimestamp, s.at)
	b = wire.AppendIdentifier(b, field.SensorViewSensorId, s.sensorID)
	b = appendMounting(b, field.SensorViewMountingPosition, &s.mounting)
	b = s.appendHostVehicleData(b)
	b = s.appendGroundTruth(b)
	b = wire.AppendIdentifier(b, field.SensorViewHostVehicleId, syntheticHostID)
	return wire.End(b, view)
}

func (s *sensorData) appendHostVehicleData(b []byte) []byte {
	b, host := wire.Begin(b, field.SensorViewHostVehicleData)
	if s.estimate.HasBaseMoving() { // readers of OSI up to 3.3 support only the deprecated pair
		b = s.estimate.AppendBaseMoving(b, field.HostVehicleDataLocation)
	}
	if s.estimate.HasRMSE() {
		b = s.estimate.AppendRMSE(b, field.HostVehicleDataLocationRmse)
	}
	if s.estimate.HasFix {
		b = s.estimate.AppendLocalization(b, field.HostVehicleDataVehicleLocalization)
	}
	b = appendVersion(b, field.HostVehicleDataVersion)
	b = appendTime(b, field.HostVehicleDataTimestamp, s.at)
	b = wire.AppendIdentifier(b, field.HostVehicleDataHostVehicleId, syntheticHostID)
	if s.estimate.HasMotion() {
		b = s.estimate.AppendMotion(b, field.HostVehicleDataVehicleMotion)
	}
	return wire.End(b, host)
}

func (s *sensorData) appendGroundTruth(b []byte) []byte {
	b, truth := wire.Begin(b, field.SensorViewGlobalGroundTruth)
	b = appendVersion(b, field.GroundTruthVersion)
	b = appendTime(b, field.GroundTruthTimestamp, s.at)
	b = wire.AppendIdentifier(b, field.GroundTruthHostVehicleId, syntheticHostID)
	b = s.appendHostObject(b)
	if s.estimate.HasEnvironment() {
		b = s.estimate.AppendEnvironment(b, field.GroundTruthEnvironmentalConditions)
	}
	if s.estimate.HasFix {
		b = wire.AppendString(b, field.GroundTruthProjString, s.estimate.ProjString)
	}
	return wire.End(b, truth)
}

// appendHostObject appends the host vehicle, to which host_vehicle_id must refer.
func (s *sensorData) appendHostObject(b []byte) []byte {
	b, object := wire.Begin(b, field.GroundTruthMovingObject)
	b = wire.AppendIdentifier(b, field.MovingObjectId, syntheticHostID)
	if s.estimate.HasBaseMoving() {
		b = s.estimate.AppendBaseMoving(b, field.MovingObjectBase)
	}
	b = wire.AppendInt32(b, field.MovingObjectType, objectTypeVehicle)
	b, attributes := wire.Begin(b, field.MovingObjectVehicleAttributes)
	b = wire.End(b, attributes)
	b, classification := wire.Begin(b, field.MovingObjectVehicleClassification)
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationType, classificationTypeOther)
	b = wire.End(b, classification)
	return wire.End(b, object)
}

func appendVersion(b []byte, num wire.Number) []byte {
	return wire.AppendInterfaceVersion(b, num, osi.Major, osi.Minor, osi.Patch)
}

func appendTime(b []byte, num wire.Number, t timebase.Time) []byte {
	seconds, nanos := t.Split()
	return wire.AppendTimestamp(b, num, seconds, nanos)
}
