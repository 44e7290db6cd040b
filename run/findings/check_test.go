package findings_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/proto/wire"
	"gosmp/run/content"
	"gosmp/run/findings"
	"gosmp/run/kind"
	"gosmp/run/usage"
	"gosmp/trace"
)

// check checks a text in memory.
func check(t *testing.T, name, text string, o findings.Options) *findings.Result {
	r, err := findings.Check(t.Context(), content.File{Name: name, Bytes: []byte(text),
		Piped: true}, o)
	require.NoError(t, err)
	return r
}

// The content determines the kind, unless the options state it.
func TestCheck_Kinds(t *testing.T) {
	chart := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a"/></scxml>`
	r := check(t, "a", chart, findings.Options{})
	require.Equal(t, kind.Statechart, r.Kind)
	require.True(t, r.Passed)
	_, err := findings.Check(t.Context(), content.File{Name: "a", Bytes: []byte(chart),
		Piped: true}, findings.Options{Kind: kind.Recording})
	require.ErrorContains(t, err, "scenario without measurements")
	for _, is := range []string{kind.FMU, kind.System, kind.Scenario, kind.Sweep} {
		_, err := findings.Check(t.Context(), content.File{Piped: true},
			findings.Options{Kind: is})
		require.ErrorContains(t, err, "save it first", "it names other files, or needs its own")
	}
}

// With Strict, a warning lets a file fail.
func TestCheck_Strict(t *testing.T) {
	chart := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="a">
  <state id="a"/><state id="unreachable"/></scxml>`
	r := check(t, "a", chart, findings.Options{})
	require.NotEmpty(t, r.Findings)
	require.Equal(t, finding.Warning, r.Findings[0].Severity)
	require.Equal(t, "a", r.Findings[0].Place.File)
	require.True(t, r.Passed)
	require.False(t, check(t, "a", chart, findings.Options{Strict: true}).Passed)
}

// Only the first problems of a kind are listed, with their number.
func TestCheck_ListsTheFirstOfAKind(t *testing.T) {
	text := "SensorID,Timestamp\n2,1000,101325,293\n"
	for range 5 {
		text += "2,1020,x,293\n"
	}
	r := check(t, "flight.csv", text+"0,1060\n", findings.Options{})
	require.Len(t, r.Findings, findings.OfAKind)
	require.EqualValues(t, 5, r.Findings[0].Count)
}

// The findings of other channels than the chosen ones are left out.
func TestCheck_ChannelsOfATrace(t *testing.T) {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	for _, topic := range []string{"front/view", "rear/view"} {
		c, err := sink.Add(trace.OSI(topic, "sv"))
		require.NoError(t, err)
		require.NoError(t, sink.Write(&trace.Message{Channel: c,
			Data: wire.AppendTimestamp(nil, 2, 0, 0)}))
	}
	require.NoError(t, sink.Close())
	all := check(t, "a.mcap", b.String(), findings.Options{})
	require.Len(t, all.Trace.Channels, 2)
	front := check(t, "a.mcap", b.String(), findings.Options{Channels: []string{"front/view"}})
	require.Len(t, front.Trace.Channels, 1)
	require.Less(t, len(front.Findings), len(all.Findings))
	for _, f := range front.Findings {
		require.NotContains(t, f.Place.Object, "rear")
	}
	_, err = findings.Check(t.Context(), content.File{Name: "a.mcap", Bytes: b.Bytes(),
		Piped: true}, findings.Options{Channels: []string{"view"}})
	require.ErrorAs(t, err, new(*usage.Error), "the name is ambiguous")
}
