package dummysensor

import (
	"fmt"

	"gosmp/fmu"
	"gosmp/osmp"
	"gosmp/proto/wire"
	"gosmp/sensor/objects"
	"gosmp/sensor/replay"
	"gosmp/timebase"
)

// Field numbers (OSI 3.8.0).
const (
	dataVersion, dataTimestamp, dataHostLocation, dataHostLocationRMSE = 1, 2, 3, 4
	dataSensorID, dataMountingPosition, dataSensorView                 = 5, 6, 8
	dataLastMeasurementTime, dataSystemTime                            = 9, 29

	viewVersion, viewTimestamp, viewSensorID, viewMountingPosition = 1, 2, 3, 4
	viewHostVehicleData, viewGroundTruth, viewHostVehicleID        = 6, 7, 8

	truthVersion, truthTimestamp, truthHostVehicleID, truthMovingObject = 1, 2, 3, 5
	truthEnvironment, truthProjString                                   = 12, 14

	objectID, objectBase, objectType, objectVehicleAttributes, objectVehicleClassification = 1, 2, 3, 5, 6
	objectTypeVehicle, classificationType, classificationTypeOther                         = 2, 1, 1

	hostLocation, hostLocationRMSE, hostLocalization, hostVersion = 1, 2, 8, 9
	hostTimestamp, hostVehicleID, hostMotion                      = 10, 11, 13

	configVersion, configSensorID, configMountingPosition                    = 1, 2, 3
	configFieldOfViewHorizontal, configFieldOfViewVertical, configRange      = 5, 6, 7
	configUpdateCycleTime, configGeneric                                     = 8, 1000
	genericSensorID, genericFieldOfViewHorizontal, genericFieldOfViewVertcal = 1, 4, 5
)

// syntheticHostID is the id of the vehicle in the SensorView that is made when none is connected. It lies beyond the ids that the
// parameter sensorId can take.
const syntheticHostID = 1 << 32

// emit makes the SensorData of a step; the SensorView is nil when there is none. A step without a sample and without a SensorView
// has nothing to say.
func (m *model) emit(span timebase.Span, view []byte) error {
	sampler := m.program.sampler
	if view == nil && !sampler.Started {
		m.data.Clear()
		m.announce(false, 0)
		return nil
	}
	s := sensorData{identity: m.identity, at: span.End, estimate: m.estimator.Estimate(sampler)}
	s.measured, s.hasMeasured = sampler.Newest, sampler.Started
	if view != nil {
		if err := s.look(m, view); err != nil {
			return err // the SensorView has been examined, so that this cannot happen
		}
	}
	b := s.appendHead(m.data.Buffer())
	if view != nil {
		b = wire.AppendBytes(b, dataSensorView, view)
	} else {
		b = s.appendView(b)
	}
	b = s.appendTail(b)
	if err := m.data.Publish(b); err != nil {
		m.announce(false, 0)
		return fmt.Errorf("OSMPSensorDataOut: %w", err)
	}
	m.announce(true, int64(s.moving))
	return nil
}

// takeView gives the SensorView that was set for this step, nil when there is none. Trouble is told once per kind and run.
func (m *model) takeView() []byte {
	view, presence := m.view.Take()
	m.unusable = presence == osmp.Expired || presence == osmp.Contradiction
	switch {
	case presence == osmp.Expired && m.reports.first(troubleExpired):
		m.host.Log(fmu.Warning, logOSMP, "OSMPSensorViewIn: the address was set for an earlier step and is not read again, because "+
			"its buffer may be gone (OSMP, lifetime of inputs); set the three variables before every step, or to 0")
	case presence == osmp.Contradiction && m.reports.first(troubleContradiction):
		m.host.Log(fmu.Warning, logOSMP, fmt.Sprintf("OSMPSensorViewIn: %v, which counts as no data; set base.lo, base.hi and size "+
			"together, all to 0 for no data", m.view.Contradiction()))
	}
	if presence != osmp.Data {
		return nil
	}
	return view
}

// announce sets the plain outputs that tell about the message.
func (m *model) announce(valid bool, moving int64) {
	m.host.Values.Booleans[m.vars.valid] = valid
	m.host.Values.Integers[m.vars.count] = saturated(moving)
}

// sensorData is a SensorData in the making.
type sensorData struct {
	identity
	at       timebase.Time
	estimate replay.Estimate
	detector *objects.Detector // nil when nothing was looked at
	moving   int               // detected moving objects

	measured    timebase.Time // the newest measurement used
	hasMeasured bool
}

// look takes what the SensorView has to say about the sensor and what was detected in it.
func (s *sensorData) look(m *model, view []byte) error {
	if m.detector == nil {
		if s.configured {
			return nil
		}
		_, err := readMounting(&s.mounting, view, viewMountingPosition)
		return err
	}
	s.detector, s.moving, s.mounting = m.detector, m.result.Moving, m.detector.Mounting()
	if !s.hasMeasured || m.result.Measured > s.measured {
		s.measured, s.hasMeasured = m.result.Measured, true
	}
	return nil
}

