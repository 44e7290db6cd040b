package flow_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/bridge"
	"gosmp/bridge/flow"
	"gosmp/bridge/ros"
	"gosmp/frames"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace/mcap"
)

const text = `{"bridge": 1, "system": "ros2", "messages": [
	{"topic": "/goal", "type": "geometry_msgs/PoseStamped", "direction": "down", "vehicle": "sut", "event": "goal"},
	{"topic": "/goal", "type": "geometry_msgs/PoseStamped", "direction": "up", "vehicle": "sut", "event": "seen"},
	{"topic": "/on", "type": "std_msgs/Bool", "direction": "down", "vehicle": "sut", "event": "on"},
	{"topic": "/imu", "type": "sensor_msgs/Imu", "direction": "down", "vehicle": "sut", "event": "imu", "from": "view"},
	{"topic": "/fix", "type": "sensor_msgs/NavSatFix", "direction": "down", "vehicle": "sut", "event": "fix", "from": "view"},
	{"topic": "/objects", "type": "vision_msgs/Detection3DArray", "direction": "down", "vehicle": "sut", "event": "objects", "from": "view"}],
	"transport": TRANSPORT}`

func open(t require.TestingT, transport string) *flow.Flow {
	c, err := bridge.ParseConfig("c.json", []byte(strings.Replace(text, "TRANSPORT", transport, 1)))
	require.NoError(t, err)
	f, err := flow.Open(c, flow.Options{})
	require.NoError(t, err)
	return f
}

// An event goes down, and its data comes up. With a loop-back, topics that only go down return
// nothing.
func TestFlow_Events(t *testing.T) {
	f := open(t, `{"kind": "loopback"}`)
	f.Advance(20)
	require.Empty(t, f.Address())
	require.NoError(t, f.Emit(40*timebase.Millisecond, "on", map[string]any{"data": true}))
	require.NoError(t,
		f.Emit(40*timebase.Millisecond, "goal",
			map[string]any{"header": map[string]any{"frame_id": "map"},
				"pose": map[string]any{"position": map[string]any{"x": 1.5, "y": math.NaN()}}}))
	list, err := f.Arrived()
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "seen", list[0].Name)
	require.Equal(t, 40*timebase.Millisecond, list[0].Time)
	position := list[0].Data["pose"].(map[string]any)["position"].(map[string]any)
	require.Equal(t, map[string]any{"x": 1.5, "y": nil, "z": 0.0}, position, "JSON has no NaN")
	list, err = f.Arrived()
	require.NoError(t, err)
	require.Empty(t, list)
	require.ErrorIs(t, f.Emit(0, "seen", nil), flow.ErrEvent, "it goes up")
	require.ErrorContains(t, f.Emit(0, "on", map[string]any{"dta": true}),
		"event on: std_msgs/Bool: bad value")
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
}

func published(t *testing.T, sense func(f *flow.Flow)) map[string][]byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.mcap")
	f := open(t, `{"kind": "mcap", "path": "`+filepath.ToSlash(file)+`"}`)
	sense(f)
	require.NoError(t, f.Close())
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	r, err := mcap.Open(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	found := map[string][]byte{}
	for m, err := range r.Messages(mcap.Query{}) {
		require.NoError(t, err)
		require.EqualValues(t, 1_500_000_000, m.LogTime)
		found[r.Channels[m.ChannelID].Topic] = bytes.Clone(m.Data)
	}
	return found
}

func vector(x, y, z float64) *osi3.Vector3D {
	return &osi3.Vector3D{X: &x, Y: &y, Z: &z}
}

func angles(roll, pitch, yaw float64) *osi3.Orientation3D {
	return &osi3.Orientation3D{Roll: &roll, Pitch: &pitch, Yaw: &yaw}
}

func identifier(v uint64) *osi3.Identifier { return &osi3.Identifier{Value: &v} }

func view() *osi3.SensorView {
	size := &osi3.Dimension3D{Length: proto.Float64(4), Width: proto.Float64(2),
		Height: proto.Float64(1.5)}
	car := func(id uint64, x float64) *osi3.MovingObject {
		return &osi3.MovingObject{Id: identifier(id), Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
			Base: &osi3.BaseMoving{Position: vector(x, 3, 0.75), Orientation: angles(0, 0,
				math.Pi/2), Dimension: size}}
	}
	return &osi3.SensorView{HostVehicleId: identifier(1),
		GlobalGroundTruth: &osi3.GroundTruth{MovingObject: []*osi3.MovingObject{car(1, 0), car(2, 30)}}, HostVehicleData: &osi3.HostVehicleData{
			VehicleMotion: &osi3.HostVehicleData_VehicleMotion{Orientation: angles(0, 0, math.Pi/2),
				OrientationRate: angles(0.1, 0.2, 0.3), Acceleration: vector(2, 1, 0)},
			VehicleLocalization: &osi3.HostVehicleData_VehicleLocalization{
				GeodeticPosition: &osi3.GeodeticPosition{
					Latitude: proto.Float64(48.1), Longitude: proto.Float64(11.6),
					Altitude: proto.Float64(520)}}}}
}

