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
)

// BenchmarkStep measures the time in which a master in C passes a SensorView to the packed FMU,
// connected by single integers: three times fmi2SetInteger, fmi2DoStep, three times fmi2GetInteger,
// without a recording. The metrics:
//
//	step-ns       the step, in the fastest stretch, which other load on the machine disturbs least
//	calls-ns      the six calls beside fmi2DoStep alone, in the same way
//	ns/object     the step by object
//	B-in, B-out   sizes of SensorView and SensorData
func BenchmarkStep(b *testing.B) {
	i := newImporter(b)
	program := compile(b, "speed.c")
	at := slices.IndexFunc(i.Variables, func(v archive.Variable) bool { return v.Name == "replay.enabled" })
	require.NotEqual(b, -1, at)
	for _, boundaries := range []int{0, 200} {
		for _, n := range []int{1, 10, 100, 1000, 5000} {
			b.Run(fmt.Sprintf("objects=%d/boundaries=%d", n, boundaries), func(b *testing.B) {
				view, err := proto.Marshal(scene.Crowd(n, boundaries, 50))
				require.NoError(b, err)
				path := filepath.Join(b.TempDir(), "view.osi")
				require.NoError(b, os.WriteFile(path, view, 0o600))
				step, calls, size := math.Inf(1), math.Inf(1), 0
				for b.Loop() {
					output, err := exec.Command(program, i.InstantiationToken, i.resources(), i.library(i.binaries()),
						reference(&i.Variables[at]), path, strconv.Itoa(100_000/n)).Output()
					require.NoError(b, err)
					var s, c float64
					_, err = fmt.Sscan(string(output), &s, &c, &size)
					require.NoError(b, err)
					step, calls = min(step, s), min(calls, c)
				}
				b.ReportMetric(0, "ns/op") // would be that of the whole program
				b.ReportMetric(step, "step-ns")
				b.ReportMetric(calls, "calls-ns")
				b.ReportMetric(step/float64(n), "ns/object")
				b.ReportMetric(float64(len(view)), "B-in")
				b.ReportMetric(float64(size), "B-out")
			})
		}
	}
}
