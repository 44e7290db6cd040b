package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
)

// many repeats a text n times, with %[1]d and %[2]d replaced by the numbers of this repetition and
// the next.
func many(n int, text string) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, text, k, k+1)
	}
	return b.String()
}

// TestChart_CostIsBounded uses charts whose check takes no noticeable time, or hours if its cost
// exceeds the length of the chart times its depth, or its bound.
func TestChart_CostIsBounded(t *testing.T) {
	const n = 2500
	regions := ""
	// 6 469 693 230 configurations
	for k, length := range []int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29} {
		regions += fmt.Sprintf(`<state id="r%d">`, k)
		for i := range length {
			regions += fmt.Sprintf(`<state id="r%d_%d"><transition target="r%[1]d_%d"/></state>`, k,
				i, (i+1)%length)
		}
		regions += `</state>`
	}
	for name, c := range map[string]struct{ inside, want string }{
		"a way without a cycle": {many(n,
			`<state id="s%d"><transition target="s%d"/></state>`) + fmt.Sprintf(`<state id="s%d"/>`,
			n), "SX25"},
		"a cycle of all states": {many(n,
			`<state id="s%d"><transition target="s%d"/></state>`) +
			fmt.Sprintf(`<state id="s%d"><transition target="s0"/></state>`, n), "SX27"},
		"more configurations than can be followed": {`<parallel id="p">` + regions + `</parallel>`,
			""},
		"all regions move at once": {`<parallel id="p">` + many(n,
			`<state id="r%d"><state id="a%[1]d"><transition target="b%[1]d"/></state>`+
				`<state id="b%[1]d"><transition target="a%[1]d"/></state></state><!--%d-->`) +
			`</parallel>`, ""},
		"transitions of one state": {`<state id="s">` + many(n,
			`<transition event="e%d e%d.x e" target="s"/>`) + `</state>`, "SX22"},
		"events": {`<state id="s"><onentry>` + many(n,
			`<raise event="lost%d.%d"/>`) + `</onentry>` + many(n,
			`<transition event="never%d.%d" target="s"/>`) + `</state>`, "SX23"},
		"ids of sends": {`<state id="s"><onentry>` + many(n,
			`<send id="a%d" event="e"/><cancel sendid="b%d"/>`) +
			`</onentry><transition event="e" target="s"/></state>`, "SX28"},
		"done events": {`<state id="s">` + many(n,
			`<transition event="done.state.x%d done.invoke.y%d" target="s"/>`) + `</state>`,
			"SX28"},
		"unknown targets": {many(200, `<state id="`+strings.Repeat("a",
			190)+`%d_%d"/>`) + `<state id="s">` + many(n, `<transition event="e" target="`+
			strings.Repeat("b", 180)+`%d_%d"/>`) + `</state>`, "SX05"},
		"targets": {`<parallel id="p">` + many(n+1,
			`<state id="r%d"/><!--%d-->`) + `<transition event="e" target="` + many(n,
			`r%[2]d r%[1]d `) + `"/></parallel>`, ""},
		"atomic states in regions": {`<parallel id="p">` + many(n,
			`<state id="r%d"><onentry><if cond="In('r%d')"/></onentry></state>`) + `</parallel>`,
			"SX25"},
		"parallels inside each other": {strings.Repeat(`<parallel><state/>`, 190) +
			strings.Repeat(`</parallel>`, 190), "SX25"},
		"names that are asked for": {`<state id="s"><transition cond="a0` + many(n,
			` &amp;&amp; a%d.b%d`) + `" target="s"/></state>`, ""},
		"a long path": {`<state id="s"><transition event="e" cond="a` +
			strings.Repeat(".b", 5*n) + `" target="s"/></state>`, "SX26"},
		"functions that call each other": {`<script>var n;` + many(n,
			`function f%d() { return f%d() }`) + fmt.Sprintf(`function f%d() { n++ }`, n) +
			`</script><state id="s"><transition event="e" cond="f0()" target="s"/></state>`,
			"SX29"},
		"calls of In that are hard to find": {
			`<state id="s"><transition event="e" target="s"><script>` +
				many(n, `In('\\u0100%d%d');`) + `</script></transition></state>`, "SX05"},
		"events of many parts": {`<state id="s"><onentry>` + many(3, `<raise event="a`+
			strings.Repeat(".b", 100*n)+`%d%d"/>`) + `</onentry>` +
			many(3, `<transition event="x`+strings.Repeat(".b", 100*n)+`%d%d" target="s"/>`) +
			`</state>`, ""},
		"parts of data that change": {`<datamodel><data id="v" expr="{` + many(n, `p%d:{q%d:1},`) +
			`}"/></datamodel><state id="s"><onentry>` + many(n,
			`<assign location="v.p%d.q" expr="v.p%d.q.r"/>`) + `</onentry></state>`, "SX31"},
		"conditions that ask": {
			`<state id="s"><transition event="e" target="s"><if cond="_event.data.a">` +
				many(n, `<elseif cond="_event.data.a%d &amp;&amp; _event.data.b%d"/>`) +
				`</if></transition></state>`, "SX31"},
		"events with many fields": {`<state id="s"><onentry>` + many(n/10,
			`<send event="e.a%d.b%d"><content expr="{`+many(n/10, `p%d:{q%d:1},`)+`}"/></send>`) +
			`</onentry><transition event="e" cond="_event.data.x.y" target="s"/></state>`, "SX31"},
		"machines inside each other": {
			strings.Repeat(`<state><invoke><content><scxml version="1.0">`, 40) + `<state/>` +
				strings.Repeat(`</scxml></content></invoke></state>`, 40), "SX25"},
	} {
		t.Run(name, func(t *testing.T) {
			list := check.Chart("x", []byte(document(c.inside)),
				check.Options{Config: ecmascript.Config("testdata"), Events: []string{"e"}})
			require.Contains(t, fmt.Sprint(list), c.want)
			require.NotContains(t, fmt.Sprint(list), "SX01")
		})
	}
}

// TestInspect_BoundsNames reads elements that would take quadratic time without a bound.
func TestInspect_BoundsNames(t *testing.T) {
	_, err := scxml.ParseXML([]byte(`<a ` + many(200_000, `b%d="%d" `) + `/>`))
	require.ErrorContains(t, err, "<a> has 200000 attributes, expected at most 1000")
	_, err = scxml.ParseXML([]byte(`<a ` + many(60, `xmlns:b%d="%d" `) + `/>`))
	require.ErrorContains(t, err, "<a> has more than 50 namespace prefixes in force")
	e, err := scxml.ParseXML([]byte(`<a xmlns:p="one"><b xmlns:p="two"><c/></b><d/></a>`))
	require.NoError(t, err)
	require.Len(t, e.Elements(), 2)
}
