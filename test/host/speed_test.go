package host_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/stretchr/testify/require"

	"gosmp/fmi/archive"
	"gosmp/mocksim/scene"
	"gosmp/proto/osi3"
)

// scenes holds the SensorViews of BenchmarkStep: the general case, in which everything is tilted,
// traffic on flat ground, and traffic whose objects differ in shape.
var scenes = []struct {
	name string
	view func(objects, boundaries int) *osi3.SensorView
}{
	{"tilted", func(n, boundaries int) *osi3.SensorView {
		return scene.Tilt(scene.Crowd(n, boundaries, 50))
	}},
	{"level", func(n, boundaries int) *osi3.SensorView { return scene.Crowd(n, boundaries, 50) }},
	{"mixed", func(n, boundaries int) *osi3.SensorView {
		return scene.Mix(scene.Tilt(scene.Crowd(n, boundaries, 50)))
	}},
}

var sizes = []struct{ objects, boundaries int }{{1, 0}, {10, 0}, {100, 0}, {100, 200}, {1000, 0},
	{5000, 0}}

// BenchmarkStep measures the time that a master in C needs to pass a SensorView to the packed FMU
// through individual integers: three times fmi2SetInteger, fmi2DoStep, three times fmi2GetInteger,
// without a recording. Without objects there is no SensorView either. The metrics:
//
//	step-ns       the step, in the fastest section, which other load on the machine disturbs least
//	calls-ns      the six calls other than fmi2DoStep, measured in the same way
//	ns/object     the step by object
//	B-in, B-out   sizes of SensorView and SensorData
//
// BenchmarkStep of package gosmp/sensor/objects compares the same scenes with a straightforward
// implementation in Go.
func BenchmarkStep(b *testing.B) {
	s := newStepBench(b)
	b.Run("empty", func(b *testing.B) { s.run(b, nil, 1) })
	for _, in := range scenes {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("%s/objects=%d/boundaries=%d", in.name, size.objects,
				size.boundaries), func(b *testing.B) {
				view, err := proto.Marshal(in.view(size.objects, size.boundaries))
				require.NoError(b, err)
				s.run(b, view, size.objects)
			})
		}
	}
}

// stepBench holds the FMU and the master that steps it.
type stepBench struct {
	importer
	program string
	replay  string // reference of replay.enabled
}

func newStepBench(b *testing.B) *stepBench {
	s := &stepBench{importer: newImporter(b), program: compile(b, "speed.c")}
	at := slices.IndexFunc(s.Variables, func(v archive.Variable) bool {
		return v.Name == "replay.enabled"
	})
	require.NotEqual(b, -1, at)
	s.replay = reference(&s.Variables[at])
	return s
}

func (s *stepBench) run(b *testing.B, view []byte, objects int) {
	path := filepath.Join(b.TempDir(), "view.osi")
	require.NoError(b, os.WriteFile(path, view, 0o600))
	step, calls, size := math.Inf(1), math.Inf(1), 0
	for b.Loop() {
		output, err := exec.Command(s.program, s.InstantiationToken, s.resources(),
			s.library(s.binaries()),
			s.replay, path, strconv.Itoa(100_000/objects)).Output()
		require.NoError(b, err)
		var k, c float64
		_, err = fmt.Sscan(string(output), &k, &c, &size)
		require.NoError(b, err)
		step, calls = min(step, k), min(calls, c)
	}
	b.ReportMetric(0, "ns/op") // would be the time of the whole program
	b.ReportMetric(step, "step-ns")
	b.ReportMetric(calls, "calls-ns")
	b.ReportMetric(step/float64(objects), "ns/object")
	b.ReportMetric(float64(len(view)), "B-in")
	b.ReportMetric(float64(size), "B-out")
}
