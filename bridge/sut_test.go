package bridge_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/bridge"
	"gosmp/simapi"
	"gosmp/trace/mcap"
)

func covariance(from float64) (list []any) {
	for k := range 9 {
		list = append(list, (from+float64(k))/8)
	}
	return list
}

func values() map[string]fields {
	header := func(frame string) fields {
		return fields{"stamp": fields{"sec": -7, "nanosec": 999999999}, "frame_id": frame}
	}
	return map[string]fields{
		"sensor_msgs/Imu": {"header": header("imu_link"), "orientation": fields{"x": 0.5, "y": -0.5,
			"z": 0.25, "w": 0.75},
			"orientation_covariance": covariance(1), "angular_velocity": fields{"x": 1, "y": 2,
				"z": 3},
			"angular_velocity_covariance": covariance(20), "linear_acceleration": fields{"x": -1,
				"y": 9.80665, "z": 1e-300},
			"linear_acceleration_covariance": covariance(300)},
		"sensor_msgs/NavSatFix": {"header": header("gps"),
			"status": fields{"status": -1, "service": 513}, "latitude": 48.125, "longitude": -11.5,
			"altitude": 520.25, "position_covariance": covariance(5),
			"position_covariance_type": 2},
		"geometry_msgs/PoseStamped": {"header": header("a"),
			"pose": fields{"position": fields{"x": 1.5, "y": -2.5, "z": 3.5},
				"orientation": fields{"w": 1}}},
	}
}

// The encoded bytes equal the output of an independent implementation, in both byte orders.
func TestEncode_LikeRosbags(t *testing.T) {
	text, err := os.ReadFile("testdata/rosbags.txt")
	require.NoError(t, err)
	d := definitions(t, bridge.ROS2)
	checked := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		m := message(t, d, words[0])
		b, err := d.Encode(m, values()[words[0]], words[1] == "true")
		require.NoError(t, err)
		require.Equal(t, words[2], hex.EncodeToString(b), line[:40])
		_, err = d.Decode(m, b)
		require.NoError(t, err)
		checked++
	}
	require.Equal(t, 6, checked)
}

const looped = `{"bridge": 1, "system": "ros2", "messages": [
	{"topic": "/goal", "type": "geometry_msgs/PoseStamped", "direction": "down", "vehicle": "sut", "event": "goal"},
	{"topic": "/goal", "type": "geometry_msgs/PoseStamped", "direction": "up", "vehicle": "sut", "event": "goal_seen"},
	{"topic": "/on", "type": "std_msgs/Bool", "direction": "down", "vehicle": "traffic", "event": "on"}]}`

func config(t require.TestingT) *bridge.Config {
	c, err := bridge.ParseConfig("looped.json", []byte(looped))
	require.NoError(t, err)
	return c
}

// running starts a simulation without a simulator and performs a step.
func running(t *testing.T, c *simapi.Client) {
	require.NoError(t, c.StartSimulation(t.Context(), &simapi.StartSimulation{}))
	require.NoError(t, c.WaitStartSimulation(t.Context(), &simapi.WaitStartSimulation{}))
	require.NoError(t, c.StartStep(t.Context(), &simapi.StartStep{RequestedSimTimeMs: 20}))
	_, err := c.WaitStep(t.Context(), &simapi.WaitStep{})
	require.NoError(t, err)
}

// F17 over TCP: emit, publish, subscribe, return, compare.
func TestSUT_Loopback(t *testing.T) {
	loop := &bridge.Loopback{}
	sut := &bridge.SUT{Config: config(t), To: loop}
	loop.To = sut.Receive
	server := simapi.NewServer(simapi.Config{Name: "bridge", SUT: sut})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	c, err := simapi.Dial(t.Context(), l.Addr().String(), "director", simapi.Role_SSP)
	require.NoError(t, err)
	_, err = c.Init(t.Context(), &simapi.Init{StepSizeMs: 20})
	require.NoError(t, err)
	require.NoError(t, c.LaunchSimulator(t.Context()))
	running(t, c)
	goal := message(t, sut.Config.Definitions, "geometry_msgs/PoseStamped")
	b, err := sut.Config.Definitions.Encode(goal, values()[goal.Name], false)
	require.NoError(t, err)
	sent := &simapi.Message{Topic: "/goal", Type: goal.Name, Cdr: b, TimeMs: 20}
	on := &simapi.Message{Topic: "/on", Type: "std_msgs/Bool", Cdr: []byte{0, 1, 0, 0, 1}}
	require.NoError(t,
		c.SendMessages(t.Context(), &simapi.SendMessages{Message: []*simapi.Message{sent, on}}))
	got, err := c.GetMessages(t.Context(), &simapi.GetMessages{})
	require.NoError(t, err)
	require.Len(t, got.GetMessage(), 1, "/on does not go up")
	require.True(t, proto.Equal(sent, got.GetMessage()[0]))
	for text, m := range map[string]*simapi.Message{
		`found topic "/off", expected a topic of the configuration with direction down`: {
			Topic: "/off", Type: "std_msgs/Bool"},
		"found type std_msgs/String, expected std_msgs/Bool": {Topic: "/on",
			Type: "std_msgs/String"},
		"std_msgs/Bool.data: byte 4": {Topic: "/on", Type: "std_msgs/Bool",
			Cdr: []byte{0, 1, 0, 0}},
	} {
		err := c.SendMessages(t.Context(), &simapi.SendMessages{Message: []*simapi.Message{m}})
		require.ErrorIs(t, err, simapi.Code_INVALID)
		require.ErrorContains(t, err, text)
	}
}

