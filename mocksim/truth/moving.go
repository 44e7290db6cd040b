package truth

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/mocksim"
	"gosmp/proto/field"
	"gosmp/proto/osi3"
	"gosmp/proto/wire"
)

const (
	wheelRadius   = 0.33 // m, the same for all vehicles
	steeringRatio = 16.0
	clearance     = 0.15 // under vehicles, m
)

func appendVector(b []byte, num wire.Number, v frames.Vector) []byte {
	return wire.AppendVector3d(b, num, v.X, v.Y, v.Z)
}

func appendAngles(b []byte, num wire.Number, o frames.Orientation) []byte {
	return wire.AppendOrientation3d(b, num, o.Roll, o.Pitch, o.Yaw)
}

func appendDimension(b []byte, num wire.Number, s *mocksim.Shape) []byte {
	// the numbers of Dimension3d are the same as in Vector3d
	return wire.AppendVector3d(b, num, s.Length, s.Width, s.Height)
}

// appendBase appends the motion of the middle of the box.
func appendBase(b []byte, num wire.Number, v mocksim.View, s *mocksim.State,
	shape *mocksim.Shape) []byte {
	b, at := wire.Begin(b, num)
	position, velocity, acceleration := v.At(frames.Vector{Z: shape.Height / 2})
	b = appendDimension(b, field.BaseMovingDimension, shape)
	b = appendVector(b, field.BaseMovingPosition, position)
	b = appendAngles(b, field.BaseMovingOrientation, s.Orientation)
	b = appendVector(b, field.BaseMovingVelocity, velocity)
	b = appendVector(b, field.BaseMovingAcceleration, acceleration)
	b = appendAngles(b, field.BaseMovingOrientationRate, s.Rate)
	b = appendAngles(b, field.BaseMovingOrientationAcceleration, s.Turning)
	return wire.End(b, at)
}

// appendObstacle writes a static actor.
func (m *Maker) appendObstacle(b []byte, v mocksim.View) []byte {
	const other = 1
	s, shape, look := v.State(), v.Shape(), m.look(v)
	position, _, _ := v.At(frames.Vector{Z: shape.Height / 2})
	b, at := wire.Begin(b, field.GroundTruthStationaryObject)
	b = wire.AppendIdentifier(b, field.StationaryObjectId, v.ID())
	b, inner := wire.Begin(b, field.StationaryObjectBase)
	b = appendDimension(b, field.BaseStationaryDimension, &shape)
	b = appendVector(b, field.BaseStationaryPosition, position)
	b = appendAngles(b, field.BaseStationaryOrientation, s.Orientation)
	b = wire.End(b, inner)
	b, inner = wire.Begin(b, field.StationaryObjectClassification)
	b = wire.AppendInt32(b, field.StationaryObjectClassificationType, int32(look.Stationary))
	b = wire.AppendInt32(b, field.StationaryObjectClassificationMaterial, other)
	b = wire.AppendInt32(b, field.StationaryObjectClassificationDensity, other)
	b = wire.AppendInt32(b, field.StationaryObjectClassificationColor, other)
	return wire.End(wire.End(b, inner), at)
}

// Types of MovingObject and of VehicleClassification.
var (
	objectTypes = [...]int32{mocksim.Car: 2, mocksim.Van: 2, mocksim.Truck: 2, mocksim.Bus: 2,
		mocksim.Motorcycle: 2, mocksim.Bicycle: 2, mocksim.Pedestrian: 3, mocksim.Animal: 4,
		mocksim.Static: 1}
	vehicleTypes = [...]int32{mocksim.Car: 4, mocksim.Van: 6, mocksim.Truck: 7, mocksim.Bus: 12,
		mocksim.Motorcycle: 10, mocksim.Bicycle: 11}
	wheels = [...]uint64{mocksim.Car: 4, mocksim.Van: 4, mocksim.Truck: 6, mocksim.Bus: 4,
		mocksim.Motorcycle: 2, mocksim.Bicycle: 2, mocksim.Static: 0}
)

// appendMoving writes an actor of a message around a host vehicle.
func (m *Maker) appendMoving(b []byte, v, host mocksim.View, state *mocksim.State) []byte {
	s, shape, look := v.State(), v.Shape(), m.look(v)
	on := m.assign(v, &s, &shape)
	b, at := wire.Begin(b, field.GroundTruthMovingObject)
	b = wire.AppendIdentifier(b, field.MovingObjectId, v.ID())
	b = appendBase(b, field.MovingObjectBase, v, &s, &shape)
	b = wire.AppendInt32(b, field.MovingObjectType, int32(look.Type))
	for _, a := range on.list[:on.n] {
		if a.lane != 0 {
			b = wire.AppendIdentifier(b, field.MovingObjectAssignedLaneId, a.lane)
		}
	}
	if look.Type == osi3.MovingObject_TYPE_VEHICLE {
		if !m.has(look.Trailer, host, state) {
			look.Trailer = 0
		}
		b = appendVehicle(b, v, &s, &shape, &look)
	}
	b = on.append(b)
	if look.Type == osi3.MovingObject_TYPE_PEDESTRIAN {
		b, inner := wire.Begin(b, field.MovingObjectPedestrianAttributes)
		b = wire.AppendVector3d(b, field.MovingObjectPedestrianAttributesBbcenterToRoot, 0, 0, 0)
		return wire.End(wire.End(b, inner), at)
	}
	return wire.End(b, at)
}

