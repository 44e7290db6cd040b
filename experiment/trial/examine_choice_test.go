package trial_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
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

// examinedWith returns the findings about names (EX24) in the charts of such an experiment.
func examinedWith(t *testing.T, data, transition string) (text string) {
	t.Helper()
	m := withJudge(t, data, transition)
	for _, f := range trial.Examine("demo.exc", m["demo.exc"].Data,
		trial.Options{Files: m, FMU: brakeMaker}) {
		if f.ID == "EX24" {
			text += f.String() + "\n"
		}
	}
	return text
}

// TestExamine_TestsForNothing (EX24): a judge misses a collision if its test holds for none of the
// sides, however it is written.
func TestExamine_TestsForNothing(t *testing.T) {
	const named, tests = `no side has the name "frnt" [EX24]; did you mean "front"?`,
		"holds for no side [EX24]; compare with one of front, left, rear, right"
	data := `<data id="sides" expr="['front', 'frnt']"/><data id="table" expr="({frnt: 1})"/>` +
		`<data id="wrong" expr="'frnt'"/><data id="both" expr="'front or rear'"/>` +
		`<data id="given" expr="[]"/>`
	for cond, want := range map[string]string{
		`({frnt: 1})[_event.data.side]`: "the test ({frnt: 1})[_event.data.side] " + tests,

		// of what is not a list of texts, only the whole test is examined
		`['front', 'frnt'].indexOf(_event.data.side) >= 0`:            named,
		`-1 != ['frnt'].indexOf(_event.data.side)`:                    named,
		`['frnt'].lastIndexOf(_event.data.side) > -1`:                 named,
		`sides.includes(_event.data.side)`:                            named,
		`sides.indexOf(_event.data.side) !== -1`:                      named,
		`~['frnt'].indexOf(_event.data.side)`:                         tests,
		`[_event.data.side, _event.data.text].includes('frnt')`:       named,
		`_event.data.side in {frnt: 1}`:                               tests,
		`table[_event.data.side]`:                                     tests,
		`table[_event.data.side] == 1 || 1 > 2`:                       tests,
		`/frnt/.test(_event.data.side)`:                               tests,
		`_event.data.side.match(/^(frnt|raer)$/)`:                     tests,
		`_event.data['side'].search('frnt') >= 0`:                     tests,
		`_event.data.side.toUpperCase() == 'FRNT'`:                    tests,
		`('a ' + _event.data.side) == ('a ' + wrong)`:                 tests,
		"_event.data.side == `frnt`":                                  tests,
		`_event.data?.side === 'frnt'`:                                tests,
		`_event.data.side.startsWith('ront')`:                         tests,
		`_event.data.time > 9 && !!/frnt/.test(_event.data.side)`:     tests,
		`_event.data.side ? /frnt/.test(_event.data.side) : false`:    tests,
		`['frnt'].some(function(x) { return x == _event.data.side })`: tests,
		`!(_event.data.side.length < 9)`:                              "< 9 holds for each side",

		`['front', 'rear'].indexOf(_event.data.side) >= 0 && 1 > 2`: "",
		`!/frnt/.test(_event.data.side) && 1 > 2`:                   "",
		`({rear: 1, frnt: 2})[_event.data.side] && 1 > 2`:           "",
		`/FRONT/i.test(_event.data.side) && 1 > 2`:                  "",
		`_event.data.side.toUpperCase() == 'FRONT' && 1 > 2`:        "",
		`both.includes(_event.data.side) && 1 > 2`:                  "",
		`given.includes(_event.data.side)`:                          "",
		`In(_event.data.side)`:                                      "",
		`_event.data.side == _event.data.actor`:                     "",
		`_event.name == _event.data.side`:                           "",
		`/ll/.test(_event.data.text)`:                               "",
		`_event.data.side.frnt(` + "`$`)":                           "",
	} {
		escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(cond)
		list := examinedWith(t, data, `<transition event="collision" cond="`+escaped+
			`" target="failure"/><transition event="gone"><script>given.push('front')</script>`+
			`</transition><transition event="sim.started"><raise event="gone"/></transition>`)
		require.Equal(t, want == "", list == "", "%s: %s", cond, list)
		require.Contains(t, list, want, cond)
	}
}

