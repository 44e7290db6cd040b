package compare_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/compare"
)

const ms = timebase.Millisecond

// track is a detected object.
type track struct {
	id uint64
	x  float64
}

// sensed returns a SensorData with tracks.
func sensed(at timebase.Time, tracks ...track) *osi3.SensorData {
	d := &osi3.SensorData{Version: message.Version(), Timestamp: message.Time(at)}
	for _, k := range tracks {
		d.MovingObject = append(d.MovingObject, &osi3.DetectedMovingObject{
			Header: &osi3.DetectedItemHeader{TrackingId: message.ID(k.id)},
			Base: &osi3.BaseMoving{Position: &osi3.Vector3D{X: proto.Float64(k.x),
				Y: proto.Float64(0)},
				Orientation: &osi3.Orientation3D{Yaw: proto.Float64(math.Pi)}},
		})
	}
	return d
}

// file writes messages of one channel, with their time stamps.
func file(t require.TestingT, topic, kind string, messages ...proto.Message) trace.Source {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI(topic, kind))
	require.NoError(t, err)
	for _, m := range messages {
		data, err := proto.Marshal(m)
		require.NoError(t, err)
		at, ok := trace.StampOf(c.Type, data)
		require.True(t, ok)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: data}))
	}
	require.NoError(t, sink.Close())
	s, err := trace.OpenAt("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()), trace.Options{})
	require.NoError(t, err)
	return s
}

// differences compares two traces of SensorData and returns the differences as lines.
func differences(t require.TestingT, o compare.Options, expected, found []proto.Message) (
	lines []string) {
	r, err := compare.Traces(file(t, "radar", "sd", expected...), file(t, "radar", "sd", found...),
		o)
	require.NoError(t, err)
	for _, d := range r.Differences {
		lines = append(lines, d.String())
	}
	require.EqualValues(t, len(lines), r.Count)
	require.Equal(t, len(lines) == 0 && r.Compared() > 0, r.Equal())
	return lines
}

func TestTraces_TrackingIDsCountUpToRenaming(t *testing.T) {
	expected := []proto.Message{sensed(0, track{1, 10}, track{2, 50}), sensed(20*ms, track{1, 11},
		track{2, 49}), sensed(40*ms, track{2, 48}, track{3, 80})}
	renamed := []proto.Message{sensed(0, track{7, 50}, track{4, 10}), sensed(20*ms, track{4, 11},
		track{7, 49}), sensed(40*ms, track{9, 80}, track{7, 48})}
	require.Empty(t, differences(t, compare.Options{}, expected, renamed))
	require.NotEmpty(t, differences(t, compare.Options{ExactIDs: true}, expected, renamed))

	swapped := []proto.Message{renamed[0], sensed(20*ms, track{7, 11}, track{4, 49}), renamed[2]}
	require.Equal(t, []string{
		"0.02 s, radar, moving_object with tracking id 1 (found as 4), base.position.x: " +
			"expected 11, found 49",
		"0.02 s, radar, moving_object with tracking id 2 (found as 7), base.position.x: " +
			"expected 49, found 11",
	}, differences(t, compare.Options{}, expected, swapped))

	reborn := []proto.Message{renamed[0], sensed(20*ms, track{5, 11}, track{7, 49}), renamed[2]}
	require.Equal(t, []string{
		"0.02 s, radar, moving_object with tracking id 1: expected one, found none",
		"0.02 s, radar, moving_object with tracking id 5: expected none, found one",
	}, differences(t, compare.Options{}, expected, reborn))
}

