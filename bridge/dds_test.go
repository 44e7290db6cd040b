package bridge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
)

// inDDS returns a configuration with one message and the given transport.
func inDDS(system, transport, more string) []byte {
	return []byte(`{"bridge": 1, "system": "` + system + `", "transport": {"kind": ` + transport +
		`}, "messages": [{"topic": "/goal", "type": "std_msgs/String", ` +
		`"direction": "down", "vehicle": "sut", "event": "goal"` + more + `}]}`)
}

func TestConfig_DDS(t *testing.T) {
	c, err := bridge.ParseConfig("c.json", inDDS("ros2", `"dds"`, ""))
	require.NoError(t, err)
	require.Equal(t, bridge.Transport{Kind: "dds", Address: "127.0.0.1", Stamp: "wall"},
		c.Transport)
	require.Equal(t, bridge.QoS{}, c.Topics[0].QoS)
	c, err = bridge.ParseConfig("c.json", inDDS("dds", `"dds", "domain": 0, "address": "192.0.2.1",
		"node": "world", "stamp": "sim"`, `, "qos": "latched"`))
	require.NoError(t, err)
	require.Equal(t, bridge.Transport{Kind: "dds", Address: "192.0.2.1", Node: "world",
		Domain: bridge.DomainID{Given: true}, Stamp: bridge.StampSim}, c.Transport)
	require.Equal(t, bridge.QoS{Reliable: true, Latched: true, Depth: 1}, c.Topics[0].QoS)
	require.True(t, c.Topics[0].Bare)
	c, err = bridge.ParseConfig("c.json", inDDS("ros2", `"dds"`, `, "avoid_ros_prefix": true,
		"qos": {"reliability": "best_effort", "depth": 7}`))
	require.NoError(t, err)
	require.Equal(t, bridge.QoS{Depth: 7}, c.Topics[0].QoS)
	require.True(t, c.Topics[0].Bare)
	c, err = bridge.ParseConfig("c.json", inDDS("ros2", `"dds"`, `, "avoid_ros_prefix": true,
		"qos": {"deadline": 0.25, "lease": 2, "liveliness": "manual_by_topic"}`))
	require.NoError(t, err)
	require.Equal(t, bridge.QoS{Reliable: true, Depth: 10, Deadline: 250 * time.Millisecond,
		Lease: 2 * time.Second, Liveliness: bridge.ManualByTopic}, c.Topics[0].QoS)
	again, err := c.Table().Config()
	require.NoError(t, err)
	require.Equal(t, []any{c.Transport, c.Topics[0].QoS, true}, []any{again.Transport,
		again.Topics[0].QoS, again.Topics[0].Bare})
}

func TestConfig_DDSRefuses(t *testing.T) {
	for _, one := range [][4]string{
		{"ros1", `"dds"`, "", "found transport dds with system ros1, expected system ros2 or dds"},
		{"ros2", `"dds", "domain": 233`, "", "found 233, expected an integer from 0 to 232"},
		{"ros2", `"dds", "domain": -1`, "", "found -1, expected"},
		{"ros2", `"dds", "domain": 1.5`, "", "found 1.5, expected"},
		{"ros2", `"dds", "domain": "1"`, "", `found "1", expected`},
		{"ros2", `"dds", "address": "127.0.0.1:7400"`, "", "without a port"},
		{"ros2", `"dds", "address": "::1"`, "", "expected an IPv4 address"},
		{"ros2", `"dds", "path": "x"`, "", "no path for transport dds"},
		{"ros2", `"dds", "node": "a/b"`, "", "expected a name of letters"},
		{"ros2", `"dds", "stamp": "utc"`, "", "expected stamp: one of wall, sim"},
		{"ros2", `"tcp", "domain": 1`, "", "no domain for transport tcp"},
		{"ros2", `"tcp"`, `, "qos": "latched"`, "found qos with transport tcp"},
		{"ros2", `"dds"`, `, "qos": "best"`, `found "best", expected clock, default, latched`},
		{"ros2", `"dds"`, `, "qos": {"depth": 0}`, "found 0, expected an integer from 1 to 1000"},
		{"ros2", `"dds"`, `, "qos": {"reliability": "no"}`, "one of reliable, best_effort"},
		{"ros2", `"dds"`, `, "qos": {"durability": "no"}`, "one of volatile, transient_local"},
		{"ros2", `"dds"`, `, "qos": {"lifespan": 1}`, "expected one of reliability, durability"},
		{"ros2", `"dds"`, `, "qos": {"deadline": 0}`, "found 0, expected 0.1 to 1e+06 seconds"},
		{"ros2", `"dds"`, `, "qos": {"lease": "1 s"}`,
			`found "1 s", expected 0.1 to 1e+06 seconds`},
		{"ros2", `"dds"`, `, "qos": {"liveliness": "manual"}`, "manual_by_topic"},
		{"ros2", `"dds"`, `, "avoid_ros_prefix": 1`, "found 1, expected true or false"},
	} {
		_, err := bridge.ParseConfig("c.json", inDDS(one[0], one[1], one[2]))
		require.ErrorIs(t, err, bridge.ErrConfig)
		require.ErrorContains(t, err, one[3])
	}
}

// Types of .idl files keep their scoped names, and keys are refused by name.
func TestConfig_DDSTypes(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "T.idl"), []byte(`module own {
		struct Keyed { @key long id; double x; };
		struct Around { Keyed inner; };
		module in { struct Plain { double x; }; };
	};`), 0o600))
	text := string(inDDS("dds", `"dds"`, ""))
	text = strings.Replace(text, `"system"`, `"definitions": ["`+filepath.ToSlash(dir)+
		`"], "system"`, 1)
	c, err := bridge.ParseConfig("c.json", []byte(strings.Replace(text, "std_msgs/String",
		"own/in/Plain", 1)))
	require.NoError(t, err)
	require.Equal(t, "own::in::Plain", c.Topics[0].Message.IDL)
	for _, name := range []string{"own/Keyed", "own/Around"} {
		_, err = bridge.ParseConfig("c.json", []byte(strings.Replace(text,
			"std_msgs/String", name, 1)))
		require.ErrorContains(t, err, "found type "+name+" with @key, expected a type without keys")
	}
}
