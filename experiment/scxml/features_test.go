package scxml_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/timebase"
)

// feature is a chart whose state must be saved completely, with the events before and after saving,
// and the log that it must then write.
type feature struct {
	chart  string
	before []string // events, one every 10 ms, before the state is saved at 50 ms
	after  []string // the same, starting at 60 ms
	want   string   // expected in the log after that
}

// features lists a chart for each part of a state.
var features = map[string]feature{
	"delayed sends": {chart: `<state id="s"><onentry><send event="b" delay="80ms"/><send event="a" delay="70ms"><param name="x" expr="[1]"/></send></onentry>
	  <transition event="*"><log expr="_event.name + JSON.stringify(_event.data) + _x.time"/></transition></state>`, want: `log: a{"x":[1]}0.07`},
	"a send to cancel": {chart: `<state id="s"><onentry><send id="t" event="never" ` +
		`delay="200ms"/></onentry><transition event="stop"><cancel sendid="t"/></transition>` +
		`</state>`,
		after: []string{"stop"}, want: "cancel: t"},
	"idlocation goes on counting": {chart: `<datamodel><data id="v"/></datamodel><state id="s">` +
		`<transition event="go"><send idlocation="v" event="x" delay="1ms"/><log expr="v"/>` +
		`</transition></state>`,
		before: []string{"go"}, after: []string{"go"}, want: "log: m.send2"},
	"waiting events": {chart: `<state id="s"><transition event="hold"><send event="first"/>` +
		`<send event="second"/></transition><transition event="*"><log expr="_event.name"/>` +
		`</transition></state>`,
		before: []string{"", "", "", "", "hold"}, want: "log: second"},
	"a shallow history": {chart: `<state id="p"><history id="h"><transition target="a"/></history><state id="a"><transition event="on" target="b"/></state>
	  <state id="b"><state id="b1"><transition event="on" target="b2"/></state><state id="b2"/></state><transition event="off" target="q"/></state>
	  <state id="q"><transition event="back" target="h"/></state>`, before: []string{"on", "on",
		"off"}, after: []string{"back"}, want: "enter b1"},
	"a deep history": {chart: `<state id="p"><history id="h" type="deep"><transition target="a"/></history><state id="a"><transition event="on" target="b"/></state>
	  <state id="b"><state id="b1"><transition event="on" target="b2"/></state><state id="b2"/></state><transition event="off" target="q"/></state>
	  <state id="q"><transition event="back" target="h"/></state>`, before: []string{"on", "on",
		"off"}, after: []string{"back"}, want: "enter b2"},
	"an invoke inside": {chart: `<state id="s"><invoke id="i" autoforward="true"><param name="n" expr="7"/><content><scxml version="1.0"><datamodel><data id="n"/></datamodel>
	  <state id="c"><transition event="ask"><send event="answer" target="#_parent"><param name="n" expr="n"/></send></transition></state></scxml></content>
	  <finalize><log expr="'finalize ' + _event.data.n"/></finalize></invoke><transition event="answer"><log expr="'answer ' + _event.invokeid"/></transition></state>`,
		after: []string{"ask", ""}, want: "log: finalize 7"},
	"an invoke of a file": {
		chart:  `<state id="s"><invoke id="i" src="crossing.scxml" autoforward="true"/></state>`,
		before: []string{"", "button"}, after: []string{"fault"}, want: "m.i enter off"},
	"an invoke of a text": {chart: `<datamodel><data id="v"><scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><final id="f"/></scxml></data><data id="text" expr="'&lt;scxml xmlns=\'http://www.w3.org/2005/07/scxml\' version=\'1.0\'>&lt;state id=\'deep\'>&lt;onentry>&lt;send event=\'late\' delay=\'90ms\'/>&lt;/onentry>&lt;transition event=\'late\' target=\'f\'/>&lt;/state>&lt;final id=\'f\'/>&lt;/scxml>'"/></datamodel>
	  <state id="s"><invoke id="i"><content expr="text"/></invoke><transition event="done.invoke.i" target="t"/></state><state id="t"/>`, want: "enter t"},
	"invokes inside invokes": {chart: `<state id="s"><invoke id="i" autoforward="true"><content><scxml version="1.0"><state id="c"><invoke id="k" autoforward="true"><content><scxml version="1.0">
	  <state id="d"><transition event="go" target="f"/></state><final id="f"/></scxml></content></invoke><transition event="done.invoke.k" target="g"/></state><final id="g"/></scxml></content></invoke>
	  <transition event="done.invoke.i" target="t"/></state><state id="t"/>`, after: []string{"go",
		""}, want: "enter t"},
	"data": {chart: `<datamodel><data id="list" expr="[1, {a: 'é', b: [true, null, -0.5]}]"/><data id="x"><a b="c">text</a></data><data id="none"/><data id="text" expr="'&lt;'"/></datamodel>
	  <state id="s"><transition event="go"><assign location="list[1].b[2]" expr="list[0] / 4"/></transition>
	  <transition event="show"><log expr="JSON.stringify(list) + x.getAttribute('b') + typeof none + text + x.textContent"/></transition></state>`,
		before: []string{"go"}, after: []string{"show"},
		want: `log: [1,{"a":"é","b":[true,null,0.25]}]cundefined<text`},
	"functions of global scripts": {chart: `<script>function twice(x) { return 2 * x } var n = ` +
		`1;</script><state id="s"><transition event="go"><assign location="n" expr="twice(n)"/>` +
		`<log expr="n"/></transition></state>`,
		before: []string{"go", "go"}, after: []string{"go"}, want: "log: 8"},
	"randomness": {
		chart: `<state id="s"><transition event="go"><log expr="Math.random()"/></transition>` +
			`</state>`, before: []string{"go"}, after: []string{"go", "go"}, want: "log: 0."},
	"late binding": {chart: `<state id="s"><transition event="go" target="t"/></state><state id="t"><datamodel><data id="v" expr="5"/></datamodel>
	  <onentry><assign location="v" expr="v + 1"/><log expr="v"/></onentry><transition event="go" target="s"/></state>`, before: []string{"go", "go"}, after: []string{"go"}, want: "log: 7"},
	"the present event": {chart: `<state id="s"><transition event="go"/>` +
		`<transition event="done" target="t"/></state><state id="t"/>`, before: []string{"go"},
		after: []string{"done"}, want: "enter t"},
	"regions": {chart: `<parallel id="p"><state id="a"><state id="a1"><transition event="go" target="a2"/></state><final id="a2"/></state>
	  <state id="b"><state id="b1"><transition event="on" target="b2"/></state><final id="b2"/></state><transition event="done.state.p" target="t"/></parallel><state id="t"/>`,
		before: []string{"go"}, after: []string{"on"}, want: "enter t"},
	"an outcome": {chart: `<state id="s"><transition event="go" target="f"/></state>` +
		`<final id="f"><donedata><content expr="[1]"/></donedata></final>`, before: []string{"go"},
		want: ""},
	"a processor": {chart: `<state id="s"><onentry><send type="print" target="x" event="late" ` +
		`delay="75ms"/></onentry></state>`, want: "send late: to x"},
	"a channel": {chart: `<registerEvent xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:ros="http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/SCXMLExt/ROS" xsi:type="ros:MessageOnROSTopic" event="got" topic="/t" data_class="c"/>
	  <state id="s"><transition event="got"><log expr="'got ' + _event.data"/></transition></state>`, before: []string{"/t"}, after: []string{"/t"}, want: "log: got 5"},
	"the null data model": {chart: `NULL<state id="s"><onentry><send event="go" delay="75ms"/>` +
		`</onentry><transition event="go" cond="In('s')" target="t"/></state><state id="t"/>`,
		want: "enter t"},
}

