package ddspeers

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/cdr"
	"gosmp/bridge/dds"
)

const rclpy = "peer_rclpy.py"

// rosTopicOf returns a ROS topic with its type hash.
func rosTopicOf(t *testing.T, name, kind string, q dds.QoS) dds.Topic {
	d, err := bridge.NewDefinitions(bridge.ROS2)
	require.NoError(t, err)
	m, err := d.Message(kind)
	require.NoError(t, err)
	return dds.Topic{Name: dds.TopicName(name), Type: dds.TypeName(kind), QoS: q,
		UserData: "typehash=" + dds.TypeHash(d, m) + ";"}
}

func TestROS(t *testing.T) {
	for _, python := range interpreters(t, "rclpy") {
		t.Run(python, func(t *testing.T) {
			t.Run("it gets what is published", func(t *testing.T) { rosGets(t, python) })
			t.Run("what it publishes is got", func(t *testing.T) { rosTalks(t, python) })
			t.Run("its graph has our node", func(t *testing.T) { rosGraph(t, python) })
			t.Run("latched topics", func(t *testing.T) { rosLatched(t, python) })
			t.Run("mismatches are reported", func(t *testing.T) { rosMismatches(t, python) })
			t.Run("large messages", func(t *testing.T) { rosLarge(t, python) })
			t.Run("killed nodes leave", func(t *testing.T) { rosKilled(t, python) })
			t.Run("nodes follow our clock", func(t *testing.T) { rosClock(t, python) })
		})
	}
}

func rosGets(t *testing.T, python string) {
	d := domain()
	p, _ := join(t, d)
	w, err := p.NewWriter(rosTopicOf(t, rosTopic, "std_msgs/String", dds.Default))
	require.NoError(t, err)
	peer := start(t, python, rclpy, "listen", d, rosTopic, "std_msgs/String", "reliable", 20)
	soon(t, func() bool { return w.Matched() == 1 })
	for k := range 20 {
		w.Write(text(fmt.Sprint("number ", k)), time.Now())
	}
	for k := range 20 {
		require.Equal(t, fmt.Sprint("number ", k), peer.next("got"))
	}
	peer.end()
	soon(t, func() bool { return w.Matched() == 0 })
	peer = start(t, python, rclpy, "listen", d, rosTopic, "std_msgs/String", "best", 20)
	increasing(t, w, peer, 20)
}

func rosTalks(t *testing.T, python string) {
	d := domain()
	p, _ := join(t, d)
	got := make(chan [2]float64, 100)
	_, err := p.NewReader(rosTopicOf(t, "/cmd_vel", "geometry_msgs/Twist", dds.Default),
		func(s dds.Sample) {
			r := cdr.NewReader(s.Payload)
			x := r.Float64()
			r.Skip(4, 8)
			got <- [2]float64{x, r.Float64()}
		})
	require.NoError(t, err)
	peer := start(t, python, rclpy, "talk", d, "/cmd_vel", "geometry_msgs/Twist", "reliable", 10)
	for k := range 10 {
		require.Equal(t, [2]float64{1.5 + float64(k), -0.25}, <-got)
	}
	peer.end()
}

func rosGraph(t *testing.T, python string) {
	d := domain()
	p, _ := join(t, d)
	topic := rosTopicOf(t, "/imu", "sensor_msgs/Imu", dds.Default)
	_, err := p.NewWriter(topic)
	require.NoError(t, err)
	peer := start(t, python, rclpy, "graph", d, "/imu", "sensor_msgs/Imu", "reliable", 1)
	seen := <-peer.lines
	require.Equal(t, map[string]any{"node": "/gosmp", "type": "sensor_msgs/msg/Imu",
		"reliable": true, "hash": topic.UserData[len("typehash=") : len(topic.UserData)-1]}, seen)
	require.Equal(t, []any{"gosmp", "peer"}, peer.next("nodes"))
}

func rosLatched(t *testing.T, python string) {
	d := domain()
	p, _ := join(t, d)
	q := dds.QoS{Reliable: true, Latched: true, Depth: 3}
	w, err := p.NewWriter(rosTopicOf(t, rosTopic, "std_msgs/String", q))
	require.NoError(t, err)
	for k := range 5 {
		w.Write(text(fmt.Sprint("number ", k)), time.Now())
	}
	peer := start(t, python, rclpy, "listen", d, rosTopic, "std_msgs/String", "reliable latched", 3)
	for k := 2; k < 5; k++ {
		require.Equal(t, fmt.Sprint("number ", k), peer.next("got"))
	}
	peer.end()
	peer = start(t, python, rclpy, "talk", d, "/late", "std_msgs/String", "reliable latched", 5)
	peer.next("ready")
	got := make(chan string, 10)
	q.Depth = 10
	_, err = p.NewReader(rosTopicOf(t, "/late", "std_msgs/String", q), func(s dds.Sample) {
		got <- cdr.NewReader(s.Payload).String()
	})
	require.NoError(t, err)
	for k := range 5 {
		require.Equal(t, fmt.Sprint("number ", k), <-got)
	}
}

