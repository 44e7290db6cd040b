package bridge_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/bridge"
	"gosmp/bridge/cdr"
)

type fields = map[string]any

func definitions(t require.TestingT, s bridge.System) *bridge.Definitions {
	d, err := bridge.NewDefinitions(s)
	require.NoError(t, err)
	return d
}

func message(t require.TestingT, d *bridge.Definitions, name string) *bridge.Message {
	m, err := d.Message(name)
	require.NoError(t, err)
	return m
}

// The bytes of rule B4, as produced by two independent libraries.
func TestEncode_Vectors(t *testing.T) {
	d := definitions(t, bridge.ROS2)
	for _, c := range []struct {
		name  string
		value fields
		hex   string // after the header
	}{
		{"std_msgs/String", fields{"data": "hello"}, "06000000 68656c6c6f00"},
		{"std_msgs/String", fields{"data": ""}, "01000000 00"},
		{"std_msgs/Bool", fields{"data": true}, "01"},
		{"std_msgs/UInt16", fields{"data": uint64(513)}, "0102"},
		{"std_msgs/Float64", fields{"data": 1.5}, "000000000000f83f"},
		{"std_msgs/Header",
			fields{"stamp": fields{"sec": 1, "nanosec": 500000000}, "frame_id": "map"},
			"01000000 0065cd1d 04000000 6d617000"},
		{"std_msgs/Empty", fields{}, "00"},
	} {
		m := message(t, d, c.name)
		b, err := d.Encode(m, c.value, false)
		require.NoError(t, err)
		require.Equal(t, "00010000"+strings.ReplaceAll(c.hex, " ", ""), hex.EncodeToString(b),
			c.name)
		back, err := d.Decode(m, b)
		require.NoError(t, err)
		again, err := d.Encode(m, back, true)
		require.NoError(t, err)
		require.Equal(t, "00000000", hex.EncodeToString(again[:4]))
		other, err := d.Decode(m, again)
		require.NoError(t, err)
		require.Equal(t, back, other, "both byte orders")
	}
}

// Total lengths of rule B4, including the header.
func TestEncode_Lengths(t *testing.T) {
	d := definitions(t, bridge.ROS2)
	header := func(frame string) fields { return fields{"frame_id": frame} }
	for _, c := range []struct {
		name   string
		value  fields
		length int
	}{
		{"geometry_msgs/Point", nil, 28}, {"geometry_msgs/PoseStamped",
			fields{"header": header("map")}, 76}, {"geometry_msgs/Twist", nil, 52},
		{"sensor_msgs/Imu", fields{"header": header("imu")}, 316}, {"sensor_msgs/NavSatFix",
			fields{"header": header("gps")}, 125},
		{"sensor_msgs/msg/NavSatFix", fields{"header": header("gps")}, 125},
	} {
		b, err := d.Encode(message(t, d, c.name), c.value, false)
		require.NoError(t, err)
		require.Len(t, b, c.length, c.name)
	}
}

const all = `bool a
byte b
int8 c
uint8 d
int16[3] e
uint16 f
int32 g
uint32[] h
int64 i
uint64[<=2] j
float32 k # a comment
float64[] l
string m
string[<=3] n
string<=5 o
float64 LIMIT=3.5
geometry_msgs/Point[2] p
Inner[] q
builtin_interfaces/Time r
`

func everything(t require.TestingT) (*bridge.Definitions, *bridge.Message) {
	d := definitions(t, bridge.ROS2)
	require.NoError(t, d.AddMsg("Inner.msg", "own/Inner", "uint8 x\nfloat64 y\n"))
	require.NoError(t, d.AddMsg("All.msg", "own/All", all))
	return d, message(t, d, "own/All")
}