// TestTraces_AnyRenamingAndOrderIsEqual also checks that a single moved object is noticed.
func TestTraces_AnyRenamingAndOrderIsEqual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, steps := rapid.IntRange(1, 6).Draw(t, "objects"), rapid.IntRange(1, 5).Draw(t, "steps")
		names := rapid.Permutation([]uint64{0, 1, 2, 3, 4, 5, 1 << 63}).Draw(t, "names")
		var expected, found []proto.Message
		for k := range steps {
			var a, b []track
			for i := range n {
				x := float64(100*i + k)
				a, b = append(a, track{uint64(i), x}), append(b, track{names[i], x})
			}
			expected = append(expected, sensed(timebase.Time(k)*20*ms, a...))
			found = append(found, sensed(timebase.Time(k)*20*ms, rapid.Permutation(b).Draw(t,
				"order")...))
		}
		require.Empty(t, differences(t, compare.Options{}, expected, found))
		which, when := rapid.IntRange(0, n-1).Draw(t, "moved"), rapid.IntRange(0, steps-1).Draw(t,
			"when")
		*found[when].(*osi3.SensorData).MovingObject[which].Base.Position.X += 0.25
		require.Len(t, differences(t, compare.Options{}, expected, found), 1)
		require.Empty(t,
			differences(t,
				compare.Options{
					Tolerances: []compare.Tolerance{{Field: "position", Absolute: 0.25}}}, expected,
				found))
	})
}

func TestTraces_TolerancesByField(t *testing.T) {
	expected, found := sensed(0, track{1, 100}), sensed(0, track{1, 100.5})
	found.MovingObject[0].Base.Orientation.Yaw = proto.Float64(-math.Pi + 1e-12) // the same angle
	found.MovingObject[0].Header.Age = nil
	expected.MovingObject[0].Header.Age = proto.Float64(1)
	const wrong = "0 s, radar, moving_object with tracking id 1, "
	for _, c := range []struct {
		tolerances []compare.Tolerance
		want       []string
	}{
		{nil, []string{wrong + "header.age: expected 1, found nothing",
			wrong + "base.position.x: expected 100, found 100.5"}},
		{[]compare.Tolerance{{Field: "age", Ignore: true}, {Field: "base.position", Absolute: 0.4}},
			[]string{wrong + "base.position.x: expected 100, found 100.5 (tolerance 0.4)"}},
		{[]compare.Tolerance{{Field: "header", Ignore: true}, {Field: "moving_object.base",
			Relative: 0.005}}, nil},
		{[]compare.Tolerance{{Field: "moving_object", Ignore: true}}, nil},
		{[]compare.Tolerance{{Absolute: 1}, {Field: "age", Ignore: true}}, nil},
		{[]compare.Tolerance{{Field: "age", Ignore: true}, {Field: "x", Absolute: 1},
			{Field: "position.x", Absolute: 0.1}},
			[]string{wrong + "base.position.x: expected 100, found 100.5 (tolerance 0.1)"}},
		{[]compare.Tolerance{{Field: "age", Ignore: true}, {Field: "x", Absolute: 0.1},
			{Absolute: 1}},
			[]string{wrong + "base.position.x: expected 100, found 100.5 (tolerance 0.1)"}},
		{[]compare.Tolerance{{Field: "age", Ignore: true}, {Field: "osition", Absolute: 1}},
			[]string{wrong + "base.position.x: expected 100, found 100.5"}},
	} {
		require.Equal(t, c.want, differences(t, compare.Options{Tolerances: c.tolerances},
			[]proto.Message{expected}, []proto.Message{found}))
	}
	for _, x := range []float64{math.NaN(), -1, math.Inf(1)} {
		for _, wrong := range []compare.Tolerance{{Absolute: x}, {Relative: x}} {
			_, err := compare.Traces(file(t, "a", "sd"), file(t, "a", "sd"),
				compare.Options{Tolerances: []compare.Tolerance{wrong}})
			require.ErrorIs(t, err, compare.ErrTolerance)
		}
	}
}

func TestTraces_MessagesOfOneSideOnly(t *testing.T) {
	all := []proto.Message{sensed(0), sensed(20 * ms), sensed(40 * ms)}
	require.Equal(t, []string{"0.02 s, radar: expected a message, found none at this time"},
		differences(t, compare.Options{}, all, slices.Delete(slices.Clone(all), 1, 2)))
	require.Equal(t, []string{"0.04 s, radar: expected no message at this time, found one"},
		differences(t, compare.Options{}, all[:2], all))
	late := []proto.Message{sensed(0), sensed(21 * ms), sensed(40 * ms)}
	require.Len(t, differences(t, compare.Options{}, all, late), 2)
	stamps := []compare.Tolerance{{Field: "timestamp", Absolute: 0.001}}
	require.Empty(t, differences(t, compare.Options{Time: ms, Tolerances: stamps}, all, late))
	require.Equal(t, []string{"0.02 s, radar, timestamp: expected 0.02 s, found 0.021 s"},
		differences(t, compare.Options{Time: ms}, all, late))
}

