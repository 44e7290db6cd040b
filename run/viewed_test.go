package run_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/run"
)

// looker opens the page of a run as soon as its address is printed.
type looker struct {
	wishes []string // sent at once
	opened bool
	seen   chan [2]string
}

func (*looker) Message(importer.Message) {}
func (*looker) Warn(string)              {}

func (l *looker) Printed(line string) {
	address, is := strings.CutPrefix(line, "view: ")
	if !is {
		return
	}
	l.opened = true
	base, token, _ := strings.Cut(address, "?")
	go func() {
		defer close(l.seen)
		r, err := http.Get(base + "data?" + token) //nolint:noctx // until the run ends
		if err != nil {
			return
		}
		defer func() { _ = r.Body.Close() }()
		for _, w := range l.wishes {
			to := base + "control?" + token
			x, err := http.Post(to, "", strings.NewReader(w)) //nolint:noctx // a test
			if err != nil || x.StatusCode != http.StatusNoContent {
				return
			}
			_ = x.Body.Close()
		}
		name := ""
		lines := bufio.NewReader(r.Body)
		for {
			line, err := lines.ReadString('\n')
			if x, is := strings.CutPrefix(line, "event: "); is {
				name = strings.TrimSpace(x)
			}
			if x, is := strings.CutPrefix(line, "data: "); is {
				l.seen <- [2]string{name, x}
			}
			if err == io.EOF {
				return
			}
		}
	}()
}

// viewed runs with a page, and returns the result with the first data and the last state of the
// page. The first addition is in the member more of the first data.
func viewed(t *testing.T, o run.Options, wishes ...string) (r *run.Result, first map[string]any,
	last map[string]any, err error) {
	t.Helper()
	l := &looker{wishes: append(wishes, `{"do":"speed","speed":0}`),
		seen: make(chan [2]string, 1<<16)}
	o.View, o.Log = true, l
	r, err = run.Run(t.Context(), o)
	require.True(t, l.opened, "the run ended without a page: %v", err)
	for e := range l.seen {
		switch {
		case e[0] == "all" && first == nil:
			require.NoError(t, json.Unmarshal([]byte(e[1]), &first))
		case e[0] == "more" && first["more"] == nil:
			var more map[string]any
			require.NoError(t, json.Unmarshal([]byte(e[1]), &more))
			first["more"] = more
		case e[0] == "state":
			last = nil
			require.NoError(t, json.Unmarshal([]byte(e[1]), &last))
		}
	}
	return r, first, last, err
}

// atTheStart returns the values of all curves at time 0, by name.
func atTheStart(t *testing.T, first map[string]any) map[string]any {
	t.Helper()
	curves := first["curves"].(map[string]any)
	times, _ := curves["times"].([]any)
	values := map[string]any{}
	var row []any
	if len(times) == 0 {
		more := first["more"].(map[string]any)
		times, row = more["times"].([]any), more["values"].([]any)[0].([]any)
	}
	require.Zero(t, times[0])
	for k, c := range curves["list"].([]any) {
		curve := c.(map[string]any)
		if row != nil {
			values[curve["path"].(string)] = row[k]
		} else {
			values[curve["path"].(string)] = curve["values"].([]any)[0]
		}
	}
	require.NotEmpty(t, values)
	return values
}

// A view shows a run on a map without changing it.
func TestView_OfAMap(t *testing.T) {
	o := run.Defaults("../examples/maps/crossing.xodr")
	stop := 2.0
	o.StopTime = &stop
	plain, err := run.Run(t.Context(), o)
	require.NoError(t, err)
	r, first, last, err := viewed(t, o)
	require.NoError(t, err)
	require.Equal(t, plain.Summary.TraceHash, r.Summary.TraceHash)
	require.Equal(t, 2.0, last["time"])
	require.Equal(t, true, last["over"])
	scene := first["scene"].(map[string]any)
	require.NotEmpty(t, scene["lines"], "of the road")
	require.NotEmpty(t, scene["bodies"])
	require.NotEmpty(t, first["curves"].(map[string]any)["list"])
}

// A view shows a scenario.
func TestView_OfAScenario(t *testing.T) {
	o := run.Defaults("../examples/ccrs/ccrs.xosc")
	duration := 1.0
	o.Duration = &duration
	plain, err := run.Run(t.Context(), o)
	require.NoError(t, err)
	r, first, last, err := viewed(t, o)
	require.NoError(t, err)
	require.Equal(t, plain.Scenario.TraceHash, r.Scenario.TraceHash)
	require.Equal(t, 1.0, last["time"])
	require.Len(t, first["scene"].(map[string]any)["bodies"], 2)
}

// withoutFMUs removes the FMUs from the description of an experiment, and their connections.
func withoutFMUs(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(content)) {
		if !strings.Contains(line, "<g:") && !strings.Contains(line, "</g:") {
			lines = append(lines, line)
		}
	}
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600))
}