// Decoding returns the encoded values in both byte orders.
func TestCodec_RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, m := everything(t)
		point := func() fields {
			return fields{"x": rapid.Float64().Draw(t, "x"), "y": 1.0, "z": -2.0}
		}
		list := func(n int, f func() any) []any {
			l := []any{}
			for range n {
				l = append(l, f())
			}
			return l
		}
		value := fields{"a": rapid.Bool().Draw(t, "a"), "b": uint64(200),
			"c": int64(rapid.Int8().Draw(t, "c")), "d": uint64(255),
			"e": list(3, func() any { return int64(rapid.Int16().Draw(t, "e")) }),
			"f": uint64(rapid.Uint16().Draw(t, "f")),
			"g": int64(math.MinInt32), "h": list(rapid.IntRange(0, 4).Draw(t, "h"),
				func() any { return uint64(7) }), "i": rapid.Int64().Draw(t, "i"),
			"j": list(rapid.IntRange(0, 2).Draw(t, "j"),
				func() any { return rapid.Uint64().Draw(t, "j") }), "k": 0.5,
			"l": list(2, func() any { return rapid.Float64().Draw(t, "l") }),
			"m": rapid.String().Draw(t, "m"), "n": []any{"", "ab"}, "o": "12345",
			"p": []any{point(), point()}, "q": list(rapid.IntRange(0, 3).Draw(t, "q"),
				func() any { return fields{"x": uint64(3), "y": 2.25} }),
			"r": fields{"sec": int64(-1), "nanosec": uint64(999999999)}}
		b, err := d.Encode(m, value, rapid.Bool().Draw(t, "big"))
		require.NoError(t, err)
		back, err := d.Decode(m, b)
		require.NoError(t, err)
		require.Equal(t, value, back)
		for k := range rapid.IntRange(0, 3).Draw(t, "more") {
			_ = k
			b = append(b, 9)
		}
		_, err = d.Decode(m, b)
		require.NoError(t, err, "up to three trailing bytes are accepted")
	})
}

// Damaged bytes are refused with the path of the field and the byte, and without large allocations.
func TestDecode_Refuses(t *testing.T) {
	d, _ := everything(t)
	for _, c := range []struct{ name, hex, text string }{
		{"std_msgs/String", "0001",
			"std_msgs/String: byte 0: bad CDR: found 2 bytes, expected a header of 4"},
		{"std_msgs/String", "000a0000 00", "byte 0: bad CDR: found representation 00 0a"},
		{"std_msgs/String", "00010000 0200",
			"std_msgs/String.data: byte 4: bad CDR: found 2 bytes, expected 4 with padding"},
		{"std_msgs/String", "00010000 02000000 6f6b",
			"std_msgs/String.data: byte 9: bad CDR: found a string that ends with 0x6b, " +
				"expected a NUL"},
		{"std_msgs/String", "00010000 ffffffff 6f6b",
			"std_msgs/String.data: byte 4: bad CDR: found a string of 4294967295 bytes, expected " +
				"at most the 2 remaining bytes"},
		// the format of ROS 1
		{"std_msgs/String", "05000000 68656c6c6f",
			"std_msgs/String: byte 0: bad CDR: found representation 05 00, expected 00 00"},
		// not aligned
		{"own/Mixed", "00010000 01 000000000000f83f",
			"own/Mixed.b: byte 5: bad CDR: found 8 bytes, expected 15 with padding"},
		{"std_msgs/Bool", "00010000 02",
			"std_msgs/Bool.data: byte 4: bad CDR: found a bool of 2, expected 0 or 1"},
		{"std_msgs/Bool", "00010000 01 00000000",
			"byte 5: bad CDR: found 4 extra bytes after the last field, expected at most 3"},
		{"own/Seq", "00010000 ffffff7f 00000000",
			"own/Seq.a: byte 4: bad CDR: found 2147483647 elements, expected no more than fit " +
				"into the remaining 4 bytes"},
		{"own/Bound", "00010000 00000000 04000000 61626300",
			"own/Bound.s: byte 16: bad CDR: found a string longer than its bound of 2"},
		{"own/Bound", "00010000 03000000 010203",
			"own/Bound.a: byte 4: bad CDR: found 3 elements, expected at most 2, the bound"},
	} {
		require.NoError(t, d.AddMsg("Mixed.msg", "own/Mixed", "bool a\nfloat64 b"))
		require.NoError(t, d.AddMsg("Seq.msg", "own/Seq", "float64[] a"))
		require.NoError(t, d.AddMsg("Bound.msg", "own/Bound", "uint8[<=2] a\nstring<=2 s"))
		b, err := hex.DecodeString(strings.ReplaceAll(c.hex, " ", ""))
		require.NoError(t, err)
		_, err = d.Decode(message(t, d, c.name), b)
		require.ErrorIs(t, err, cdr.ErrFormat)
		require.ErrorContains(t, err, c.text)
		require.EqualError(t, d.Verify(message(t, d, c.name), b), err.Error())
	}
}

