package trace_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	official "github.com/foxglove/mcap/go/mcap"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"pgregory.net/rapid"

	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

const ms = timebase.Millisecond

// view returns an encoded SensorView of a motorway.
func view(t require.TestingT, at timebase.Time) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(scene.Motorway(at))
	require.NoError(t, err)
	return b
}

// record writes SensorViews at the given times.
func record(t require.TestingT, format trace.Format, times ...timebase.Time) []byte {
	var b bytes.Buffer
	sink, err := trace.Create(&b, format, trace.SinkOptions{ChunkSize: 30_000})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("View", "sv"))
	require.NoError(t, err)
	for _, at := range times {
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: view(t, at)}))
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// kept is a message that outlives its source.
type kept struct {
	topic, kind   string
	time, publish timebase.Time
	data          string
}

// all reads messages up to the first error, which it returns; the end of the source is not an
// error.
func all(s trace.Source) (list []kept, err error) {
	for {
		m, err := s.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, kept{m.Channel.Topic, m.Channel.Type, m.Time, m.Publish,
			string(m.Data)})
	}
}

func open(t require.TestingT, name string, content []byte, o trace.Options) trace.Source {
	s, err := trace.OpenAt(name, bytes.NewReader(content), int64(len(content)), o)
	require.NoError(t, err)
	return s
}

var names = map[trace.Format]string{trace.OSIFile: "20210818T150542Z_sv_380_13612_3.osi",
	trace.MCAP: "a.mcap", trace.JSONLines: "a.jsonl"}

// nameOf returns a name for a trace with SensorViews. Files with one channel state the type in it.
func nameOf(format trace.Format) string {
	if format.HasOneChannel() {
		return strings.TrimSuffix(names[trace.OSIFile], "osi") + string(format)
	}
	return "a." + string(format)
}

func TestEveryFormat_ReadsBackByContentFromFileAndPipe(t *testing.T) {
	for _, format := range trace.ReadAndWritten() {
		name := nameOf(format)
		content := record(t, format, 0, 20*ms, 40*ms, 3600*timebase.Second)
		var want []kept
		for _, at := range []timebase.Time{0, 20 * ms, 40 * ms, 3600 * timebase.Second} {
			topic := "View"
			if format.HasOneChannel() {
				topic = "SensorView"
			}
			want = append(want, kept{topic, "osi3.SensorView", at, at, string(view(t, at))})
		}
		s := open(t, name, content, trace.Options{})
		require.Equal(t, format, s.Info().Format)
		got, err := all(s)
		require.NoError(t, err)
		require.Equal(t, want, got, format)
		require.Equal(t, "3.8.0", s.Channels()[0].OSIVersion)

		s, err = trace.OpenStream(name, bytes.NewReader(content), trace.Options{})
		require.NoError(t, err)
		got, err = all(s)
		require.NoError(t, err)
		require.Equal(t, want, got, "%s from a pipe", format)
		require.NoError(t, s.Close())

		s = open(t, name, content, trace.Options{Select: trace.Selection{Start: 20 * ms,
			End: timebase.Second}})
		got, err = all(s)
		require.NoError(t, err)
		require.Equal(t, want[1:3], got, "%s by time", format)

		s = open(t, name, content, trace.Options{Select: trace.Selection{Topics: []string{"sd"}}})
		got, err = all(s)
		require.NoError(t, err)
		require.Empty(t, got, "%s by channel", format)
	}
}

func TestEveryFormat_GivesTheSameBytesForTheSameMessages(t *testing.T) {
	for _, format := range trace.ReadAndWritten() {
		require.Equal(t, record(t, format, 0, ms), record(t, format, 0, ms), format)
	}
}

