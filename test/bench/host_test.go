//go:build linux && cgo

package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/fmi/archive"
	"gosmp/importer"
	"gosmp/internal/chost"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

// station is an FMU in a chain, for the gosmp host and for the plain one.
type station struct {
	name       string
	fmu        *importer.FMU
	in, out    string // notional binary variables
	parameters []importer.StartValue
	recorded   []string // Real and Integer
}

// lap measures the time per step in nanoseconds in the fastest section of a run. Sections are
// short, so that some of them are not interrupted by other programs.
type lap struct {
	every, rows int
	last        time.Time
	fastest     float64
}

func (l *lap) Begin(*cosim.Result) error {
	l.fastest = math.Inf(1)
	return nil
}

func (l *lap) Row(timebase.Time, cosim.Row) error {
	if l.rows++; (l.rows-1)%l.every != 0 {
		return nil
	}
	now := time.Now()
	if l.rows > 1 {
		l.fastest = min(l.fastest, float64(now.Sub(l.last).Nanoseconds())/float64(l.every))
	}
	l.last = now
	return nil
}

func (l *lap) End(*cosim.Result) error { return nil }

const stretch = 200 // steps, as in host.c

// unanswered leaves configuration requests unanswered, as the plain host does.
var unanswered = map[string][]byte{"OSMPSensorViewInConfig": nil}

// ours runs a chain in the gosmp host, which records to csv, and returns the nanoseconds per step.
func ours(b testing.TB, chain []station, step float64, steps int, shared bool,
	csv io.Writer) float64 {
	b.Helper()
	pool := &importer.Pool{}
	grid := cosim.Every(step)
	e := cosim.New(cosim.Spec{Stop: grid.Point(0, int64(steps)), Step: grid})
	var signals []*cosim.Signal
	var last *cosim.Signal
	for k, s := range chain {
		i, err := s.fmu.NewInstance(s.name, pool, importer.Options{Shared: shared,
			Start: s.parameters, Configuration: unanswered})
		require.NoError(b, err)
		e.Add(s.name, i)
		if k > 0 {
			e.Connect(chain[k-1].name+"."+chain[k-1].out, s.name+"."+s.in)
		}
		if k == len(chain)-1 && s.out != "" {
			last = e.Watch(s.name + "." + s.out)
		}
		for _, name := range s.recorded {
			signals = append(signals, e.Watch(s.name+"."+name))
		}
	}
	e.Observe(cosim.NewRecorder(csv, signals...))
	l := &lap{every: min(stretch, steps/10)}
	e.Observe(l)
	_, err := e.Run(context.Background())
	require.NoError(b, err)
	if last != nil {
		require.NotEmpty(b, last.Blobs()[0], "the chain has made something")
	}
	require.NoError(b, pool.Close())
	return l.fastest
}

// describe formats a chain for host.c.
func describe(b testing.TB, chain []station) string {
	b.Helper()
	var text strings.Builder
	for _, s := range chain {
		find := func(name string) *archive.Variable {
			for k := range s.fmu.Model.Variables {
				if v := &s.fmu.Model.Variables[k]; v.Name == name {
					return v
				}
			}
			b.Fatalf("%s has no %s", s.name, name)
			return nil
		}
		folder := b.TempDir()
		require.NoError(b, s.fmu.Unpack(folder))
		fmt.Fprintf(&text, "fmu %s file://%s/resources %s\n", s.fmu.Model.InstantiationToken,
			folder, s.fmu.Library(folder))
		for _, p := range s.parameters {
			value := strings.NewReplacer("true", "1", "false", "0").Replace(p.Value)
			fmt.Fprintf(&text, "set %v %d %s\n", find(p.Name).Type, find(p.Name).ValueReference,
				value)
		}
		for way, name := range map[string]string{"in": s.in, "out": s.out} {
			if name != "" {
				fmt.Fprintf(&text, "%s %d %d %d\n", way, find(name+".base.lo").ValueReference,
					find(name+".base.hi").ValueReference,
					find(name+".size").ValueReference)
			}
		}
		for _, name := range s.recorded {
			fmt.Fprintf(&text, "%s %d\n", strings.ToLower(find(name).Type.String()),
				find(name).ValueReference)
		}
	}
	return text.String()
}

