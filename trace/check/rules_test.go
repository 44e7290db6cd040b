package check_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/internal/finding"
	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
	"gosmp/trace/mcap"
)

// T7: for a file with several channels, the releases in the name must match the metadata, and the
// number of frames must match the largest channel.
func TestFile_ComparesTheNameOfSeveralChannels(t *testing.T) {
	b, s, c := sink(t, trace.MCAP, recommended)
	small, err := s.Add(trace.OSI("Truth", "gt"))
	require.NoError(t, err)
	for k := range timebase.Time(10) {
		at := k * 20 * ms
		v := good(at)
		require.NoError(t, s.Write(&trace.Message{Channel: c, Time: at, Publish: at, Data: encode(t,
			v)}))
		if k < 5 {
			require.NoError(t, s.Write(&trace.Message{Channel: small, Time: at, Publish: at,
				Data: encode(t, v.GlobalGroundTruth)}))
		}
	}
	require.NoError(t, s.Close())
	for name, want := range map[string]map[string]int64{
		"20210818T150542Z_multi_380_13612_10.mcap": {},
		"20210818T150542Z_multi_380_13612_15.mcap": {"name.frames": 1},
		"20210818T150542Z_multi_370_13612_10.mcap": {"name.OSI version": 1},
		"20210818T150542Z_multi_380_32112_10.mcap": {"name.protobuf version": 1},
		"20210818T150542Z_sv_380_13612_10.mcap":    {"name.type": 1},
	} {
		require.Equal(t, want, found(t, name, b.Bytes(), finding.Warning), name)
	}
	require.EqualValues(t, 1, found(t, "drive.mcap", b.Bytes(), finding.Note)["name.convention"],
		"T6: any other name is noted")
}

// metadataFile returns a file with the given metadata records and one channel with a view.
func metadataFile(t *testing.T, c *mcap.Channel, records ...*mcap.Metadata) []byte {
	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{})
	require.NoError(t, err)
	for _, r := range records {
		require.NoError(t, w.WriteMetadata(r))
	}
	schema, err := trace.SchemaOf("osi3.SensorView")
	require.NoError(t, err)
	require.NoError(t,
		w.AddSchema(&mcap.Schema{ID: 1, Name: "osi3.SensorView", Encoding: "protobuf",
			Data: schema}))
	require.NoError(t, w.AddChannel(c))
	require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: c.ID, Data: encode(t, good(0))}))
	require.NoError(t, w.Close())
	return b.Bytes()
}

// plainChannel returns a channel that meets the requirements of OSI.
func plainChannel() *mcap.Channel {
	return &mcap.Channel{ID: 1, SchemaID: 1, Topic: "a", MessageEncoding: "protobuf",
		Metadata: map[string]string{
			"net.asam.osi.trace.channel.osi_version":      "3.8.0",
			"net.asam.osi.trace.channel.protobuf_version": "1.36.12",
			"net.asam.osi.trace.channel.description":      "front", "com.example.gain": "2"}}
}

// T11: there is only one record, names and keys are not reserved, and times have a time zone.
func TestFile_MetadataThatOSIDoesNotAllow(t *testing.T) {
	record := func(change func(values map[string]string)) *mcap.Metadata {
		values := map[string]string{"version": "3.8.0", "min_osi_version": "3.8.0",
			"max_osi_version": "3.8.0", "min_protobuf_version": "1.36.12",
			"max_protobuf_version": "1.36.12"}
		maps.Copy(values, recommended)
		change(values)
		return &mcap.Metadata{Name: "net.asam.osi.trace", Values: values}
	}
	same := func(map[string]string) {}
	strange := plainChannel()
	strange.Metadata["net.asam.osi.trace.channel.gain"] = "2"
	own := &mcap.Metadata{Name: "com.example.drive",
		Values: map[string]string{"net.asam.osi.weather": "rain"}}
	for name, c := range map[string]struct {
		content []byte
		want    map[string]int64
	}{
		"right": {metadataFile(t, plainChannel(), record(same)), map[string]int64{}},
		"two records": {metadataFile(t, plainChannel(), record(same), record(same)),
			map[string]int64{"trace.metadata": 1}},
		"a name": {metadataFile(t, plainChannel(), record(same),
			&mcap.Metadata{Name: "net.asam.osi.more"}), map[string]int64{"trace.reserved": 1}},
		"a key": {metadataFile(t, plainChannel(), record(same), own),
			map[string]int64{"trace.reserved": 1}},
		"of a channel": {metadataFile(t, strange, record(same)),
			map[string]int64{"trace.reserved": 1}},
		"a time": {metadataFile(t, plainChannel(), record(func(values map[string]string) {
			values["creation_time"] = "2026-01-01 00:00"
		})),
			map[string]int64{"trace.metadata.time": 1}},
		"a time without zone": {metadataFile(t, plainChannel(),
			record(func(values map[string]string) { values["zero_time"] = "2026-01-01T00:00:00" })),
			map[string]int64{"trace.metadata.time": 1}},
		"no authors": {metadataFile(t, plainChannel(), record(func(values map[string]string) {
			delete(values, "authors")
		})),
			map[string]int64{"trace.metadata.recommended": 1}},
	} {
		got := found(t, "20210818T150542Z_multi_380_13612_1.mcap", c.content, finding.Note)
		require.Equal(t, c.want, got, name)
	}
}

