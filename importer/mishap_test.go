//go:build linux && cgo

package importer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// wholeLife makes every call of the life cycle that a host can make: start values of all types,
// logging of a category, two steps with an event, saving, restoring and serializing states, a reset
// and a second life cycle. It returns the names of the called functions and the first error.
func wholeLife(f *importer.FMU, limit time.Duration) (functions []string, err error) {
	pool := &importer.Pool{}
	pool.Options.LogCalls = true
	var mu sync.Mutex
	o := importer.Options{LoggingOn: true, Categories: []string{"logEvents"},
		EventMode: f.Model.Major() == 3, SetAllStart: true, Timeout: limit, Derivatives: true,
		OutputDerivatives: true, Log: func(m importer.Message) {
			mu.Lock()
			defer mu.Unlock()
			if name, _, _ := strings.Cut(m.Text, "("); m.Call {
				functions = append(functions, name)
			}
		}}
	i, err := f.NewInstance("x", pool, o)
	if err != nil {
		return nil, err
	}
	var inputs, outputs []int
	for n, v := range i.Variables() {
		switch {
		case v.Role == cosim.Input:
			inputs = append(inputs, n)
		case v.Role == cosim.Output || v.Kind == cosim.Clock:
			outputs = append(outputs, n)
		}
	}
	err = live(i, inputs, outputs)
	return functions, errors.Join(err, pool.Close())
}

func live(i *importer.Instance, inputs, outputs []int) error {
	ctx := context.Background()
	in, _, err := i.Bind(inputs, outputs)
	if err != nil {
		return err
	}
	if i.Traits().Slopes {
		in.Slopes = make([]float64, len(in.Cells))
	}
	grid := cosim.Every(0.1)
	step := func(k int64) func() error {
		return func() error {
			_, err := i.Step(ctx, timebase.Span{Start: grid.Point(0, k), End: grid.Point(0, k+1)})
			return err
		}
	}
	event := func() error {
		if !i.Traits().Events {
			return nil
		}
		_, err := i.Event(ctx, 0)
		return err
	}
	var state []byte
	life := []func() error{
		func() error {
			return i.Enter(ctx,
				cosim.Setup{Name: "x", Stop: timebase.Second, Step: grid, KeepState: true})
		},
		func() error { return i.Exchange(ctx) },
		func() error { return i.Leave(ctx) },
		event, step(0), func() error {
			return i.Save(ctx)
		}, step(1), func() error { return i.Restore(ctx) },
		func() (err error) { state, err = i.AppendState(ctx, nil); return err },
		func() error { return i.RestoreState(ctx, state) },
		func() error { return i.Stop(ctx) },
		func() error { return i.Reset(ctx) },
	}
	life = append(life, life[:3]...)
	life = append(life, func() error { return i.Stop(ctx) }, i.Close)
	for _, call := range life {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// fullRecipe returns the test FMU with every feature that makes the host call a function, and with
// the given orders.
func fullRecipe(version int, function string, orders ...string) testfmu.Recipe {
	r := testfmu.Recipe{Version: version, Orders: orders}
	if version == 2 {
		flags := ""
		switch function {
		case "fmi2GetStatus":
			flags, r.Orders = `canRunAsynchronuously="true" `, append(r.Orders, "DoStep pending")
		case "fmi2GetBooleanStatus", "fmi2GetRealStatus":
			r.Orders = append(r.Orders, "DoStep discard", "DoStep terminate")
		case "fmi2SetRealInputDerivatives":
			flags = `canInterpolateInputs="true" `
		case "fmi2GetRealOutputDerivatives":
			flags = `maxOutputDerivativeOrder="1" `
		}
		r.Describe = func(xml string) string {
			return strings.Replace(xml, "<CoSimulation ", "<CoSimulation "+flags, 1)
		}
		return r
	}
	fraction := map[bool]string{true: `supportsFraction="true" `}[strings.HasSuffix(function,
		"Fraction")]
	switch {
	case strings.Contains(function, "GetInterval"), strings.Contains(function, "GetShift"):
		r.Clocks = beatOf("fixed", fraction)
	case fraction != "":
		r.Clocks = beatOf("fixed", tenthOf+` resolution="10" intervalCounter="1" `+fraction)
	default:
		r.Clocks = beatOf("fixed", tenthOf)
	}
	r.Clocks += alarm
	return r
}

// hostFunctions returns the functions of a version that a worker may call, taken from the worker's
// own list.
func hostFunctions(t *testing.T, version int) (list []string) {
	t.Helper()
	header, err := os.ReadFile("worker/worker.h")
	require.NoError(t, err)
	for _, name := range regexp.MustCompile(fmt.Sprintf(`F\((fmi%d\w+)\)`,
		version)).FindAllStringSubmatch(string(header), -1) {
		list = append(list, name[1])
	}
	require.Greater(t, len(list), 25)
	return list
}

// nameOf returns the name of a function in an order to the test FMU.
func nameOf(function string) string {
	return strings.TrimSuffix(function, "CoSimulation")[len("fmi2"):]
}

// If an FMU of either version crashes, aborts or exits in any function, the error names the
// function. The list of functions is the worker's own, and a run without a mishap calls all of
// them.
func TestRun_EachMishapInEachFunctionHasAName(t *testing.T) {
	for _, version := range []int{2, 3} {
		for _, function := range hostFunctions(t, version) {
			t.Run(function, func(t *testing.T) {
				t.Parallel()
				called, err := wholeLife(open(t, fullRecipe(version, function)), 0)
				require.NoError(t, err)
				require.True(t, slices.Contains(called, function), "%v", called)
				for mishap, want := range map[string]string{"crash": "SIGSEGV", "abort": "SIGABRT",
					"exit 3": "exit(3)"} {
					_, err := wholeLife(open(t, fullRecipe(version, function, nameOf(function)+" "+
						mishap)), 0)
					require.ErrorIs(t, err, importer.ErrFailed, mishap)
					require.ErrorContains(t, err, want+" in "+function, mishap)
				}
			})
		}
	}
}

// If an FMU hangs in any function, the time limit ends it, and the error names the function. All
// functions hang concurrently, so the limit can be long enough that no other call comes close to
// it.
func TestRun_HangsEndInEveryFunction(t *testing.T) {
	t.Parallel()
	for limit := 5 * time.Second; ; limit *= 2 { // a busy machine needs more
		wrong := hangs(t, limit)
		if len(wrong) == 0 {
			return
		}
		require.Less(t, limit, time.Minute, "%v", wrong)
	}
}

// hangs returns the errors of FMUs that hang in a function, unless they name the function.
func hangs(t *testing.T, limit time.Duration) (wrong []error) {
	t.Helper()
	found := map[string]chan error{}
	for _, version := range []int{2, 3} {
		for _, function := range append(hostFunctions(t, version), fmt.Sprintf("fmi%dload",
			version)) {
			f := open(t, fullRecipe(version, function, nameOf(function)+" hang"))
			answer := make(chan error, 1)
			found[function] = answer
			go func() {
				_, err := wholeLife(f, limit)
				answer <- err
			}()
		}
	}
	for function, answer := range found {
		err := <-answer
		if nameOf(function) == "load" {
			function = "dlopen"
		}
		require.ErrorIs(t, err, importer.ErrTimeout, function)
		if !strings.Contains(err.Error(), fmt.Sprintf("no answer within %v in %s", limit, function)) {
			wrong = append(wrong, err)
		}
	}
	return wrong
}
