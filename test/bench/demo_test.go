//go:build linux && cgo

package bench

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/importer"
)

// observer is a state machine that reads all actors in each step.
const observer = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"><state id="watching">
<transition event="step" cond="_event.data.actors.ego.x &lt; 0" target="failure"/>
<transition event="sim.timeout" target="success"/></state><final id="success"/><final id="failure"/></scxml>`

// BenchmarkDemo measures the experiment of examples/braking with its FMUs in separate processes: 20
// s in steps of 20 ms, from the description to the verdict. It runs with the control machine only
// (one), with ten of its evaluation machines in addition (eleven), and with ten additional machines
// that read all actors in each step (steps). The speed is the speed of the fastest run. The share
// is the part of the CPU time of the cheapest run that the ten machines use; it is measured without
// FMUs, because their processes make the figure inaccurate on a busy computer.
func BenchmarkDemo(b *testing.B) {
	fmus := demoFMUs(b)
	ways := []string{"one", "eleven", "steps"}
	fastest, least, alone := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for range 20 {
		for _, way := range ways { // in turns, so that other load affects all alike
			begin, used := time.Now(), cpuSeconds(b)
			runDemo(b, fmus, way)
			keepLess(fastest, way, time.Since(begin).Seconds())
			keepLess(least, way, cpuSeconds(b)-used)
			used = cpuSeconds(b)
			runDemo(b, nil, way)
			keepLess(alone, way, cpuSeconds(b)-used)
		}
	}
	for _, way := range ways {
		b.Run(way, func(b *testing.B) {
			for b.Loop() { // the result has been measured before
			}
			b.ReportMetric(20/fastest[way], "times-real-time")
			if way != "one" {
				b.ReportMetric(100*(alone[way]-alone["one"])/least[way], "share-%")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func keepLess(figures map[string]float64, way string, v float64) {
	if last, known := figures[way]; !known || v < last {
		figures[way] = v
	}
}

// cpuSeconds returns the CPU time of this process and of its FMU processes that have ended.
func cpuSeconds(b *testing.B) (s float64) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		require.NoError(b, syscall.Getrusage(who, &u))
		s += time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	return s
}

func demoFMUs(b *testing.B) map[string]*importer.FMU {
	b.Helper()
	b.Setenv("XDG_CACHE_HOME", b.TempDir())
	fmus := map[string]*importer.FMU{}
	for name, program := range map[string]string{"sensor": "cmd/osmpdummysensor",
		"aeb": "examples/aeb"} {
		path := filepath.Join(b.TempDir(), name+".fmu")
		out, err := exec.Command("go", "run", "../../"+program, "pack", "-o", path).CombinedOutput()
		require.NoError(b, err, "%s", out)
		fmus[name], err = importer.Open(path)
		require.NoError(b, err)
	}
	return fmus
}

// demoFiles returns the example with other evaluation machines, limited to 20 s. Without FMUs no
// vehicle brakes.
func demoFiles(b *testing.B, way string, fmus bool) fstest.MapFS {
	b.Helper()
	files := fstest.MapFS{"observer.scxml": {Data: []byte(observer)}, "OSMPDummySensor.fmu": {},
		"OSMPEmergencyBrake.fmu": {}}
	from := os.DirFS("../../examples/braking")
	for _, name := range []string{"braking.exc", "braking.bibi", "road.xodr", "traffic.scxml",
		"stops.scxml", "nobody-hit.scxml"} {
		text, err := fs.ReadFile(from, name)
		require.NoError(b, err)
		files[name] = &fstest.MapFile{Data: text}
	}
	machines := ""
	for k := range 10 {
		src := map[string][2]string{"one": {}, "eleven": {"stops.scxml", "nobody-hit.scxml"},
			"steps": {"observer.scxml", "observer.scxml"}}[way][k%2]
		if src != "" {
			machines += fmt.Sprintf(`<stateMachine id="m%d" xsi:type="SCXMLStateMachine" src=%q/>`,
				k, src)
		}
	}
	text := string(files["braking.exc"].Data)
	list, rest, _ := strings.Cut(text, "<experimentEvaluation>")
	_, rest, _ = strings.Cut(rest, "</experimentEvaluation>")
	if machines != "" {
		list += "<experimentEvaluation>" + machines + "</experimentEvaluation>"
	}
	text = strings.Replace(list+rest, ">25</timeout>", ">20</timeout>", 1)
	require.NoError(b, xml.Unmarshal([]byte(text), new(struct{})))
	files["braking.exc"].Data = []byte(text)
	if !fmus {
		files["traffic.scxml"].Data = bytes.Replace(files["traffic.scxml"].Data,
			[]byte("brake: 0.8"), []byte("throttle: 0.081"), 1)
		files["braking.bibi"].Data = regexp.MustCompile(`(?s)<g:fmu.*<timestep>`).ReplaceAll(
			files["braking.bibi"].Data, []byte("<timestep>"))
	}
	return files
}

func runDemo(b *testing.B, fmus map[string]*importer.FMU, way string) {
	b.Helper()
	files := demoFiles(b, way, fmus != nil)
	pool := &importer.Pool{}
	x, err := trial.Open("braking.exc", files["braking.exc"].Data, trial.Options{Files: files,
		FMU: func(p experiment.Participant) (trial.Maker, error) {
			return trial.Maker{Name: p.Name, New: func(trial.Given) (cosim.Participant, error) {
				var start []importer.StartValue
				for _, s := range p.Start {
					start = append(start, importer.StartValue{Name: s.Name, Value: s.Value})
				}
				return fmus[p.Name].NewInstance(p.Name, pool, importer.Options{Start: start})
			}}, nil
		}})
	require.NoError(b, err)
	v, err := x.Run(context.Background())
	require.NoError(b, err)
	require.InDelta(b, 20, v.Time, 0.021)
	require.NoError(b, pool.Close())
}
