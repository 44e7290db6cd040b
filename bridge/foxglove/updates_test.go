package foxglove_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/bridge/foxglove"
	viewer "gosmp/proto/foxglove"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/updates"
)

// several is a recording with a channel for each of two traffic participants; b ends at 1 s. A
// message of b at 0 s cannot be decoded.
func several(t *testing.T) *list {
	a, b := trace.OSI("a", "tu"), trace.OSI("b", "tu")
	l := &list{channels: []*trace.Channel{&a, &b}}
	put := func(c *trace.Channel, at timebase.Time, id uint64, x float64) {
		data, err := proto.Marshal(&osi3.TrafficUpdate{Update: []*osi3.MovingObject{{
			Id: &osi3.Identifier{Value: &id}, Base: &osi3.BaseMoving{
				Dimension: &osi3.Dimension3D{Length: proto.Float64(4), Width: proto.Float64(2),
					Height: proto.Float64(1)},
				Position: &osi3.Vector3D{X: &x, Y: proto.Float64(0), Z: proto.Float64(0)}}}}})
		require.NoError(t, err)
		l.messages = append(l.messages, &trace.Message{Channel: c, Time: at, Data: data})
	}
	put(&a, 0, 1, 0)
	l.messages = append(l.messages, &trace.Message{Channel: &b, Data: []byte{0xff}})
	put(&a, timebase.Second, 1, 1)
	put(&b, timebase.Second, 2, 11)
	put(&a, 2*timebase.Second, 1, 2)
	return l
}

func TestSource_JoinsUpdates(t *testing.T) {
	channels, err := updates.Find(several(t))
	require.NoError(t, err)
	require.Equal(t, []updates.Channel{{Topic: "a", Last: 2 * timebase.Second},
		{Topic: "b", Last: timebase.Second}}, channels)
	s := foxglove.NewSource(several(t))
	s.Join(channels)
	var got []string
	last := timebase.Time(0)
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.GreaterOrEqual(t, m.Time, last)
		last = m.Time
		text := fmt.Sprintf("%v %s", m.Time, m.Channel.Topic)
		if m.Channel.Topic == foxglove.TopicUpdates {
			var scene viewer.SceneUpdate
			require.NoError(t, proto.Unmarshal(m.Data, &scene))
			for _, e := range scene.GetEntities() {
				text += fmt.Sprintf(" %s at %g", e.GetId(),
					e.GetCubes()[0].GetPose().GetPosition().GetX())
			}
		}
		got = append(got, text)
	}
	objects := foxglove.TopicUpdates
	zero, one, two := timebase.Time(0), timebase.Second, 2*timebase.Second
	require.Equal(t, []string{
		fmt.Sprintf("%v a", zero), fmt.Sprintf("%v b", zero), fmt.Sprintf("%v /log", zero),
		fmt.Sprintf("%v %s moving_object 1 at 0", zero, objects),
		fmt.Sprintf("%v a", one), fmt.Sprintf("%v b", one),
		fmt.Sprintf("%v %s moving_object 1 at 1 moving_object 2 at 11", one, objects),
		fmt.Sprintf("%v a", two), fmt.Sprintf("%v %s moving_object 1 at 2", two, objects)}, got)
}

// A channel with ground truth contains all objects.
func TestFind_PrefersGroundTruth(t *testing.T) {
	l := several(t)
	truth := trace.OSI("world", "gt")
	l.channels = append(l.channels, &truth)
	l.messages = append(l.messages, &trace.Message{Channel: &truth, Time: 3 * timebase.Second})
	channels, err := updates.Find(l)
	require.NoError(t, err)
	require.Empty(t, channels)
}
