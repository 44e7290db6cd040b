package trial_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
	"gosmp/internal/finding"
)

// withJudge returns the experiment of testdata with data and a transition to failure in its judge.
func withJudge(t *testing.T, data, transition string) fstest.MapFS {
	t.Helper()
	m := files(t, true)
	text := string(m["stops.scxml"].Data)
	const judges = `<transition event="collision" target="failure"/>`
	require.Contains(t, text, judges)
	text = strings.Replace(text, judges, transition, 1)
	text = strings.Replace(text, "</datamodel>", data+"</datamodel>", 1)
	m["stops.scxml"].Data = []byte(text)
	return m
}

// judgedWith runs such an experiment.
func judgedWith(t *testing.T, data, transition string) *trial.Verdict {
	t.Helper()
	m := withJudge(t, data, transition)
	x, err := trial.Open("demo.exc", m["demo.exc"].Data, trial.Options{Files: m, FMU: brakeMaker,
		Seed: 1, Examine: true})
	require.NoError(t, err, "%s %s", data, transition)
	v, err := x.Run(t.Context())
	require.NoError(t, err, "%s %s", data, transition)
	return v
}

// TestRun_JudgeThatSearchesForNothing: a judge misses a collision if it searches for a side that does
// not exist, so its run does not pass. What only excludes something hides nothing, and tests of any
// other form are not judged.
func TestRun_JudgeThatSearchesForNothing(t *testing.T) {
	const named = `no side has the name "frnt"; did you mean "front"?`
	for cond, want := range map[string]string{
		`['front', 'frnt'].indexOf(_event.data.side) >= 0`:                    named,
		`_event.data.time > 1 && (['frnt'].lastIndexOf(_event.data.side)>-1)`: named,
		`1 > 2 || ['frnt'].indexOf(_event.data.side) != -1`:                   named,
		`['frnt'].indexOf(_event.data.side) !== -1`:                           named,
		`[_event.data.side, _event.data.text].includes('frnt')`:               named,

		`['front', 'rear'].indexOf(_event.data.side) >= 0 && 1 > 2`:                        "",
		`['barrier'].indexOf(_event.data.actor) == -1 && 1 > 2`:                            "",
		`(['barrier'].indexOf(_event.data.actor) >= 0) === false && 1 > 2`:                 "",
		`!(['barrier'].indexOf(_event.data.actor) >= 0) && 1 > 2`:                          "",
		`(['barrier'].indexOf(_event.data.actor) >= 0 ? false : true) && 1 > 2`:            "",
		`(/^barrier/.test(_event.data.actor) ? false : true) && 1 > 2`:                     "",
		`_event.data.actor.indexOf('barrier') >= 0`:                                        "",
		`seen.includes(_event.data.side)`:                                                  "",
		`Array.from(many).includes(_event.data.side) && 1 > 2`:                             "",
		`_event.data.side.replace(pattern, 'X') === 'Y'`:                                   "",
		`(_event.data.other === null || _event.data.other == 'ego') && 1 > 2`:              "",
		`(typeof _event.data.actor === 'object' || _event.data.actor == 'ego') && 1 > 2`:   "",
		`_event.data.side === (Date.now() > 1 ? 'front' : 'none') && 1 > 2`:                "",
		`(Array.isArray(_event.data.side) || _event.data.side === 'front') && 1 > 2`:       "",
		`(Math.random() > 2 ? 'frnt' : 'front') == _event.data.side && 1 > 2`:              "",
		`_event.data.side == _event.data.actor || In(_event.data.side)`:                    "",
		`_event.data.actor != 'ego' && ['frnt'].some(function(x) { return x === 'rear' })`: "",
	} {
		escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(cond)
		v := judgedWith(t, `<data id="seen" expr="[]"/><data id="copy" expr="seen"/>`+
			`<data id="many" expr="new Set(['front'])"/><data id="pattern" expr="/^front$/"/>`,
			`<transition event="collision" cond="`+escaped+`" target="failure"/>`+
				`<transition event="lane.changed"><script>copy.push(_event.data.side)</script>`+
				`</transition>`)
		if want == "" {
			require.Equal(t, trial.Passed, v.Outcome, "%s: %s", cond, v.Cause)
			continue
		}
		require.Equal(t, trial.Undecided, v.Outcome, cond)
		require.Contains(t, v.Cause, "stops.scxml:4:", cond)
		require.Contains(t, v.Cause, want, cond)
	}
}

