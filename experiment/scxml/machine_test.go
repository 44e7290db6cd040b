package scxml_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/timebase"
)

const ms = timebase.Millisecond

// chart parses the content of an scxml element. The element itself is on line 1.
func chart(t testing.TB, inside string) *scxml.Chart {
	t.Helper()
	return parse(t,
		`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript">`+
			inside+`</scxml>`)
}

func parse(t testing.TB, text string) *scxml.Chart {
	t.Helper()
	c, err := scxml.Parse("test.scxml", []byte(text), ecmascript.Config("testdata"))
	require.NoError(t, err)
	return c
}

// rig is a system with a log.
type rig struct {
	*scxml.System
	log []string
}

func newRig(o scxml.Options) *rig {
	r := &rig{}
	o.Observe = func(x scxml.Record) { r.log = append(r.log, x.String()) }
	r.System = scxml.NewSystem(o)
	return r
}

func (r *rig) start(t testing.TB, name, inside string) *scxml.Machine {
	t.Helper()
	m, err := r.Add(name, chart(t, inside))
	require.NoError(t, err)
	require.NoError(t, m.Start())
	return m
}

func TestAdvance_HandlesTimersAtTheirExactTime(t *testing.T) {
	r := newRig(scxml.Options{})
	m := r.start(t, "m", `
	<state id="waiting"><onentry><send event="tick" delay="100ms"/></onentry>
	  <transition event="tick" target="done"><log expr="_x.time"/></transition></state>
	<state id="done"/>`)
	for now := 30 * ms; now <= 90*ms; now += 30 * ms {
		require.NoError(t, r.Advance(now))
		require.Equal(t, []string{"waiting"}, m.Configuration())
	}
	due, ok := r.Next()
	require.True(t, ok)
	require.Equal(t, 100*ms, due)
	require.NoError(t, r.Advance(120*ms))
	require.Equal(t, []string{"done"}, m.Configuration())
	require.Contains(t, r.log, "0.100000000 m log: 0.1")
	require.Equal(t, 120*ms, r.Now())
	require.ErrorIs(t, r.Advance(119*ms), scxml.ErrTime)
}

func TestAdvance_HandlesEqualTimesInTheOrderOfSending(t *testing.T) {
	r := newRig(scxml.Options{})
	inside := `<state id="s"><onentry><send event="late" delay=".1s"/><send event="early" delay="50ms"/></onentry>
	  <transition event="early"><send event="also" delay="50ms"/></transition></state>`
	r.start(t, "a", inside)
	r.start(t, "b", inside)
	require.NoError(t, r.Advance(timebase.Second))
	var events []string
	for _, line := range r.log {
		if strings.Contains(line, " event ") {
			events = append(events, strings.Replace(line[4:], "0000000", "", 1))
		}
	}
	require.Equal(t, []string{"0 a event early", "0 b event early", "0 a event late",
		"0 b event late", "0 a event also", "0 b event also"},
		trimTimes(events))
}

func trimTimes(lines []string) (short []string) {
	for _, l := range lines {
		_, rest, _ := strings.Cut(l, " ")
		short = append(short, "0 "+rest)
	}
	return short
}

func TestMachine_EndsWhenItRunsInCircles(t *testing.T) {
	for name, c := range map[string]struct{ inside, want string }{
		"eventless cycle": {`
	<state id="a"><transition target="b"/></state>
	<state id="b"><transition target="a"/></state>`,
			`test.scxml:2:16: machine m: the machine does not settle: found 1000 ` +
				`microsteps in one macrostep in a, no events, transitions a to b in line 2, b to ` +
				`a in line 3, expected transitions to end; give one of them an event, or ` +
				`a cond that becomes false`},
		"condition that fails forever": {`
	<state id="a"><transition cond="nope > 1" target="b"/><transition event="error.execution"/></state><state id="b"/>`,
			`events ["error.execution"], transitions a to no target in line 2`},
		"eventless condition that fails, without a transition for its error": {`
	<state id="a"><transition cond="nope > 1" target="b"/></state><state id="b"/>`,
			`found 1000 microsteps in one macrostep in a, events ["error.execution"], ` +
				`transitions a to b in line 2`},
		"condition that fails for the event of its own failure": {`
	<state id="a"><onentry><raise event="e"/></onentry><transition event="*" cond="1 +" target="b"/></state><state id="b"/>`,
			`events ["error.execution"], transitions a to b in line 2`},
		"events that raise each other": {`
	<state id="a"><onentry><raise event="ping"/></onentry><transition event="ping" target="b"/></state>
	<state id="b"><onentry><raise event="pong"/></onentry><transition event="pong" target="a"/></state>`,
			`found 1000 microsteps in one macrostep in a, events ["ping" "pong"], transitions a ` +
				`to b in line 2, b to a in line 3`},
		"events without delay": {`
	<state id="a"><onentry><send event="again"/></onentry><transition event="again" target="a"/></state>`,
			`found 1000 macrosteps at 0.000000000 s in a, events ["again"], transitions a ` +
				`to a in line 2`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(scxml.Options{})
			m, err := r.Add("m", chart(t, c.inside))
			require.NoError(t, err)
			err = m.Start()
			if err == nil {
				err = r.Settle()
			}
			require.ErrorIs(t, err, scxml.ErrBounds)
			require.ErrorContains(t, err, c.want)
			require.ErrorIs(t, m.Err(), scxml.ErrBounds)
			require.False(t, m.Running())
			require.ErrorIs(t, m.Post(scxml.Event{Name: "e"}), scxml.ErrEnded)
		})
	}
}

