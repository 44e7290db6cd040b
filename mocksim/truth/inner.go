package truth

import (
	"gosmp/mocksim"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// inner lists the parts of HostVehicleData about the inside of the vehicle. The owner's values for
// a part replace the simulator's.
var inner = [...]wire.Number{field.HostVehicleDataVehicleBasics,
	field.HostVehicleDataVehiclePowertrain, field.HostVehicleDataVehicleBrakeSystem,
	field.HostVehicleDataVehicleSteering, field.HostVehicleDataVehicleWheels}

// appendInner writes the parts.
func appendInner(b []byte, v mocksim.View, s *mocksim.State, shape *mocksim.Shape,
	look *Look) []byte {
	said := v.Extra().Internal
	for _, num := range inner {
		before := len(b)
		if b = appendFields(b, said, num); len(b) > before {
			continue
		}
		var at int
		b, at = wire.Begin(b, num)
		switch num {
		case field.HostVehicleDataVehicleBasics:
			b = appendBasics(b, shape)
		case field.HostVehicleDataVehiclePowertrain:
			b = appendPowertrain(b, s)
		case field.HostVehicleDataVehicleBrakeSystem:
			b = wire.AppendDouble(b, field.HostVehicleDataVehicleBrakeSystemPedalPositionBrake,
				min(s.Brake, 1))
		case field.HostVehicleDataVehicleSteering:
			b = appendSteering(b, s)
		case field.HostVehicleDataVehicleWheels:
			b = appendWheels(b, look.Wheels, s)
		}
		b = wire.End(b, at)
	}
	return appendFields(b, said, field.HostVehicleDataVehicleAutomatedDrivingFunction)
}

// appendFields copies the fields with a number, including their keys.
func appendFields(b, message []byte, num wire.Number) []byte {
	for i := 0; i < len(message); {
		key, _, hi := wire.Field(message, i)
		if hi < 0 {
			return b
		}
		if key.Number() == num {
			b = append(b, message[i:hi]...)
		}
		i = hi
	}
	return b
}

func appendBasics(b []byte, shape *mocksim.Shape) []byte {
	const driving = 6 // OPERATING_STATE_DRIVING
	b = wire.AppendDouble(b, field.HostVehicleDataVehicleBasicsCurbWeight, shape.Mass)
	return wire.AppendInt32(b, field.HostVehicleDataVehicleBasicsOperatingState, driving)
}

func appendPowertrain(b []byte, s *mocksim.State) []byte {
	b = wire.AppendDouble(b, field.HostVehicleDataVehiclePowertrainPedalPositionAcceleration,
		min(s.Throttle, 1))
	return wire.AppendInt32(b, field.HostVehicleDataVehiclePowertrainGearTransmission,
		int32(s.Gear))
}

func appendSteering(b []byte, s *mocksim.State) []byte {
	const angle = 1 // of the steering wheel
	b, at := wire.Begin(b, field.HostVehicleDataVehicleSteeringVehicleSteeringWheel)
	return wire.End(wire.AppendDouble(b, angle, s.Steering*steeringRatio), at)
}

func appendWheels(b []byte, n uint64, s *mocksim.State) []byte {
	for k := range n {
		var at int
		b, at = wire.Begin(b, field.HostVehicleDataVehicleWheelsWheelData)
		b = wire.AppendUint64(b, field.HostVehicleDataVehicleWheelsWheelDataAxle, k/2)
		b = wire.AppendUint64(b, field.HostVehicleDataVehicleWheelsWheelDataIndex, k%2)
		b = wire.AppendDouble(b, field.HostVehicleDataVehicleWheelsWheelDataRotationRate,
			s.Speed/wheelRadius)
		b = wire.End(b, at)
	}
	return b
}
