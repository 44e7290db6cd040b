package replay

import (
	"gosmp/frames"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// AppendBaseMoving appends the estimate as field num of type BaseMoving: position, yaw, velocity,
// acceleration and rates in the world frame. Acceleration requires the yaw; rates are copied,
// because the axes of a level vehicle have the same rates.
func (est *Estimate) AppendBaseMoving(b []byte, num wire.Number) []byte {
	b, mark := wire.Begin(b, num)
	if est.HasFix {
		b = appendVector(b, field.BaseMovingPosition, est.Position)
	}
	b = est.appendYaw(b, field.BaseMovingOrientation)
	if est.HasVelocity {
		b = appendVector(b, field.BaseMovingVelocity, est.Velocity)
	}
	if a, known := est.worldAcceleration(); known {
		b = appendVector(b, field.BaseMovingAcceleration, a)
	}
	if est.HasRate {
		b = wire.AppendOrientation3d(b, field.BaseMovingOrientationRate, est.Rate.X, est.Rate.Y,
			est.Rate.Z)
	}
	return wire.End(b, mark)
}

// HasRMSE reports whether the receiver states at least one accuracy.
func (est *Estimate) HasRMSE() bool {
	return est.HorizontalRMSE != 0 || est.VerticalRMSE != 0 || est.VelocityRMSE != 0 ||
		est.YawRMSE != 0
}

// AppendRMSE appends the accuracies as field num of type BaseMoving, each in the field of its
// quantity.
func (est *Estimate) AppendRMSE(b []byte, num wire.Number) []byte {
	b, mark := wire.Begin(b, num)
	b = est.appendPositionRMSE(b)
	if est.YawRMSE != 0 {
		b = appendYaw(b, field.BaseMovingOrientation, est.YawRMSE)
	}
	if v := est.VelocityRMSE; v != 0 {
		b = appendVector(b, field.BaseMovingVelocity, frames.Vector{X: v, Y: v, Z: v})
	}
	return wire.End(b, mark)
}

// appendPositionRMSE omits coordinates of unknown accuracy: a 0 would mean that they are exact.
func (est *Estimate) appendPositionRMSE(b []byte) []byte {
	if est.HorizontalRMSE == 0 && est.VerticalRMSE == 0 {
		return b
	}
	b, mark := wire.Begin(b, field.BaseMovingPosition)
	if est.HorizontalRMSE != 0 {
		b = wire.AppendDouble(b, field.Vector3dX, est.HorizontalRMSE)
		b = wire.AppendDouble(b, field.Vector3dY, est.HorizontalRMSE)
	}
	if est.VerticalRMSE != 0 {
		b = wire.AppendDouble(b, field.Vector3dZ, est.VerticalRMSE)
	}
	return wire.End(b, mark)
}

// AppendLocalization appends position, yaw and geodetic position as field num of type
// VehicleLocalization.
func (est *Estimate) AppendLocalization(b []byte, num wire.Number) []byte {
	b, mark := wire.Begin(b, num)
	b = appendVector(b, field.HostVehicleDataVehicleLocalizationPosition, est.Position)
	b = est.appendYaw(b, field.HostVehicleDataVehicleLocalizationOrientation)
	b = wire.AppendGeodeticPosition(b, field.HostVehicleDataVehicleLocalizationGeodeticPosition,
		est.Geodetic.Longitude, est.Geodetic.Latitude, est.Geodetic.Altitude)
	return wire.End(b, mark)
}

// AppendMotion appends the motion as field num of type VehicleMotion: position and yaw in the world
// frame, velocity, rates and acceleration in the vehicle frame.
func (est *Estimate) AppendMotion(b []byte, num wire.Number) []byte {
	b, mark := wire.Begin(b, num)
	if est.HasFix {
		b = appendVector(b, field.HostVehicleDataVehicleMotionPosition, est.Position)
	}
	b = est.appendYaw(b, field.HostVehicleDataVehicleMotionOrientation)
	if v, known := est.vehicleVelocity(); known {
		b = appendVector(b, field.HostVehicleDataVehicleMotionVelocity, v)
	}
	if est.HasRate {
		b = wire.AppendOrientation3d(b, field.HostVehicleDataVehicleMotionOrientationRate,
			est.Rate.X, est.Rate.Y, est.Rate.Z)
	}
	if est.HasAcceleration {
		b = appendVector(b, field.HostVehicleDataVehicleMotionAcceleration, est.Acceleration)
	}
	return wire.End(b, mark)
}

// AppendEnvironment appends the weather as field num of type EnvironmentalConditions.
func (est *Estimate) AppendEnvironment(b []byte, num wire.Number) []byte {
	b, mark := wire.Begin(b, num)
	if est.HasPressure {
		b = wire.AppendDouble(b, field.EnvironmentalConditionsAtmosphericPressure, est.Pressure)
	}
	if est.HasTemperature {
		b = wire.AppendDouble(b, field.EnvironmentalConditionsTemperature, est.Temperature)
	}
	if est.HasUTC {
		b = wire.AppendInt64(b, field.EnvironmentalConditionsUnixTimestamp, est.UTCMicroseconds/1e6)
	}
	return wire.End(b, mark)
}

// AppendUTC appends the receiver's clock as field num of type Timestamp.
func (est *Estimate) AppendUTC(b []byte, num wire.Number) []byte {
	return wire.AppendTimestamp(b, num, est.UTCMicroseconds/1e6,
		uint32(est.UTCMicroseconds%1e6*1e3))
}

func (est *Estimate) appendYaw(b []byte, num wire.Number) []byte {
	if !est.HasYaw {
		return b
	}
	return appendYaw(b, num, est.Yaw)
}

// appendYaw appends an Orientation3d with only a known yaw.
func appendYaw(b []byte, num wire.Number, yaw float64) []byte {
	b, mark := wire.Begin(b, num)
	b = wire.AppendDouble(b, field.Orientation3dYaw, yaw)
	return wire.End(b, mark)
}

func appendVector(b []byte, num wire.Number, v frames.Vector) []byte {
	return wire.AppendVector3d(b, num, v.X, v.Y, v.Z)
}
