package statechart_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/run/statechart"
	"gosmp/timebase"
)

const crossing = "../../experiment/scxml/testdata/crossing.scxml"

func player(t *testing.T, log io.Writer) *statechart.Player {
	t.Helper()
	text, err := os.ReadFile(crossing)
	require.NoError(t, err)
	return &statechart.Player{File: crossing, Text: text, Log: log}
}

func TestPlayer_PlaysAListOfEvents(t *testing.T) {
	play := func() (string, statechart.Summary) {
		var log bytes.Buffer
		p := player(t, &log)
		require.NoError(t, p.Open(t.Context()))
		events, err := statechart.ReadEvents(
			"list",
			strings.NewReader("# a list\n5 button\n\n50.5 close {\"by\": \"hand\"}\n60 never\n"),
		)
		require.NoError(t, err)
		require.NoError(t, p.Play(events))
		require.False(t, p.Failed())
		return log.String(), p.Summary(nil)
	}
	log, summary := play()
	require.Contains(t, log, "8.000000000 crossing enter red\n")
	require.Contains(t, log, "50.500000000 crossing end closed: {\"rounds\":2}\n")
	require.Equal(t, "closed", summary.Outcome)
	require.Equal(t, map[string]any{"rounds": 2.0}, summary.Result)
	require.Equal(t, 50.5, summary.Time)
	again, same := play()
	require.Equal(t, log, again)
	require.Equal(t, summary, same)
}

func TestPlayer_StopsAnEndlessMachine(t *testing.T) {
	p := player(t, io.Discard)
	require.NoError(t, p.Open(t.Context()))
	require.NoError(t, p.Play(nil))
	require.InDelta(t, statechart.DefaultStop.Seconds(), p.Summary(nil).Time, 40)
	p = player(t, io.Discard)
	p.Stop = 25 * timebase.Second
	require.NoError(t, p.Open(t.Context()))
	require.NoError(t, p.Play(nil))
	require.Equal(t, 25.0, p.Summary(nil).Time)
	require.Equal(t, []string{"red", "dark"}, p.Summary(nil).States)
	require.Equal(t, "undecided", p.Summary(nil).Outcome)
}

func TestPlayer_TakesLines(t *testing.T) {
	var log bytes.Buffer
	var complaints []string
	p := player(t, &log)
	require.NoError(t, p.Open(t.Context()))
	in := strings.NewReader("button\nnonsense {\n\nclose\nlate\n")
	require.NoError(
		t,
		p.Interact(
			context.Background(),
			in,
			func(err error) { complaints = append(complaints, err.Error()) },
		),
	)
	require.Equal(t, "closed", p.Summary(nil).Outcome)
	require.Equal(t, []string{`"nonsense {": expected data in JSON after the name`}, complaints)
	var svg bytes.Buffer
	require.NoError(t, p.Timeline(&svg))
	require.Contains(t, svg.String(), "crossing amber")
}

// Timers that are pending when the input ends still fire, without waiting in real time.
func TestPlayer_PlaysTheRestWhenTheInputEnds(t *testing.T) {
	p := player(t, io.Discard)
	p.Stop = 25 * timebase.Second
	require.NoError(t, p.Open(t.Context()))
	require.NoError(
		t,
		p.Interact(context.Background(), strings.NewReader(""), func(err error) { t.Error(err) }),
	)
	require.Equal(t, 25.0, p.Summary(nil).Time)
	require.Equal(t, []string{"red", "dark"}, p.Summary(nil).States)
}

func TestPlayer_TakesAndRefusesLongLines(t *testing.T) {
	for length, refused := range map[int]bool{100 << 10: false, 2 << 20: true} {
		p := player(t, io.Discard)
		require.NoError(t, p.Open(t.Context()))
		in := strings.NewReader(`button {"text": "` + strings.Repeat("a", length) + "\"}\nclose\n")
		err := p.Interact(context.Background(), in, func(err error) { t.Error(err) })
		if refused {
			require.ErrorContains(t, err, "standard input: ")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "closed", p.Summary(nil).Outcome)
	}
}

