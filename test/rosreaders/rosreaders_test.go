package rosreaders

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
)

// python returns an interpreter with both decoders.
func python(t *testing.T) string {
	t.Helper()
	for _, path := range []string{os.Getenv("GOSMP_PYTHON"), filepath.Join("..", "..", ".venv",
		"bin", "python")} {
		if path != "" && exec.Command(path, "-c",
			"import rosbags.highlevel, mcap_ros2.decoder").Run() == nil {
			return path
		}
	}
	t.Skip("no Python with rosbags and mcap-ros2-support: GOSMP_PYTHON names one")
	return ""
}

// forAll contains the types that the .msg files of all three systems support.
const forAll = `Inner inner
Inner[] many
Inner[2] two
string s
string[] texts
float32 f
float32[] floats
float64 d
float64[9] covariance
int32 i
int32[3] integers
int64 l
uint32 u
uint64 m
uint64[] counts
bool b
bool[] flags
time when
time[2] whens
geometry_msgs/Point point
std_msgs/Empty nothing
std_msgs/Empty[3] nothings
float64 LIMIT=3.5
`

// ofROS2 contains the types that .msg files of ROS 2 support in addition.
const ofROS2 = `int8 c
int8[] small
uint8 o
uint8[] bytes
uint8[4] address
int16 h
int16[2] shorts
uint16 g
byte raw
byte[] raws
string<=5 name
string[<=3] names
uint64[<=2] few
Inner[<=2] some
std_msgs/Empty[] rest
builtin_interfaces/Time stamp
`

// ofDDS contains the types of .idl files. LONG is replaced by a second "long".
const ofDDS = `module own { module msg {
  struct Inner { octet x; double y; };
  @final struct All {
    own::msg::Inner one; sequence<own::msg::Inner> many; own::msg::Inner two[2];
    string s; string<5> name; sequence<string, 3> names; float f; double d; double covariance[9]; sequence<float> floats;
    int8 c; int16 h; int32 i; int64 l; LONG long int ll; short sh; long lo;
    uint8 o; uint16 g; uint32 u; uint64 m; octet raw; sequence<octet> raws; boolean b; sequence<boolean, 4> flags;
    unsigned short us; unsigned long ul; unsigned LONG long ull; sequence<int8> small;
  };
}; };`

// systems holds the definitions of own/All and of further messages for each system.
var systems = map[bridge.System]struct {
	add     func(*bridge.Definitions) error
	further []string
}{
	bridge.ROS1: {func(d *bridge.Definitions) error {
		if err := d.AddMsg("Inner.msg", "own/Inner", "bool x\nfloat64 y\n"); err != nil {
			return err
		}
		return d.AddMsg("All.msg", "own/All", "Header header\n"+forAll+"duration span\n")
	}, []string{"std_msgs/Empty", "std_msgs/Bool", "std_msgs/String", "geometry_msgs/Point",
		"geometry_msgs/PoseStamped", "sensor_msgs/Imu"}},
	bridge.ROS2: {func(d *bridge.Definitions) error {
		if err := d.AddMsg("Inner.msg", "own/Inner", "uint8 x\nfloat64 y\n"); err != nil {
			return err
		}
		return d.AddMsg("All.msg", "own/All", "Header header\n"+forAll+ofROS2)
	}, []string{"std_msgs/Empty", "std_msgs/Bool", "std_msgs/String", "std_msgs/UInt16",
		"std_msgs/Float32", "geometry_msgs/PoseStamped",
		"geometry_msgs/TwistStamped", "sensor_msgs/Imu", "sensor_msgs/NavSatFix",
		"vision_msgs/Detection3DArray"}},
	bridge.DDS: {func(d *bridge.Definitions) error {
		return d.AddIDL("all.idl", strings.ReplaceAll(ofDDS, "LONG", "long"))
	}, nil},
}

// maker creates random values of fields.
type maker struct {
	of *bridge.Definitions
	r  *rand.Rand
}

func (m *maker) message(of *bridge.Message) map[string]any {
	value := map[string]any{}
	for k := range of.Fields {
		f := &of.Fields[k]
		value[f.Name] = m.field(&f.Type)
	}
	return value
}