// T17: each missing field that viewers require is reported.
func TestFile_NamesWhatViewersMissInAGroundTruth(t *testing.T) {
	for want, change := range map[string]func(v *osi3.SensorView){
		"viewer.timestamp":    func(v *osi3.SensorView) { v.GlobalGroundTruth.Timestamp = nil },
		"viewer.ground-truth": func(v *osi3.SensorView) { v.GlobalGroundTruth = nil },
		"viewer.rear-axle": func(v *osi3.SensorView) {
			for _, o := range v.GlobalGroundTruth.MovingObject {
				o.VehicleAttributes.BbcenterToRear = nil
			}
		},
	} {
		content := drive(t, trace.MCAP, func(_ int, v *osi3.SensorView,
			_ *trace.Message) {
			change(v)
		})
		require.EqualValues(t, 10, found(t, "a.mcap", content, finding.Note)[want], want)
		require.NotContains(t, found(t, "a.mcap", drive(t, trace.MCAP, unchanged), finding.Note),
			want)
	}
}

// dataFile returns a file with SensorData and, if wanted, SensorViews.
func dataFile(t *testing.T, mounted, views bool) []byte {
	var b bytes.Buffer
	s, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{Metadata: recommended})
	require.NoError(t, err)
	c, err := s.Add(trace.OSI("Data", "sd"))
	require.NoError(t, err)
	d := &osi3.SensorData{Version: message.Version(), Timestamp: message.Time(0),
		SensorId: message.ID(1)}
	if mounted {
		d.MountingPosition = &osi3.MountingPosition{Position: &osi3.Vector3D{},
			Orientation: &osi3.Orientation3D{}}
	}
	require.NoError(t, s.Write(&trace.Message{Channel: c, Data: encode(t, d)}))
	if views {
		c, err := s.Add(trace.OSI("View", "sv"))
		require.NoError(t, err)
		require.NoError(t, s.Write(&trace.Message{Channel: c, Data: encode(t, good(0))}))
	}
	require.NoError(t, s.Close())
	return b.Bytes()
}

// T18: viewers need the position of the sensor and the vehicle on which it is mounted.
func TestFile_NamesWhatViewersMissOfASensorData(t *testing.T) {
	for _, mounted := range []bool{false, true} {
		for _, views := range []bool{false, true} {
			got := found(t, "a.mcap", dataFile(t, mounted, views), finding.Warning)
			require.Equal(t, !mounted, got["viewer.mounting-position"] == 1, "%v", got)
			require.Equal(t, !views, got["viewer.transform"] == 1, "%v", got)
		}
	}
}