func TestTraces_Channels(t *testing.T) {
	view := &osi3.SensorView{Timestamp: message.Time(0)}
	r, err := compare.Traces(file(t, "a", "sd", sensed(0)), file(t, "b", "sd", sensed(0)),
		compare.Options{})
	require.NoError(t, err)
	require.True(t, r.Equal(), "the only ones of their type")
	require.Equal(t, &compare.Channel{Topic: "a", Found: "b", Type: "osi3.SensorData", Messages: 1},
		r.Channels[0])

	r, err = compare.Traces(file(t, "a", "sd", sensed(0), sensed(ms)), file(t, "b", "sv", view),
		compare.Options{})
	require.NoError(t, err)
	require.Equal(t, []compare.Difference{{Channel: "a", Expected: "a channel of osi3.SensorData",
		Found: "b"}}, r.Differences)
	require.Equal(t, []string{"b"}, r.Left)

	r, err = compare.Traces(file(t, "a", "sd", sensed(0)), file(t, "a", "sv", view),
		compare.Options{})
	require.NoError(t, err)
	require.Equal(t, []compare.Difference{{Channel: "a", Expected: "a channel of osi3.SensorData",
		Found: "a"}}, r.Differences, "a channel of the same topic with other messages")

	r, err = compare.Traces(file(t, "a", "sd", sensed(0)), file(t, "b", "sd", sensed(0)),
		compare.Options{Found: []string{"c"}})
	require.NoError(t, err)
	require.EqualValues(t, 1, r.Count)
	require.Empty(t, r.Left)

	r, err = compare.Traces(file(t, "a", "sd", sensed(0)), file(t, "b", "sv", view),
		compare.Options{Topics: []string{"other"}})
	require.NoError(t, err)
	require.Zero(t, r.Count)
	require.False(t, r.Equal(), "nothing was compared")

	r, err = compare.Traces(file(t, "a", "sd"), file(t, "a", "sd"), compare.Options{})
	require.NoError(t, err)
	require.Len(t, r.Channels, 1)
	require.False(t, r.Equal(), "neither has a message")
}

// TestTraces_FullList: the list of differences is limited, but every difference is counted.
func TestTraces_FullList(t *testing.T) {
	var none []proto.Message
	for k := range timebase.Time(30) {
		none = append(none, sensed(k*ms))
	}
	r, err := compare.Traces(file(t, "a", "sd", none...), file(t, "a", "sd"),
		compare.Options{Most: 4})
	require.NoError(t, err)
	require.Len(t, r.Differences, 4)
	require.EqualValues(t, 30, r.Count)
}

// TestTraces_GroundTruthByID: objects with ids are matched by id, in any order.
func TestTraces_GroundTruthByID(t *testing.T) {
	truth := func(ids ...uint64) *osi3.GroundTruth {
		g := &osi3.GroundTruth{Timestamp: message.Time(0)}
		for _, id := range ids {
			g.MovingObject = append(g.MovingObject, &osi3.MovingObject{Id: message.ID(id),
				ModelReference: proto.String("m" + string(rune(48+id)))})
		}
		return g
	}
	compared := func(a, b *osi3.GroundTruth) (lines []string) {
		r, err := compare.Traces(file(t, "a", "gt", a), file(t, "a", "gt", b), compare.Options{})
		require.NoError(t, err)
		for _, d := range r.Differences {
			lines = append(lines, d.String())
		}
		return lines
	}
	require.Empty(t, compared(truth(1, 2, 3), truth(3, 1, 2)))
	require.Equal(t, []string{"0 s, a, moving_object with id 2: expected one, found none",
		"0 s, a, moving_object with id 4: expected none, found one"},
		compared(truth(1, 2), truth(1, 4)))
	require.Len(t, compared(truth(1, 1), truth(1)), 1, "an id that occurs twice")
}