func rosMismatches(t *testing.T, python string) {
	d := domain()
	p, warnings := join(t, d)
	_, err := p.NewWriter(rosTopicOf(t, "/imu", "sensor_msgs/Imu", dds.SensorData))
	require.NoError(t, err)
	peer := start(t, python, rclpy, "listen", d, "/imu", "sensor_msgs/Imu", "reliable", 1)
	require.Equal(t, "/imu: RELIABILITY: the reader wants reliable, the writer offers best effort "+
		"(we are the writer, node /peer is the reader): no messages are exchanged", <-warnings)
	_ = peer.cmd.Process.Kill()
	start(t, python, rclpy, "listen", d, "/imu", "std_msgs/String", "best", 1)
	require.Equal(t, "/imu: we publish sensor_msgs/msg/Imu, node /peer expects "+
		"std_msgs/msg/String: no messages are exchanged", <-warnings)
}

// rosLarge publishes point clouds of a megabyte.
func rosLarge(t *testing.T, python string) {
	const size, count = 1_000_000, 30
	d := domain()
	p, _ := join(t, d)
	w, err := p.NewWriter(rosTopicOf(t, "/points", "sensor_msgs/PointCloud2", dds.Default))
	require.NoError(t, err)
	peer := start(t, python, rclpy, "listen", d, "/points", "sensor_msgs/PointCloud2", "reliable",
		count)
	soon(t, func() bool { return w.Matched() == 1 })
	defs, err := bridge.NewDefinitions(bridge.ROS2)
	require.NoError(t, err)
	m, err := defs.Message("sensor_msgs/PointCloud2")
	require.NoError(t, err)
	for k := range count {
		data, sum := blob(k, size)
		b, err := defs.Encode(m, map[string]any{"width": int64(k), "data": data[8:]}, false)
		require.NoError(t, err)
		w.Write(b, time.Now())
		require.Equal(t, []any{float64(k), float64(size), float64(sum)}, peer.next("got"))
	}
	t.Logf("%+v", p.Counts())
	peer.end()
	got := make(chan int, 10)
	_, err = p.NewReader(rosTopicOf(t, "/back", "sensor_msgs/PointCloud2", dds.Default),
		func(s dds.Sample) { got <- len(s.Payload) })
	require.NoError(t, err)
	peer = start(t, python, rclpy, "talk", d, "/back", "sensor_msgs/PointCloud2",
		"reliable size=1000000", 5)
	for range 5 {
		require.Greater(t, <-got, size)
	}
	peer.end()
}

// rosKilled kills a node: it is gone after its lease, and one that comes back matches again.
func rosKilled(t *testing.T, python string) {
	d := domain()
	p, _ := join(t, d)
	w, err := p.NewWriter(rosTopicOf(t, rosTopic, "std_msgs/String", dds.Default))
	require.NoError(t, err)
	for range 2 {
		peer := start(t, python, rclpy, "listen", d, rosTopic, "std_msgs/String", "reliable", 1000)
		soon(t, func() bool { return w.Matched() == 1 })
		w.Write(text("x"), time.Now())
		peer.next("got")
		require.NoError(t, peer.cmd.Process.Signal(os.Kill))
		soon(t, func() bool {
			w.Write(text("x"), time.Now())
			return w.Matched() == 0
		})
	}
	require.Zero(t, p.Counts().Peers)
}

func rosClock(t *testing.T, python string) {
	d := domain()
	p, _ := join(t, d)
	w, err := p.NewWriter(rosTopicOf(t, "/clock", "rosgraph_msgs/Clock",
		dds.QoS{Reliable: true, Depth: 1}))
	require.NoError(t, err)
	peer := start(t, python, rclpy, "clock", d, "/clock", "rosgraph_msgs/Clock", "", 12_345)
	soon(t, func() bool { return w.Matched() == 1 })
	at := int32(0)
	defer every(func() {
		w.Write(cdr.AppendTime(cdr.Begin(nil, cdr.Little), cdr.Time{Sec: at,
			Nanosec: 345_000_000}, cdr.Little), time.Now())
		at = min(at+1, 12)
	})()
	require.InDelta(t, 12_345_000_000, peer.next("got"), 0)
}