// Values that the type cannot represent.
func TestEncode_Refuses(t *testing.T) {
	d, m := everything(t)
	for text, value := range map[string]fields{
		"own/All.c: bad value: found 128, expected an integer from -128 to 127": {"c": 128},
		"own/All.d: bad value: found -1, expected an integer from 0 to 255":     {"d": -1},
		"own/All.g: bad value: found 1.5, expected an integer":                  {"g": 1.5},
		"own/All.e: bad value: found 2 elements, expected 3":                    {"e": []any{1, 2}},
		"own/All.j: bad value: found 3 elements, expected 2": {"j": []any{1,
			2, 3}},
		"own/All.o: bad value: found 123456, expected string<=5":  {"o": "123456"},
		"own/All.a: bad value: found yes, expected true or false": {"a": "yes"},
		"own/All.p[1].x: bad value: found here, expected a number": {"p": []any{fields{},
			fields{"x": "here"}}},
		"own/All: bad value: found field \"typo\", expected one of a, b, c": {"typo": 1},
		"own/All.h: bad value: found 3, expected a list":                    {"h": 3},
	} {
		_, err := d.Encode(m, value, false)
		require.ErrorIs(t, err, bridge.ErrValue)
		require.ErrorContains(t, err, text)
	}
	_, err := d.Encode(m, fields{"d": strings.Repeat("é", 1<<20)}, false)
	require.Less(t, len(err.Error()), 300, "an error goes to clients")
	var fromJSON fields
	decoder := json.NewDecoder(strings.NewReader(
		`{"i": 9007199254740993, "d": 7, "r": {"sec": 3}}`))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&fromJSON))
	b, err := d.Encode(m, fromJSON, false)
	require.NoError(t, err)
	back, err := d.Decode(m, b)
	require.NoError(t, err)
	require.Equal(t, int64(9007199254740993), back["i"])
}

// F19: the type tables, including the types that each system lacks.
func TestTypes_Table(t *testing.T) {
	ros := []bridge.System{bridge.ROS1, bridge.ROS2}
	only2 := []bridge.System{bridge.ROS2}
	for word, systems := range map[string][]bridge.System{
		"string": ros, "float32": ros, "float64": ros, "int32": ros, "int64": ros, "uint32": ros,
		"uint64": ros, "bool": ros, "time": ros,
		"int8": only2, "int16": only2, "uint8": only2, "uint16": only2, "byte": only2,
		"char":    only2,
		"wstring": only2,
		"octet":   nil, "double": nil,
	} {
		for _, system := range ros {
			d := definitions(t, system)
			err := d.AddMsg("T.msg", "own/T", "int32 first\n  "+word+"[] x\n")
			allowed := false
			for _, s := range systems {
				allowed = allowed || s == system
			}
			if word == "octet" || word == "double" {
				require.Error(t, err)
				continue
			}
			if !allowed {
				require.ErrorIs(t, err, bridge.ErrDefinition, "%s in %s", word, system)
				require.ErrorContains(t, err, "T.msg:2:3: bad definition: found ")
				continue
			}
			require.NoError(t, err, "%s in %s", word, system)
			message(t, d, "own/T")
		}
	}
	for word, ok := range map[string]bool{"string": true, "float": true, "double": true,
		"int8": true, "int16": true, "int32": true, "int64": true,
		"long long int": true, "long long": true, "unsigned short": true, "uint8": true,
		"uint16": true, "uint32": true, "uint64": true, "octet": true, "boolean": true,
		"sequence<double>": true, "sequence<double, 4>": true, "string<8>": true, "wstring": true,
		"float64": false, "time": false, "byte": false, "sequence<sequence<double>>": true,
		"map<long, long>": false} {
		d := definitions(t, bridge.DDS)
		err := d.AddIDL("T.idl", "module own {\n struct T { @key "+word+" x; };\n};")
		require.Equal(t, ok, err == nil, "%s: %v", word, err)
		if ok {
			message(t, d, "own/T")
		} else {
			require.ErrorContains(t, err, "T.idl:2:")
		}
	}
}

