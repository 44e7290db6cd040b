package trialpage

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/trial"
	"gosmp/mocksim/opendrive"
	"gosmp/report/internal/page"
	"gosmp/timebase"
)

// crash returns a run on examples/maps in which one car hits another after 2 s.
func crash(t *testing.T) trial.Course {
	t.Helper()
	text, err := os.ReadFile("../../examples/maps/motorway.xodr")
	require.NoError(t, err)
	roads, err := opendrive.Read("motorway.xodr", bytes.NewReader(text))
	require.NoError(t, err)
	at := 2 * timebase.Second
	return trial.Course{
		Verdict: &trial.Verdict{Experiment: "crash.exc", Outcome: "failed", EndedBy: "decision",
			Time: 2.5, Steps: 125, Seed: 7, TraceHash: "cafe",
			Command: "gosmp run crash.exc --rng-seed 7", Inputs: []trial.Input{{File: "stops.scxml",
				SHA256: "beef"}},
			Judgments: []trial.Judgment{{Machine: "stops", Role: "evaluation", Outcome: "failure",
				Time: 2, Data: json.RawMessage(`{"gap":0}`), Cause: "collision"}}},
		Text: "Two cars & <script>alert(1)</script>", End: 5 * timebase.Second / 2, Roads: roads,
		Vehicles: []string{"ego", "lead"},
		Records: []scxml.Record{
			{Machine: "stops", Kind: scxml.Started, Text: "stops.scxml"}, {Machine: "stops",
				Kind: scxml.Entered, State: "watching"},
			{Time: at, Machine: "stops", Kind: scxml.Took, Event: "collision"},
			{Time: at, Machine: "stops", Kind: scxml.Followed, State: "watching", Text: "failure"},
			{Time: at, Machine: "stops", Kind: scxml.Left, State: "watching"},
			{Time: at, Machine: "stops", Kind: scxml.Entered, State: "failure"},
		},
		Curves: []*trial.Curve{{Name: "ego.speed", Unit: "m/s", Buckets: []trial.Bucket{{Low: 10,
			High: 10, Last: 10}, {Start: at, Low: 4, High: 9, Last: 5}}},
			{Name: "ego.count", Unit: "1", Buckets: []trial.Bucket{{Low: 1, High: 1, Last: 1}}}},
		Scenes: []trial.Scene{{Time: at, Actors: []trial.Box{{Name: "lead<b>", X: 14, Length: 4,
			Width: 2}, {Name: "ego", X: 10, Length: 4, Width: 2, Speed: 5}}}},
	}
}

func write(t *testing.T, c trial.Course) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, c))
	return b.String()
}

// dataOf returns the data that the page plays back.
func dataOf(t *testing.T, text string) (p page.Playback) {
	t.Helper()
	p.Scene = &page.Scene{}
	match := regexp.MustCompile(`(?m)id="data">(.*)</script>`).FindStringSubmatch(text)
	require.Len(t, match, 2)
	require.NoError(t, json.Unmarshal([]byte(match[1]), &p))
	return p
}

func TestWrite(t *testing.T) {
	text := write(t, crash(t))
	for _, part := range []string{
		"<!DOCTYPE html>", `<h1>crash.exc <span class="outcome failed">failed</span></h1>`,
		"gosmp run crash.exc --rng-seed 7", "<code>cafe</code>", `data-at="2">2.000 s</a>`,
		"<td>collision (gap 0)</td>",
		"<td>watching → failure by collision</td>", `<svg id="ground"`,
		"<th>stops.scxml</th><td><code>beef</code>",
	} {
		require.Contains(t, text, part)
	}
	require.Equal(t, text, write(t, crash(t)), "the same course gives the same bytes")
	p := dataOf(t, text)
	require.Equal(t, []float64{2}, p.Changes)
	require.Equal(t, []page.Lane{{Name: "stops", Bars: []page.Bar{{To: 2, Text: "watching"},
		{From: 2, To: 2.5, Text: "failure", Kind: "bad", Order: 1}}}}, p.Lanes)
	require.Equal(t, page.Curve{Group: "vehicles: speed", Path: "ego.speed, m/s",
		Times: []float64{0, 2}, Steps: true, Values: []any{10., []any{4., 9.}}}, p.Curves.List[0])
	require.Equal(t, "ego.count", p.Curves.List[1].Path)
	s := p.Scene.(*page.Scene)
	require.Equal(t, "ego", s.Bodies[1].Name)
	require.Equal(t, []page.Frame{{Time: 2, Host: 1, Pose: []float64{10, 0, 0},
		Objects: []float64{0, 14, 0, 0, 0, 1, 10, 0, 0, 5}}}, s.Frames)
}

// TestWrite_Film: the scene contains the film, and the moments of changes between its pictures.
func TestWrite_Film(t *testing.T) {
	c := crash(t)
	for _, at := range []timebase.Time{timebase.Second, 2 * timebase.Second, 3 * timebase.Second} {
		c.Film = append(c.Film, trial.Scene{Time: at, Actors: []trial.Box{{Name: "ego", Turn: 90}}})
	}
	frames := dataOf(t, write(t, c)).Scene.(*page.Scene).Frames
	require.Len(t, frames, 3)
	require.Equal(t, []float64{0, 0, 0, 1.5708, 0}, frames[0].Objects)
}

// TestWrite_StandsAlone uses texts that would become markup or load something.
func TestWrite_StandsAlone(t *testing.T) {
	text := write(t, crash(t))
	for _, outside := range []string{"http://", "https://", "src=", "lead<b>", "<script>alert"} {
		require.NotContains(t, text, outside)
	}
	require.Contains(t, text, "Two cars &amp; &lt;script&gt;")
	require.Equal(t, "lead<b>", dataOf(t, text).Scene.(*page.Scene).Bodies[0].Name)
}

// TestWrite_WithoutWorld uses an experiment that has only FMUs.
func TestWrite_WithoutWorld(t *testing.T) {
	text := write(t,
		trial.Course{Verdict: &trial.Verdict{Experiment: "fmus.exc", Outcome: "passed"}})
	require.Contains(t, text, "fmus.exc")
	for _, part := range []string{"Signals", "Seen from above", `id="ground"`} {
		require.NotContains(t, text, part)
	}
}
