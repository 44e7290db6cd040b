//go:build linux && cgo

package importer_test

import (
	"context"
	"math"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/state"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

const tenthOf = `intervalDecimal="0.1"`

// The user's interval applies from the start. The FMU receives it in Initialization Mode, as
// written by the user if the FMU accepts fractions.
func TestOptions_IntervalsOfFixedAndTunableClocks(t *testing.T) {
	const fractions = tenthOf + ` supportsFraction="true" resolution="10" intervalCounter="1"`
	for _, c := range []struct {
		kind, attributes, given, call string
		interval                      float64
	}{
		{"fixed", tenthOf, "0.25",
			`fmi3SetIntervalDecimal\(.*valueReferences=\[90\], nValueReferences=1, ` +
				`intervals=\[0.25\]\)`, 0.25},
		{"tunable", tenthOf + ` shiftDecimal="0.05"`, " 0.3 ",
			`fmi3SetIntervalDecimal\(.*intervals=\[0.3\]\)`, 0.3},
		{"fixed", tenthOf, "1/4", `fmi3SetIntervalDecimal\(.*intervals=\[0.25\]\)`, 0.25},
		{"fixed", fractions, "1/3", `fmi3SetIntervalFraction\(.*intervals=\[1, 3\]\)`, 1. / 3},
		{"tunable", fractions, "0.4", `fmi3SetIntervalDecimal\(.*intervals=\[0.4\]\)`, 0.4},
	} {
		t.Run(c.kind+" "+c.given, func(t *testing.T) {
			x := newRun(open(t, testfmu.Recipe{Version: 3, Clocks: beatOf(c.kind, c.attributes)}),
				"beat", "beats")
			x.options.Intervals = []importer.ClockInterval{{Clock: "beat", Interval: c.given}}
			x.pool.Options.LogCalls = true
			require.NoError(t, x.do(t))
			shift := map[bool]float64{true: 0.05}[strings.Contains(c.attributes, "shift")]
			var want []float64
			for k := 0.0; shift+k*c.interval <= 1+1e-9; k++ {
				want = append(want, shift+k*c.interval)
			}
			got := columns(t, x.csv.String())
			requireTimes(t, want, ticks(got, "beat"))
			require.Equal(t, got["beat"], got["beats"])
			var all []string
			for _, m := range x.messages {
				all = append(all, m.Text)
			}
			calls := strings.Join(all, "\n")
			set := regexp.MustCompile(c.call).FindStringIndex(calls)
			require.NotNil(t, set, calls)
			require.Equal(t, 1, strings.Count(calls, "fmi3SetInterval"))
			require.Less(t, strings.Index(calls, "fmi3EnterInitializationMode"), set[0])
			require.Less(t, set[0], strings.Index(calls, "fmi3ExitInitializationMode"))
		})
	}
}

func TestOptions_RefusesIntervals(t *testing.T) {
	const beats = `<Clock name="beat" valueReference="90" causality="input" ` +
		`intervalVariability="%s" %s><Alias name="pace"/></Clock>`
	for _, c := range []struct{ kind, attributes, name, value, want string }{
		{"fixed", tenthOf, "baet", "1",
			"baet: unusable start value: found no variable of this name, expected a clock; did " +
				"you mean \"beat\"?"},
		{"fixed", tenthOf, "gain", "1",
			"found a variable that is not a clock, expected a clock that is fixed or tunable, " +
				"with intervalDecimal"},
		{"constant", tenthOf, "beat", "1",
			"found a clock that is input, constant, expected a clock that is fixed or tunable"},
		{"changing", "", "beat", "1", "found a clock that is input, changing"},
		{"triggered", "", "beat", "1", "found a clock that is input, triggered"},
		{"tunable", "", "beat", "1", "found a clock whose interval the FMU determines"},
		{"fixed", tenthOf, "beat", "",
			`beat: unusable start value: found the interval "", expected seconds from 1e-9 ` +
				`on, or a fraction`},
		{"fixed", tenthOf, "pace", "0", `found the interval "0"`},
		{"fixed", tenthOf, "beat", "-1", `found the interval "-1"`},
		{"fixed", tenthOf, "beat", "NaN", `found the interval "NaN"`},
		{"fixed", tenthOf, "beat", "Inf", `found the interval "Inf"`},
		{"fixed", tenthOf, "beat", "1e-10", `found the interval "1e-10"`},
		{"fixed", tenthOf, "beat", "0/3", `found the interval "0/3"`},
		{"fixed", tenthOf, "beat", "3/0", `found the interval "3/0"`},
		{"fixed", tenthOf, "beat", "-1/3", `found the interval "-1/3"`},
		{"fixed", tenthOf, "beat", "1/3/5", `found the interval "1/3/5"`},
	} {
		clocks := strings.NewReplacer("%s", c.kind).Replace(strings.Replace(beats, "%s><",
			c.attributes+"><", 1)) + "\n"
		f := open(t, testfmu.Recipe{Version: 3, Clocks: clocks})
		_, err := f.NewInstance("x", &importer.Pool{},
			importer.Options{
				Intervals: []importer.ClockInterval{{Clock: c.name, Interval: c.value}}})
		require.ErrorIs(t, err, importer.ErrValue, "%+v", c)
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, "unruly.fmu")
	}
	f := open(t, testfmu.Recipe{Version: 3, Clocks: strings.Replace(strings.Replace(beats, "%s",
		"fixed", 1), "%s", tenthOf, 1) + "\n"})
	_, err := f.NewInstance("x", &importer.Pool{},
		importer.Options{Intervals: []importer.ClockInterval{{"beat", "1"}, {"pace", "1"}}})
	require.ErrorContains(t, err, "pace: unusable start value: found two intervals, expected one")
}

