package ecmascript_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/timebase"
)

// parse returns a chart whose scripts may take any amount of time.
func parse(t testing.TB, inside string) *scxml.Chart {
	t.Helper()
	return parseWith(t, ecmascript.Patient(), inside)
}

func parseWith(t testing.TB, language ecmascript.Language, inside string) *scxml.Chart {
	t.Helper()
	c, err := scxml.Parse("test.scxml",
		[]byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">`+inside+`</scxml>`),
		scxml.Config{Languages: []scxml.Language{language}, Load: scxml.Dir(".")})
	require.NoError(t, err)
	return c
}

func run(t testing.TB, o scxml.Options, c *scxml.Chart) (*scxml.System, *scxml.Machine) {
	t.Helper()
	s := scxml.NewSystem(o)
	m, err := s.Add("m", c)
	require.NoError(t, err)
	require.NoError(t, m.Start())
	return s, m
}

func TestModel_Values(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<script>function f() { return 1 }</script>
	<datamodel><data id="x"><a><b c="1">one</b><b c="2"/></a></data><data id="Map" expr="1"/><data id="toString"/></datamodel><state id="s"/>`))
	for expr, want := range map[string]string{
		"1 / 3": "0.3333333333333333", "'é\\u2028'": `"é\u2028"`, "-0": "-0", "1e21": "1e+21",
		"undefined": "", "null": "null", "f": "",
		"NaN": "null", "[1, , undefined]": "[1,null,null]", "({b: 1, a: 2})": `{"b":1,"a":2}`,
		"true": "true", "new Date(0)": `"1970-01-01T00:00:00.000Z"`,
		"9007199254740991": "9007199254740991", "{}": "{}", "Map": "1",
		"typeof toString": `"undefined"`,
		"typeof require + typeof console + typeof setTimeout": `"undefinedundefinedundefined"`,
		"x.tagName + x.getElementsByTagName('b').length + x.children[1].getAttribute('c') + " +
			"x.firstChild.textContent": `"a22one"`, "x.getAttribute('none')": "null",
		"x.childNodes[0].hasAttribute('c')": "true", "globalThis.Map": "1", "In('s')": "true",
	} {
		v, err := m.Value(expr)
		require.NoError(t, err, expr)
		require.Equal(t, want, v.Text(), expr)
	}
	for expr, want := range map[string]string{"nope": "nope is not defined",
		"(function g() { return g() })()": "nested deeper than 500",
		"a = {}, a.a = a":                 "circular", "Symbol()": "symbol",
		"1; 2":   "expected one expression",
		"return": "Unexpected token return"} {
		_, err := m.Value(expr)
		require.ErrorContains(t, err, want, expr)
	}
}

func TestModel_ReadOnly(t *testing.T) {
	for _, location := range []string{"_event", "_sessionid", "_name", "_ioprocessors", "_x",
		"undeclared", "_event.name", "x.tagName"} {
		_, m := run(t, scxml.Options{},
			parse(t,
				`<datamodel><data id="x"><a/></data></datamodel><state id="s"><onentry><raise event="e"/></onentry><transition event="e" target="t"/></state>
		<state id="t"><onentry><assign location="`+location+
					`" expr="1"/></onentry><transition event="error.execution" target="ok"/>`+
					`</state><state id="ok"/>`))
		require.Equal(t, []string{"ok"}, m.Configuration(), location)
	}
}

// TestModel_ReadOnlyInScripts tests X17 for scripts that are not strict and that write to parts:
// each attempt raises error.execution and has no effect.
func TestModel_ReadOnlyInScripts(t *testing.T) {
	data, _ := scxml.JSON(`{"x": 1, "list": [3, 1, {"deep": true}]}`)
	for _, script := range []string{
		"_event = 1", "var _name = 1", "let _name = 1", "function _x() {}", "_sessionid += 1",
		"[_name] = [1]", "this._x = 1", "_event.name = 'n'",
		"delete _event.name", "_event.data = 1", "_event.data.x = 2", "_event.data.y = 2",
		"_event.data.x++", "_event.data.list.push(1)", "_event.data.list.sort()",
		"_event.data.list[2].deep = false", "delete _event.data.x",
		"Object.defineProperty(_event, 'name', {value: 1})", "_x.time = 7",
		"_ioprocessors.scxml.location = ''",
		"Object.setPrototypeOf(_event, null)", "var d = _event.data; d.x = 2",
	} {
		_, m := run(t, scxml.Options{},
			parse(t, `<state id="s"><transition event="e" target="t"><script>`+
				script+
				`</script><log label="not reached"/><raise event="not.reached"/></transition></state>
		<state id="t"><transition event="error.execution" target="ok"/><transition event="*" target="bad"/></state><state id="ok"/><state id="bad"/>`))
		require.NoError(t, m.Handle(scxml.Event{Name: "e", Data: data}), script)
		require.Equal(t, []string{"ok"}, m.Configuration(), script)
	}
	_, m := run(t, scxml.Options{},
		parse(t, `<datamodel><data id="before"/><data id="after"/></datamodel><state id="s">
	<transition event="e"><assign location="before" expr="JSON.stringify(_event)"/><script>try { _event.data.list.pop() } catch (e) { }
	try { _event.data.list[2].deep = 0 } catch (e) { }</script><assign location="after" expr="JSON.stringify(_event)"/></transition></state>`))
	require.NoError(t, m.Handle(scxml.Event{Name: "e", Data: data}))
	same, err := m.Value("before === after && before.length > 50")
	require.NoError(t, err)
	require.Equal(t, "true", same.Text())
}

