package scxml_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// value evaluates an expression on the data of a machine.
func value(t *testing.T, m *scxml.Machine, expr string) string {
	t.Helper()
	v, err := m.Value(expr)
	require.NoError(t, err, expr)
	return v.Text()
}

// TestInvoke_ValuesWinForTopLevelDataOnly tests X3.
func TestInvoke_ValuesWinForTopLevelDataOnly(t *testing.T) {
	r := newRig(scxml.Options{})
	r.start(t, "m",
		`<state id="s"><invoke id="child"><param name="top" expr="2"/><param name="inner" expr="2"/><param name="unknown" expr="2"/><content>
	<scxml version="1.0"><datamodel><data id="top" expr="1"/></datamodel>
	  <state id="c"><datamodel><data id="inner" expr="1"/></datamodel></state></scxml></content></invoke></state>`)
	require.Equal(t, `[2,1,"undefined"]`, value(t, r.Machine("m.child"),
		"[top, inner, typeof unknown]"))
}

// TestInvoke_EmptyFinalizeWritesBack tests X16: an empty finalize sets the locations of namelist
// and of params with a location, from events of that invoke only.
func TestInvoke_EmptyFinalizeWritesBack(t *testing.T) {
	text := `<datamodel><data id="a" expr="1"/><data id="b" expr="{c: 1}"/><data id="d" expr="1"/><data id="e" expr="1"/></datamodel>
	<state id="s"><invoke id="child" namelist="a e">FINALIZE<content><scxml version="1.0"><state id="c"><transition event="go">
	  <send event="answer" target="#_parent"><param name="a" expr="2"/><param name="bc" expr="3"/><param name="d" expr="4"/></send></transition></state></scxml></content></invoke>
	<invoke id="other"><param name="bc" location="b.c"/><param name="d" expr="d"/>FINALIZE<content><scxml version="1.0"><state id="c"/></scxml></content></invoke>
	<transition event="start"><send event="go" target="#_child"/></transition></state>`
	play := func(text string) string {
		r := newRig(scxml.Options{})
		m := r.start(t, "m", text)
		require.NoError(t, m.Handle(scxml.Event{Name: "start"}))
		require.NoError(t, r.Settle())
		require.Contains(t, strings.Join(r.log, "\n"), "m event answer")
		return value(t, m, "[a, b, d, e]")
	}
	for finalize, want := range map[string]string{
		"":            `[1,{"c":1},1,1]`,
		"<finalize/>": `[2,{"c":1},1,1]`,
		"<finalize><log label=\"seen\"/></finalize>": `[1,{"c":1},1,1]`,
	} {
		given := strings.ReplaceAll(text, "FINALIZE", finalize)
		require.Equal(t, want, play(given), finalize)
		require.Equal(t, `[1,{"c":1},1,1]`, play(strings.ReplaceAll(given, ` namelist="a e"`, "")),
			"nothing was passed by location")
	}
	params := strings.ReplaceAll(text, ` namelist="a e">`,
		`><param name="bc" location="b.c"/><param name="d" expr="d"/>`)
	require.Equal(t, `[1,{"c":3},1,1]`, play(strings.ReplaceAll(params, "FINALIZE", "<finalize/>")))
}

// TestInvoke_Cancelled tests X16: when its state is left, the child runs its onexit; nothing that
// it sends arrives, then or later, and there is no done event.
func TestInvoke_Cancelled(t *testing.T) {
	var outside []string
	r := newRig(
		scxml.Options{Processors: map[string]scxml.Processor{"print": func(m scxml.Message) error {
			outside = append(outside, m.Event.Name)
			return nil
		}}})
	m := r.start(t, "m", `<state id="s"><invoke id="child"><content><scxml version="1.0">
	  <state id="c"><onentry><send event="late" target="#_parent" delay="2s"/><send event="late" type="print" delay="2s"/></onentry>
	    <onexit><log label="leaves c"/><send event="farewell" target="#_parent"/><send event="farewell" type="print"/><send event="farewell" target="#_scxml_m"/></onexit>
	    <transition event="last" target="f"><send event="same instant" target="#_parent"/></transition></state>
	  <final id="f"/></scxml></content></invoke><transition event="stop" target="t"/></state>
	<state id="t"><transition event="*" target="bad"/></state><state id="bad"/>`)
	require.NoError(t, r.Advance(timebase.Second))
	require.NoError(t, m.Handle(scxml.Event{Name: "stop"}))
	require.NoError(t, r.Advance(10*timebase.Second))
	require.Contains(t, r.log, "1.000000000 m.child log: leaves c")
	require.Contains(t, r.log, "1.000000000 m.child leave c")
	require.Equal(t, []string{"t"}, m.Configuration())
	require.Empty(t, outside)
	require.Nil(t, r.Machine("m.child"))
	require.NotContains(t, strings.Join(r.log, "\n"), "done.invoke")
}

