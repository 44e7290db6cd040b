package check_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/internal/finding"
	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/check"
	"gosmp/trace/mcap"
)

const ms = timebase.Millisecond

// good returns a valid view with lanes.
func good(at timebase.Time) *osi3.SensorView {
	v := proto.CloneOf(scene.Motorway(at))
	v.GlobalGroundTruth.LaneBoundary = []*osi3.LaneBoundary{{Id: &osi3.Identifier{Value: proto.Uint64(9000)}}}
	return v
}

func encode(t require.TestingT, m proto.Message) []byte {
	b, err := proto.Marshal(m)
	require.NoError(t, err)
	return b
}

// sink creates a file with a channel of SensorViews.
func sink(t require.TestingT, format trace.Format, metadata map[string]string) (*bytes.Buffer,
	trace.Sink, *trace.Channel) {
	var b bytes.Buffer
	s, err := trace.Create(&b, format, trace.SinkOptions{Metadata: metadata})
	require.NoError(t, err)
	c, err := s.Add(trace.OSI("View", "sv"))
	require.NoError(t, err)
	return &b, s, c
}

var recommended = map[string]string{"zero_time": "2026-01-01T00:00:00Z",
	"creation_time": "2026-01-01T00:00:00Z", "description": "d", "authors": "a",
	"data_sources": "s"}

// drive writes views after change has been applied to each.
func drive(t require.TestingT, format trace.Format, change func(k int, v *osi3.SensorView,
	m *trace.Message)) []byte {
	b, s, c := sink(t, format, recommended)
	for k := range 10 {
		at := timebase.Time(k) * 20 * ms
		v, m := good(at), &trace.Message{Channel: c, Time: at, Publish: at}
		change(k, v, m)
		if m.Data == nil {
			m.Data = encode(t, v)
		}
		require.NoError(t, s.Write(m))
	}
	require.NoError(t, s.Close())
	return b.Bytes()
}

// found returns the ids of the findings with their counts, including notes if wanted.
func found(t require.TestingT, name string, content []byte,
	least finding.Severity) map[string]int64 {
	r, err := check.File(name, bytes.NewReader(content), int64(len(content)),
		check.Options{Rules: true})
	require.NoError(t, err)
	ids := map[string]int64{}
	for _, f := range r.Findings {
		if f.Severity >= least {
			ids[f.ID] = f.Count
		}
		require.Equal(t, name, f.Place.File)
	}
	return ids
}

func unchanged(int, *osi3.SensorView, *trace.Message) {}

const osiName = "20210818T150542Z_sv_380_13612_10.osi"

func TestFile_NothingIsWrongWithOurOwn(t *testing.T) {
	require.Empty(t, found(t, "20210818T150542Z_multi_380_13612_10.mcap", drive(t, trace.MCAP,
		unchanged), finding.Note))
	require.Equal(t, map[string]int64{"viewer.format": 1}, found(t, osiName, drive(t, trace.OSIFile,
		unchanged), finding.Note))
}

// TestFile_FindsEachFault introduces one fault at a time.
func TestFile_FindsEachFault(t *testing.T) {
	type view = osi3.SensorView
	for want, change := range map[string]func(k int, v *view, m *trace.Message){
		"osirules.sensorview.sensor_id.is_set 10": func(_ int, v *view, _ *trace.Message) {
			v.SensorId = nil
		},
		"values.not-finite 10": func(_ int, v *view, _ *trace.Message) {
			v.GlobalGroundTruth.MovingObject[1].Base.Velocity.Y = proto.Float64(math.NaN())
		},
		"values.magnitude 10": func(_ int, v *view, _ *trace.Message) {
			v.GlobalGroundTruth.MovingObject[1].Base.Position.Y = proto.Float64(1e30)
		},
		"osirules.timestamp.nanos.is_less_than_or_equal_to 1": func(k int, v *view,
			_ *trace.Message) {
			if k == 3 {
				v.HostVehicleData = &osi3.HostVehicleData{
					Timestamp: &osi3.Timestamp{Nanos: proto.Uint32(1e9)}}
			}
		},
		"trace.time.publish 1": func(k int, _ *view, m *trace.Message) {
			if k == 4 {
				m.Publish++
			}
		},
		"trace.gap 1": func(k int, v *view, m *trace.Message) {
			if k > 5 {
				m.Time += timebase.Second
				m.Publish = m.Time
				v.Timestamp.Seconds, v.GlobalGroundTruth.Timestamp.Seconds = proto.Int64(1),
					proto.Int64(1)
			}
		},
		"viewer.object.position 2": func(k int, v *view, _ *trace.Message) {
			if k < 2 {
				v.GlobalGroundTruth.MovingObject[2].Base.Position = nil
			}
		},
		"viewer.object.dimension 1": func(k int, v *view, _ *trace.Message) {
			if k == 0 {
				v.GlobalGroundTruth.MovingObject[2].Base.Dimension = nil
			}
		},
		"viewer.object.orientation 1": func(k int, v *view, _ *trace.Message) {
			if k == 9 {
				v.GlobalGroundTruth.MovingObject[2].Base.Orientation = nil
			}
		},
		"viewer.lanes 1": func(_ int, v *view, _ *trace.Message) {
			v.GlobalGroundTruth.LaneBoundary = nil
		},
		"trace.message.empty 1": func(k int, _ *view, m *trace.Message) {
			m.Data = map[bool][]byte{true: {}}[k == 1]
		},
		"deserialization.expected_version 10": func(_ int, v *view, _ *trace.Message) {
			v.Version.VersionMinor = proto.Uint32(7)
		},
	} {
		got := found(t, "20210818T150542Z_multi_380_13612_10.mcap", drive(t, trace.MCAP, change),
			finding.Warning)
		id, count, _ := strings.Cut(want, " ")
		require.Len(t, got, 1, "%s: %v", want, got)
		require.Equal(t, count, strconv.FormatInt(got[id], 10), "%v", got)
	}
}

