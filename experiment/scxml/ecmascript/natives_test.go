package ecmascript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
)

const (
	tooDeep  = "nested deeper than 10000 levels"
	brackets = "nested deeper than 300 levels"
)

// TestModel_TextsThatNest uses texts that would make the engine recurse until the process crashes.
func TestModel_TextsThatNest(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<state id="s"/>`))
	for _, c := range [][2]string{
		{`JSON.parse("[".repeat(5e6))`, tooDeep},
		{`JSON.parse('{"a":'.repeat(2e6))`, tooDeep},
		{`JSON.parse({toString: () => "[".repeat(5e6)})`, tooDeep},
		{`JSON["parse"].call(null, "[".repeat(5e6))`, tooDeep},
		{`eval("(".repeat(5e6))`, "bytes, expected at most"},
		{`eval("(".repeat(1e5))`, brackets},
		{`(0, eval)("[".repeat(1e5))`, brackets},
		{`globalThis.eval.call(null, "{".repeat(1e5))`, brackets},
		{`Object.getPrototypeOf(globalThis).eval("(".repeat(1e5))`, brackets},
		{`eval("eval('('.repeat(1e5))")`, brackets},
		{`new Function("(".repeat(5e6))`, "bytes, expected at most"},
		{`Function("a", "(".repeat(1e5))`, brackets},
		{`Function({toString: () => "(".repeat(1e5)})`, brackets},
		{`(() => 1).constructor("(".repeat(1e5))`, brackets},
		{`Reflect.construct(Function, ["(".repeat(1e5)])`, brackets},
		{`new (class extends Function {})("(".repeat(1e5))`, brackets},
		{`(function*() {}).constructor("(".repeat(1e5))`, "only eval and Function"},
		{`(async () => 1).constructor("(".repeat(1e5))`, "only eval and Function"},
		{`eval("1" + "+1".repeat(1e5))`, "more than 10000 operators"},
		{`eval("1" + "??Q".repeat(100))`, "begins with constants"},
		{`eval("0" + "||0".repeat(100))`, "begins with constants"},
		{`eval("1" + "&&1".repeat(100))`, "begins with constants"},
		{`eval("0" + "|0||0".repeat(100))`, "begins with constants"},
		{`eval("!0" + "&&-1||0".repeat(100))`, "begins with constants"},
		{`eval("'a'" + "+1||'b'||x".repeat(100))`, "begins with constants"},
		{`eval("f(x => { return [" + "1||1||1||1||1||1||1||1||1||1||1||1||1||1,".repeat(1000) + "] })")`,
			"begins with constants"},
		{`new Function("(".repeat(100) + "1" + "??a)".repeat(100))`, "begins with constants"},
		{`new Function("a", "b = 0" + "||0".repeat(100), "return a")`, "begins with constants"},
		{`new Function("(1" + "||a".repeat(100))`, "SyntaxError"},
		{`eval("a:".repeat(1e5) + "1")`, "more than 10000 operators"},
		{`eval("x" + "?.x".repeat(8e4))`, "more than 10000 operators"},
		{`(function() { var a = []; a[0] = a; return a.flat(Infinity) })()`, "circular structure"},
	} {
		expr, want := c[0], c[1]
		_, err := m.Value(expr)
		require.ErrorContains(t, err, want, expr)
	}
}

// TestModel_ValuesThatNest uses values created by scripts that are nested more deeply than texts
// may be.
func TestModel_ValuesThatNest(t *testing.T) {
	s, m := run(t, scxml.Options{}, parse(t, `<script>
	function nest(n) { for (var a = []; n > 0; n--) a = [a]; return a }</script><state id="s"/>`))
	for _, c := range [][2]string{
		{`nest(2e4)`, tooDeep},
		{`JSON.stringify(nest(2e4))`, tooDeep},
		{`JSON.stringify(nest(2e4), [])`, tooDeep},
		{`String(nest(2e4))`, "nested deeper than 1000 levels"},
		{`nest(2e4).toLocaleString()`, "nested deeper than 1000 levels"},
		{`nest(2e4).flat(Infinity).length`, ""}, // no deeper, so no error
	} {
		expr, want := c[0], c[1]
		_, err := m.Value(expr)
		if want == "" {
			require.NoError(t, err, expr)
			continue
		}
		require.ErrorContains(t, err, want, expr)
	}
	_, err := m.Value(`globalThis.deep = nest(2e4), 1`)
	require.NoError(t, err)
	_, err = s.AppendState(nil)
	require.ErrorContains(t, err, tooDeep)
}

// TestModel_Natives covers functions with limits, within these limits.
func TestModel_Natives(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<datamodel><data id="x" expr="2"/></datamodel>
	<state id="s"/>`))
	for _, c := range [][2]string{
		{`eval("x + 1")`, "3"},
		{`eval(7)`, "7"},
		{`eval("x ?? 1;".repeat(50) + "[" + "x ?? 1,".repeat(50) + "].length")`, "50"},
		{`eval("x" + " ?? 1".repeat(2000))`, "2"},
		{`eval("x == 0" + " || 'a' == x".repeat(2000) + " || 5")`, "5"},
		{`eval("x" + " && x".repeat(2000))`, "2"},
		{`eval("0" + " || 0".repeat(14) + " || 7")`, "7"},
		{`new Function("a", "return a" + " || a".repeat(100))(3)`, "3"},
		{`eval()`, ""},
		{`new Function("a", "b", "return a + b")(1, 2)`, "3"},
		{`Function("return 1").call()`, "1"},
		{`Function("a,b", "return a*b")(3, 4)`, "12"},
		{`(x => x).constructor === Function`, "true"},
		{`(() => 1) instanceof Function`, "true"},
		{
			`Function.prototype.constructor === Function && new Function() instanceof Function`,
			"true",
		},
		{`[1] instanceof Function || ({}) instanceof Function`, "false"},
		{
			`(F => new F() instanceof F && !(Function() instanceof F))(class extends Function {})`,
			"true",
		},
		{`new (class extends Function { two() { return 2 } })("return 1").two()`, "2"},
		{`typeof eval + eval.name + Function.name + JSON.parse.length`, `"functionevalFunction2"`},
		{`JSON.parse('[1, {"a": "]["}]', (k, v) => k == "a" ? v + "!" : v)[1].a`, `"][!"`},
		{`JSON.stringify({a: [1, {b: 2}], c: 3}, ["a", "b"])`, `"{\"a\":[1,{\"b\":2}]}"`},
		{
			`JSON.stringify({a: [1, {b: 2}], c: 3}, (k, v) => k == "c" ? undefined : v)`,
			`"{\"a\":[1,{\"b\":2}]}"`,
		},
		{
			`JSON.stringify({a: {toJSON: () => 5}, b: undefined, d: () => 1}, null, 1)`,
			`"{\n \"a\": 5\n}"`,
		},
		{`JSON.stringify()`, ""},
		{`JSON.stringify("a")`, `"\"a\""`},
		{`({toJSON: () => undefined})`, "null"},
		{
			`[1, [2, [3, [4]]]].flat().length + "," + [1, [2, [3, [4]]]].flat(Infinity)`,
			`"3,1,2,3,4"`,
		},
		{`[1, [2, 3], null].join("-") + [[1, [2]], 3]`, `"1-2,3-1,2,3"`},
		{
			`(() => { try { JSON.parse("[".repeat(2e4)) } catch (e) { return e.name } })()`,
			`"SyntaxError"`,
		},
		{
			`(() => { try { eval("(".repeat(2e4)) } catch (e) { return e.name } })()`,
			`"SyntaxError"`,
		},
		{`Object.keys(JSON).length + Object.keys(Array.prototype).length`, "0"},
	} {
		expr, want := c[0], c[1]
		v, err := m.Value(expr)
		require.NoError(t, err, expr)
		require.Equal(t, want, v.Text(), expr)
	}
}

