//go:build linux && cgo

package importer_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/worker"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// happenings lists the visits to Event Mode, each with the time and the values that were set in it,
// and the steps, each with the values that were set before it.
func happenings(messages []importer.Message) (visits []string, steps []string) {
	var set []string
	at, inside := "", false
	for _, m := range messages {
		name, rest, _ := strings.Cut(strings.TrimPrefix(m.Text, "fmi3"), "(")
		_, values, _ := strings.Cut(rest, "values=[")
		values, _, _ = strings.Cut(values, "]")
		switch {
		case !m.Call:
		case name == "EnterEventMode":
			inside, set = true, nil
		case name == "EnterStepMode":
			if inside {
				visits = append(visits, at+": "+strings.Join(set, " "))
			}
			inside, set = false, nil
		case name == "DoStep":
			_, at, _ = strings.Cut(rest, "lastSuccessfulTime=")
			at, _, _ = strings.Cut(at, ")")
			if seconds, err := strconv.ParseFloat(at, 64); err == nil {
				at = strconv.FormatFloat(seconds, 'g', 6, 64) // the FMU adds up its steps
			}
			steps, set = append(steps, strings.Join(set, " ")), nil
		case strings.HasPrefix(name, "Set") && name != "SetDebugLogging":
			set = append(set, strings.TrimPrefix(name, "Set")+"="+values)
		}
	}
	return visits, steps
}

// An input that jumps where the FMU has an event, or where a clock ticks, is set in the visit to
// Event Mode that handles them all. The values of a file are those of the time of the visit, also
// at the end of the run. A jump elsewhere has its own visit, at the next point.
func TestEvents_InputsThatJumpShareTheVisit(t *testing.T) {
	late := beatOf("constant", `intervalDecimal="1" shiftDecimal="0.2"`)
	for name, c := range map[string]struct {
		orders        []string
		clocks, table string
		visits        []string
	}{
		"discrete, at an event": {[]string{"DoStep event 0 2"}, "",
			"time,int8.in\n0,1\n0.2,2\n", []string{"0.2: Int8=2"}},
		"discrete, without one": {nil, "", "time,int8.in\n0,1\n0.2,2\n", []string{"0.2: Int8=2"}},
		"discrete, after an event": {[]string{"DoStep event 0 2"}, "",
			"time,int8.in\n0,1\n0.3,2\n", []string{"0.2: Int8=1", "0.3: Int8=2"}},
		"discrete, at the end": {[]string{"DoStep event 0 4"}, "",
			"time,int8.in\n0,1\n0.4,2\n", []string{"0.4: Int8=2"}},
		"continuous, at an event": {[]string{"DoStep event 0 2"}, "",
			"time,in\n0,1\n0.2,1\n0.2,5\n", []string{"0.2: Float64=5.0"}},
		"continuous, without one": {nil, "", "time,in\n0,1\n0.2,1\n0.2,5\n",
			[]string{"0.2: Float64=5.0"}},
		"continuous, between points": {nil, "", "time,in\n0,1\n0.25,1\n0.25,5\n",
			[]string{"0.3: Float64=5.0"}},
		"continuous, without a jump": {nil, "", "time,in\n0,1\n0.2,5\n0.2,5\n0.3,4\n", nil},
		"continuous, at the start":   {nil, "", "time,in\n0,1\n0,5\n", nil},
		"smooth, at an event": {[]string{"DoStep event 0 2"}, "", "time,in\n0,1\n0.4,5\n",
			[]string{"0.2: Float64=3.0"}},
		"binary": {nil, "", "time,message\n0,aa\n0.1,aa\n0.2,bb\n", []string{"0.2: Binary=1 bytes"}},
		"binary that becomes empty": {nil, "", "time,message\n0,aa\n0.1,\n0.2,\n",
			[]string{"0.1: Binary=0 bytes"}},
		"at a tick": {nil, late, "time,u,int8.in\n0,1,1\n0.2,2,2\n",
			[]string{"0.2: Int8=2 Clock=True Float64=2.0"}},
		"at a tick and an event": {[]string{"DoStep event 0 2"}, late,
			"time,u,int8.in\n0,1,1\n0.2,2,2\n", []string{"0.2: Int8=2 Clock=True Float64=2.0"}},
		"at a tick between points": {nil,
			strings.Replace(late, "0.2", "0.25", 1), "time,u\n0,1\n0.25,2\n",
			[]string{"0.25: Clock=True Float64=2.0"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRun(open(t, testfmu.Recipe{Version: 3, Clocks: c.clocks, Orders: c.orders}),
				"events")
			r.options.EventMode, r.pool.Options.LogCalls = true, true
			r.spec.Stop = 4 * timebase.Second / 10
			table, err := cosim.ReadTable(strings.NewReader(c.table), "x.csv", r.fmu.Variables())
			require.NoError(t, err)
			r.sources = append(r.sources, table)
			require.NoError(t, r.do(t))
			visits, _ := happenings(r.messages)
			require.Equal(t, c.visits, visits)
		})
	}
}

