package dummysensor

import (
	"fmt"
	"math"

	"gosmp/frames"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// identity is what all SensorData of an instance have in common.
type identity struct {
	sensorID   uint64
	mounting   frames.Pose // in the vehicle's frame
	configured bool        // the mounting position comes from parameters or configuration, not from the SensorView
}

// ownIdentity is what the user has set about the sensor itself.
func (s *dummySensor) ownIdentity() identity {
	return identity{sensorID: uint64(s.sensorID), mounting: s.mounting, configured: s.mounting != frames.Pose{}}
}

// adopt settles the mounting position: the parameters if they were changed, else the agreed configuration, else, step by step,
// the SensorView.
func (id *identity) adopt(parameters identity, agreed []byte) error {
	*id = parameters
	if id.configured || agreed == nil {
		return nil
	}
	if err := wire.CheckSensorViewConfiguration(agreed); err != nil {
		return fmt.Errorf("OSMPSensorViewInConfig: %d bytes that are no SensorViewConfiguration: %w", len(agreed), err)
	}
	position, orientation, found, err := wire.FindMountingPosition(agreed, field.SensorViewConfigurationMountingPosition)
	if err != nil || !found {
		return err
	}
	p := frames.Pose{Position: frames.Vector(position), Orientation: frames.Orientation(orientation)}
	if !p.Finite() {
		return fmt.Errorf("%w: OSMPSensorViewInConfig: mounting_position: found %+v, expected finite numbers; correct the "+
			"SensorViewConfiguration, or set the parameters mounting.*, which go first", ErrParameter, p)
	}
	id.mounting, id.configured = p, true
	return nil
}

func appendMounting(b []byte, num wire.Number, p *frames.Pose) []byte {
	return wire.AppendMountingPosition(b, num, wire.Vector3d(p.Position), wire.Orientation3d(p.Orientation))
}

// wantedConfiguration is the SensorView that the sensor would like: everything within reach, all around, at its own rate.
func (s *dummySensor) wantedConfiguration() []byte {
	p := s.ownIdentity()
	b := wire.AppendInterfaceVersion(nil, field.SensorViewConfigurationVersion, osiMajor, osiMinor, osiPatch)
	b = wire.AppendIdentifier(b, field.SensorViewConfigurationSensorId, p.sensorID)
	b = appendMounting(b, field.SensorViewConfigurationMountingPosition, &p.mounting)
	b = wire.AppendDouble(b, field.SensorViewConfigurationFieldOfViewHorizontal, math.Pi)
	b = wire.AppendDouble(b, field.SensorViewConfigurationFieldOfViewVertical, math.Pi)
	b = wire.AppendDouble(b, field.SensorViewConfigurationRange, s.objects.rangeFactor*s.nominalRange)
	b = wire.AppendTimestamp(b, field.SensorViewConfigurationUpdateCycleTime, 0, step*1e9)
	b, mark := wire.Begin(b, field.SensorViewConfigurationGenericSensorViewConfiguration)
	b = wire.AppendIdentifier(b, field.GenericSensorViewConfigurationSensorId, p.sensorID)
	b = wire.AppendDouble(b, field.GenericSensorViewConfigurationFieldOfViewHorizontal, math.Pi)
	b = wire.AppendDouble(b, field.GenericSensorViewConfigurationFieldOfViewVertical, math.Pi)
	return wire.End(b, mark)
}