// TestError_SaysWhere tests X28.
func TestError_SaysWhere(t *testing.T) {
	for name, c := range map[string]struct{ inside, want string }{
		"action": {`<state id="a"><onentry>
  <assign location="nope" expr="1"/></onentry><transition event="error.execution" target="b"/></state>`, `{"tagname":"assign","line":2,"column":3,"reason":"ReferenceError: nope is not defined"}`},
		"nested": {`<state id="a"><onentry><if cond="true"><foreach array="[1]" item="i">
    <log expr="i.x.y"/></foreach></if></onentry><transition event="error.execution" target="b"/></state>`,
			`{"tagname":"log","line":2,"column":5,"reason":"TypeError: Cannot read property 'y' ` +
				`of undefined"}`},
		"condition": {`<state id="a"><onentry><raise event="e"/></onentry>
 <transition event="e" cond="f()" target="a"/><transition event="error.execution" target="b"/></state>`,
			`{"tagname":"transition","line":2,"column":2,"reason":"ReferenceError: f ` +
				`is not defined"}`},
		"text that does not parse": {`<state id="a"><onentry>
<log expr="1 +"/></onentry><transition event="error.execution" target="b"/></state>`,
			`{"tagname":"log","line":2,"column":1,"reason":"unexpected end"}`},
		"branch": {`<state id="a"><onentry><if cond="false"/>
<if cond="false"><log/>
<elseif cond="nope"/></if></onentry><transition event="error.execution" target="b"/></state>`,
			`{"tagname":"elseif","line":3,"column":1,"reason":"ReferenceError: nope ` +
				`is not defined"}`},
		"send": {`<state id="a"><onentry>
<send id="x" event="e" target="nowhere"/></onentry><transition event="error.execution" cond="_event.sendid == 'x'" target="b"/></state>`,
			`{"tagname":"send","line":2,"column":1,"reason":"the target \"nowhere\" is ` +
				`malformed, expected #_internal, #_parent, #_scxml_SESSION or #_INVOKEID"}`},
		"idlocation": {`<state id="a"><onentry><send idlocation="_x" event="e"/></onentry>` +
			`<transition event="error.execution" cond="_event.sendid == 'm.send1'" target="b"/>` +
			`</state>`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(scxml.Options{})
			m := r.start(t, "m", c.inside+`<state id="b"/>`)
			require.Equal(t, []string{"b"}, m.Configuration())
			if c.want != "" {
				require.JSONEq(t, c.want, value(t, m, "_event.data"))
			}
		})
	}
}

// TestData_SeveralElementsAreAText tests X18: data that is neither JSON nor a single document is
// text.
func TestData_SeveralElementsAreAText(t *testing.T) {
	r := newRig(scxml.Options{})
	m := r.start(t, "m", `<datamodel>
	<data id="one"> <a x="1"/> </data>
	<data id="two"><a x="1"/>
	   <b>t</b></data>
	<data id="mixed">see <a/></data>
	<data id="json">{"html": "<br/>"}</data>
	<data id="words">  a
	  b </data></datamodel><state id="s"><onentry><send event="e"><content><a/><b/></content></send></onentry></state>`)
	for expr, want := range map[string]string{
		"one.tagName": `"a"`, "two": `"<a x=\"1\"/> <b>t</b>"`, "mixed": `"see <a/>"`,
		"json": `{"html":"<br/>"}`, "words": `"a b"`,
	} {
		require.Equal(t, want, strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(value(t, m,
			expr)), expr)
	}
	require.NoError(t, r.Settle())
	require.Equal(t, `"<a/><b/>"`, strings.NewReplacer(`\u003c`, "<", `\u003e`,
		">").Replace(value(t, m, "_event.data")))

	_, findings := scxml.Inspect("x",
		[]byte(
			`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="s"><invoke><content>
	<scxml version="1.0"><state id="a"/></scxml>
	<scxml version="1.0"><state id="b"/></scxml></content></invoke></state></scxml>`), quick())
	require.Len(t, findings, 1)
	require.Equal(t,
		`x:3:2: error: <content> has a second <scxml> [SX03]; remove one of them, or write `+
			`another <invoke>`, findings[0].String())
}

