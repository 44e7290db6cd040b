//go:build linux && cgo

package importer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// The clocks of the test FMU and their variables; see internal/testfmu/source/unruly3clock.c.
const (
	beat = `<Clock name="beat" valueReference="90" causality="input" intervalVariability="%s"/>
<Int64 name="beats" valueReference="100" causality="output" clocks="90"/>
<Float64 name="sampled" valueReference="101" causality="output" variability="discrete" clocks="90"/>
<Float64 name="u" valueReference="102" causality="input" variability="discrete" start="0" clocks="90"/>
`
	pulse = `<Clock name="pulse" valueReference="91" causality="input" intervalVariability="changing"/>
<Float64 name="pulsed" valueReference="103" causality="output" variability="discrete" clocks="91"/>
`
	delay = `<Clock name="delay" valueReference="92" causality="input" intervalVariability="countdown"/>
<Float64 name="delayed" valueReference="104" causality="output" variability="discrete" clocks="92"/>
`
	trigger = `<Clock name="trigger" valueReference="93" causality="input" intervalVariability="triggered"/>
<Float64 name="triggered" valueReference="105" causality="output" variability="discrete" clocks="93"/>
`
	alarm = `<Clock name="alarm" valueReference="94" causality="output" intervalVariability="triggered"/>
<Float64 name="alarmed" valueReference="106" causality="output" variability="discrete" clocks="94"/>
<Clock name="inner" valueReference="95" causality="local" intervalVariability="triggered"/>
<Int64 name="inside" valueReference="109" causality="local" clocks="95"/>
`
	sub = `<Clock name="sub" valueReference="96" causality="input" intervalVariability="constant" intervalDecimal="0.2" clocks="90"/>
<Int64 name="subs" valueReference="108" causality="output" clocks="96"/>
`
)

// beatOf returns a periodic clock of the given kind with additional attributes.
func beatOf(kind, attributes string) string {
	return strings.Replace(fmt.Sprintf(beat, kind), `"/>`, `" `+attributes+`/>`, 1)
}

// clocked runs the test FMU with clocks for a second and returns its columns.
func clocked(t *testing.T, r testfmu.Recipe, step float64, watch ...string) (*run,
	map[string][]float64) {
	t.Helper()
	r.Version = 3
	x := newRun(open(t, r), watch...)
	x.spec.Step = cosim.Every(step)
	x.pool.Options.LogCalls = true
	require.NoError(t, x.do(t))
	return x, columns(t, x.csv.String())
}

// ticks returns the times at which a count increases.
func ticks(c map[string][]float64, name string) (times []float64) {
	before := 0.0
	for k, count := range c[name] {
		if count != before {
			times = append(times, c["time"][k])
		}
		before = count
	}
	return times
}

func requireTimes(t *testing.T, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want), "%v", got)
	for k := range want {
		require.InDelta(t, want[k], got[k], 1e-12)
	}
}

// Periodic clocks tick at start + shift + k·interval, regardless of the source of these values,
// even between communication points. A clocked variable changes at a tick and stays constant until
// the next one.
func TestClocks_PeriodicOnesTickOnTime(t *testing.T) {
	for _, c := range []struct {
		kind, attributes, call, but string
		interval, shift             float64
	}{
		{"constant", `intervalDecimal="0.3" shiftDecimal="0.25"`, "", "Interval", 0.3, 0.25},
		{"constant", `intervalDecimal="0.3"`, "", "Shift", 0.3, 0},
		{"constant",
			`intervalDecimal="0.3" supportsFraction="true" resolution="3" intervalCounter="1" ` +
				`shiftCounter="1"`, "", "Interval", 1. / 3, 1. / 3},
		{"fixed", `intervalDecimal="0.25" shiftDecimal="0.1"`, "SetIntervalDecimal", "GetInterval",
			0.25, 0.1},
		{"tunable",
			`intervalDecimal="0.3" supportsFraction="true" resolution="30" intervalCounter="7"`,
			"SetIntervalFraction", "GetInterval", 7. / 30, 0},
		{"fixed", "", "GetIntervalDecimal GetShiftDecimal", "SetInterval", 0.1, 0.05},
		{"tunable", `supportsFraction="true"`, "GetIntervalFraction GetShiftFraction",
			"SetInterval", 0.1, 0.05},
		{"calculated", "", "GetIntervalDecimal GetShiftDecimal", "SetInterval", 0.1, 0.05},
	} {
		t.Run(c.kind+" "+c.attributes, func(t *testing.T) {
			x, got := clocked(t, testfmu.Recipe{Clocks: beatOf(c.kind, c.attributes)}, 0.1, "beat",
				"beats", "clock")
			var want []float64
			for k := 0.0; c.shift+k*c.interval <= 1+1e-9; k++ {
				want = append(want, c.shift+k*c.interval)
			}
			requireTimes(t, want, ticks(got, "beat"))
			require.Equal(t, got["beat"], got["beats"])
			requireTimes(t, got["time"], got["clock"]) // steps end at ticks
			calls := strings.ReplaceAll(strings.Join(x.calls(), " "), "fmi3", "")
			require.Contains(t, calls, c.call)
			require.NotContains(t, calls, c.but)
			require.Equal(t, int64(10), x.result.Steps, "a tick is not a communication point")
		})
	}
}

