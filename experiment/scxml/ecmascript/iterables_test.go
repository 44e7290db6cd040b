package ecmascript_test

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml/ecmascript"
)

// TestModel_IterablesWork checks that functions and operators that go through iterables do so as the
// language defines, whatever creates the elements, and that classes can be extended.
func TestModel_IterablesWork(t *testing.T) {
	for _, script := range []string{
		`[...new Set([1, 1, 2]), ..."ab", ...[3]].join() == "1,2,a,b,3"`,
		`[...new Map([[1, 2]])][0][1] == 2`,
		`Math.max(...new Set([4, 7, 1])) == 7`,
		`new Date(...[2020, 1]).getFullYear() == 2020`,
		`function* g() { yield* [1, 2]; var x = yield* h(); yield x } ` +
			`function* h() { yield 3; return 4 } [...g()].join() == "1,2,3,4"`,
		`var [a, ...b] = new Set([1, 2, 3]); a == 1 && b.join() == "2,3"`,
		`var c; [c, ...d] = "xyz"; var d; d.join() == "y,z"`,
		`(([a, ...b]) => b.length)([1, 2, 3]) == 2`,
		`var n = 0; for (var [k, ...v] of [[1, 2, 3]]) n += v.length; n == 2`,
		`var log = ""; var it = {[Symbol.iterator]() { return {next: () => ({value: [], done: false}),` +
			` return() { log += "r"; return {} }}}}; try { new Map([..."a"]) } catch (e) { log += "e" }` +
			` try { new WeakSet({[Symbol.iterator]: () => ({next: () => ({value: 1}), return() {` +
			` log += "r"; return {} }})}) } catch (e) { log += "e" } log == "ere"`,
		`class L extends Array {} var l = L.from([1, 2]); l instanceof L && l.map(x => x) instanceof L`,
		`class M extends Map { get(k) { return super.get(k) + 1 } } new M([[1, 2]]).get(1) == 3`,
		`class S extends Set {} var s = new S("aab"); s.size == 2 && s instanceof S && s instanceof Set`,
		`new Map().constructor === Map && Map.name == "Map" && Set.length == 0`,
		`class P extends RegExp { get own() { return 1 } } ` +
			`RegExp[Symbol.species] === RegExp && P[Symbol.species] === P && Map[Symbol.species] === Map`,
		`var made = 0; class P extends RegExp { constructor(p, f) { super(p, f); made++ } } ` +
			`"a,b".split(new P(",")).join("") == "ab" && made == 2`,
		`Object.fromEntries(new Map([["a", 1]])).a == 1 && Array.from({length: 2}, (x, i) => i)[1] == 1`,
		`Array.from(new Set([1, 2]), x => 2 * x).join() == "2,4"`,
		`var p; Promise.all([1, Promise.resolve(2)]).then(v => { p = v.join() }); true`,
		`/(?<y>\d+)-(\d+)/.exec("10-20").groups.y == "10" && "aXbX".replace(/X/g, "-") == "a-b-"`,
		`var r = /a/y; r.test("aa") && r.lastIndex == 1 && "aba".match(/a/g).length == 2`,
		`[..."a1b2".matchAll(/[a-z](\d)/g)].map(m => m[1]).join("") == "12"`,
		`var e = 0; try { [...{}] } catch (x) { e = x instanceof TypeError } e`,
		`var e = 0; try { [...{[Symbol.iterator]: () => 1}] } catch (x) { e = x instanceof TypeError } e`,
		`var e = 0; try { Math.max(...Array(3e5)) } catch (x) { e = x instanceof RangeError } e`,
	} {
		require.NoError(t, runScript(t, 10*time.Second,
			`if (!eval(`+fmt.Sprintf("%q", script)+`)) throw new Error("wrong")`), script)
	}
}

const resortChild = "GOSMP_LAST_RESORT" // set in the process that ends

// TestModel_LastResort checks that a script that cannot be stopped ends the process before it takes
// all memory. The rest of a parameter is taken in one instruction, without a look at the time.
func TestModel_LastResort(t *testing.T) {
	if os.Getenv(resortChild) != "" {
		ecmascript.SetLastResort(func(reason string) {
			fmt.Println(reason)
			os.Exit(3)
		})
		_ = runScript(t, 100*time.Millisecond, `(([...r]) => r)({[Symbol.iterator]: `+
			`Object.prototype.valueOf, next: Object.bind(null, {value: 1})})`)
		t.Fatal("it has ended")
	}
	c := exec.Command(os.Args[0], "-test.run=^TestModel_LastResort$")
	c.Env = append(os.Environ(), resortChild+"=1")
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 3, exit.ExitCode(), string(out))
	require.Contains(t, string(out), "a script cannot be stopped")
}