// machine creates the rig of a feature, with a machine that is not started yet.
func (f feature) machine(t *testing.T) (*rig, *scxml.Machine, *channels) {
	t.Helper()
	c := &channels{}
	r := newRig(scxml.Options{Seed: 3, Channels: c,
		Processors: map[string]scxml.Processor{"print": func(scxml.Message) error { return nil }}})
	head := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" ` +
		`binding="late">`
	text, null := strings.CutPrefix(f.chart, "NULL")
	if null {
		head = strings.Replace(head, "ecmascript", "null", 1)
	}
	parsed, err := scxml.Parse("feature.scxml", []byte(head+text+"</scxml>"),
		ecmascript.Config("testdata"))
	require.NoError(t, err, text)
	m, err := r.Add("m", parsed)
	require.NoError(t, err)
	return r, m, c
}

// play sends the events, one every 10 ms, and runs to the end.
func (f feature) play(t *testing.T, r *rig, c *channels, events []string, end timebase.Time) {
	t.Helper()
	m := r.Machine("m")
	for _, e := range events {
		require.NoError(t, r.Advance(r.Now()+10*ms))
		switch {
		case e == "":
		case e[0] == '/':
			v, _ := scxml.JSON("5")
			require.NoError(t, c.readers["/t c"](v))
			require.NoError(t, r.Settle())
		case m.Running():
			require.NoError(t, m.Handle(scxml.Event{Name: e}))
		}
	}
	if r.Now() < end { // at the end, sent events are still pending
		require.NoError(t, r.Advance(end))
	}
}

