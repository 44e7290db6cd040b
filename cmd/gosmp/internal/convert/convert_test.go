package convert

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/recorded"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// writeAttached writes an MCAP file with an attachment, notes, and a message of a channel.
func writeAttached(t *testing.T, path, topic string, c trace.Channel) {
	f, err := os.Create(path)
	require.NoError(t, err)
	sink, err := trace.Create(f, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c.Topic = topic
	channel, err := sink.Add(c)
	require.NoError(t, err)
	e := sink.(trace.Attacher)
	require.NoError(t, e.Attach(&mcap.Metadata{Name: "org.example." + topic,
		Values: map[string]string{"k": topic}}))
	require.NoError(t, sink.Write(&trace.Message{Channel: channel, Data: []byte{0x12, 0}}))
	require.NoError(t, e.Attach(&mcap.Attachment{Name: topic + ".yaml", MediaType: "text/yaml",
		Data: []byte(topic), LogTime: 7}))
	require.NoError(t, sink.Close())
	require.NoError(t, f.Close())
}

// Attachments and metadata of all inputs are copied into an MCAP file.
func TestConvert_KeepsAttachmentsAndMetadata(t *testing.T) {
	folder := t.TempDir()
	inputs := []string{filepath.Join(folder, "a.mcap"), filepath.Join(folder, "b.mcap")}
	for k, topic := range []string{"front", "rear"} {
		writeAttached(t, inputs[k], topic, trace.OSI(topic, "sv"))
	}
	out := filepath.Join(folder, "both.mcap")
	require.NoError(t, (&Command{Files: inputs, Out: out}).Run())
	file, err := os.Open(out)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	require.NoError(t, err)
	f, err := mcap.Open(file, info.Size())
	require.NoError(t, err)
	found := map[string]string{}
	for _, a := range f.Attachments {
		attachment, err := f.ReadAttachment(a)
		require.NoError(t, err)
		require.EqualValues(t, 7, attachment.LogTime)
		require.Equal(t, "text/yaml", attachment.MediaType)
		found[attachment.Name] = string(attachment.Data)
	}
	for _, m := range f.Metadata {
		metadata, err := f.ReadMetadata(m)
		require.NoError(t, err)
		found[metadata.Name] = metadata.Values["k"]
	}
	require.Equal(t, map[string]string{"front.yaml": "front", "rear.yaml": "rear",
		"org.example.front": "front", "org.example.rear": "rear",
		trace.MetadataName: ""}, found)
	// Other formats cannot contain them, which is not an error.
	require.NoError(t, (&Command{Files: inputs, Out: filepath.Join(folder, "both.jsonl")}).Run())
}

func TestConvert_RefusesWhatItCannotDo(t *testing.T) {
	folder := t.TempDir()
	in, out := filepath.Join(folder, "a.mcap"), filepath.Join(folder, "a.jsonl")
	writeAttached(t, in, "chatter", trace.Channel{Type: "std_msgs/msg/String", Encoding: "cdr",
		SchemaEncoding: "ros2msg", Schema: []byte("string data")})
	require.ErrorContains(t, (&Command{Files: []string{in}, Out: out}).Run(),
		"channel chatter, 0 s: message that cannot be decoded: found 2 bytes")
	require.NoFileExists(t, out)
	err := (&Command{Files: []string{in}, Out: filepath.Join(folder, "b.mcap"),
		Metadata: map[string]string{"min_osi_version": "3.0.0"}}).Run()
	require.ErrorContains(t, err,
		`--metadata: found "min_osi_version", which is determined by the channels`)
}

// Messages that cannot be decoded are left out and named, and the others are written.
func TestConvert_GoesOnAfterMessagesThatCannotBeDecoded(t *testing.T) {
	folder := t.TempDir()
	const broken = 103
	for name, x := range map[string]struct {
		channel   trace.Channel
		good, bad []byte
	}{
		"ros.mcap": {trace.Channel{Topic: "t", Type: "std_msgs/msg/String", Encoding: "cdr",
			SchemaEncoding: "ros2msg", Schema: []byte("string data")},
			[]byte("\x00\x01\x00\x00\x02\x00\x00\x00a\x00"), []byte{0, 1}},
		"osi.mcap": {trace.OSI("t", "gt"), []byte{0x12, 0}, []byte{0x12, 9}},
	} {
		in := filepath.Join(folder, name)
		f, err := os.Create(in)
		require.NoError(t, err)
		sink, err := trace.Create(f, trace.MCAP, trace.SinkOptions{})
		require.NoError(t, err)
		c, err := sink.Add(x.channel)
		require.NoError(t, err)
		for k := range timebase.Time(broken + 3) {
			data := x.bad
			if k%50 == 0 {
				data = x.good
			}
			require.NoError(t,
				sink.Write(&trace.Message{Channel: c, Time: k, Publish: k, Data: data}))
		}
		require.NoError(t, sink.Close())
		require.NoError(t, f.Close())
		for out, c := range map[string]Command{"a.jsonl": {}, "a.csv": {}, "a.txth": {},
			"a.mcap": {Field: []string{"timestamp"}}, "b.jsonl": {SplitSize: "200B"}} {
			if name == "ros.mcap" && (out == "a.txth" || out == "a.mcap") {
				continue // ROS messages cannot be written to such a file
			}
			c.Files, c.Out = []string{in}, filepath.Join(folder, name+out)
			require.ErrorIs(t, c.Run(), errConvertedPart, name+out)
			if out != "b.jsonl" {
				require.FileExists(t, c.Out)
			}
		}
		k := &trace.Copy{Format: trace.JSONLines}
		source, err := (&Command{Files: []string{in}, Out: "-"}).open(k)
		require.NoError(t, err)
		readable := recorded.NewSource(source)
		readable.Broken = k.Break
		var text bytes.Buffer
		require.NoError(t, k.Run(&text, readable))
		require.Equal(t, 3, bytes.Count(text.Bytes(), []byte("\n")))
		require.EqualValues(t, broken, k.Undecodable)
		r := &Result{}
		r.report(k, func(err error) error { return err })
		require.Len(t, r.Missing, 101)
		require.Contains(t, r.Missing[0], "channel t, 0.000000001 s")
		require.Equal(t, "3 more messages that cannot be decoded", r.Missing[100])
		require.NoError(t, source.Close())
	}
}

// A channel that a format cannot store does not prevent the others from being written. It is named,
// and the exit code is 1. If it is the only channel, or --channel selects it, the command reports
// an error.
func TestConvert_LeavesOutWhatCannotBeUsed(t *testing.T) {
	folder := t.TempDir()
	input, lone := filepath.Join(folder, "a.mcap"), filepath.Join(folder, "bad.mcap")
	for name, bad := range map[string]trace.Channel{
		"ROS": {Type: "x/msg/Bad", Encoding: "cdr", SchemaEncoding: "ros2msg",
			Schema: []byte("M m")},
		"protobuf": {Type: "x.Bad", Encoding: "protobuf", SchemaEncoding: "protobuf",
			Schema: []byte{255}},
		"foreign": {Type: "x.Bad", Encoding: "flatbuffer", SchemaEncoding: "flatbuffer"},
	} {
		bad.Topic = "bad"
		for path, channels := range map[string][]trace.Channel{lone: {bad},
			input: {bad, trace.OSI("view", "sv")}} {
			f, err := os.Create(path)
			require.NoError(t, err)
			sink, err := trace.Create(f, trace.MCAP, trace.SinkOptions{})
			require.NoError(t, err)
			for _, c := range channels {
				added, err := sink.Add(c)
				require.NoError(t, err)
				for k := range timebase.Time(3) {
					require.NoError(t, sink.Write(&trace.Message{Channel: added,
						Time: k * timebase.Second, Data: []byte{0x12, 0}}))
				}
			}
			require.NoError(t, sink.Close())
			require.NoError(t, f.Close())
		}
		for _, extension := range []string{".jsonl", ".csv", ".osi", ".txth"} {
			out := filepath.Join(folder, name+"_sv"+extension)
			c := &Command{Files: []string{input}, Out: out}
			require.ErrorIs(t, c.Run(), errConvertedPart, "%s to %s", name, extension)
			s, err := os.Stat(out)
			require.NoError(t, err)
			require.NotZero(t, s.Size())
			c.Channel = []string{"view"}
			require.NoError(t, c.Run(), "%s to %s", name, extension)
			c.Channel = []string{"bad"}
			require.ErrorIs(t, c.Run(), trace.ErrType, "%s to %s", name, extension)
			c = &Command{Files: []string{lone}, Out: filepath.Join(folder, "none"+extension)}
			require.ErrorIs(t, c.Run(), trace.ErrType, "%s to %s", name, extension)
			require.NoFileExists(t, c.Out)
			c = &Command{Files: []string{input}, Out: out, SplitTime: new(float64)}
			*c.SplitTime = 2
			require.ErrorIs(t, c.Run(), errConvertedPart, "%s to parts %s", name, extension)
		}
	}
}

// A name in a file cannot begin a line of the output, or control the terminal.
func TestResult_PrintsNamesAsText(t *testing.T) {
	var b strings.Builder
	r := &Result{Output: "a.mcap", Missing: []string{"topic a\x1b[31m\nerror: b"}}
	require.NoError(t, r.print(&b, false))
	require.Equal(t, "0 messages written to a.mcap\n  missing: topic a\\u001b[31m\\nerror: b\n",
		b.String())
}
