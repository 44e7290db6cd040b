package trial_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/timebase"
)

// meter is a participant whose output ttc has the given values in its first steps, and the last one
// from then on.
type meter struct {
	brake
	values []float64
}

func newMeter(values ...float64) *meter {
	m := &meter{values: values}
	m.variables = []cosim.Variable{{Name: "ttc", Kind: cosim.Float64, Role: cosim.Output, Size: 1}}
	return m
}

func (m *meter) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	k := int(s.Start / (20 * timebase.Millisecond))
	m.out.SetFloat(0, 0, m.values[min(k, len(m.values)-1)])
	return cosim.Advance{Reached: s.End}, nil
}

const finals = `<final id="success"/><final id="failure"/>`

// measured returns a trial of 0.2 s with a meter, and with a judge that has the given body.
func measured(t *testing.T, judge string, values ...float64) *trial.Trial {
	t.Helper()
	return measuredBy(t, judge, `<state id="a"/>`, values...)
}

// measuredBy also has a control machine.
func measuredBy(t *testing.T, judge, driver string, values ...float64) *trial.Trial {
	t.Helper()
	chart := func(body string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" ` +
			`version="1.0" initial="a">` + body + `</scxml>`)}
	}
	m := files(t, false, `time="simulation">30`, `time="simulation">0.2`, "<timestep>",
		`<g:fmu name="eye" src="aeb.fmu"/><timestep>`)
	m["stops.scxml"], m["traffic.scxml"] = chart(judge+finals), chart(driver)
	return open(t, m, trial.Options{FMU: func(p experiment.Participant) (trial.Maker, error) {
		return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant, error) {
			return newMeter(values...), nil
		}}, nil
	}})
}

const watch = `<send type="experiment" event="watch.signal">` +
	`<content expr="({name: 'near', variable: 'eye.ttc', below: 1})"/></send>`

// watching returns a state that watches ttc and succeeds after 0.1 s, with more transitions.
func watching(more string) string {
	return `<state id="a"><onentry>
` + watch + `
<send event="over" delay="90ms"/></onentry>` + more + `
<transition event="signal.crossed" cond="_event.data.beyond" target="failure"/>
<transition event="over" target="success"/></state>`
}

// TestWatch_NotANumber: a watch whose variable is never a number cannot pass a run unless a machine
// handles that, and every other value that is not a number is counted.
func TestWatch_NotANumber(t *testing.T) {
	nan := math.NaN()
	lost := func(count string) string {
		return `stops.scxml:2: the watch "near" of eye.ttc had no number ` + count +
			" s, where no limit was crossed"
	}
	never := lost("in any of 5 steps, first at 0.02")
	for name, c := range map[string]struct {
		more     string
		values   []float64
		outcome  string
		warning  string // "" for none
		handled  bool
		whyBlind bool
	}{
		"numbers":   {values: []float64{5}, outcome: trial.Passed},
		"crossed":   {values: []float64{5, 0.5}, outcome: trial.Failure},
		"infinite":  {values: []float64{math.Inf(1)}, outcome: trial.Passed},
		"below all": {values: []float64{math.Inf(-1)}, outcome: trial.Failure},
		"never": {values: []float64{nan}, outcome: trial.Undecided, warning: never,
			whyBlind: true},
		"at the start": {values: []float64{nan, nan, 5}, outcome: trial.Passed,
			warning: lost("in 2 of 5 steps, first at 0.02")},
		"later": {values: []float64{5, nan}, outcome: trial.Passed,
			warning: lost("in 4 of 5 steps, first at 0.04")},
		"then crossed": {values: []float64{nan, 0.5}, outcome: trial.Failure,
			warning: lost("in 1 of 2 steps, first at 0.02")},
		"handled": {more: `<transition event="signal.undefined" cond="_event.data.name == 'near'"/>`,
			values: []float64{nan}, outcome: trial.Passed, warning: never, handled: true},
		"not followed": {more: `<transition event="signal.undefined" cond="_event.data.name == 'far'"/>`,
			values: []float64{nan}, outcome: trial.Undecided, warning: never, whyBlind: true},
		"judged": {more: `<transition event="signal.undefined" target="failure"/>`,
			values: []float64{nan}, outcome: trial.Failure,
			warning: lost("in the only step, first at 0.02"), handled: true},
		"other judge": {more: `<transition event="step" cond="_event.data.time &gt; 0" target="failure"/>`,
			values: []float64{nan}, outcome: trial.Failure,
			warning: lost("in the only step, first at 0.02")},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := measured(t, watching(c.more), c.values...).Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.outcome, v.Outcome, v.Cause)
			if c.warning == "" {
				require.Empty(t, v.Warnings)
				require.Empty(t, v.Undefined)
				return
			}
			require.Equal(t, []string{c.warning}, v.Warnings)
			require.Len(t, v.Undefined, 1)
			require.Equal(t, c.handled, v.Undefined[0].Handled)
			if c.whyBlind {
				require.Equal(t, c.warning, v.Cause)
			}
			var report, document bytes.Buffer
			require.NoError(t, v.WriteJUnit(&report))
			require.NoError(t, v.WriteJSON(&document))
			require.Contains(t, report.String(), "had no number")
			require.Contains(t, document.String(), `"undefined": [`)
			require.Equal(t, c.outcome != trial.Passed, bytes.Contains(report.Bytes(), []byte("<error")) ||
				bytes.Contains(report.Bytes(), []byte("<failure")))
		})
	}
}

