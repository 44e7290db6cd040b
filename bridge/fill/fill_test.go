package fill_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/bridge"
	"gosmp/bridge/fill"
	"gosmp/proto/osi3"
	"gosmp/timebase"
)

const now = 3*timebase.Second + 500

func vec(x, y, z float64) *osi3.Vector3D {
	return &osi3.Vector3D{X: proto.Float64(x), Y: proto.Float64(y), Z: proto.Float64(z)}
}

// view returns a SensorView with a host vehicle that drives north at 8 m/s and turns left at 0.5
// rad/s about its rear axle, which is 2 m behind its center.
func view() *osi3.SensorView {
	return &osi3.SensorView{HostVehicleId: &osi3.Identifier{Value: proto.Uint64(7)},
		MountingPosition: &osi3.MountingPosition{Position: vec(3, 0, 1),
			Orientation: &osi3.Orientation3D{Yaw: proto.Float64(math.Pi)}},
		GlobalGroundTruth: &osi3.GroundTruth{
			MovingObject: []*osi3.MovingObject{{Id: &osi3.Identifier{Value: proto.Uint64(7)},
				Base: &osi3.BaseMoving{Position: vec(10, 20, 0.5), Velocity: vec(-1, 8, 0),
					Orientation:     &osi3.Orientation3D{Yaw: proto.Float64(math.Pi / 2)},
					OrientationRate: &osi3.Orientation3D{Yaw: proto.Float64(0.5)},
					Dimension:       &osi3.Dimension3D{Length: proto.Float64(4)}},
				VehicleAttributes: &osi3.MovingObject_VehicleAttributes{BbcenterToRear: vec(-2, 0,
					0)}}},
			TrafficLight: []*osi3.TrafficLight{light(31, 50,
				osi3.TrafficLight_Classification_COLOR_GREEN,
				osi3.TrafficLight_Classification_MODE_OFF),
				light(30, 50, osi3.TrafficLight_Classification_COLOR_RED,
					osi3.TrafficLight_Classification_MODE_CONSTANT),
				light(40, 60, osi3.TrafficLight_Classification_COLOR_YELLOW,
					osi3.TrafficLight_Classification_MODE_FLASHING)},
		}}
}

func light(id uint64, x float64, c osi3.TrafficLight_Classification_Color,
	m osi3.TrafficLight_Classification_Mode) *osi3.TrafficLight {
	return &osi3.TrafficLight{Id: &osi3.Identifier{Value: proto.Uint64(id)},
		Base: &osi3.BaseStationary{Position: vec(x, 0, float64(id))},
		Classification: &osi3.TrafficLight_Classification{Color: &c, Mode: &m,
			Icon: osi3.TrafficLight_Classification_ICON_NONE.Enum()}}
}

// made creates a message and checks that it fits its built-in definition.
func made(t *testing.T, messageType, topic string, of fill.Scene) map[string]any {
	value, err := fill.Message(messageType, topic, now, of)
	require.NoError(t, err)
	d, err := bridge.NewDefinitions(bridge.ROS2)
	require.NoError(t, err)
	m, err := d.Message(messageType)
	require.NoError(t, err)
	b, err := d.Encode(m, value, false)
	require.NoError(t, err)
	value, err = d.Decode(m, b)
	require.NoError(t, err)
	return value
}

// at follows names and indices into a message.
func at(value any, path ...any) any {
	for _, step := range path {
		switch s := step.(type) {
		case string:
			value = value.(map[string]any)[s]
		case int:
			value = value.([]any)[s]
		}
	}
	return value
}

func near(t *testing.T, want float64, value any, path ...any) {
	require.InDelta(t, want, at(value, path...), 1e-6)
}

