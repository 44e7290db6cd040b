package probe_test

import (
	"context"
	"encoding/binary"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/importer/worker/probe"
	"gosmp/internal/testfmu"
)

func zero(text string) []byte { return append([]byte(text), 0) }

// life returns a life of the test FMU: instantiate, set gain, initialize, one step, read, free.
func life(t *testing.T, r testfmu.Recipe) (ops []probe.Op) {
	path := testfmu.Build(t, r)
	fmu, err := importer.Open(path)
	require.NoError(t, err)
	folder := t.TempDir()
	require.NoError(t, fmu.Unpack(folder))
	return []probe.Op{
		{Code: probe.Load, Data: zero(fmu.Library(folder))},
		{Code: "fmi2Instantiate", Values: 1, Data: zero("x"),
			Data2: zero(fmu.Model.InstantiationToken),
			Data3: zero("file://" + filepath.Join(folder, "resources"))},
		{Code: "fmi2SetupExperiment"},
		{Code: "fmi2EnterInitializationMode"},
		{Code: "fmi2ExitInitializationMode"},
		{Code: "fmi2DoStep", X: [4]float64{0, 0.5}},
		{Code: "fmi2GetReal", References: []uint32{3}},
		{Code: "fmi2Terminate"},
		{Code: "fmi2FreeInstance"},
	}
}

func TestRun_Life(t *testing.T) {
	r, err := probe.Run(context.Background(), life(t, testfmu.Recipe{}), probe.Options{})
	require.NoError(t, err)
	require.False(t, r.Crashed(), "%+v", r)
	require.Equal(t, -1, r.Stopped)
	clock := math.Float64frombits(binary.NativeEndian.Uint64(r.Records[6].Out))
	require.InDelta(t, 0.5, clock, 0)
}

// TestRun_Survives checks that the host receives a result for any behavior of an FMU.
func TestRun_Survives(t *testing.T) {
	for order, check := range map[string]func(r *probe.Result){
		"DoStep crash": func(r *probe.Result) { require.Equal(t, "SIGSEGV", r.Signal) },
		"DoStep abort": func(r *probe.Result) { require.Equal(t, "SIGABRT", r.Signal) },
		"DoStep exit 3": func(r *probe.Result) {
			require.Equal(t, 3, r.ExitCode)
			require.False(t, r.Done)
		},
		"DoStep hang": func(r *probe.Result) { require.True(t, r.TimedOut) },
		"DoStep error": func(r *probe.Result) {
			require.Equal(t, 5, r.Stopped)
			require.True(t, r.Done)
		},
	} {
		t.Run(order, func(t *testing.T) {
			ops := life(t, testfmu.Recipe{Orders: []string{order}})
			limit := 2 * time.Minute
			if order == "DoStep hang" {
				limit = time.Second
			}
			for ; ; limit *= 2 { // on a busy machine, other calls take long as well
				r, err := probe.Run(context.Background(), ops, probe.Options{Limit: limit})
				require.NoError(t, err)
				if r.Last != 5 && limit < time.Minute {
					continue
				}
				require.Equal(t, 5, r.Last)
				check(r)
				return
			}
		})
	}
}

// TestRun_RestlessThread checks that a pause next to a thread of the FMU that never rests ends by
// itself, and is not taken for a call without an answer, however short the time limit of calls is.
func TestRun_RestlessThread(t *testing.T) {
	if testing.Short() {
		t.Skip("the pause takes more than two seconds")
	}
	ops := life(t, testfmu.Recipe{Orders: []string{"DoStep spin"}})
	const step = 5
	ops = append(ops[:step+1], probe.Op{Code: probe.Sleep, X: [4]float64{0.02, 0.5}})
	for limit := 20 * time.Millisecond; ; limit *= 2 {
		r, err := probe.Run(context.Background(), ops, probe.Options{Limit: limit})
		require.NoError(t, err)
		if r.TimedOut && r.Last <= step {
			continue // on a busy machine, calls take long as well
		}
		require.False(t, r.TimedOut)
		require.True(t, r.Done)
		return
	}
}

func TestRun_Canceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := probe.Run(ctx, []probe.Op{{Code: probe.Sleep, X: [4]float64{60}}}, probe.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestRun_Loops(t *testing.T) {
	ops := []probe.Op{
		{Code: probe.Loop, Count: 7}, {Code: probe.Loop, Count: 3}, {Code: probe.Dirty, Count: 10},
		{Code: probe.Next}, {Code: probe.Next}, {Code: probe.Measure},
	}
	r, err := probe.Run(context.Background(), ops, probe.Options{})
	require.NoError(t, err)
	require.Equal(t, 21, r.Records[2].Runs)
	require.Contains(t, string(r.Records[5].Out), "threads=")
}
