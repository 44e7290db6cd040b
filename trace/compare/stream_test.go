package compare_test

import (
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/compare"
)

const s = timebase.Second

// item is a message of a stream: its topic, its time, and its content.
type item struct {
	topic string
	at    timebase.Time
	data  []byte
}

// stream is a trace without an index: its channels appear with their messages, and the bytes of a
// message are valid only until the next message, as with a file.
type stream struct {
	kind     trace.Channel // of all its channels, except for the topic
	items    []item
	channels []*trace.Channel
	buffer   []byte
	size     int    // of each message; 0: the size of its content
	next     func() // called for each message
}

func (s *stream) Info() *trace.Info          { return &trace.Info{Format: trace.JSONLines} }
func (s *stream) Channels() []*trace.Channel { return s.channels }
func (s *stream) Close() error               { return nil }

func (s *stream) Next() (*trace.Message, error) {
	if len(s.items) == 0 {
		return nil, io.EOF
	}
	if s.next != nil {
		s.next()
	}
	i := s.items[0]
	s.items = s.items[1:]
	s.buffer = append(slices.Grow(s.buffer[:0], s.size), i.data...)
	return &trace.Message{Channel: s.channel(i.topic), Time: i.at,
		Data: s.buffer[:max(s.size, len(i.data))]}, nil
}

func (s *stream) channel(topic string) *trace.Channel {
	for _, c := range s.channels {
		if c.Topic == topic {
			return c
		}
	}
	c := s.kind
	c.Topic = topic
	s.channels = append(s.channels, &c)
	return &c
}

// views returns a stream of SensorViews that contain their own time, in seconds.
func views(t *testing.T, items ...item) *stream {
	for k, i := range items {
		b, err := proto.Marshal(&osi3.SensorView{Timestamp: message.Time(i.at)})
		require.NoError(t, err)
		items[k].data = b
	}
	return &stream{kind: trace.OSI("", "sv"), items: items}
}

func lines(t *testing.T, o compare.Options, expected, found trace.Source) (list []string) {
	r, err := compare.Traces(expected, found, o)
	require.NoError(t, err)
	var count int64
	for _, c := range r.Channels {
		count += c.Differences
	}
	require.Equal(t, r.Count, count, "of all channels")
	for _, d := range r.Differences {
		list = append(list, d.String())
	}
	return list
}

// A message without a partner is reported no matter where its channel begins or which trace has it
// first.
func TestTraces_ChannelsThatBeginLater(t *testing.T) {
	const missing, extra = ": expected a message, found none at this time",
		": expected no message at this time, found one"
	for name, c := range map[string]struct {
		expected, found []item
		tolerance       timebase.Time
		want            []string
	}{
		"found first": {[]item{{topic: "a", at: 4 * s}, {topic: "b", at: 5 * s}},
			[]item{{topic: "b", at: 4 * s}, {topic: "a", at: 5 * s}}, s, []string{
				"4 s, a, timestamp: expected 4 s, found 5 s",
				"5 s, b, timestamp: expected 5 s, found 4 s"}},
		"the first one missing": {[]item{{topic: "b"}, {topic: "a", at: 15 * s},
			{topic: "b", at: 30 * s}}, []item{{topic: "a", at: 15 * s},
			{topic: "b", at: 30 * s}}, 0, []string{"0 s, b" + missing}},
		"all but the last one missing": {[]item{{topic: "b"}, {topic: "b", at: s},
			{topic: "b", at: 2 * s}, {topic: "a", at: 15 * s}, {topic: "b", at: 30 * s}},
			[]item{{topic: "a", at: 15 * s}, {topic: "a", at: 20 * s}, {topic: "b", at: 30 * s}}, 0,
			[]string{"0 s, b" + missing, "1 s, b" + missing, "2 s, b" + missing,
				"20 s, a" + extra}},
		"one too many before": {[]item{{topic: "a"}, {topic: "a", at: 20 * s},
			{topic: "b", at: 30 * s}}, []item{{topic: "b", at: s}, {topic: "a"},
			{topic: "a", at: 20 * s}, {topic: "b", at: 25 * s}, {topic: "b", at: 30 * s}}, 0,
			[]string{"1 s, b" + extra, "25 s, b" + extra}},
		"the end missing": {[]item{{topic: "a"}, {topic: "a", at: s}}, []item{{topic: "a"}}, 0,
			[]string{"1 s, a" + missing}},
		"one too many at the end": {[]item{{topic: "a"}}, []item{{topic: "a"},
			{topic: "a", at: s}}, 0, []string{"1 s, a" + extra}},
		"late in its file": {[]item{{topic: "a"}, {topic: "b", at: s}, {topic: "b", at: 2 * s}},
			[]item{{topic: "a"}, {topic: "a", at: 5 * s}, {topic: "b", at: s},
				{topic: "b", at: 2 * s}}, 0, []string{"5 s, a" + extra}},
		"late by the tolerance, too": {[]item{{topic: "a"}, {topic: "b", at: s},
			{topic: "b", at: 8 * s}}, []item{{topic: "a"}, {topic: "a", at: 8 * s},
			{topic: "b", at: s}, {topic: "b", at: 8 * s}}, 6 * s, []string{"8 s, a" + extra}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, lines(t, compare.Options{Time: c.tolerance},
				views(t, c.expected...), views(t, c.found...)))
		})
	}
}

