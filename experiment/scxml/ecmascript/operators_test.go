package ecmascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
)

// TestModel_JoiningIsUnchanged: the operator + and templates convert and evaluate their operands as
// before, although their results are checked.
func TestModel_JoiningIsUnchanged(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<state id="s"/>`))
	for _, c := range [][2]string{
		{`((a, b) => [a + b, a + a, b + b, b + a])(1, "x")`, `["1x",2,"xx","x1"]`},
		{`["null".match(null).index, RegExp(null).source]`, `[0,"null"]`},
		{`((s, t) => { with ({"+": x => 42}) return s + t })("a", "b")`, `"ab"`},
		{`((a, b) => 1 / (a + b))(-0, -0)`, `null`},
		{`((a, b) => [a + b, typeof (a + b)])(true, null)`, `[1,"number"]`},
		{`((a, b) => a + b)({valueOf: () => 4, toString: () => "t"}, 1)`, `5`},
		{"((a, b) => `${a}${b}`)({valueOf: () => 4, toString: () => 't'}, 1)", `"t1"`},
		{`((a, b) => a + b)([1, 2], {})`, `"1,2[object Object]"`},
		{`((d, b) => typeof (d + b))(new Date(0), 1)`, `"string"`},
		{`(log => { var a = {toString() { log.push(1); return "a" }},
			b = {toString() { log.push(3); return "b" }};
			log.push(a + (log.push(2), b)); return log })([])`, `[2,1,3,"ab"]`},
		{"(log => { var a = {toString() { log.push(1); return 'a' }}, " +
			"b = () => { log.push(2); return 'b' }; " +
			"log.push(`${a}${b()}${a}`); return log })([])", `[1,2,1,"aba"]`},
		{`(x => { x += x; x += 1; return x })("a")`, `"aa1"`},
		{`((n, o) => { o[n++] += n; return [n, o] })(0, ["a"])`, `[1,["a1"]]`},
		{`(o => { o.a += o.a; o["b"] += o.a; return o })({a: 1, b: "x"})`, `{"a":2,"b":"x2"}`},
		{`(n => { var o = {get p() { n++; return "p" }, set p(v) { n += v }}; o.p += o.p; return n })("")`,
			`"2pp"`},
		{`new (class { #s = "s"; f() { this.#s += this.#s; return this.#s } })().f()`, `"ss"`},
		{`new (class extends (class { get v() { return "v" } }) { f() { return super.v + super.v } })().f()`,
			`"vv"`},
		{"(a => `${a}` + `${a}-${a}` + `${1}${2}${3}`)('é')", `"éé-é123"`},
		{"((t, a) => t`${a + a}|${a}`)((s, a, b) => s.raw.join() + a + b, 'x')", `",|,xxx"`},
		{`(a => ({...a, c: 3}))({b: 2})`, `{"b":2,"c":3}`},
		{`({...[7, 8], ..."ab", ...null})`, `{"0":"a","1":"b"}`},
		{`(a => { var {b, ...c} = a; return c })({b: 1, d: 2})`, `{"d":2}`},
		{`(a => { var b, c; ({b, ...c} = a); return c })({b: 1, d: 2})`, `{"d":2}`},
		{`(s => { for (var k in {a: 1, b: 2}) s = s + k + s; return s })(".")`, `".a.b.a."`},
		{`(s => { with ({s: "w"}) s += s; return s })("a")`, `"a"`},
		{`eval("let a = 1; class B {}; a + a") + typeof a + typeof B`, `"2undefinedundefined"`},
		{`eval("var ofEval = 'v'; function g(x) { return x + x } g(ofEval)") + ofEval`, `"vvv"`},
		{`[eval(), eval(5), eval(""), typeof eval("(function() {})")]`, `[null,5,null,"function"]`},
		{`[Function("a, b", "c", "return a + b + c")(1, 2, "3"), Function().name, Function("a", "").length]`,
			`["33","anonymous",1]`},
		{`(F => [new F("return 5")() + 1, new F() instanceof F])(class extends Function {})`,
			`[6,true]`},
		{`Function("return this")() === globalThis`, `true`},
		{`String(Function("a", "return a"))`, `"function anonymous(a\n) {\nreturn a\n}"`},
	} {
		v, err := m.Value(c[0])
		require.NoError(t, err, c[0])
		require.Equal(t, c[1], v.Text(), c[0])
	}
	for _, c := range [][2]string{
		{`((a, b) => a + b)(Symbol(), "x")`, "Symbol"},
		{`((a, b) => missing + b)(1, 2)`, "missing is not defined"},
		{`((a, b) => { "use strict"; missing += b })(1, 2)`, "missing is not defined"},
		{`Function("}, function() {")`, "SyntaxError"},
		{`Function("a = 1) {}, function(", "")`, "SyntaxError: found something after"},
		{`globalThis["+"] = x => x; "use strict"; (a => { for (;;) a += a })("a")`, "statements"},
		{`(g => { g["+"] = x => x; delete g["+"]; for (var a = "a";;) a += a })(globalThis)`, tooLong},
	} {
		_, err := m.Value(c[0])
		require.ErrorContains(t, err, c[1], c[0])
	}
}

// TestModel_RestOfObjects refuses the rest of an object whose size cannot be checked.
func TestModel_RestOfObjects(t *testing.T) {
	for _, text := range []string{`({...r}) => r`, `({...r} = {}) => r`,
		`(o => { for (var {...r} of o) ; })`, `(o => { var {a: {...r}} = o })`,
		`(o => { try { throw o } catch ({...r}) {} })`, `(o => { var [{...r}] = o })`} {
		_, err := ecmascript.Language{}.Compile(scxml.Expr, text)
		require.ErrorContains(t, err, "for the rest of an object in a parameter", text)
	}
	for _, text := range []string{`([...r]) => r`, `(...r) => r`, `(o => { let {a, ...r} = o })`,
		`(o => { var {a: {b}, ...r} = o })`, `(o => { for (let {...r} = o;;) break })`} {
		_, err := ecmascript.Language{}.Compile(scxml.Expr, text)
		require.NoError(t, err, text)
	}
}
