package trial_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
)

// brakeMaker creates the controller of these tests, which accepts only the start value gain=NUMBER,
// and refuses files with another name.
func brakeMaker(p experiment.Participant) (trial.Maker, error) {
	if p.Src != "aeb.fmu" {
		return trial.Maker{}, errors.New("it is no FMU")
	}
	return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant, error) {
		for _, s := range p.Start {
			if s.Name != "gain" || s.Value != "1" {
				return nil, errors.New("found " + s.Name + "=" + s.Value + ", expected gain=1")
			}
		}
		b := newBrake()
		b.variables[1].Unit = "km/h"
		b.variables = append(b.variables, cosim.Variable{Name: "list", Kind: cosim.Binary,
			Role: cosim.Output, Size: 1,
			MIMEType: "application/x-open-simulation-interface; type=SensorData; version=3.8.0"},
			cosim.Variable{Name: "view", Kind: cosim.Binary, Role: cosim.Input, Size: 1,
				MIMEType: "application/x-open-simulation-interface; " +
					"type=GroundTruth; version=3.8.0"},
			cosim.Variable{Name: "levels", Kind: cosim.Float64, Role: cosim.Input, Size: 3})
		return b, nil
	}}, nil
}

// TestExamine_NamesWhatDoesNotFit (BI05, EX24): each fault yields one finding with its file and
// line, and correct parts yield none.
func TestExamine_NamesWhatDoesNotFit(t *testing.T) {
	const speed = `<g:connection from="ego.speed" to="aeb.speed"/>`
	const signal = `<send type="experiment" event="`
	unit := "warning: ego.speed = aeb.speed: the unit m/s of ego.speed becomes km/h"
	for name, c := range map[string]struct{ from, to, want string }{
		"nothing": {"", "", ""},
		"unknown output": {speed, `<g:connection from="ego.sped" to="aeb.speed"/>`,
			`demo.bibi:4:42: ego.sped = aeb.speed: error: ego has no variable "sped" [BI05]; did ` +
				`you mean "speed"?`},
		"unknown input": {speed, `<g:connection from="ego.speed" to="aeb.sped"/>`,
			`aeb has no variable "sped" [BI05]; did you mean "speed"?`},
		"causality": {speed, `<g:connection from="ego.speed" to="ego.speed"/>`,
			"ego.speed is not an input"},
		"kind": {speed, `<g:connection from="ego.view" to="aeb.speed"/>`, "found Binary"},
		"size": {speed, `<g:connection from="ego.speed" to="aeb.levels"/>`,
			"found 1 elements, expected 3"},
		"kind of message": {speed, `<g:connection from="ego.view" to="aeb.view"/>`,
			"type=SensorView"},
		"start value": {`src="aeb.fmu"/>`, `src="aeb.fmu"><g:start name="gain" value="2"/></g:fmu>`,
			"the start value gain=2: found gain=2, expected gain=1"},
		"start name": {`src="aeb.fmu"/>`, `src="aeb.fmu"><g:start name="spee" value="1"/></g:fmu>`,
			`did you mean "speed"?`},
		"no FMU": {`src="aeb.fmu"`, `src="demo.png"`,
			`demo.bibi:6:1: aeb: error: the FMU "demo.png" cannot be used: it is no FMU [BI05]`},
		"event": {signal + `controls`, signal + `kontrols`, `traffic.scxml:7:7: error: the event ` +
			`"kontrols" is unknown to the experiment [EX24]; did you mean "controls"?`},
		"data event": {`event="error"`, `event="data.ego.sped"`, `the event "data.ego.sped" ` +
			`never occurs: ego has no variable "sped" [EX24]; did you mean "speed"?`},
		"data of nobody": {`event="error"`, `event="data.eggo.speed"`,
			`"eggo.speed" is not a variable of the experiment`},
		"family of data": {`event="error"`, `event="data.ego"`, ""},
		"variable of signal": {`event="error"`, `event="error"><send type="experiment" ` +
			`event="watch.signal"><content expr="({name: 'x', variable: 'ego.sped', above: 1})"/>` +
			`</send></transition><transition event="error.x"`,
			`watch.signal: ego has no variable "sped"`},
		"variable of set": {`event="error"`, `event="error"><send type="experiment" event="set">` +
			`<param name="variable" expr="'aeb.sped'"/><param name="value" expr="_x"/></send>` +
			`</transition><transition event="error.x"`, `set: aeb has no variable "sped"`},
		"field": {`event="error"`, `event="error"><send type="experiment" event="drive">` +
			`<content expr="({name: 'ego', sped: 3})"/></send></transition>` +
			`<transition event="error.x"`,
			`the data of drive cannot be used: json: unknown field "sped"`},
		"vehicle": {`event="error"`, `event="error"><send type="experiment" event="drive">` +
			`<content expr="({name: 'eggo', speed: 3})"/></send></transition>` +
			`<transition event="error.x"`, `drive: no vehicle has the name "eggo", and no ` +
			`machine creates it [EX24]; did you mean "ego"?`},
		"kind of vehicle": {`event="error"`, `event="error"><send type="experiment" ` +
			`event="create"><content expr="({name: 'walker', kind: 'pedestrain', x: 0, y: 0})"/>` +
			`</send></transition><transition event="error.x"`, `create: `},
		"created vehicle": {`event="error"`, `event="error"><send type="experiment" ` +
			`event="create"><content expr="({name: 'walker', x: 0, y: 0})"/></send>` +
			`<send type="experiment" event="drive"><content expr="({name: 'walker', speed: 3})"/>` +
			`</send></transition><transition event="error.x"`, ""},
		"computed name": {`event="error"`, `event="error"><send type="experiment" event="drive">` +
			`<content expr="({name: _event.data.actor, speed: 3})"/></send></transition>` +
			`<transition event="error.x"`, ""},
		"field of an event": {`event="error"`,
			`event="collision.end" cond="_event.data.actr == 'ego'"`,
			`traffic.scxml:17:45: error: the data of collision.end have no field "actr", which ` +
				`is therefore undefined [EX24]; did you mean "actor"?`},
		"field of events": {`event="error"`, `event="zone" cond="_event.data.name == 'a'"`,
			`the data of zone.entered and zone.left have no field "name"`},
		"field in content": {`event="error"`, `event="arrived"><log expr="_event.data.actors"/>` +
			`</transition><transition event="error.x"`,
			`the data of arrived have no field "actors"`},
		"field of a step": {`event="error"`, `event="step" cond="_event.data.tine &gt; 3"`,
			`did you mean "time"?`},
		"field of a value": {`event="error"`,
			`event="data.ego.speed" cond="_event.data.valu &gt; 3"`,
			`the data of data.ego.speed have no field "valu"`},
		"known fields": {`event="error"`, `event="collision data.ego.speed" ` +
			`cond="_event.data.value &gt; 3 || _event.data.side == 'rear' || ` +
			`_event.data.hasOwnProperty('x')"`, ""},
		"own event": {`event="error"`, `event="arrived" cond="_event.data.mine"/>` +
			`<transition event="sim.x"><raise event="arrived"/></transition>` +
			`<transition event="error.x"`, ""},
		"unknown event": {`event="error"`, `event="mine arrived" cond="_event.data.mine"`, ""},
		"actor of an event": {`event="error"`,
			`event="arrived" cond="'eggo' !== _event.data.actor"`, `warning: no vehicle has the ` +
				`name "eggo", and no machine creates it [EX24]; did you mean "ego"?`},
		"actor of a step": {`event="error"`,
			`event="step" cond="_event.data.actors.eggo.speed &gt; 1"`,
			`no vehicle has the name "eggo"`},
		"known actor": {`event="error"`, `event="step" cond="_event.data.actors.ego.speed &gt; 1"`,
			""},
		"side": {`event="error"`, `event="collision" cond="_event.data.side == 'back'"`,
			`no side has the name "back" [EX24]; expected one of front, left, rear, right`},
		"name of a signal": {`event="error"`, `event="x"><send type="experiment" ` +
			`event="watch.signal"><content expr="({name: 'fast', variable: 'ego.speed', above: ` +
			`1})"/></send></transition><transition event="signal.crossed" ` +
			`cond="_event.data.name == 'fasst'"`,
			`no watch.signal has the name "fasst" [EX24]; did you mean "fast"?`},
		"known signal": {`event="error"`, `event="x"><send type="experiment" ` +
			`event="watch.signal"><content expr="({name: 'fast', variable: 'ego.speed', above: ` +
			`1})"/></send></transition><transition event="signal.crossed" cond="_event.data.name ` +
			`== 'fast' &amp;&amp; _event.data.variable == 'ego.speed'"`, ""},
		"computed signal": {`event="error"`, `event="x"><send type="experiment" ` +
			`event="watch.signal"><content expr="({name: _name, variable: 'ego.speed', above: ` +
			`1})"/></send></transition><transition event="signal.crossed" cond="_event.data.name == 'fast'"`, ""},
		"name of a zone":     {`event="error"`, `event="zone" cond="_event.data.zone == 'goal'"`, `no watch.zone has the name "goal"`},
		"variable, crossed":  {`event="error"`, `event="signal.crossed" cond="_event.data.variable == 'ego.sped'"`, `ego has no variable "sped"`},
		"no event":           {signal + `controls"`, `<send type="experiment"`, `the message to the experiment has no event, and does nothing [EX24]; write event=…`},
		"no data":            {`event="error"`, `event="x"><send type="experiment" event="drive"/></transition><transition event="error.x"`, `the data of drive have no name`},
		"no place":           {`event="error"`, `event="x"><send type="experiment" event="move"><content expr="({name: 'ego', x: 3})"/></send></transition><transition event="error.x"`, `the data of move have no y and no road`},
		"no object":          {`event="error"`, `event="x"><send type="experiment" event="move"><content/></send></transition><transition event="error.x"`, `the data of move are not an object`},
		"an object":          {`event="error"`, `event="x"><send type="experiment" event="move"><content>{"name": "ego", "road": "1", "lane": -1, "s": 3}</content></send></transition><transition event="error.x"`, ""},
		"text":               {`event="error"`, `event="error" cond="_event.data.values['ego.sped'] &gt; 1"`, `warning: the text "ego.sped" looks like a variable, but ego has no variable "sped" [EX24]`},
		"text of a variable": {`event="error"`, `event="error" cond="_event.data.values['ego.speed'] &gt; 1"`, ""},
		"other text":         {`event="error"`, `event="error" cond="_event.data == 'lead.the way'"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := files(t, true, c.from, c.to)
			for _, n := range []string{"demo.bibi"} { // the wires follow the replacements
				m[n].Data = []byte(strings.Replace(string(m[n].Data), c.from, c.to, 1))
			}
			_, before := experiment.Check("demo.exc", m["demo.exc"].Data, m, experiment.CheckOptions{})
			for _, f := range before {
				require.NotEqual(t, "error", f.Severity.String(), "%s", f)
			}
			var lines []string
			for _, f := range trial.Examine("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
				FMU: brakeMaker}) {
				if line := f.String(); !strings.Contains(line, unit) {
					lines = append(lines, line)
				}
			}
			if c.want == "" {
				require.Empty(t, lines)
				return
			}
			require.NotEmpty(t, lines)
			require.Contains(t, strings.Join(lines, "\n"), c.want)
		})
	}
}

// TestExamine_Actions (EX24): check refuses the values of an action that a run would refuse, also
// where other fields depend on the machine.
func TestExamine_Actions(t *testing.T) {
	const from = `event="error"`
	for action, want := range map[string]string{
		`controls ({name: 'ego', brake: NaN})`:                                            "controls: brake is NaN, infinite or null",
		`controls ({name: 'ego', brake: n / 0})`:                                          "",
		`controls ({name: n, brake: 1 / 0})`:                                              "controls: brake is NaN, infinite or null",
		`controls ({name: n, brake: 1.5})`:                                                "controls.brake: invalid value: found 1.5, expected 0 to 1",
		`controls ({name: 'ego', throttle: -0.1})`:                                        "controls.throttle: invalid value: found -0.1",
		`controls ({name: 'ego', throttle: 1, brake: n})`:                                 "",
		`controls ({name: 'eggo', brake: n})`:                                             `no vehicle has the name "eggo"`,
		`controls ({name: 'ego', brke: n})`:                                               `unknown field "brke"`,
		`controls ({brake: n})`:                                                           "the data of controls have no name",
		`controls ({name: 'ego', brake: 'hard'})`:                                         "cannot unmarshal string",
		`drive ({name: 'ego', speed: -1})`:                                                "drive.speed: invalid value: found -1, expected 0 to 200",
		`drive ({name: n, speed: 1, decel: 900})`:                                         "drive.decel: invalid value: found 900",
		`watch.zone ({name: 'z', x: n, y: 0, radius: 0})`:                                 "watch.zone: ",
		`watch.zone ({name: 'z', x: 1, y: 0, radius: n})`:                                 "",
		`watch.zone ({name: 'z', x: 1, y: 0})`:                                            "the data of watch.zone have no radius",
		`extend ({seconds: -1})`:                                                          "found -1 seconds, expected more than 0",
		`extend ({seconds: n})`:                                                           "",
		`command ({name: 'ego', lanes: 1, duration: -1})`:                                 "a negative duration or distance",
		`command ({name: 'ego', points: [{time: 1, x: 1, y: 0}, {time: 1, x: 2, y: 0}]})`: "increasing times",
		`watch.signal ({name: 'm', variable: 'ego.speed', abve: n})`:                      `unknown field "abve"`,
		`watch.signal ({name: 'm', variable: 'ego.sped', above: n})`:                      `did you mean "speed"?`,
	} {
		event, data, _ := strings.Cut(action, " ")
		m := files(t, true, from, from+`><send type="experiment" event="`+event+
			`"><content expr="`+data+`"/></send></transition><transition event="error.x"`)
		text := ""
		for _, f := range trial.Examine("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
			FMU: brakeMaker}) {
			if f.ID == "EX24" {
				text += f.String() + "\n"
			}
		}
		if want == "" {
			require.Empty(t, text, action)
			continue
		}
		require.Contains(t, text, want, action)
		require.Contains(t, text, "traffic.scxml:17:", action)
	}
}

