package dummysensor

import (
	"fmt"

	"gosmp/fmu"
	"gosmp/osmp"
	"gosmp/proto/wire"
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
		m.setValid(false)
		return nil
	}
	s := sensorData{identity: m.identity, at: span.End, sampler: sampler, estimate: m.estimator.Estimate(sampler)}
	if view != nil && !s.configured {
		if _, err := s.mounting.read(view, viewMountingPosition); err != nil {
			return err // takeView has checked the view, so that this cannot happen
		}
	}
	b := s.appendHead(m.data.Buffer())
	if view != nil {
		b = wire.AppendBytes(b, dataSensorView, view)
	} else {
		b = s.appendView(b)
	}
	b = s.appendTail(b)
	err := m.data.Publish(b)
	m.setValid(err == nil)
	if err != nil {
		return fmt.Errorf("OSMPSensorDataOut: %w", err)
	}
	return nil
}

// takeView gives the SensorView of this step, nil when there is none that can be used. Trouble is told once per kind and run.
func (m *model) takeView() (view []byte, trouble error) {
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
		return nil, nil
	}
	if err := wire.CheckSensorView(view); err != nil {
		m.unusable = true
		if m.reports.first(troubleUndecodable) {
			return nil, fmu.AsWarning(fmt.Errorf("OSMPSensorViewIn: %d bytes that are no SensorView: %w; the step goes on without it, "+
				"later ones are ignored silently", len(view), err))
		}
		return nil, nil
	}
	m.reports.seen = true
	return view, nil
}

func (m *model) setValid(valid bool) { m.host.Values.Booleans[m.vars.valid] = valid }

// sensorData is a SensorData in the making.
type sensorData struct {
	identity
	at       timebase.Time
	estimate replay.Estimate
	sampler  *replay.Sampler
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
	return s.mounting.append(b, dataMountingPosition)
}

// appendTail appends what comes after the SensorView.
func (s *sensorData) appendTail(b []byte) []byte {
	if s.sampler.Started {
		b = appendTime(b, dataLastMeasurementTime, s.sampler.Newest)
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
	b = s.mounting.append(b, viewMountingPosition)
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