// The FMU receives the exact time of a tick, shift + k·interval computed once, as the end of the
// preceding step, and the row has the same time. Neither is rounded to nanoseconds. If a tick
// coincides with a point of the grid or with another clock, there is one event. A decimal that was
// computed as 1/60 counts as 1/60.
func TestClocks_TicksAreExact(t *testing.T) {
	for _, attributes := range []string{
		`intervalDecimal="0.016666666666666666" shiftDecimal="0.3333333333333333"`,
		`intervalDecimal="0.1" supportsFraction="true" resolution="60" intervalCounter="1" ` +
			`shiftCounter="20"`} {
		x, got := clocked(t, testfmu.Recipe{Clocks: beatOf("constant", attributes)}, 1./24, "beat",
			"clock")
		var want []float64
		for k := 20; k <= 60; k++ {
			want = append(want, float64(k)/60)
		}
		require.Equal(t, want, ticks(got, "beat"))
		requireTimes(t, got["time"], got["clock"]) // the FMU accumulates the step sizes
		times := map[float64]bool{}
		for k := range 25 {
			times[float64(k)/24] = true
		}
		for _, at := range want {
			times[at] = true
		}
		var s stepsOf
		for _, m := range x.messages {
			s.log(m)
		}
		require.Len(t, s.points, len(times)-1, "no step of a nanosecond")
		for k, point := range s.points {
			require.True(t, times[point], "%v", point)
			require.Greater(t, s.sizes[k], 1e-3)
		}
	}
}

// In an event with a tick, the calls follow the order of the standard: the clock, its inputs, its
// outputs, the update, and only then the variables that belong to no clock.
func TestClocks_CallsOfATickAreInTheOrderOfTheStandard(t *testing.T) {
	recipe := testfmu.Recipe{Version: 3, Clocks: beatOf("constant",
		`intervalDecimal="1" shiftDecimal="0.05"`) + delay,
		Orders: []string{"UpdateDiscreteStates once"}}
	x := newRun(open(t, recipe), "beats", "out")
	x.spec.Stop = timebase.Second / 10
	x.pool.Options.LogCalls = true
	table, err := cosim.ReadTable(strings.NewReader("time,in,u\n0,2,3\n"), "x.csv",
		x.fmu.Variables())
	require.NoError(t, err)
	x.sources = append(x.sources, table)
	require.NoError(t, x.do(t))
	require.Equal(t,
		strings.Join(strings.Fields(
			`GetVersion InstantiateCoSimulation EnterInitializationMode SetFloat64 GetFloat64 GetInt64
		GetIntervalDecimal GetInt64 ExitInitializationMode UpdateDiscreteStates GetIntervalDecimal GetFloat64 EnterStepMode
		SetFloat64 DoStep GetFloat64 EnterEventMode SetFloat64 SetClock SetFloat64 GetInt64 UpdateDiscreteStates GetIntervalDecimal
		GetFloat64 EnterStepMode SetFloat64 DoStep GetFloat64 Terminate FreeInstance`), " "),
		strings.ReplaceAll(strings.Join(x.calls(), " "), "fmi3", ""))
	for _, m := range x.messages {
		if strings.Contains(m.Text, "InstantiateCoSimulation(") {
			require.Contains(t, m.Text, "eventModeUsed=True",
				"without being asked to: clocks need it")
		}
		if strings.Contains(m.Text, "SetClock(") {
			require.Contains(t, m.Text, "valueReferences=[90], nValueReferences=1, values=[True]")
		}
	}
	require.Equal(t, "\"time\",\"beats\",\"out\"\n0.0,0,2.0\n0.05,0,2.0\n0.05,1,2.0\n0.1,1,2.0\n",
		x.csv.String(), "a row before and one after a tick")
}

