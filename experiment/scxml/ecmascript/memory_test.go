package ecmascript_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
)

const (
	tooMany = "elements, expected at most"
	tooLong = "longer than 16777216 characters"
	absent  = "is not defined"
)

// TestModel_Prototypes creates objects that would become their own prototypes through a proxy,
// which would make the engine recurse until the process crashes.
func TestModel_Prototypes(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<state id="s"/>`))
	for _, c := range [][2]string{
		{`(t => Object.setPrototypeOf(t, new Proxy(t, {})).x)({})`, absent},
		{`Object.setPrototypeOf(eval, Object.create(eval)).x`, "Cyclic"},
		{`(o => { JSON.parse.__proto__ = o })(Object.create(JSON.parse))`, "Cyclic"},
		{`Object.setPrototypeOf(Function.prototype, Object.create(Function)).x`, "Cyclic"},
		{`Object.setPrototypeOf(Array.prototype, Object.create(_ioprocessors)).x`,
			"system variable"},
		{`Reflect.setPrototypeOf(Array.prototype, Object.create(_ioprocessors)).x`,
			"system variable"},
		{`(o => { Array.prototype.__proto__ = o })(Object.create(_ioprocessors))`,
			"system variable"},
		{`(o => { for (var i = 0; i < 2e4; i++) o = Object.create(o); ({}).__proto__ = o })({})`,
			"chain of prototypes"},
	} {
		_, err := m.Value(c[0])
		require.ErrorContains(t, err, c[1], c[0])
	}
	v, err := m.Value(`[Object.setPrototypeOf({}, {a: 1}).a, ({__proto__: {a: 2}}).a,
		(o => { o.__proto__ = null; return Object.getPrototypeOf(o) })({})]`)
	require.NoError(t, err)
	require.Equal(t, `[1,2,null]`, v.Text())
}

// TestModel_CallsThatTakeAll calls uninterruptible engine functions that would use up all memory or
// take hours.
func TestModel_CallsThatTakeAll(t *testing.T) {
	chart := parse(t, `<datamodel><data id="five" expr="'aaaaa'"/>
	<data id="mega" expr="'x'"/></datamodel><script>for (var i = 0; i != 20; i++) five += five,
	mega += mega</script><state id="s"/>`)
	const sparse = `(a => { a[4294967294] = 1; return a })([])`
	for _, c := range [][2]string{
		{`new ArrayBuffer(1e13)`, absent},
		{`new Float64Array(1e11)`, absent},
		{`BigInt(2)`, absent},
		{`2n ** (2n ** 36n)`, "found the BigInt"},
		{`eval("1n << 68719476736n")`, "found the BigInt 68719476736n"},
		{`"x".repeat(2**34)`, tooLong},
		{`"".repeat.call({toString: () => "xx"}, 2**33)`, tooLong},
		{`"x".padStart({valueOf: () => 2**34})`, tooLong},
		{`"x".padEnd(2**34)`, tooLong},
		{`"".concat(...Array(99).fill(mega))`, tooLong},
		{`String.raw({raw: {length: 2**31}})`, tooMany},
		{`String.raw({raw: Array(99).fill(mega)})`, tooLong},
		{`"a".repeat(1e6).replaceAll("a", "b".repeat(1e6))`, tooLong},
		{`"a".repeat(1e5).replaceAll("a", "$'")`, tooLong},
		{`"a".repeat(1e5).replace(/a/g, "$&".repeat(1000))`, tooLong},
		{"\"a\".repeat(1e5).replace(/a/g, \"$`\")", tooLong},
		{`"a".repeat(1e3).replace(/a/g, () => mega)`, tooLong},
		{`"a".repeat(1e3).replaceAll("a", () => mega)`, tooLong},
		{`five.split("")`, tooMany},
		{`five.match(/a/g)`, "a text of 5242880 characters"},
		{`five.split(/a/)`, "a text of 5242880 characters"},
		{`RegExp.prototype[Symbol.replace].call(/a/g, five, "")`, "a text of"},
		{`new Set(five)`, tooMany},
		{`Object.keys(five)`, tooMany},
		{`Object.assign({}, new String(five))`, tooMany},
		{`new Array(2**32-1).fill(1)`, tooMany},
		{`new Array(2**32-1).join("xx")`, tooMany},
		{`Array(2**20).join("x".repeat(17))`, tooLong},
		{`[Array(2**32-1)].toLocaleString()`, tooMany},
		{`Array.from({length: 1e9})`, tooMany},
		{`Array.prototype.indexOf.call({length: 2**53}, 1)`, tooMany},
		{`((n, o) => [].indexOf.call(o, 1))(0, {get length() { return 2**53 }})`, "computed"},
		{`[].indexOf.call(Object.create([1]))`, "inherited"},
		{`[].indexOf.call({length: {valueOf: () => 2**53}}, 1)`, "is an object"},
		{`[1].concat(Array(2**32-2))`, tooMany},
		{`[1].concat({length: 2**53, [Symbol.isConcatSpreadable]: true})`, tooMany},
		{`[...` + sparse + `]`, tooMany},
		{`new Set(` + sparse + `)`, tooMany},
		{`new Map(` + sparse + `.entries())`, tooMany},
		{`Math.max.apply(null, {length: 4e8})`, tooMany},
		{`Reflect.apply(Math.max, null, {length: 4e8})`, tooMany},
		{`Reflect.construct(Array, {length: 4e8})`, tooMany},
		{`(a => { for (var i = 0; i < 40; i++) a = [a, a]; return a.flat(99) })([1])`, tooMany},
		{`JSON.stringify(Array(99).fill(mega))`, tooLong},
		{`JSON.stringify(Array(99).fill(mega), ["a"])`, tooLong},
		{`JSON.stringify((a => { for (var i = 0; i < 9000; i++) a = [1, a]; return a ` +
			`})([]), [], 9)`,
			tooLong},
		{`JSON.stringify((a => { for (var i = 0; i < 9000; i++) a = [1, a]; return a ` +
			`})([]), null, 9)`,
			tooLong},
		{`JSON.parse("[" + "[],".repeat(6e5) + "1]")`, "600001 lists and objects"},
	} {
		_, m := run(t, scxml.Options{}, chart)
		_, err := m.Value(c[0])
		require.ErrorContains(t, err, c[1], c[0])
	}
}