// TestSystem_SameLogForAnyNumberOfWorkers tests X24: systems that share a chart run in several
// goroutines at the same time, and each writes the same log as when it runs alone.
func TestSystem_SameLogForAnyNumberOfWorkers(t *testing.T) {
	c := chart(t, rich)
	run := func(seed uint64) string {
		r := newRig(scxml.Options{Seed: seed})
		for _, name := range []string{"m", "n"} {
			if _, err := r.Add(name, c); err != nil {
				return err.Error()
			}
		}
		if err := r.Start(); err != nil {
			return err.Error()
		}
		for i := range 30 {
			if i%7 == 3 {
				_ = r.Machine("n").Post(scxml.Event{Name: "pause"})
			}
			if err := r.Advance(timebase.Time(i) * 20 * ms); err != nil {
				return err.Error()
			}
		}
		return strings.Join(r.log, "\n")
	}
	const systems = 12
	var alone [systems]string
	for k := range alone {
		alone[k] = run(uint64(k % 3))
		require.Contains(t, alone[k], "n log: ")
		require.Equal(t, alone[k%3], alone[k], "the same seed")
	}
	require.NotEqual(t, alone[0], alone[1], "another seed")
	for _, workers := range []int{2, 5} {
		var together [systems]string
		var group sync.WaitGroup
		for w := range workers {
			group.Add(1)
			go func() {
				defer group.Done()
				for k := w; k < systems; k += workers {
					together[k] = run(uint64(k % 3))
				}
			}()
		}
		group.Wait()
		require.Equal(t, alone, together, "%d workers", workers)
	}
}

// counting is a language that counts the texts it compiles.
type counting struct {
	scxml.Language
	texts map[string]int
}

func (c counting) Compile(role scxml.Role, text string) (scxml.Code, error) {
	c.texts[text]++
	return c.Language.Compile(role, text)
}

// TestParse_CompilesEachTextOnce tests X25.
func TestParse_CompilesEachTextOnce(t *testing.T) {
	c := counting{quick().Languages[0], map[string]int{}}
	_, err := scxml.Parse("x",
		[]byte(
			`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel><data id="n" expr="1"/></datamodel>
	<state id="s">`+strings.Repeat(`<transition event="e" cond="n == 2" target="s"/>`, 5)+
				`</state></scxml>`), scxml.Config{Languages: []scxml.Language{c}})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"n": 1, "1": 1, "n == 2": 1}, c.texts)
}

// TestEvent_MalformedDescriptorsMatchNothing tests X10 and SX10.
func TestEvent_MalformedDescriptorsMatchNothing(t *testing.T) {
	for descriptor, want := range map[string]string{"": "s", ".": "s", "*.": "s", "..": "s",
		"a..b": "s", ".*": "t", "*": "t", "e.": "t", "e.*": "t", "x e": "t"} {
		r := newRig(scxml.Options{})
		m := r.start(t, "m", `<state id="s"><transition event="`+descriptor+
			`" target="t"/></state><state id="t"/>`)
		require.NoError(t, m.Handle(scxml.Event{Name: "e.f"}))
		require.Equal(t, []string{want}, m.Configuration(), "%q", descriptor)
	}
}

func TestInspect_RefusesTwoVariablesOfOneName(t *testing.T) {
	chart := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel>` +
		`<data id="limit"/>%s</datamodel><final id="a"/></scxml>`

	one, _ := scxml.Inspect("a.scxml", fmt.Appendf(nil, chart, ""), scxml.Config{})
	require.NotNil(t, one, "one runs")

	two, findings := scxml.Inspect("a.scxml", fmt.Appendf(nil, chart, `<data id="limit"/>`),
		scxml.Config{})

	require.Nil(t, two)
	require.Contains(t, fmt.Sprint(findings), `the id "limit" is already used by the <data> in line 1`)
}