// The same message as .msg and as .idl gives the same bytes.
func TestIDL_LikeMsg(t *testing.T) {
	d := definitions(t, bridge.DDS)
	require.NoError(t, d.AddIDL("a.idl", `#include <other.idl>
// a comment
module own { module msg {
  const long LIMIT = 3; /* another */
  struct Inner { octet x; double y; };
  @final struct Outer { own::msg::Inner one; sequence<own::msg::Inner> many; unsigned long long n[2]; string<5> s; };
}; };`))
	r := definitions(t, bridge.ROS2)
	require.NoError(t, r.AddMsg("a.msg", "own/Inner", "uint8 x\nfloat64 y"))
	require.NoError(t, r.AddMsg("b.msg", "own/Outer",
		"Inner one\nInner[] many\nuint64[2] n\nstring<=5 s\n"))
	value := fields{"one": fields{"x": 3, "y": 0.5}, "many": []any{fields{"x": 1}},
		"n": []any{1, 2}, "s": "ab"}
	a, err := d.Encode(message(t, d, "own/Outer"), value, false)
	require.NoError(t, err)
	b, err := r.Encode(message(t, r, "own/Outer"), value, false)
	require.NoError(t, err)
	require.Equal(t, b, a)
	require.Equal(t, "own/Inner one\nown/Inner[] many\nuint64[2] n\nstring<=5 s\n"+
		strings.Repeat("=", 80)+"\nMSG: own/Inner\nuint8 x\nfloat64 y\n",
		d.Schema(message(t, d, "own/Outer")))
}

// Definitions that cannot be used.
func TestDefinitions_Refuses(t *testing.T) {
	for text, message := range map[string]string{
		"own/A x": "own/A within itself",
		"own/Missing x": "A.msg:1:1: own/A.x: bad definition: found own/Missing, expected a " +
			"defined message",
		"float64[99999999] x": "1 to 1048576 elements",
		"float64[1048576] x\nfloat64[1048576] y\nfloat64[1048576] z": "a message of more than " +
			"16 MiB",
		"int32 x\nint32 x": "A.msg:2:1: bad definition: found a second field x",
		"int32": "A.msg:1:1: bad definition: found \"int32\", expected a " +
			"type and a name",
		"int32[0] x": "1 to",
		"union x":    "union is not supported",
		"B-C x":      "expected the name of a type",
	} {
		d := definitions(t, bridge.ROS2)
		err := d.AddMsg("A.msg", "own/A", text)
		if err == nil {
			_, err = d.Message("own/A")
		}
		require.ErrorIs(t, err, bridge.ErrDefinition, text)
		require.ErrorContains(t, err, message)
	}
	for text, message := range map[string]string{
		"bitset I { bitfield<3> x; };":           `a.idl:1:1: bad definition: found "bitset"`,
		"module m { struct S { long x; }":        "the end of the file",
		"module m { struct S { long x[0]; }; };": "a count from 1",
	} {
		err := definitions(t, bridge.DDS).AddIDL("a.idl", text)
		require.ErrorIs(t, err, bridge.ErrDefinition, text)
		require.ErrorContains(t, err, message)
	}
	d := definitions(t, bridge.ROS2)
	require.NoError(t, d.AddMsg("1.msg", "own/A", "int32 x"))
	require.ErrorContains(t, d.AddMsg("2.msg", "own/A", "int64 x"),
		"found a second definition of own/A, expected the same as in 1.msg")
}

