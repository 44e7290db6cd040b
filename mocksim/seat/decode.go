package seat

import (
	"gosmp/mocksim"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// steeringRatio is the ratio of the steering wheel angle to the angle of the front wheels.
const steeringRatio = 16.0

// eachField calls f with each Len field of a message, until f returns false. It returns false if f
// did, or if the message is malformed.
func eachField(b []byte, f func(num wire.Number, content []byte) bool) bool {
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return false
		}
		if key.Type() == wire.Len && !f(key.Number(), b[lo:hi]) {
			return false
		}
		i = hi
	}
	return true
}

// About reports whether a TrafficUpdate contains an object. It is also true for bytes that are not
// a TrafficUpdate, which [Seat.Update] refuses.
func About(message []byte, id uint64) (is bool) {
	well := eachField(message, func(num wire.Number, content []byte) bool {
		found, _ := wire.FindIdentifier(content, field.MovingObjectId)
		is = is || num == field.TrafficUpdateUpdate && found == id
		return true
	})
	return is || !well
}

// object is a decoded MovingObject.
type object struct {
	id     uint64
	update mocksim.Update
	wheels []byte // buffer for update.Extra.Wheels
}

// read reads a MovingObject. The bytes in update.Extra belong to the message or to o.
func (o *object) read(b []byte) bool {
	plan := o.update.Plan[:0]
	o.id, o.update, o.wheels = 0, mocksim.Update{Plan: plan}, o.wheels[:0]
	return eachField(b, func(num wire.Number, content []byte) bool {
		switch num {
		case field.MovingObjectId:
			return wire.MergeIdentifier(content, &o.id)
		case field.MovingObjectBase:
			return o.base(content)
		case field.MovingObjectFutureTrajectory:
			return o.planned(content)
		case field.MovingObjectVehicleAttributes:
			return o.attributes(content)
		case field.MovingObjectVehicleClassification:
			return eachField(content, func(num wire.Number, content []byte) bool {
				if num == field.MovingObjectVehicleClassificationLightState {
					o.update.Extra.Lights = content
				}
				return true
			})
		}
		return true
	})
}

// planned reads a StatePoint. Its time is the driver's time; see [Seat.align].
func (o *object) planned(b []byte) bool {
	var p mocksim.Planned
	at, q := &p.Position, &p.Orientation
	well := eachField(b, func(num wire.Number, content []byte) bool {
		switch num {
		case field.StatePointTimestamp:
			return timestamp(content, &p.Time)
		case field.StatePointPosition:
			return triple(content, &p.Given, mocksim.PartX, &at.X, &at.Y, &at.Z)
		case field.StatePointOrientation:
			return triple(content, &p.Given, mocksim.PartRoll, &q.Roll, &q.Pitch, &q.Yaw)
		}
		return true
	})
	o.update.Plan = append(o.update.Plan, p)
	return well
}

// base reads a BaseMoving. It ignores static fields, such as the dimension, which the world already
// knows.
func (o *object) base(b []byte) bool {
	u := &o.update
	return eachField(b, func(num wire.Number, content []byte) bool {
		p, v, a, q, r := &u.Position, &u.Velocity, &u.Acceleration, &u.Orientation, &u.Rate
		switch num {
		case field.BaseMovingPosition:
			return triple(content, &u.Given, mocksim.PartX, &p.X, &p.Y, &p.Z)
		case field.BaseMovingOrientation:
			return triple(content, &u.Given, mocksim.PartRoll, &q.Roll, &q.Pitch, &q.Yaw)
		case field.BaseMovingVelocity:
			return triple(content, &u.Given, mocksim.PartVelocityX, &v.X, &v.Y, &v.Z)
		case field.BaseMovingAcceleration:
			return triple(content, &u.Given, mocksim.PartAccelerationX, &a.X, &a.Y, &a.Z)
		case field.BaseMovingOrientationRate:
			return triple(content, &u.Given, mocksim.PartRollRate, &r.Roll, &r.Pitch, &r.Yaw)
		}
		return true
	})
}

// triple reads a message of three doubles, and records in given which of them are set. The three
// parts are consecutive, starting with first.
func triple(b []byte, given *mocksim.Parts, first mocksim.Parts, x, y, z *float64) bool {
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		if hi < 0 {
			return false
		}
		var to *float64
		switch key {
		case 1<<3 | wire.Fixed64:
			to = x
		case 2<<3 | wire.Fixed64:
			to = y
		case 3<<3 | wire.Fixed64:
			to = z
		}
		if to != nil {
			*to = wire.Double(b[lo:])
			*given |= first << (key.Number() - 1)
		}
		i = hi
	}
	return true
}

// attributes reads the steering wheel and the wheels of VehicleAttributes.
func (o *object) attributes(b []byte) bool {
	for i := 0; i < len(b); {
		key, lo, hi := wire.Field(b, i)
		switch {
		case hi < 0:
			return false
		case key == field.MovingObjectVehicleAttributesSteeringWheelAngle<<3|wire.Fixed64:
			o.update.Steering = wire.Double(b[lo:]) / steeringRatio
			o.update.Given |= mocksim.PartSteering
		case key == field.MovingObjectVehicleAttributesWheelData<<3|wire.Len:
			o.wheels = append(o.wheels, b[i:hi]...)
		}
		i = hi
	}
	o.update.Extra.Wheels = o.wheels
	return true
}

// internal finds the internal state of an actor in a TrafficUpdate: the one that names the actor,
// or one that names no actor.
func internal(b []byte, id uint64) (state []byte) {
	eachField(b, func(num wire.Number, content []byte) bool {
		if num != field.TrafficUpdateInternalState {
			return true
		}
		host, named := wire.FindIdentifier(content, field.HostVehicleDataHostVehicleId)
		if (!named || host == id) && wellFormed(content) {
			state = content
		}
		return true
	})
	return state
}

func wellFormed(b []byte) bool {
	return eachField(b, func(wire.Number, []byte) bool { return true })
}