// TestMCAP_MeetsTheRequirementsOfOSI reads our file with the MCAP authors' library (T10 to T14).
func TestMCAP_MeetsTheRequirementsOfOSI(t *testing.T) {
	r, err := official.NewReader(bytes.NewReader(record(t, trace.MCAP, 20*ms, 40*ms)))
	require.NoError(t, err)
	info, err := r.Info()
	require.NoError(t, err)
	require.EqualValues(t, 2, info.Statistics.MessageCount)
	require.Len(t, info.MetadataIndexes, 1)
	metadata, err := r.GetMetadata(info.MetadataIndexes[0].Offset)
	require.NoError(t, err)
	require.Equal(t, "net.asam.osi.trace", metadata.Name)
	for _, key := range trace.MandatoryMetadata() {
		_, ok := trace.ParseVersion(metadata.Metadata[key])
		require.True(t, ok, key)
	}
	require.Equal(t, "3.8.0", metadata.Metadata["version"])
	channel := info.Channels[1]
	require.Equal(t, "View", channel.Topic)
	require.Equal(t, "protobuf", channel.MessageEncoding)
	require.Equal(t, map[string]string{"net.asam.osi.trace.channel.osi_version": "3.8.0",
		"net.asam.osi.trace.channel.protobuf_version": trace.ProtobufVersion}, channel.Metadata)
	schema := info.Schemas[channel.SchemaID]
	require.Equal(t, "osi3.SensorView", schema.Name)
	require.Equal(t, "protobuf", schema.Encoding)
	var set descriptorpb.FileDescriptorSet
	require.NoError(t, proto.Unmarshal(schema.Data, &set))
	require.Len(t, set.File, 17)
	files, err := protodesc.NewFiles(&set)
	require.NoError(t, err)
	_, err = files.FindDescriptorByName("osi3.SensorView")
	require.NoError(t, err)
	it, err := r.Messages()
	require.NoError(t, err)
	for _, at := range []timebase.Time{20 * ms, 40 * ms} {
		_, _, m, err := it.NextInto(nil)
		require.NoError(t, err)
		require.Equal(t, uint64(at), m.LogTime)
		require.Equal(t, uint64(at), m.PublishTime)
		require.Equal(t, view(t, at), m.Data)
	}
}

func TestProtobufVersion_IsThatOfTheModule(t *testing.T) {
	content, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	require.Contains(t, string(content), "google.golang.org/protobuf v"+trace.ProtobufVersion+"\n")
}

func TestMCAP_SchemasOncePerTypeAndRelease(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	old := trace.OSI("old", "sd")
	old.OSIVersion = "3.7.0"
	for _, c := range []trace.Channel{trace.OSI("a", "sv"), trace.OSI("b", "sv"), trace.OSI("c",
		"sd"), old, {Topic: "raw", Encoding: "x"}} {
		_, err := sink.Add(c)
		require.NoError(t, err)
	}
	_, err = sink.Add(trace.OSI("a", "gt"))
	require.ErrorIs(t, err, trace.ErrChannel)
	require.NoError(t, sink.Close())
	f, err := mcap.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
	require.NoError(t, err)
	require.Len(t, f.Schemas, 3)
	require.Equal(t, []uint16{1, 1, 2, 3, 0},
		[]uint16{f.Channels[1].SchemaID, f.Channels[2].SchemaID, f.Channels[3].SchemaID,
			f.Channels[4].SchemaID, f.Channels[5].SchemaID})
	m, err := f.ReadMetadata(f.Metadata[0])
	require.NoError(t, err)
	require.Equal(t, "3.7.0", m.Values["min_osi_version"])
	require.Equal(t, "3.8.0", m.Values["max_osi_version"])
}

// calls counts calls of Write.
type calls struct{ n int }

func (c *calls) Write(b []byte) (int, error) {
	c.n++
	return len(b), nil
}

// T29: a message of an .osi file, and a flushed chunk with its indexes, is written in one call, so
// that killing a recorder leaves nothing incomplete.
func TestSinks_HandOverWholeMessagesAndChunks(t *testing.T) {
	for format, of := range map[trace.Format]string{trace.OSIFile: "message", trace.MCAP: "chunk"} {
		var to calls
		sink, err := trace.Create(&to, format, trace.SinkOptions{})
		require.NoError(t, err)
		c, err := sink.Add(trace.OSI("View", "sv"))
		require.NoError(t, err)
		require.NoError(t, sink.Flush())
		head := to.n
		for k := range timebase.Time(12) {
			require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: k, Publish: k,
				Data: view(t, k)}))
			if k%4 == 3 {
				require.NoError(t, sink.Flush())
			}
		}
		require.Equal(t, map[string]int{"message": 12, "chunk": 3}[of], to.n-head,
			"calls for each %s", of)
	}
}

func TestSinks_RefuseWhatTheyCannotHold(t *testing.T) {
	for format := range names {
		sink, err := trace.Create(io.Discard, format, trace.SinkOptions{})
		require.NoError(t, err)
		stranger := trace.OSI("x", "sv")
		require.ErrorIs(t, sink.Write(&trace.Message{Channel: &stranger, Data: []byte{1}}),
			trace.ErrChannel)
		c, err := sink.Add(stranger)
		require.NoError(t, err)
		if format == trace.MCAP {
			require.ErrorIs(t, sink.Write(&trace.Message{Channel: c, Time: -1}), trace.ErrTime)
			require.ErrorIs(t, sink.Write(&trace.Message{Channel: c, Publish: -1}), trace.ErrTime)
		}
		if format == trace.OSIFile {
			_, err = sink.Add(trace.OSI("y", "sv"))
			require.ErrorContains(t, err, "write MCAP")
			_, err = sink.Add(trace.Channel{Topic: "raw", Encoding: "raw"})
			require.ErrorIs(t, err, trace.ErrType)
		}
	}
	_, err := trace.Create(io.Discard, "parquet", trace.SinkOptions{})
	require.ErrorIs(t, err, trace.ErrFormat)
}