// T16 and T19: schema names and JSON that viewers do not support.
func TestFile_SchemasThatViewersDoNotTake(t *testing.T) {
	write := func(s *mcap.Schema, encoding string) []byte {
		b, sink, c := sink(t, trace.MCAP, recommended)
		_, err := sink.Add(trace.Channel{Topic: "other", Type: s.Name, Encoding: encoding,
			SchemaEncoding: s.Encoding, Schema: s.Data})
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: encode(t, good(0))}))
		require.NoError(t, sink.Close())
		return b.Bytes()
	}
	for want, content := range map[string][]byte{
		"trace.schema": write(&mcap.Schema{Name: "osi3.sensorview", Encoding: "protobuf",
			Data: []byte{}}, "protobuf"),
		"trace.schema.name": write(&mcap.Schema{Name: "PMSF.SensorView", Encoding: "protobuf",
			Data: []byte{}}, "protobuf"),
		"trace.json": write(&mcap.Schema{Name: "weather", Encoding: "json",
			Data: []byte("{}")}, "json"),
	} {
		require.Equal(t, map[string]int64{want: 1},
			found(t, "20210818T150542Z_multi_380_13612_1.mcap", content, finding.Warning), want)
	}
	require.Empty(t, found(t, "20210818T150542Z_multi_380_13612_1.mcap",
		write(&mcap.Schema{Name: "weather", Encoding: "jsonschema", Data: []byte("{}")}, "json"),
		finding.Note))

	var b bytes.Buffer
	s, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{Metadata: recommended})
	require.NoError(t, err)
	c, err := s.Add(trace.OSI("Host", "hvd"))
	require.NoError(t, err)
	require.NoError(t, s.Write(&trace.Message{Channel: c, Data: encode(t,
		&osi3.HostVehicleData{Version: message.Version(), Timestamp: message.Time(0)})}))
	require.NoError(t, s.Close())
	require.EqualValues(t, 1, found(t, "a.mcap", b.Bytes(), finding.Note)["viewer.nothing"])
}

// T20: chunks that slow down seeking.
func TestFile_LargeChunks(t *testing.T) {
	var b bytes.Buffer
	s, err := trace.Create(&b, trace.MCAP,
		trace.SinkOptions{Compression: mcap.Zstd, ChunkSize: 64 << 20})
	require.NoError(t, err)
	c, err := s.Add(trace.Channel{Topic: "raw", Encoding: "raw"})
	require.NoError(t, err)
	require.NoError(t, s.Write(&trace.Message{Channel: c, Data: make([]byte, 32<<20)}))
	require.NoError(t, s.Close())
	require.EqualValues(t, 1, found(t, "a.mcap", b.Bytes(), finding.Note)["viewer.chunk-size"])
}

// Data that is not a message of the channel's type is reported, and so are impossible times.
func TestFile_MessagesThatCannotBeUsed(t *testing.T) {
	garbled := drive(t, trace.MCAP, func(k int, _ *osi3.SensorView, m *trace.Message) {
		if k == 3 {
			m.Data = []byte{0xff}
		}
	})
	require.EqualValues(t, 1, found(t, "a.mcap", garbled,
		finding.Error)["deserialization.possible"])
	late := drive(t, trace.MCAP, func(_ int, _ *osi3.SensorView, m *trace.Message) { m.Time += ms })
	require.EqualValues(t, 10, found(t, "a.mcap", late, finding.Note)["trace.time.log"])
	require.EqualValues(t, 1, found(t, osiName, nil, finding.Error)["trace.empty"])
	empty := func(from int) []byte {
		return drive(t, trace.MCAP, func(k int, _ *osi3.SensorView, m *trace.Message) {
			if k >= from {
				m.Data = []byte{}
			}
		})
	}
	require.EqualValues(t, 1, found(t, "a.mcap", empty(0), finding.Error)["trace.empty"])
	require.NotContains(t, found(t, "a.mcap", empty(1), finding.Error), "trace.empty")

	var b bytes.Buffer
	w, err := mcap.NewWriter(&b, mcap.Options{})
	require.NoError(t, err)
	require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, Topic: "a"}))
	for range 3 {
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: math.MaxUint64}))
	}
	require.NoError(t, w.Close())
	require.EqualValues(t, 3, found(t, "a.mcap", b.Bytes(), finding.Error)["trace.time"])
}