func TestReadEvents_RefusesWithPlace(t *testing.T) {
	for text, want := range map[string]string{
		"1 a\nx b": `list:2: unusable list of events: found "x", expected a time in seconds`,
		"1":        `list:1: unusable list of events: found "", expected the name of an event`,
		"2 a\n1 b": `list:2: unusable list of events: found 1 s, expected a time not ` +
			`before 2.000000000`,
		"1 a {": `list:1: unusable list of events: found "a {", expected data in JSON ` +
			`after the name`,
	} {
		_, err := statechart.ReadEvents("list", strings.NewReader(text))
		require.ErrorIs(t, err, statechart.ErrEvents)
		require.ErrorContains(t, err, want)
	}
}

func TestPlayer_EndsABrokenMachine(t *testing.T) {
	p := &statechart.Player{File: "loop.scxml", Log: io.Discard,
		Text: []byte(
			`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a">` +
				`<transition target="a"/></state></scxml>`,
		)}
	err := p.Open(t.Context())
	require.ErrorIs(t, err, scxml.ErrBounds)
	require.Contains(t, p.Summary(err).Cause, "loop.scxml:1:")
}

// TestCheck_WritesWhatTheDocsSay checks the chart of the section on checks in docs/SCXML.md.
func TestCheck_WritesWhatTheDocsSay(t *testing.T) {
	docs, err := os.ReadFile("../../docs/SCXML.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(docs), "two mistakes:\n\n```xml\n")
	require.True(t, found)
	chart, rest, found := strings.Cut(rest, "```\n")
	require.True(t, found)
	_, rest, found = strings.Cut(
		rest,
		"`gosmp check door.scxml --events push` reports them:\n\n```\ndoor.scxml\n",
	)
	require.True(t, found)
	want, _, found := strings.Cut(rest, "```\n")
	require.True(t, found)
	var got strings.Builder
	for _, f := range statechart.Check("door.scxml", []byte(chart), []string{"push"}) {
		got.WriteString("  " + strings.TrimPrefix(f.String(), "door.scxml:") + "\n")
	}
	require.Equal(t, want, got.String())
}

// TestPlayer_ErrorsWithoutATransition: an error that a chart does not handle is part of the
// outcome, also if it arose in a machine that the chart invoked, and one that it handles is not.
func TestPlayer_ErrorsWithoutATransition(t *testing.T) {
	const slip = `<onentry><assign location="nowhere" expr="1"/></onentry>`
	for body, want := range map[string]struct {
		outcome, cause string
		errors         int
	}{
		`<state id="a">` + slip + `<transition event="error" target="f"/></state>`: {outcome: "f"},
		`<state id="a">` + slip + `<transition event="go" target="f"/></state>`: {"undecided",
			"m: error.execution in chart.scxml:1 at 0 s, for which it has no transition: " +
				"ReferenceError: nowhere is not defined", 1},
		`<state id="a"><invoke id="i"><content><scxml version="1.0" name="n"><state id="b">` + slip +
			`</state></scxml></content></invoke><transition event="go" target="f"/></state>`: {
			"undecided", "error.execution at 0 s, for which it has no transition", 1},
		`<state id="a"><transition event="other" cond="1 &lt; 2" target="f"/></state>`: {
			"undecided", "still in a, waiting for other if 1 < 2 (chart.scxml:1)", 0},
		`<state id="a"/>`: {"undecided", "still in a, which it does not leave", 0},
	} {
		p := &statechart.Player{File: "chart.scxml", Log: io.Discard, Text: []byte(
			`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="m">` + body +
				`<final id="f"/></scxml>`)}
		require.NoError(t, p.Open(t.Context()), body)
		require.NoError(t, p.Play([]statechart.Timed{
			{At: timebase.Second, Event: scxml.Event{Name: "go"}}}), body)
		s := p.Summary(nil)
		require.Equal(t, want.outcome, s.Outcome, body)
		require.Contains(t, s.Cause, want.cause, body)
		require.Equal(t, want.cause == "", s.Cause == "", body)
		require.Len(t, s.Errors, want.errors, body)
		require.Equal(t, s, p.Summary(nil), "counts nothing twice")
	}
}