// A step that begins where the previous one returned early uses the values of that time, with or
// without Event Mode.
func TestEvents_StepsAfterAnEarlyReturnUseTheValuesOfThatTime(t *testing.T) {
	for _, events := range []bool{false, true} {
		r := newRun(open(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep early 0 2"}}),
			"out")
		r.options.EventMode, r.options.EarlyReturn, r.pool.Options.LogCalls = events, true, true
		r.spec.Stop = 3 * timebase.Second / 10
		table, err := cosim.ReadTable(strings.NewReader("time,in\n0,0\n1,100\n"), "x.csv",
			r.fmu.Variables())
		require.NoError(t, err)
		r.sources = append(r.sources, table)
		require.NoError(t, r.do(t))
		_, steps := happenings(r.messages)
		require.Equal(t, []string{"Float64=10.0", "Float64=15.0", "Float64=20.0"}, steps[1:],
			"%v", events)
	}
}

// In a system, an FMU that handles an event receives the values of a file at that time. FMUs that
// have yet to step receive the values of the beginning of the step.
func TestEvents_OtherFMUsReceiveTheValuesOfTheirSteps(t *testing.T) {
	for _, algorithm := range []cosim.Algorithm{cosim.Sequential, cosim.Parallel} {
		f := open(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep event 0 2"}})
		other := open(t, testfmu.Recipe{Version: 3})
		table, err := cosim.ReadTable(strings.NewReader("time,int8.in\n0,1\n0.2,2\n"), "x.csv",
			f.Variables())
		require.NoError(t, err)
		logs := map[string]*run{"a": newRun(f), "b": newRun(other)}
		e := cosim.New(cosim.Spec{Stop: 4 * timebase.Second / 10, Step: cosim.Every(0.1),
			Algorithm: algorithm})
		pool := &importer.Pool{Options: worker.Options{LogCalls: true}}
		e.AddSource("file", table)
		for _, name := range []string{"a", "b"} {
			r := logs[name]
			i, err := r.fmu.NewInstance(name, pool, importer.Options{EventMode: true,
				Log: func(m importer.Message) {
					r.mu.Lock()
					defer r.mu.Unlock()
					r.messages = append(r.messages, m)
				}})
			require.NoError(t, err)
			e.Add(name, i)
			e.Connect("file.int8.in", name+".int8.in")
		}
		_, err = e.Run(context.Background())
		require.NoError(t, err)
		require.NoError(t, pool.Close())
		for name, r := range logs {
			visits, _ := happenings(r.messages)
			require.Equal(t, []string{"0.2: Int8=2"}, visits, fmt.Sprint(algorithm, name))
		}
	}
}

// A text or a message is set only when it changes. After a saved state, the values of a file are
// set again, because the FMU may have had others; a state of the engine remembers them.
func TestEvents_StatesKnowDiscreteInputs(t *testing.T) {
	for name, c := range map[string]struct{ constant, jumps string }{
		"number": {"time,int8.in\n0,1\n", "time,int8.in\n0,1\n0.7,2\n"},
		"binary": {"time,message\n0,aabb\n", "time,message\n0,aabb\n0.7,aabbcc\n"},
		"text":   {"time,text\n0,no\n", "time,text\n0,no\n0.7,yes\n"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := context.Background()
			f := open(t, testfmu.Recipe{Version: 3, Describe: func(xml string) string {
				return strings.Replace(xml, `causality="parameter" variability="tunable"><Start`,
					`causality="input"><Start`, 1)
			}})
			pool := &importer.Pool{Options: worker.Options{LogCalls: true}}
			whole, _, calls := eventful(t, f, pool, c.jumps, nil)
			require.NoError(t, whole.Start(ctx))
			step(t, whole, 4)
			saved, err := whole.AppendState(ctx, nil)
			require.NoError(t, err)
			step(t, whole, 6)
			require.Equal(t, 1, visits(calls))
			require.NoError(t, whole.RestoreState(ctx, saved))
			step(t, whole, 2)
			require.Zero(t, visits(calls))
			step(t, whole, 4)
			require.Equal(t, 1, visits(calls))

			first, i, calls := eventful(t, f, pool, c.constant, nil)
			require.NoError(t, first.Start(ctx))
			step(t, first, 3)
			own, err := i.State()
			require.NoError(t, err)
			require.Zero(t, visits(calls))
			next, _, calls := eventful(t, f, pool, c.constant, own)
			require.NoError(t, next.Start(ctx))
			step(t, next, 3)
			require.Equal(t, 1, visits(calls), "the inputs of the state are unknown")
			require.NoError(t, pool.Close())
		})
	}
}

// eventful returns an engine with an FMU in Event Mode that is fed from a file, and its calls.
func eventful(t *testing.T, f *importer.FMU, pool *importer.Pool, file string, from []byte) (
	*cosim.Engine, *importer.Instance, *callLog) {
	t.Helper()
	table, err := cosim.ReadTable(strings.NewReader(file), "x.csv", f.Variables())
	require.NoError(t, err)
	calls := &callLog{}
	i, err := f.NewInstance("x", pool, importer.Options{EventMode: true, InitialState: from,
		Log: calls.add})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	e.AddSource("file", table)
	e.Add("x", i)
	for _, v := range table.Variables() {
		e.Connect("file."+v.Name, "x."+v.Name)
	}
	return e, i, calls
}

// visits counts the visits to Event Mode since its last call.
func visits(calls *callLog) int { return strings.Count(calls.take(), "fmi3EnterEventMode(") }

func step(t *testing.T, e *cosim.Engine, n int) {
	t.Helper()
	for range n {
		_, err := e.Step(context.Background())
		require.NoError(t, err)
	}
}
