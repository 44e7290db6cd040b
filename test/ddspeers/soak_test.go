//go:build linux

package ddspeers

import (
	"bytes"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/bridge/cdr"
	"gosmp/bridge/dds"
)

// TestSoak publishes an Imu at 1 kHz to rclpy for the time that GOSMP_DDS_SOAK states, such as 1h,
// and receives messages from it, too. The memory must not grow. The number of messages that arrived
// is only printed, because a subscriber whose process has to wait for more than a second loses some
// in its own queue.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("GOSMP_DDS_SOAK"))
	if err != nil {
		t.Skip("GOSMP_DDS_SOAK=1h says how long to publish")
	}
	python := interpreters(t, "rclpy")[0]
	patience += length
	defer func() { patience -= length }()
	d := domain()
	p, _ := join(t, d)
	w, err := p.NewWriter(rosTopicOf(t, "/imu", "sensor_msgs/Imu", dds.Default))
	require.NoError(t, err)
	came := 0
	_, err = p.NewReader(rosTopicOf(t, "/chatter", "std_msgs/String", dds.Default),
		func(s dds.Sample) {
			if cdr.NewReader(s.Payload).String() != "" {
				came++
			}
		})
	require.NoError(t, err)
	count := int(length / time.Millisecond)
	get := start(t, python, rclpy, "measure", d, "/imu", "sensor_msgs/Imu", "reliable", count)
	soon(t, func() bool { return w.Matched() == 1 })
	start(t, python, rclpy, "talk", d, "/chatter", "std_msgs/String", "reliable", count/50)
	used := processorTime()
	early, late := publish(t, p, w, count)
	t.Logf("%.2f %% of a core, memory %d kB after a tenth and at most %d kB later, %v",
		100*(processorTime()-used)/length.Seconds(), early, late, p.Counts())
	got, _ := get.next("got").([]any)
	t.Logf("to the subscriber: %v messages, %v us in the median and %v us at 99 %%", got...)
	counts := p.Counts()
	require.Less(t, late, early+8<<10)
	require.EqualValues(t, counts.Received, came)
}

// publish writes one message each millisecond. It returns the resident memory in kB after a tenth
// of the time, and its maximum after that.
func publish(t *testing.T, p *dds.Participant, w *dds.Writer, count int) (early, late int) {
	t.Helper()
	defs, err := bridge.NewDefinitions(bridge.ROS2)
	require.NoError(t, err)
	m, err := defs.Message("sensor_msgs/Imu")
	require.NoError(t, err)
	stamp := map[string]any{}
	value := map[string]any{"header": map[string]any{"stamp": stamp}}
	const minute = 60_000
	for k, begin := 0, time.Now(); k < count; k++ {
		time.Sleep(time.Until(begin.Add(time.Duration(k) * time.Millisecond)))
		now := time.Now()
		stamp["sec"], stamp["nanosec"] = now.Unix(), int64(now.Nanosecond())
		b, err := defs.Encode(m, value, false)
		require.NoError(t, err)
		w.Write(b, now)
		if k == count/10 {
			early = resident(t)
		}
		if k%minute == minute-1 || k == count-1 {
			late = max(late, resident(t))
			t.Log(k+1, "messages,", resident(t), "kB,", p.Counts())
		}
	}
	return early, late
}

// resident returns the resident memory of this process in kB.
func resident(t *testing.T) (kB int) {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	kB, err = strconv.Atoi(string(bytes.Fields(rest)[0]))
	require.NoError(t, err)
	return kB
}
