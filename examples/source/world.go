package main

import (
	"math"

	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/model/message"
	"gosmp/proto/osi3"
)

// body is a kind of vehicle.
type body struct {
	length, width, height, axle float64 // m; axle is from the centre of the box to each axle
	kind                        osi3.MovingObject_VehicleClassification_Type
}

const wheelRadius = 0.33 // m

// rear points from the centre of the box to the middle of the rear axle.
func (b body) rear() frames.Vector { return frames.Vector{X: -b.axle, Z: wheelRadius - b.height/2} }

var (
	car   = body{5, 2, 1.5, 1.4, osi3.MovingObject_VehicleClassification_TYPE_MEDIUM_CAR}
	truck = body{12, 2.5, 3.8, 3.5, osi3.MovingObject_VehicleClassification_TYPE_HEAVY_TRUCK}
)

// lane is a circle that vehicles follow.
type lane struct {
	left  float64 // of the host's lane, m
	speed float64 // as a multiple of the host's, negative against its direction
	body  body
}

var lanes = [...]lane{{0, 1, car}, {-3.5, 0.8, truck}, {3.5, 1.2, car}, {7, -1, car}}

// motion is the position and motion of a body on level ground.
type motion struct {
	position, velocity, acceleration frames.Vector
	yaw, turning                     float64
}

// on returns the motion of a body that was at start, in m along the host's lane, at time 0.
func (l lane) on(radius, speed, start, t float64) motion {
	r, v := radius-l.left, speed*l.speed
	angle := start/radius + float64(v/r*t) // rounded, so that no platform fuses the two operations
	sin, cos := math.Sincos(angle)
	m := motion{
		position:     frames.Vector{X: r * sin, Y: radius - float64(r*cos), Z: l.body.height / 2},
		velocity:     frames.Vector{X: v * cos, Y: v * sin},
		acceleration: frames.Vector{X: -v * v / r * sin, Y: v * v / r * cos},
		yaw:          frames.WrapAngle(angle), turning: v / r,
	}
	if l.speed < 0 {
		m.yaw = frames.WrapAngle(angle + math.Pi)
	}
	return m
}

// movingObject returns a vehicle.
func movingObject(id uint64, b body, m motion) *osi3.MovingObject {
	front := b.rear()
	front.X = -front.X
	return &osi3.MovingObject{
		Id: message.ID(id), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
		Base: &osi3.BaseMoving{
			Dimension: &osi3.Dimension3D{Length: &b.length, Width: &b.width, Height: &b.height},
			Position:  message.Vector(m.position), Velocity: message.Vector(m.velocity),
			Acceleration: message.Vector(m.acceleration), Orientation: angles(m.yaw),
			OrientationRate: angles(m.turning), OrientationAcceleration: angles(0),
		},
		VehicleAttributes: &osi3.MovingObject_VehicleAttributes{
			NumberWheels: proto.Uint32(4), BbcenterToRear: message.Vector(b.rear()),
			BbcenterToFront: message.Vector(front),
		},
		VehicleClassification: &osi3.MovingObject_VehicleClassification{
			Type: b.kind.Enum(), Role: osi3.MovingObject_VehicleClassification_ROLE_CIVIL.Enum(),
		},
	}
}

const (
	postSpacing = 50.0 // m along the host's lane
	postAside   = 6.0  // m to the right of it
	postWidth   = 0.12 // m
	postHeight  = 1.0  // m
)

// post returns a delineator beside the road, where the road has turned by an angle since the
// origin.
func post(id uint64, radius, angle float64) *osi3.StationaryObject {
	sin, cos := math.Sincos(angle)
	r := radius + postAside
	return &osi3.StationaryObject{
		Id: message.ID(id),
		Base: &osi3.BaseStationary{
			Dimension: &osi3.Dimension3D{
				Length: proto.Float64(postWidth), Width: proto.Float64(postWidth),
				Height: proto.Float64(postHeight),
			},
			Position: message.Vector(frames.Vector{X: r * sin, Y: radius - float64(r*cos),
				Z: postHeight / 2}),
			Orientation: angles(frames.WrapAngle(angle)),
		},
		Classification: &osi3.StationaryObject_Classification{
			Type:     osi3.StationaryObject_Classification_TYPE_DELINEATOR.Enum(),
			Material: osi3.StationaryObject_Classification_MATERIAL_PLASTIC.Enum(),
		},
	}
}

// weather returns a clear noon in the International Standard Atmosphere at sea level.
func weather() *osi3.EnvironmentalConditions {
	return &osi3.EnvironmentalConditions{
		AmbientIllumination: osi3.EnvironmentalConditions_AMBIENT_ILLUMINATION_LEVEL9.Enum(),
		TimeOfDay: &osi3.EnvironmentalConditions_TimeOfDay{
			SecondsSinceMidnight: proto.Uint32(12 * 60 * 60)},
		AtmosphericPressure: proto.Float64(101325), Temperature: proto.Float64(288.15),
		RelativeHumidity: proto.Float64(60),
		Precipitation:    osi3.EnvironmentalConditions_PRECIPITATION_NONE.Enum(),
		Fog:              osi3.EnvironmentalConditions_FOG_EXCELLENT_VISIBILITY.Enum(),
	}
}

// angles returns an orientation about the z axis only, or its rate.
func angles(yaw float64) *osi3.Orientation3D {
	return message.Orientation(frames.Orientation{Yaw: yaw})
}
