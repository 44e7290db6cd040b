package scene

import (
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// HostID is the id of the host vehicle in all scenes, and SensorID is the id of the sensor.
const (
	HostID   = 14
	SensorID = 10000
)

func vector(x, y, z float64) *osi3.Vector3D { return &osi3.Vector3D{X: &x, Y: &y, Z: &z} }

func turn(roll, pitch, yaw float64) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: &roll, Pitch: &pitch, Yaw: &yaw}
}

func identifier(id uint64) *osi3.Identifier { return &osi3.Identifier{Value: &id} }

func timestamp(t timebase.Time) *osi3.Timestamp {
	seconds, nanos := t.Split()
	return &osi3.Timestamp{Seconds: &seconds, Nanos: &nanos}
}

// newView returns a SensorView with an empty GroundTruth. The sensor points forward from the
// bumper.
func newView(t timebase.Time) *osi3.SensorView {
	return &osi3.SensorView{
		Version: osi3.Version(), Timestamp: timestamp(t), SensorId: identifier(SensorID),
		HostVehicleId: identifier(HostID),
		MountingPosition: &osi3.MountingPosition{Position: vector(3.6, 0, 0.6), Orientation: turn(0,
			0, 0)},
		GlobalGroundTruth: &osi3.GroundTruth{
			Version: osi3.Version(), Timestamp: timestamp(t), HostVehicleId: identifier(HostID),
		},
	}
}

// body is the size and the name of an object.
type body struct {
	length, width, height float64
	kind                  osi3.MovingObject_Type
	vehicle               osi3.MovingObject_VehicleClassification_Type
}

const vehicle = osi3.MovingObject_TYPE_VEHICLE

var (
	car = body{4.6, 1.85, 1.5, vehicle,
		osi3.MovingObject_VehicleClassification_TYPE_MEDIUM_CAR}
	truck = body{13.5, 2.5, 3.8, vehicle,
		osi3.MovingObject_VehicleClassification_TYPE_HEAVY_TRUCK}
	motorcycle = body{2.2, 0.8, 1.6, vehicle,
		osi3.MovingObject_VehicleClassification_TYPE_MOTORCYCLE}
	pedestrian = body{0.5, 0.6, 1.8, osi3.MovingObject_TYPE_PEDESTRIAN, 0}
)

// state is the position and motion of a body in the world.
type state struct {
	position, velocity, acceleration frames.Vector
	// the orientation with its first and second derivatives
	orientation, rate, turning frames.Orientation
}

// movingObject returns a body in a state.
func movingObject(id uint64, b body, s *state) *osi3.MovingObject {
	xyz := func(v frames.Vector) *osi3.Vector3D { return vector(v.X, v.Y, v.Z) }
	rpy := func(o frames.Orientation) *osi3.Orientation3D { return turn(o.Roll, o.Pitch, o.Yaw) }
	o := &osi3.MovingObject{
		Id: identifier(id),
		Base: &osi3.BaseMoving{
			Dimension: &osi3.Dimension3D{Length: &b.length, Width: &b.width, Height: &b.height},
			Position:  xyz(s.position), Orientation: rpy(s.orientation), Velocity: xyz(s.velocity),
			Acceleration: xyz(s.acceleration), OrientationRate: rpy(s.rate),
			OrientationAcceleration: rpy(s.turning),
		},
		Type: b.kind.Enum(),
	}
	if b.kind == osi3.MovingObject_TYPE_PEDESTRIAN {
		o.PedestrianAttributes = &osi3.MovingObject_PedestrianAttributes{BbcenterToRoot: vector(0,
			0, 0)}
	}
	if b.kind == vehicle {
		o.VehicleAttributes = &osi3.MovingObject_VehicleAttributes{
			NumberWheels:    proto.Uint32(4),
			BbcenterToRear:  vector(-0.29*b.length, 0, 0.3-b.height/2),
			BbcenterToFront: vector(0.29*b.length, 0, 0.3-b.height/2),
		}
		o.VehicleClassification = &osi3.MovingObject_VehicleClassification{
			Type: b.vehicle.Enum(), Role: osi3.MovingObject_VehicleClassification_ROLE_CIVIL.Enum(),
			LightState: &osi3.MovingObject_VehicleClassification_LightState{
				IndicatorState:  indicatorOff.Enum(),
				HeadLight:       lightOn.Enum(),
				BrakeLightState: brakeLightOff.Enum(),
			},
		}
	}
	return o
}

// stationaryObject returns an upright box of the given length, width and height, positioned by its
// base.
func stationaryObject(
	id uint64, kind osi3.StationaryObject_Classification_Type, foot frames.Vector, yaw float64,
	size [3]float64,
) *osi3.StationaryObject {
	return &osi3.StationaryObject{
		Id: identifier(id),
		Base: &osi3.BaseStationary{
			Dimension: &osi3.Dimension3D{Length: &size[0], Width: &size[1], Height: &size[2]},
			Position:  vector(foot.X, foot.Y, foot.Z+size[2]/2), Orientation: turn(0, 0, yaw),
		},
		Classification: &osi3.StationaryObject_Classification{Type: kind.Enum()},
	}
}

// Lights of a vehicle in a scene.
const (
	indicatorOff  = osi3.MovingObject_VehicleClassification_LightState_INDICATOR_STATE_OFF
	lightOn       = osi3.MovingObject_VehicleClassification_LightState_GENERIC_LIGHT_STATE_ON
	brakeLightOff = osi3.MovingObject_VehicleClassification_LightState_BRAKE_LIGHT_STATE_OFF
)