const at = 1500 * timebase.Millisecond

func sense(t *testing.T, f *flow.Flow, kind string, m proto.Message) {
	t.Helper()
	b, err := proto.Marshal(m)
	require.NoError(t, err)
	for _, topic := range f.Config().Topics {
		if topic.From != "" {
			require.NoError(t, f.Sense(topic, at, kind, b), topic.Name)
		}
	}
}

// The content of a SensorView about the host vehicle and the others.
func TestFlow_SensesAView(t *testing.T) {
	found := published(t, func(f *flow.Flow) { sense(t, f, "SensorView", view()) })
	var imu ros.Imu
	require.NoError(t, imu.Unmarshal(found["/imu"]))
	require.Equal(t,
		ros.Header{Stamp: ros.Time{Sec: 1, Nanosec: 500_000_000}, FrameID: "base_link"}, imu.Header)
	require.Equal(t, ros.Vector3{X: 0.1, Y: 0.2, Z: 0.3}, imu.AngularVelocity)
	require.InDelta(t, 2, imu.LinearAcceleration.X, 1e-12)
	require.InDelta(t, 9.80665, imu.LinearAcceleration.Z, 1e-12,
		"an accelerometer at rest measures gravity upwards")
	require.InDelta(t, math.Sqrt2/2, imu.Orientation.Z, 1e-12)
	require.InDelta(t, math.Sqrt2/2, imu.Orientation.W, 1e-12)
	var fix ros.NavSatFix
	require.NoError(t, fix.Unmarshal(found["/fix"]))
	require.Equal(t, []float64{48.1, 11.6, 520}, []float64{fix.Latitude, fix.Longitude,
		fix.Altitude})
	var objects ros.Detection3DArray
	require.NoError(t, objects.Unmarshal(found["/objects"]))
	require.Equal(t, "map", objects.Header.FrameID)
	require.Len(t, objects.Detections, 1, "without the host vehicle")
	require.Equal(t, "2", objects.Detections[0].ID)
	require.Equal(t, ros.Point{X: 30, Y: 3, Z: 0.75}, objects.Detections[0].Bbox.Center.Position)
	require.Equal(t, ros.Vector3{X: 4, Y: 2, Z: 1.5}, objects.Detections[0].Bbox.Size)
	require.Equal(t, "TYPE_VEHICLE", objects.Detections[0].Results[0].Hypothesis.ClassID)
}