// appendHead appends what comes before the SensorView: fields in ascending order make the bytes canonical.
func (s *sensorData) appendHead(b []byte) []byte {
	b = appendVersion(b, dataVersion)
	b = appendTime(b, dataTimestamp, s.at)
	if s.estimate.HasBaseMoving() {
		b = s.estimate.AppendBaseMoving(b, dataHostLocation)
	}
	if s.estimate.HasRMSE() {
		b = s.estimate.AppendRMSE(b, dataHostLocationRMSE)
	}
	b = wire.AppendIdentifier(b, dataSensorID, s.sensorID)
	return appendMounting(b, dataMountingPosition, &s.mounting)
}

// appendTail appends what comes after the SensorView.
func (s *sensorData) appendTail(b []byte) []byte {
	if s.hasMeasured {
		b = appendTime(b, dataLastMeasurementTime, s.measured)
	}
	if s.detector != nil {
		b = s.detector.AppendMovingObjects(s.detector.AppendStationaryObjects(b))
	}
	if s.estimate.HasUTC {
		b = s.estimate.AppendUTC(b, dataSystemTime)
	}
	return b
}

// appendView appends a SensorView of our own: the least that obeys OSI's rules, and the recording in the places that are nowhere
// else.
func (s *sensorData) appendView(b []byte) []byte {
	b, view := wire.Begin(b, dataSensorView)
	b = appendVersion(b, viewVersion)
	b = appendTime(b, viewTimestamp, s.at)
	b = wire.AppendIdentifier(b, viewSensorID, s.sensorID)
	b = appendMounting(b, viewMountingPosition, &s.mounting)
	b = s.appendHostVehicleData(b)
	b = s.appendGroundTruth(b)
	b = wire.AppendIdentifier(b, viewHostVehicleID, syntheticHostID)
	return wire.End(b, view)
}

func (s *sensorData) appendHostVehicleData(b []byte) []byte {
	b, host := wire.Begin(b, viewHostVehicleData)
	if s.estimate.HasBaseMoving() { // the deprecated pair is all that readers of OSI up to 3.3 know
		b = s.estimate.AppendBaseMoving(b, hostLocation)
	}
	if s.estimate.HasRMSE() {
		b = s.estimate.AppendRMSE(b, hostLocationRMSE)
	}
	if s.estimate.HasFix {
		b = s.estimate.AppendLocalization(b, hostLocalization)
	}
	b = appendVersion(b, hostVersion)
	b = appendTime(b, hostTimestamp, s.at)
	b = wire.AppendIdentifier(b, hostVehicleID, syntheticHostID)
	if s.estimate.HasMotion() {
		b = s.estimate.AppendMotion(b, hostMotion)
	}
	return wire.End(b, host)
}

func (s *sensorData) appendGroundTruth(b []byte) []byte {
	b, truth := wire.Begin(b, viewGroundTruth)
	b = appendVersion(b, truthVersion)
	b = appendTime(b, truthTimestamp, s.at)
	b = wire.AppendIdentifier(b, truthHostVehicleID, syntheticHostID)
	b = s.appendHostObject(b)
	if s.estimate.HasEnvironment() {
		b = s.estimate.AppendEnvironment(b, truthEnvironment)
	}
	if s.estimate.HasFix {
		b = wire.AppendString(b, truthProjString, s.estimate.ProjString)
	}
	return wire.End(b, truth)
}

// appendHostObject appends the host vehicle, which host_vehicle_id must refer to.
func (s *sensorData) appendHostObject(b []byte) []byte {
	b, object := wire.Begin(b, truthMovingObject)
	b = wire.AppendIdentifier(b, objectID, syntheticHostID)
	if s.estimate.HasBaseMoving() {
		b = s.estimate.AppendBaseMoving(b, objectBase)
	}
	b = wire.AppendInt32(b, objectType, objectTypeVehicle)
	b, attributes := wire.Begin(b, objectVehicleAttributes)
	b = wire.End(b, attributes)
	b, classification := wire.Begin(b, objectVehicleClassification)
	b = wire.AppendInt32(b, classificationType, classificationTypeOther)
	b = wire.End(b, classification)
	return wire.End(b, object)
}

func appendVersion(b []byte, num wire.Number) []byte {
	return wire.AppendInterfaceVersion(b, num, osiMajor, osiMinor, osiPatch)
}

func appendTime(b []byte, num wire.Number, t timebase.Time) []byte {
	seconds, nanos := t.Split()
	return wire.AppendTimestamp(b, num, seconds, nanos)
}