// theirs runs a chain in the plain host, a separate program that records to the file csv, and
// returns the nanoseconds per step.
func theirs(b testing.TB, program string, chain []station, step float64, steps int,
	csv string) float64 {
	b.Helper()
	c := exec.Command(program, fmt.Sprint(steps), fmt.Sprint(step), csv)
	c.Stdin = strings.NewReader(describe(b, chain))
	c.Stderr = os.Stderr
	out, err := c.Output()
	require.NoError(b, err)
	var ns float64
	_, err = fmt.Sscan(string(out), &ns)
	require.NoError(b, err)
	return ns
}

// python returns an interpreter that has FMPy, or an empty string.
func python() string {
	for _, path := range []string{os.Getenv("GOSMP_PYTHON"), filepath.Join("..", "..", ".venv",
		"bin", "python")} {
		if path != "" && exec.Command(path, "-c", "import fmpy").Run() == nil {
			return path
		}
	}
	return ""
}

// fmpy simulates an FMU in FMPy and returns the nanoseconds per step.
func fmpy(b testing.TB, interpreter, path string, steps int, recorded []string) float64 {
	b.Helper()
	const program = `
import sys, time, fmpy
path, steps, names = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
folder, description = fmpy.extract(path), fmpy.read_model_description(path)
def run(n):
    begin = time.perf_counter()
    fmpy.simulate_fmu(folder, model_description=description, start_time=0, stop_time=n / 1000, output_interval=0.001, output=names,
        fmi_type="CoSimulation")
    return time.perf_counter() - begin
short = run(10)
print((run(steps) - short) / (steps - 10) * 1e9)
`
	c := exec.Command(interpreter, append([]string{"-c", program, path, fmt.Sprint(steps)},
		recorded...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	require.NoError(b, err)
	var ns float64
	_, err = fmt.Sscan(string(out), &ns)
	require.NoError(b, err)
	return ns
}

// hosts measures a chain in all hosts. The hosts take turns, so that other load on the machine
// affects all alike, and the best result of each counts.
func hosts(b *testing.B, chain []station, step float64, steps int) {
	best, program := map[string]float64{}, chost.Compile(b, b.TempDir(), "host.c")
	ways := map[string]func() float64{
		"plain":    func() float64 { return theirs(b, program, chain, step, steps, "/dev/null") },
		"bare":     func() float64 { return theirs(b, program, chain, step, steps, "-") },
		"shared":   func() float64 { return ours(b, chain, step, steps, true, io.Discard) },
		"isolated": func() float64 { return ours(b, chain, step, steps, false, io.Discard) },
	}
	names := []string{"plain", "bare", "shared", "isolated"}
	if p := python(); len(chain) == 1 && p != "" {
		names = append(names, "fmpy")
		ways["fmpy"] = func() float64 {
			return fmpy(b, p, chain[0].fmu.Path, 20_000, chain[0].recorded)
		}
	}
	for range 3 {
		for way, run := range ways {
			if ns := run(); best[way] == 0 || ns < best[way] {
				best[way] = ns
			}
		}
	}
	for _, way := range names {
		b.Run(way, func(b *testing.B) {
			for b.Loop() { // the result has been measured before
			}
			b.ReportMetric(best[way], "step-ns")
			b.ReportMetric(best[way]/best["plain"], "times-plain")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// packed returns the path of the FMU whose start is measured.
func packed() string {
	if path := os.Getenv("GOSMP_FMU"); path != "" {
		return path
	}
	return filepath.Join("..", "..", "dist", "OSMPDummySensor.fmu")
}

// start runs an FMU without a step: it is read, unpacked or found in the cache, loaded, initialized
// and terminated.
func start(t testing.TB, path string) *importer.FMU {
	t.Helper()
	f, err := importer.Open(path)
	require.NoError(t, err)
	pool := &importer.Pool{}
	i, err := f.NewInstance("x", pool, importer.Options{})
	require.NoError(t, err)
	e := cosim.New(cosim.Spec{Step: cosim.Every(1)})
	e.Add("x", i)
	e.Watch("x.count")
	_, err = e.Run(context.Background())
	require.NoError(t, err)
	require.NoError(t, pool.Close())
	return f
}

// BenchmarkHostStart measures [start] with the packed OSMPDummySensor. With "unpacked" the cache is
// empty. The time is the time of the fastest run.
func BenchmarkHostStart(b *testing.B) {
	path := packed()
	if _, err := os.Stat(path); err != nil {
		b.Skipf("no FMU: %v", err)
	}
	for _, way := range []string{"cached", "unpacked"} {
		b.Run(way, func(b *testing.B) {
			cache := b.TempDir()
			b.Setenv("XDG_CACHE_HOME", cache)
			fastest := math.Inf(1)
			for b.Loop() {
				begin := time.Now()
				start(b, path)
				fastest = min(fastest, float64(time.Since(begin).Microseconds())/1000)
				if way == "unpacked" {
					require.NoError(b, os.RemoveAll(filepath.Join(cache, "gosmp")))
				}
			}
			b.ReportMetric(fastest, "start-ms")
		})
	}
}

// lone returns an FMU that computes almost nothing, with three recorded variables.
func lone(t testing.TB) []station {
	t.Helper()
	f, err := importer.Open(testfmu.Build(t, testfmu.Recipe{}))
	require.NoError(t, err)
	return []station{{name: "x", fmu: f, recorded: []string{"out", "clock", "steps"}}}
}

// three returns a source of 100 objects, a sensor and a fusion; find returns the path of the FMU
// that a program packs, under its usual name.
func three(t testing.TB, find func(program, name string) string) []station {
	t.Helper()
	open := func(program, name string) *importer.FMU {
		f, err := importer.Open(find(program, name))
		require.NoError(t, err)
		return f
	}
	return []station{
		{name: "source", fmu: open("examples/source", "OSMPSource"), out: "OSMPSensorViewOut",
			parameters: []importer.StartValue{{Name: "vehicles", Value: "99"}}},
		{name: "sensor", fmu: open("cmd/osmpdummysensor", "OSMPDummySensor"),
			in: "OSMPSensorViewIn", out: "OSMPSensorDataOut",
			parameters: []importer.StartValue{{Name: "replay.enabled", Value: "false"},
				{Name: "nominalrange", Value: "500"}}},
		{name: "fusion", fmu: open("examples/fusion", "OSMPFusion"), in: "OSMPSensorDataIn[1]",
			out:      "OSMPSensorDataOut",
			recorded: []string{"count"}},
	}
}

// BenchmarkHost measures a step of [lone]: in the gosmp host, with the FMU in its own process
// (isolated) or in a shared one (shared); in a host in C in one process with the FMU, with (plain)
// and without a CSV file (bare); and in FMPy, if it is installed. For FMPy the time of the whole
// run is used, so other load on the machine affects it more.
func BenchmarkHost(b *testing.B) { hosts(b, lone(b), 0.001, 200_000) }

// BenchmarkHostChain measures a step of the chain [three].
func BenchmarkHostChain(b *testing.B) {
	folder := b.TempDir()
	hosts(b, three(b, func(program, name string) string {
		path := filepath.Join(folder, name+".fmu")
		out, err := exec.Command("go", "run", "../../"+program, "pack", "-o", path).CombinedOutput()
		require.NoError(b, err, "%s", out)
		return path
	}), 0.02, 1000)
}
