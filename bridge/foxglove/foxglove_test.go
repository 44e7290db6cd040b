package foxglove_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/bridge/foxglove"
	view "gosmp/proto/foxglove"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
)

func vec(x, y, z float64) *osi3.Vector3D { return &osi3.Vector3D{X: &x, Y: &y, Z: &z} }

func id(n uint64) *osi3.Identifier { return &osi3.Identifier{Value: &n} }

func yaw(a float64) *osi3.Orientation3D { return &osi3.Orientation3D{Yaw: &a} }

func mounted(x, y, turned float64) *osi3.MountingPosition {
	return &osi3.MountingPosition{Position: vec(x, y, 0), Orientation: yaw(turned)}
}

func car(n uint64, at *osi3.Vector3D, turned float64, v *osi3.Vector3D) *osi3.MovingObject {
	return &osi3.MovingObject{Id: id(n),
		Base: &osi3.BaseMoving{Position: at, Orientation: yaw(turned),
			Velocity: v, Dimension: &osi3.Dimension3D{Length: proto.Float64(4),
				Width: proto.Float64(2), Height: proto.Float64(1.5)}},
		Type:              osi3.MovingObject_TYPE_VEHICLE.Enum(),
		VehicleAttributes: &osi3.MovingObject_VehicleAttributes{BbcenterToRear: vec(-1, 0, 0)}}
}

// truth returns a GroundTruth with a host at (100, 50) that faces north, a car 20 m north of it, a
// lane, and a light.
func truth() *osi3.GroundTruth {
	boundary := &osi3.LaneBoundary{Id: id(50), Classification: &osi3.LaneBoundary_Classification{
		Type:  osi3.LaneBoundary_Classification_TYPE_DASHED_LINE.Enum(),
		Color: osi3.LaneBoundary_Classification_COLOR_WHITE.Enum()},
		BoundaryLine: []*osi3.LaneBoundary_BoundaryPoint{{Position: vec(98, 0, 0)},
			{Position: vec(98, 12, 0)}}}
	return &osi3.GroundTruth{HostVehicleId: id(1),
		MovingObject: []*osi3.MovingObject{car(1, vec(100, 50, 0.75), math.Pi/2, vec(0, 10, 0)),
			car(2, vec(100, 70, 0.75), math.Pi/2, vec(0, 0, 0))},
		LaneBoundary: []*osi3.LaneBoundary{boundary},
		TrafficLight: []*osi3.TrafficLight{{Id: id(9),
			Base: &osi3.BaseStationary{Position: vec(105, 90, 5)},
			Classification: &osi3.TrafficLight_Classification{
				Color: osi3.TrafficLight_Classification_COLOR_RED.Enum(),
				Mode:  osi3.TrafficLight_Classification_MODE_CONSTANT.Enum()}}},
		ProjString: proto.String("+proj=tmerc +lat_0=48 +lon_0=11 +k=1 +datum=WGS84"),
	}
}

// seen returns a sensor 2 m ahead of the rear axle, turned to the left, that sees the car and its
// rear with a lidar.
func seen() *osi3.SensorData {
	return &osi3.SensorData{MountingPosition: mounted(2, 0, math.Pi/2),
		MovingObject: []*osi3.DetectedMovingObject{{Header: &osi3.DetectedItemHeader{
			TrackingId: id(7)}, Base: &osi3.BaseMoving{Position: vec(0, -19, 0)}}},
		FeatureData: &osi3.FeatureData{
			LidarSensor: []*osi3.LidarDetectionData{{Detection: []*osi3.LidarDetection{
				{Position: &osi3.Spherical3D{Distance: proto.Float64(17),
					Azimuth: proto.Float64(-math.Pi / 2)}, Intensity: proto.Float64(40)},
				{Position: &osi3.Spherical3D{Azimuth: proto.Float64(1)}}}}},
			UltrasonicSensor: []*osi3.UltrasonicDetectionData{{
				Header: &osi3.SensorDetectionHeader{MountingPosition: mounted(3, 0, 0)},
				Detection: []*osi3.UltrasonicDetection{{Distance: proto.Float64(2)},
					{ExistenceProbability: proto.Float64(0)}}}},
		}}
}

// drawn holds the derived messages by topic.
type drawn map[string][]proto.Message

func (d drawn) emit(topic string, m proto.Message) error {
	d[topic] = append(d[topic], m)
	return nil
}

func add(t *testing.T, k *foxglove.Maker, to drawn, topic string, m proto.Message) {
	t.Helper()
	require.NoError(t, k.Add(topic, timebase.Second/2, m, to.emit))
}