// A bridge of ROS 1 publishes the same messages in the format of ROS 1.
func TestFlow_SensesForROS1(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.mcap")
	c, err := bridge.ParseConfig("c.json", []byte(`{"bridge": 1, "system": "ros1", "messages": [
		{"topic": "/imu", "type": "sensor_msgs/Imu", "direction": "down", "vehicle": "sut", "event": "imu", "from": "view"}],
		"transport": {"kind": "mcap", "path": "`+filepath.ToSlash(file)+`"}}`))
	require.NoError(t, err)
	f, err := flow.Open(c, flow.Options{})
	require.NoError(t, err)
	sense(t, f, "SensorView", view())
	require.NoError(t, f.Close())
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	r, err := mcap.Open(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	found := 0
	for m, err := range r.Messages(mcap.Query{}) {
		require.NoError(t, err)
		found++
		value, err := c.Definitions.Decode(c.Topics[0].Message, m.Data)
		require.NoError(t, err)
		require.Equal(t, map[string]any{"seq": uint64(0), "stamp": map[string]any{"sec": int64(1),
			"nanosec": uint64(500_000_000)}, "frame_id": "base_link"},
			value["header"])
		require.InDelta(t, 9.80665, value["linear_acceleration"].(map[string]any)["z"], 1e-12)
	}
	require.Equal(t, 1, found)
}

// The content of a SensorData: detections in the vehicle frame, and the estimate of the host
// vehicle in the world frame.
func TestFlow_SensesData(t *testing.T) {
	data := &osi3.SensorData{
		HostVehicleLocation: &osi3.BaseMoving{Orientation: angles(0, 0, math.Pi/2),
			OrientationRate: angles(0, 0, 0.5), Acceleration: vector(0, 2, 0)},
		MovingObject: []*osi3.DetectedMovingObject{{Header: &osi3.DetectedItemHeader{TrackingId: identifier(7)}, Base: &osi3.BaseMoving{Position: vector(20, 1, 0)},
			Candidate: []*osi3.DetectedMovingObject_CandidateMovingObject{
				{Probability: proto.Float64(0.2), Type: osi3.MovingObject_TYPE_ANIMAL.Enum()},
				{Probability: proto.Float64(0.8),
					Type: osi3.MovingObject_TYPE_PEDESTRIAN.Enum()}}}}}
	found := published(t, func(f *flow.Flow) {
		b, err := proto.Marshal(data)
		require.NoError(t, err)
		require.NoError(t, f.Sense(f.Config().Topic("/imu", bridge.Down), at, "SensorData", b))
		require.NoError(t, f.Sense(f.Config().Topic("/objects", bridge.Down), at, "SensorData", b))
		err = f.Sense(f.Config().Topic("/fix", bridge.Down), at, "SensorData", b)
		require.ErrorIs(t, err, flow.ErrData)
		require.EqualError(t, err,
			"view: no sensor data: found no geodetic position, expected "+
				"host_vehicle_data.vehicle_localization.geodetic_position, for topic /fix")
	})
	var imu ros.Imu
	require.NoError(t, imu.Unmarshal(found["/imu"]))
	require.InDelta(t, 2, imu.LinearAcceleration.X, 1e-12, "north is ahead")
	require.InDelta(t, 0.5, imu.AngularVelocity.Z, 1e-12)
	var objects ros.Detection3DArray
	require.NoError(t, objects.Unmarshal(found["/objects"]))
	require.Equal(t, "base_link", objects.Detections[0].Header.FrameID)
	require.Equal(t, "7", objects.Detections[0].ID)
	require.Equal(t, ros.ObjectHypothesis{ClassID: "TYPE_PEDESTRIAN", Score: 0.8},
		objects.Detections[0].Results[0].Hypothesis)
}

// Messages without data.
func TestFlow_SenseRefuses(t *testing.T) {
	f := open(t, `{"kind": "loopback"}`)
	imu := f.Config().Topic("/imu", bridge.Down)
	require.ErrorIs(t, f.Sense(imu, 0, "GroundTruth", nil), flow.ErrData)
	require.ErrorIs(t, f.Sense(imu, 0, "SensorView", nil), flow.ErrData)
	require.ErrorIs(t, f.Sense(imu, 0, "SensorData", nil), flow.ErrData)
	require.ErrorContains(t, f.Sense(imu, 0, "SensorView", []byte{0xff}), "view: proto")
	require.ErrorContains(t, f.Sense(imu, 0, "SensorData", []byte{0xff}), "view: proto")
}

// The quaternion rotates a vector like the angles do.
func TestFlow_Quaternion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		angle := rapid.Float64Range(-3, 3)
		o := frames.Orientation{Roll: angle.Draw(t, "roll"), Pitch: angle.Draw(t, "pitch"),
			Yaw: angle.Draw(t, "yaw")}
		q := flow.Quaternion(o)
		v := frames.Vector{X: 1, Y: -2, Z: 3}
		cross := func(a, b frames.Vector) frames.Vector {
			return frames.Vector{X: a.Y*b.Z - a.Z*b.Y, Y: a.Z*b.X - a.X*b.Z, Z: a.X*b.Y - a.Y*b.X}
		}
		axis := frames.Vector{X: q.X, Y: q.Y, Z: q.Z}
		c := cross(axis, v)
		c = frames.Vector{X: c.X + q.W*v.X, Y: c.Y + q.W*v.Y, Z: c.Z + q.W*v.Z}
		c = cross(axis, c)
		r := o.Rotation()
		want := r.Apply(v)
		require.InDelta(t, want.X, v.X+2*c.X, 1e-12)
		require.InDelta(t, want.Y, v.Y+2*c.Y, 1e-12)
		require.InDelta(t, want.Z, v.Z+2*c.Z, 1e-12)
	})
}