// TestExamine_Units: a connection between different units is a warning.
func TestExamine_Units(t *testing.T) {
	m := files(t, true)
	list := trial.Examine("demo.exc", m["demo.exc"].Data, trial.Options{Files: m, FMU: brakeMaker})
	require.Len(t, list, 1)
	require.Equal(t, "warning", list[0].Severity.String())
	require.Contains(t, list[0].Message, "the unit m/s of ego.speed becomes km/h")
	require.Contains(t, list[0].Place.String(), "demo.bibi:4:")
}

// TestRun_JudgesChartsAsTheCheck: a chart with an error, in an expression or in the name of something
// that the experiment lacks, is not run, even if it could pass; its other findings are warnings in
// the verdict.
func TestRun_JudgesChartsAsTheCheck(t *testing.T) {
	run := func(change ...string) (*trial.Verdict, error) {
		m := files(t, true, change...)
		x, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
			FMU: brakeMaker, Seed: 1, Examine: true})
		if err != nil {
			return nil, err
		}
		return x.Run(t.Context())
	}
	v, err := run()
	require.NoError(t, err)
	require.Equal(t, trial.Passed, v.Outcome)
	require.NotContains(t, strings.Join(v.Warnings, "\n"), "EX24")
	for change, want := range map[[2]string]string{
		{`event="error"`, `event="data.ego.sped"`}: `the event "data.ego.sped" never occurs: ` +
			`ego has no variable "sped" [EX24]; did you mean "speed"?`,
		{`event="error"`, `event=""`}:                     "the attribute event is empty, which matches no event [SX10]",
		{`event="error"`, `event="error" cond="a = = b"`}: "does not parse",
	} {
		_, err := run(change[0], change[1])
		require.ErrorIs(t, err, trial.ErrInvalid, change[1])
		require.ErrorContains(t, err, "traffic.scxml:17:", change[1])
		require.ErrorContains(t, err, want, change[1])
	}
}