// T4: the type is taken from the file name unless the user states another type, and never from the
// bytes.
func TestOpen_TakesTheTypeFromTheUserThenFromTheName(t *testing.T) {
	content := record(t, trace.OSIFile, 0)
	for _, c := range []struct{ name, said, want string }{
		{names[trace.OSIFile], "", "osi3.SensorView"}, {names[trace.OSIFile], "gt",
			"osi3.GroundTruth"}, {"a.osi", "SensorData", "osi3.SensorData"},
	} {
		require.Equal(t, c.want, open(t, c.name, content,
			trace.Options{Type: c.said}).Channels()[0].Type)
	}
}

func TestOpen_NamesWhatItCannotRead(t *testing.T) {
	for name, c := range map[string]struct {
		content, want string
	}{
		"a.txth":     {"version {}", "--type SensorView"},
		"a.osi.xz":   {"\xfd7zXZ\x00abc", "an xz archive that is damaged"},
		"a.csv":      {"1,2,3\n", "expected " + trace.Readable()},
		"unsaid.osi": {string(record(t, trace.OSIFile, 0)), "--type SensorView"},
		"bad.jsonl":  {`{"topic":"a","type":"osi3.SensorView","log_time":"x"}`, "bad.jsonl:1: "},
		"bad2.jsonl": {`{"topic":"a","type":"osi3.SensorView","log_time":"1","publish_time":"1","` +
			`data":{"nope":1}}`, "bad2.jsonl:1: "},
	} {
		s, err := trace.OpenAt(name, strings.NewReader(c.content), int64(len(c.content)),
			trace.Options{})
		if err == nil {
			_, err = all(s)
		}
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, name)
	}
	_, err := trace.Open(t.TempDir(), trace.Options{})
	require.ErrorContains(t, err, "a folder")
}

// TestCutFiles_GiveWhatPrecedesTheCut cuts files at every hundredth byte: the reader returns the
// first messages as written, and then an error that describes the damage.
func TestCutFiles_GiveWhatPrecedesTheCut(t *testing.T) {
	for _, format := range []trace.Format{trace.OSIFile, trace.MCAP} {
		content := record(t, format, 0, ms, 2*ms, 3*ms)
		whole, err := all(open(t, names[format], content, trace.Options{}))
		require.NoError(t, err)
		for cut := len(content) - 1; cut > 20; cut -= 97 {
			s, err := trace.OpenAt(names[format], bytes.NewReader(content[:cut]), int64(cut),
				trace.Options{})
			require.NoError(t, err)
			got, err := all(s)
			require.Equal(t, whole[:len(got)], append([]kept{}, got...))
			if err == nil { // between two messages
				require.Equal(t, trace.OSIFile, format)
				continue
			}
			require.True(t, trace.IsDamage(err), "%v", err)
		}
	}
}

func TestCSV_HasTheColumnsOfTheFirstMessage(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.CSV, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("a", "sd"))
	require.NoError(t, err)
	for k, d := range []*osi3.SensorData{
		{Timestamp: &osi3.Timestamp{Seconds: proto.Int64(1), Nanos: proto.Uint32(5)},
			StationaryObject: []*osi3.DetectedStationaryObject{{}, {
				Base: &osi3.BaseStationary{Position: &osi3.Vector3D{X: proto.Float64(0.1),
					Y: proto.Float64(-2)}}}},
			MovingObjectHeader: &osi3.DetectedEntityHeader{
				DataQualifier: osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE.Enum()}},
		{Timestamp: &osi3.Timestamp{Seconds: proto.Int64(2)},
			SensorId: &osi3.Identifier{Value: proto.Uint64(7)}},
	} {
		data, err := proto.Marshal(d)
		require.NoError(t, err)
		require.NoError(t,
			sink.Write(&trace.Message{Channel: c, Time: timebase.Time(k),
				Publish: timebase.Time(10 * k), Sequence: 3, Data: data}))
	}
	require.NoError(t, sink.Close())
	require.Equal(t,
		`log_time,publish_time,sequence,timestamp.seconds,timestamp.nanos,stationary_object.1.bas`+
			`e.position.x,`+
			`stationary_object.1.base.position.y,moving_object_header.data_qualifier
0,0,3,1,5,0.1,-2,DATA_QUALIFIER_AVAILABLE
1,10,3,2,,,,
`, b.String())
	require.Equal(t, 1, sink.(trace.LeftOut).LeftOut(), "sensor_id.value has no column")
}