// Errors in a configuration are reported with line and column.
func TestConfig_Refuses(t *testing.T) {
	whole := func(messages string) string {
		return "{\"bridge\": 1, \"system\": \"ros2\",\n \"messages\": [" + messages + "]}"
	}
	one := `{"topic": "/goal", "type": "geometry_msgs/PoseStamped", "direction": "down", ` +
		`"vehicle": "sut", "event": "goal"}`
	with := func(from, to string) string { return whole(strings.Replace(one, from, to, 1)) }
	for text, message := range map[string]string{
		"": "c.json:1:1: bad bridge configuration: found the end of the file",
		"[]": "c.json:1:1: bad bridge configuration: found something else, expected a bridge " +
			"configuration, an object",
		"{": "expected a closing bracket",
		`{"bridge": 2}`: `c.json:1:12: bad bridge configuration: found another version, ` +
			`expected "bridge": 1`,
		`{"bridge": 1, "system": "ros3"}`: `c.json:1:25: bad bridge configuration: found "ros3", ` +
			`expected system: one of ros2, ros1, dds`,
		`{"bridge": 1, "system": "ros2"} 1`: "expected no text after",
		`{"bridge": 1, "bridge": 1}`: `c.json:1:15: bad bridge configuration: found a ` +
			`second "bridge"`,
		whole("{}"):            "c.json:2:15: bad bridge configuration: found no topic",
		whole(one + "," + one): "each topic only once",
		whole(one + "," + strings.Replace(strings.Replace(one, "PoseStamped", "Pose", 1), "down",
			"up",
			1)): `found topic "/goal" with type geometry_msgs/Pose, expected ` +
			`geometry_msgs/PoseStamped`,
		with("sut", "other_name"): `found "other_name", expected vehicle: one ` +
			`of sut, traffic`,
		with(`"topic"`, `"service"`):        "services and actions are not supported, only topics",
		with("PoseStamped", "action/Drive"): "services and actions are not supported",
		with(`"topic"`, `"action"`):         "services and actions are not supported, only topics",
		with("PoseStamped", "srv/SetGoal"):  "services and actions are not supported",
		with("geometry_msgs/PoseStamped", "own/Thing"): `c.json:2:42: bad bridge configuration: ` +
			`found "own/Thing", expected a type that can be carried: own/Thing: bad definition: ` +
			`found no definition`,
		with(`"down"`, `"left"`):    "expected direction: one of down, up",
		with(`"goal"`, `"my goal"`): "a name of letters",
		with(`"goal"`, `7`):         "found 7, expected event, a text",
		with(`geometry_msgs/PoseStamped", "direction": "down", "vehicle": "sut", "event": "goal"}`,
			`geometry_msgs/Point", "direction": "down", "vehicle": "sut", "event": "goal", `+
				`"from": "view"}`): `expected it for one of sensor_msgs/Imu, ` +
			`sensor_msgs/NavSatFix, vision_msgs/Detection3DArray, rosgraph_msgs/Clock, ` +
			`tf2_msgs/TFMessage`,
		with(`"goal"}`, `"goal", "from": {}}`): "found an object, expected an object such as",
		with(`"goal"}`, `"goal", "from": {"pose.x": "a.b"}}`): `c.json:2:136: bad bridge ` +
			`configuration: found field "pose.x", expected a field with one basic value: ` +
			`geometry_msgs/Pose.x: bad definition: found no such field, expected one of ` +
			`position, orientation`,
		with(`"goal"}`, `"goal", "from": {"pose": "a.b"}}`): "found type geometry_msgs/Pose, " +
			"expected a path that ends at one number, bool or string",
		with(`"goal"}`, `"goal", "from": {"header.frame_id.x": "a.b"}}`): "std_msgs/Header.frame_" +
			"id: bad definition: found type string, expected a path",
		with(`"goal"}`, `"goal", "from": {"pose.position.x": 3}}`): "found 3, expected a " +
			"variable, a text",
		with(`"goal"}`, `"goal", "to": {"pose.position.x": "a.b"}}`): "found to with direction " +
			"down",
		strings.Replace(with(`"goal"}`, `"goal", "to": "a.b"}`), "down", "up", 1): `found "a.b", ` +
			`expected an object such as`,
		strings.Replace(with(`"goal"}`, `"goal", "from": "a.b"}`), "down", "up",
			1): "found from with direction up",
		strings.Replace(whole(one), "1,", `1, "qos": 3,`, 1): `c.json:1:15: bad bridge ` +
			`configuration: found key "qos", expected one of bridge, system`,
		strings.Replace(whole(one), "1,", `1, "definitions": "d",`, 1): `found "d", expected ` +
			`definitions, a list`,
		strings.Replace(whole(one), "1,", `1, "definitions": ["missing"],`, 1): "expected a folde" +
			"r with .msg or .idl files",
		strings.Replace(whole(one), "1,", `1, "transport": {"kind": "mcap"},`, 1): "found no path",
		strings.Replace(whole(one), "1,", `1, "transport": {"kind": "loopback", "path": "x"},`,
			1): "no path for transport loopback",
		strings.Replace(whole(one), "1,",
			`1, "transport": {"kind": "mcap", "path": "x", "address": ":1"},`,
			1): "no address for transport mcap",
		strings.Replace(whole(one), "1,", `1, "transport": {"kind": "tcp", "path": "x"},`,
			1): "no path for transport tcp",
		strings.Replace(whole(one), "1,", `1, "transport": {"kind": "tcp", "address": "here"},`,
			1): `c.json:1:55: bad bridge configuration: found "here", expected address: HOST:PORT`,
		strings.Replace(whole(one), "1,",
			`1, "transport": {"kind": "websocket", "address": "a:70000"},`,
			1): `found "a:70000", expected address: HOST:PORT`,
		strings.Replace(whole(one), "1,", `1, "transport": {"kind": "zenoh"},`, 1): `found "zenoh` +
			`", expected kind: one of loopback, mcap, websocket, tcp, dds`,
	} {
		_, err := bridge.ParseConfig("c.json", []byte(text))
		require.Error(t, err, text)
		require.ErrorContains(t, err, message, text)
	}
	// generated code contains names of topics
	for _, topic := range []string{`/goal\nfunc init() {}`, `/%d`, "/`", `/\"`} {
		_, err := bridge.ParseConfig("c.json", []byte(with("/goal", topic)))
		require.ErrorContains(t, err, "expected a topic without quotes", topic)
	}
	c, err := bridge.ParseConfig("c.json", []byte(whole(one)))
	require.NoError(t, err)
	require.Equal(t, "geometry_msgs/PoseStamped", c.Topic("/goal", bridge.Down).Message.Name)
	require.Nil(t, c.Topic("/goal", bridge.Up))
	for kind, address := range map[string]string{"websocket": "127.0.0.1:8765",
		"tcp": "127.0.0.1:7790"} {
		c, err := bridge.ParseConfig("c.json", []byte(strings.Replace(whole(one), "1,",
			`1, "transport": {"kind": "`+kind+`"},`, 1)))
		require.NoError(t, err)
		require.Equal(t, address, c.Transport.Address)
	}
}

