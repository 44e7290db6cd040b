//go:build unix

package ddspeers

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/dds"
)

// load describes the messages that are published for the figures.
type load struct {
	topic, kind string
	rate, count int
	value       map[string]any
}

// TestFigures prints the cost of publishing here and in rclpy to the same subscriber. It judges
// nothing: the figures depend on the machine. GOSMP_DDS_FIGURES=1 runs it.
func TestFigures(t *testing.T) {
	if os.Getenv("GOSMP_DDS_FIGURES") == "" {
		t.Skip("GOSMP_DDS_FIGURES=1 prints figures")
	}
	loads := []load{
		{"/imu", "sensor_msgs/Imu", 1000, 10_000, nil},
		{"/points", "sensor_msgs/PointCloud2", 60, 240,
			map[string]any{"data": make([]byte, 1_000_000)}},
	}
	for _, python := range interpreters(t, "rclpy") {
		for _, l := range loads {
			for range 2 {
				t.Log(python, l.kind, "by gosmp:", l.byGosmp(t, python))
				t.Log(python, l.kind, "by rclpy:", l.byROS(t, python))
			}
		}
	}
}

// figures holds the processor time in % of a core, the number of messages received, and the median
// and the 99th percentile of the time to the subscriber in us.
type figures struct {
	CPU    float64
	Got    any
	Counts dds.Counts
}

func (l load) byROS(t *testing.T, python string) (f figures) {
	d := domain()
	get := start(t, python, rclpy, "measure", d, l.topic, l.kind, "reliable", l.count)
	get.next("ready")
	put := start(t, python, rclpy, "flood", d, l.topic, l.kind, "reliable rate="+
		strconv.Itoa(l.rate), l.count)
	f.CPU, _ = put.next("cpu").(float64)
	f.Got = get.next("got")
	put.end()
	get.end()
	return f
}

func (l load) byGosmp(t *testing.T, python string) (f figures) {
	d := domain()
	p, _ := join(t, d)
	w, err := p.NewWriter(rosTopicOf(t, l.topic, l.kind, dds.Default))
	require.NoError(t, err)
	get := start(t, python, rclpy, "measure", d, l.topic, l.kind, "reliable", l.count)
	soon(t, func() bool { return w.Matched() == 1 })
	time.Sleep(time.Second)
	defs, err := bridge.NewDefinitions(bridge.ROS2)
	require.NoError(t, err)
	m, err := defs.Message(l.kind)
	require.NoError(t, err)
	value := map[string]any{}
	for name, v := range l.value {
		value[name] = v
	}
	begin, used := time.Now(), processorTime()
	for k := range l.count {
		time.Sleep(time.Until(begin.Add(time.Duration(k) * time.Second / time.Duration(l.rate))))
		now := time.Now()
		value["header"] = map[string]any{"stamp": map[string]any{"sec": now.Unix(),
			"nanosec": int64(now.Nanosecond())}}
		b, err := defs.Encode(m, value, false)
		require.NoError(t, err)
		w.Write(b, now)
	}
	f.CPU = 100 * (processorTime() - used) / time.Since(begin).Seconds()
	f.Got = get.next("got")
	f.Counts = p.Counts()
	get.end()
	return f
}

// processorTime returns the processor time of this process in seconds.
func processorTime() float64 {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}
