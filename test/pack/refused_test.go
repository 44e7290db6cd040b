package pack

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The packer refuses a scenario that the product could not play, and leaves an existing FMU
// unchanged.
func TestTheProductRefusesWhatItCannotPlay(t *testing.T) {
	folder := t.TempDir()
	program, path := filepath.Join(folder, "program"), filepath.Join(folder, "OSMPDummySensor.fmu")
	text, err := exec.Command("go", "build", "-o", program,
		"../../cmd/osmpdummysensor").CombinedOutput()
	require.NoError(t, err, string(text))
	good, junk := filepath.Join(folder, "good.csv"), filepath.Join(folder, "junk.csv")
	require.NoError(t, os.WriteFile(good, []byte("32,0,280\n32,10,281\n"), 0o600))
	require.NoError(t, os.WriteFile(junk, []byte(strings.Repeat("\xd0k@Z\n", 20_000)), 0o600))
	require.NoError(t, os.WriteFile(path, []byte("an earlier one"), 0o600))
	for name, c := range map[string]struct {
		flags []string
		texts []string
		code  int
	}{
		"scenario": {[]string{"-scenario", junk}, []string{"resources/scenario.csv", "no valid one",
			"expected rows like"}, 1},
		"unit": {[]string{"-scenario", good, "-start", "replay.timeUnit=min"},
			[]string{"replay.timeUnit", `found "min"`,
				`expected one of "auto", "ms", "us", "s", "ns"`}, 2},
		"axes": {[]string{"-start", "imu.axes=NED"}, []string{`"NED" is not one of FRD, FLU`,
			"imu.axes takes a String"}, 2},
		"bounds": {[]string{"-start", "objects.halfAngle=4"},
			[]string{"4 is above the maximum 3.14", "objects.halfAngle takes a Real in rad"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			pack := exec.Command(program, append([]string{"pack", "-o", path, "-package",
				"gosmp/cmd/osmpdummysensor"}, c.flags...)...)
			text, err := pack.CombinedOutput()
			require.Error(t, err)
			require.Equal(t, c.code, pack.ProcessState.ExitCode(), string(text))
			for _, words := range c.texts {
				require.Contains(t, string(text), words)
			}
			require.NotContains(t, string(text), "compiling")
			kept, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, "an earlier one", string(kept))
		})
	}
}