// In ROS 1, messages without fields take no bytes, so the number of bytes does not limit their
// number.
func TestDecode_BoundsEmptyMessages(t *testing.T) {
	d := definitions(t, bridge.ROS1)
	require.NoError(t, d.AddMsg("E.msg", "own/Room", "std_msgs/Empty[1048576] a\nbool b"))
	require.NoError(t, d.AddMsg("B.msg", "own/House", "Room[] rooms"))
	house := message(t, d, "own/House")
	b := append([]byte{0, 16, 0, 0}, make([]byte, 1<<12)...) // 4096 rooms, 1 byte for each
	_, err := d.Decode(house, b)
	require.ErrorIs(t, err, cdr.ErrROS1)
	require.ErrorContains(t, err, "own/House.rooms[")
	require.ErrorContains(t, err, "more nested messages than its bytes can contain")
	require.EqualError(t, d.Verify(house, b), err.Error())
	require.NoError(t, d.AddMsg("C.msg", "own/Crowd", "int32 x\nstd_msgs/Empty[] a"))
	_, err = d.Message("own/Crowd")
	require.ErrorContains(t, err,
		"C.msg:2:1: own/Crowd.a: bad definition: found a sequence of std_msgs/Empty, which has "+
			"no bytes in ROS 1")
}

// A text consisting of keys is read in linear time; comparing all keys with each other used to take
// minutes.
func TestConfig_ManyKeys(t *testing.T) {
	var b strings.Builder
	b.WriteString("{")
	for k := range 100_000 {
		b.WriteString(`"` + strconv.Itoa(k) + `":0,`)
	}
	_, err := bridge.ParseConfig("c.json", []byte(b.String()+`"7":0}`))
	require.ErrorContains(t, err, `found a second "7"`)
}

// Names of types are limited: reading them takes time proportional to their text.
func TestAddIDL_LongTypes(t *testing.T) {
	for _, kind := range []string{"long" + strings.Repeat(" long", 200_000), "unsigned" +
		strings.Repeat(" long", 200_000), "a" + strings.Repeat("::a", 300_000)} {
		require.ErrorIs(t, definitions(t, bridge.DDS).AddIDL("a.idl", "module own { struct A { "+
			kind+" x; }; };"), bridge.ErrDefinition)
	}
	require.NoError(t, definitions(t, bridge.DDS).AddIDL("a.idl",
		"module own { struct A { unsigned long long x; long long int y; long z; unsigned "+
			"short w; }; };"))
}

