//go:build linux && cgo

package importer_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/timebase"
)

// referenceSource names a folder with the sources of the FMI project's Reference FMUs. They are
// compiled here, and the results are not kept.
const referenceSource = "GOSMP_REFERENCE_FMUS"

// reference opens one of the Reference FMUs.
func reference(t *testing.T, model string, version int) *importer.FMU {
	t.Helper()
	f, err := importer.Open(compiled(t, model, version))
	require.NoError(t, err)
	return f
}

// compiled builds one of the Reference FMUs and returns its path.
func compiled(t *testing.T, model string, version int) string {
	t.Helper()
	source := os.Getenv(referenceSource)
	if source == "" {
		t.Skip("set " + referenceSource + " to a folder with the sources of the Reference FMUs")
	}
	description, err := os.ReadFile(filepath.Join(source, model, fmt.Sprintf("FMI%d.xml", version)))
	if os.IsNotExist(err) {
		t.Skipf("%s is not there for FMI %d", model, version)
	}
	require.NoError(t, err)
	folder := t.TempDir()
	platform := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH] + "-linux"
	binaries := filepath.Join(folder, "binaries", platform)
	require.NoError(t, os.MkdirAll(binaries, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "modelDescription.xml"), description,
		0o600))
	out, err := exec.Command("cc", "-shared", "-fPIC", "-O1", fmt.Sprintf("-DFMI_VERSION=%d",
		version), "-DDISABLE_PREFIX",
		"-I"+filepath.Join(source, "include"), "-I"+filepath.Join(source, model),
		filepath.Join(source, model, "model.c"),
		filepath.Join(source, "src", fmt.Sprintf("fmi%dFunctions.c", version)),
		filepath.Join(source, "src", "cosimulation.c"),
		"-o", filepath.Join(binaries, model+".so"), "-lm").CombinedOutput()
	require.NoError(t, err, "%s", out)
	path := filepath.Join(t.TempDir(), model+".fmu")
	if resource, err := os.ReadFile(filepath.Join(source, model, "y.txt")); err == nil {
		require.NoError(t, os.Mkdir(filepath.Join(folder, "resources"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "resources", "y.txt"), resource,
			0o600))
	}
	pack(t, folder, path)
	return path
}

// columns parses the trace of a run.
func columns(t *testing.T, csv string) map[string][]float64 {
	t.Helper()
	rows := strings.Split(strings.TrimSpace(csv), "\n")
	names := strings.Split(strings.ReplaceAll(rows[0], `"`, ""), ",")
	list := map[string][]float64{}
	for _, row := range rows[1:] {
		for k, text := range strings.Split(row, ",") {
			v, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			list[names[k]] = append(list[names[k]], v)
		}
	}
	return list
}

func referenceRun(t *testing.T, f *importer.FMU, step float64, stop timebase.Time,
	watch ...string) map[string][]float64 {
	t.Helper()
	r := newRun(f, watch...)
	r.spec = cosim.Spec{Stop: stop, Step: cosim.Every(step)}
	require.NoError(t, r.do(t))
	return columns(t, r.csv.String())
}

// The model is der(x) = -k·x with k = 1 from x = 1, solved by Euler steps of 0.1 s: x(n) = 0.9^n.
func TestReference_DahlquistIsTheSumOfItsEulerSteps(t *testing.T) {
	for _, version := range []int{2, 3} {
		c := referenceRun(t, reference(t, "Dahlquist", version), 0.1, 10*timebase.Second, "x")
		require.Len(t, c["x"], 101)
		for n, x := range c["x"] {
			require.InEpsilon(t, math.Pow(0.9, float64(n)), x, 1e-9)
		}
	}
}

// The counter starts at 1 and increases by one each second, up to 10, when the FMU ends the
// simulation.
func TestReference_StairCountsSecondsAndEndsTheRun(t *testing.T) {
	for _, version := range []int{2, 3} {
		r := newRun(reference(t, "Stair", version), "counter")
		r.spec = cosim.Spec{Stop: 20 * timebase.Second, Step: cosim.Every(0.2)}
		require.NoError(t, r.do(t))
		require.Equal(t, "x", r.result.EndedBy)
		c := columns(t, r.csv.String())
		for k, at := range c["time"] {
			// not close to an increment
			if distance := at - math.Round(at); math.Abs(distance) > 0.05 {
				require.Equal(t, 1+math.Floor(at), c["counter"][k], "at %v", at)
			}
		}
		require.InDelta(t, 9, r.result.Reached.Seconds(), 1.1)
	}
}

// A ball falls from 1 m: until it touches the ground, h = 1 - g·t²/2, except for the error of the
// FMU's Euler steps of 10 ms.
func TestReference_BouncingBallFallsFreely(t *testing.T) {
	for _, version := range []int{2, 3} {
		c := referenceRun(t, reference(t, "BouncingBall", version), 0.01, 3*timebase.Second,
			"h", "v")
		for k, at := range c["time"] {
			if at <= 0.44 {
				require.InDelta(t, 1-9.81*at*at/2, c["h"][k], 0.03)
				require.InDelta(t, -9.81*at, c["v"][k], 1e-9)
			}
			require.GreaterOrEqual(t, c["h"][k], -1e-9)
		}
	}
}

// Van der Pol: der(x0) = x1, der(x1) = µ(1 - x0²)x1 - x0 with µ = 1 from (2, 0), by Euler steps of
// 10 ms.
func TestReference_VanDerPolIsItsEquations(t *testing.T) {
	for _, version := range []int{2, 3} {
		c := referenceRun(t, reference(t, "VanDerPol", version), 0.01, 5*timebase.Second, "x0",
			"x1")
		x0, x1 := 2.0, 0.0
		for k := range c["x0"] {
			require.InDelta(t, x0, c["x0"][k], 1e-9)
			require.InDelta(t, x1, c["x1"][k], 1e-9)
			x0, x1 = x0+0.01*x1, x1+0.01*((1-x0*x0)*x1-x0)
		}
	}
}

func TestReference_AllRunOrAreRefusedByName(t *testing.T) {
	for _, model := range []string{"Feedthrough", "Resource", "StateSpace", "Roberts", "Clocks"} {
		for _, version := range []int{2, 3} {
			t.Run(fmt.Sprint(model, version), func(t *testing.T) {
				if path := compiled(t, model, version); model == "Clocks" {
					_, err := importer.Open(path)
					require.ErrorContains(t, err,
						"found ScheduledExecution alone, expected CoSimulation")
					return
				}
				r := newRun(reference(t, model, version))
				r.spec = cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.1)}
				require.NoError(t, r.do(t))
				require.Equal(t, int64(10), r.result.Steps)
			})
		}
	}
}
