package tracepage_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/report/tracepage"
	"gosmp/timebase"
	"gosmp/trace"
)

// lidar returns a SensorData whose sensor is 2 m in front of the rear axle and looks to the left.
// It sees n points, the first one 10 m away.
func lidar(at timebase.Time, n int) *osi3.SensorData {
	d := &osi3.SensorData{Version: message.Version(), Timestamp: message.Time(at),
		MountingPosition: &osi3.MountingPosition{Position: &osi3.Vector3D{X: proto.Float64(2)},
			Orientation: &osi3.Orientation3D{Yaw: proto.Float64(math.Pi / 2)}},
		HostVehicleLocation: &osi3.BaseMoving{Position: &osi3.Vector3D{
			X: proto.Float64(1000 + 3*at.Seconds()), Y: proto.Float64(at.Seconds())}}}
	seen := &osi3.LidarDetectionData{}
	for k := range n {
		p := &osi3.LidarDetection{Position: &osi3.Spherical3D{Distance: proto.Float64(10),
			Azimuth: proto.Float64(float64(k) / float64(n))}}
		if k > 0 {
			p.Intensity = proto.Float64(float64(k))
		}
		seen.Detection = append(seen.Detection, p)
	}
	d.FeatureData = &osi3.FeatureData{LidarSensor: []*osi3.LidarDetectionData{seen},
		UltrasonicSensor: []*osi3.UltrasonicDetectionData{{Detection: []*osi3.UltrasonicDetection{
			{Distance: proto.Float64(1.5)}}}}}
	return d
}

// written writes messages of one channel, half a second apart.
func written(t *testing.T, topic, kind string, n int,
	make func(timebase.Time) proto.Message) []byte {
	t.Helper()
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI(topic, kind))
	require.NoError(t, err)
	for k := range n {
		at := timebase.Time(k) * timebase.Second / 2
		content, err := proto.Marshal(make(at))
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: content}))
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// TestWrite_Points: a page without ground truth shows a sensor's measurements at the position of
// the vehicle.
func TestWrite_Points(t *testing.T) {
	content := written(t, "lidar", "sd", 5, func(at timebase.Time) proto.Message {
		return lidar(at, 400)
	})
	page := write(t, "a.mcap", content, tracepage.Options{})
	require.Contains(t, page, "No truth; seen by channel lidar")
	d := dataOf(t, page)
	require.Len(t, d.Scene.Frames, 5)
	require.Equal(t, []float64{0, 0, 0}, d.Scene.Frames[0].Pose)
	require.Equal(t, []float64{6, 2, 0}, d.Scene.Frames[4].Pose)
	seen, cloud := d.Scene.Frames[4].Seen[0], d.Scene.Sensors[0].Clouds[0]
	require.Equal(t, []float64{2, 0, 1.571, 1.5}, seen.Arcs)
	raw, err := base64.StdEncoding.DecodeString(seen.Clouds[0].Data)
	require.NoError(t, err)
	require.Equal(t, "lidar", cloud.Kind)
	width := 3 + len(cloud.Fields)
	require.Len(t, raw, 2*400*width)
	number := func(point, k int) float64 {
		n := int16(binary.LittleEndian.Uint16(raw[2*(point*width+k):]))
		if n == math.MinInt16 {
			return math.NaN()
		}
		return cloud.Low[k] + (float64(n)+math.MaxInt16)/(2*math.MaxInt16)*
			(cloud.High[k]-cloud.Low[k])
	}
	require.InDelta(t, 2, number(0, 0), 1e-3, "to the left of the vehicle")
	require.InDelta(t, 10, number(0, 1), 1e-3)
	require.True(t, math.IsNaN(number(0, 3)), "it has no intensity")
	require.InDelta(t, 399, number(399, 3), 0.01)
	paths := map[string][]any{}
	for _, c := range d.Curves.List {
		paths[c.Path] = c.Values
	}
	require.Equal(t, []any{1000., 1001.5, 1003., 1004.5, 1006.},
		paths["host_vehicle_location.position.x"])
}

// TestWrite_ThinsPoints: the page thins points and states this.
func TestWrite_ThinsPoints(t *testing.T) {
	content := written(t, "lidar", "sd", 2, func(at timebase.Time) proto.Message {
		return lidar(at, 150_000)
	})
	page := write(t, "a.mcap", content, tracepage.Options{})
	require.Contains(t, page, "not all points are in the page")
	require.Less(t, len(page), 4_000_000)
}

// TestWrite_Lights: the colors of traffic lights change over time.
func TestWrite_Lights(t *testing.T) {
	content := written(t, "world", "gt", 2, func(at timebase.Time) proto.Message {
		color := osi3.TrafficLight_Classification_COLOR_RED
		if at > 0 {
			color = osi3.TrafficLight_Classification_COLOR_GREEN
		}
		return &osi3.GroundTruth{Version: message.Version(), Timestamp: message.Time(at),
			TrafficLight: []*osi3.TrafficLight{{Id: message.ID(4), Base: &osi3.BaseStationary{
				Position: &osi3.Vector3D{X: proto.Float64(3)}},
				Classification: &osi3.TrafficLight_Classification{Color: &color,
					Mode: osi3.TrafficLight_Classification_MODE_CONSTANT.Enum()}}}}
	})
	d := dataOf(t, write(t, "a.mcap", content, tracepage.Options{}))
	require.Equal(t, []int{0, 2, 3}, d.Scene.Frames[0].Lights)
	require.Equal(t, []int{0, 4, 3}, d.Scene.Frames[1].Lights)
	require.Equal(t, "traffic_light[id=4].classification.color", d.Curves.List[0].Path)
}

// reflections returns a SensorView with reflections of a radar.
func reflections(at timebase.Time) proto.Message {
	const speedOfLight = 299_792_458.0
	v := &osi3.SensorView{Timestamp: message.Time(at), RadarSensorView: []*osi3.RadarSensorView{{}}}
	for k := range 20 {
		v.RadarSensorView[0].Reflection = append(v.RadarSensorView[0].Reflection,
			&osi3.RadarSensorView_Reflection{
				TimeOfFlight:          proto.Float64(float64(20+k) / speedOfLight),
				SourceHorizontalAngle: proto.Float64(float64(k) / 20),
				SignalStrength:        proto.Float64(-50 - float64(k))})
	}
	return v
}

// Lists that are empty are not null, because the script of the page goes through them.
func TestWrite_ReflectionsHaveNoNullLists(t *testing.T) {
	page := write(t, "a.mcap", written(t, "view", "sv", 2, reflections), tracepage.Options{})
	require.Contains(t, page, `"clouds":[{"cloud":0`)
	for _, list := range []string{"boxes", "lines", "arcs", "clouds", "objects", "lights"} {
		require.NotContains(t, page, `"`+list+`":null`)
	}
}