// TestFile_LanesAtTheBeginningOnly distinguishes sources that send the map with each message, or
// repeatedly, from those that send it only at the beginning.
func TestFile_LanesAtTheBeginningOnly(t *testing.T) {
	for want, has := range map[string]func(k int) bool{
		"":                                     func(k int) bool { return k == 0 || k == 5 },
		"only the first message has lanes":     func(k int) bool { return k == 0 },
		"only the first 2 messages have lanes": func(k int) bool { return k < 2 },
		"no message has a lane":                func(int) bool { return false },
	} {
		content := drive(t, trace.MCAP, func(k int, v *osi3.SensorView, _ *trace.Message) {
			if !has(k) {
				v.GlobalGroundTruth.LaneBoundary = nil
			}
		})
		r, err := check.File("a.mcap", bytes.NewReader(content), int64(len(content)),
			check.Options{})
		require.NoError(t, err)
		message := ""
		for _, f := range r.Findings {
			if f.ID == "viewer.lanes" {
				message = f.Message
			}
		}
		require.Equal(t, want, message)
	}
}

func TestFile_NamesTheHostVehicle(t *testing.T) {
	for name, change := range map[string]func(k int, v *osi3.SensorView, m *trace.Message){
		"absent": func(_ int, v *osi3.SensorView, _ *trace.Message) {
			v.HostVehicleId, v.GlobalGroundTruth.HostVehicleId = nil, nil
		},
		"not an object": func(_ int, v *osi3.SensorView, _ *trace.Message) {
			v.HostVehicleId.Value, v.GlobalGroundTruth.HostVehicleId = proto.Uint64(1<<40),
				v.HostVehicleId
		},
	} {
		require.EqualValues(t, 10, found(t, "a.mcap", drive(t, trace.MCAP, change),
			finding.Error)["viewer.host-vehicle"], name)
	}
}

func TestFile_DescribesTheFirstBreakOfARule(t *testing.T) {
	content := drive(t, trace.MCAP, func(k int, v *osi3.SensorView, _ *trace.Message) {
		if k >= 3 {
			v.GlobalGroundTruth.MovingObject[3].VehicleAttributes = nil
		}
	})
	r, err := check.File("a.mcap", bytes.NewReader(content), int64(len(content)),
		check.Options{Rules: true})
	require.NoError(t, err)
	var text string
	for _, f := range r.List() {
		if strings.HasPrefix(f.ID, "osirules.") {
			text += f.String()
		}
	}
	require.Equal(t,
		"a.mcap: channel View, message 4, 0.06 s: error: "+
			"SensorView.global_ground_truth.moving_object[3].vehicle_attributes: found nothing, "+
			`expected the field to be set (rule "is_set if type is_equal_to 2") `+
			`[osirules.movingobject.vehicle_attributes.is_set]; correct the source of the message`,
		text)
	require.Equal(t, 20*ms, r.Channels[0].Interval)
}

func TestFile_TimesThatGoBackAndRepeat(t *testing.T) {
	content := drive(t, trace.OSIFile, func(k int, v *osi3.SensorView, _ *trace.Message) {
		if k == 6 {
			v.Timestamp = good(0).Timestamp
		}
		if k == 8 {
			v.Timestamp = good(140 * ms).Timestamp
		}
	})
	got := found(t, osiName, content, finding.Warning)
	require.EqualValues(t, 1, got["trace.time.back"])
	require.EqualValues(t, 1, got["trace.time.same"])
}

