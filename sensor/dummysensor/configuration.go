package dummysensor

import (
	"fmt"
	"math"

	"gosmp/proto/wire"
)

// rangeFactor says how much farther than its nominal range the sensor sees.
const rangeFactor = 1.1

// identity is what all SensorData of an instance have in common.
type identity struct {
	sensorID   uint64
	mounting   mounting
	configured bool // the mounting position comes from parameters or configuration, not from the SensorView
}

// mounting is where the sensor sits in the vehicle's frame, in metres and radians.
type mounting struct {
	position    wire.Vector3d
	orientation wire.Orientation3d
}

// parameters reads what the user has set about the sensor itself.
func (m *model) parameters() identity {
	v, p := m.host.Values, &m.vars.mounting
	mount := mounting{
		wire.Vector3d{X: v.Reals[p.x], Y: v.Reals[p.y], Z: v.Reals[p.z]},
		wire.Orientation3d{Roll: v.Reals[p.roll], Pitch: v.Reals[p.pitch], Yaw: v.Reals[p.yaw]},
	}
	return identity{
		sensorID: uint64(v.Integers[m.vars.sensorID]), mounting: mount, configured: mount != mounting{},
	}
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
	found, err := id.mounting.read(agreed, configMountingPosition)
	if err != nil {
		return err
	}
	id.configured = found
	return nil
}

// read takes the mounting position from field num of a message.
func (mt *mounting) read(b []byte, num wire.Number) (found bool, err error) {
	position, orientation, found, err := wire.FindMountingPosition(b, num)
	if found {
		*mt = mounting{position, orientation}
	}
	return found, err
}

func (mt *mounting) append(b []byte, num wire.Number) []byte {
	return wire.AppendMountingPosition(b, num, mt.position, mt.orientation)
}

// wantedConfiguration is the SensorView that the sensor would like: everything within reach, all around, at its own rate.
func (m *model) wantedConfiguration() []byte {
	p := m.parameters()
	b := wire.AppendInterfaceVersion(nil, configVersion, osiMajor, osiMinor, osiPatch)
	b = wire.AppendIdentifier(b, configSensorID, p.sensorID)
	b = p.mounting.append(b, configMountingPosition)
	b = wire.AppendDouble(b, configFieldOfViewHorizontal, math.Pi)
	b = wire.AppendDouble(b, configFieldOfViewVertical, math.Pi)
	b = wire.AppendDouble(b, configRange, rangeFactor*m.host.Values.Reals[m.vars.nominalRange])
	b = wire.AppendTimestamp(b, configUpdateCycleTime, 0, step*1e9)
	b, mark := wire.Begin(b, configGeneric)
	b = wire.AppendIdentifier(b, genericSensorID, p.sensorID)
	b = wire.AppendDouble(b, genericFieldOfViewHorizontal, math.Pi)
	b = wire.AppendDouble(b, genericFieldOfViewVertcal, math.Pi)
	return wire.End(b, mark)
}
