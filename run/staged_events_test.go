package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
	"gosmp/run"
)

// TestOpenExperiment_EventsThatNoScenarioSends: a judge that awaits a misspelt transition of the
// storyboard never sees it, so the run does not pass.
func TestOpenExperiment_EventsThatNoScenarioSends(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, name := range []string{"ccrs.xosc", "road.xodr", "judged.exc"} {
		text, err := os.ReadFile(filepath.Join("../examples/ccrs", name))
		require.NoError(t, err)
		write(name, strings.ReplaceAll(string(text), "judged.bibi", "none.bibi"))
	}
	write("none.bibi", `<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI"/>`)
	for event, want := range map[string]string{
		"scenario.event.strat": `the event "scenario.event.strat" never occurs: scenarios send no ` +
			`such event; did you mean "scenario.event.start"?`,
		"scenario.event.skip": "", "scenario.event": "",
	} {
		write("stops.scxml", `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">`+
			`<state id="a"><transition event="`+event+`" target="failure"/>`+
			`<transition event="scenario.over" target="success"/></state>`+
			`<final id="success"/><final id="failure"/></scxml>`)
		e, err := run.OpenExperiment(run.Defaults(filepath.Join(dir, "judged.exc")))
		require.NoError(t, err)
		v, err := e.Run(t.Context())
		require.NoError(t, errors.Join(err, e.Close()))
		if want == "" {
			require.Equal(t, trial.Passed, v.Outcome, "%s: %s", event, v.Cause)
			continue
		}
		require.Equal(t, trial.Undecided, v.Outcome, event)
		require.Contains(t, v.Cause, want)
	}
}
