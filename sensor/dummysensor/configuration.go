package dummysensor

import (
	"fmt"
	"math"

	"gosmp/frames"
	"gosmp/internal/state"
	"gosmp/proto/field"
	"gosmp/proto/osi"
	"gosmp/proto/wire"
	"gosmp/sensor/objects"
)

// identity is the sensor's id and mounting position. Each comes from the parameters if set,
// otherwise from the agreed configuration, otherwise from the newest SensorView.
type identity struct {
	sensorID uint64
	mounting frames.Pose // in the vehicle's frame
	// set by a parameter or the configuration; a SensorView does not change it
	fixedID         bool
	mountingIsFixed bool // the same for the mounting position
}

// ownIdentity returns the identity given by the parameters.
func (s *dummySensor) ownIdentity() identity {
	id := identity{sensorID: objects.DefaultSensorID, mounting: s.mounting,
		mountingIsFixed: s.mounting != frames.Pose{}}
	if s.sensorID != idLeftOpen {
		id.sensorID, id.fixedID = uint64(s.sensorID), true
	}
	return id
}

// adopt takes the values that the parameters leave open from the agreed configuration.
func (id *identity) adopt(agreed []byte) error {
	if agreed == nil || id.fixedID && id.mountingIsFixed {
		return nil
	}
	if err := wire.CheckSensorViewConfiguration(agreed); err != nil {
		return fmt.Errorf(
			"OSMPSensorViewInConfig: %d bytes that are not a SensorViewConfiguration: %w",
			len(agreed), err)
	}
	if number, found := wire.FindIdentifier(agreed, field.SensorViewConfigurationSensorId); found &&
		!id.fixedID {
		id.sensorID, id.fixedID = number, true
	}
	if id.mountingIsFixed {
		return nil
	}
	return id.adoptMounting(agreed)
}

func (id *identity) adoptMounting(agreed []byte) error {
	position, orientation, found := wire.FindMountingPosition(agreed,
		field.SensorViewConfigurationMountingPosition)
	if !found {
		return nil
	}
	p := frames.Pose{Position: frames.Vector(position),
		Orientation: frames.Orientation(orientation)}
	if !p.Finite() {
		return fmt.Errorf(
			"%w: OSMPSensorViewInConfig: mounting_position: found %+v, expected finite "+
				"numbers; correct the "+
				"SensorViewConfiguration, or set the parameters mounting.*, which take precedence",
			ErrParameter, p)
	}
	id.mounting, id.mountingIsFixed = p, true
	return nil
}

func (id *identity) appendState(b []byte) []byte {
	b = state.AppendUint64(b, id.sensorID)
	for _, x := range id.numbers() {
		b = state.AppendFloat64(b, *x)
	}
	return b
}

func (id *identity) restoreState(d *state.Decoder) {
	id.sensorID = d.Uint64()
	for _, x := range id.numbers() {
		*x = d.Float64()
	}
}

func (id *identity) numbers() [6]*float64 {
	p, o := &id.mounting.Position, &id.mounting.Orientation
	return [...]*float64{&p.X, &p.Y, &p.Z, &o.Roll, &o.Pitch, &o.Yaw}
}

func appendMounting(b []byte, num wire.Number, p *frames.Pose) []byte {
	return wire.AppendMountingPosition(b, num, wire.Vector3d(p.Position),
		wire.Orientation3d(p.Orientation))
}

// wantedConfiguration returns the SensorView configuration that the sensor requests: everything
// within reach, all around, at its own rate.
func (s *dummySensor) wantedConfiguration() []byte {
	p := s.ownIdentity()
	b := wire.AppendInterfaceVersion(nil, field.SensorViewConfigurationVersion, osi.Major,
		osi.Minor, osi.Patch)
	b = wire.AppendIdentifier(b, field.SensorViewConfigurationSensorId, p.sensorID)
	b = appendMounting(b, field.SensorViewConfigurationMountingPosition, &p.mounting)
	b = wire.AppendDouble(b, field.SensorViewConfigurationFieldOfViewHorizontal, math.Pi)
	b = wire.AppendDouble(b, field.SensorViewConfigurationFieldOfViewVertical, math.Pi)
	b = wire.AppendDouble(b, field.SensorViewConfigurationRange,
		s.objects.rangeFactor*s.nominalRange)
	b = wire.AppendTimestamp(b, field.SensorViewConfigurationUpdateCycleTime, 0, step*1e9)
	b, mark := wire.Begin(b, field.SensorViewConfigurationGenericSensorViewConfiguration)
	b = wire.AppendIdentifier(b, field.GenericSensorViewConfigurationSensorId, p.sensorID)
	b = wire.AppendDouble(b, field.GenericSensorViewConfigurationFieldOfViewHorizontal, math.Pi)
	b = wire.AppendDouble(b, field.GenericSensorViewConfigurationFieldOfViewVertical, math.Pi)
	return wire.End(b, mark)
}
