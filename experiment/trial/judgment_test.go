package trial_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
)

// making returns makers of participants that make returns.
func making(participant cosim.Participant, err error) func(experiment.Participant) (trial.Maker,
	error) {
	return func(p experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant, error) {
			return participant, err
		}}, nil
	}
}

// TestVerdict_JudgesAfterAMachineThatDoesNotRun: machines keep their own outcomes if an earlier
// machine is not executed.
func TestVerdict_JudgesAfterAMachineThatDoesNotRun(t *testing.T) {
	m := files(t, true, `event="data.ego.speed" cond="_event.data.value &gt; 5"`, `event="step"`)
	m["demo.exc"].Data = []byte(strings.Replace(string(m["demo.exc"].Data),
		`id="traffic" xsi:type="SCXMLStateMachine" src="traffic.scxml"`,
		`id="traffic" xsi:type="SMACHStateMachine" src="traffic.exd"`, 1))
	v, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, trial.Undecided, v.Outcome)
	require.True(t, v.Judgments[0].NotRun)
	stops := v.Judgments[1]
	require.False(t, stops.NotRun)
	require.Equal(t, []any{"stops", "success", "stops.scxml"}, []any{stops.Machine, stops.Outcome,
		stops.File}, "the ego vehicle never moves")
}

// broken is a participant that fails to enter initialization.
type broken struct{ *brake }

func (broken) Enter(context.Context, cosim.Setup) error { return errors.New("no licence") }

// TestVerdict_OfATrialThatDidNotBegin: all machines are listed as not run.
func TestVerdict_OfATrialThatDidNotBegin(t *testing.T) {
	v, err := open(t, files(t, true), trial.Options{FMU: making(broken{newBrake()}, nil)}).Run(
		t.Context())
	require.ErrorContains(t, err, "no licence")
	require.Equal(t, trial.Faulty, v.Outcome)
	require.Contains(t, v.Cause, "no licence")
	require.Len(t, v.Judgments, 2)
	for _, j := range v.Judgments {
		require.Equal(t, trial.Undecided, j.Outcome)
		require.NotEmpty(t, j.Cause)
		require.Zero(t, j.Time)
	}
}

// TestVerdict_OfATrialThatCannotBeBuilt: the same if there are no machines.
func TestVerdict_OfATrialThatCannotBeBuilt(t *testing.T) {
	v, err := open(t, files(t, true), trial.Options{FMU: making(nil, errors.New("no memory"))}).Run(
		t.Context())
	require.ErrorContains(t, err, "no memory")
	require.Equal(t, trial.Faulty, v.Outcome)
	require.Len(t, v.Judgments, 2)
	for _, j := range v.Judgments {
		require.True(t, j.NotRun, j.Machine)
		require.Equal(t, "did not run: the simulation did not begin", j.Cause)
	}
}

// TestVerdict_EachMachineHasItsOwnEnd: time and cause of a judge come from its own transitions, and
// a judge that ends early keeps its time.
func TestVerdict_EachMachineHasItsOwnEnd(t *testing.T) {
	m := files(t, true)
	const second = `<stateMachine id="early" xsi:type="SCXMLStateMachine" src="early.scxml"/>`
	m["demo.exc"].Data = []byte(strings.Replace(string(m["demo.exc"].Data),
		"</experimentEvaluation>", second+"</experimentEvaluation>", 1))
	early := *m["stops.scxml"]
	early.Data = []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="a">
<state id="a"><onentry><send event="soon" delay="1s"/></onentry>
<transition event="soon" target="success"/></state><final id="success"/></scxml>`)
	m["early.scxml"] = &early
	v, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, trial.Passed, v.Outcome, v.Cause)
	require.Len(t, v.Judgments, 3)
	stops, first := v.Judgments[1], v.Judgments[2]
	require.EqualValues(t, 1, first.Time)
	require.Equal(t, 3, first.Line)
	require.Contains(t, first.Cause, "from a to success in early.scxml:3 at 1 s by soon")
	require.Greater(t, stops.Time, 5.0)
	require.Contains(t, stops.Cause, "from moving to success in stops.scxml:9")
	require.Empty(t, first.Data, "it has no donedata")
	require.NotEmpty(t, stops.Data)
}

// judged runs the experiment of testdata with another judge that has the given body, and optionally
// with a control machine.
func judged(t *testing.T, judge, driver string) *trial.Verdict {
	t.Helper()
	chart := func(body string) []byte {
		return []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="a">` +
			body + `</scxml>`)
	}
	m := files(t, true, `time="simulation">30`, `time="simulation">0.1`)
	m["stops.scxml"].Data = chart(judge)
	if driver != "" {
		m["traffic.scxml"].Data = chart(driver)
	}
	v, err := open(t, m, trial.Options{}).Run(t.Context())
	require.NoError(t, err)
	return v
}

