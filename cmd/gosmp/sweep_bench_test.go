package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkWorkers runs a sweep of 24 runs of examples/braking, with its FMUs, by one and by two
// workers, as the command does. The two take turns, so that other load affects both alike, and the
// fastest sweep of each counts. The metric times-one is how many times as many runs two workers
// compute in the same time.
func BenchmarkWorkers(b *testing.B) {
	dir := brakingFolder(b)
	plan := "experiment: braking.exc\nparameters: {sensor.nominalrange: {from: 100, to: 140, step: 20}}\nseeds: 8\n"
	require.NoError(b, os.WriteFile(filepath.Join(dir, "workers.sweep.yaml"), []byte(plan), 0o600))
	const rounds = 8
	fastest := [3]time.Duration{}
	for range rounds {
		for jobs := 1; jobs <= 2; jobs++ {
			if took := sweepBraking(b, dir, jobs); fastest[jobs] == 0 || took < fastest[jobs] {
				fastest[jobs] = took
			}
		}
	}
	for b.Loop() { // the result has been measured before
	}
	b.ReportMetric(fastest[1].Seconds(), "s-one")
	b.ReportMetric(fastest[2].Seconds(), "s-two")
	b.ReportMetric(fastest[1].Seconds()/fastest[2].Seconds(), "times-one")
	b.ReportMetric(0, "ns/op")
}

// sweepBraking computes all runs, without a row of an earlier sweep.
func sweepBraking(b *testing.B, dir string, jobs int) time.Duration {
	b.Helper()
	c := exec.Command("gosmp", "sweep", "workers.sweep.yaml", "--jobs", fmt.Sprint(jobs), "--store", b.TempDir())
	c.Dir = dir
	begin := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(begin)
	require.NoError(b, err, "%s", out)
	require.Contains(b, string(out), "24 of 24 runs finished (0 reused), 24 passed")
	return took
}

// brakingFolder is examples/braking with its FMUs.
func brakingFolder(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	require.NoError(b, os.CopyFS(dir, os.DirFS("../../examples/braking")))
	for name, program := range map[string]string{"OSMPDummySensor": "cmd/osmpdummysensor", "OSMPEmergencyBrake": "examples/aeb"} {
		out, err := exec.Command("go", "run", "../../"+program, "pack", "-o", filepath.Join(dir, name+".fmu")).CombinedOutput()
		require.NoError(b, err, "%s", out)
	}
	return dir
}
