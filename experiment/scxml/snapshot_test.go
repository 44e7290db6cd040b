package scxml_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// rich uses everything that a state must contain: histories, timers, data, functions, randomness,
// machines that were invoked, late data.
const rich = `
<script>function twice(x) { return 2 * x } var calls = 0;</script>
<datamodel><data id="n" expr="0"/><data id="list" expr="[1, {a: 'é', b: [true, null, -0.5]}]"/><data id="x"><a b="c">text</a></data><data id="none"/></datamodel>
<state id="work">
  <history id="h" type="deep"><transition target="one"/></history>
  <onentry><send event="tick" delay="70ms" id="t"/></onentry>
  <invoke id="child" autoforward="true"><content>
    <scxml version="1.0"><datamodel><data id="k" expr="0"/></datamodel><state id="c">
      <onentry><send event="beat" delay="30ms"/></onentry>
      <transition event="beat" target="c"><assign location="k" expr="k + 1"/>
        <send target="#_parent" event="count"><param name="k" expr="k"/></send></transition>
    </state></scxml></content><finalize><assign location="calls" expr="_event.data.k"/></finalize></invoke>
  <state id="one"><transition event="tick" target="two"/></state>
  <state id="two"><transition event="tick" target="one"/></state>
  <transition event="tick" target="h"/>
  <transition event="count"><assign location="n" expr="twice(n) % 1000 + Math.random() + list[1].b.length"/><log expr="n + ' ' + calls + ' ' + _event.name"/></transition>
  <transition event="pause" target="rest"/>
</state>
<state id="rest"><onentry><send event="back" delay="15ms"/></onentry><transition event="back" target="h"/></state>`

// steps drives the machine from one step to another, advancing time and sending external events.
func steps(t *testing.T, r *rig, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		require.NoError(t, r.Advance(timebase.Time(i)*20*ms))
		if i%7 == 3 {
			require.NoError(t, r.Machine("m").Post(scxml.Event{Name: "pause"}))
		}
	}
}