const succeeds = `<state id="a"><onentry><send event="soon" delay="30ms"/></onentry>` +
	`<transition event="soon" target="success"/></state><final id="success"/>`

// TestVerdict_WithoutAStep: a judge that is satisfied before the first step has seen nothing move,
// so the run does not pass. A failure counts, and an experiment without judges is finished.
func TestVerdict_WithoutAStep(t *testing.T) {
	const why = "the experiment ended without a step (decision), so nothing moved"
	for _, judge := range []string{`<transition target="%"/>`,
		`<transition event="sim.started" target="%"/>`, `<transition event="step" target="%"/>`} {
		chart := `<state id="a">` + judge + `</state><final id="success"/><final id="failure"/>`
		v := judged(t, strings.Replace(chart, "%", "success", 1), "")
		require.Equal(t, []any{trial.Undecided, int64(0), why}, []any{v.Outcome, v.Steps, v.Cause})
		require.Contains(t, written(t, v), why)
		v = judged(t, strings.Replace(chart, "%", "failure", 1), "")
		require.Equal(t, trial.Failure, v.Outcome, judge)
		require.NotContains(t, v.Cause, why)
	}
}

// TestVerdict_OddEnds: only a judge in its final state success passes the run, and the cause names
// the state in which any other judge ended or remains.
func TestVerdict_OddEnds(t *testing.T) {
	const odd = `ended in "odd", which is neither success nor failure (from a to odd in ` +
		"stops.scxml:1 at "
	for body, want := range map[string]string{
		`<state id="a"><transition event="step" target="odd"/></state><final id="odd"/>`: odd,
		`<state id="a"/>`: "still in a, which it does not leave",
		`<state id="a"><transition target="b"/></state><state id="b"/>`: "still in b (from a to b " +
			"in stops.scxml:1 at 0 s), which it does not leave",
		`<state id="a"><transition event="x y" cond="1 == 2" target="a"/><transition cond="false" ` +
			`target="a"/></state>`: "still in a, waiting for x or y if 1 == 2 (stops.scxml:1), if false " +
			"(stops.scxml:1)",
		`<parallel id="a"><state id="b"><transition event="x"/></state><state id="c">` +
			`<transition event="x"/></state></parallel>`: "still in b and c, waiting for x " +
			"(stops.scxml:1)",
		`<state id="a"><transition event="e1"/><transition event="e2"/><transition event="e3"/>` +
			`<transition event="e4"/><transition event="e5"/></state>`: "e4 (stops.scxml:1), e5 (stops.scxml:1)",
		`<state id="a"><transition event="e1"/><transition event="e2"/><transition event="e3"/>` +
			`<transition event="e4"/><transition event="e5"/><transition event="e6"/></state>`: "e4 " +
			"(stops.scxml:1), e5 (stops.scxml:1), 1 more",
	} {
		v := judged(t, body, "")
		require.NotEqual(t, trial.Passed, v.Outcome)
		require.NotZero(t, v.ExitCode())
		j := v.Judgments[1]
		require.Contains(t, j.Cause, want)
		require.Contains(t, v.Cause, j.Cause)
		if strings.Contains(want, "e5 (stops.scxml:1)") {
			require.Equal(t, strings.HasSuffix(want, "more"), strings.HasSuffix(j.Cause, "more"))
		}
	}
}