// The n-th interval of the changing clock is n/10 seconds.
func TestClocks_ChangingOnesAreAskedAfterEachTick(t *testing.T) {
	for _, attributes := range []string{"", ` supportsFraction="true"`} {
		clock := strings.Replace(pulse, `"changing"`, `"changing"`+attributes, 1)
		_, got := clocked(t, testfmu.Recipe{Clocks: clock}, 0.25, "pulse", "pulsed")
		requireTimes(t, []float64{0.1, 0.3, 0.6, 1}, ticks(got, "pulse"))
		requireTimes(t, []float64{0.1, 0.3, 0.6, 1}, ticks(got, "pulsed"))
	}
}

// At every third beat, the output clock and the local clock tick, and the countdown of 0.04 s
// begins.
func TestClocks_OutputClocksAndCountdowns(t *testing.T) {
	clocks := beatOf("constant", `intervalDecimal="0.1"`) + delay + alarm
	_, got := clocked(t, testfmu.Recipe{Clocks: clocks}, 0.25, "beat", "alarm", "inner", "inside",
		"alarmed", "delay", "delayed")
	requireTimes(t, []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1},
		ticks(got, "beat"))
	for _, name := range []string{"alarm", "inner", "inside", "alarmed"} {
		requireTimes(t, []float64{0.2, 0.5, 0.8}, ticks(got, name))
	}
	require.InDelta(t, 0.8, got["alarmed"][len(got["alarmed"])-1], 1e-12)
	requireTimes(t, []float64{0.24, 0.54, 0.84}, ticks(got, "delay"))
	require.InDelta(t, 0.84, got["delayed"][len(got["delayed"])-1], 1e-12)

	_, got = clocked(t, testfmu.Recipe{Clocks: clocks, Orders: []string{"GetIntervalDecimal zero"}},
		0.25, "alarm", "delay", "delayed")
	requireTimes(t, []float64{0.2, 0.5, 0.8}, ticks(got, "delay"))
	require.Equal(t, got["alarm"], got["delay"], "in a later instant of the same event")
}

// A clock that belongs to another clock ticks only together with it.
func TestClocks_SubclocksTickWithTheirClock(t *testing.T) {
	_, got := clocked(t, testfmu.Recipe{Clocks: beatOf("constant", `intervalDecimal="0.1"`) + sub},
		0.1, "beat", "sub", "subs")
	requireTimes(t, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}, ticks(got, "sub"))
	require.Equal(t, got["sub"], got["subs"])
	_, got = clocked(t, testfmu.Recipe{Clocks: beatOf("constant", `intervalDecimal="0.3"`) + sub},
		0.1, "sub")
	requireTimes(t, []float64{0, 0.3, 0.6, 0.9}, ticks(got, "sub"))
}

// If a countdown clock belongs to a changing clock, its interval is read at each tick of the
// changing clock.
func TestClocks_CountdownsOfAChangingClockAreAsked(t *testing.T) {
	of := strings.Replace(delay, `"countdown"`, `"countdown" clocks="91"`, 1)
	for _, clocks := range []string{pulse + of, of + pulse} {
		x, got := clocked(t, testfmu.Recipe{Clocks: clocks,
			Orders: []string{"GetIntervalDecimal subclock"}}, 0.25, "pulse")
		requireTimes(t, []float64{0.1, 0.3, 0.6, 1}, ticks(got, "pulse"))
		require.Equal(t, 2+2*4, strings.Count(strings.Join(x.calls(), " "), "GetIntervalDecimal"),
			"at the start, and with each tick")
	}
}