// TestRun_ScriptsThatNameNothing: a case with a name that does not exist is only a warning, because
// it may exclude something. Scripts that compute something from event data are no tests.
func TestRun_ScriptsThatNameNothing(t *testing.T) {
	const named = `no side has the name "frnt"; did you mean "front"?`
	for script, want := range map[string]string{
		`switch (_event.data.side) { case 'front': break; case 'frnt': n = 1 }`:   named,
		`if (!function() { switch (_event.data.side) { case 'frnt': } }()) n = 1`: named,
		`switch (_event.data.side) { case 'frnt': break; default: n++ }`:          named,
		`switch (_event.data.side) { case 'front': n = 1; default: }`:             "",
		`if (/^barrier/.test(_event.data.actor)) { } else { n++ }`:                "",
		`n = ({front: 0, rear: 0, left: 0, right: 0})[_event.data.side]`:          "",
		`n = /^truck/.test(_event.data.actor)`:                                    "",
		`['barrier'].indexOf(_event.data.actor) >= 0 || n++`:                      "",
		`if (_event.data.side === null) n = 0; else n++`:                          "",
	} {
		v := judgedWith(t, `<data id="n" expr="0"/>`, `<transition event="collision">`+
			`<script><![CDATA[`+script+`]]></script></transition>`)
		require.Equal(t, trial.Passed, v.Outcome, "%s: %s", script, v.Cause)
		require.Equal(t, want != "", strings.Contains(strings.Join(v.Warnings, "\n"), named), script)
	}
}

// TestExamine_KeepsAThousandFindings: of a chart with thousands of names that do not exist, a check
// lists the first thousand, and once each.
func TestExamine_KeepsAThousandFindings(t *testing.T) {
	const names = finding.MostAlike + 200
	var transitions strings.Builder
	for k := range names {
		fmt.Fprintf(&transitions, "<transition event='collision' cond=\"['x%d', 'x%[1]d'].includes("+
			"_event.data.actor)\"/>\n", k)
	}
	m := withJudge(t, "", transitions.String())
	found, more := 0, 0
	for _, f := range trial.Examine("demo.exc", m["demo.exc"].Data,
		trial.Options{Files: m, FMU: brakeMaker}) {
		if f.ID == "EX24" {
			found, more = found+1, more+f.More
		}
	}
	require.Equal(t, finding.MostAlike, found)
	require.Equal(t, names-finding.MostAlike, more)
}

// TestRun_JudgeThatComparesTruthAndKinds: what is true or false equals no word, and actors have
// only some kinds.
func TestRun_JudgeThatComparesTruthAndKinds(t *testing.T) {
	const truth = "_event.data.beyond is true or false, which is compared with "
	for transition, want := range map[string]string{
		`event="signal.crossed" cond="_event.data.beyond == 'above'"`:                truth,
		`event="signal.crossed" cond="_event.data.beyond === 1"`:                     truth,
		`event="signal.crossed" cond="_event.data.beyond == 'true'"`:                 truth,
		`event="signal.crossed" cond="_event.data.beyond === true &amp;&amp; 1 > 2"`: "",
		`event="signal.crossed" cond="_event.data.beyond == 1 &amp;&amp; 1 > 2"`:     "",
		`event="signal.crossed" cond="!_event.data.beyond &amp;&amp; 1 > 2"`:         "",
		`event="signal.crossed" cond="_event.data.beyond == '' &amp;&amp; 1 > 2"`:    "",
		`event="signal.crossed" cond="_event.data.beyond == 0x1 &amp;&amp; 1 > 2"`:   "",
		`event="step" cond="_event.data.actors.ego.kind == 'cyclist'"`: `no kind of actor has ` +
			`the name "cyclist"`,
		`event="step" cond="_event.data.actors['ego'].kind == 'lorry'"`: `no kind of actor has ` +
			`the name "lorry"`,
		`event="step" cond="['bus', 'bicycle'].includes(_event.data.actors.ego.kind)"`: "",
	} {
		v := judgedWith(t, "", `<onentry><send type="experiment" event="watch.signal"><content `+
			`expr="({name: 'fast', variable: 'ego.speed', above: 300})"/></send></onentry>`+
			`<transition `+transition+` target="failure"/>`)
		if want == "" {
			require.Equal(t, trial.Passed, v.Outcome, "%s: %s", transition, v.Cause)
			continue
		}
		require.Equal(t, trial.Undecided, v.Outcome, transition)
		require.Contains(t, v.Cause, want, transition)
	}
}