// has reports whether messages contain the actor with a number, so that others can refer to it.
func (m *Maker) has(id uint64, host mocksim.View, state *mocksim.State) bool {
	for k := 0; id != 0 && k < m.w.Len(); k++ {
		if v := m.w.At(k); v.ID() == id {
			return m.shows(v, host, state)
		}
	}
	return false
}

func appendVehicle(b []byte, v mocksim.View, s *mocksim.State, shape *mocksim.Shape,
	look *Look) []byte {
	extra := v.Extra()
	b, at := wire.Begin(b, field.MovingObjectVehicleAttributes)
	b = wire.AppendDouble(b, field.MovingObjectVehicleAttributesRadiusWheel, wheelRadius)
	b = wire.AppendUint64(b, field.MovingObjectVehicleAttributesNumberWheels, look.Wheels)
	axle := wheelRadius - shape.Height/2
	b = wire.AppendVector3d(b, field.MovingObjectVehicleAttributesBbcenterToRear,
		look.Rear, 0, axle)
	b = wire.AppendVector3d(b, field.MovingObjectVehicleAttributesBbcenterToFront,
		look.Front, 0, axle)
	b = wire.AppendDouble(b, field.MovingObjectVehicleAttributesGroundClearance, clearance)
	b = wire.AppendDouble(b, field.MovingObjectVehicleAttributesSteeringWheelAngle,
		s.Steering*steeringRatio)
	b = wire.End(append(b, extra.Wheels...), at)
	b, at = wire.Begin(b, field.MovingObjectVehicleClassification)
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationType, int32(look.Vehicle))
	if len(extra.Lights) > 0 {
		b = wire.AppendBytes(b, field.MovingObjectVehicleClassificationLightState, extra.Lights)
	} else {
		b = appendLamps(b, s)
	}
	if look.Trailer != 0 {
		b = wire.AppendUint64(b, field.MovingObjectVehicleClassificationHasTrailer, 1)
		b = wire.AppendIdentifier(b, field.MovingObjectVehicleClassificationTrailerId,
			look.Trailer)
	}
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationRole, int32(look.Role))
	return wire.End(b, at)
}

func appendLamps(b []byte, s *mocksim.State) []byte {
	const off, on, brakeOff, brakeOn, indicatorOff, blue = 2, 3, 2, 3, 2, 4
	lit := s.Lit()
	lamp := func(l mocksim.Lights) int32 {
		if lit&l != 0 {
			return on
		}
		return off
	}
	brake, emergency := int32(brakeOff), int32(off)
	if lit&mocksim.BrakeLamps != 0 {
		brake = brakeOn
	}
	if lit&mocksim.Emergency != 0 {
		emergency = blue
	}
	b, at := wire.Begin(b, field.MovingObjectVehicleClassificationLightState)
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationLightStateIndicatorState,
		indicatorOff+int32(s.Indicator))
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationLightStateFrontFogLight,
		lamp(mocksim.FogFront))
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationLightStateRearFogLight,
		lamp(mocksim.FogRear))
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationLightStateHeadLight,
		lamp(mocksim.LowBeam))
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationLightStateHighBeam,
		lamp(mocksim.HighBeam))
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationLightStateReversingLight,
		lamp(mocksim.ReversingLamps))
	b = wire.AppendInt32(b, field.MovingObjectVehicleClassificationLightStateBrakeLightState, brake)
	b = wire.AppendInt32(b,
		field.MovingObjectVehicleClassificationLightStateEmergencyVehicleIllumination, emergency)
	return wire.End(b, at)
}

// assignment is a lane that an actor is on.
type assignment struct {
	lane, logical uint64
	share         float64 // percent of the actor's width
	s, t, angle   float64
}

// assignments lists the lanes of an actor: first the lane under its middle, then the neighbour into
// which it extends.
type assignments struct {
	list [2]assignment
	n    int
}

// assign finds the lanes of an actor.
func (m *Maker) assign(v mocksim.View, s *mocksim.State, shape *mocksim.Shape) (on assignments) {
	p := v.Place()
	if p.Lane == nil || m.s.logical[p.Lane.Number()] == 0 {
		return on
	}
	st, err := p.Road.Station(p.S)
	if err != nil {
		return on
	}
	turn := s.Orientation.Yaw - st.Heading
	sin, cos := portable.Sincos(turn)
	half := (float64(shape.Width*math.Abs(cos)) + float64(shape.Length*math.Abs(sin))) / 2
	first := assignment{lane: m.s.lanes[p.Lane.Number()], logical: m.s.logical[p.Lane.Number()],
		share: 100, s: p.S,
		t: p.T * portable.Cos(st.Superelevation), angle: frames.WrapAngle(turn)}
	on.list[0], on.n = first, 1
	inner, outer := p.Lane.Edges(p.S)
	left, right := max(inner, outer), min(inner, outer)
	side, over := 1, p.T+half-left
	if under := right - (p.T - half); under > over {
		side, over = -1, under
	}
	if over <= 0.01 {
		return on
	}
	if other := p.Lane.Neighbour(side); other != nil {
		second := first
		second.lane, second.logical = m.s.lanes[other.Number()], m.s.logical[other.Number()]
		second.share = float64(100 * min(over/(2*half), 1))
		on.list[0].share = max(100-second.share, 0)
		on.list[1], on.n = second, 2
		if second.lane == first.lane { // both belong to one junction
			on.list[0].share, on.list[1].lane = 100, 0
		}
	}
	return on
}

