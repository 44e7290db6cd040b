package run_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/run"
	"gosmp/trace/mcap"
)

// autoTopics publishes the messages that a run chooses, with time stamps of its clock.
const autoTopics = `{"bridge": 1, "system": "ros2", "messages": [
	{"topic": "/clock", "type": "rosgraph_msgs/Clock", "direction": "down", "vehicle": "sut",
	 "event": "clock", "from": "auto"},
	{"topic": "/velocity", "type": "autoware_vehicle_msgs/VelocityReport", "direction": "down",
	 "vehicle": "sut", "event": "velocity", "from": "auto"},
	{"topic": "/gear", "type": "autoware_vehicle_msgs/GearReport", "direction": "down",
	 "vehicle": "sut", "event": "gear", "from": "auto"},
	{"topic": "/odom", "type": "TYPE", "direction": "down", "vehicle": "sut",
	 "event": "odom", "from": "auto"}],
	"transport": {"kind": "mcap", "path": "PATH"}}`

// runAuto runs a map with these topics.
func runAuto(t *testing.T, messageType string) (recorded string, err error) {
	t.Helper()
	dir := t.TempDir()
	recorded = filepath.Join(dir, "a.mcap")
	text := bytes.ReplaceAll([]byte(autoTopics), []byte("TYPE"), []byte(messageType))
	text = bytes.ReplaceAll(text, []byte("PATH"), []byte(filepath.ToSlash(recorded)))
	config := filepath.Join(dir, "bridge.json")
	require.NoError(t, os.WriteFile(config, text, 0o600))
	o := run.Defaults("../mocksim/testdata/ring.xodr")
	stop := 0.1
	o.StopTime, o.Bridge = &stop, config
	simulation := run.New(o)
	defer func() { _ = simulation.Close() }()
	return recorded, simulation.Run(t.Context())
}

func TestBridge_Auto(t *testing.T) {
	recorded, err := runAuto(t, "nav_msgs/Odometry")
	require.NoError(t, err)
	b, err := os.ReadFile(recorded)
	require.NoError(t, err)
	r, err := mcap.Open(bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	config, err := bridge.ReadConfig(filepath.Join(filepath.Dir(recorded), "bridge.json"))
	require.NoError(t, err)
	stamps := map[string][]any{}
	for m, err := range r.Messages(mcap.Query{}) {
		require.NoError(t, err)
		topic := r.Channels[m.ChannelID].Topic
		value, err := config.Definitions.Decode(config.Topic(topic, bridge.Down).Message, m.Data)
		require.NoError(t, err)
		stamp := value["stamp"]
		if header, has := value["header"].(map[string]any); has {
			stamp = header["stamp"]
		} else if topic == "/clock" {
			stamp = value["clock"]
		}
		stamps[topic] = append(stamps[topic], stamp)
	}
	require.Len(t, stamps["/clock"], 6)
	for _, topic := range []string{"/odom", "/velocity", "/gear"} {
		require.Equal(t, stamps["/clock"], stamps[topic], topic)
	}
}

// A map has no sensor.
func TestBridge_AutoFindsNothing(t *testing.T) {
	_, err := runAuto(t, "sensor_msgs/PointCloud2")
	require.ErrorContains(t, err, "topic /odom: auto: unusable variable: found no output with a "+
		"SensorData, expected one, or its name as the value of from")
	require.Equal(t, 2, run.ExitCode(err))
}
