package trialpage

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/trial"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// crash is a run on examples/maps in which one car hits another after 2 s.
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

func TestWrite(t *testing.T) {
	page := write(t, crash(t))
	for _, part := range []string{
		"<!DOCTYPE html>", `<h1>crash.exc <span class="failed">failed</span></h1>`,
		"gosmp run crash.exc --rng-seed 7", "<code>cafe</code>",
		"<td>stops</td><td>evaluation</td><td>failure</td><td>2.000</td><td>collision <code>{&#34;gap&#34;:0}</code></td>",
		"<h3>2.000 s</h3>stops: watching → failure by collision<br>", "<h3>ego.speed, m/s</h3>",
		"<h3>ego.count</h3>", `<g id="ground">`,
		`class="scene"`, "ego 5.0 m/s", "<th>stops.scxml</th><td><code>beef</code>",
	} {
		require.Contains(t, page, part)
	}
	require.Equal(t, page, write(t, crash(t)), "the same course gives the same bytes")
}

// TestWrite_StandsAlone has texts that would become markup, or load something.
func TestWrite_StandsAlone(t *testing.T) {
	page := write(t, crash(t))
	for _, outside := range []string{"http://cdn", "https://", "<script", "src=", "lead<b>"} {
		require.NotContains(t, page, outside)
	}
	require.Contains(t, page, "Two cars &amp; &lt;script&gt;")
	require.Contains(t, page, "lead&lt;b&gt; 0.0 m/s")
}

// TestWrite_WithoutWorld is an experiment of FMUs alone.
func TestWrite_WithoutWorld(t *testing.T) {
	page := write(t, trial.Course{Verdict: &trial.Verdict{Experiment: "fmus.exc", Outcome: "passed"}})
	require.Contains(t, page, "fmus.exc")
	for _, part := range []string{"Signals", "Seen from above", `id="ground"`} {
		require.NotContains(t, page, part)
	}
}

// A curve that hardly changes has a picture, however large its values are: counters of nanoseconds.
func TestPlot_LargeValues(t *testing.T) {
	for _, v := range []float64{0, 1, -3e17, 1.7e18, 1e300} {
		c := &trial.Curve{Buckets: []trial.Bucket{{Low: v, High: v, Last: v}, {Start: 1, Low: v,
			High: v, Last: v}}}
		picture := string(plot(c, 2, nil))
		require.NotContains(t, picture, "NaN")
		require.Equal(t, 2, strings.Count(picture, `class="axis"`))
	}
}

// TestPicture_Around shows the vehicles of the description, or all actors when these are gone, and
// all scenes in one scale.
func TestPicture_Around(t *testing.T) {
	s := trial.Scene{Actors: []trial.Box{{Name: "ego", X: 100, Length: 4}, {Name: "far", X: 900,
		Length: 4}}}
	require.Equal(t, area{98, 102, -2, 2}, around(s, []string{"ego"}))
	require.Equal(t, area{98, 902, -2, 2}, around(s, []string{"gone"}))
	require.Equal(t, frame{40, 16}, newFrame([]trial.Scene{s}, []string{"ego"}))
	require.Equal(t, frame{300, 16}, newFrame([]trial.Scene{s, {}}, nil), "at most 300 m")
	require.Empty(t, picture(trial.Scene{}, frame{40, 16}, nil), "an empty scene has no picture")
	require.True(t, math.IsInf(around(trial.Scene{}, nil).left, 1))
}