// callLog collects messages, which arrive from another goroutine.
type callLog struct {
	mu    sync.Mutex
	lines []string
}

func (l *callLog) add(m importer.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, m.Text)
}

// take returns the messages that have arrived since its last call.
func (l *callLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := strings.Join(l.lines, "\n")
	l.lines = nil
	return all
}

// tunableRun returns an engine with an instance whose clock beat is tunable.
func tunableRun(t *testing.T) (*cosim.Engine, *importer.Instance, *cosim.Signal, *callLog) {
	t.Helper()
	pool := &importer.Pool{}
	pool.Options.LogCalls = true
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	calls := &callLog{}
	f := open(t, testfmu.Recipe{Version: 3, Clocks: beatOf("tunable", tenthOf),
		Orders: []string{"SetInterval tunable"}})
	i, err := f.NewInstance("x", pool, importer.Options{Log: calls.add})
	require.NoError(t, err)
	require.ErrorContains(t, i.SetInterval(importer.ClockInterval{Clock: "beat", Interval: "1"}),
		"found an instance that is not running")
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	e.Add("x", i)
	return e, i, e.Watch("x.beat"), calls
}

// A tunable clock changes between two steps: its next tick follows one new interval after the last
// tick.
func TestSetInterval_ChangesATunableClock(t *testing.T) {
	ctx := context.Background()
	e, i, beat, calls := tunableRun(t)
	require.NoError(t, e.Start(ctx))
	var saved []byte
	var after []uint64
	count := func(n int) (counts []uint64) {
		for range n {
			_, err := e.Step(ctx)
			require.NoError(t, err)
			counts = append(counts, beat.Cells()[0])
		}
		return counts
	}
	require.Equal(t, []uint64{2, 3, 4}, count(3), "ticks at 0, 0.1, 0.2, 0.3")
	require.NoError(t, i.SetInterval(importer.ClockInterval{Clock: "beat", Interval: "0.25"}))
	saved, err := e.AppendState(ctx, nil)
	require.NoError(t, err)
	calls.take()
	after = count(6)
	require.Equal(t, []uint64{4, 4, 5, 5, 6, 6}, after, "ticks at 0.55 and 0.8")
	all := calls.take()
	require.Contains(t, all, "intervals=[0.25]")
	require.Less(t, strings.Index(all, "fmi3EnterEventMode"), strings.Index(all,
		"fmi3SetIntervalDecimal"))
	require.NoError(t, e.RestoreState(ctx, saved), "with the change that the FMU has not got yet")
	require.Equal(t, after, count(6))
	require.NoError(t, i.SetInterval(importer.ClockInterval{Clock: "beat", Interval: "0.01"}))
	require.Equal(t, uint64(6+11), count(1)[0],
		"those that are overdue at once, from 0.81 on each 0.01")
	_, err = e.Finish(ctx)
	require.NoError(t, err)
}