// A channel that never appears is one difference; an unexpected channel is not a difference.
func TestTraces_ChannelsThatNeverCome(t *testing.T) {
	require.Equal(t, []string{"0 s, b: expected a channel of osi3.SensorView, found none"}, lines(t,
		compare.Options{}, views(t, item{topic: "b"}, item{topic: "a", at: 15 * s},
			item{topic: "b", at: 30 * s}), views(t, item{topic: "a", at: 15 * s})))
	expected, found := views(t, item{topic: "b"}, item{topic: "a"}), views(t, item{topic: "x"},
		item{topic: "y"}, item{topic: "a"})
	r, err := compare.Traces(expected, found, compare.Options{Topics: []string{"a"},
		Found: []string{"a", "y"}})
	require.NoError(t, err)
	require.True(t, r.Equal(), "%v", r.Differences)
	require.Equal(t, []string{"y"}, r.Left)
}

// Both traces are read in step, so little of either is kept in memory.
func TestTraces_AreReadInStep(t *testing.T) {
	var list []item
	for k := range timebase.Time(50) {
		list = append(list, item{topic: "a", at: k * s})
	}
	ahead, most := 0, 0
	note := func(by int) func() {
		return func() { ahead += by; most = max(most, ahead, -ahead) }
	}
	expected, found := views(t, list...), views(t, append([]item{}, list...)...)
	expected.next, found.next = note(1), note(-1)
	require.Empty(t, lines(t, compare.Options{}, expected, found))
	require.LessOrEqual(t, most, 2)
}

// Messages that can no longer find a partner are not kept, whether or not their channel has a
// partner. At the end, neither 200 nor 100 messages of 1 MB are in memory.
func TestTraces_KeepsFewMessages(t *testing.T) {
	var used uint64
	large := func(topic string) *stream {
		list := []item{{topic: topic}}
		for k := range timebase.Time(200) {
			list = append(list, item{topic: "a", at: k * s})
		}
		return &stream{kind: trace.Channel{Type: "Image", Encoding: "json"}, items: list,
			size: 1 << 20}
	}
	for name, found := range map[string]*stream{"partner": large("a"), "no partner": large("b")} {
		expected := large("a")
		for k := range expected.items[1:] {
			expected.items[k+1].topic = "c"
		}
		if name == "no partner" {
			expected.items[0].topic = "d"
		}
		expected.next = func() {
			if len(expected.items) == 1 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				used = m.HeapAlloc
			}
		}
		_, err := compare.Traces(expected, found, compare.Options{})
		require.NoError(t, err)
		require.Less(t, used, uint64(60<<20), name)
	}
}

// Differences are sorted by time, regardless of when they are found.
func TestTraces_OrderOfDifferences(t *testing.T) {
	left := views(t, item{topic: "a"}, item{topic: "a", at: s}, item{topic: "b", at: 2 * s})
	right := views(t, item{topic: "a"}, item{topic: "b", at: 3 * s})
	require.Equal(t, []string{"1 s, a: expected a message, found none at this time",
		"2 s, b, timestamp: expected 2 s, found 3 s"},
		lines(t, compare.Options{Time: s}, left, right))
}

// Messages in encodings other than protobuf are compared as bytes and never equal messages in
// another encoding.
func TestTraces_OtherEncodings(t *testing.T) {
	of := func(encoding, data string) *stream {
		return &stream{kind: trace.Channel{Type: "Pose", Encoding: encoding},
			items: []item{{topic: "a", at: s, data: []byte(data)}}}
	}
	require.Empty(t, lines(t, compare.Options{}, of("json", "{}"), of("json", "{}")))
	ignoring := compare.Options{Tolerances: []compare.Tolerance{{Field: "x", Ignore: true}}}
	require.Empty(t, lines(t, ignoring, of("json", "{}"), of("json", "{}")))
	require.Equal(t, []string{"1 s, a: expected 2 bytes of json, found 3 other bytes of json"},
		lines(t, compare.Options{}, of("json", "{}"), of("json", "{ }")))
	require.Equal(t, []string{"1 s, a: expected 2 bytes of json, found 2 other bytes of cbor"},
		lines(t, compare.Options{}, of("json", "{}"), of("cbor", "{}")))
	require.Equal(t, []string{"1 s, a: expected 0 bytes of protobuf, found 0 other bytes of json"},
		lines(t, compare.Options{}, of("protobuf", ""), of("json", "")))
}

// A message that cannot be decoded is an error, unless the bytes are equal and contain no ids.
func TestTraces_UndecodableMessages(t *testing.T) {
	of := func(kind, data string) *stream {
		return &stream{kind: trace.OSI("", kind), items: []item{{topic: "a", data: []byte(data)}}}
	}
	const broken, whole = "\xff\xff", ""
	require.Empty(t, lines(t, compare.Options{}, of("sv", broken), of("sv", broken)))
	require.Empty(t, lines(t, compare.Options{ExactIDs: true}, of("sd", broken), of("sd", broken)))
	for name, c := range map[string][2]*stream{
		"expected":        {of("sv", broken), of("sv", whole)},
		"found":           {of("sv", whole), of("sv", broken)},
		"equal, with ids": {of("sd", broken), of("sd", broken)},
	} {
		_, err := compare.Traces(c[0], c[1], compare.Options{})
		require.ErrorIs(t, err, trace.ErrContent, name)
	}
}

// failing is a trace that cannot be read to its end.
type failing struct{ stream }

func (f *failing) Next() (*trace.Message, error) {
	if len(f.items) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return f.stream.Next()
}

// A trace that cannot be read to its end is an error, and nothing is compared.
func TestTraces_DamagedTraces(t *testing.T) {
	list := []item{{topic: "a"}, {topic: "a", at: s}}
	whole, half := views(t, list...), &failing{*views(t, list[0])}
	_, err := compare.Traces(whole, half, compare.Options{})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	whole, half = views(t, list[0]), &failing{*views(t, list...)}
	_, err = compare.Traces(half, whole, compare.Options{})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