// T23: changing any byte of a file causes an error, because checksums cover all bytes.
func TestFile_FindsEachWrongByte(t *testing.T) {
	for _, compression := range []mcap.Compression{mcap.None, mcap.LZ4, mcap.Zstd} {
		var b bytes.Buffer
		w, err := mcap.NewWriter(&b, mcap.Options{Compression: compression})
		require.NoError(t, err)
		require.NoError(t, w.AddSchema(&mcap.Schema{ID: 1, Name: "x", Encoding: "y"}))
		require.NoError(t, w.AddChannel(&mcap.Channel{ID: 1, SchemaID: 1, Topic: "a"}))
		require.NoError(t,
			w.WriteMetadata(&mcap.Metadata{Name: "m", Values: map[string]string{"k": "v"}}))
		require.NoError(t, w.WriteAttachment(&mcap.Attachment{Name: "n", Data: []byte("data")}))
		for k := range uint64(3) {
			require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, LogTime: k,
				Data: []byte("message")}))
		}
		require.NoError(t, w.Close())
		for k := range b.Len() {
			bad := bytes.Clone(b.Bytes())
			bad[k] ^= 0x55
			r, err := check.File("a.mcap", bytes.NewReader(bad), int64(len(bad)), check.Options{})
			if err != nil {
				continue // not even the beginning of a trace
			}
			ids := map[string]bool{}
			for _, f := range r.Findings {
				ids[f.ID] = f.Severity == finding.Error
			}
			require.True(t, ids["trace.damaged"] || ids["trace.index"] || ids["trace.data-end"],
				"%q: byte %d of %d: %v", compression, k, b.Len(), r.List())
		}
	}
}

// T37: a lane may have no adjacent lanes, so an empty list that breaks a rule is only noted.
func TestFile_RulesAboutEmptyListsAreNotes(t *testing.T) {
	content := drive(t, trace.MCAP, func(_ int, v *osi3.SensorView, _ *trace.Message) {
		v.GlobalGroundTruth.Lane = []*osi3.Lane{{Id: message.ID(9100), Classification: &osi3.Lane_Classification{
			Type: osi3.Lane_Classification_TYPE_DRIVING.Enum(), IsHostVehicleLane: proto.Bool(true),
			CenterlineIsDrivingDirection: proto.Bool(true),
			Centerline: []*osi3.Vector3D{{X: proto.Float64(0), Y: proto.Float64(0),
				Z: proto.Float64(0)}}}}}
	})
	const id = "osirules.lane.classification.left_adjacent_lane_id.is_set"
	require.EqualValues(t, 10, found(t, "a.mcap", content, finding.Note)[id])
	require.NotContains(t, found(t, "a.mcap", content, finding.Warning), id)
}

// record returns an MCAP record whose body consists of the given parts. Texts are preceded by their
// length.
func record(op byte, parts ...any) []byte {
	var body []byte
	for _, p := range parts {
		switch p := p.(type) {
		case uint16:
			body = binary.LittleEndian.AppendUint16(body, p)
		case uint32:
			body = binary.LittleEndian.AppendUint32(body, p)
		case uint64:
			body = binary.LittleEndian.AppendUint64(body, p)
		case string:
			body = append(binary.LittleEndian.AppendUint32(body, uint32(len(p))), p...)
		}
	}
	return append(binary.LittleEndian.AppendUint64([]byte{op}, uint64(len(body))), body...)
}

// T21: a channel record precedes its messages, and an id has only one content, in the summary as
// well.
func TestFile_ChannelsThatComeTooLateOrTwice(t *testing.T) {
	schema := func(name string) []byte { return record(3, uint16(1), name, "raw", "") }
	channel := func(topic string) []byte {
		return record(4, uint16(2), uint16(1), topic, "raw", uint32(0))
	}
	message := record(5, uint16(2), uint32(0), uint64(1), uint64(1))
	file := func(records ...[]byte) []byte {
		return slices.Concat([]byte(mcap.Magic), record(1, "", ""), slices.Concat(records...),
			record(15, uint32(0)), record(2, uint64(0), uint64(0), uint32(0)),
			[]byte(mcap.Magic))
	}
	for name, c := range map[string]struct {
		content []byte
		want    map[string]int64
	}{
		"in order": {file(schema("a"), channel("t"), message, schema("a"), channel("t"),
			message), map[string]int64{}},
		"a message before": {file(schema("a"), message, message, channel("t"), message),
			map[string]int64{"trace.orphan": 2}},
		"a schema twice": {file(schema("a"), channel("t"), message, schema("b")),
			map[string]int64{"trace.redefined": 1}},
		"a channel twice": {file(schema("a"), channel("t"), message, channel("u"),
			channel("u")), map[string]int64{"trace.redefined": 2}},
		"a channel in between": {file(schema("a"), channel("t"), channel("u"), message),
			map[string]int64{"trace.redefined": 1}},
	} {
		got := found(t, "a.mcap", c.content, finding.Error)
		for _, other := range []string{"trace.metadata", "trace.no-osi", "trace.index"} {
			delete(got, other)
		}
		require.Equal(t, c.want, got, name)
	}
}

