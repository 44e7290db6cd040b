package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/osmp"
	"gosmp/run"
)

// staged writes the experiment of examples/ccrs to a folder, with a BIBI document of the test and
// without its judge. write writes further files.
func staged(t *testing.T, wiring string) (dir string, write func(name, text string)) {
	t.Helper()
	dir = t.TempDir()
	write = func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, name := range []string{"ccrs.xosc", "road.xodr", "judged.exc"} {
		text, err := os.ReadFile(filepath.Join("../examples/ccrs", name))
		require.NoError(t, err)
		write(name, strings.ReplaceAll(string(text), "judged.bibi", "other.bibi"))
	}
	write("other.bibi", `<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI" `+
		`xmlns:g="urn:gosmp:experiment:1">`+wiring+`</bibi>`)
	return dir, write
}

// failsAt returns a judge that fails the run at an event.
func failsAt(event string) string {
	return `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">` +
		`<state id="a"><transition event="` + event + `" target="failure"/>` +
		`<transition event="scenario.over" target="success"/></state>` +
		`<final id="success"/><final id="failure"/></scxml>`
}

// TestOpenExperiment_EventsThatNoScenarioSends: a judge that awaits a misspelt transition of the
// storyboard never sees it, so the run does not pass.
func TestOpenExperiment_EventsThatNoScenarioSends(t *testing.T) {
	dir, write := staged(t, "")
	for event, want := range map[string]string{
		"scenario.event.strat": `the event "scenario.event.strat" never occurs: scenarios send no ` +
			`such event; did you mean "scenario.event.start"?`,
		"scenario.event.skip": "", "scenario.event": "",
	} {
		write("stops.scxml", failsAt(event))
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

// driver stands for an FMU that sends TrafficUpdates.
type driver struct{ cosim.Participant }

func (driver) Variables() []cosim.Variable {
	return []cosim.Variable{{Name: "OSMPTrafficUpdateOut", Kind: cosim.Binary, Role: cosim.Output,
		Size: 1, MIMEType: osmp.MIMEType("TrafficUpdate")}}
}
func (driver) Traits() cosim.Traits { return cosim.Traits{} }
func (driver) Close() error         { return nil }
func (d driver) Bind(in, out []int) (*cosim.Frame, *cosim.Frame, error) {
	return cosim.NewFrame(d.Variables(), in), cosim.NewFrame(d.Variables(), out), nil
}

// TestExamine_DriversInScenarios: a driver of an entity may fall silent, no matter how its
// TrafficUpdates get to the entity.
func TestExamine_DriversInScenarios(t *testing.T) {
	const fmu, never = `<g:fmu name="d" src="d.fmu"/>`, `the event "silent" never occurs: no FMU ` +
		"drives a vehicle"
	for wiring, want := range map[string][]string{
		strings.Replace(fmu, "/>", ` drives="Ego"/>`, 1):                                   nil,
		fmu + `<g:connection from="d.OSMPTrafficUpdateOut" to="Ego.update"/>`:              nil,
		fmu + `<g:connection from="d.OSMPTrafficUpdateOut" to="Ego.OSMPTrafficUpdateIn"/>`: nil,
		fmu: {never}, "": {never},
	} {
		dir, write := staged(t, wiring)
		write("d.fmu", "")
		write("stops.scxml", failsAt("silent"))
		document, err := os.ReadFile(filepath.Join(dir, "judged.exc"))
		require.NoError(t, err)
		var found []string
		for _, f := range trial.Examine("judged.exc", document, trial.Options{Files: os.DirFS(dir),
			Scenario: (&run.FMUs{Dir: dir}).Scenario,
			FMU: func(p experiment.Participant) (trial.Maker, error) {
				return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant, error) {
					return driver{}, nil
				}}, nil
			}}) {
			found = append(found, f.Message)
		}
		require.Equal(t, want, found, wiring)
	}
}