// Inputs of a clock are sampled when it ticks: sampled = in + u with the values of the file at that
// time.
func TestClocks_InputsAreSampled(t *testing.T) {
	x := newRun(open(t, testfmu.Recipe{Version: 3, Clocks: beatOf("constant",
		`intervalDecimal="0.2" shiftDecimal="0.05"`)}), "beat", "sampled")
	table,
		err := cosim.ReadTable(strings.NewReader("time,in,u\n0,0,0\n0.3,30,0\n0.3,30,7\n1,100,7\n"),
		"x.csv", x.fmu.Variables())
	require.NoError(t, err)
	x.sources = append(x.sources, table)
	require.NoError(t, x.do(t))
	got := columns(t, x.csv.String())
	for k, at := range ticks(got, "beat") {
		want := 100 * at
		if at >= 0.3 {
			want += 7
		}
		n := 0
		for got["beat"][n] != float64(k+1) {
			n++
		}
		require.InDelta(t, want, got["sampled"][n], 1e-9, "tick at %v", at)
	}
	require.Len(t, ticks(got, "beat"), 5)
}

// A triggered clock ticks when the number at its input changes, whether the number comes from a
// file or from another clock.
func TestClocks_TriggeredOnesFollowTheirInput(t *testing.T) {
	x := newRun(open(t, testfmu.Recipe{Version: 3, Clocks: trigger}), "trigger", "triggered")
	table, err := cosim.ReadTable(strings.NewReader("time,trigger\n0,0\n0.2,1\n0.45,2\n0.8,5\n"),
		"x.csv", x.fmu.Variables())
	require.NoError(t, err)
	x.sources = append(x.sources, table)
	require.NoError(t, x.do(t))
	got := columns(t, x.csv.String())
	requireTimes(t, []float64{0.2, 0.5, 0.8}, ticks(got, "trigger"))
	requireTimes(t, []float64{0.2, 0.5, 0.8}, ticks(got, "triggered"))
	require.Contains(t, x.csv.String(), "\n0.2,0,0.0\n0.2,1,0.2\n", "a row before and one after")

	x = newRun(open(t, testfmu.Recipe{Version: 3, Clocks: trigger}), "trigger")
	require.NoError(t, x.do(t))
	require.Contains(t, strings.Join(x.warnings, "\n"),
		"unconnected triggered clocks never tick: trigger")
	require.Empty(t, ticks(columns(t, x.csv.String()), "trigger"))
}

func TestClocks_OutputClockTriggersAnotherFMU(t *testing.T) {
	for _, algorithm := range []cosim.Algorithm{cosim.Sequential, cosim.Parallel} {
		pool := &importer.Pool{}
		e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1),
			Algorithm: algorithm})
		for name, clocks := range map[string]string{"a": beatOf("constant",
			`intervalDecimal="0.05" shiftDecimal="0.05"`) + alarm, "b": trigger} {
			i, err := open(t, testfmu.Recipe{Version: 3, Clocks: clocks}).NewInstance(name, pool,
				importer.Options{})
			require.NoError(t, err)
			e.Add(name, i)
		}
		e.Connect("a.alarm", "b.trigger")
		alarms, triggers := e.Watch("a.alarm"), e.Watch("b.trigger")
		_, err := e.Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, uint64(6), alarms.Cells()[0], "with each third of 20 beats")
		require.Equal(t, uint64(6), triggers.Cells()[0])
		require.NoError(t, pool.Close())
	}
}