// The user of a view can send the events that charts wait for, but not events of the simulation.
func TestView_SendsEventsToCharts(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/braking")))
	withoutFMUs(t, filepath.Join(dir, "braking.bibi"))
	const chart = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="a" ` +
		`datamodel="ecmascript"><state id="a"><transition event="stop now" target="success"/>` +
		`<transition event="collision step error.* done.state.a bridge.x *" target="a"/></state>` +
		`<final id="success"/></scxml>`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "stops.scxml"), []byte(chart), 0o600))
	o := run.Defaults(filepath.Join(dir, "braking.exc"))
	r, first, last, err := viewed(t, o, `{"do":"event","event":"stop"}`)
	require.NotNil(t, first["scene"], "the view of a vehicle without sensors: %v", err)
	for name, x := range atTheStart(t, first) {
		if strings.Contains(name, "speed") {
			require.NotEqual(t, 0.0, x, "a chart sets %s at the start", name)
		}
	}
	require.Equal(t, true, last["over"])
	require.Contains(t, last["text"], "Emergency braking: ")
	k := slices.IndexFunc(r.Verdict.Judgments, func(j trial.Judgment) bool {
		return j.Machine == "stops"
	})
	require.Equal(t, "success", r.Verdict.Judgments[k].Outcome)
	require.Less(t, r.Verdict.Judgments[k].Time, r.Verdict.Time)
}

// A view finds the vehicle to show, although a participant without a SensorView has variables, too,
// and comes first.
func TestView_OfAnExperimentWithAnotherFMU(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/braking")))
	bibi := filepath.Join(dir, "braking.bibi")
	withoutFMUs(t, bibi)
	content, err := os.ReadFile(bibi)
	require.NoError(t, err)
	fmu := testfmu.Build(t, testfmu.Recipe{Name: "x"})
	require.NoError(t, os.Rename(fmu, filepath.Join(dir, "x.fmu")))
	text := strings.Replace(string(content), "<timestep>",
		`<g:fmu xmlns:g="urn:gosmp:experiment:1" name="a" src="x.fmu"/><timestep>`, 1)
	require.NoError(t, os.WriteFile(bibi, []byte(text), 0o600))
	_, first, last, err := viewed(t, run.Defaults(filepath.Join(dir, "braking.exc")))
	require.NotNil(t, first["scene"], "the view of a vehicle: %v", err)
	require.Equal(t, true, last["over"])
}

// A view shows the active states of a chart by region, and sends events with data to it.
func TestView_OfAStatechart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "door.scxml")
	const chart = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="p" ` +
		`datamodel="ecmascript"><parallel id="p"><state id="door"><state id="shut">` +
		`<transition event="door.open" cond="_event.data.width &gt; 2" target="end"/></state>` +
		`<state id="open"/></state><state id="light"><state id="off"/></state></parallel>` +
		`<final id="end"/></scxml>`
	require.NoError(t, os.WriteFile(file, []byte(chart), 0o600))
	o := run.Defaults(file)
	r, first, last, err := viewed(t, o, `{"do":"event","event":"door.open","data":{"width":1}}`,
		`{"do":"event","event":"door.open","data":{"width":3}}`)
	require.NoError(t, err)
	require.Equal(t, "end", r.Chart.Outcome)
	require.Equal(t, true, last["over"])
	curves := first["curves"].(map[string]any)["list"].([]any)
	require.Len(t, curves, 3)
	door := curves[1].(map[string]any)
	require.Equal(t, "door", door["path"])
	require.Equal(t, map[string]any{"0": "none", "1": "shut", "2": "open"}, door["names"])
	require.EqualValues(t, 1, door["values"].([]any)[0])
	require.EqualValues(t, 1, curves[0].(map[string]any)["values"].([]any)[0])
}

// canceler ends a run as soon as it waits for its page to be opened.
type canceler struct {
	looker
	cancel func()
	warned []string
}

func (c *canceler) Warn(text string) { c.warned = append(c.warned, text) }

func (c *canceler) Printed(line string) {
	if strings.HasPrefix(line, "view: ") {
		c.cancel()
	}
}

// TestView_EndsWithItsContext checks that a run that waits for its page can be interrupted.
func TestView_EndsWithItsContext(t *testing.T) {
	for _, file := range []string{"maps/crossing.xodr", "ccrs/ccrs.xosc", "braking/braking.exc",
		"loop/stops.scxml"} {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS("../examples")))
		withoutFMUs(t, filepath.Join(dir, "braking", "braking.bibi"))
		ctx, cancel := context.WithCancel(t.Context())
		o := run.Defaults(filepath.Join(dir, file))
		c := &canceler{cancel: cancel}
		o.View, o.Log = true, c
		_, _ = run.Run(ctx, o) // returns
		require.Error(t, ctx.Err(), file)
		require.NotContains(t, strings.Join(c.warned, "\n"), "--view", "it has waited in vain")
		cancel()
	}
}

// The page and standard input cannot both control a run.
func TestView_NotWithControl(t *testing.T) {
	o := run.Defaults("../examples/braking/braking.exc")
	o.View, o.Held = true, true
	_, err := run.Run(t.Context(), o)
	require.ErrorContains(t, err, "--control")
	require.Equal(t, run.Invalid, run.ExitCode(err))
}
