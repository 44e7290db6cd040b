package scxml_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/timebase"
)

// The tests in this file finish at once, or take hours if the tested cost is not bounded.

// slow is a chart whose script never terminates, although each evaluation in it does.
const slow = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><script>function work() { for (var i = 0; i &lt; 1e5; i++) {} return true }</script>
<datamodel><data id="item"/></datamodel>`

func TestMachine_BoundsTheScriptsOfAnInstant(t *testing.T) {
	for name, inside := range map[string]string{
		"foreach": `<state id="s"><onentry>` +
			strings.Repeat(`<foreach array="[1,2,3,4,5,6,7,8,9]" item="item">`, 9) +
			`<if cond="work()"/>` + strings.Repeat(`</foreach>`, 9) + `</onentry></state>`,
		"conditions": strings.Repeat(`<parallel><state>`+
			strings.Repeat(`<transition cond="!work()"/>`, 100)+`</state>`,
			100) + strings.Repeat(`</parallel>`, 100),
		"a long array": `<state id="s"><onentry><script>item = []; item.length = ` +
			`4294967295</script><foreach array="item" item="item"/></onentry></state>`,
	} {
		t.Run(name, func(t *testing.T) {
			c, err := scxml.Parse("slow.scxml", []byte(slow+inside+"</scxml>"), quick())
			require.NoError(t, err)
			m, err := scxml.NewSystem(scxml.Options{}).Add("m", c)
			require.NoError(t, err)
			require.ErrorIs(t, m.Start(), scxml.ErrStopped)
			require.ErrorContains(t, m.Err(), "scripts took more than 50ms at one instant")
		})
	}
}

// stopping is a language whose conditions are stopped at once.
type stopping struct {
	scxml.Language
	conditions *int // evaluated so far
}

func (l stopping) New(e scxml.Environment) scxml.Model {
	return &stoppingModel{l.Language.New(e), l.conditions}
}

type stoppingModel struct {
	scxml.Model
	conditions *int
}

func (m *stoppingModel) Bool(scxml.Code) (bool, error) {
	*m.conditions++
	return false, scxml.ErrStopped
}

// TestMachine_EvaluatesNothingAfterItsEnd: a condition that is stopped ends the machine, whose other
// conditions would each take time until they are stopped as well.
func TestMachine_EvaluatesNothingAfterItsEnd(t *testing.T) {
	n := 0
	config := scxml.Config{Languages: []scxml.Language{stopping{ecmascript.Language{}, &n}}}
	c, err := scxml.Parse("x", []byte(slow+`<parallel>`+strings.Repeat(
		`<state><transition cond="work()"/><transition event="e" cond="work()"/></state>`, 3)+
		`</parallel></scxml>`), config)
	require.NoError(t, err)
	m, err := scxml.NewSystem(scxml.Options{}).Add("m", c)
	require.NoError(t, err)
	require.ErrorIs(t, m.Start(), scxml.ErrStopped)
	require.Equal(t, 1, n)
}

// TestMachine_LimitsScriptsPerInstant runs scripts that exceed the bound together, although each
// takes only a small part of it.
func TestMachine_LimitsScriptsPerInstant(t *testing.T) {
	config := scxml.Config{Languages: []scxml.Language{ecmascript.Language{Timeout: time.Second}}}
	c, err := scxml.Parse("x",
		[]byte(slow+`<state id="s"><transition event="e" cond="!work()"/></state></scxml>`), config)
	require.NoError(t, err)
	r := newRig(scxml.Options{})
	m, err := r.Add("m", c)
	require.NoError(t, err)
	require.NoError(t, m.Start())
	for begun := time.Now(); time.Since(begun) < 1500*time.Millisecond; {
		require.NoError(t, r.Advance(r.Now()+timebase.Second))
		require.NoError(t, m.Handle(scxml.Event{Name: "e"}))
	}
}

func TestParse_BoundsTextsThatCostTooMuch(t *testing.T) {
	language := quick().Languages[0]
	for text, want := range map[string]string{
		strings.Repeat("(a=", 40) + "1" +
			strings.Repeat(")=>1", 40): "arrow functions are nested deeper than 5 " +
			"levels in parameters",
		strings.Repeat("(a={b:(", 40) + "1" +
			strings.Repeat(")})\n =>1", 40): "arrow functions are nested deeper than 5 " +
			"levels in parameters",
		strings.Repeat("a=>", 50_000) + "1": "more than 100 arrow functions return each other",
		strings.Repeat("[", 400):            "brackets are nested deeper than 300 levels",
	} {
		_, err := language.Compile(scxml.Expr, text)
		require.EqualError(t, err, want)
	}
	for _, fine := range []string{"a=>b=>c=>a+b+c", "(a,b)=>(c,d)=>a", "((a=(b)=>1)=>2)(3)",
		strings.Repeat("f(a=>1);", 300) + "0"} {
		_, err := language.Compile(scxml.Statements, fine)
		require.NoError(t, err, fine)
	}
}

// TestInspect_CountsEachHistoryOnce reads a chart with 2^40 ways through the defaults of its
// histories.
func TestInspect_CountsEachHistoryOnce(t *testing.T) {
	var b strings.Builder
	b.WriteString(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><parallel id="p">`)
	for _, side := range []string{"a", "b"} {
		fmt.Fprintf(&b, `<state id="%s"><state id="%[1]s0"/>`, side)
		for i := range 40 {
			target := "a0 b0"
			if i > 0 {
				target = fmt.Sprintf("ha%d hb%d", i-1, i-1)
			}
			fmt.Fprintf(&b, `<history id="h%s%d" type="deep"><transition target="%s"/></history>`,
				side, i, target)
		}
		b.WriteString(`</state>`)
	}
	b.WriteString(`</parallel></scxml>`)
	list := check.Chart("x", []byte(b.String()), check.Options{Config: quick()})
	require.Contains(t, fmt.Sprint(list), "or to a state more than once")
}