// If an FMU supports only one step size, its clocks tick once, at the first point at or after the
// time of the tick.
func TestClocks_WithoutStepsOfOtherLengthsTheyTickAtPoints(t *testing.T) {
	fixed := func(xml string) string {
		return strings.Replace(xml, ` canHandleVariableCommunicationStepSize="true"`, "", 1)
	}
	x, got := clocked(t, testfmu.Recipe{Clocks: beatOf("constant", `intervalDecimal="0.25"`),
		Describe: fixed}, 0.1, "beat")
	requireTimes(t, []float64{0, 0.3, 0.5, 0.8, 1}, ticks(got, "beat"))
	require.NotContains(t, strings.Join(x.warnings, "\n"), "lost")
	x, got = clocked(t, testfmu.Recipe{Clocks: beatOf("constant", `intervalDecimal="0.03"`),
		Describe: fixed}, 0.1, "beat")
	require.Len(t, ticks(got, "beat"), 11)
	require.Equal(t, 1, strings.Count(strings.Join(x.warnings, "\n"),
		"the clock beat has an interval of 0.03 s, but the FMU does not support such short steps"))
}

func TestClocks_StatesHoldThem(t *testing.T) {
	clocks := beatOf("constant", `intervalDecimal="0.07"`) + pulse + delay + alarm
	trace := func(at int, rollback bool) string {
		pool := &importer.Pool{}
		defer func() { require.NoError(t, pool.Close()) }()
		build := func() (*cosim.Engine, *cosim.Hash) {
			i, err := open(t, testfmu.Recipe{Version: 3, Clocks: clocks}).NewInstance("x", pool,
				importer.Options{})
			require.NoError(t, err)
			e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1),
				Rollback: rollback})
			e.Add("x", i)
			h := cosim.NewHash(e.Watch("x.beat"), e.Watch("x.pulse"), e.Watch("x.delay"),
				e.Watch("x.alarm"), e.Watch("x.delayed"))
			e.Observe(h)
			return e, h
		}
		e, h := build()
		require.NoError(t, e.Start(t.Context()))
		for more, k := true, 0; more; k++ {
			if k == at {
				state, err := e.AppendState(t.Context(), nil)
				require.NoError(t, err)
				_, err = e.Finish(t.Context())
				require.NoError(t, err)
				e, h = build()
				require.NoError(t, e.Resume(t.Context(), state))
			}
			var err error
			more, err = e.Step(t.Context())
			require.NoError(t, err)
		}
		_, err := e.Finish(t.Context())
		require.NoError(t, err)
		return h.Sum()
	}
	want := trace(-1, false)
	require.Equal(t, want, trace(3, false))
	require.Equal(t, want, trace(-1, true))
	_, err := open(t, testfmu.Recipe{Version: 3, Clocks: clocks}).NewInstance("x", &importer.Pool{},
		importer.Options{InitialState: []byte{1}})
	require.ErrorContains(t, err, "a state without its clocks")
}

// Ticks in a step that is discarded and repeated in two halves count once.
func TestClocks_TicksOfADiscardedStepCountOnce(t *testing.T) {
	for _, orders := range [][]string{nil, {"DoStep discard 0 4"}} {
		x := newRun(open(t, testfmu.Recipe{Version: 3, Clocks: beatOf("constant",
			`intervalDecimal="0.1" shiftDecimal="0.05"`), Orders: orders}), "beats")
		x.spec.Rollback = true
		x.pool.Options.LogCalls = true
		require.NoError(t, x.do(t))
		require.Equal(t, orders != nil, strings.Contains(strings.Join(x.calls(), " "), "DISCARD"))
		require.Equal(t, int64(10), x.result.Events)
		require.True(t, strings.HasSuffix(x.csv.String(), "\n1.0,10\n"), x.csv.String())
	}
}

// An event that was requested before a step is rolled back is requested again.
func TestClocks_EventsOfAStepThatIsRolledBack(t *testing.T) {
	pool := &importer.Pool{}
	defer func() { require.NoError(t, pool.Close()) }()
	i, err := open(t, testfmu.Recipe{Version: 3, Clocks: trigger}).NewInstance("x", pool,
		importer.Options{})
	require.NoError(t, err)
	number := slices.IndexFunc(i.Variables(),
		func(v cosim.Variable) bool { return v.Name == "trigger" })
	in, out, err := i.Bind([]int{number}, []int{number})
	require.NoError(t, err)
	ctx := t.Context()
	require.NoError(t, i.Enter(ctx, cosim.Setup{Step: cosim.Every(0.1), KeepState: true}))
	require.NoError(t, i.Exchange(ctx))
	require.NoError(t, i.Leave(ctx))
	require.NoError(t, i.Save(ctx))
	in.Cells[0]++
	for range 2 {
		a, err := i.Step(ctx, timebase.Span{End: timebase.Second / 10})
		require.NoError(t, err)
		require.Equal(t, cosim.Advance{Event: true}, a)
		require.NoError(t, i.Restore(ctx))
	}
	for _, event := range []bool{true, false} {
		a, err := i.Step(ctx, timebase.Span{End: timebase.Second / 10})
		require.NoError(t, err)
		require.Equal(t, event, a.Event)
		if event {
			_, err = i.Event(ctx, 0)
			require.NoError(t, err)
		}
	}
	require.Equal(t, uint64(1), out.Cells[0])
	require.NoError(t, i.Close())
}

