package page

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// whole is a page with all parts: two cars, a machine with nested states, and a curve.
const whole = `<!DOCTYPE html><html lang="en"><title>whole</title><style>{{template "style"}}</style>
<main>{{template "scene"}}{{template "controls"}}{{template "lanes"}}{{template "curves" ""}}</main>
<svg id="ground" hidden=""><g><path fill="#8a8f98" d="M-50 -5H150V5H-50Z"/></g></svg>
{{template "playback" .}}</html>`

func drive() Playback {
	p := Playback{Last: 10, Changes: []float64{0, 4}, Lanes: []Lane{{Name: "machine", Bars: []Bar{
		{From: 0, To: 10, Text: "outer"}, {From: 0, To: 4, Text: "first", Order: 1},
		{From: 4, To: 10, Text: "second", Kind: "bad", Order: 2}}}}}
	s := &Scene{Bodies: []Body{{ID: "ego", Name: "ego", Kind: "vehicle", Length: 5, Width: 2},
		{ID: "lead", Name: "lead", Kind: "vehicle", Length: 5, Width: 2}}}
	c := Curve{Path: "speed, m/s", Times: []float64{}, Values: []any{}}
	for k := range 101 {
		t := float64(k) / 10
		s.Frames = append(s.Frames, Frame{Time: t, Pose: []float64{t, 0, 0},
			Objects: []float64{0, t, 0, 0, 1, 1, 30, 0, 0, 0}})
		c.Append(t, t*t, t*t)
	}
	p.Scene, p.Curves = s, &Curves{Times: []float64{}, List: []Curve{c}}
	return p
}

// TestPage_InABrowser uses a page like a reader, with mouse and keys. It needs Chromium, and
// playwright-core in the folder $GOSMP_PLAYWRIGHT.
func TestPage_InABrowser(t *testing.T) {
	folder := os.Getenv("GOSMP_PLAYWRIGHT")
	chromium, err := exec.LookPath("chromium")
	if folder == "" || err != nil || testing.Short() {
		t.Skip("needs chromium, GOSMP_PLAYWRIGHT=folder with node_modules/playwright-core, " +
			"and not -short")
	}
	var text bytes.Buffer
	require.NoError(t, Write(&text, whole, drive()))
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, text.Bytes(), 0o600))
	script, err := filepath.Abs("testdata/use.cjs")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "node", script, chromium, "file://"+file)
	c.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(folder, "node_modules"))
	c.Stderr = os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	var r struct {
		Errors, Nameless, Faint                    []string
		Begin, Changed, Clicked, Dragged, Reverted string
		States, Info, Playing, Zoomed, Whole       string
		Rows                                       int
		Overlaps, Dark, Paper, Hovered, Left       bool
		Requests                                   int
		Hidden, Wanted                             []int
	}
	require.NoError(t, json.Unmarshal(out, &r), string(out))
	require.Empty(t, r.Errors)
	require.Empty(t, r.Nameless)
	require.Equal(t, 1, r.Requests, "the page itself, and nothing else")
	require.Equal(t, "0.00 s", r.Begin)
	require.Equal(t, "4.00 s", r.Changed, "the key ] goes to the next change")
	require.Equal(t, "outer · second", r.States)
	require.Regexp(t, `^5\.\d\d s$`, r.Clicked, "a click in the middle of the states")
	require.Regexp(t, `^7\.\d\d s$`, r.Dragged, "a drag in the curve to three quarters")
	require.Equal(t, "0.00 s", r.Reverted, "Home")
	require.Contains(t, r.Info, "vehicle lead, 5 m × 2 m: x 30.00 m")
	require.Contains(t, r.Playing, "Pause")
	require.NotEqual(t, r.Whole, r.Zoomed)
	require.Equal(t, 2, r.Rows)
	require.False(t, r.Overlaps)
	require.True(t, r.Dark && r.Paper)
	require.True(t, r.Hovered && r.Left, "the pointer shows values, and only while it is there")
	require.Equal(t, []int{2, 0, 0, 0}, r.Hidden, "zeros that do not determine the axis")
	require.Equal(t, []int{0, 3, 4, 5}, r.Wanted, "curves that are shown first")
	require.Empty(t, r.Faint, "texts with too little contrast")
}