// TestModel_PlainCode runs plain code before and after non-plain code.
func TestModel_PlainCode(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<datamodel>
	<data id="e" expr="In('s') ? 1 : {a: [], b: -1 + 2}"/>
	</datamodel><state id="s">
	<onentry><script>e = JSON; x = e</script><assign location="e" expr="e.parse"/></onentry>
	</state>`))
	_, err := m.Value(`e("[".repeat(2e4))`)
	require.ErrorContains(t, err, tooDeep)
}

// TestModel_MessagesAreBounded throws objects whose own code runs when their text is requested.
func TestModel_MessagesAreBounded(t *testing.T) {
	language := ecmascript.Language{Timeout: 50 * time.Millisecond}
	for _, content := range []string{
		`<script>throw {toString() { for (;;); }}</script>`,
		`<script>throw {get toString() { for (;;); }}</script>`,
		`<script>var e = new Error(); e.toString = () => { for (;;); }; throw e</script>`,
		`<send eventexpr="({toString() { for (;;); }})"/>`,
		`<foreach array="({toString() { for (;;); }})" item="x"/>`,
	} {
		c := parseWith(t, language,
			`<state id="s"><onentry>`+content+`</onentry></state>`)
		m, err := scxml.NewSystem(scxml.Options{}).Add("m", c)
		require.NoError(t, err)
		done := make(chan struct{})
		go func() { defer close(done); _ = m.Start() }()
		select {
		case <-done:
		case <-time.After(time.Minute):
			require.Fail(t, "hangs", content)
		}
	}
}

// FuzzNesting lets the engine read texts with repeated parts. The result must be a value or an
// error.
func FuzzNesting(f *testing.F) {
	for _, part := range []string{"[", `{"a":`, "(", "(?=", "!", "`${", "a=>", "if(1)", "a?.", "+1",
		"class a extends ", "async ", "x``", "1?", "[{(", `"`, `\`, "/*", "//\n", "/(/"} {
		f.Add("", part, uint32(1e5), "")
		f.Add("1", part, uint32(300), "1")
	}
	c := parseWith(f, ecmascript.Language{},
		`<datamodel><data id="text"/></datamodel><state id="s"/>`)
	f.Fuzz(func(t *testing.T, first, part string, n uint32, last string) {
		text := first + strings.Repeat(part, int(n%(1<<21))/max(len(part), 1)) + last
		_, m := run(t, scxml.Options{}, c)
		quoted := scxml.String(text).Text()
		for _, expr := range []string{"JSON.parse(%)", "new Function(%)", "new RegExp(%)"} {
			_, _ = m.Value(strings.ReplaceAll(expr, "%", quoted))
		}
	})
}