// TestMachine_EndsWhenAProcessorAnswersAtOnce tests X12 with an event processor as part of the
// loop.
func TestMachine_EndsWhenAProcessorAnswersAtOnce(t *testing.T) {
	answers := 0
	o := scxml.Options{Limits: scxml.Limits{Macrosteps: 20}}
	o.Processors = map[string]scxml.Processor{"echo": func(m scxml.Message) error {
		answers++
		return m.From.Post(scxml.Event{Name: "echo"})
	}}
	r := newRig(o)
	m := r.start(t, "m",
		`<state id="a"><onentry><send type="echo" event="ask"/></onentry>`+
			`<transition event="echo" target="a"/></state>`)
	err := r.Advance(timebase.Second)
	require.ErrorIs(t, err, scxml.ErrBounds)
	require.ErrorContains(t, err,
		`20 macrosteps at 0.000000000 s in a, events ["echo"], transitions a to a in line`)
	require.False(t, m.Running())
	require.Equal(t, 21, answers)
}

func TestMachine_OutcomeIsTheFinalStateWithItsData(t *testing.T) {
	r := newRig(scxml.Options{})
	m := r.start(t, "judge", `
	<state id="running"><transition event="goal" target="success"/></state>
	<final id="success"><donedata><param name="distance" expr="1.5 * 2"/><param name="name" expr="_name"/></donedata></final>
	<final id="failure"/>`)
	final, _ := m.Outcome()
	require.Empty(t, final)
	require.NoError(t, m.Handle(scxml.Event{Name: "goal.reached"}))
	final, data := m.Outcome()
	require.Equal(t, "success", final)
	require.Equal(t, `{"distance":3,"name":"judge"}`, data.Text())
	require.False(t, m.Running())
}

func TestEvent_CarriesDataFromOutside(t *testing.T) {
	r := newRig(scxml.Options{})
	m := r.start(t, "", `<datamodel><data id="x"/></datamodel><state id="s">
	  <transition event="set" cond="_event.data.list.length == 2"><assign location="x" expr="_event.data"/></transition></state>`)
	v, err := scxml.ValueOf(map[string]any{"list": []int{1, 2}, "name": "é<"})
	require.NoError(t, err)
	require.NoError(t, m.Handle(scxml.Event{Name: "set", Data: v}))
	x, err := m.Value("x")
	require.NoError(t, err)
	var back struct {
		List []int
		Name string
	}
	require.NoError(t, x.Decode(&back))
	require.Equal(t, []int{1, 2}, back.List)
	require.Equal(t, "é<", back.Name)
}

func TestProcessors_TakeEventsForTheOutside(t *testing.T) {
	var got []string
	r := newRig(
		scxml.Options{Processors: map[string]scxml.Processor{"print": func(m scxml.Message) error {
			got = append(got, m.Target+" "+m.Event.Name+" "+m.Event.Data.Text())
			return nil
		}, "broken": func(scxml.Message) error { return errors1 }}})
	m := r.start(t, "m", `<state id="s"><onentry>
	    <send type="print" target="here" event="now"><param name="x" expr="1"/></send>
	    <send type="print" target="there" event="later" delay="1s"/>
	    <send type="print" target="never" event="cancelled" delay="1s" id="c"/><cancel sendid="c"/>
	    <send type="broken" event="x" delay="2s" id="lost"/></onentry>
	  <transition event="error.communication" cond="_event.sendid == 'lost'" target="f"/></state><state id="f"/>`)
	require.Equal(t, []string{`here now {"x":1}`}, got)
	require.NoError(t, r.Advance(timebase.Second))
	require.Equal(t, []string{`here now {"x":1}`, "there later "}, got)
	require.NoError(t, r.Advance(2*timebase.Second))
	require.Equal(t, []string{"f"}, m.Configuration())
}

// TestCancel_EmptyId cancels nothing: sends without an id have no id rather than an empty one.
func TestCancel_EmptyId(t *testing.T) {
	r := newRig(scxml.Options{})
	m := r.start(t, "m",
		`<datamodel><data id="none" expr="''"/></datamodel><state id="s"><onentry><send event="x" delay="1s"/>
	  <cancel sendidexpr="none"/></onentry><transition event="x" target="f"/></state><state id="f"/>`)
	require.NoError(t, r.Advance(timebase.Second))
	require.Equal(t, []string{"f"}, m.Configuration())
}

type textError string

func (e textError) Error() string { return string(e) }

