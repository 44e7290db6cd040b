package bridge_test

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/bridge"
	"gosmp/bridge/cdr"
	"gosmp/trace/mcap"
)

// The ROS 1 format has no header, no alignment and no NUL; the expected bytes were written
// manually.
func TestEncode_ROS1(t *testing.T) {
	d := definitions(t, bridge.ROS1)
	require.NoError(t, d.AddMsg("m.msg", "own/Mixed",
		"bool a\nint64 b\nstring[] c\nfloat32[2] d\nstd_msgs/Empty e\ntime f\nduration g\n"))
	for _, c := range []struct {
		name  string
		value fields
		hex   string
	}{
		{"std_msgs/String", fields{"data": "hello"}, "05000000 68656c6c6f"},
		{"std_msgs/String", fields{"data": ""}, "00000000"},
		{"std_msgs/Bool", fields{"data": true}, "01"},
		{"std_msgs/Float64", fields{"data": 1.5}, "000000000000f83f"},
		{"std_msgs/Empty", fields{}, ""},
		{"std_msgs/Header",
			fields{"seq": uint64(7), "stamp": fields{"sec": int64(1), "nanosec": uint64(500000000)},
				"frame_id": "map"}, "07000000 01000000 0065cd1d 03000000 6d6170"},
		{"own/Mixed", fields{"a": true, "b": int64(-2), "c": []any{"x", ""}, "d": []any{0.5, -1.0},
			"e": fields{},
			"f": fields{"sec": int64(3), "nanosec": uint64(4)}, "g": fields{"sec": int64(-1),
				"nanosec": uint64(5)}},
			"01 feffffffffffffff 02000000 01000000 78 00000000 0000003f 000080bf 03000000 " +
				"04000000 ffffffff 05000000"},
	} {
		m := message(t, d, c.name)
		b, err := d.Encode(m, c.value, false)
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(c.hex, " ", ""), hex.EncodeToString(b), c.name)
		back, err := d.Decode(m, b)
		require.NoError(t, err)
		require.Equal(t, c.value, back, c.name)
		require.NoError(t, d.Verify(m, b))
	}
	_, err := d.Encode(message(t, d, "std_msgs/Bool"), nil, true)
	require.EqualError(t, err,
		"std_msgs/Bool: bad value: found big endian, expected little endian, the only byte "+
			"order of ROS 1")
}

// Damaged messages of ROS 1 are refused with path and byte.
func TestDecode_ROS1Refuses(t *testing.T) {
	d := definitions(t, bridge.ROS1)
	require.NoError(t, d.AddMsg("s.msg", "own/Seq", "float64[] a"))
	for _, c := range []struct{ name, hex, text string }{
		{"std_msgs/String", "0200",
			"std_msgs/String.data: byte 0: bad ROS 1 message: found 2 bytes, expected " +
				"4 with padding"},
		{"std_msgs/String", "05000000 6f6b",
			"std_msgs/String.data: byte 0: bad ROS 1 message: found a string of 5 bytes, " +
				"expected at most the 2"},
		{"std_msgs/Bool", "02", "std_msgs/Bool.data: byte 0: bad ROS 1 message: found a bool of 2"},
		{"std_msgs/Bool", "0100",
			"byte 1: bad ROS 1 message: found 1 extra bytes after the last field, expected at most 0"},
		{"own/Seq", "ffffff7f 00000000",
			"own/Seq.a: byte 0: bad ROS 1 message: found 2147483647 elements"},
	} {
		b, err := hex.DecodeString(strings.ReplaceAll(c.hex, " ", ""))
		require.NoError(t, err)
		_, err = d.Decode(message(t, d, c.name), b)
		require.ErrorIs(t, err, cdr.ErrROS1)
		require.ErrorContains(t, err, c.text)
		require.EqualError(t, d.Verify(message(t, d, c.name), b), err.Error())
	}
}

// A recording of ROS 1 has the profile, encodings and names of ROS 1.
func TestMCAP_ROS1(t *testing.T) {
	c, err := bridge.ParseConfig("c.json", []byte(`{"bridge": 1, "system": "ros1", "messages": [
		{"topic": "/goal", "type": "geometry_msgs/PoseStamped", "direction": "down", "vehicle": "sut", "event": "goal"}]}`))
	require.NoError(t, err)
	var file bytes.Buffer
	w, err := bridge.NewMCAP(&file, c)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	f, err := mcap.Open(bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Equal(t, "ros1", f.Header.Profile)
	require.Equal(t, "ros1", f.Channels[1].MessageEncoding)
	require.Equal(t, "geometry_msgs/PoseStamped ros1msg", f.Schemas[1].Name+" "+
		f.Schemas[1].Encoding)
	require.Contains(t, string(f.Schemas[1].Data), "MSG: std_msgs/Header\nuint32 seq\ntime stamp\n")
}

// In ROS 2, a message without fields takes one byte, even in a sequence.
func TestEncode_MessagesWithoutFields(t *testing.T) {
	d := definitions(t, bridge.ROS2)
	require.NoError(t, d.AddMsg("m.msg", "own/Crowd",
		"uint16 a\nstd_msgs/Empty[] b\nstd_msgs/Empty[2] c\nuint16 d\n"))
	m := message(t, d, "own/Crowd")
	rapid.Check(t, func(t *rapid.T) {
		list := []any{}
		for range rapid.IntRange(0, 5).Draw(t, "n") {
			list = append(list, fields{})
		}
		value := fields{"a": uint64(1), "b": list, "c": []any{fields{}, fields{}}, "d": uint64(258)}
		b, err := d.Encode(m, value, false)
		require.NoError(t, err)
		back, err := d.Decode(m, b)
		require.NoError(t, err)
		require.Equal(t, value, back)
	})
	b, err := d.Encode(m, fields{"a": 1, "b": []any{fields{}, fields{}, fields{}}, "d": 258}, false)
	require.NoError(t, err)
	require.Equal(t, "00010000"+"01000000"+"03000000"+"000000"+"0000"+"00"+"0201",
		hex.EncodeToString(b))
	_, err = d.Decode(message(t, d, "std_msgs/Empty"), []byte{0, 1, 0, 0})
	require.NoError(t, err, "some writers send no byte")
}

// ROS 1 type names in ROS 2 definitions are replaced by those that ROS 2 readers expect.
func TestSchema_SpellsTimesForROS2(t *testing.T) {
	d := definitions(t, bridge.ROS2)
	require.NoError(t, d.AddMsg("m.msg", "own/Old",
		"Header header # a comment\ntime[] t\n duration d\nint32 time\n"))
	line := strings.Repeat("=", 80) + "\n"
	require.Equal(t,
		"std_msgs/Header header # a comment\nbuiltin_interfaces/Time[] t\n "+
			"builtin_interfaces/Time d\nint32 time\n"+
			line+"MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"+
			line+"MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n",
		d.Schema(message(t, d, "own/Old")))
}