// Messages without fields have no size, so their number is limited; otherwise encoding them would
// not end.
func TestDefinitions_BoundFieldsWithoutSize(t *testing.T) {
	d := definitions(t, bridge.ROS2)
	require.NoError(t, d.AddMsg("a", "own/M0", ""))
	for k := 1; k <= 6; k++ {
		var text strings.Builder
		for i := range 40 {
			fmt.Fprintf(&text, "M%d x%d\n", k-1, i)
		}
		require.NoError(t, d.AddMsg("a", fmt.Sprintf("own/M%d", k), text.String()))
	}
	m, err := d.Message("own/M3")
	require.NoError(t, err)
	b, err := d.Encode(m, nil, false)
	require.NoError(t, err)
	require.Len(t, b, 4+40*40*40, "each message without fields has a byte")
	_, err = d.Message("own/M6")
	require.ErrorContains(t, err, "16 Mi fields")
}

// Folders of definitions are relative to the configuration; packages are folders, with or without
// msg.
func TestConfig_Folders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write("defs/stack_msgs/msg/Status.msg", "std_msgs/Header header\nDetail[] details\n")
	write("defs/stack_msgs/msg/Detail.msg", "string name\nfloat64 value\n")
	write("bridge.json", `{"bridge": 1, "system": "ros2", "definitions": ["defs"], "messages": [
		{"topic": "/status", "type": "stack_msgs/Status", "direction": "up", "vehicle": "sut", "event": "status"}]}`)
	c, err := bridge.ReadConfig(filepath.Join(dir, "bridge.json"))
	require.NoError(t, err)
	require.Len(t, c.Definitions.With(c.Topics[0].Message), 4)
	write("defs/stack_msgs/msg/Detail.msg", "wchar name\n")
	_, err = bridge.ReadConfig(filepath.Join(dir, "bridge.json"))
	require.ErrorContains(t, err, filepath.Join("stack_msgs", "msg", "Detail.msg")+
		":1:1: bad definition: found wchar")
}

// Everything that can be decoded can be encoded again, in the formats of both ROS 2 and ROS 1.
func FuzzDecode(f *testing.F) {
	d, m := everything(f)
	old := definitions(f, bridge.ROS1)
	require.NoError(f, old.AddMsg("Inner.msg", "own/Inner",
		"bool x\nfloat64[] y\nstd_msgs/Empty[4] z\n"))
	require.NoError(f, old.AddMsg("All.msg", "own/All",
		"Header a\nstring<=5[] b\nInner[] c\nint64[<=2] d\nduration[2] e\nfloat32 f\n"))
	b, err := d.Encode(m, nil, false)
	require.NoError(f, err)
	f.Add(b, false)
	f.Add([]byte{0, 0, 0, 0, 255, 255, 255, 255}, false)
	b, err = old.Encode(message(f, old, "own/All"), nil, false)
	require.NoError(f, err)
	f.Add(b, true)
	f.Fuzz(func(t *testing.T, b []byte, ros1 bool) {
		d, m := d, m
		if ros1 {
			d, m = old, message(t, old, "own/All")
		}
		value, err := d.Decode(m, b)
		require.Equal(t, err == nil, d.Verify(m, b) == nil)
		if err != nil {
			return
		}
		again, err := d.Encode(m, value, false)
		require.NoError(t, err)
		_, err = d.Decode(m, again)
		require.NoError(t, err)
	})
}

func FuzzDefinitions(f *testing.F) {
	f.Add(all, true)
	f.Add("module own { struct A { sequence<long, 3> x; string<4> y[2]; }; };", false)
	f.Fuzz(func(t *testing.T, text string, msg bool) {
		system, add := bridge.DDS, (*bridge.Definitions).AddIDL
		if msg {
			system = bridge.ROS2
			add = func(d *bridge.Definitions, file, text string) error {
				return d.AddMsg(file, "own/A", text)
			}
		}
		d := definitions(t, system)
		if add(d, "a", text) != nil {
			return
		}
		if m, err := d.Message("own/A"); err == nil {
			_ = d.Schema(m)
		}
	})
}

func FuzzConfig(f *testing.F) {
	f.Add(
		[]byte(
			`{"bridge": 1, "system": "ros2", "messages": [{"topic": "/goal", "type": ` +
				`"std_msgs/Bool", "direction": "down", "vehicle": "sut", "event": "goal"}], ` +
				`"transport": {"kind": "mcap", "path": "a.mcap"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if strings.Contains(string(b), "definitions") {
			return // must not read folders on this computer
		}
		c, err := bridge.ParseConfig("c.json", b)
		require.Equal(t, err == nil, c != nil)
	})
}
