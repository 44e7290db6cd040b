package trace_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/trace"
	"gosmp/trace/mcap"
)

// foreign starts an MCAP file with channels of SensorViews, as another writer might.
func foreign(t *testing.T, o mcap.Options, channels ...*mcap.Channel) (*bytes.Buffer,
	*mcap.Writer) {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, o)
	require.NoError(t, err)
	schema, err := trace.SchemaOf("osi3.SensorView")
	require.NoError(t, err)
	require.NoError(t,
		w.AddSchema(&mcap.Schema{ID: 1, Name: "osi3.SensorView", Encoding: "protobuf",
			Data: schema}))
	for _, c := range channels {
		require.NoError(t, w.AddChannel(c))
	}
	return &b, w
}

func viewChannel(id uint16, topic, release string) *mcap.Channel {
	c := &mcap.Channel{ID: id, SchemaID: 1, Topic: topic, MessageEncoding: "protobuf"}
	if release != "" {
		c.Metadata = map[string]string{"net.asam.osi.trace.channel.osi_version": release,
			"net.asam.osi.trace.channel.protobuf_version": "1.36.12"}
	}
	return c
}

// Statistics without channel counts, or with impossible times, are not used.
func TestSurvey_CountsWhatTheStatisticsDoNotSay(t *testing.T) {
	b, w := foreign(t, mcap.Options{}, viewChannel(1, "view", "3.8.0"))
	for k := range 5 {
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: uint64(k),
			Data: []byte{0x12, 0}}))
	}
	require.NoError(t, w.Close())
	// offsets in the body: the length of the map, followed by channel and count; the greatest time
	const counts, end = 42, 34
	for name, change := range map[string]func(body []byte){
		"as they are":       func([]byte) {},
		"no counts":         func(body []byte) { body[counts] = 0 },
		"other counts":      func(body []byte) { body[counts+4+2] = 4 },
		"another channel":   func(body []byte) { body[counts+4] = 7 },
		"counts of no file": func(body []byte) { body[counts+4+2+7] = 0xff },
		"huge times":        func(body []byte) { body[end+7] = 0xff },
	} {
		content := slices.Clone(b.Bytes())
		// remove the checksum of the summary
		copy(content[len(content)-len(mcap.Magic)-4:], []byte{0, 0, 0, 0})
		change(statistics(t, content))
		info, err := trace.Survey(open(t, "a.mcap", content, trace.Options{}))
		require.NoError(t, err, name)
		require.EqualValues(t, 5, info.Messages, name)
		require.Equal(t, []int64{5}, info.Counts, name)
		require.EqualValues(t, 4, info.End, name)
	}
}

// statistics returns the body of the Statistics record in a file.
func statistics(t *testing.T, content []byte) []byte {
	f, err := mcap.Open(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	for _, o := range f.Offsets {
		if o.Group == mcap.OpStatistics {
			return content[o.Start+9:]
		}
	}
	t.Fatal("no statistics")
	return nil
}

// A file with chunks whose index leaves out messages is read from front to back.
func TestOpenAt_ReadsMessagesThatTheIndexLeavesOut(t *testing.T) {
	b, w := foreign(t, mcap.Options{}, viewChannel(1, "view", "3.8.0"))
	require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: 1,
		Data: []byte("in a chunk")}))
	require.NoError(t, w.Close())
	f, err := mcap.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	loose := append([]byte{5, 27, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2,
		0, 0, 0, 0, 0, 0, 0}, "loose"...)
	end := int(f.Footer.SummaryStart) - 13 // the DataEnd record, whose checksum is removed
	content := slices.Concat(b.Bytes()[:end], loose, []byte{15, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		b.Bytes()[end+13:])
	footer := len(content) - len(mcap.Magic) - 20
	binary.LittleEndian.PutUint64(content[footer:], f.Footer.SummaryStart+uint64(len(loose)))
	copy(content[footer+8:], make([]byte, 12)) // neither offsets nor checksum
	source := open(t, "a.mcap", content, trace.Options{})
	require.False(t, source.Info().Indexed)
	list, err := all(source)
	require.NoError(t, err)
	require.Len(t, list, 2)
}