// TestSystem_BoundsMachines runs charts that invoke themselves twice: machines that stay, of which
// there would be 2^50, and machines that end when they cannot continue, of which there would be as
// many in succession.
func TestSystem_BoundsMachines(t *testing.T) {
	const head = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">`
	for name, inside := range map[string]string{
		"that stay": `<parallel id="p"><state id="a"><invoke src="self"/></state><state id="b">` +
			`<invoke src="self"/></state></parallel>`,
		"that end": `<state id="s"><invoke src="self"/><invoke src="self"/><transition event="done.invoke error" target="t"/></state>
			<final id="t"/>`,
	} {
		t.Run(name, func(t *testing.T) {
			text := []byte(head + inside + "</scxml>")
			config := quick()
			config.Load = func(string) ([]byte, error) { return text, nil }
			c, err := scxml.Parse("self.scxml", text, config)
			require.NoError(t, err)
			starts, most, refused := 0, 0, ""
			var s *scxml.System
			s = scxml.NewSystem(scxml.Options{Observe: func(r scxml.Record) {
				if r.Kind == scxml.Invoked {
					starts++
					most = max(most, len(s.Machines()))
				}
				if r.Kind == scxml.Raised && strings.Contains(r.Text,
					"expected at most 1000; invoked by state") {
					refused += r.Text
				}
			}})
			m, err := s.Add("m", c)
			require.NoError(t, err)
			_ = m.Start()
			require.LessOrEqual(t, most, 1001)
			require.LessOrEqual(t, starts, 10_000)
			if name == "that stay" {
				require.Contains(t, refused, "whose machine was invoked by state")
			}
		})
	}
}

// TestMachine_ManyRegions: the time for an event that thousands of regions of a parallel state react
// to grows with their number, not with the square.
func TestMachine_ManyRegions(t *testing.T) {
	const regions = 12_000
	var b strings.Builder
	b.WriteString(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><parallel id="p">` +
		`<transition event="out" target="end"/>`)
	for k := range regions {
		fmt.Fprintf(&b, `<state id="r%[1]d"><state id="a%[1]d"><transition event="go" `+
			`target="b%[1]d"/></state><state id="b%[1]d"><transition event="go" `+
			`target="a%[1]d"/></state></state>`, k)
	}
	b.WriteString(`</parallel><final id="end"/></scxml>`)
	c, err := scxml.Parse("regions.scxml", []byte(b.String()), scxml.Config{})
	require.NoError(t, err)
	m, err := scxml.NewSystem(scxml.Options{}).Add("m", c)
	require.NoError(t, err)
	require.NoError(t, m.Start())
	for k := range 5 {
		require.NoError(t, m.Handle(scxml.Event{Name: "go"}))
		require.Equal(t, k%2 == 0, m.In("b7"))
		require.Equal(t, k%2 != 0, m.In(fmt.Sprint("a", regions-1)))
	}
	require.NoError(t, m.Handle(scxml.Event{Name: "out"}))
	require.False(t, m.Running())
}

// TestMachine_ManyCancelled: events that are sent with a delay and cancelled are not searched for among
// all others; they count neither as waiting nor in a saved state, and do not arrive.
func TestMachine_ManyCancelled(t *testing.T) {
	const sends = 40_000
	var b strings.Builder
	b.WriteString(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="s">` +
		`<onentry><send event="kept" delay="100s" id="same"/>`)
	for k := range sends {
		fmt.Fprintf(&b, `<send event="late" delay="%dms" id="i%d"/>`, k*7919%sends+1, k)
	}
	b.WriteString(`<send event="late" delay="1s" id="twice"/><send event="late" delay="1s" ` +
		`id="twice"/><cancel sendid="twice"/><cancel sendid="no"/>`)
	for k := range sends - 1 {
		fmt.Fprintf(&b, `<cancel sendid="i%d"/>`, k)
	}
	b.WriteString(`</onentry><transition event="late" target="t"/></state><state id="t">` +
		`<transition event="kept" target="end"/><transition event="late" target="t"/></state>` +
		`<final id="end"/></scxml>`)
	c, err := scxml.Parse("cancel.scxml", []byte(b.String()), scxml.Config{})
	require.NoError(t, err)
	count := map[string]int{}
	s := scxml.NewSystem(scxml.Options{Limits: scxml.Limits{Events: sends + 10},
		Observe: func(r scxml.Record) {
			switch r.Kind {
			case scxml.Took:
				count[r.Event]++
			case scxml.Cancelled:
				count["cancelled"]++
			}
		}})
	m, err := s.Add("m", c)
	require.NoError(t, err)
	require.NoError(t, m.Start())
	require.Equal(t, map[string]int{"cancelled": sends}, count)
	saved, err := s.AppendState(nil)
	require.NoError(t, err)
	require.Less(t, len(saved), 1000)
	for again := range 2 {
		clear(count)
		require.NoError(t, s.Advance(s.Now()+3600*timebase.Second))
		require.Equal(t, map[string]int{"late": 1, "kept": 1}, count)
		require.False(t, m.Running())
		if again == 0 {
			require.NoError(t, s.RestoreState(saved))
		}
	}
}
