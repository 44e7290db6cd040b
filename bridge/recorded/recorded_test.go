package recorded_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/recorded"
	"gosmp/trace"
)

// one returns a trace with one message on one channel, which becomes JSON.
func one(t *testing.T, c trace.Channel, data string) trace.Source {
	return recorded.NewSource(written(t, c, data))
}

// written returns a trace with one message on a channel.
func written(t *testing.T, c trace.Channel, data string) trace.Source {
	t.Helper()
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	added, err := sink.Add(c)
	require.NoError(t, err)
	bytes, err := hex.DecodeString(strings.ReplaceAll(data, " ", ""))
	require.NoError(t, err)
	require.NoError(t, sink.Write(&trace.Message{Channel: added, Time: 5, Publish: 5, Data: bytes}))
	require.NoError(t, sink.Close())
	s, err := trace.OpenAt("ros.mcap", strings.NewReader(b.String()), int64(b.Len()),
		trace.Options{})
	require.NoError(t, err)
	return s
}

const (
	line = "================================================================================\n"
	// A message in the bytes of each system.
	little = "00010000 "
)

// Each schema language in recordings is supported, with the names, types and omissions of
// third-party recorders. The bytes were assembled manually following the rules of CDR.
func TestSource_SchemaLanguages(t *testing.T) {
	for _, c := range []struct{ name, encoding, language, schema, data, want string }{
		{"nav/msg/Goal", "cdr", "ros2msg",
			"builtin_interfaces/Time stamp\nfloat32[] r\nuint8[] data\n" +
				"uint8[2] pair\nstring<=4 text x\nP p # a point\n" + line +
				"MSG: nav/P\nfloat64 x\nint16 X=4\n",
			little + "05000000 07000000 02000000 0000c07f 0000807f 03000000 010203" + "0405" +
				"000000" +
				"03000000 c3a400 00" + "000000000000f03f",
			`{"stamp":{"sec":5,"nanosec":7},"r":["NaN","Infinity"],"data":"AQID","pair":[4,5],"te` +
				`xt":"ä","p":{"x":1}}`},
		{"std_msgs/msg/Bool", "cdr", "ros2msg", "", little + "01", `{"data":true}`},
		{"old/Things", "ros1", "ros1msg",
			"Header header\nbyte b\nchar c\nint8 i\nuint16 u\nduration d\nP[] p\r\n" +
				line + "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n" + line +
				"MSG: old/P\nfloat32 x\n",
			"04000000 05000000 07000000 01000000 61 ff c8 ff 0201 ffffffff 01000000 02000000 " +
				"0000003f 0000803f",
			`{"header":{"seq":4,"stamp":{"sec":5,"nanosec":7},"frame_id":"a"},"b":-1,"c":200,"i":` +
				`-1,"u":258,` +
				`"d":{"sec":-1,"nanosec":1},"p":[{"x":0.5},{"x":1}]}`},
		{"geo/msg/Pose", "cdr", "ros2idl", line +
			"IDL: geo/msg/Pose\nmodule geo { module msg { struct Pose { " +
			"geo::msg::P p; boolean ok; }; }; };\n" + line +
			"IDL: geo/msg/P\nmodule geo { module msg { struct P { float x; }; }; };\n",
			little + "0000003f 01", `{"p":{"x":0.5},"ok":true}`},
		{"a::B", "cdr", "omgidl", "module a { enum E { X, Y }; struct B { E e; octet o; }; };",
			little + "01000000 ff", `{"e":1,"o":255}`},
	} {
		s := one(t, trace.Channel{Topic: "t", Type: c.name, Encoding: c.encoding,
			SchemaEncoding: c.language, Schema: []byte(c.schema)}, c.data)
		require.Equal(t, "json", s.Channels()[0].Encoding)
		m, err := s.Next()
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, string(m.Data), c.name)
		require.Same(t, s.Channels()[0], m.Channel)
		for _, format := range []trace.Format{trace.JSONLines, trace.CSV} {
			var b bytes.Buffer
			require.NoError(t, (&trace.Copy{Format: format}).Run(&b, one(t, *m.Channel,
				hex.EncodeToString(m.Data))))
			require.Contains(t, b.String(), map[trace.Format]string{trace.JSONLines: c.want,
				trace.CSV: "log_time,publish_time,sequence,"}[format])
		}
	}
}

// An unusable schema, and bytes that do not fit the schema, are errors that name the channel.
func TestSource_Refuses(t *testing.T) {
	c := trace.Channel{Topic: "/odd", Type: "a/msg/B", Encoding: "cdr", SchemaEncoding: "ros2msg",
		Schema: []byte("C c\n")}
	_, err := one(t, c, little).Next()
	require.ErrorIs(t, err, trace.ErrType)
	require.ErrorContains(t, err, "channel /odd")
	require.ErrorContains(t, err, "--channel")
	c.Schema = []byte("float64 x\n")
	_, err = one(t, c, little+"01").Next()
	require.ErrorIs(t, err, trace.ErrContent)
	require.ErrorContains(t, err, "channel /odd")
	c.SchemaEncoding = "flatbuffer"
	_, err = one(t, c, little).Next()
	require.ErrorIs(t, err, trace.ErrType)
}

// A channel whose schema cannot be used is left out on request, unless there is nothing else.
func TestSource_LeavesOutWhatCannotBeUsed(t *testing.T) {
	bad := trace.Channel{Topic: "bad", Type: "x/msg/Bad", Encoding: "cdr",
		SchemaEncoding: "ros2msg", Schema: []byte("Missing m\n")}
	good := trace.Channel{Topic: "good", Type: "std_msgs/msg/Bool", Encoding: "cdr",
		SchemaEncoding: "ros2msg"}
	_, err := one(t, bad, little+"01").Next()
	require.ErrorIs(t, err, trace.ErrType)
	for name, c := range map[string]struct {
		from  trace.Source
		found int
	}{
		"alone": {written(t, bad, little+"01"), 0},
		"readable": {trace.Merge(written(t, bad, little+"01"), written(t, good, little+"01")),
			1},
		"osi": {trace.Merge(written(t, trace.OSI("view", "sv"), ""), written(t, bad, little)), 1},
	} {
		source := recorded.NewSource(c.from)
		source.LeaveOut = true
		for range c.found {
			m, err := source.Next()
			require.NoError(t, err, name)
			require.NotEqual(t, "bad", m.Channel.Topic)
		}
		_, err := source.Next()
		require.Len(t, source.Unusable, 1, name)
		require.ErrorContains(t, source.Unusable[0], "channel bad: unusable type of message")
		if c.found == 0 {
			require.ErrorIs(t, err, trace.ErrType, name)
		} else {
			require.ErrorIs(t, err, io.EOF, name)
		}
	}
}
