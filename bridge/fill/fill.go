package fill

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

// ErrData is the kind of errors about OSI messages that lack the data for a message.
var ErrData = errors.New("no sensor data")

// Frames of the messages, named as in REP 105.
const (
	Map      = "map"
	Odom     = "odom"
	BaseLink = "base_link"
	Sensor   = "sensor"
)

// Clock is the message type that needs no OSI message.
const Clock = "rosgraph_msgs/Clock"

// Scene is the input from which messages are created. View or Data must be set; the first
// SensorView of Data is used if there is no View.
type Scene struct {
	View *osi3.SensorView
	Data *osi3.SensorData
	// Engaged reports whether a vehicle stack drives the host vehicle; nil if unknown.
	Engaged *bool
}

// maker creates a message for a topic.
type maker func(s *scene) (map[string]any, error)

var makers = map[string]maker{
	Clock: func(s *scene) (map[string]any, error) {
		return map[string]any{"clock": s.stamp()}, nil
	},
	"tf2_msgs/TFMessage":                              (*scene).transforms,
	"nav_msgs/Odometry":                               (*scene).odometry,
	"geometry_msgs/PoseStamped":                       (*scene).pose,
	"geometry_msgs/TwistStamped":                      (*scene).twist,
	"sensor_msgs/PointCloud2":                         (*scene).cloud,
	"sensor_msgs/LaserScan":                           (*scene).scan,
	"visualization_msgs/MarkerArray":                  (*scene).markers,
	"autoware_perception_msgs/TrafficLightGroupArray": (*scene).lights,
	"autoware_perception_msgs/DetectedObjects":        (*scene).detected,
	"autoware_perception_msgs/PredictedObjects":       (*scene).predicted,
	"autoware_vehicle_msgs/VelocityReport":            (*scene).velocityReport,
	"autoware_vehicle_msgs/GearReport":                (*scene).gearReport,
	"autoware_vehicle_msgs/SteeringReport":            (*scene).steeringReport,
	"autoware_vehicle_msgs/ControlModeReport":         (*scene).modeReport,
	"autoware_vehicle_msgs/TurnIndicatorsReport":      (*scene).turnReport,
	"autoware_vehicle_msgs/HazardLightsReport":        (*scene).hazardReport,
}

// Types returns the names of the message types that can be created, in alphabetical order.
func Types() []string { return slices.Sorted(maps.Keys(makers)) }

// Message creates a message of a type for a topic, stamped with a time. A TFMessage for a topic
// whose name ends in tf_static contains only static content, which is the mounting position of the
// sensor on the vehicle. The error is an [ErrData] if the scene lacks the data for the message, or
// if the type is not supported.
func Message(messageType, topic string, now timebase.Time, of Scene) (map[string]any, error) {
	maker := makers[messageType]
	if maker == nil {
		return nil, fault.New(ErrData, fault.At(messageType), "", "one of "+
			strings.Join(Types(), ", "))
	}
	s := &scene{Scene: of, topic: topic, now: now}
	if s.View == nil && len(of.Data.GetSensorView()) > 0 {
		s.View = of.Data.GetSensorView()[0]
	}
	return maker(s)
}

// scene is a scene with the message that is created from it.
type scene struct {
	Scene
	topic string
	now   timebase.Time
}

func (s *scene) stamp() map[string]any {
	seconds, nanos := s.now.Split()
	return map[string]any{"sec": seconds, "nanosec": int64(nanos)}
}

func (s *scene) header(frame string) map[string]any {
	return map[string]any{"stamp": s.stamp(), "frame_id": frame}
}

// host is the pose and the motion of the host vehicle's rear axle.
type host struct {
	position    frames.Vector // in the map
	orientation frames.Orientation
	velocity    frames.Vector // in the axes of the vehicle
	rate        frames.Vector
}

// host finds the host vehicle in the ground truth, or else in the sensor's measurements.
func (s *scene) host() (*host, error) {
	if o := s.hostObject(); o != nil {
		return hostOf(o.GetBase(), vector(o.GetVehicleAttributes().GetBbcenterToRear())), nil
	}
	if base := s.Data.GetHostVehicleLocation(); base != nil {
		return hostOf(base, frames.Vector{}), nil
	}
	return nil, fault.New(ErrData, fault.At("topic "+s.topic), "no host vehicle",
		"a moving object with the id host_vehicle_id, or host_vehicle_location")
}