// TestRun_JudgeThatTestsForNothing: such a run does not pass.
func TestRun_JudgeThatTestsForNothing(t *testing.T) {
	v := judgedWith(t, "", `<transition event="collision" cond="/frnt/.test(_event.data.side)" `+
		`target="failure"/>`)
	require.Equal(t, trial.Undecided, v.Outcome)
	require.Contains(t, v.Cause, "stops.scxml:4:41: the test /frnt/.test(_event.data.side) holds "+
		"for no side")
	for _, cond := range []string{"/FRONT/i.test(_event.data.side)",
		"['frnt'].indexOf(_event.data.side) == -1"} {
		v = judgedWith(t, "", `<transition event="collision" cond="`+cond+
			` &amp;&amp; _event.data.value &gt; 1e9" target="failure"/>`)
		require.Equal(t, trial.Passed, v.Outcome, v.Cause)
	}
}

// TestRun_ScriptThatTestsForNothing: the same holds for scripts.
func TestRun_ScriptThatTestsForNothing(t *testing.T) {
	for script, want := range map[string]string{
		`switch (_event.data.side) { case 'front': break; case 'frnt': n = 1 }`: `no side has the ` +
			`name "frnt"`,
		`switch ('frnt') { case _event.data.side: n = 1 }`:              `no side has the name "frnt"`,
		`if (/frnt/.test(_event.data.side)) n = 1`:                      "holds for no side",
		`n = _event.data.side.match('frnt') ? 1 : 2`:                    "holds for no side",
		`switch (_event.data.side) { case 'front': n = 1; default: }`:   "",
		`if (!/frnt/.test(_event.data.side)) n = 1`:                     "",
		`function f(n) { return n.includes(_event.data.side) ? 1 : 2 }`: "",
	} {
		v := judgedWith(t, `<data id="n" expr="0"/>`, `<transition event="collision">`+
			`<script><![CDATA[`+script+`]]></script></transition>`)
		if want == "" {
			require.Equal(t, trial.Passed, v.Outcome, "%s: %s", script, v.Cause)
			continue
		}
		require.Equal(t, trial.Undecided, v.Outcome, script)
		require.Contains(t, v.Cause, want, script)
	}
}

// TestRun_JudgeThatComparesTruthAndKinds: what is true or false equals no word, and actors have
// only some kinds.
func TestRun_JudgeThatComparesTruthAndKinds(t *testing.T) {
	const truth = "_event.data.beyond is true or false, which is compared with "
	for transition, want := range map[string]string{
		`event="signal.crossed" cond="_event.data.beyond == 'above'"`: truth,
		`event="signal.crossed" cond="[0, 'true'].includes(_event.data.beyond + 1)"`: "holds for no " +
			"value of data.beyond; compare with one of true, false",
		`event="signal.crossed" cond="_event.data.beyond === 1"`:                     truth,
		`event="signal.crossed" cond="_event.data.beyond == 'true'"`:                 truth,
		`event="signal.crossed" cond="_event.data.beyond === true &amp;&amp; 1 > 2"`: "",
		`event="signal.crossed" cond="_event.data.beyond == 1 &amp;&amp; 1 > 2"`:     "",
		`event="signal.crossed" cond="!_event.data.beyond &amp;&amp; 1 > 2"`:         "",
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

// TestExamine_BoundsItsTests: of a chart with more tests than a check evaluates, the others are not
// judged.
func TestExamine_BoundsItsTests(t *testing.T) {
	examined := func(tests int) (found int) {
		many := strings.Repeat(`/front/.test(_event.data.side) || `, tests)
		m := files(t, true, `event="error"`, `event="collision" cond="`+many+`In('lost')"/>`+
			`<transition event="collision" cond="`+many+`/frnt/.test(_event.data.side)"`)
		for _, f := range trial.Examine("demo.exc", m["demo.exc"].Data, trial.Options{Files: m,
			FMU: brakeMaker}) {
			if strings.Contains(f.Message, "holds for no side") {
				found++
			}
		}
		return found
	}
	require.Equal(t, 1, examined(10))
	require.Zero(t, examined(160))
}
