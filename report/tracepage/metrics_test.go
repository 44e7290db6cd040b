package tracepage_test

import (
	"bytes"
	"fmt"
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
	page := write(t, "follow.mcap", follow(t, 30), tracepage.Options{})
	require.Regexp(t, `<td>post encroachment time<td>truth<td>s<td>1<td>-`, page)
	require.Contains(t, page, note)
	page = write(t, "lead.mcap", follow(t, -30), tracepage.Options{})
	require.Regexp(t, `<td>post encroachment time<td>truth<td>s<td>1<td>1\.`, page)
	require.NotContains(t, page, note)
	require.NotContains(t, write(t, "drive.mcap", record(t, 20, "front"), tracepage.Options{}), note)
}

// follow returns a trace with a vehicle that drives at a distance in front of the host vehicle.
func follow(t *testing.T, distance float64) []byte {
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
			MovingObject:  []*osi3.MovingObject{car(1, x), car(2, x+distance)}}
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

// Each traffic participant may have a channel of its own. An object is shown from the first to the
// last message of its channel; of an object in several channels, the newest counts.
func TestWrite_SeveralChannelsOfUpdates(t *testing.T) {
	object := func(id uint64, x float64) *osi3.MovingObject {
		return &osi3.MovingObject{Id: &osi3.Identifier{Value: &id}, Base: &osi3.BaseMoving{
			Position: &osi3.Vector3D{X: &x}}}
	}
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	channels := map[string]*trace.Channel{}
	for name, kind := range map[string]string{"a": "tu", "b": "tu", "late": "su"} {
		channels[name], err = sink.Add(trace.OSI(name, kind))
		require.NoError(t, err)
	}
	put := func(name string, at timebase.Time, content proto.Message) {
		bytes, err := proto.Marshal(content)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: channels[name], Time: at,
			Data: bytes}))
	}
	for k := range 5 {
		at, x := timebase.Time(k)*timebase.Second, float64(k)
		put("a", at, &osi3.TrafficUpdate{Update: []*osi3.MovingObject{object(1, x)}})
		if k < 3 {
			put("b", at, &osi3.TrafficUpdate{Update: []*osi3.MovingObject{object(2, 10+x)}})
		}
		if k == 2 {
			put("late", at+timebase.Second/2, &osi3.StreamingUpdate{MovingObjectUpdate: []*osi3.
				MovingObject{object(1, 50), object(3, 70)}})
		}
	}
	require.NoError(t, sink.Close())
	page := write(t, "a.mcap", b.Bytes(), tracepage.Options{Frames: 100})
	require.Contains(t, page, "Objects of channels ")
	data := dataOf(t, page).Scene
	var got []string
	for _, f := range data.Frames {
		text := fmt.Sprintf("%g:", f.T)
		for k := 0; k < len(f.Objects); k += 5 {
			text += fmt.Sprintf(" %v=%g", data.Bodies[int(f.Objects[k])].ID,
				f.Objects[k+1]+data.Origin[0])
		}
		got = append(got, text)
	}
	require.Equal(t, []string{"0: 1=0 2=10", "1: 1=1 2=11", "2: 1=2 2=12", "2.5: 1=50 3=70",
		"3: 1=3", "4: 1=4"}, got)
	alone := write(t, "a.mcap", b.Bytes(), tracepage.Options{Channels: []string{"b"}})
	require.Contains(t, alone, "Objects of channel b.")
	require.Len(t, dataOf(t, alone).Scene.Bodies, 1)
}