// A clock restart is a separate finding, reported once for each channel and restart.
func TestFile_ClockThatStartsAgain(t *testing.T) {
	for format, name := range map[trace.Format]string{trace.OSIFile: osiName,
		trace.MCAP: "a.mcap"} {
		content := drive(t, format, func(k int, v *osi3.SensorView, m *trace.Message) {
			at := timebase.Time(k%5) * timebase.Second
			m.Time, m.Publish = at, at
			proto.Reset(v)
			proto.Merge(v, good(at))
		})
		got := found(t, name, content, finding.Error)
		require.Equal(t, map[string]int64{"trace.restart": 1}, got, name)
	}
}

func TestFile_ComparesTheName(t *testing.T) {
	content := drive(t, trace.OSIFile, unchanged)
	require.Equal(t, map[string]int64{"name.frames": 1, "name.OSI version": 1},
		found(t, "20210818T150542Z_sv_370_13612_11.osi", content, finding.Warning))
	require.EqualValues(t, 1, found(t, "20210818T150542Z_gt_380_13612_10.mcap", drive(t, trace.MCAP,
		unchanged), finding.Warning)["name.type"])
}

// TestFile_MCAPWithoutWhatOSIRequires writes files record by record.
func TestFile_MCAPWithoutWhatOSIRequires(t *testing.T) {
	schema, err := trace.SchemaOf("osi3.SensorView")
	require.NoError(t, err)
	ours := map[string]string{"net.asam.osi.trace.channel.osi_version": "3.8.0",
		"net.asam.osi.trace.channel.protobuf_version": "1.36.12"}
	all := map[string]string{"version": "3.8.0", "min_osi_version": "3.8.0",
		"max_osi_version": "3.8.0", "min_protobuf_version": "1.36.12",
		"max_protobuf_version": "1.36.12"}
	write := func(o mcap.Options, metadata []*mcap.Metadata, s *mcap.Schema,
		channels ...*mcap.Channel) []byte {
		var b bytes.Buffer
		w, err := mcap.NewWriter(&b, o)
		require.NoError(t, err)
		for _, m := range metadata {
			require.NoError(t, w.WriteMetadata(m))
		}
		require.NoError(t, w.AddSchema(s))
		for _, c := range channels {
			require.NoError(t, w.AddChannel(c))
		}
		require.NoError(t, w.WriteMessage(&mcap.Message{ChannelID: 1, Data: encode(t, good(0))}))
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	record := []*mcap.Metadata{{Name: "net.asam.osi.trace", Values: all}}
	s := &mcap.Schema{ID: 1, Name: "osi3.SensorView", Encoding: "protobuf", Data: schema}
	c := &mcap.Channel{ID: 1, SchemaID: 1, Topic: "a", MessageEncoding: "protobuf", Metadata: ours}
	without := func(values map[string]string, key string) map[string]string {
		copied := map[string]string{}
		for k, v := range values {
			if k != key {
				copied[k] = v
			}
		}
		return copied
	}
	require.Empty(t, found(t, "a.mcap", write(mcap.Options{}, record, s, c), finding.Warning))
	for key := range all {
		broken := []*mcap.Metadata{{Name: "net.asam.osi.trace", Values: without(all, key)}}
		require.Equal(t, map[string]int64{"trace.metadata": 1}, found(t, "a.mcap",
			write(mcap.Options{}, broken, s, c), finding.Warning), key)
	}
	for key := range ours {
		broken := &mcap.Channel{ID: 1, SchemaID: 1, Topic: "a", MessageEncoding: "protobuf",
			Metadata: without(ours, key)}
		require.Equal(t, map[string]int64{"trace.channel": 1}, found(t, "a.mcap",
			write(mcap.Options{}, record, s, broken), finding.Warning), key)
	}
	for want, content := range map[string][]byte{
		"trace.metadata": write(mcap.Options{}, nil, s, c),
		"trace.index":    write(mcap.Options{Omit: mcap.Chunks}, record, s, c),
		"trace.topic": write(mcap.Options{}, record, s, c, &mcap.Channel{ID: 2, SchemaID: 1,
			Topic: "a", MessageEncoding: "protobuf", Metadata: ours}),
		"trace.schema": write(mcap.Options{}, record, &mcap.Schema{ID: 1, Name: "osi3.SensorView",
			Encoding: "protobuf", Data: schema[:len(schema)/2]},
			c),
		"trace.schemaless": write(mcap.Options{}, record, s, c, &mcap.Channel{ID: 2, Topic: "b",
			MessageEncoding: "raw"}),
		"trace.no-osi": write(mcap.Options{}, record,
			&mcap.Schema{ID: 1, Name: "x", Encoding: "jsonschema", Data: []byte("{}")},
			&mcap.Channel{ID: 1, SchemaID: 1, Topic: "a", MessageEncoding: "json"}),
		"trace.statistics": write(mcap.Options{Omit: mcap.StatisticsRecord}, record, s, c),
	} {
		require.Equal(t, map[string]int64{want: 1}, found(t, "a.mcap", content, finding.Warning),
			want)
	}
	require.Contains(t, found(t, "a.mcap", write(mcap.Options{Omit: mcap.ChunkIndexes}, record, s,
		c), finding.Warning), "trace.index")
}

func TestFile_DamageIsAFinding(t *testing.T) {
	for name, content := range map[string][]byte{"a.mcap": drive(t, trace.MCAP, unchanged),
		osiName: drive(t, trace.OSIFile, unchanged)} {
		require.Contains(t, found(t, name, content[:len(content)-3], finding.Error),
			"trace.damaged")
	}
	content := drive(t, trace.MCAP, unchanged)
	content[len(content)/2] ^= 1
	require.Contains(t, found(t, "a.mcap", content, finding.Error), "trace.damaged")
	_, err := check.File("a.csv", strings.NewReader("1,2\n"), 4, check.Options{})
	require.ErrorIs(t, err, trace.ErrFormat)
}

// TestFile_GoldenCounts checks T36: the counts equal those of OSI's own checker for OSI's sample
// traces.
func TestFile_GoldenCounts(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/data/osi/*.osi")
	if len(files) == 0 {
		t.Skip("the samples of OSI are not here")
	}
	want := map[string]int64{"20230623": 400, "20240221": 60, "20240618": 0}
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		info, err := f.Stat()
		require.NoError(t, err)
		r, err := check.File(file, f, info.Size(), check.Options{Rules: true})
		require.NoError(t, err)
		var sum int64
		for _, f := range r.Findings {
			if strings.HasPrefix(f.ID, "osirules.") && f.ID != "osirules.version_is_set" &&
				f.Severity == finding.Error {
				sum += f.Count
			}
		}
		require.Equal(t, want[filepath.Base(file)[:8]], sum, file)
		require.NoError(t, f.Close())
	}
}

// Findings in the messages of thousands of channels are counted, and the first ones are reported.
// Those of chosen channels do not count among them.
func TestFile_CountlessChannelsWithMessages(t *testing.T) {
	const many = 1200
	content := manyChannels(t, many)
	last := fmt.Sprint("sensor", many-1)
	for _, topics := range [][]string{nil, {last}} {
		r, err := check.File("a.mcap", bytes.NewReader(content), int64(len(content)),
			check.Options{Topics: topics})
		require.NoError(t, err)
		kept, all, chosen := 0, 0, 0
		for _, f := range r.Findings {
			switch {
			case f.ID != "trace.message.empty":
			case strings.HasPrefix(f.Place.Object, "channel "+last+","):
				chosen++
			default:
				kept, all = kept+1, all+1+f.More
			}
		}
		require.Equal(t, finding.MostAlike, kept)
		require.Equal(t, len(topics), chosen)
		require.Equal(t, many, all+chosen)
	}
}

// FuzzFile checks arbitrary bytes: the check terminates and does not panic.
func FuzzFile(f *testing.F) {
	f.Add("a.mcap", drive(f, trace.MCAP, unchanged)[:4000])
	f.Add(osiName, drive(f, trace.OSIFile, unchanged)[:4000])
	f.Add("a.jsonl",
		[]byte(
			`{"topic":"a","type":"osi3.SensorView","log_time":"1","publish_time":"1","data":{}}`))
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		if len(content) > 1<<13 {
			return
		}
		_, _ = check.File(name, bytes.NewReader(content), int64(len(content)),
			check.Options{Rules: true, Type: "sv"})
	})
}

// Early tools wrote a single message that is not preceded by its length.
func TestFile_NamesWhatHasNoLengths(t *testing.T) {
	alone := encode(t, good(0))
	require.Contains(t, found(t, "one_sv.osi", alone, finding.Warning), "trace.lengths")
	framed := drive(t, trace.OSIFile, func(int, *osi3.SensorView, *trace.Message) {})
	require.NotContains(t, found(t, "many_sv.osi", framed, finding.Note), "trace.lengths")
}