// TestWatch_EndsWithItsMachine: numbers that appear after the watching machine has ended do not
// count as seen by it.
func TestWatch_EndsWithItsMachine(t *testing.T) {
	nan := math.NaN()
	const judge = `<state id="a"><onentry><send event="over" delay="190ms"/></onentry>
<transition event="over" target="success"/></state>`
	v, err := measuredBy(t, judge, watching("")+finals, nan, nan, nan, nan, nan, 5).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, trial.Undecided, v.Outcome)
	require.Equal(t, []trial.Undefined{{Variable: "eye.ttc", Machine: "traffic", Watch: "near",
		Places: []string{"traffic.scxml:2"}, Steps: 5, Of: 5, Since: 0.02}}, v.Undefined)
}

// TestWatch_Events: the loss and the return of a number are events, and a limit that was crossed
// before is crossed back only by a number.
func TestWatch_Events(t *testing.T) {
	nan := math.NaN()
	x := measured(t, `<datamodel><data id="seen" expr="[]"/></datamodel><state id="a"><onentry>
`+watch+`
<send event="over" delay="190ms"/></onentry>
<transition event="signal"><script>
var d = _event.data; seen.push(_event.name + ' ' + d.name + ' ' + d.variable + ' ' + d.value +
', ' + d.beyond)</script></transition><transition event="over" target="b"/></state>
<final id="b"><donedata><content expr="seen"/></donedata></final>`,
		0.5, nan, nan, 0.5, nan, 5, math.Inf(1))
	v, err := x.Run(t.Context())
	require.NoError(t, err)
	var seen []string
	require.NoError(t, json.Unmarshal(v.Judgments[1].Data, &seen), v.Cause)
	require.Equal(t, []string{
		"signal.crossed near eye.ttc 0.5, true",
		"signal.undefined near eye.ttc undefined, undefined",
		"signal.defined near eye.ttc 0.5, undefined",
		"signal.undefined near eye.ttc undefined, undefined",
		"signal.defined near eye.ttc 5, undefined",
		"signal.crossed near eye.ttc 5, false",
	}, seen)
	require.Equal(t, []trial.Undefined{{Variable: "eye.ttc", Machine: "stops", Watch: "near",
		Places: []string{"stops.scxml:2"}, Steps: 3, Of: 10, Since: 0.04, Handled: true}}, v.Undefined)
}

// TestData_NotANumber: machines receive no value instead of a number that is not finite, so that
// comparisons fail as with NaN, and the verdict counts the steps.
func TestData_NotANumber(t *testing.T) {
	const judge = `<state id="a"><onentry><send event="over" delay="90ms"/></onentry>
<transition event="data.eye.ttc" target="failure"
 cond="_event.data.value &lt; 1 || _event.data.value === null"/>
<transition event="step" target="failure"
 cond="_event.data.time &gt; 0 &amp;&amp; _event.data.values['eye.ttc'] &lt; 1"/>
<transition event="over" target="success"/></state>`
	lost := func(count, since string) string {
		return "eye.ttc had no number in " + count + " steps, first at " + since +
			" s, where machines received no value"
	}
	for name, c := range map[string]struct {
		values  []float64
		outcome string
		warning []string
	}{
		"number":   {[]float64{5}, trial.Passed, nil},
		"small":    {[]float64{5, 0.5}, trial.Failure, nil},
		"NaN":      {[]float64{math.NaN()}, trial.Passed, []string{lost("any of 5", "0.02")}},
		"infinite": {[]float64{5, 5, math.Inf(1), 5}, trial.Passed, []string{lost("1 of 5", "0.06")}},
	} {
		v, err := measured(t, judge, c.values...).Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.outcome, v.Outcome, "%s: %s", name, v.Cause)
		require.Equal(t, c.warning, v.Warnings, name)
	}
}