// TestRun_DoesNotPassByNotSeeing: a machine that waits for something that the experiment never has
// keeps the run from passing, with the place in the cause and in the warnings. It could be the
// fault for which a judge waits.
func TestRun_DoesNotPassByNotSeeing(t *testing.T) {
	const end = `event="collision.end" cond="`
	for change, want := range map[string]string{
		`event="colision"`:        `the event "colision" is never raised, sent or provided`,
		`event="scenario.over"`:   `the event "scenario.over" is never raised, sent or provided`,
		`event="done.state.gone"`: `"done.state.gone" never occurs: no state with this name`,
		`event="bridge.fault"`: `the event "bridge.fault" never occurs: there is no bridge; ` +
			`name one with --bridge`,
		`event="bridge.*"`: `the event "bridge" never occurs: there is no bridge`,
		`event="zone"`:     `the event "zone" never occurs: no machine sends watch.zone`,
		end + `_event.data.actor == 'egoo'"`: `no vehicle has the name "egoo", and no machine ` +
			`creates it; did you mean "ego"?`,
		end + `_event.data.side == 'raer'"`: `no side has the name "raer"; did you mean "rear"?`,
		`event="step" cond="_event.data.values['ego.sped'] &gt; 30"`: `the text "ego.sped" looks ` +
			`like a variable, but ego has no variable "sped"`,
		`event="step" cond="_event.data.actors.ego.sped &gt; 30"`: `actors have no field "sped"; ` +
			`did you mean "speed"?`,
		`event="step" cond="_event.data.actors.ego.speed &gt; 3000"`:      "",
		`event="step" cond="_event.data.values[ 'ego.speed' ] &gt; 3000"`: "",
		`event="step" cond="_event.data.actors.ego.kind.length &gt; 30"`:  "",
		`event="step" cond="_event.data.actors.hasOwnProperty('lead') &amp;&amp; ` +
			`_event.data.actors.ego.hasOwnProperty('z')"`: "",
		`event="error" cond="'ego.sped' == _event.data.reason"`: "", // only a text
		`event="error.comunication"`: `the event "error.comunication" is never raised, sent or ` +
			`provided`,
		`event="error.communication"`: "",
		// calls that look for a name
		end + `['lead', 'egoo'].includes(_event.data.actor)"`:                             `no vehicle has the name "egoo"`,
		end + `_event.data.actor.startsWith('eggo')"`:                                     `no vehicle has a name that contains "eggo"`,
		end + `_event.data.actor.startsWith('eg')"`:                                       "",
		`event="step" cond="!_event.data.actors.hasOwnProperty('egoo') &amp;&amp; false"`: "",
		// exceptions hide nothing
		end + `_event.data.actor != 'barrier' &amp;&amp; _event.data.side === 'rear'"`: "",
		end + `!(_event.data.actor == 'barrier') &amp;&amp; _event.data.time &lt; 0"`:  "",
		end + `!['barrier'].includes(_event.data.actor) &amp;&amp; 1 &gt; 2"`:          "",
		// numbers and texts
		`event="data.ego.speed" cond="_event.data.value &gt; 'fast'"`: `_event.data.value is a ` +
			`number, which is compared with the text "fast"; compare it with a number`,
		`event="data.ego.speed" cond="_event.data.value === '300'"`: `compared with the text "300"`,
		`event="data.ego.speed" cond="_event.data.value == '300'"`:  "",
		end + `_event.data.actor === 7"`:                            `no vehicle has the name "7"`,
		// data of the chart itself
		`event="error" cond="['ego.sped', 'a'].includes(_name) || {}['ego.sped']"`: "",
		// what invoked machines do
		`event="zone.entered"`: `the event "zone.entered" never occurs: no machine sends watch.zone`,
		`event="zone.entered"/><transition event="bridge.go"/><transition event="collision.end" ` +
			`cond="_event.data.actor == 'third'"/>` + invoking(`<send type="experiment" `+
			`event="watch.zone"><content expr="({name: 'z', x: 9, y: 9, radius: 1})"/></send>`+
			`<send target="#_parent" event="bridge.go"/><send type="experiment" event="create">`+
			`<content expr="({name: 'third', x: 90, y: 0})"/></send>`) + `<transition event="error"`: "",
		`event="gone"><raise event="gone"/></transition><transition event="error"`: "",
	} {
		m := files(t, true, `event="error"`, change)
		x, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
			FMU: brakeMaker, Seed: 1, Examine: true})
		require.NoError(t, err, change)
		v, err := x.Run(t.Context())
		require.NoError(t, err, change)
		if want == "" {
			require.Equal(t, trial.Passed, v.Outcome, change)
			continue
		}
		require.Equal(t, trial.Undecided, v.Outcome, change)
		require.Contains(t, v.Cause, "traffic.scxml:17:")
		require.Contains(t, v.Cause, want)
		require.Contains(t, strings.Join(v.Warnings, "\n"), want)
	}
}

// invoking returns an invoke of a chart with that content in its first state.
func invoking(content string) string {
	return `<invoke><content><scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="i">` +
		`<onentry>` + content + `</onentry></state></scxml></content></invoke>`
}

// TestExamineBIBI: a BIBI document on its own is also examined. Its bodies are the vehicles.
func TestExamineBIBI(t *testing.T) {
	m := files(t, true)
	examine := func(from, to string) string {
		text := strings.Replace(string(m["demo.bibi"].Data), from, to, 1)
		var lines []string
		for _, f := range trial.ExamineBIBI("demo.bibi", []byte(text), trial.Options{Files: m,
			FMU: brakeMaker}) {
			lines = append(lines, f.String())
		}
		return strings.Join(lines, "\n")
	}
	require.NotContains(t, examine("", ""), "error")
	require.Contains(t, examine(`from="ego.x"`, `from="ego.z"`), `demo.bibi:4:3: ego.z = aeb.x: error: ego has no variable "z" [BI05]`)
	require.Contains(t, examine(`from="ego.x"`, `from="eggo.x"`), `"eggo.x" is not a variable of a participant [BI04]`)
}