// TestVerdict_EndsOfControlMachines: a control machine may end in any final state, but not with an
// error, because its work is then incomplete.
func TestVerdict_EndsOfControlMachines(t *testing.T) {
	const final = `<final id="success"/><final id="failure"/><final id="odd"/>`
	wrong := `<state id="a"><onentry><assign location="nothing" expr="1"/></onentry>` +
		`<transition event="error" target="%"/></state>` + final
	for driver, want := range map[string]string{
		`<state id="a"><transition event="step" target="odd"/></state>` + final:     trial.Passed,
		`<state id="a"><transition event="step" target="failure"/></state>` + final: trial.Passed,
		`<state id="a"><transition target="odd"/></state>` + final:                  trial.Passed,
		strings.Replace(wrong, "%", "success", 1):                                   trial.Passed,
		strings.Replace(wrong, "%", "failure", 1):                                   trial.Undecided,
		strings.Replace(wrong, "%", "odd", 1):                                       trial.Undecided,
	} {
		v := judged(t, succeeds, driver)
		require.Equal(t, want, v.Outcome, "%s: %s", driver, v.Cause)
		require.NotContains(t, v.Judgments[0].Cause, "neither success nor failure")
		if want != trial.Passed {
			require.Contains(t, v.Cause, "by error.execution")
		}
	}
}

// TestVerdict_WriteJSON: the verdict is indented and its texts are unchanged.
func TestVerdict_WriteJSON(t *testing.T) {
	var b bytes.Buffer
	v := &trial.Verdict{FormatVersion: 1, Cause: "a < b & c"}
	require.NoError(t, v.WriteJSON(&b))
	require.True(t, strings.HasPrefix(b.String(), "{\n  \"formatVersion\": 1,\n"), b.String())
	require.Contains(t, b.String(), "a < b & c")
	require.ErrorIs(t, v.WriteJSON(full{}), errFull)
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestVerdict_BrokenMachine: a run with a machine that breaks down has not passed, whatever its
// role, and the cause is the error.
func TestVerdict_BrokenMachine(t *testing.T) {
	const endless = `<state id="a"><transition event="step" target="b"/></state>` +
		`<state id="b"><transition target="c"/></state>` +
		`<state id="c"><transition target="b"/></state>`
	for name, v := range map[string]*trial.Verdict{"judge": judged(t, endless, ""),
		"driver": judged(t, succeeds, endless)} {
		require.NotEqual(t, trial.Passed, v.Outcome, name)
		require.NotZero(t, v.ExitCode(), name)
		require.Contains(t, v.Cause, "does not settle", name)
		require.Contains(t, strings.Join(v.Notes(), "\n"), "does not settle", name)
	}
}

// TestVerdict_InputsOfCharts: the files that charts name, and the charts that these invoke, are
// inputs with their hashes, so that a saved state belongs to them as well.
func TestVerdict_InputsOfCharts(t *testing.T) {
	m := files(t, false)
	chart := func(body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" ` +
			`version="1.0">` + body + `</scxml>`)}
	}
	m["stops.scxml"] = chart(`<datamodel><data id="x" src="x.json"/></datamodel><state id="a">` +
		`<invoke src="in/a.scxml"/><transition event="step"><script src="s.js"/></transition></state>`)
	m["in/a.scxml"] = chart(`<state id="b"><datamodel><data id="y" src="y.json"/></datamodel>` +
		`<invoke src="in/a.scxml"/><invoke src="none.scxml"/></state>`)
	m["x.json"], m["y.json"], m["s.js"] = &fstest.MapFile{Data: []byte("1")},
		&fstest.MapFile{Data: []byte("2")}, &fstest.MapFile{Data: []byte("var a")}
	var names []string
	for _, f := range open(t, m, trial.Options{}).Verdict().Inputs {
		names = append(names, f.File)
		sum := sha256.Sum256(m[f.File].Data)
		require.Equal(t, hex.EncodeToString(sum[:]), f.SHA256, f.File)
	}
	require.Equal(t, []string{"demo.exc", "demo.bibi", "road.xodr", "traffic.scxml", "stops.scxml",
		"x.json", "s.js", "in/a.scxml", "y.json"}, names)
}