func TestMessage_HostVehicle(t *testing.T) {
	scene := fill.Scene{View: view()}
	odometry := made(t, "nav_msgs/Odometry", "/odom", scene)
	require.EqualValues(t, 3, at(odometry, "header", "stamp", "sec"))
	require.EqualValues(t, 500, at(odometry, "header", "stamp", "nanosec"))
	require.Equal(t, "odom", at(odometry, "header", "frame_id"))
	require.Equal(t, "base_link", at(odometry, "child_frame_id"))
	near(t, 10, odometry, "pose", "pose", "position", "x")
	near(t, 18, odometry, "pose", "pose", "position", "y")
	near(t, math.Sqrt2/2, odometry, "pose", "pose", "orientation", "z")
	near(t, 8, odometry, "twist", "twist", "linear", "x")
	near(t, 0, odometry, "twist", "twist", "linear", "y")
	near(t, 0.5, odometry, "twist", "twist", "angular", "z")
	pose := made(t, "geometry_msgs/PoseStamped", "/pose", scene)
	require.Equal(t, at(odometry, "pose", "pose"), at(pose, "pose"))
	require.Equal(t, "map", at(pose, "header", "frame_id"))
	twist := made(t, "geometry_msgs/TwistStamped", "/twist", scene)
	require.Equal(t, at(odometry, "twist", "twist"), at(twist, "twist"))

	tree := made(t, "tf2_msgs/TFMessage", "/tf", scene)
	require.Equal(t, "map", at(tree, "transforms", 0, "header", "frame_id"))
	near(t, 1, tree, "transforms", 0, "transform", "rotation", "w")
	require.Equal(t, "base_link", at(tree, "transforms", 1, "child_frame_id"))
	require.Equal(t, at(pose, "pose", "position"), at(tree, "transforms", 1, "transform",
		"translation"))
	fixed := made(t, "tf2_msgs/TFMessage", "/vehicle/tf_static", scene)
	require.Len(t, at(fixed, "transforms"), 1)
	near(t, 3, fixed, "transforms", 0, "transform", "translation", "x")
	near(t, 1, fixed, "transforms", 0, "transform", "rotation", "z")

	require.EqualValues(t, 3, at(made(t, fill.Clock, "/clock", fill.Scene{}), "clock", "sec"))
}

func TestMessage_Objects(t *testing.T) {
	scene := fill.Scene{View: view()}
	markers := made(t, "visualization_msgs/MarkerArray", "/markers", scene)
	require.Len(t, at(markers, "markers"), 2)
	require.EqualValues(t, 3, at(markers, "markers", 0, "action"), "delete all")
	near(t, 20, markers, "markers", 1, "pose", "position", "y")
	near(t, 4, markers, "markers", 1, "scale", "x")
	lights := made(t, "autoware_perception_msgs/TrafficLightGroupArray", "/lights", scene)
	require.Len(t, at(lights, "traffic_light_groups"), 2)
	require.EqualValues(t, 30, at(lights, "traffic_light_groups", 0, "traffic_light_group_id"))
	require.EqualValues(t, 1, at(lights, "traffic_light_groups", 0, "elements", 0, "color"))
	require.EqualValues(t, 2, at(lights, "traffic_light_groups", 0, "elements", 0, "status"))
	require.EqualValues(t, 3, at(lights, "traffic_light_groups", 0, "elements", 1, "color"))
	require.EqualValues(t, 2, at(lights, "traffic_light_groups", 1, "elements", 0, "color"))
}

