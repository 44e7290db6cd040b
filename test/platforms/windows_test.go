package platforms

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommand_RunsFMUsOnWindows runs both FMUs with the command for Windows, where they are DLLs in
// its own process, and with the command for Linux: results and messages have the same bytes.
func TestCommand_RunsFMUsOnWindows(t *testing.T) {
	k := slices.IndexFunc(platforms, func(p platform) bool { return p.folder == "win64" })
	windows := platforms[k].prepare(t)
	folder := t.TempDir()
	native, foreign := filepath.Join(folder, "gosmp"), filepath.Join(folder, "gosmp.exe")
	buildCommand(t, native)
	buildCommand(t, foreign, "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	for name, fmu := range map[string]string{"2": packed(t), "3": twin(t)} {
		t.Run("FMI "+name, func(t *testing.T) {
			csv, drive := filepath.Join(folder, name), filepath.Join(folder, name+"-windows")
			here := exec.Command(native, "run", fmu, "-o", csv+".csv", "--record", csv+".mcap",
				"--stop-time", "5")
			output, err := here.CombinedOutput()
			require.NoError(t, err, "%s", output)
			there := windows.process(foreign, "run", platforms[k].native(fmu), "-o",
				platforms[k].native(drive+".csv"),
				"--record", platforms[k].native(drive+".mcap"), "--stop-time", "5")
			output, err = there.CombinedOutput()
			require.NoError(t, err, "%s", output)
			for _, extension := range []string{".csv", ".mcap"} {
				want, err := os.ReadFile(csv + extension)
				require.NoError(t, err)
				got, err := os.ReadFile(drive + extension)
				require.NoError(t, err)
				require.True(t, string(want) == string(got),
					"%s: the results differ from byte %d on", extension,
					common(want, got))
			}
		})
	}
}

// TestWorker_OnWindows runs the code that only Windows uses.
func TestWorker_OnWindows(t *testing.T) {
	k := slices.IndexFunc(platforms, func(p platform) bool { return p.folder == "win64" })
	windows := platforms[k].prepare(t)
	program := filepath.Join(t.TempDir(), "worker.test.exe")
	compile := exec.Command("go", "test", "-c", "-o", program, "./importer/worker")
	compile.Dir = filepath.Join("..", "..")
	compile.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	output, err := compile.CombinedOutput()
	require.NoError(t, err, "%s", output)
	output, err = windows.process(program, "-test.v").CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "PASS: TestExpand")
}

func buildCommand(t *testing.T, program string, environment ...string) {
	t.Helper()
	build := exec.Command("go", "build", "-o", program, "./cmd/gosmp")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), environment...)
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// twin returns the FMI 3.0 FMU next to the FMU under test.
func twin(t *testing.T) string {
	t.Helper()
	path := twinOf(packed(t))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no FMU at %s: run `make fmu-all`", path)
	}
	return path
}

func twinOf(fmu string) string { return strings.TrimSuffix(fmu, ".fmu") + "-fmi3.fmu" }