// TestModel_PartsOfEventsAreCopied assigns parts of _event to variables, which the chart may then
// change, and reads the read-only parts in all possible ways.
func TestModel_PartsOfEventsAreCopied(t *testing.T) {
	data, _ := scxml.JSON(`{"list": [{"n": 1}, {"n": 2}], "x": {"y": [7]}}`)
	_, m := run(t, scxml.Options{},
		parse(t,
			`<datamodel><data id="sum" expr="0"/><data id="mine"/><data id="item"/><data id="seen"/></datamodel><state id="s">
	<transition event="e" target="t"><assign location="mine" expr="_event.data"/><assign location="mine.x.y[0]" expr="8"/>
	  <foreach array="_event.data.list" item="item"><assign location="item.n" expr="item.n * 10"/><assign location="sum" expr="sum + item.n"/></foreach>
	  <script>mine.list.push(3)
	  seen = [Array.isArray(_event.data.list), _event.data.list.map(x => x.n).join(), Object.keys(_event.data).join(), 'x' in _event.data,
	    JSON.stringify(_event.data), _event.data.list instanceof Array, [...(_event.data.list)].length, _event.data.list.concat([1]).length]</script>
	</transition><transition event="error" target="bad"/></state><state id="t"/><state id="bad"/>`))
	require.NoError(t, m.Handle(scxml.Event{Name: "e", Data: data}))
	require.Equal(t, []string{"t"}, m.Configuration())
	for expr, want := range map[string]string{"sum": "30",
		"mine": `{"list":[{"n":1},{"n":2},3],"x":{"y":[8]}}`,
		"seen": `[true,"1,2","list,x",true,"{\"list\":[{\"n\":1},{\"n\":2}],\"x\":{\"y\":[7]}}",t` +
			`rue,2,3]`} {
		v, err := m.Value(expr)
		require.NoError(t, err)
		require.Equal(t, want, v.Text(), expr)
	}
}

// TestModel_ReadOnlyPartsStaySoWhenSaved uses a script to store parts of _event in a variable.
func TestModel_ReadOnlyPartsStaySoWhenSaved(t *testing.T) {
	data, _ := scxml.JSON(`{"list": [1], "o": {}}`)
	text := `<datamodel><data id="v"/><data id="own"/></datamodel><state id="s"><transition event="e"><script>v = {a: _event.data, b: [1]}</script></transition>
	<transition event="b"><script>v.b.push(2)</script></transition><transition event="copy"><assign location="own" expr="v.a"/><script>own.o.x = 1</script></transition>
	<transition event="a" target="t"><script>v.a.o.x = 1</script></transition></state>
	<state id="t"><transition event="error.execution" target="ok"/></state><state id="ok"/>`
	s, m := run(t, scxml.Options{}, parse(t, text))
	require.NoError(t, m.Handle(scxml.Event{Name: "e", Data: data}))
	saved, err := s.AppendState(nil)
	require.NoError(t, err)
	s2, m2 := run(t, scxml.Options{}, parse(t, text))
	require.NoError(t, s2.RestoreState(saved))
	again, err := s2.AppendState(nil)
	require.NoError(t, err)
	require.Equal(t, saved, again)
	for _, e := range []string{"b", "copy", "a"} {
		require.NoError(t, m2.Handle(scxml.Event{Name: e}))
	}
	require.Equal(t, []string{"ok"}, m2.Configuration())
	v, err := m2.Value("[v, own]")
	require.NoError(t, err)
	require.Equal(t, `[{"a":{"list":[1],"o":{}},"b":[1,2]},{"list":[1],"o":{"x":1}}]`, v.Text())
}