func (m *maker) field(y *bridge.Type) any {
	n := y.Count
	switch y.Many {
	case bridge.One:
		return m.one(y)
	case bridge.Sequence:
		n = m.r.IntN(4)
	case bridge.Bounded:
		n = m.r.IntN(y.Count + 1)
	}
	list := []any{}
	for range n {
		list = append(list, m.one(y))
	}
	return list
}

func (m *maker) one(y *bridge.Type) any {
	bits := m.r.Uint64()
	switch y.Kind {
	case bridge.Nested:
		return m.message(m.of.Inner(y))
	case bridge.Bool:
		return bits&1 == 1
	case bridge.Int8, bridge.Int16, bridge.Int32, bridge.Int64:
		return int64(bits) >> (64 - 8*y.Kind.Size())
	case bridge.Uint8, bridge.Uint16, bridge.Uint32, bridge.Uint64:
		return bits >> (64 - 8*y.Kind.Size())
	case bridge.Float32:
		return float64(float32(m.r.NormFloat64() * 1e3))
	case bridge.Float64:
		return m.r.NormFloat64() * math.Pow(10, float64(m.r.IntN(600)-300))
	case bridge.Time:
		return map[string]any{"sec": int64(m.r.Int32()), "nanosec": uint64(m.r.IntN(1e9))}
	default:
		return []string{"", "a", "map", "hello", "\u00e9\u20ac"}[m.r.IntN(5)]
	}
}

// recording writes a file with messages of all types, in both byte orders in turn, and returns it
// with its content.
func recording(t *testing.T, system bridge.System) (file string, c *bridge.Config,
	sent []map[string]any, topics []*bridge.Topic) {
	t.Helper()
	d, err := bridge.NewDefinitions(system)
	require.NoError(t, err)
	require.NoError(t, systems[system].add(d))
	c = &bridge.Config{System: system, Definitions: d}
	for k, name := range append([]string{"own/All"}, systems[system].further...) {
		m, err := d.Message(name)
		require.NoError(t, err)
		c.Topics = append(c.Topics, &bridge.Topic{Name: fmt.Sprintf("/t%d", k), Message: m,
			Direction: bridge.Down})
	}
	var b bytes.Buffer
	w, err := bridge.NewMCAP(&b, c)
	require.NoError(t, err)
	by := &maker{d, rand.New(rand.NewPCG(1, 2))}
	for k := range 20 {
		for _, topic := range c.Topics {
			value := by.message(topic.Message)
			raw, err := d.Encode(topic.Message, value, k%2 == 1 && system != bridge.ROS1)
			require.NoError(t, err)
			sent, topics = append(sent, value), append(topics, topic)
			require.NoError(t, w.Publish(topic, int64(len(sent)), raw))
		}
	}
	require.NoError(t, w.Close())
	file = filepath.Join(t.TempDir(), "run.mcap")
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	return file, c, sent, topics
}

// The other decoders return every message of a recording unchanged.
func TestRecordings(t *testing.T) {
	path := python(t)
	for system, readers := range map[bridge.System][]string{bridge.ROS1: {"rosbags"},
		bridge.ROS2: {"rosbags", "mcap"}, bridge.DDS: {"rosbags", "mcap"}} {
		t.Run(string(system), func(t *testing.T) {
			file, c, sent, topics := recording(t, system)
			command := exec.Command(path, "decode.py", file)
			var wrong bytes.Buffer
			command.Stderr = &wrong
			out, err := command.Output()
			require.NoError(t, err, wrong.String())
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			require.Len(t, lines, len(readers)*len(sent))
			for k, line := range lines {
				at := k % len(sent)
				var got []any
				d := json.NewDecoder(strings.NewReader(line))
				d.UseNumber()
				require.NoError(t, d.Decode(&got))
				m := topics[at].Message
				require.Equal(t, []any{readers[k/len(sent)], topics[at].Name,
					strings.Replace(m.Name, "/", "/msg/", 1)}, got[:3])
				require.Equal(t, typed(t, c.Definitions, m, sent[at]), typed(t, c.Definitions, m,
					got[3].(map[string]any)), line)
			}
		})
	}
}

// typed returns a value with the types of its definitions.
func typed(t *testing.T, d *bridge.Definitions, m *bridge.Message,
	value map[string]any) map[string]any {
	t.Helper()
	b, err := d.Encode(m, value, false)
	require.NoError(t, err, "%.300v", value)
	same, err := d.Decode(m, b)
	require.NoError(t, err)
	return same
}