// T44: the keys are those of the mcap command, times are strings in nanoseconds, and data follows
// protobuf's JSON mapping with the original field names.
func TestJSONLines_HaveTheKeysOfTheMCAPCommand(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.JSONLines, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("radar", "sd"))
	require.NoError(t, err)
	data, err := proto.Marshal(&osi3.SensorData{Timestamp: &osi3.Timestamp{Seconds: proto.Int64(1),
		Nanos: proto.Uint32(5)},
		LastMeasurementTime: &osi3.Timestamp{}, MovingObjectHeader: &osi3.DetectedEntityHeader{
			DataQualifier: osi3.DetectedEntityHeader_DATA_QUALIFIER_AVAILABLE.Enum()}})
	require.NoError(t, err)
	require.NoError(t,
		sink.Write(&trace.Message{Channel: c, Time: 1<<53 + 1, Publish: timebase.Second + 5,
			Sequence: 3, Data: data}))
	require.NoError(t, sink.Close())
	require.Equal(t,
		`{"topic":"radar","type":"osi3.SensorData","sequence":3,"log_time":"9007199254740993","pu`+
			`blish_time":"1000000005",`+
			`"data":{"timestamp":{"seconds":"1","nanos":5},"last_measurement_time":{},`+
			`"moving_object_header":{"data_qualifier":"DATA_QUALIFIER_AVAILABLE"}}}`+"\n",
		b.String())
}

func TestMerge_IsInTheOrderOfTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sources []trace.Source
		var want []timebase.Time
		for range rapid.IntRange(1, 4).Draw(t, "sources") {
			var times []timebase.Time
			at := timebase.Time(0)
			for range rapid.IntRange(0, 4).Draw(t, "messages") {
				at += timebase.Time(rapid.IntRange(0, 3).Draw(t, "gap"))
				times = append(times, at)
			}
			want = append(want, times...)
			sources = append(sources, open(t, "x.mcap", record(t, trace.MCAP, times...),
				trace.Options{}))
		}
		got, err := all(trace.Merge(sources...))
		require.NoError(t, err)
		require.Len(t, got, len(want))
		for k := range got[min(1, len(got)):] {
			require.LessOrEqual(t, got[k].time, got[k+1].time)
		}
	})
}

func TestWrap_MakesASensorViewOfAGroundTruth(t *testing.T) {
	truth := scene.Motorway(40 * ms).GetGlobalGroundTruth()
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(truth)
	require.NoError(t, err)
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.OSIFile, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("", "gt"))
	require.NoError(t, err)
	require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: data}))

	s := trace.Wrap(open(t, "x.osi", b.Bytes(), trace.Options{Type: "gt"}), 5)
	got, err := all(s)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, "osi3.SensorView", got[0].kind)
	require.Equal(t, "SensorView", s.Channels()[0].Topic)
	var v osi3.SensorView
	require.NoError(t, proto.Unmarshal([]byte(got[0].data), &v))
	require.True(t, proto.Equal(truth, v.GetGlobalGroundTruth()))
	require.True(t, proto.Equal(truth.GetTimestamp(), v.GetTimestamp()))
	require.True(t, proto.Equal(truth.GetHostVehicleId(), v.GetHostVehicleId()))
	require.Equal(t, uint64(5), v.GetSensorId().GetValue())
}

func TestSamples_HoldWhatTheirNamesSay(t *testing.T) {
	folder := "../../shared/data/osi"
	files, _ := filepath.Glob(filepath.Join(folder, "*.osi"))
	if len(files) == 0 {
		t.Skip("the samples of OSI are not here")
	}
	for _, file := range files {
		s, err := trace.Open(file, trace.Options{})
		require.NoError(t, err)
		got, err := all(s)
		require.NoError(t, err)
		require.Contains(t, []int{100, 10, 20}, len(got))
		require.Equal(t, "osi3.SensorView", got[0].kind)
		require.NoError(t, s.Close())
	}
}

// Damage to the first bytes of an MCAP file is recognized; text is not mistaken for such a file.
func TestDamagedMagic(t *testing.T) {
	header := "\x01\x13\x00\x00\x00\x00\x00\x00\x00"
	for head, want := range map[string]bool{
		mcap.Magic + header:                         false,
		"\x99MCAP0\r\n" + header:                    true,
		"\x89MCAP0\r\n"[:7] + "\x1a" + "\x05\x00":   true,
		"\x00\x00\x00\x00\x00\x00\x00\x00" + header: true,
		"\x00\x00\x00\x00\x00\x00\x00\x00\x01\x13":  false,
		"1,0,0.1,0.2,9.8\n2,0,0.1,0.2,0.3\n":        false,
		"MCAP0":                                     false,
		"":                                          false,
	} {
		require.Equal(t, want, trace.DamagedMagic([]byte(head)), "%q", head)
	}
}