func (on *assignments) append(b []byte) []byte {
	if on.n == 0 {
		return b
	}
	b, at := wire.Begin(b, field.MovingObjectMovingObjectClassification)
	for _, a := range on.list[:on.n] {
		if a.lane != 0 {
			b = wire.AppendIdentifier(b, field.MovingObjectMovingObjectClassificationAssignedLaneId,
				a.lane)
		}
	}
	for _, a := range on.list[:on.n] {
		if a.lane != 0 {
			b = wire.AppendDouble(b,
				field.MovingObjectMovingObjectClassificationAssignedLanePercentage, a.share)
		}
	}
	for _, a := range on.list[:on.n] {
		var inner int
		b, inner = wire.Begin(b, field.MovingObjectMovingObjectClassificationLogicalLaneAssignment)
		b = wire.AppendIdentifier(b, field.LogicalLaneAssignmentAssignedLaneId, a.logical)
		b = wire.AppendDouble(b, field.LogicalLaneAssignmentSPosition, a.s)
		b = wire.AppendDouble(b, field.LogicalLaneAssignmentTPosition, a.t)
		b = wire.AppendDouble(b, field.LogicalLaneAssignmentAngleToLane, a.angle)
		b = wire.End(b, inner)
	}
	return wire.End(b, at)
}

// appendHost writes the host vehicle's measurements of itself, which are exact.
func (m *Maker) appendHost(b []byte, v mocksim.View) []byte {
	s, shape, look := v.State(), v.Shape(), m.look(v)
	rotation := s.Orientation.Rotation()
	position, velocity, acceleration := v.At(frames.Vector{X: look.Rear, Z: wheelRadius})
	turning := rotation.Into(rotation.AngularVelocity(s.Rate))
	b = appendBase(b, field.HostVehicleDataLocation, v, &s, &shape)
	b = appendInner(b, v, &s, &shape, &look)
	b = m.appendLocalization(b, v, &s, &shape)
	seconds, nanos := m.w.Time().Split()
	b = wireVersion(b, field.HostVehicleDataVersion)
	b = wire.AppendTimestamp(b, field.HostVehicleDataTimestamp, seconds, nanos)
	b = wire.AppendIdentifier(b, field.HostVehicleDataHostVehicleId, v.ID())
	b, at := wire.Begin(b, field.HostVehicleDataVehicleMotion)
	b = appendVector(b, field.HostVehicleDataVehicleMotionPosition, position)
	b = appendAngles(b, field.HostVehicleDataVehicleMotionOrientation, s.Orientation)
	b = appendVector(b, field.HostVehicleDataVehicleMotionVelocity, rotation.Into(velocity))
	b = wire.AppendOrientation3d(b, field.HostVehicleDataVehicleMotionOrientationRate, turning.X,
		turning.Y, turning.Z)
	b = appendVector(b, field.HostVehicleDataVehicleMotionAcceleration, rotation.Into(acceleration))
	b = wire.AppendDouble(b, field.HostVehicleDataVehicleMotionCurrentCurvature,
		curvature(&s, &shape))
	return wire.End(b, at)
}

// curvature returns the curvature of the rear axle's path; at a standstill it follows from the
// steering.
func curvature(s *mocksim.State, shape *mocksim.Shape) float64 {
	if math.Abs(s.Speed) > 0.1 {
		return s.Rate.Yaw / s.Speed
	}
	if shape.Wheelbase == 0 {
		return 0
	}
	return portable.Tan(s.Steering) / shape.Wheelbase
}

func (m *Maker) appendLocalization(b []byte, v mocksim.View, s *mocksim.State,
	shape *mocksim.Shape) []byte {
	position, _, _ := v.At(frames.Vector{Z: shape.Height / 2})
	b, at := wire.Begin(b, field.HostVehicleDataVehicleLocalization)
	b = appendVector(b, field.HostVehicleDataVehicleLocalizationPosition, position)
	b = appendAngles(b, field.HostVehicleDataVehicleLocalizationOrientation, s.Orientation)
	if m.geo != nil {
		p := m.w.Map().Header.World(position)
		latitude, longitude := m.geo.Geodetic(p.X, p.Y)
		b = wire.AppendGeodeticPosition(b, field.HostVehicleDataVehicleLocalizationGeodeticPosition,
			longitude, latitude, p.Z)
	}
	return wire.End(b, at)
}
