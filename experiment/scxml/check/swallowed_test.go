package check_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/internal/finding"
)

// TestChart_SwallowedEvents: a judge misses an event if a targetless transition inside takes it. If
// that transition names the event, it may be meant to ignore it.
func TestChart_SwallowedEvents(t *testing.T) {
	const never = "the transition is never taken: each state inside"
	const hides = "and stays in the state"
	const c = `<state id="c"/>`
	in := func(inside string) string { return `<state id="b">` + inside + `</state>` }
	for inside, want := range map[string]struct {
		message string
		blind   bool
	}{
		in(`<transition event="collision"/>`):                               {never, true},
		in(`<transition event="*"><log/></transition>`):                     {never, true},
		in(`<transition event="*"/>`) + c:                                   {hides, true},
		in(`<transition event="*" cond="true"/>`) + c:                       {hides, true},
		in(`<state id="d"><transition event="*"/></state>`) + c:             {hides, true},
		in(`<transition event="collision.x"/><transition event="*"/>`) + c:  {hides, true},
		in(`<transition event="collision"/>`) + c:                           {hides, false},
		in(`<transition event="x collision"/>`) + c:                         {hides, false},
		in(`<transition event="collision"/>`) + `<final id="c"/>`:           {hides, false},
		in(`<transition event="collision.end"/>`) + c:                       {"", false},
		in(`<transition event="*" cond="_event.data"/>`) + c:                {"", false},
		in(`<transition event="*" target="c"/>`) + c:                        {"", false},
		in(`<transition event="over"/>`) + c:                                {"", false},
		`<history id="h"><transition target="b"/></history><state id="b"/>`: {"", false},
		in(`<transition event="collision" cond="_event.data" target="c"/>`+
			`<transition event="*"/>`) + c: {"", false},
		in(`<transition event="*"/><state id="d"><transition event="collision" `+
			`target="failure"/></state>`) + c: {"", false},
		// Either order of what is wanted, and whatever a region of a parallel state takes.
		in(`<transition event="over"/><transition event="*"/>`) + c: {hides, true},
		in(`<transition event="y" target="failure"/><transition event="x" target="failure"/>`+
			`<state id="d"><transition event="x" target="c"/><transition event="*"/></state>`+
			`<state id="e"/>`) + c: {hides, true},
		in(`<transition event="*" target="failure"/><state id="d"><transition event="*"/></state>`+
			`<state id="e"/>`) + c: {hides, true},
		`<parallel id="b"><state id="d"><transition event="*"/></state><state id="e"/></parallel>` +
			c: {"", false},
	} {
		text := document(`<state id="a"><transition event="collision" target="failure"/>` +
			`<transition event="over" target="success"/>` + inside +
			`</state><final id="success"/><final id="failure"/>`)
		for _, evaluation := range []bool{true, false} {
			var found finding.List
			for _, f := range check.Chart("x", []byte(text), check.Options{Evaluation: evaluation,
				Config: ecmascript.Config("testdata")}) {
				if f.ID == check.SX21 {
					found = append(found, f)
				}
			}
			if want.message == "" || !evaluation && want.message == hides {
				require.Empty(t, found, "%s, evaluation %v", inside, evaluation)
				continue
			}
			require.NotEmpty(t, found, inside)
			require.Contains(t, found[0].Message, want.message, inside)
			require.Equal(t, want.blind && evaluation, found[0].Blind, inside)
		}
	}
}