func TestMaker_Truth(t *testing.T) {
	d := drawn{}
	add(t, &foxglove.Maker{}, d, "world", truth())
	scene := d["/world/objects"][0].(*view.SceneUpdate)
	require.Equal(t, view.SceneEntityDeletion_ALL, scene.Deletions[0].Type)
	require.Len(t, scene.Entities, 3)
	host := scene.Entities[0]
	require.Equal(t, "moving_object 1", host.Id)
	require.Equal(t, foxglove.World, host.FrameId)
	require.EqualValues(t, 500_000_000, host.Timestamp.Nanos)
	require.InDelta(t, 4, host.Cubes[0].Size.X, 0)
	require.InDelta(t, 10, host.Arrows[0].ShaftLength+host.Arrows[0].HeadLength, 1e-12)
	require.InDelta(t, math.Sqrt2/2, host.Arrows[0].Pose.Orientation.Z, 1e-12)
	require.Equal(t, "1", host.Texts[0].Text)
	require.Empty(t, scene.Entities[1].Arrows, "it stands")
	require.NotEqual(t, host.Cubes[0].Color.B, scene.Entities[1].Cubes[0].Color.B)
	light := scene.Entities[2].Spheres[0]
	require.InDelta(t, 1, light.Color.A, 0)
	require.Greater(t, light.Color.R, 4*light.Color.G)

	tf := d[foxglove.TopicFrames][0].(*view.FrameTransforms).Transforms[0]
	require.Equal(t, foxglove.World+" "+foxglove.Vehicle, tf.ParentFrameId+" "+tf.ChildFrameId)
	require.InDelta(t, 49, tf.Translation.Y, 1e-12, "the middle of the rear axle")
	lanes := d["/world/lanes"][0].(*view.SceneUpdate).Entities[0].Lines[0]
	require.Equal(t, view.LinePrimitive_LINE_LIST, lanes.Type)
	require.Len(t, lanes.Points, 4, "two strokes and two gaps of 3 m")
	require.InDelta(t, 6, lanes.Points[2].Y, 1e-9)
	fix := d["/world/location"][0].(*view.LocationFix)
	require.Len(t, fix.GetPositionCovariance(), 9, "as the schema requires")
	require.InDelta(t, 48+49/111_194.0, fix.Latitude, 1e-5)
	require.InDelta(t, 11+100/(111_320*math.Cos(48*math.Pi/180)), fix.Longitude, 1e-5)
	var geo struct {
		Features []struct {
			Geometry struct{ Coordinates [][2]float64 }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(d["/world/map"][0].(*view.GeoJSON).Geojson), &geo))
	require.InDelta(t, 48, geo.Features[0].Geometry.Coordinates[0][1], 1e-6)
}

// TestMaker_LanesOnce: lanes are sent again only if they changed.
func TestMaker_LanesOnce(t *testing.T) {
	d, k := drawn{}, &foxglove.Maker{}
	add(t, k, d, "world", truth())
	add(t, k, d, "world", truth())
	without := truth()
	without.LaneBoundary = nil
	add(t, k, d, "world", without)
	require.Len(t, d["/world/lanes"], 1)
	require.Len(t, d["/world/objects"], 3)
	moved := truth()
	moved.LaneBoundary[0].BoundaryLine[0].Position.X = proto.Float64(97)
	add(t, k, d, "world", moved)
	require.Len(t, d["/world/lanes"], 2)
}

// TestMaker_Detections: a turned sensor sees the rear of the car 17 m away.
func TestMaker_Detections(t *testing.T) {
	d, k := drawn{}, &foxglove.Maker{TruthElsewhere: true}
	add(t, k, d, "radar", seen())
	box := d["/radar/objects"][0].(*view.SceneUpdate).Entities[0]
	require.Equal(t, foxglove.Vehicle, box.FrameId)
	at := box.Spheres[0].Pose.Position // without a size
	require.InDelta(t, 21, at.X, 1e-9)
	require.InDelta(t, 0, at.Y, 1e-9)
	cloud := d["/radar/lidar/0"][0].(*view.PointCloud)
	require.Len(t, cloud.Data, int(cloud.PointStride), "a point without a distance is left out")
	number := func(k int) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(cloud.Data[4*k:])))
	}
	require.InDelta(t, 19, number(0), 1e-5)
	require.InDelta(t, 0, number(1), 1e-5)
	require.Equal(t, "intensity", cloud.Fields[3].Name)
	require.InDelta(t, 40, number(3), 0)
	require.True(t, math.IsNaN(number(4)), "no existence probability")
	arcs := d["/radar/objects"][0].(*view.SceneUpdate).Entities[1]
	require.Len(t, arcs.Lines, 1)
	require.InDelta(t, 5, arcs.Lines[0].Points[8].X, 1e-9)

	add(t, k, d, "radar", &osi3.SensorData{})
	require.Len(t, d["/radar/lidar/0"], 2)
	require.Empty(t, d["/radar/lidar/0"][1].(*view.PointCloud).Data, "the points are gone")
}