func TestState_RestoredMachinesGiveTheSameRest(t *testing.T) {
	whole := newRig(scxml.Options{Seed: 7})
	whole.start(t, "m", rich)
	steps(t, whole, 0, 60)
	for at := 1; at < 60; at += 6 {
		first := newRig(scxml.Options{Seed: 7})
		first.start(t, "m", rich)
		steps(t, first, 0, at)
		saved, err := first.AppendState([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before", string(saved[:6]))

		second := newRig(scxml.Options{Seed: 7})
		_, err = second.Add("m", chart(t, rich))
		require.NoError(t, err)
		require.NoError(t, second.RestoreState(saved[6:]))
		again, err := second.AppendState(nil)
		require.NoError(t, err)
		require.Equal(t, saved[6:], again)
		steps(t, second, at, 60)
		require.Equal(t, whole.log, append(first.log, second.log...), "restored at step %d", at)
	}
}

// TestState_InAnotherProcess runs this test binary again, which restores from a file and prints the
// rest of the log.
func TestState_InAnotherProcess(t *testing.T) {
	if file := os.Getenv("SCXML_STATE"); file != "" {
		saved, err := os.ReadFile(file)
		require.NoError(t, err)
		r := newRig(scxml.Options{Seed: 7})
		_, err = r.Add("m", chart(t, rich))
		require.NoError(t, err)
		require.NoError(t, r.RestoreState(saved))
		steps(t, r, 20, 60)
		require.NoError(t, os.WriteFile(file+".log", []byte(strings.Join(r.log, "\n")), 0o600))
		return
	}
	r := newRig(scxml.Options{Seed: 7})
	r.start(t, "m", rich)
	steps(t, r, 0, 20)
	saved, err := r.AppendState(nil)
	require.NoError(t, err)
	file := t.TempDir() + "/state"
	require.NoError(t, os.WriteFile(file, saved, 0o600))
	r.log = nil
	steps(t, r, 20, 60)

	command := exec.Command(os.Args[0], "-test.run=^TestState_InAnotherProcess$")
	command.Env = append(os.Environ(), "SCXML_STATE="+file, "TZ=America/New_York")
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	log, err := os.ReadFile(file + ".log")
	require.NoError(t, err)
	require.Equal(t, strings.Join(r.log, "\n"), string(log))
}

func TestState_RefusesWhatJSONCannotHold(t *testing.T) {
	for expr, want := range map[string]string{
		"function() {}":    "the variable v is a Function",
		"({a: [1, NaN]})":  "the variable v.a[1] is NaN",
		"new Date(0)":      "the variable v is a Date",
		"({a: undefined})": "the variable v.a is undefined",
		"[1,,2]":           "an array with holes or named properties",
		"new Map()":        "an object of a class",
		"'x\\ud800y'":      "the variable v is a text with an unpaired surrogate",
		"['\\udc00']":      "the variable v[0] is a text with an unpaired surrogate",
		"Symbol('s')":      "the variable v is a symbol",
		"({get a() { return 1 }})": `the variable v is an object with the ` +
			`getter or setter "a"`,
		"Object.freeze({a: 1})":         "the variable v is a frozen or sealed object",
		"Object.preventExtensions([1])": "the variable v is a frozen or sealed object",
		"Object.defineProperty({}, 'a', {value: 1})": `the variable v is an object whose part ` +
			`"a" is hidden or read-only`,
		"({[Symbol.iterator]: 1})":      "an object with a symbol as a key",
		"({a: {b: Object.freeze([])}})": "the variable v.a.b is a frozen or sealed object",
		"({toString: w})":               "the variable w is the same object as v.toString",
		"({a: w, b: w})":                "the variable v.b is the same object as v.a",
	} {
		r := newRig(scxml.Options{})
		r.start(t, "m",
			`<datamodel><data id="w" expr="[]"/><data id="v"/></datamodel><state id="s"><onentry>`+
				`<assign location="v" expr="`+expr+`"/></onentry></state>`)
		_, err := r.AppendState(nil)
		require.ErrorIs(t, err, scxml.ErrState, expr)
		require.ErrorContains(t, err, want, expr)
	}
	r := newRig(scxml.Options{})
	r.start(t, "m", `<script>let hidden = 1</script><state id="s"/>`)
	_, err := r.AppendState(nil)
	require.ErrorContains(t, err, `"hidden" is declared by let, const or class`)
}

// TestState_RefusesGettersOfTheMachine: a variable itself can be computed.
func TestState_RefusesGettersOfTheMachine(t *testing.T) {
	r := newRig(scxml.Options{})
	r.start(t, "m",
		`<state id="s"><onentry><script>Object.defineProperty(globalThis, 'now', {get: `+
			`function() { return 1 }, enumerable: true})</script></onentry></state>`)
	_, err := r.AppendState(nil)
	require.ErrorContains(t, err, "the variable now is computed by a getter")
}

func TestState_RefusesForeignStatesAndChangesNothing(t *testing.T) {
	r := newRig(scxml.Options{})
	m := r.start(t, "m", rich)
	steps(t, r, 0, 5)
	saved, err := r.AppendState(nil)
	require.NoError(t, err)

	other := newRig(scxml.Options{})
	o := other.start(t, "m", `<state id="s"/>`)
	require.ErrorContains(t, other.RestoreState(saved), "another chart for machine m")
	require.Equal(t, []string{"s"}, o.Configuration())
	third := newRig(scxml.Options{})
	third.start(t, "n", rich)
	require.ErrorContains(t, third.RestoreState(saved), "a state of machine m")
	two := newRig(scxml.Options{})
	two.start(t, "m", rich)
	two.start(t, "n", rich)
	require.ErrorContains(t, two.RestoreState(saved), "no state of machine n")
	require.ErrorIs(t, r.RestoreState(saved[:len(saved)-1]), scxml.ErrState)

	before := m.Configuration()
	steps(t, r, 5, 9)
	require.NoError(t, r.RestoreState(saved), "into itself, backwards")
	require.Equal(t, before, m.Configuration())
	require.Equal(t, 80*ms, r.Now())
	steps(t, r, 5, 20)
}
