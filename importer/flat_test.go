//go:build linux && cgo

package importer_test

import (
	"bytes"
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// longRuns is the environment variable that makes the test of many runs complete.
const longRuns = "GOSMP_LONG"

// holding is the set of resources held by a process.
type holding struct {
	descriptors, threads, mappings, workers int
	heap, resident                          int // KiB
}

func held(t *testing.T) holding {
	t.Helper()
	runtime.GC()
	debug.FreeOSMemory() // also frees memory with finalizers; free pages would count as resident
	count := func(folder string) int {
		list, err := os.ReadDir(folder)
		require.NoError(t, err)
		return len(list)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return holding{count("/proc/self/fd"), count("/proc/self/task"), bytes.Count(maps,
		[]byte("gosmp")), children(t),
		int(memory.HeapAlloc / 1024), resident(t, "self")}
}

// resident returns the resident memory of a process in KiB.
func resident(t *testing.T, process string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + process + "/status")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(status), "VmRSS:")
	require.True(t, found)
	n, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	return n
}

// views turns all messages of an FMU into SensorViews.
func views(xml string) string {
	return strings.ReplaceAll(xml, "type=SensorData", "type=SensorView")
}

// chainOnce runs a source of messages and two FMUs.
func chainOnce(t *testing.T, f2, f3 *importer.FMU, steps int, shared bool,
	observers ...cosim.Observer) {
	t.Helper()
	pool := &importer.Pool{}
	grid := cosim.Every(0.001)
	e := cosim.New(cosim.Spec{Stop: grid.Point(0, int64(steps)), Step: grid})
	e.Add("source", &messages{})
	for name, f := range map[string]*importer.FMU{"a": f2, "b": f3} {
		i, err := f.NewInstance(name, pool, importer.Options{Shared: shared})
		require.NoError(t, err)
		e.Add(name, i)
	}
	e.Connect("source.view", "a.OSMPSensorViewIn")
	e.Connect("a.OSMPSensorDataOut", "b.message")
	e.Connect("a.out", "b.in")
	e.Watch("b.echo")
	for _, o := range observers {
		e.Observe(o)
	}
	_, err := e.Run(context.Background())
	require.NoError(t, err)
	require.NoError(t, pool.Close())
}

// After a thousand runs of ten thousand steps, the process holds no more resources than after the
// first few runs. Without GOSMP_LONG there are fewer runs.
func TestRun_ThousandRunsOfTenThousandStepsHoldNoMoreThanOne(t *testing.T) {
	runs, steps := 40, 50
	if os.Getenv(longRuns) != "" {
		runs, steps = 1000, 10_000
	}
	f2, f3 := open(t, testfmu.Recipe{OSMP: true, Describe: views}),
		open(t, testfmu.Recipe{Version: 3})
	for range 10 {
		chainOnce(t, f2, f3, steps, false)
	}
	before := held(t)
	for k := range runs {
		chainOnce(t, f2, f3, steps, k%2 == 0)
	}
	after := held(t)
	t.Logf("%d runs of %d steps: before %+v, after %+v", runs, steps, before, after)
	require.LessOrEqual(t, after.descriptors, before.descriptors)
	// one in a call to a worker, two waiting for a worker to end; the Go runtime never ends threads
	const blocked = 3
	require.LessOrEqual(t, after.threads, before.threads+runtime.GOMAXPROCS(0)+blocked)
	require.Equal(t, before.mappings, after.mappings, "no shared memory is left")
	require.Equal(t, before.workers, after.workers)
	require.Less(t, after.heap, before.heap+1024)
	require.Less(t, after.resident, before.resident+16*1024)
}

// load holds the resources of a run at one point in time.
type load struct {
	workers, host        int // resident, KiB
	descriptors, threads int // of the host
}

// growth records the resources that a run holds.
type growth struct {
	t           *testing.T
	step, every int
	all         []load
}

func (g *growth) Begin(*cosim.Result) error { return nil }
func (g *growth) End(*cosim.Result) error   { return nil }
func (g *growth) Row(timebase.Time, cosim.Row) error {
	if g.step++; g.step%g.every == 0 {
		h := held(g.t)
		at := load{host: h.resident, descriptors: h.descriptors, threads: h.threads}
		for _, worker := range workers(g.t) {
			at.workers += resident(g.t, worker)
		}
		g.all = append(g.all, at)
	}
	return nil
}

// A system holds no more resources after many steps than after the first few. The test takes
// thousands of steps, or a million with GOSMP_LONG.
func TestRun_HoldsNoMoreAfterManySteps(t *testing.T) {
	f2, f3 := open(t, testfmu.Recipe{OSMP: true, Describe: views}),
		open(t, testfmu.Recipe{Version: 3})
	steps := 3000
	if os.Getenv(longRuns) != "" {
		steps = 1_000_000
	}
	g := &growth{t: t, every: steps / 6}
	chainOnce(t, f2, f3, steps, false, g)
	t.Logf("every %d steps: %+v", g.every, g.all)
	first, last := g.all[0], g.all[len(g.all)-1]
	require.Less(t, last.workers, first.workers+256)
	require.Less(t, last.host, first.host+4*1024)
	require.Equal(t, first.descriptors, last.descriptors)
	// the Go runtime never ends threads
	require.LessOrEqual(t, last.threads, first.threads+runtime.GOMAXPROCS(0)+2)
}