// Thousands of channels and names that break a rule are counted, and the first ones are reported.
func TestFile_CountlessFindings(t *testing.T) {
	const many = 3000
	content := slices.Concat([]byte(mcap.Magic), record(1, "", ""), record(3, uint16(1), "a", "raw",
		""))
	for k := range uint16(many) {
		for _, topic := range []string{"t", "u", "v"} {
			content = append(content, record(4, k+1, uint16(1), topic, "raw", uint32(0))...)
		}
		content = append(content, record(12, fmt.Sprintf("net.asam.osi.trace.%d", k), uint32(0))...)
	}
	content = slices.Concat(content, record(15, uint32(0)), record(2, uint64(0), uint64(0),
		uint32(0)), []byte(mcap.Magic))
	r, err := check.File("a.mcap", bytes.NewReader(content), int64(len(content)), check.Options{})
	require.NoError(t, err)
	kept, all, occurrences := map[string]int{}, map[string]int{}, map[string]int64{}
	for _, f := range r.Findings {
		kept[f.ID]++
		all[f.ID] += 1 + f.More
		occurrences[f.ID] += f.Count
	}
	for _, id := range []string{"trace.redefined", "trace.reserved"} {
		require.Equal(t, finding.MostAlike, kept[id], id)
		require.Equal(t, many, all[id], id)
	}
	require.EqualValues(t, 2*finding.MostAlike, occurrences["trace.redefined"])
}

// The findings of chosen channels do not count among thousands of the others, and their order is
// always the same.
func TestFile_CountlessChannels(t *testing.T) {
	const many = 1200
	content := slices.Concat([]byte(mcap.Magic), record(1, "", ""), record(3, uint16(1),
		"osi3.GroundTruth", "raw", ""))
	for k := range uint16(many) {
		content = append(content, record(4, k+1, uint16(1), fmt.Sprint("c", k), "protobuf",
			uint32(0))...)
	}
	content = slices.Concat(content, record(15, uint32(0)), record(2, uint64(0), uint64(0),
		uint32(0)), []byte(mcap.Magic))
	last := fmt.Sprint("c", many-1)
	var want []check.Finding
	for range 5 {
		r, err := check.File("a.mcap", bytes.NewReader(content), int64(len(content)),
			check.Options{Topics: []string{last}})
		require.NoError(t, err)
		var got []check.Finding
		for _, f := range r.Findings {
			if f.Place.Object == "channel "+last {
				require.Zero(t, f.More)
				got = append(got, f)
			}
		}
		if want == nil {
			want = got
		}
		require.Len(t, got, 4)
		require.Equal(t, want, got)
	}
}

// A SensorData without a SensorView, such as the output of an object fusion, may refer to lanes in
// another channel of the file.
func TestFile_RefersToOtherChannels(t *testing.T) {
	for lane, want := range map[uint64]bool{900: false, 901: true} {
		b, s, c := sink(t, trace.MCAP, recommended)
		fused, err := s.Add(trace.OSI("Fused", "sd"))
		require.NoError(t, err)
		for k := range timebase.Time(5) {
			at := k * 20 * ms
			v := good(at)
			v.GlobalGroundTruth.LogicalLane = []*osi3.LogicalLane{{Id: message.ID(900)}}
			require.NoError(t, s.Write(&trace.Message{Channel: c, Time: at, Publish: at,
				Data: encode(t, v)}))
			d := &osi3.SensorData{Version: message.Version(), Timestamp: message.Time(at),
				MovingObject: []*osi3.DetectedMovingObject{{
					Candidate: []*osi3.DetectedMovingObject_CandidateMovingObject{
						{MovingObjectClassification: &osi3.MovingObject_MovingObjectClassification{
							LogicalLaneAssignment: []*osi3.LogicalLaneAssignment{{AssignedLaneId: message.ID(lane)}}}}}}}}
			require.NoError(t, s.Write(&trace.Message{Channel: fused, Time: at, Publish: at,
				Data: encode(t, d)}))
		}
		require.NoError(t, s.Close())
		_, broken := found(t, "a.mcap", b.Bytes(),
			finding.Note)["osirules.logicallaneassignment.assigned_lane_id.refers_to"]
		require.Equal(t, want, broken, "lane %d", lane)
	}
}