func TestMessage_Detections(t *testing.T) {
	at3 := func(d, azimuth, elevation float64) *osi3.Spherical3D {
		return &osi3.Spherical3D{Distance: proto.Float64(d), Azimuth: proto.Float64(azimuth),
			Elevation: proto.Float64(elevation)}
	}
	data := &osi3.SensorData{FeatureData: &osi3.FeatureData{
		LidarSensor: []*osi3.LidarDetectionData{{Detection: []*osi3.LidarDetection{
			{Position: at3(10, 0.001, 0), Intensity: proto.Float64(40)},
			{Position: at3(8, 0.002, 0)}, {Position: at3(2, 0, math.Pi/6)}}}},
		RadarSensor: []*osi3.RadarDetectionData{{Detection: []*osi3.RadarDetection{{Position: at3(5,
			math.Pi, 0), Rcs: proto.Float64(-3)}}}},
	}}
	cloud := made(t, "sensor_msgs/PointCloud2", "/points", fill.Scene{Data: data})
	require.EqualValues(t, 4, at(cloud, "width"))
	require.EqualValues(t, 16, at(cloud, "point_step"))
	require.EqualValues(t, 64, at(cloud, "row_step"))
	require.Equal(t, "intensity", at(cloud, "fields", 3, "name"))
	number := func(k int) float64 {
		var b []byte
		for _, x := range at(cloud, "data").([]any)[4*k : 4*k+4] {
			b = append(b, byte(x.(uint64)))
		}
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	require.InDelta(t, 10, number(0), 1e-3)
	require.InDelta(t, 40, number(3), 0)
	require.InDelta(t, math.Sqrt(3), number(8), 1e-6)
	require.InDelta(t, 1, number(10), 1e-6)
	require.InDelta(t, -5, number(12), 1e-6)
	scan := made(t, "sensor_msgs/LaserScan", "/scan", fill.Scene{Data: data})
	require.Len(t, at(scan, "ranges"), 360)
	near(t, math.Sqrt(3), scan, "ranges", 180)
	near(t, 5, scan, "ranges", 359)
	require.True(t, math.IsInf(at(scan, "ranges", 90).(float64), 1))
}

// The host vehicle is not among the objects. The predicted path of an object that drives at 10 m/s
// and turns is a circle: after half a turn, it is on the other side.
func TestMessage_ObjectsOfAutoware(t *testing.T) {
	v := view()
	v.GlobalGroundTruth.MovingObject = append(v.GlobalGroundTruth.MovingObject, &osi3.MovingObject{
		Id:   &osi3.Identifier{Value: proto.Uint64(0x1234)},
		Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
		VehicleClassification: &osi3.MovingObject_VehicleClassification{
			Type: osi3.MovingObject_VehicleClassification_TYPE_BUS.Enum()},
		Base: &osi3.BaseMoving{Position: vec(100, 50, 1), Velocity: vec(0, 10, 0),
			Orientation:     &osi3.Orientation3D{Yaw: proto.Float64(math.Pi / 2)},
			OrientationRate: &osi3.Orientation3D{Yaw: proto.Float64(math.Pi / 5)},
			Dimension: &osi3.Dimension3D{Length: proto.Float64(12), Width: proto.Float64(2.5),
				Height: proto.Float64(3)}}})
	for kind, prefix := range map[string]string{"DetectedObjects": "",
		"PredictedObjects": "initial_"} {
		m := made(t, "autoware_perception_msgs/"+kind, "/objects", fill.Scene{View: v})
		require.Equal(t, "map", at(m, "header", "frame_id"))
		require.Len(t, at(m, "objects"), 1)
		o := at(m, "objects", 0)
		require.EqualValues(t, 3, at(o, "classification", 0, "label"), "a bus")
		near(t, 1, o, "existence_probability")
		near(t, 12, o, "shape", "dimensions", "x")
		near(t, 50, o, "kinematics", prefix+"pose_with_covariance", "pose", "position", "y")
		near(t, 10, o, "kinematics", prefix+"twist_with_covariance", "twist", "linear", "x")
		near(t, math.Pi/5, o, "kinematics", prefix+"twist_with_covariance", "twist", "angular", "z")
	}
	m := made(t, "autoware_perception_msgs/PredictedObjects", "/objects", fill.Scene{View: v})
	o := at(m, "objects", 0)
	require.Equal(t, []any{uint64(0x12), uint64(0x34)}, at(o, "object_id", "uuid").([]any)[14:])
	path := at(o, "kinematics", "predicted_paths", 0)
	require.Len(t, at(path, "path"), 11)
	require.EqualValues(t, 500_000_000, at(path, "time_step", "nanosec"))
	near(t, 50, path, "path", 0, "position", "y")
	require.InDelta(t, 100-20/(math.Pi/5), at(path, "path", 10, "position", "x"), 0.2)
	require.InDelta(t, 50, at(path, "path", 10, "position", "y"), 1e-6)
	q := at(path, "path", 10, "orientation")
	require.InDelta(t, -0.5, at(q, "z").(float64)*at(q, "w").(float64), 1e-9, "it faces south")

	data := &osi3.SensorData{MovingObject: []*osi3.DetectedMovingObject{{
		Header: &osi3.DetectedItemHeader{TrackingId: &osi3.Identifier{Value: proto.Uint64(5)},
			ExistenceProbability: proto.Float64(0.75)},
		Base: &osi3.BaseMoving{Position: vec(20, -1, 0)},
		Candidate: []*osi3.DetectedMovingObject_CandidateMovingObject{
			{Probability: proto.Float64(0.5), Type: osi3.MovingObject_TYPE_PEDESTRIAN.Enum()},
			{Probability: proto.Float64(0.25), Type: osi3.MovingObject_TYPE_VEHICLE.Enum()}}}}}
	m = made(t, "autoware_perception_msgs/DetectedObjects", "/objects", fill.Scene{Data: data})
	require.Equal(t, "base_link", at(m, "header", "frame_id"))
	near(t, 0.75, m, "objects", 0, "existence_probability")
	require.EqualValues(t, 7, at(m, "objects", 0, "classification", 0, "label"))
	require.EqualValues(t, 1, at(m, "objects", 0, "classification", 1, "label"))
	near(t, 0.25, m, "objects", 0, "classification", 1, "probability")
	near(t, 20, m, "objects", 0, "kinematics", "pose_with_covariance", "pose", "position", "x")
}

// The errors state what each message lacks.
func TestMessage_Lacks(t *testing.T) {
	for _, kind := range fill.Types() {
		if kind == fill.Clock || kind == "tf2_msgs/TFMessage" {
			continue
		}
		_, err := fill.Message(kind, "/topic", 0, fill.Scene{View: &osi3.SensorView{}})
		require.ErrorIs(t, err, fill.ErrData, kind)
		require.ErrorContains(t, err, "topic /topic", kind)
	}
	_, err := fill.Message("nav_msgs/Path", "/path", 0, fill.Scene{})
	require.ErrorIs(t, err, fill.ErrData)
}

// Configurations may name the types that can be created, and no others.
func TestTypes_AreThoseOfConfigurations(t *testing.T) {
	for _, kind := range fill.Types() {
		require.True(t, slices.Contains(bridge.Made(), kind), kind)
	}
	require.Len(t, bridge.Made(), len(fill.Types())+3, "flow makes three itself")
}

// TestMessage_Mounting: detected objects are placed relative to the vehicle, and points of parts of
// the sensor that are mounted elsewhere are in the frame of the whole sensor.
func TestMessage_Mounting(t *testing.T) {
	mounting := func(x, y, yaw float64) *osi3.MountingPosition {
		return &osi3.MountingPosition{Position: &osi3.Vector3D{X: &x, Y: &y},
			Orientation: &osi3.Orientation3D{Yaw: &yaw}}
	}
	data := &osi3.SensorData{MountingPosition: mounting(3, 0, math.Pi/2),
		MovingObject: []*osi3.DetectedMovingObject{{Base: &osi3.BaseMoving{
			Position: &osi3.Vector3D{X: proto.Float64(10)}}}},
		FeatureData: &osi3.FeatureData{LidarSensor: []*osi3.LidarDetectionData{{
			Header: &osi3.SensorDetectionHeader{MountingPosition: mounting(3, 2, 0)},
			Detection: []*osi3.LidarDetection{{Position: &osi3.Spherical3D{
				Distance: proto.Float64(10)}}}}}}}
	markers := made(t, "visualization_msgs/MarkerArray", "/markers", fill.Scene{Data: data})
	require.Equal(t, "base_link", at(markers, "markers", 1, "header", "frame_id"))
	near(t, 3, markers, "markers", 1, "pose", "position", "x")
	near(t, 10, markers, "markers", 1, "pose", "position", "y")
	near(t, math.Sqrt2/2, markers, "markers", 1, "pose", "orientation", "z")
	scan := made(t, "sensor_msgs/LaserScan", "/scan", fill.Scene{Data: data})
	distance := math.Sqrt(104) // 2 m ahead of the whole sensor and to its right
	angle := math.Atan2(-10, 2)
	near(t, distance, scan, "ranges", int(math.Floor((angle+math.Pi)/(math.Pi/180))))
}
