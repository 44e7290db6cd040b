//go:build linux && cgo

package importer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// The test covers the functions in the life cycle of an FMU of each version, and the host's
// reaction to each status: the calls that follow the failing one.
func TestRun_EveryStatusFromEveryFunction(t *testing.T) {
	type answer struct{ status, after string }
	// A setter or getter may return Discard, which ends the run, like an error from any function.
	freed := answer{"error", "FreeInstance"}
	for _, version := range []int{2, 3} {
		p := fmt.Sprintf("fmi%d", version)
		functions := []string{"EnterInitializationMode", "ExitInitializationMode", "DoStep"}
		functions = append(functions, map[int][]string{2: {"SetupExperiment", "SetReal", "GetReal"},
			3: {"SetFloat64", "GetFloat64"}}[version]...)
		for _, f := range functions {
			for _, c := range []answer{freed, {"fatal", ""}, {"discard", "FreeInstance"},
				{"nonsense", "FreeInstance"}} {
				if f == "DoStep" && c.status == "discard" {
					c.after = "Terminate FreeInstance" // legal after a failed step
				}
				t.Run(p+f+" "+c.status, func(t *testing.T) {
					r := newRun(open(t, testfmu.Recipe{Version: version, Orders: []string{f + " " +
						c.status}}), "out")
					r.pool.Options.LogCalls = true
					r.options.Start = []importer.StartValue{{Name: "gain", Value: "1"}}
					err := r.do(t)
					require.ErrorContains(t, err, "x: ")
					if f != "DoStep" || c.status != "discard" {
						require.ErrorIs(t, err, importer.ErrFailed)
						require.ErrorContains(t, err, p+f+" returned "+p)
						if c.status != "nonsense" {
							require.ErrorContains(t, err, ": "+f+" was ordered to answer "+c.status)
						}
					} else {
						require.ErrorIs(t, err, cosim.ErrDiscarded)
					}
					calls := r.calls()
					k := 0
					for k < len(calls) && !strings.HasPrefix(calls[k], p+f+" ") {
						k++
					}
					rest := strings.ReplaceAll(strings.Join(calls[min(k+1, len(calls)):], " "),
						p, "")
					rest = strings.TrimPrefix(rest, "GetBooleanStatus GetRealStatus ")
					for strings.HasPrefix(rest, "DoStep DISCARD ") { // with decreasing step sizes
						rest = strings.TrimPrefix(rest, "DoStep DISCARD ")
					}
					require.Equal(t, c.after, rest, "%v", calls)
				})
			}
		}
	}
}

func TestRun_WarnsOnceOfFloatingPointSettings(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep roundup"}}), "out")
	require.NoError(t, r.do(t))
	require.Equal(t, 1, strings.Count(strings.Join(r.warnings, "\n"),
		"fmi3DoStep has changed the floating-point settings"))
}

func TestRun_WarningsGoOn(t *testing.T) {
	for _, version := range []int{2, 3} {
		r := newRun(open(t, testfmu.Recipe{Version: version, Orders: []string{"DoStep warning",
			"ExitInitializationMode warning"}}), "steps")
		require.NoError(t, r.do(t))
		require.Equal(t, int64(10), r.result.Steps)
		n := 0
		for _, m := range r.messages {
			if m.Status == 1 {
				n++
			}
		}
		require.Equal(t, 11, n)
	}
}

func TestRun_CrashesHaveANameEverywhere(t *testing.T) {
	for _, version := range []int{2, 3} {
		p := fmt.Sprintf("fmi%d", version)
		instantiate := map[int]string{2: "Instantiate", 3: "InstantiateCoSimulation"}[version]
		get := map[int]string{2: "GetReal", 3: "GetFloat64"}[version]
		for order, want := range map[string]string{
			"load crash": "SIGSEGV in dlopen", "GetVersion abort": "SIGABRT in " + p + "GetVersion",
			"Instantiate crash":                "SIGSEGV in " + p + instantiate,
			"Instantiate exit 3":               "exit(3) in " + p + instantiate,
			"EnterInitializationMode overflow": "SIGSEGV in " + p + "EnterInitializationMode",
			"ExitInitializationMode kill 4":    "SIGILL in " + p + "ExitInitializationMode", get +
				" crash 0 3": "SIGSEGV in " + p + get + "(out, clock)",
			"DoStep crash 0 3": "x: at 0.2 s, step 3: ",
			"DoStep _exit 1 3": fmt.Sprintf(
				"exit(1) in %sDoStep(currentCommunicationPoint=0.2, communicationStepSize=0.1)", p),
			"Terminate crash":    "SIGSEGV in " + p + "Terminate",
			"FreeInstance abort": "SIGABRT in " + p + "FreeInstance",
		} {
			t.Run(p+order, func(t *testing.T) {
				r := newRun(open(t, testfmu.Recipe{Version: version, Orders: []string{order}}),
					"out", "clock")
				err := r.do(t)
				require.ErrorContains(t, err, want)
				require.ErrorIs(t, err, importer.ErrFailed)
				if strings.HasPrefix(order, "DoStep") {
					require.Equal(t, 4, strings.Count(r.csv.String(), "\n"),
						"earlier results are kept")
					require.Equal(t, int64(2), r.result.Steps)
				}
			})
		}
	}
}