// The clock needs no OSI message, in either spelling; missing data is reported as such.
func TestSense_ClockAndFilledMessages(t *testing.T) {
	for _, from := range []string{`"time"`, `{"clock": "time"}`} {
		c, err := bridge.ParseConfig("c.json", []byte(`{"bridge": 1, "system": "ros2", "messages": [
			{"topic": "/clock", "type": "rosgraph_msgs/Clock", "direction": "down", "vehicle": "sut", "event": "down", "from": `+from+`},
			{"topic": "/clock", "type": "rosgraph_msgs/Clock", "direction": "up", "vehicle": "sut", "event": "up"},
			{"topic": "/odom", "type": "nav_msgs/Odometry", "direction": "down", "vehicle": "sut", "event": "odom", "from": "view"}]}`))
		require.NoError(t, err)
		f, err := flow.Open(c, flow.Options{})
		require.NoError(t, err)
		require.NoError(t, f.Sense(c.Topic("/clock", bridge.Down), 1500*timebase.Millisecond, "",
			nil))
		list, err := f.Arrived()
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.EqualValues(t, 500_000_000, list[0].Data["clock"].(map[string]any)["nanosec"])
		odometry := c.Topic("/odom", bridge.Down)
		require.ErrorIs(t, f.Sense(odometry, 0, "GroundTruth", nil), flow.ErrData)
		require.ErrorIs(t, f.Sense(odometry, 0, "HostVehicleData", nil), flow.ErrData)
		require.NoError(t, f.Close())
	}
}

// The time offset is in all stamps, but not in the simulated time of messages that come up.
func TestSense_TimeOffset(t *testing.T) {
	for _, offset := range []string{`1000.5`, `"wall"`} {
		c, err := bridge.ParseConfig("c.json", []byte(`{"bridge": 1, "system": "ros2", "time_offset": `+offset+`, "messages": [
			{"topic": "/clock", "type": "rosgraph_msgs/Clock", "direction": "down", "vehicle": "sut", "event": "down", "from": "time"},
			{"topic": "/clock", "type": "rosgraph_msgs/Clock", "direction": "up", "vehicle": "sut", "event": "up"}]}`))
		require.NoError(t, err)
		f, err := flow.Open(c, flow.Options{})
		require.NoError(t, err)
		var seconds []float64
		before := time.Now()
		for _, now := range []timebase.Time{timebase.Second, 3 * timebase.Second} {
			require.NoError(t, f.Sense(c.Topic("/clock", bridge.Down), now, "", nil))
			list, err := f.Arrived()
			require.NoError(t, err)
			require.Equal(t, now, list[0].Time)
			clock := list[0].Data["clock"].(map[string]any)
			seconds = append(seconds,
				float64(clock["sec"].(int64))+float64(clock["nanosec"].(uint64))/1e9)
		}
		require.InDelta(t, 2, seconds[1]-seconds[0], 1e-6)
		if c.TimeOffset.Wall {
			require.GreaterOrEqual(t, seconds[0], float64(before.UnixNano())/1e9-1e-3)
			require.LessOrEqual(t, seconds[0], float64(time.Now().UnixNano())/1e9+1e-3)
		} else {
			require.InDelta(t, 1001.5, seconds[0], 1e-9)
		}
		require.NoError(t, f.Close())
	}
	for _, bad := range []string{`-1`, `3e9`, `"now"`, `true`} {
		_, err := bridge.ParseConfig("c.json",
			[]byte(`{"bridge": 1, "system": "ros2", "time_offset": `+bad+`, "messages": []}`))
		require.ErrorContains(t, err, `expected seconds from 0 to 2e9, or "wall"`)
	}
}

// Objects come from the truth of a SensorView, unless there is a SensorData.
func TestSense_ObjectsOfASensorView(t *testing.T) {
	c, err := bridge.ParseConfig("c.json", []byte(`{"bridge": 1, "system": "ros2", "messages": [
		{"topic": "/objects", "type": "autoware_perception_msgs/DetectedObjects", "direction": "down", "vehicle": "sut", "event": "down", "from": "view"},
		{"topic": "/objects", "type": "autoware_perception_msgs/DetectedObjects", "direction": "up", "vehicle": "sut", "event": "up"}]}`))
	require.NoError(t, err)
	f, err := flow.Open(c, flow.Options{})
	require.NoError(t, err)
	view := &osi3.SensorView{HostVehicleId: &osi3.Identifier{Value: proto.Uint64(1)},
		GlobalGroundTruth: &osi3.GroundTruth{}}
	for id := range uint64(3) {
		view.GlobalGroundTruth.MovingObject = append(view.GlobalGroundTruth.MovingObject,
			&osi3.MovingObject{Id: &osi3.Identifier{Value: proto.Uint64(id)}})
	}
	for kind, want := range map[string]int{"SensorView": 2, "SensorData": 0} {
		var m proto.Message = view
		if kind == "SensorData" {
			m = &osi3.SensorData{SensorView: []*osi3.SensorView{view}}
		}
		b, err := proto.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, f.Sense(c.Topic("/objects", bridge.Down), 0, kind, b))
		list, err := f.Arrived()
		require.NoError(t, err)
		require.Len(t, list[0].Data["objects"], want, kind)
	}
	require.NoError(t, f.Close())
}