// Attachments and metadata are delivered with the messages, both from files with an index and from
// pipes.
func TestOptions_EnclosedIsCalledForEachRecord(t *testing.T) {
	b, w := foreign(t, mcap.Options{}, viewChannel(1, "view", "3.8.0"))
	require.NoError(t, w.WriteMetadata(&mcap.Metadata{Name: trace.MetadataName,
		Values: map[string]string{"description": "d"}}))
	require.NoError(t, w.WriteMetadata(&mcap.Metadata{Name: "org.example.notes",
		Values: map[string]string{"k": "v"}}))
	require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: 1, Data: []byte{0x12,
		0}}))
	require.NoError(t, w.Flush())
	require.NoError(t, w.WriteAttachment(&mcap.Attachment{Name: "a.txt", LogTime: 3,
		Data: []byte("hello")}))
	require.NoError(t, w.Close())
	for _, piped := range []bool{false, true} {
		var got []any
		o := trace.Options{Attached: func(record any) error {
			got = append(got, record)
			return nil
		}}
		source := open(t, "a.mcap", b.Bytes(), o)
		if piped {
			var err error
			source, err = trace.OpenStream("a.mcap", bytes.NewReader(b.Bytes()), o)
			require.NoError(t, err)
		}
		require.Equal(t, "d", source.Info().Metadata["description"],
			"known before the first message")
		require.Empty(t, got, "nothing before the first call of Next")
		_, err := all(source)
		require.NoError(t, err)
		require.Len(t, got, 2)
		require.Equal(t,
			&mcap.Metadata{Name: "org.example.notes", Values: map[string]string{"k": "v"}}, got[0])
		require.Equal(t, "hello", string(got[1].(*mcap.Attachment).Data))

		failed := errors.New("full")
		o.Attached = func(any) error { return failed }
		source, err = trace.OpenStream("a.mcap", bytes.NewReader(b.Bytes()), o)
		require.NoError(t, err)
		_, err = all(source)
		require.ErrorIs(t, err, failed)
	}
}

// Many files lack OSI's metadata. The release is taken from the messages and not assumed to be
// ours.
func TestOpen_TakesTheReleaseFromTheMessages(t *testing.T) {
	b, w := foreign(t, mcap.Options{}, viewChannel(1, "old", ""), viewChannel(2, "none", ""),
		viewChannel(3, "stated", "3.6.0"))
	version := []byte{0x0a, 4, 0x08, 3, 0x10, 5}
	for id := range uint16(3) {
		message := &mcap.Message{ChannelID: id + 1, LogTime: 1, Data: version}
		if id == 1 {
			message.Data = []byte{0x12, 0}
		}
		require.NoError(t, w.WriteMessage(message))
	}
	require.NoError(t, w.Close())
	for _, piped := range []bool{false, true} {
		source := open(t, "a.mcap", b.Bytes(), trace.Options{})
		if piped {
			var err error
			source, err = trace.OpenStream("a.mcap", bytes.NewReader(b.Bytes()), trace.Options{})
			require.NoError(t, err)
		}
		_, err := all(source)
		require.NoError(t, err)
		releases := map[string]string{}
		for _, c := range source.Channels() {
			releases[c.Topic] = c.OSIVersion
		}
		require.Equal(t, map[string]string{"old": "3.5.0", "none": "", "stated": "3.6.0"}, releases)
	}
}

// Releases given by the caller widen the range in the metadata, so that channels of other releases
// can be added later. All other versions and keys are computed.
func TestMCAP_GivenReleasesWidenTheRange(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{
		Metadata: map[string]string{"min_osi_version": "3.5.0", "max_osi_version": "new",
			"version": "1.0.0", "authors": "a"}})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("new", "sv"))
	require.NoError(t, err)
	require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: []byte{0x12, 0}}))
	for release, fits := range map[string]bool{"3.5.0": true, "3.4.9": false, "3.8.1": false} {
		later := trace.OSI("of "+release, "sv")
		later.OSIVersion = release
		_, err = sink.Add(later)
		require.Equal(t, fits, err == nil, release)
	}
	require.NoError(t, sink.Close())
	require.Equal(t, map[string]string{"version": "3.8.0", "min_osi_version": "3.5.0",
		"max_osi_version": "3.8.0", "min_protobuf_version": trace.ProtobufVersion,
		"max_protobuf_version": trace.ProtobufVersion, "authors": "a"}, open(t, "a.mcap", b.Bytes(),
		trace.Options{}).Info().Metadata)
	require.True(t, trace.IsComputed("version"))
	require.False(t, trace.IsComputed("authors"))
}

// OSI allows one schema for each type and release, even if sources describe it with different
// bytes.
func TestMCAP_SchemasOfSourcesAreOne(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	other := trace.OSI("b", "sv")
	other.Schema, err = trace.SchemaOf("osi3.SensorData") // describes SensorView, too
	require.NoError(t, err)
	for _, c := range []trace.Channel{trace.OSI("a", "sv"), other} {
		_, err = sink.Add(c)
		require.NoError(t, err)
	}
	require.NoError(t, sink.Close())
	f, err := mcap.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	require.Len(t, f.Schemas, 1)
}

// Attach accepts attachments and metadata records, and nothing else.
func TestMCAP_EnclosesAttachmentsAndMetadata(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	e := sink.(trace.Attacher)
	require.NoError(t, e.Attach(&mcap.Attachment{Name: "a"}))
	require.NoError(t, e.Attach(&mcap.Metadata{Name: "b"}))
	require.ErrorIs(t, e.Attach(&mcap.Metadata{Name: trace.MetadataName}), trace.ErrContent)
	require.ErrorIs(t, e.Attach("text"), trace.ErrContent)
	require.NoError(t, sink.Close())
	f, err := mcap.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	require.Len(t, f.Attachments, 1)
	require.Len(t, f.Metadata, 2)
}