// A crafted state could make a clock tick forever at the same time.
func TestRestoreState_RefusesClocksThatCannotGoOn(t *testing.T) {
	ctx := context.Background()
	_, i, _, _ := tunableRun(t)
	_, _, err := i.Bind(nil, nil)
	require.NoError(t, err)
	require.NoError(t, i.Enter(ctx, cosim.Setup{Name: "x", Stop: timebase.Second,
		Step: cosim.Every(0.1)}))
	require.NoError(t, i.Leave(ctx))
	saved, err := i.AppendState(ctx, nil)
	require.NoError(t, err)
	require.NoError(t, i.RestoreState(ctx, saved))
	// Time, next event, number of inputs; then, for the clock: due, last, interval as nanoseconds,
	// part and parts of one, count, input, and the new interval as seconds, counter and resolution.
	const clock = 4
	for _, c := range []struct {
		word  int
		value uint64
		want  string
	}{
		{0, math.Float64bits(math.NaN()), "NaN"},
		{3, 1 << 60, "state"},
		{clock, 1 << 63, "a time of -9223372036854775808 ns"},
		{clock + 1, 1 << 40, "ns and 1099511627776/1"},
		{clock + 5, 1 << 63, "ns and 0/9223372036854775808"},
		{clock + 6, 0,
			"the clock beat: unusable state: found an interval of 0 ns, expected at least 1 ns, " +
				"as it is periodic"},
		{clock + 6, math.MaxUint64, "found an interval of -1 ns"},
		{clock + 11, math.Float64bits(-1), "a new interval that cannot be used"},
		{clock + 12, 1, "a new interval that cannot be used"},
	} {
		crafted := append([]byte(nil), saved...)
		copy(crafted[8*c.word:], state.AppendUint64(nil, c.value))
		err := i.RestoreState(ctx, crafted)
		require.ErrorIs(t, err, state.ErrState, "%+v", c)
		require.ErrorContains(t, err, c.want)
	}
	require.NoError(t, i.RestoreState(ctx, saved))
	require.NoError(t, i.Stop(ctx))
	require.NoError(t, i.Close())
}

// Two names of one variable cannot both be connected: otherwise it would be undefined which value
// applies.
func TestBind_RefusesTwoAliasesOfAnInput(t *testing.T) {
	const two = `<Clock name="trigger" valueReference="93" causality="input" intervalVariability="triggered"><Alias name="other"/></Clock>
<Float64 name="v" valueReference="12" causality="input" start="0"><Alias name="w"/></Float64>
`
	f := open(t, testfmu.Recipe{Version: 3, Clocks: two})
	for _, names := range [][2]string{{"trigger", "other"}, {"v", "w"}} {
		x := newRun(f, "out")
		table, err := cosim.ReadTable(strings.NewReader("time,"+names[0]+","+names[1]+
			"\n0,0,0\n0.5,1,1\n"), "x.csv", f.Variables())
		require.NoError(t, err)
		x.sources = []cosim.Source{table}
		err = x.do(t)
		require.ErrorIs(t, err, cosim.ErrConnection)
		require.ErrorContains(t, err, names[1]+": ")
		require.ErrorContains(t, err, "found a value for "+names[0]+
			" as well, which is an alias, expected a value for one of them")
	}
}