// TestTraces_WithoutIndex compares files whose channels become known only with their messages, the
// found one first.
func TestTraces_WithoutIndex(t *testing.T) {
	open := func(lines string) trace.Source {
		s, err := trace.OpenAt("a.jsonl", strings.NewReader(lines), int64(len(lines)),
			trace.Options{})
		require.NoError(t, err)
		return s
	}
	line := func(topic, at string) string {
		return `{"topic":"` + topic + `","type":"osi3.SensorView","sequence":0,"log_time":"` + at +
			`","publish_time":"0","data":{}}` + "\n"
	}
	r, err := compare.Traces(open(line("a", "5")+line("a", "7")), open(line("a", "4")+line("a",
		"7")), compare.Options{Time: 1})
	require.NoError(t, err)
	require.True(t, r.Equal(), "%v", r.Differences)
	require.EqualValues(t, 2, r.Channels[0].Messages)
	r, err = compare.Traces(open(line("a", "5")), open(line("x", "4")+line("a", "5")+line("y",
		"6")), compare.Options{})
	require.NoError(t, err)
	require.True(t, r.Equal(), "%v", r.Differences)
	require.Equal(t, []string{"x", "y"}, r.Left)
}

// two returns a trace with two channels of one type, with one message each.
func two(t *testing.T, topics ...string) trace.Source {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for k, topic := range topics {
		c, err := sink.Add(trace.OSI(topic, "sd"))
		require.NoError(t, err)
		data, err := proto.Marshal(sensed(0, track{1, float64(k)}))
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Data: data}))
	}
	require.NoError(t, sink.Close())
	s, err := trace.OpenAt("a.mcap", bytes.NewReader(b.Bytes()), int64(b.Len()), trace.Options{})
	require.NoError(t, err)
	return s
}

// TestTraces_TopicsBeforeTypes: a channel is compared with the expected channel of the same topic,
// even if another one of its type comes first.
func TestTraces_TopicsBeforeTypes(t *testing.T) {
	r, err := compare.Traces(two(t, "left", "right"), file(t, "right", "sd",
		sensed(0, track{1, 1})), compare.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"", "right"}, []string{r.Channels[0].Found, r.Channels[1].Found})
	require.EqualValues(t, 1, r.Count)
	require.Equal(t, "left", r.Differences[0].Channel)
}

// TestTraces_PartnersByType: channels of other topics belong together only if each is the only one
// of its type, and no channel belongs to two.
func TestTraces_PartnersByType(t *testing.T) {
	for name, c := range map[string]struct{ expected, found, partners, left []string }{
		"two found":        {[]string{"a"}, []string{"x", "y"}, []string{""}, []string{"x", "y"}},
		"two expected":     {[]string{"a", "b"}, []string{"x"}, []string{"", ""}, []string{"x"}},
		"one of the topic": {[]string{"a"}, []string{"x", "a"}, []string{"a"}, []string{"x"}},
		"both, and another": {[]string{"a", "b"}, []string{"b", "x"}, []string{"", "b"},
			[]string{"x"}},
	} {
		r, err := compare.Traces(two(t, c.expected...), two(t, c.found...), compare.Options{})
		require.NoError(t, err)
		require.Equal(t, c.left, r.Left, name)
		var partners []string
		for _, channel := range r.Channels {
			partners = append(partners, channel.Found)
		}
		require.Equal(t, c.partners, partners, name)
	}
}

// TestTraces_PartnersAmongSelected: channels that are not selected do not hinder a partner.
func TestTraces_PartnersAmongSelected(t *testing.T) {
	r, err := compare.Traces(two(t, "a"), two(t, "x", "y"), compare.Options{Found: []string{"x"}})
	require.NoError(t, err)
	require.Equal(t, "x", r.Channels[0].Found)
}