// TestChart_JudgeThatAssigns: a judge whose condition has = where == is meant decides without
// looking. Other conditions that change data may be meant so.
func TestChart_JudgeThatAssigns(t *testing.T) {
	for cond, want := range map[string]struct{ found, blind bool }{
		"hit = true": {true, true}, "hit = _event.data.value &gt; 3": {true, true},
		"n == 1 &amp;&amp; (hit = true)": {true, true}, "n = 1 || hit": {true, true},
		"!(hit = false)": {true, true}, "(n += 1) &gt; 3": {true, false}, "n++": {true, false},
		"(hit = _event.data.value) &amp;&amp; hit &gt; 3": {true, false},

		"(hit = 3) &amp;&amp; hit &gt; 2": {true, true}, "hit = n || hit": {true, true},
		"hit == true": {}, "(function() { var n = 3; return n })() &gt; 1": {},
		"[1].some(function(x) { return x = 1 })": {},
	} {
		text := document(`<datamodel><data id="hit" expr="false"/><data id="n" expr="0"/>` +
			`</datamodel><state id="a"><transition event="collision" cond="` + cond +
			`" target="failure"/><transition event="over" target="success"/></state>` +
			`<final id="success"/><final id="failure"/>`)
		for _, evaluation := range []bool{true, false} {
			var found finding.List
			for _, f := range check.Chart("x", []byte(text), check.Options{Evaluation: evaluation,
				Config: ecmascript.Config("testdata")}) {
				if f.ID == check.SX29 {
					found = append(found, f)
				}
			}
			require.Equal(t, want.found, len(found) == 1, "%s: %v", cond, found)
			if want.found {
				require.Equal(t, want.blind && evaluation, found[0].Blind, cond)
			}
		}
	}
}

// TestChart_InvokedFiles: charts in files are checked like charts inside an invoke, each file once.
func TestChart_InvokedFiles(t *testing.T) {
	const head = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" ` +
		`datamodel="ecmascript">`
	files := map[string]string{}
	config := scxml.Config{Languages: []scxml.Language{ecmascript.Language{}},
		Load: func(src string) ([]byte, error) {
			text, ok := files[strings.TrimPrefix(src, "file:")]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return []byte(text), nil
		}}
	found := func(invoke, rest string) (list []string) {
		text := head + `<state id="a">` + invoke +
			`<transition event="error e from.inner" target="f">` + rest +
			`</transition></state><final id="f"/></scxml>`
		for _, f := range check.Chart("charts/x.scxml", []byte(text),
			check.Options{Config: config, Events: []string{"e"}}) {
			list = append(list, f.ID+" "+f.Message)
			if strings.Count(invoke, "invoke ") == 1 { // otherwise, some of them are in the file
				inFile := strings.Contains(invoke, "src") && !strings.Contains(f.Message,
					"from.inner")
				require.Equal(t, inFile, f.Place.File == "charts/inner.scxml", "%s: %v", invoke, f)
			}
		}
		return list
	}
	misspelt := `<state id="b"><transition event="go" target="c"/>` +
		`<transition event="og" target="c"/></state><final id="c"/>`
	sends := func(event string) string {
		return `<final id="c"><onentry><send event="` + event +
			`" target="#_parent"/></onentry></final>`
	}
	for inner, want := range map[string]int{ // the outer chart waits for from.inner
		misspelt: 2, sends("from.inner"): 0, sends("from.outer"): 2,
		`<state id="b"><transition cond="false" target="b"/></state><final id="c"/>`: 3,
		`<state id="b"><transition event="go" target="c"/><invoke src="inner.scxml"/></state>` +
			`<final id="c"/>`: 2,
	} {
		files["inner.scxml"] = head + inner + `</scxml>`
		rest := ""
		if strings.Contains(inner, `"go"`) {
			rest = `<send event="go" target="#_i"/>`
		}
		in := found(`<invoke id="i"><content>`+head+inner+`</scxml></content></invoke>`, rest)
		if !strings.Contains(inner, "src") { // a file that invokes itself is no chart inside
			require.Len(t, in, want, inner)
			require.ElementsMatch(t, in, found(`<invoke id="i" src="file:inner.scxml"/>`, rest),
				inner)
		}
		require.Len(t, found(`<invoke id="i" src="inner.scxml"/><invoke src="inner.scxml"/>`,
			rest), want, inner)
	}
	files["inner.scxml"] = head + misspelt + `</scxml>`
	require.Contains(t, found(`<invoke id="i" src="inner.scxml"/>`, ""),
		`SX22 the event "go" is never raised, sent or provided`)
	require.NotContains(t, strings.Join(found(`<invoke src="inner.scxml"/><invoke id="i" `+
		`src="inner.scxml" autoforward="true"/>`, ""), "\n"), `"go"`, "one of them may receive it")
}