// TestModel_TextsThatDouble joins texts until they are too long.
func TestModel_TextsThatDouble(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<state id="s"/>`))
	for _, script := range []string{
		`(s => { for (;;) s += s })("x")`,
		`(s => { for (;;) s = s + "/" + s })("x")`,
		"(s => { for (;;) s = `${s}${s}` })('x')",
		"(s => { s = s.repeat(1e6); return `" + strings.Repeat("${s}", 60_000) + "` })('x')",
		`(o => { for (;;) o = [o + o] })("x")`,
		`eval("for (var s = 'x';;) s += s")`,
		`new Function("for (var s = 'x';;) s += s")()`,
		`(e => { for (;;) e.name = e.message = String(e) })(new Error("x"))`,
		`(r => { for (;;) r.source = r.flags = RegExp.prototype.toString.call(r) })({source: "x"})`,
	} {
		_, err := m.Value(script)
		require.ErrorContains(t, err, tooLong, script)
	}
	_, err := m.Value(`(o => { for (;;) try { o.s += o.s } catch (e) {} })({s: "x"})`)
	require.ErrorIs(t, err, scxml.ErrStopped)
	require.ErrorContains(t, err, "a text of 33554432 characters, expected at most 16777216")
}

// TestModel_ToJSONIsAskedOnce uses an object whose toJSON returns something different the second
// time.
func TestModel_ToJSONIsAskedOnce(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<state id="s"/>`))
	v, err := m.Value(`((n, o) => { o = {toJSON() { return n++ < 1 ? 1 : {a: o} }}
		return JSON.stringify(o, ["a"]) + n })(0)`)
	require.NoError(t, err)
	require.Equal(t, `"11"`, v.Text())
}