func TestClocks_RefusesIntervalsWithoutSense(t *testing.T) {
	for order, want := range map[string]string{
		"GetIntervalDecimal negative": "the clock pulse has an interval or a shift of -1 s",
		"GetIntervalDecimal odd": "the interval of the clock pulse has the qualifier 7, which " +
			"FMI does not define",
		"GetIntervalDecimal unknown": "the interval of the clock pulse is not yet known, which " +
			"is allowed only for countdown clocks",
		"SetClock error 0 2": "fmi3SetClock returned fmi3Error for pulse: SetClock was ordered " +
			"to answer error",
		"GetIntervalDecimal crash": "SIGSEGV in fmi3GetIntervalDecimal(pulse)",
	} {
		x := newRun(open(t, testfmu.Recipe{Version: 3, Clocks: pulse, Orders: []string{order}}),
			"pulse")
		err := x.do(t)
		require.ErrorIs(t, err, importer.ErrFailed)
		require.ErrorContains(t, err, want)
	}
	x := newRun(open(t, testfmu.Recipe{Version: 3, Clocks: beatOf("fixed",
		`supportsFraction="true"`), Orders: []string{"GetIntervalFraction zero"}}))
	require.ErrorContains(t, x.do(t), "the clock beat has an interval or a shift of 1/0 s")
}

func TestOpen_RefusesClocksThatCannotTick(t *testing.T) {
	none := func(xml string) string { return strings.Replace(xml, ` hasEventMode="true"`, "", 1) }
	for clocks, want := range map[string]string{
		beatOf("constant", ""): "the clock beat with no intervalDecimal, expected an interval, " +
			"because it is constant",
		beatOf("constant", `intervalDecimal="0"`):  "the clock beat with an interval below 1e-9 s",
		beatOf("constant", `intervalDecimal="-1"`): "the clock beat with -1 s",
		beatOf("sometimes", ""): `the clock beat with ` +
			`intervalVariability "sometimes"`,
		strings.Replace(alarm, `"triggered"`, `""`, 1): `the clock alarm with ` +
			`intervalVariability "", expected triggered, because it is not an input`,
		trigger + strings.ReplaceAll(trigger, `"trigger"`, `"other"`): "with the reference 93, " +
			"which trigger has",
		`<Int64 name="beats" valueReference="100" causality="output" clocks="91"/>` +
			trigger: "beats belongs to the clock with reference 91",
		strings.Replace(trigger, `="triggered"`, `="triggered" clocks="93"`, 1): "the clock trigg" +
			"er with clocks that lead back to themselves",
		strings.Replace(trigger, `"triggered"/>`, `"triggered"><Dimension start="0"/></Clock>`,
			1): "the clock trigger with dimensions",
	} {
		_, err := importer.Open(testfmu.Build(t, testfmu.Recipe{Version: 3, Clocks: clocks}))
		require.ErrorIs(t, err, importer.ErrInvalid, clocks)
		require.ErrorContains(t, err, want)
	}
	x := newRun(open(t, testfmu.Recipe{Version: 3, Clocks: beatOf("constant", ""), Describe: none}),
		"out")
	require.NoError(t, x.do(t))
	require.Contains(t, strings.Join(x.warnings, "\n"),
		"hasEventMode is false, so its clocks never tick, and variables that belong to them are "+
			"left out: beat")
}