// A director that does not fetch messages loses the oldest ones, which are counted, and is warned
// once.
func TestSUT_BoundedQueue(t *testing.T) {
	var warnings []string
	sut := &bridge.SUT{Config: config(t), Warn: func(s string) { warnings = append(warnings, s) }}
	d := sut.Config.Definitions
	for k := range bridge.QueueSize + 10 {
		b, err := d.Encode(message(t, d, "geometry_msgs/PoseStamped"),
			fields{"header": fields{"frame_id": fmt.Sprint(k)}}, false)
		require.NoError(t, err)
		require.NoError(t, sut.Receive("/goal", int64(k), b))
	}
	list, dropped, err := sut.Messages(context.Background())
	require.NoError(t, err)
	require.Len(t, list, bridge.QueueSize)
	require.EqualValues(t, 10, dropped)
	require.Len(t, warnings, 1)
	require.InDelta(t, 10e-6, list[0].GetTimeMs(), 1e-12, "the oldest were dropped")
	list, dropped, err = sut.Messages(context.Background())
	require.NoError(t, err)
	require.Empty(t, list)
	require.Zero(t, dropped)
	require.ErrorIs(t, sut.Receive("/on", 0, nil), bridge.ErrMessage)
	require.Error(t, sut.Receive("/goal", 0, []byte{1}))
}

// record writes a file with three messages.
func record(t *testing.T) []byte {
	c := config(t)
	var file bytes.Buffer
	m, err := bridge.NewMCAP(&file, c)
	require.NoError(t, err)
	goal := c.Topic("/goal", bridge.Down)
	b, err := c.Definitions.Encode(goal.Message, values()[goal.Message.Name], false)
	require.NoError(t, err)
	require.NoError(t, m.Publish(goal, 20_000_000, b))
	require.NoError(t, m.Publish(c.Topic("/on", bridge.Down), 40_000_000, []byte{0, 1, 0, 0, 1}))
	require.NoError(t, m.Publish(goal, 60_000_000, b))
	require.NoError(t, m.Close())
	return file.Bytes()
}

// A recording has the profile, schemas and channels that ROS 2 readers expect, and the same bytes
// each time.
func TestMCAP(t *testing.T) {
	b := record(t)
	require.Equal(t, b, record(t))
	f, err := mcap.Open(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	require.Equal(t, "ros2", f.Header.Profile)
	var times []uint64
	for m, err := range f.Messages(mcap.Query{}) {
		require.NoError(t, err)
		times = append(times, m.LogTime)
		require.Equal(t, m.LogTime, m.PublishTime)
	}
	require.Equal(t, []uint64{20_000_000, 40_000_000, 60_000_000}, times)
}

func BenchmarkLoopback(b *testing.B) {
	loop := &bridge.Loopback{}
	sut := &bridge.SUT{Config: config(b), To: loop}
	loop.To = sut.Receive
	d := sut.Config.Definitions
	goal := message(b, d, "geometry_msgs/PoseStamped")
	bytes, err := d.Encode(goal, values()[goal.Name], false)
	require.NoError(b, err)
	list := []*simapi.Message{{Topic: "/goal", Type: goal.Name, Cdr: bytes}}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if err := sut.SendMessages(b.Context(), list); err != nil {
			b.Fatal(err)
		}
		if n%100 == 0 {
			_, _, _ = sut.Messages(b.Context())
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

// The queue is also bounded in bytes, and a director gets a large queue in parts.
func TestSUT_BoundedBytes(t *testing.T) {
	c, err := bridge.ParseConfig("c.json", []byte(`{"bridge": 1, "system": "ros2", "messages": [
		{"topic": "/s", "type": "std_msgs/String", "direction": "up", "vehicle": "sut", "event": "s"}]}`))
	require.NoError(t, err)
	sut := &bridge.SUT{Config: c, Warn: func(string) {}}
	text := strings.Repeat("x", 3<<20)
	b, err := c.Definitions.Encode(c.Topic("/s", bridge.Up).Message, fields{"data": text}, false)
	require.NoError(t, err)
	for k := range 8 {
		require.NoError(t, sut.Receive("/s", int64(k)*1e6, b))
	}
	require.EqualValues(t, 3, sut.Dropped())
	require.Nil(t, sut.Take(1000))
	require.InDelta(t, 3, sut.Take(4<<20).GetTimeMs(), 0, "the oldest are dropped")
	for k := 4; k < 8; k++ {
		list, _, err := sut.Messages(context.Background())
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.InDelta(t, k, list[0].GetTimeMs(), 0)
	}
	b, err = c.Definitions.Encode(c.Topic("/s", bridge.Up).Message,
		fields{"data": strings.Repeat("x", bridge.QueueBytes)}, false)
	require.NoError(t, err)
	require.ErrorIs(t, sut.Receive("/s", 0, b), bridge.ErrMessage)
}