// TestModel_BoundedCallsWork calls the same functions within their bounds.
func TestModel_BoundedCallsWork(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<state id="s"/>`))
	for _, c := range [][2]string{
		{`"ab".repeat(2) + "x".padStart(3, "12") + "x".padEnd(2) + "a".concat(1, null)`,
			`"abab12xx a1null"`},
		{"String.raw`a\\n${1 + 1}b` + String.raw({raw: [1, 2]}, 0)", `"a\\n2b102"`},
		{`"a-b-c".split("-").length + "a1b".split(/\d/).length + "abc".split().length`, `6`},
		{`"aXbX".replace("X", "$&$&") + "aXbX".replaceAll("X", x => x + 1)`, `"aXXbXaX1bX1"`},
		{`"a1b2".replace(/(\d)/g, "[$1]") + "a1b2".replace(/\d/, d => d * 2)`, `"a[1]b[2]a2b2"`},
		{`[..."añ😀"].length + Array.from("xy", c => c + 1)[1] + "a1a".match(/a/g).length`,
			`"3y12"`},
		{`[3, 1, 2].sort().concat([4], 5).reverse().map(x => x * 2)`, `[10,8,6,4,2]`},
		{`[].map.call({length: 2, 0: 1, 1: 2}, x => -x)`, `[-1,-2]`},
		{`[].map.call("ab", x => x + x)`, `["aa","bb"]`},
		{`(function() { return [].slice.call(arguments, 1) })(1, 2, 3)`, `[2,3]`},
		{`[1, [2, [3, [4]]]].flat(2).length + [[1], , [2]].flat().length`, `6`},
		{`[1.5, [null, undefined, "a"]].toLocaleString() + [[[]]].join()`, `"1.5,,,a"`},
		{`Math.max.apply(null, [1, 3]) + Reflect.apply(Math.min, null, [1, 3])`, `4`},
		{`Reflect.construct(Date, [0]).getTime() + Array.from(new Set([1, 1, 2])).length`, `2`},
		{`(a => [...a.entries()].length + [...a.keys()].length + [...a].length)([1, 2])`, `6`},
		{`Object.entries({a: 1}).concat(Object.keys("ab"), Object.values([7]))`,
			`[["a",1],"0","1",7]`},
		{`[].map.name + [].map.length + "".repeat.name + Function.name + Function.length`,
			`"map1repeatFunction1"`},
		{`"12n" + eval("'n12'")`, `"12nn12"`},
	} {
		v, err := m.Value(c[0])
		require.NoError(t, err, c[0])
		require.Equal(t, c[1], v.Text(), c[0])
	}
}

// TestModel_BoundsMemory runs scripts that keep everything that they create, either at once or bit
// by bit.
func TestModel_BoundsMemory(t *testing.T) {
	const inside = `<datamodel><data id="all" expr="[]"/><data id="s" expr="'x'"/><data id="big"
	expr="(s => { for (var i = 0; i != 20; i++) s += s; return s })('x')"/></datamodel>
	<state id="s0"/>`
	for name, script := range map[string]string{
		"at one instant":     `(a => { for (;;) a.push(big + a.length) })([])`,
		"bit by bit":         `all.push(big + all.length)`,
		"by operators alone": `(all = {next: all, s: "y" + big + all.next}).s.length`,
	} {
		t.Run(name, func(t *testing.T) {
			_, m := run(t, scxml.Options{}, parse(t, inside))
			var err error
			for range 2000 {
				if _, err = m.Value(script); err != nil {
					break
				}
			}
			require.ErrorIs(t, err, scxml.ErrStopped)
			require.ErrorContains(t, err, "the scripts of all machines use more than 128 MB")
		})
	}
}

// TestModel_BoundsMemoryOfManyMachines evaluates one expression in each of many machines, so that
// none of them has many evaluations, or long ones.
func TestModel_BoundsMemoryOfManyMachines(t *testing.T) {
	c := parse(t, `<datamodel><data id="s" expr="''"/></datamodel><state id="s0"/>`)
	var all []any
	var err error
	for range 100 {
		_, m := run(t, scxml.Options{}, c)
		all = append(all, m)
		if _, err = m.Value(`(s = "x".repeat(8 << 20)).length`); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, scxml.ErrStopped)
	require.ErrorContains(t, err, "the scripts of all machines use more than 128 MB")
	runtime.KeepAlive(all)
}

// TestModel_CountsValuesThatArrive gives many machines values from outside: data that a chart
// receives from its invoker or keeps from events. No script of these machines creates anything.
func TestModel_CountsValuesThatArrive(t *testing.T) {
	text := scxml.String(strings.Repeat("x", 1<<19))
	for name, keep := range map[string]string{"data": "", "events": `<state id="s"><transition
		event="e"><assign location="d" expr="_event.data"/></transition></state>`} {
		t.Run(name, func(t *testing.T) {
			chart := parse(t, `<datamodel><data id="d"/></datamodel>`+cmp.Or(keep, `<state id="s"/>`))
			system := scxml.NewSystem(scxml.Options{})
			var err error
			for k := 0; k < 500 && err == nil; k++ {
				var m *scxml.Machine
				m, err = system.Add(fmt.Sprint("m", k), chart)
				require.NoError(t, err)
				if keep == "" {
					require.NoError(t, m.SetData("d", text))
				}
				if err = m.Start(); err == nil && keep != "" {
					err = m.Handle(scxml.Event{Name: "e", Data: text})
				}
			}
			require.ErrorContains(t, err, "the scripts of all machines use more than 128 MB")
			runtime.KeepAlive(system)
		})
	}
}

// TestModel_GarbageIsFree runs scripts that create much more than they keep.
func TestModel_GarbageIsFree(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<state id="s"/>`))
	for range 100 {
		_, err := m.Value(`(s => { for (var i = 0; i < 20; i++) s += s; return s.length })("x")`)
		require.NoError(t, err)
	}
}