// TestResume_NotANumber: a run that continues from a saved state counts on.
func TestResume_NotANumber(t *testing.T) {
	const more = `<transition event="data.eye.ttc"/><transition event="step"/>`
	values := []float64{5, math.NaN(), math.NaN(), 5, math.NaN()}
	whole, err := measured(t, watching(more), values...).Run(t.Context())
	require.NoError(t, err)
	one := measured(t, watching(more), values...)
	require.NoError(t, one.Initialize(t.Context()))
	require.NoError(t, one.Start())
	for range 3 {
		_, err := one.Step(t.Context())
		require.NoError(t, err)
	}
	saved, err := one.AppendState(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, one.Stop(t.Context()))
	two := measured(t, watching(more), values...)
	require.NoError(t, two.Resume(t.Context(), saved))
	v, err := two.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, whole.Undefined, 1)
	require.Equal(t, int64(3), whole.Undefined[0].Steps)
	require.Equal(t, whole, v)
}

// TestWatch_Again: a watch that starts again sees a limit that is still crossed, and a watch of the
// same name with other limits is another one.
func TestWatch_Again(t *testing.T) {
	again := func(limit string) string {
		return `<state id="a"><onentry>` + watch + `<send event="over" delay="190ms"/></onentry>
<transition event="signal.crossed" target="b"/><transition event="over" target="failure"/></state>
<state id="b"><onentry><send type="experiment" event="watch.signal">
<content expr="({name: 'near', variable: 'eye.ttc', ` + limit + `})"/></send></onentry>
<transition event="signal.crossed" cond="_event.data.beyond" target="success"/>
<transition event="over" target="failure"/></state>`
	}
	for _, c := range []struct {
		limit   string
		values  []float64
		outcome string
	}{
		{"below: 1", []float64{5, 0.5}, trial.Passed},
		{"below: 0.7", []float64{5, 0.8, 0.8, 0.5}, trial.Passed},
		{"below: 0.7", []float64{5, 0.8}, trial.Failure},
		{"above: 3", []float64{5, 0.5, 0.5, 4}, trial.Passed},
		{"above: 3", []float64{5, 0.5}, trial.Failure},
		{"below: 1, above: 3", []float64{0.5, 2}, trial.Failure},
	} {
		v, err := measured(t, again(c.limit), c.values...).Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.outcome, v.Outcome, "%v: %s", c, v.Cause)
	}
}

// TestWatch_HandledByName: a transition for the loss of one signal does not excuse another watch
// that never had a number.
func TestWatch_HandledByName(t *testing.T) {
	second := func(name, cond string) string {
		return `<state id="a"><onentry>` + watch + `<send type="experiment" event="watch.signal">
<content expr="({name: '` + name + `', variable: 'eye.ttc', above: 9})"/></send>
<send event="over" delay="90ms"/></onentry>
<transition event="signal.undefined" cond="` + cond + `"/>
<transition event="over" target="success"/></state>`
	}
	nan := math.NaN()
	for _, c := range []struct{ name, cond, outcome string }{
		{"far", "_event.data.name == 'near'", trial.Undecided},
		{"far", "_event.data.name == 'far'", trial.Undecided},
		{"far", "true", trial.Passed},
		{"far", "false", trial.Undecided},
	} {
		v, err := measured(t, second(c.name, c.cond), nan).Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.outcome, v.Outcome, "%v: %s", c, v.Cause)
	}
}

// TestWatch_OtherName: watches of one limit with different names are different ones, also if two
// machines have them.
func TestWatch_OtherName(t *testing.T) {
	other := strings.Replace(watch, "'near'", "'close'", 1)
	v, err := measuredBy(t, `<state id="a"><onentry>`+watch+other+`
<send event="over" delay="190ms"/></onentry>
<transition event="signal.crossed" cond="_event.data.name == 'near'" target="b"/>
<transition event="over" target="failure"/></state>
<state id="b"><transition event="signal.crossed" cond="_event.data.name == 'close'"
 target="success"/><transition event="over" target="failure"/></state>`,
		`<state id="a"><onentry>`+watch+`</onentry></state>`, 5, 0.5).Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, trial.Passed, v.Outcome, v.Cause)
	nan := math.NaN()
	v, err = measuredBy(t, watching(""), `<state id="a"><onentry>`+watch+`</onentry></state>`,
		nan).Run(t.Context())
	require.NoError(t, err)
	require.Len(t, v.Undefined, 2, "one for each machine")
}