func TestModel_StopsWhatDoesNotEnd(t *testing.T) {
	config := ecmascript.Config(".")
	config.Languages = []scxml.Language{ecmascript.Language{Timeout: 20 * time.Millisecond}}
	for _, inside := range []string{
		`<state id="s"><onentry><script>while (true) {}</script></onentry></state>`,
		`<state id="s"><transition cond="(function() { for (;;); })()"/></state>`,
		`<datamodel><data id="x"/></datamodel><state id="s"><onentry>` +
			`<assign location="x[(function() { for (;;); })()]" expr="1"/></onentry></state>`,
	} {
		c, err := scxml.Parse("loop.scxml",
			[]byte("<scxml xmlns='http://www.w3.org/2005/07/scxml' version='1.0'>\n"+inside+
				"</scxml>"), config)
		require.NoError(t, err)
		s := scxml.NewSystem(scxml.Options{})
		m, err := s.Add("m", c)
		require.NoError(t, err)
		err = m.Start()
		require.ErrorIs(t, err, scxml.ErrStopped)
		require.ErrorContains(t, err, "loop.scxml:2:")
		require.Equal(t, 1, strings.Count(err.Error(), scxml.ErrStopped.Error()),
			"said once: %v", err)
		require.False(t, m.Running())
	}
}

func TestModel_RandomAndDateComeFromTheMachine(t *testing.T) {
	draw := func(seed uint64) string {
		s, m := run(t, scxml.Options{Seed: seed, Start: 5 * timebase.Second},
			parse(t, `<datamodel><data id="a"/></datamodel><state id="s">
		<transition event="e"><assign location="a" expr="[Math.random(), Math.random(), Date.now(), new Date().toISOString(), _x.time, _x.seed]"/></transition></state>`))
		require.NoError(t, s.Advance(7500*timebase.Millisecond))
		require.NoError(t, m.Handle(scxml.Event{Name: "e"}))
		v, err := m.Value("a")
		require.NoError(t, err)
		return v.Text()
	}
	require.Equal(t, draw(1), draw(1))
	require.NotEqual(t, draw(1), draw(2))
	require.Contains(t, draw(3), `,7500,"1970-01-01T00:00:07.500Z",7.5,3]`)
}

func TestCompile_PointsAtTheError(t *testing.T) {
	for text, want := range map[string]scxml.Position{"1 +": {Line: 1, Column: 4}, "a b": {Line: 1,
		Column: 3}, "a\n b c": {Line: 2, Column: 2}} {
		_, err := ecmascript.Language{}.Compile(scxml.Expr, text)
		var c *scxml.CompileError
		require.ErrorAs(t, err, &c)
		require.Equal(t, want, c.Position, text)
	}
	for role, texts := range map[scxml.Role][]string{
		scxml.Location: {"1", "f()", "a + b", ""}, scxml.Variable: {"a.b", "continue", "1", "a, b",
			" ", "'x'"}, scxml.Expr: {"", "var x", "if (1) 2", "a; b"},
	} {
		for _, text := range texts {
			_, err := ecmascript.Language{}.Compile(role, text)
			require.Error(t, err, "%d %q", role, text)
		}
	}
	for _, text := range []string{strings.Repeat("(", 400) + strings.Repeat(")", 400),
		strings.Repeat("!", 300<<10)} {
		_, err := ecmascript.Language{}.Compile(scxml.Expr, text)
		require.Error(t, err)
	}
}

// repeated returns the paths "a", "a.a" and so on.
func repeated(name string, n int) (paths []string) {
	for k := range n {
		paths = append(paths, strings.TrimSuffix(strings.Repeat(name+".", k+1), "."))
	}
	return paths
}