// TestModel_BoundsEvents sends a message that would take a gigabyte when turned into lists.
func TestModel_BoundsEvents(t *testing.T) {
	data, ok := scxml.JSON("[" + strings.Repeat("[],", 2_600_000) + "1]")
	require.True(t, ok)
	c := parse(t, `<datamodel><data id="n" expr="0"/></datamodel><state id="s">
	<transition event="e"><assign location="n" expr="_event.data.length"/></transition>
	<transition event="error.execution"><assign location="n" expr="_event.data"/>
	</transition></state>`)
	_, m := run(t, scxml.Options{}, c)
	require.NoError(t, m.Handle(scxml.Event{Name: "e", Data: data}))
	v, err := m.Value("n")
	require.NoError(t, err)
	require.Contains(t, v.Text(), "2600001 lists and objects")
}

// TestSystem_EndsTheMachineThatKeepsTooMuch: the error names the machine's states.
func TestSystem_EndsTheMachineThatKeepsTooMuch(t *testing.T) {
	c := parse(t, `<state id="greedy"><onentry>
	<script>for (var s = "x"; s.length != 1048576;) s += s
	for (var a = [];;) a.push(s + a.length)</script></onentry></state>`)
	m, err := scxml.NewSystem(scxml.Options{}).Add("m", c)
	require.NoError(t, err)
	err = m.Start()
	require.ErrorIs(t, err, scxml.ErrStopped)
	require.ErrorContains(t, err, "use more than 128 MB in greedy;")
}

// TestModel_DoesNotCountWhatOthersKeep runs scripts that create nothing while the process keeps
// more and more: they only look at a list.
func TestModel_DoesNotCountWhatOthersKeep(t *testing.T) {
	const steps, bytes = 20_000, 16 << 10
	for name, length := range map[string]int{"list": 1000, "long list": 5000} {
		t.Run(name, func(t *testing.T) {
			_, m := run(t, scxml.Options{}, parse(t, fmt.Sprintf(`<datamodel><data id="l"
				expr="Array.from({length: %d}, (x, i) => i)"/></datamodel><state id="s"/>`, length)))
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			var kept [][]byte
			for k := range steps {
				kept = append(kept, make([]byte, bytes))
				_, err := m.Value(`l.indexOf(0)`)
				require.NoError(t, err, "step %d", k)
			}
			runtime.ReadMemStats(&after)
			require.Equal(t, before.NumForcedGC, after.NumForcedGC, "forced collections")
			runtime.KeepAlive(kept)
		})
	}
}

// TestModel_GarbageWhileOthersKeep runs a script that creates nearly everything that the process
// allocates and keeps nothing, while another part of the process keeps more and more. Then a script
// keeps what it creates, which is noticed soon after the limit. The other part works in a recursion
// that is deeper than the functions that a simple profile has.
func TestModel_GarbageWhileOthersKeep(t *testing.T) {
	const steps, bytes = 40, 8 << 20 // 320 MB
	_, m := run(t, scxml.Options{}, parse(t, `<datamodel><data id="all" expr="[]"/></datamodel>
	<state id="s"/>`))
	const levels = 24
	text := []byte(strings.Repeat("[", levels) + `"` + strings.Repeat("x", bytes) + `"` +
		strings.Repeat("]", levels))
	kept := make([]any, steps)
	for k := range steps {
		require.NoError(t, json.Unmarshal(text, &kept[k]))
		for range 4 {
			_, err := m.Value(`(s => { for (var i = 0; i < 22; i++) s += s; return s.length })("x")`)
			require.NoError(t, err, "step %d", k)
		}
	}
	var err error
	k := 0
	for ; k < 1000 && err == nil; k++ {
		_, err = m.Value(`all.push("x".repeat(1 << 20) + all.length)`)
	}
	require.ErrorIs(t, err, scxml.ErrStopped)
	require.ErrorContains(t, err, "the scripts of all machines use more than 128 MB")
	require.Less(t, k, 350, "128 MB and a quarter of the live memory")
	runtime.KeepAlive(kept)
}

// TestModel_CountsWhatIsMadeInDeepRecursion: nested groups let the compiler of patterns recurse so
// deeply that the functions that Go records for an allocation do not include the engine.
func TestModel_CountsWhatIsMadeInDeepRecursion(t *testing.T) {
	_, m := run(t, scxml.Options{}, parse(t, `<datamodel><data id="all" expr="[]"/></datamodel>
	<state id="s"/>`))
	var err error
	k := 0
	for ; k < 200 && err == nil; k++ {
		_, err = m.Value(`all.push(new RegExp("(".repeat(60) + ".{1000}".repeat(95) +
			")".repeat(60) + all.length))`)
	}
	require.ErrorIs(t, err, scxml.ErrStopped)
	require.ErrorContains(t, err, "the scripts of all machines use more than 128 MB")
	require.Less(t, k, 100, "4 MB each")
}
