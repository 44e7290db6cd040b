package platforms

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// distributed is a plan with all distributions whose values are computed.
const distributed = `experiment: a.exc
parameters:
  a.normal: {normal: {mean: 2, deviation: 3}}
  a.between: {normal: {mean: 2, deviation: 3}, min: -1, max: 4}
  a.lognormal: {lognormal: {mean: 0.5, deviation: 0.7}, min: 1}
  a.triangular: {triangular: {mode: 2}, min: 0, max: 5}
  a.exponential: {exponential: {mean: 2}, min: 0.1, max: 3}
  a.poisson: {poisson: {mean: 4}, min: 2}
  a.histogram: {histogram: [{from: 0, to: 1, weight: 3}, {from: 2, to: 4, weight: 1}]}
  a.range: {from: -0.3, to: 0.3, step: 0.1}
sampling: {method: random, count: 4000, seed: 7}
`

// TestSweep_SameTableOnARM verifies that a plan has the same runs on both architectures: machines
// of both kinds may share the runs of a sweep.
func TestSweep_SameTableOnARM(t *testing.T) {
	if _, err := exec.LookPath("qemu-aarch64"); err != nil || runtime.GOARCH != "amd64" {
		t.Skip("no qemu-aarch64: apt-get install qemu-user (on an x86-64 processor)")
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"a.sweep.yaml": distributed,
		"a.exc": emptyExperiment} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	tables := map[string]string{}
	for arch, command := range commands(t, folder) {
		show := exec.Command(command[0], append(command[1:], "sweep", "a.sweep.yaml",
			"--dry-run")...)
		show.Dir = folder
		text, err := show.Output()
		require.NoError(t, err)
		tables[arch] = string(text)
	}
	require.Greater(t, len(tables["amd64"]), 4000*100)
	require.True(t, tables["amd64"] == tables["arm64"], "the tables differ")
}

// emptyExperiment is read for the table; it does not run.
const emptyExperiment = `<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig">
<name>Empty</name><thumbnail>none.png</thumbnail><description>Nothing happens.</description><timeout time="simulation">3</timeout>
<environmentModel src="room.sdf"><robotPose x="0" y="0" z="0" roll="0" pitch="0" yaw="0"/></environmentModel>
<bibiConf src="none.bibi"/>
</ExD>
`