func TestRun_WildAddressOfAMessageIsTheFMUsFault(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{OSMP: true, Orders: []string{"GetInteger wild"}}),
		"OSMPSensorDataOut")
	require.ErrorContains(t, r.do(t),
		"SIGSEGV in osmp_read of the bytes whose address and size it has put out for "+
			"OSMPSensorDataOut")
}

func TestRun_DiscardWithARequestToTerminate(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{Orders: []string{"DoStep discard 0 4",
		"DoStep terminate 0 0"}}), "steps")
	require.NoError(t, r.do(t))
	require.Equal(t, "x", r.result.EndedBy)
	require.Equal(t, 350*timebase.Millisecond, r.result.Reached)
	require.Contains(t, r.csv.String(), "\n0.35,3\n")

	r = newRun(open(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep terminate 0 4"}}),
		"steps")
	require.NoError(t, r.do(t))
	require.Equal(t, "x", r.result.EndedBy)
	require.True(t, strings.HasSuffix(r.csv.String(), "\n0.4,4\n"), r.csv.String())
}

func TestRun_DiscardedStepIsHalved(t *testing.T) {
	for _, version := range []int{2, 3} {
		for _, rollback := range []bool{false, true} {
			r := newRun(open(t, testfmu.Recipe{Version: version,
				Orders: []string{"DoStep discard 0 0", "DoStep large 0 0"}}), "steps", "clock")
			r.spec.Rollback = rollback
			err := r.do(t)
			if version == 2 && !rollback {
				require.ErrorIs(t, err, cosim.ErrDiscarded)
				require.ErrorContains(t, err, "run with rollback")
				continue
			}
			require.NoError(t, err)
			require.Equal(t, int64(10), r.result.Steps)
			require.Contains(t, r.csv.String(), "\n0.05,1,0.05\n0.1,2,0.1\n")
			require.Contains(t, r.csv.String(), "\n1.0,20,1.0\n")
		}
	}
}

func TestRun_EarlyReturn(t *testing.T) {
	recipe := testfmu.Recipe{Version: 3, Orders: []string{"DoStep early 0 3"}}
	r := newRun(open(t, recipe), "steps")
	require.ErrorContains(t, r.do(t),
		"fmi3DoStep returned early, at 0.25 s, expected the whole step, as "+
			"earlyReturnAllowed is false")
	r = newRun(open(t, recipe), "steps", "clock")
	r.options.EarlyReturn = true
	require.NoError(t, r.do(t))
	require.Contains(t, r.csv.String(), "\n0.3,4,0.3\n")
}

func TestRun_EventModeHandlesEventsAndRecordsTwoRows(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{Version: 3, Orders: []string{"DoStep event 0 2"}}), "events")
	r.options.EventMode, r.pool.Options.LogCalls = true, true
	r.spec.Stop = 3 * timebase.Second / 10
	require.NoError(t, r.do(t))
	require.Equal(t, "\"time\",\"events\"\n0.0,0\n0.1,0\n0.2,0\n0.2,1\n0.3,1\n", r.csv.String())
	require.Contains(t, strings.ReplaceAll(strings.Join(r.calls(), " "), "fmi3", ""),
		"DoStep GetInt64 EnterEventMode "+
			strings.Repeat("UpdateDiscreteStates ", 3)+"GetInt64 EnterStepMode DoStep")

	r = newRun(open(t, testfmu.Recipe{Version: 3, Orders: []string{"UpdateDiscreteStates never"}}),
		"events")
	r.options.EventMode = true
	require.ErrorContains(t, r.do(t),
		"fmi3UpdateDiscreteStates requests another update after 1000 rounds")
	_, err := open(t, testfmu.Recipe{}).NewInstance("x", &importer.Pool{},
		importer.Options{EventMode: true})
	require.ErrorIs(t, err, importer.ErrInvalid)
}

func TestRun_PendingStepsArePolled(t *testing.T) {
	asynchronous := func(xml string) string {
		return strings.Replace(xml, "<CoSimulation ", `<CoSimulation canRunAsynchronuously="true" `,
			1)
	}
	r := newRun(open(t, testfmu.Recipe{Orders: []string{"DoStep pending"}, Describe: asynchronous}),
		"steps")
	require.NoError(t, r.do(t))
	require.Contains(t, r.csv.String(), "\n1.0,10\n")
	r = newRun(open(t, testfmu.Recipe{Orders: []string{"DoStep pending"}}), "steps")
	require.ErrorContains(t, r.do(t), "fmi2DoStep returned fmi2Pending")
}