const errors1 = textError("no line")

func TestSystem_RefusesCallsFromInside(t *testing.T) {
	var system *scxml.System
	var inner error
	system = scxml.NewSystem(scxml.Options{Observe: func(scxml.Record) { inner = system.Settle() }})
	m, err := system.Add("m", chart(t, `<state id="s"/>`))
	require.NoError(t, err)
	require.NoError(t, m.Start())
	require.ErrorIs(t, inner, scxml.ErrBusy)
	require.Error(t, m.Start(), "started twice")
	_, err = system.Add("m", m.Chart())
	require.ErrorContains(t, err, "unusable name")
}

func TestInvoke_BoundsChartsThatInvokeThemselves(t *testing.T) {
	text := `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript">` +
		`<state id="s"><invoke src="self.scxml"/></state></scxml>`
	c, err := scxml.Parse("self.scxml", []byte(text),
		scxml.Config{Languages: []scxml.Language{ecmascript.Language{}},
			Load: func(string) ([]byte, error) { return []byte(text), nil }})
	require.NoError(t, err)
	r := newRig(scxml.Options{})
	m, err := r.Add("m", c)
	require.NoError(t, err)
	require.NoError(t, m.Start())
	require.Len(t, r.Machines(), 50)
	require.Contains(t, r.log[len(r.log)-1],
		"machines invoke each other 51 levels deep, expected at most 50")
	require.True(t, m.Running(), "only the innermost invoke fails")
}

// TestHistory_FromInsideItsState tests the two cases in which Appendix D, taken literally, violates
// section 3.11.
func TestHistory_FromInsideItsState(t *testing.T) {
	r := newRig(scxml.Options{})
	m := r.start(t, "way",
		`<state id="s1"><parallel id="s2"><history id="h" type="deep"><transition target="s4"/></history>
	  <state id="s4"><state id="s5"><transition event="b" target="h"/></state></state></parallel></state>`)
	require.NoError(t, m.Handle(scxml.Event{Name: "b"}))
	require.Equal(t, []string{"s5"}, m.Configuration())
	require.True(t, m.In("s1") && m.In("s2") && m.In("s4"))

	m = r.start(t, "before",
		`<state id="s"><history id="h" type="deep"><transition target="t1"/></history>
	  <state id="t"><state id="t1"><transition event="on" target="t2"/></state><state id="t2"><transition event="back" target="h"/></state></state>
	  <transition event="leave" target="away"/></state><state id="away"><transition event="in" target="t2"/></state>`)
	require.NoError(t, m.Handle(scxml.Event{Name: "leave"}))
	require.NoError(t, m.Handle(scxml.Event{Name: "in"}))
	r.log = nil
	require.NoError(t, m.Handle(scxml.Event{Name: "back"}))
	require.Equal(t, []string{"0.000000000 before event back", "0.000000000 before leave t2",
		"0.000000000 before transition t2: h", "0.000000000 before enter t1"}, r.log,
		"t stays active")
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]timebase.Duration{"0s": 0, "1s": 1e9, ".5s": 5e8,
		"1.5s": 1500e6, "20ms": 2e7, "2m": 120e9,
		"1h": 3600e9, "1d": 86400e9, "0.000000001s": 1, "0.1ms": 1e5, "\n3s": 3e9,
		"1.00000000099s": 1e9, "1.00000000000000000000000000000001d": 86400e9} {
		d, err := scxml.ParseDuration(text)
		require.NoError(t, err, text)
		require.Equal(t, want, d, text)
	}
	for _, text := range []string{"", "1", "-1s", "s", ".s", "1.s", "1 s", "1e3s", "1sec",
		"9999999999999h", "٣s"} {
		_, err := scxml.ParseDuration(text)
		require.Error(t, err, text)
	}
	_, err := scxml.ParseDuration("106751d")
	require.NoError(t, err)
	_, err = scxml.ParseDuration("106752d")
	require.ErrorContains(t, err, `"106752d" is too long, expected at most 106751 days (292 years)`)
	for _, u := range []struct {
		suffix string
		length int64
	}{{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}} {
		for _, number := range []string{"0.1", "0.3333333333333333333333333333333333",
			"7.000000000001", "0.00000000000001", "0.000000000003", "0.0000000003",
			"0.0000000000116", "2.7182818284590452353602874713527",
			"0.999999999999999999999999999999",
			"0.000000000277777777777777777777777777777777777778",
			"0.000000000277777777777777777777777777777777777777"} {
			want, ok := new(big.Rat).SetString(number)
			require.True(t, ok)
			want.Mul(want, new(big.Rat).SetInt64(u.length))
			d, err := scxml.ParseDuration(number + u.suffix)
			require.NoError(t, err)
			require.Equal(t, new(big.Int).Quo(want.Num(), want.Denom()).Int64(), int64(d), "%s%s",
				number, u.suffix)
		}
	}
	tenth, err := scxml.ParseDuration("0.1s")
	require.NoError(t, err)
	require.Equal(t, timebase.Second, 10*tenth)
}
