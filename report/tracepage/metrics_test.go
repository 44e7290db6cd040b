package tracepage_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/frames"
	"gosmp/mocksim/scene"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/report/tracepage"
	"gosmp/timebase"
	"gosmp/trace"
)

// A post-encroachment time may be negative. The page explains its sign, but only if it has one.
func TestWrite_ExplainsNegativeTimes(t *testing.T) {
	const note = "negative if the object was"
	page := write(t, "follow.mcap", follow(t), tracepage.Options{})
	require.Regexp(t, `<td>post encroachment time<td>truth<td>s<td>1<td>-`, page)
	require.Contains(t, page, note)
	require.NotContains(t, write(t, "drive.mcap", record(t, 20, "front"), tracepage.Options{}), note)
}

// follow returns a trace in which the host vehicle drives 30 m after another vehicle.
func follow(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("truth", "gt"))
	require.NoError(t, err)
	car := func(id uint64, x float64) *osi3.MovingObject {
		return &osi3.MovingObject{Id: message.ID(id),
			Type: osi3.MovingObject_TYPE_VEHICLE.Enum(),
			Base: &osi3.BaseMoving{Position: message.Vector(frames.Vector{X: x}),
				Dimension: &osi3.Dimension3D{Length: proto.Float64(4), Width: proto.Float64(2),
					Height: proto.Float64(1.5)},
				Orientation: &osi3.Orientation3D{}, Velocity: message.Vector(frames.Vector{X: 20})}}
	}
	for k := range 60 {
		at := timebase.Time(k) * 50 * timebase.Millisecond
		x := 20 * at.Seconds()
		g := &osi3.GroundTruth{Version: message.Version(), Timestamp: message.Time(at),
			HostVehicleId: message.ID(1),
			MovingObject:  []*osi3.MovingObject{car(1, x), car(2, x+30)}}
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(g)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at, Data: data}))
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// Each sensor is measured, and all figures name their channel.
func TestWrite_MeasuresEachSensor(t *testing.T) {
	truth := scene.Motorway(0).GetGlobalGroundTruth()
	all, fewer := detected(0, truth), detected(0, truth)
	fewer.MovingObject = fewer.MovingObject[:1]
	messages := []struct {
		topic, kind string
		content     proto.Message
	}{{"world", "gt", truth}, {"front", "sd", fewer}, {"fused", "sd", all}}
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for _, m := range messages {
		c, err := sink.Add(trace.OSI(m.topic, m.kind))
		require.NoError(t, err)
		content, err := proto.Marshal(m.content)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: content}))
	}
	require.NoError(t, sink.Close())
	page := write(t, "fusion.mcap", b.Bytes(), tracepage.Options{})
	require.Contains(t, page, "Truth of channel world, detections of channels front, fused.")
	for _, row := range []string{"<td>speed<td>world<td>m/s", "<td>detection rate<td>front<td>",
		"<td>detection rate<td>fused<td>", "<td>position error<td>front<td>m"} {
		require.Contains(t, page, row)
	}
	rates := map[string]any{}
	for _, c := range dataOf(t, page).Curves.List {
		if c.Channel == "metrics" && strings.HasPrefix(c.Path, "Detection rate") {
			rates[c.Path] = c.Values[0]
		}
	}
	n := float64(len(truth.MovingObject) - 1)
	require.Len(t, rates, 2)
	require.InDelta(t, 1/n, rates["Detection rate of front"], 1e-6)
	require.InDelta(t, 3/n, rates["Detection rate of fused"], 1e-6)
}

// A trace without any ground truth shows the updates of objects.
func TestWrite_TrafficUpdate(t *testing.T) {
	page := write(t, "a.mcap", written(t, "moves", "tu", 3, func(at timebase.Time) proto.Message {
		return &osi3.TrafficUpdate{Timestamp: message.Time(at),
			Update: scene.Motorway(at).GetGlobalGroundTruth().GetMovingObject()[:2]}
	}), tracepage.Options{})
	require.Contains(t, page, "Objects of channel moves.")
	require.Contains(t, page, "Nothing to measure: the trace has no GroundTruth, SensorView or "+
		"SensorData.")
	frames := dataOf(t, page).Scene.Frames
	require.Len(t, frames, 3)
	require.Len(t, frames[2].Objects, 10)
	require.NotEqual(t, frames[0].Objects, frames[2].Objects)
}
