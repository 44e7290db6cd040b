//go:build linux && cgo

package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/chost"
	"gosmp/internal/testfmu"
)

// cost is the time that a run takes, in seconds.
type cost struct{ wall, cpu float64 }

// less keeps the shortest times of several runs.
func (c *cost) less(other cost) {
	if *c == (cost{}) {
		*c = other
	}
	*c = cost{min(c.wall, other.wall), min(c.cpu, other.cpu)}
}

// race is a short and a long run of a host: their difference is the cost of the steps.
type race struct{ short, long cost }

// step returns the cost of a step in microseconds.
func (r race) step(steps int) cost {
	scale := 1e6 / float64(steps)
	return cost{(r.long.wall - r.short.wall) * scale, (r.long.cpu - r.short.cpu) * scale}
}

// measured measures a function in this process, including the processes that it starts and waits
// for.
func measured(b *testing.B, run func()) cost {
	begin, used := time.Now(), cpuSeconds(b)
	run()
	return cost{time.Since(begin).Seconds(), cpuSeconds(b) - used}
}

// executed measures a program.
func executed(b *testing.B, c *exec.Cmd) cost {
	begin := time.Now()
	c.Stderr = os.Stderr
	require.NoError(b, c.Run())
	u := c.ProcessState.SysUsage().(*syscall.Rusage)
	return cost{time.Since(begin).Seconds(),
		time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()}
}

// ring is a number of equal FMUs, each with the output of the previous one as its input, or apart:
// without connections.
type ring struct {
	fmu   *importer.FMU
	n     int
	apart bool
}

// ours runs the ring in the gosmp host.
func (r ring) ours(b *testing.B, steps int, shared bool) cost {
	return measured(b, func() {
		pool, grid := &importer.Pool{}, cosim.Every(0.001)
		e := cosim.New(cosim.Spec{Stop: grid.Point(0, int64(steps)), Step: grid})
		var signals []*cosim.Signal
		for k := range r.n {
			name := fmt.Sprintf("f%d", k)
			i, err := r.fmu.NewInstance(name, pool, importer.Options{Shared: shared})
			require.NoError(b, err)
			e.Add(name, i)
			if !r.apart {
				e.Connect(fmt.Sprintf("f%d.out", (k+r.n-1)%r.n), name+".in")
			}
			signals = append(signals, e.Watch(name+".out"))
		}
		e.Observe(cosim.NewRecorder(io.Discard, signals...))
		_, err := e.Run(context.Background())
		require.NoError(b, err)
		require.NoError(b, pool.Close())
	})
}

// plain runs the ring in host.c.
func (r ring) plain(b *testing.B, program, folder string, steps int) cost {
	part := fmt.Sprintf("fmu %s file://%s/resources %s\nreal 1\n",
		r.fmu.Model.InstantiationToken, folder, r.fmu.Library(folder))
	if !r.apart {
		part += "wire 1 0\n"
	}
	c := exec.Command(program, fmt.Sprint(steps), "0.001", "/dev/null")
	c.Stdin = strings.NewReader(strings.Repeat(part, r.n))
	return executed(b, c)
}

// libcosim runs the ring in the library of DNV's Open Simulation Platform, with its parallel
// fixed-step algorithm and an observer that keeps the newest values.
func (r ring) libcosim(b *testing.B, interpreter string, steps int) cost {
	const program = `
import sys
from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimObserver import CosimObserver
from libcosimpy.CosimSlave import CosimLocalSlave
path, n, steps, apart = sys.argv[1], *map(int, sys.argv[2:])
run = CosimExecution.from_step_size(step_size=1_000_000)
slaves = [run.add_local_slave(CosimLocalSlave(path, f"f{k}")) for k in range(n)]
for k in range(0 if apart else n):
    run.connect_real_variables(slaves[k - 1], 1, slaves[k], 0)
observer = CosimObserver.create_last_value()
run.add_observer(observer)
assert run.step(steps)
`
	apart := 0
	if r.apart {
		apart = 1
	}
	return executed(b, exec.Command(interpreter, "-c", program, r.fmu.Path, fmt.Sprint(r.n),
		fmt.Sprint(steps), fmt.Sprint(apart)))
}