func TestRun_NullTextsAndMessagesAreRefused(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{Orders: []string{"GetString null"}}), "texted")
	require.ErrorContains(t, r.do(t), "fmi2GetString returned NULL as value 1 of 1 for texted")
	r = newRun(open(t, testfmu.Recipe{Version: 3, Orders: []string{"GetBinary null"}}), "echo")
	require.ErrorContains(t, r.do(t), "fmi3GetBinary returned NULL as value 1 of 1 for echo")
}

func TestRun_MessagesNameVariables(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{Orders: []string{"DoStep log 0 1", "DoStep lognull 0 1"}}))
	require.NoError(t, r.do(t))
	require.Equal(t, `100 % done, # and out and \xff\xfe42`, r.messages[0].Text)
	require.Equal(t, "-", r.messages[1].Category)
}

func TestPool_SharedInstancesHaveOneProcessAndOthersTheirOwn(t *testing.T) {
	pool := &importer.Pool{}
	recipes := map[string]testfmu.Recipe{"a": {Version: 2}, "b": {Version: 3}, "c": {Version: 2},
		"d": {Version: 3}}
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	before := children(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		o := importer.Options{Shared: name != "c", Start: []importer.StartValue{{Name: "gain",
			Value: "2"}}}
		i, err := open(t, recipes[name]).NewInstance(name, pool, o)
		require.NoError(t, err)
		e.Add(name, i)
	}
	e.Connect("a.out", "b.in")
	e.Connect("b.out", "c.in")
	e.Connect("c.out", "d.in")
	out := e.Watch("d.out")
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, 16.0, math.Float64frombits(out.Cells()[0]))
	require.Equal(t, before+2, children(t), "one for a, b and d, and one for c")
	require.NoError(t, pool.Close())
	require.Equal(t, before, children(t))
}

// TestPool_HurriesOnceAProcessHangs: several FMUs that hang do not take ten seconds each.
func TestPool_HurriesOnceAProcessHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits ten seconds for an FMU")
	}
	pool := &importer.Pool{}
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	var warnings []string
	for _, name := range []string{"a", "b"} {
		i, err := open(t, testfmu.Recipe{Orders: []string{"unload hang"}}).NewInstance(name, pool,
			importer.Options{Warn: func(text string) { warnings = append(warnings, text) }})
		require.NoError(t, err)
		e.Add(name, i)
	}
	_, err := e.Run(t.Context())
	require.NoError(t, err)
	require.NoError(t, pool.Close())
	require.Len(t, warnings, 2)
	require.Contains(t, warnings[0], "no answer within 10s in dlclose")
	require.Contains(t, warnings[1], "no answer within 1s in dlclose")
}

// workers returns the worker processes of the test process.
func workers(t *testing.T) (processes []string) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, path := range list {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // the process has just ended
		}
		_, rest, _ := strings.Cut(string(stat), "(gosmp-worker) ")
		if fields := strings.Fields(rest); len(fields) > 1 &&
			fields[1] == strconv.Itoa(os.Getpid()) {
			processes = append(processes, filepath.Base(filepath.Dir(path)))
		}
	}
	return processes
}

func children(t *testing.T) int { return len(workers(t)) }

func TestPool_KillEndsARunningCall(t *testing.T) {
	pool := &importer.Pool{}
	pool.Print = func(_, _ string) { go pool.Kill() }
	i, err := open(t, testfmu.Recipe{Orders: []string{"DoStep print 1 2",
		"DoStep hang 0 2"}}).NewInstance("x", pool, importer.Options{})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)})
	e.Add("x", i)
	var csv bytes.Buffer
	e.Observe(cosim.NewRecorder(&csv, e.Watch("x.out")))
	_, err = e.Run(context.Background())
	require.ErrorContains(t, err, "killed in fmi2DoStep")
	require.Equal(t, 3, strings.Count(csv.String(), "\n"))
	require.NoError(t, pool.Close())
}

func TestRun_EndOfContextStopsInOrder(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{}), "out")
	r.pool.Options.LogCalls = true
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	i, err := r.fmu.NewInstance("x", &r.pool,
		importer.Options{Log: func(m importer.Message) { r.messages = append(r.messages, m) }})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Stop: timebase.EndOfTime, Step: cosim.Every(1)})
	e.Add("x", i)
	e.Observe(after{5, func() { cancel(why) }})
	result, err := e.Run(ctx)
	require.ErrorIs(t, err, why)
	require.Equal(t, int64(5), result.Steps)
	require.NoError(t, r.pool.Close())
	require.True(t, strings.HasSuffix(strings.Join(r.calls(), " "),
		"fmi2DoStep fmi2Terminate fmi2FreeInstance"))
}

// after is an observer that calls a function at its n-th row.
type after struct {
	n    int
	call func()
}

func (a after) Begin(*cosim.Result) error { return nil }
func (a after) End(*cosim.Result) error   { return nil }
func (a after) Row(t timebase.Time, _ cosim.Row) error {
	if t == timebase.Time(a.n)*timebase.Second {
		a.call()
	}
	return nil
}