// TestVerdict_BrokenGuardOfAFailure: an error that a judge does not handle may be why it failed, so
// the cause of the verdict names it, with its place.
func TestVerdict_BrokenGuardOfAFailure(t *testing.T) {
	v := judged(t, `<state id="a"><transition event="step" cond="limt &gt; 1" target="success"/>
<transition event="step" target="failure"/></state><final id="success"/><final id="failure"/>`, "")
	require.Equal(t, trial.Failure, v.Outcome)
	require.Equal(t, "stops: from a to failure in stops.scxml:2 at 0 s by step; stops: "+
		"error.execution in stops.scxml:1 at 0 s, for which it has no transition: "+
		"ReferenceError: limt is not defined", v.Cause)
}

// TestVerdict_NotANumber: a machine that acts with NaN has made a mistake, and does not act with 0.
func TestVerdict_NotANumber(t *testing.T) {
	for data, member := range map[string]string{
		`({name: 'ego', speed: 0/0})`:                                         "speed",
		`({name: 'ego', speed: 10, accel: 1/0})`:                              "accel",
		`({name: 'ego', points: [{time: 0, x: 1, y: 0}, {time: 1, y: NaN}]})`: "points[1].y",
	} {
		v := judged(t, succeeds, `<state id="a"><onentry><send type="experiment" event="drive">`+
			`<content expr="`+data+`"/></send></onentry></state>`)
		require.Equal(t, trial.Undecided, v.Outcome)
		require.Contains(t, v.Cause, "found "+member+", which is NaN, infinite or null, expected "+
			"a number, or no "+member)
		require.Contains(t, v.Cause, "traffic.scxml:1")
	}
	v := judged(t, succeeds, `<state id="a"><onentry><send type="experiment" event="log">`+
		`<content expr="({text: null})"/></send></onentry></state>`)
	require.Equal(t, trial.Passed, v.Outcome, v.Cause)
}

// TestVerdict_ErrorInTheLastStep: an error that a machine raises in the last step, and nobody
// handles, leaves the run undecided.
func TestVerdict_ErrorInTheLastStep(t *testing.T) {
	v := judged(t, `<state id="a"><onentry><send event="over" delay="90ms"/></onentry>
<transition event="over" target="success"/></state><final id="success"/>`,
		`<state id="a"><onentry><send event="late" delay="90ms"/></onentry><transition event="late">
<send type="experiment" event="drive"><content expr="({name: 'ego', speed: -_x})"/></send>
</transition></state>`)
	require.Equal(t, trial.Undecided, v.Outcome)
	require.Contains(t, v.Cause, "error.")
	require.Len(t, v.Errors, 1)
}

// TestVerdict_DataOfXML: donedata may be a document, which is no data of the verdict.
func TestVerdict_DataOfXML(t *testing.T) {
	v := judged(t, strings.TrimSuffix(succeeds, "/>")+`>
<donedata><content><x xmlns="">1</x></content></donedata></final>`, `<state id="a"/>`)
	require.Equal(t, trial.Passed, v.Outcome, v.Cause)
	require.Empty(t, v.Judgments[1].Data)
	var b bytes.Buffer
	require.NoError(t, v.WriteJSON(&b))
	require.True(t, json.Valid(b.Bytes()))
}

// TestVerdict_WaitsFor: only transitions that wait for something are listed, each once.
func TestVerdict_WaitsFor(t *testing.T) {
	v := judged(t, `<state id="a"><transition event="x" target="success"/><transition cond="false" target="success"/>`+
		`<transition event="x" target="success"/></state><final id="success"/>`,
		`<state id="a"/>`)
	require.Contains(t, v.Cause, "still in a, waiting for x (stops.scxml:1), if false (stops.scxml:1)")
	require.NotContains(t, v.Cause, ", x (stops.scxml:1)")
}