// hostObject returns the host vehicle in the ground truth, or nil if it is not in it.
func (s *scene) hostObject() *osi3.MovingObject {
	truth := s.View.GetGlobalGroundTruth()
	id := s.View.GetHostVehicleId().GetValue()
	if truth.GetHostVehicleId() != nil {
		id = truth.GetHostVehicleId().GetValue()
	}
	for _, o := range truth.GetMovingObject() {
		if o.GetId().GetValue() == id {
			return o
		}
	}
	return nil
}

// hostOf moves the state of the center of a vehicle to its rear axle.
func hostOf(b *osi3.BaseMoving, rear frames.Vector) *host {
	h := &host{orientation: orientation(b.GetOrientation())}
	r := h.orientation.Rotation()
	h.position = vector(b.GetPosition()).Add(r.Apply(rear))
	rate := b.GetOrientationRate()
	h.rate = r.Into(r.AngularVelocity(frames.Orientation{Roll: rate.GetRoll(),
		Pitch: rate.GetPitch(), Yaw: rate.GetYaw()}))
	h.velocity = r.Into(vector(b.GetVelocity())).Add(h.rate.Cross(rear))
	return h
}

func (h *host) twist() map[string]any {
	return map[string]any{"linear": xyz(h.velocity), "angular": xyz(h.rate)}
}

func (s *scene) pose() (map[string]any, error) {
	h, err := s.host()
	if err != nil {
		return nil, err
	}
	return map[string]any{"header": s.header(Map), "pose": pose(h.position, h.orientation)}, nil
}

func (s *scene) twist() (map[string]any, error) {
	h, err := s.host()
	if err != nil {
		return nil, err
	}
	return map[string]any{"header": s.header(BaseLink), "twist": h.twist()}, nil
}

func (s *scene) odometry() (map[string]any, error) {
	h, err := s.host()
	if err != nil {
		return nil, err
	}
	return map[string]any{"header": s.header(Odom), "child_frame_id": BaseLink,
		"pose":  map[string]any{"pose": pose(h.position, h.orientation)},
		"twist": map[string]any{"twist": h.twist()}}, nil
}

// transforms returns map to odom, which is the identity because the true position is known, and
// odom to base_link; or, for tf_static, base_link to the sensor.
func (s *scene) transforms() (map[string]any, error) {
	if strings.HasSuffix(s.topic, "tf_static") {
		m := s.mounting()
		return map[string]any{"transforms": []any{s.transform(BaseLink, Sensor,
			vector(m.GetPosition()),
			orientation(m.GetOrientation()))}}, nil
	}
	h, err := s.host()
	if err != nil {
		return nil, err
	}
	return map[string]any{"transforms": []any{
		s.transform(Map, Odom, frames.Vector{}, frames.Orientation{}),
		s.transform(Odom, BaseLink, h.position, h.orientation),
	}}, nil
}

func (s *scene) mounting() *osi3.MountingPosition {
	if m := s.Data.GetMountingPosition(); m != nil {
		return m
	}
	return s.View.GetMountingPosition()
}

func (s *scene) transform(parent, child string, at frames.Vector,
	o frames.Orientation) map[string]any {
	return map[string]any{"header": s.header(parent), "child_frame_id": child,
		"transform": map[string]any{"translation": xyz(at), "rotation": quaternion(o)}}
}

func vector(v *osi3.Vector3D) frames.Vector {
	return frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}
}

func orientation(o *osi3.Orientation3D) frames.Orientation {
	return frames.Orientation{Roll: o.GetRoll(), Pitch: o.GetPitch(), Yaw: o.GetYaw()}
}

func xyz(v frames.Vector) map[string]any { return map[string]any{"x": v.X, "y": v.Y, "z": v.Z} }

func pose(at frames.Vector, o frames.Orientation) map[string]any {
	return map[string]any{"position": xyz(at), "orientation": quaternion(o)}
}

func quaternion(o frames.Orientation) map[string]any {
	x, y, z, w := o.Quaternion()
	return map[string]any{"x": x, "y": y, "z": z, "w": w}
}