// TestTraces_EqualBytesAfterARenaming: once tracking ids are known to be swapped, a message with
// the same ids as the expected one has swapped its objects, even though the bytes are equal.
func TestTraces_EqualBytesAfterARenaming(t *testing.T) {
	later := sensed(20*ms, track{5, 11}, track{7, 49})
	expected := []proto.Message{sensed(0, track{5, 10}, track{7, 50}), later}
	found := []proto.Message{sensed(0, track{7, 10}, track{5, 50}), later}
	require.Len(t, differences(t, compare.Options{}, expected, found), 2)
	require.Len(t, differences(t, compare.Options{ExactIDs: true}, expected, found), 2,
		"of the first message alone")
}

// TestTraces_ManyObjects compares messages with many objects quickly and with little memory.
func TestTraces_ManyObjects(t *testing.T) {
	var expected, found []track
	for k := range uint64(30_000) {
		expected, found = append(expected, track{k, float64(k)}),
			append(found, track{k + 7, float64(k)})
	}
	require.Empty(t, differences(t, compare.Options{}, []proto.Message{sensed(0, expected...)},
		[]proto.Message{sensed(0, found...)}))
	slices.Reverse(found)
	require.Len(t, differences(t, compare.Options{Most: 1e6},
		[]proto.Message{sensed(0, expected...)}, []proto.Message{sensed(0, found...)}), 30_000)
}

// A tolerance for a field that cannot occur in any compared message is a user error.
func TestTraces_NamesFieldsThatDoNotExist(t *testing.T) {
	a, b := file(t, "a", "sd", sensed(0, track{1, 2})), file(t, "a", "sd", sensed(0, track{1, 2}))
	r, err := compare.Traces(a, b, compare.Options{Tolerances: []compare.Tolerance{{Absolute: 1},
		{Field: "base.position", Absolute: 1},
		{Field: "base.positon", Absolute: 1}, {Field: "timestamp", Ignore: true},
		{Field: "moving_object.0.base", Ignore: true},
		{Field: "timestamp.seconds.x", Ignore: true}, {Field: "moving_object.base.position.x"}}})
	require.NoError(t, err)
	require.Equal(t, []string{"base.positon", "moving_object.0.base", "timestamp.seconds.x"},
		r.Unused)
}

// TestTraces_NothingCompared: traces do not agree if all fields that occur in them are ignored,
// whether or not they are equal.
func TestTraces_NothingCompared(t *testing.T) {
	ignored := func(names ...string) (o compare.Options) {
		for _, n := range names {
			o.Tolerances = append(o.Tolerances, compare.Tolerance{Field: n, Ignore: true})
		}
		return o
	}
	for _, x := range []float64{1, 2} {
		all := ignored("version", "timestamp", "moving_object")
		r, err := compare.Traces(file(t, "out", "sd", sensed(0, track{1, 1})),
			file(t, "out", "sd", sensed(0, track{1, x})), all)
		require.NoError(t, err)
		require.False(t, r.Equal())
		require.Equal(t, "0 s, out: expected a field to compare, found only ignored ones",
			r.Differences[0].String())
		r, err = compare.Traces(file(t, "out", "sd", sensed(0, track{1, 1})),
			file(t, "out", "sd", sensed(0, track{1, x})), ignored("version", "moving_object"))
		require.NoError(t, err)
		require.True(t, r.Equal(), "the time stamps")
		r, err = compare.Traces(file(t, "out", "sd", sensed(0, track{1, 1})),
			file(t, "out", "sd", sensed(0, track{1, x})), ignored("version", "timestamp", "base"))
		require.NoError(t, err)
		require.True(t, r.Equal(), "the number of objects")
	}
	r, err := compare.Traces(file(t, "out", "sd", &osi3.SensorData{Timestamp: message.Time(0)}),
		file(t, "out", "sd", &osi3.SensorData{Timestamp: message.Time(0)}), ignored("version"))
	require.NoError(t, err)
	require.True(t, r.Equal(), "nothing was ignored")
}