// libcosimPython returns an interpreter that has libcosimpy, or an empty string.
func libcosimPython() string {
	path := os.Getenv("GOSMP_LIBCOSIM_PYTHON")
	if path == "" || exec.Command(path, "-c", "import libcosimpy").Run() != nil {
		return ""
	}
	return path
}

// hosts returns a function for each host, which runs the ring for a number of steps, and their names
// in the order of reports.
func (r ring) hosts(b *testing.B) (names []string, ways map[string]func(steps int) cost) {
	program, folder := chost.Compile(b, b.TempDir(), "host.c"), filepath.Join(b.TempDir(), "fmu")
	require.NoError(b, r.fmu.Unpack(folder))
	names = []string{"plain", "shared", "isolated"}
	ways = map[string]func(steps int) cost{
		"plain":    func(steps int) cost { return r.plain(b, program, folder, steps) },
		"shared":   func(steps int) cost { return r.ours(b, steps, true) },
		"isolated": func(steps int) cost { return r.ours(b, steps, false) },
	}
	interpreter := libcosimPython()
	if interpreter == "" {
		b.Log("without libcosim: GOSMP_LIBCOSIM_PYTHON names a Python with libcosimpy")
		return names, ways
	}
	ways["libcosim"] = func(steps int) cost { return r.libcosim(b, interpreter, steps) }
	return append(names, "libcosim"), ways
}

// compare measures a ring in all hosts, which take turns, and reports the shortest time and
// processor time of all processes in three runs.
func (r ring) compare(b *testing.B, title string, short, long int) {
	names, ways := r.hosts(b)
	races := map[string]*race{}
	for range 3 {
		for _, way := range names {
			if races[way] == nil {
				races[way] = &race{}
			}
			races[way].short.less(ways[way](short))
			races[way].long.less(ways[way](long))
		}
	}
	plain := races["plain"].step(long - short).cpu
	for _, way := range names {
		b.Run(title+"/"+way, func(b *testing.B) {
			for b.Loop() { // the result has been measured before
			}
			step := races[way].step(long - short)
			b.ReportMetric(step.wall, "step-us")
			b.ReportMetric(step.cpu, "cpu-us")
			b.ReportMetric(step.cpu/plain, "times-plain")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkHostMany measures a step of 1, 10 and 50 FMUs that compute almost nothing, in a ring
// or apart, with one output each recorded: in the gosmp host with a process for each FMU (isolated)
// and for all of them (shared), in a host in C that holds all of them (plain), and in libcosim, if
// GOSMP_LIBCOSIM_PYTHON names a Python with libcosimpy.
func BenchmarkHostMany(b *testing.B) {
	f, err := importer.Open(testfmu.Build(b, testfmu.Recipe{}))
	require.NoError(b, err)
	for _, r := range []ring{{f, 1, false}, {f, 10, false}, {f, 50, false}, {f, 50, true}} {
		name := fmt.Sprint(r.n)
		if r.apart {
			name += "-apart"
		}
		// The steps of 50 FMUs take longer than their start, from which they are told apart.
		r.compare(b, name, 1000/r.n, 500_000/r.n)
	}
}

// BenchmarkHostWork is like [BenchmarkHostMany] for ten FMUs whose steps compute for about 10 and
// 100 microseconds.
func BenchmarkHostWork(b *testing.B) {
	for _, work := range []int{10, 100} {
		f, err := importer.Open(testfmu.Build(b,
			testfmu.Recipe{Orders: []string{fmt.Sprintf("DoStep work %d", work)}}))
		require.NoError(b, err)
		for _, apart := range []bool{false, true} {
			name := fmt.Sprintf("%dus", work)
			if apart {
				name += "-apart"
			}
			ring{f, 10, apart}.compare(b, name, 100, 100+40_000/work)
		}
	}
}
