package trace_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"gosmp/model/message"
	"gosmp/proto/osi3"
	"gosmp/timebase"
	"gosmp/trace"
)

// T5: each line of a .txth file is a message in protobuf's text format and can be read back.
func TestText_EachLineIsAMessage(t *testing.T) {
	var messages []*osi3.GroundTruth
	for k := range timebase.Time(5) {
		messages = append(messages,
			&osi3.GroundTruth{Version: message.Version(), Timestamp: message.Time(k),
				CountryCode:  proto.Uint32(276),
				MapReference: proto.String("two  blanks,\n \\  \"quoted  text\" and \\\\"),
				MovingObject: []*osi3.MovingObject{{Id: message.ID(uint64(k))}, {}}})
	}
	var out bytes.Buffer
	sink, err := trace.Create(&out, trace.Text, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("truth", "gt"))
	require.NoError(t, err)
	_, err = sink.Add(trace.OSI("another", "gt"))
	require.ErrorIs(t, err, trace.ErrChannel)
	for k, m := range messages {
		b, err := proto.Marshal(m)
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: timebase.Time(k), Data: b}))
	}
	require.ErrorIs(t, sink.Write(&trace.Message{Channel: c, Data: []byte{0xff}}), trace.ErrContent)
	require.NoError(t, sink.Close())
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, len(messages))
	for k, line := range lines {
		var got osi3.GroundTruth
		require.NoError(t, prototext.Unmarshal([]byte(line), &got), line)
		require.True(t, proto.Equal(messages[k], &got), line)
		require.NotContains(t, strings.ReplaceAll(line, "two  blanks", ""), "version_major:3  ")
	}
	requireText(t, out.String(), messages)
}

// requireText checks that a text contains the given messages.
func requireText(t *testing.T, text string, messages []*osi3.GroundTruth) {
	t.Helper()
	s := open(t, "ground_truth.txth", []byte(text), trace.Options{})
	require.Equal(t, trace.Text, s.Info().Format)
	for k, want := range messages {
		m, err := s.Next()
		require.NoError(t, err, "message %d of %s", k, text)
		require.EqualValues(t, want.GetTimestamp().GetSeconds(), m.Time/timebase.Second)
		var got osi3.GroundTruth
		require.NoError(t, proto.Unmarshal(m.Data, &got))
		require.True(t, proto.Equal(want, &got), "message %d of %s", k, text)
	}
	_, err := s.Next()
	require.ErrorIs(t, err, io.EOF)
}

// Other tools write a message on several lines, with or without blank lines between messages. The
// layout and spelling of fields and the content of strings make no difference.
func TestText_ReadsWhatOtherToolsWrite(t *testing.T) {
	truth := func(seconds int64, country uint32, reference string) *osi3.GroundTruth {
		g := &osi3.GroundTruth{Timestamp: &osi3.Timestamp{Seconds: &seconds}, CountryCode: &country}
		if reference != "" {
			g.MapReference = &reference
		}
		return g
	}
	messages := []*osi3.GroundTruth{truth(1, 2, "timestamp {}\n\"#'"), truth(2, 276, ""),
		truth(3, 4, "x")}
	const first = `map_reference: "timestamp {}\n\"#'"`
	for _, text := range []string{
		"timestamp {\n  seconds: 1\n}\ncountry_code: 2\n" + first +
			"\ntimestamp {\n  seconds: 2\n}\n" +
			"country_code: 276\ntimestamp {\n  seconds: 3\n}\ncountry_code: 4\n" +
			"map_reference: \"x\"\n",
		"# a comment { \"\n\ntimestamp: <seconds: 1>\ncountry_code: 2 # of whom? timestamp {}\n" +
			first +
			"\n\n\ncountry_code: 276\ntimestamp { seconds: 2 }\n\n\n" +
			"timestamp { seconds: 3 }\ncountry_code: 4\nmap_reference: \"x\"",
		"timestamp{seconds:1}country_code:2 " + first +
			"\r\ntimestamp{seconds:2} country_code:276\r\n" +
			"timestamp{seconds:3} country_code:4 map_reference:'x'\r\n",
		"\ufefftimestamp {\nseconds: 1 } country_code:\n2 " + first + " timestamp { seconds: 2 } " +
			"country_code: 276 timestamp { seconds: 3 } country_code: 4 map_reference: \"x\"",
	} {
		requireText(t, text, messages)
	}
}

// Once a line was a whole message, each following line is one too, even if it has a single field.
func TestText_LinesOfOneField(t *testing.T) {
	requireText(t, "timestamp{} country_code:1\nmoving_object{}\ncountry_code:2\n\nmoving_object{}",
		[]*osi3.GroundTruth{
			{Timestamp: &osi3.Timestamp{}, CountryCode: proto.Uint32(1)},
			{MovingObject: []*osi3.MovingObject{{}}}, {CountryCode: proto.Uint32(2)},
			{MovingObject: []*osi3.MovingObject{{}}},
		})
}

// An error states its line in the file.
func TestText_ErrorsHaveTheirPlace(t *testing.T) {
	for text, place := range map[string]string{
		"timestamp {\n  seconds: 1\n}\n\ntimestamp {\n  secs: 2\n}\n": "ground_truth.txth:6:3: ",
		"timestamp{} country_code:1\ntimestamp{} country_code:x\n":    "ground_truth.txth:2:26: ",
		"timestamp{} country_code:1\ntimestamp{":                      "ground_truth.txth:2",
	} {
		s, err := trace.OpenAt("ground_truth.txth", strings.NewReader(text), int64(len(text)),
			trace.Options{})
		require.NoError(t, err)
		_, err = s.Next()
		require.NoError(t, err)
		_, err = s.Next()
		require.ErrorIs(t, err, trace.ErrContent)
		require.ErrorContains(t, err, place)
	}
}

// A player can go back in a text file.
func TestText_Player(t *testing.T) {
	const text = "timestamp{seconds:1} country_code:1\ntimestamp{seconds:2} country_code:2\n"
	p, err := trace.NewPlayer(open(t, "ground_truth.txth", []byte(text), trace.Options{}),
		trace.PlayerOptions{Loop: true, Relative: true, Round: 2 * timebase.Second})
	require.NoError(t, err)
	for _, at := range []timebase.Time{0, timebase.Second, 3 * timebase.Second} {
		b, err := p.At(at)
		require.NoError(t, err)
		var g osi3.GroundTruth
		require.NoError(t, proto.Unmarshal(b, &g))
		require.EqualValues(t, 1+at/timebase.Second%2, g.GetCountryCode(), "at %v", at)
	}
}