// rest returns the results of a feature after restoring it: the log, and the values that can be
// queried.
func (f feature) rest(t *testing.T, r *rig, c *channels) string {
	t.Helper()
	r.log = nil
	f.play(t, r, c, f.after, 500*ms)
	m := r.Machine("m")
	final, data := m.Outcome()
	return strings.Join(r.log, "\n") + "\n" + strings.Join(m.Configuration(), " ") + " " + final +
		data.Text()
}

const (
	savedStates = "SCXML_FEATURES" // the file with the states, for the second process
	restOfRuns  = ".rest"          // where that process writes the remainder of the runs
)

// TestState_EveryFeatureInAnotherProcess saves a machine for each part of a state and runs this
// test binary again, which restores them all. Each must continue as it does in this process.
func TestState_EveryFeatureInAnotherProcess(t *testing.T) {
	if file := os.Getenv(savedStates); file != "" {
		restoreFeatures(t, file)
		return
	}
	states, want := map[string][]byte{}, map[string]string{}
	for name, f := range features {
		r, m, c := f.machine(t)
		require.NoError(t, m.Start())
		f.play(t, r, c, f.before, 50*ms)
		saved, err := r.AppendState(nil)
		require.NoError(t, err, name)
		states[name] = saved
		want[name] = f.rest(t, r, c)
		require.Contains(t, want[name], f.want, name)
	}
	text, err := json.Marshal(states)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "states")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	command := exec.Command(os.Args[0], "-test.run=^TestState_EveryFeatureInAnotherProcess$")
	command.Env = append(os.Environ(), savedStates+"="+file, "TZ=Asia/Kolkata")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	text, err = os.ReadFile(file + restOfRuns)
	require.NoError(t, err)
	got := map[string]string{}
	require.NoError(t, json.Unmarshal(text, &got))
	for name := range features {
		require.Equal(t, want[name], got[name], name)
	}
}

func restoreFeatures(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	states, got := map[string][]byte{}, map[string]string{}
	require.NoError(t, json.Unmarshal(text, &states))
	for name, f := range features {
		r, _, c := f.machine(t)
		require.NoError(t, r.RestoreState(states[name]), name)
		got[name] = f.rest(t, r, c)
	}
	text, err = json.Marshal(got)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file+restOfRuns, text, 0o600))
}