func TestFacts(t *testing.T) {
	facts := func(role scxml.Role, text string) scxml.Facts {
		c, err := ecmascript.Language{}.Compile(role, text)
		require.NoError(t, err)
		return ecmascript.Language{}.Facts(c)
	}
	require.Equal(t, scxml.Facts{Uses: []string{"a", "d", "f"}, States: []string{"s"},
		Calls: []string{"f"}, Members: []string{"a.b", "a"},
		Asks: []string{"a.b.c", "a.b", "a", "nope"}}, facts(scxml.Condition,
		"a.b.c > f({x: d, e: 1}) && In('s') && typeof nope == 'x'"))
	for text, want := range map[string][]string{
		"a && a.b": nil, "a.b && a.b.c": {"a"}, "a?.b.c": nil, "a ? a.b : 0": nil,
		"!a || a.b == 1": nil, "(a || b) && a[0].c": {"a[]"}, "typeof a != 'undefined' && a.b": nil,
		"a + a.b": {"a"}, "(x => x.y)(a)": nil, "f(a).b": nil, "'x'.length": nil,
	} {
		require.Equal(t, want, facts(scxml.Condition, text).Members, text)
	}
	for text, want := range map[string][]string{
		"1": {""}, "'x'": {""}, "null": nil, "a": nil, "f()": nil, "new Map()": {""},
		"[{a: 1}]": {""},
		"{a: 1, 'b': {c: true, d: null, ['e']: 1}, get g() { return 1 }, ...h}": {"", "a", "b",
			"b.c"},
		"{" + strings.Repeat("a: {", 100) + strings.Repeat("}", 101): append([]string{""},
			repeated("a", 16)...),
	} {
		require.Equal(t, want, facts(scxml.Expr, text).Parts, text)
	}
	for text, want := range map[string]string{"a": "a", "a.b.c": "a.b.c", "a[0].b": "a[].b",
		"f().b": ""} {
		require.Equal(t, want, facts(scxml.Location, text).Path, text)
	}
	for text, want := range map[string][]string{
		"({ä: 'ß', 'b': f(c), d: [1, 2]})": {"ä: 'ß'", "b: f(c)", "d: [1, 2]"}, "{3: 4}": nil,
		"{a: -1}": {"a: -1"}, "{a, b: 1}": nil, "{...a, b: 1}": nil, "{['a']: 1}": nil,
		"{get a() { return 1 }}": nil, "[1]": nil, "a": nil, "({a: 1});": nil,
	} {
		var fields []string
		for _, f := range facts(scxml.Expr, text).Fields {
			fields = append(fields, f.Name+": "+f.Expr)
		}
		require.Equal(t, want, fields, text)
	}
	require.Equal(t, []string{"a"}, facts(scxml.Expr, "[1].map(x => x + a)").Uses)
	require.True(t, facts(scxml.Condition, "a = 1").Changes)
	require.True(t, facts(scxml.Condition, "a.b++").Changes)
	require.False(t, facts(scxml.Condition, "(function() { var a = 1; a++; return a })()").Changes)
	for text, want := range map[string]bool{
		"a.push(1)": true, "a.b.sort()": true, "a.slice().sort()": false,
		"[a].map(x => a = x)": true, "[1].map(x => { var y = x; y++; return y })": false,
		"Object.assign(a, b)": true, "Object.assign({}, a)": false, "d.setHours(3)": true,
		"delete a.b": true, "Math.max(a, b)": false, "a == 1": false,
		"(() => { for (a of b) {} })()": true, "f(a)": false, "Math.fill": false,
		"([x, a] = b)": true,
	} {
		require.Equal(t, want, facts(scxml.Condition, text).Changes, text)
	}
	require.True(t, facts(scxml.Expr, "Math.random()").Random)
	for text, want := range map[string]bool{
		"new Date().getHours()": true, "d.getUTCHours()": false, "new Date(2026, 1)": true,
		"new Date(0)": false, "new Date('2026-01-02')": false,
		"new Date('2026-01-02T03:04')": true, "new Date('2026-01-02T03:04Z')": false,
		"new Date('2026-01-02T03:04+01:00')": false, "Date.parse('3 May 2026')": true,
		"Date()": true, "'' + new Date()": true, "`${new Date()}`": true,
		"String(new Date())": true, "new Date().toString()": true, "(5).toString()": false,
		"new Date().toISOString()": false, "d.setMinutes(1)": true, "d.setUTCMinutes(1)": false,
		"x.toLocaleString()": false, "Date.now()": false,
	} {
		require.Equal(t, want, facts(scxml.Expr, text).LocalDate, text)
	}
	for text, want := range map[string]bool{"eval('x')": true, "evaluate(x)": false,
		"'eval(x)'": false, "new Function('x')": true, "this.x = 1": true,
		"globalThis['x'] = 1": true, "a.eval": false} {
		require.Equal(t, want, facts(scxml.Statements, text).Dynamic, text)
	}
	for text, want := range map[string]bool{"throw 1": true, "if (a) throw 1": true,
		"JSON.parse(a)": true, "JSON.stringify(a)": false, "function f() { throw 1 }": false} {
		require.Equal(t, want, facts(scxml.Statements, text).Fails, text)
	}
	require.Equal(t, []scxml.Function{{Name: "f", Changes: true}, {Name: "g", Calls: []string{"f",
		"h"}}, {Name: "k", Changes: true, Fails: true}, {Name: "l"}, {Name: "m", Changes: true}},
		facts(scxml.Statements,
			`function f() { n++ } var g = function(x) { var h2 = x; h2 = h(f()) }; k = () => { list.push(1); throw 1 };
		function l(x) { var o = {}; o.x = x; x = 2; return o } function m(x) { x.y = 1 }`).Functions)
	require.Equal(t, []string{"a", "b c"}, facts(scxml.Statements,
		"if (In('a') || In(\"b c\") || In(x) || o.In('d')) {} // In('e')").States)
	require.Equal(t, []string{"f", "i", "g"}, facts(scxml.Statements,
		"function f(a) { return a + h } var i = 0; g = 1").Declares)
	require.Equal(t, []string{"g", "h"}, facts(scxml.Statements,
		"function f(a) { return a + h } var i = 0; g = 1").Uses)
}