// TestMaker_TruthInside: without other channels, one SensorData shows the truth and moves the
// vehicle.
func TestMaker_TruthInside(t *testing.T) {
	inside := seen()
	inside.SensorView = []*osi3.SensorView{{GlobalGroundTruth: truth(), HostVehicleId: id(1)}}
	for _, elsewhere := range []bool{false, true} {
		d, k := drawn{}, &foxglove.Maker{TruthElsewhere: elsewhere}
		add(t, k, d, "a", proto.Clone(inside))
		add(t, k, d, "b", proto.Clone(inside))
		require.NotContains(t, d, "/b/sensor_view/objects")
		if elsewhere {
			require.NotContains(t, d, "/a/sensor_view/objects")
			require.Len(t, d[foxglove.TopicFrames], 2, "the mounting positions")
			continue
		}
		require.Len(t, d["/a/sensor_view/objects"], 1)
		first := d[foxglove.TopicFrames][0].(*view.FrameTransforms).Transforms[0]
		require.InDelta(t, 49, first.Translation.Y, 1e-12)
	}
}

// TestMaker_Unusable: content that cannot be drawn is left out and logged.
func TestMaker_Unusable(t *testing.T) {
	d, g := drawn{}, truth()
	g.MovingObject[1].Base.Position.X = proto.Float64(math.NaN())
	add(t, &foxglove.Maker{}, d, "world", g)
	require.Len(t, d["/world/objects"][0].(*view.SceneUpdate).Entities, 2)
	log := d[foxglove.TopicLog][0].(*view.Log)
	require.Equal(t, view.Log_WARNING, log.Level)
	require.Contains(t, log.Message, "moving_object 2")
}

// list is a trace in memory.
type list struct {
	channels []*trace.Channel
	messages []*trace.Message
}

func (l *list) Info() *trace.Info          { return &trace.Info{} }
func (l *list) Channels() []*trace.Channel { return l.channels }
func (l *list) Close() error               { return nil }
func (l *list) Next() (*trace.Message, error) {
	if len(l.messages) == 0 {
		return nil, io.EOF
	}
	m := l.messages[0]
	l.messages = l.messages[1:]
	return m, nil
}

func recording(t *testing.T) *list {
	t.Helper()
	world, radar := trace.OSI("world", "gt"), trace.OSI("my radar", "sd")
	l := &list{channels: []*trace.Channel{&world, &radar}}
	for k := range timebase.Time(3) {
		for _, c := range l.channels {
			var m proto.Message = truth()
			if c == &radar {
				m = seen()
			}
			data, err := proto.Marshal(m)
			require.NoError(t, err)
			l.messages = append(l.messages, &trace.Message{Channel: c, Time: k * timebase.Second,
				Publish: k * timebase.Second, Data: data})
		}
	}
	l.messages = append(l.messages, &trace.Message{Channel: &radar, Time: 3 * timebase.Second,
		Data: []byte{0xff}})
	return l
}

// TestSource_WritesAFile: the messages of the recording are kept, and each is followed by the
// messages for viewers. GOSMP_VIEW names a file to open in a viewer.
func TestSource_WritesAFile(t *testing.T) {
	to, err := os.CreateTemp(t.TempDir(), "*.mcap")
	require.NoError(t, err)
	if name := os.Getenv("GOSMP_VIEW"); name != "" {
		to, err = os.Create(name)
		require.NoError(t, err)
	}
	s := foxglove.NewSource(recording(t))
	c := &trace.Copy{Format: trace.MCAP}
	require.NoError(t, c.Run(to, s))
	require.NoError(t, to.Close())
	back, err := trace.Open(to.Name(), trace.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, back.Close()) }()
	counts, decoder := map[string]int{}, trace.Decoder{}
	for {
		m, err := back.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		counts[m.Channel.Topic+" "+m.Channel.Type]++
		if m.Time < 3*timebase.Second {
			_, err = decoder.Decode(m)
			require.NoError(t, err)
		}
	}
	require.Equal(t, map[string]int{"world osi3.GroundTruth": 3, "my radar osi3.SensorData": 4,
		"/world/objects foxglove.SceneUpdate": 3, "/world/lanes foxglove.SceneUpdate": 1,
		"/world/location foxglove.LocationFix": 3, "/world/map foxglove.GeoJSON": 1,
		"/tf foxglove.FrameTransforms": 6, "/my radar/objects foxglove.SceneUpdate": 3,
		"/my radar/lidar/0 foxglove.PointCloud": 3, "/log foxglove.Log": 1}, counts)

	layout, err := foxglove.Layout(s.Channels(), s.Drawn())
	require.NoError(t, err)
	var read struct {
		ConfigByID map[string]map[string]any `json:"configById"`
	}
	require.NoError(t, json.Unmarshal(layout, &read))
	require.Contains(t, read.ConfigByID["3D!scene"]["topics"], "/my radar/lidar/0")
	require.Equal(t, "/world/location", read.ConfigByID["map!map"]["followTopic"])
	require.Contains(t, string(layout), `"world.moving_object[0].base.velocity.x"`)
}
