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

// BenchmarkWorkers runs a sweep of 1 000 runs by one and by two workers, as the command does. Each
// run keeps one core busy for a few milliseconds. A run with FMUs in their own processes keeps more
// than one core busy, so that two workers would gain less. The two variants take turns, so that
// other load affects both alike, and the fastest sweep of each counts. The metric times-one is the
// throughput of two workers relative to one.
func BenchmarkWorkers(b *testing.B) {
	dir := b.TempDir()
	require.NoError(b, os.CopyFS(dir, os.DirFS("testdata/counting")))
	require.NoError(b, os.WriteFile(filepath.Join(dir, "workers.sweep.yaml"),
		[]byte("experiment: counting.exc\nseeds: 1000\n"), 0o600))
	const rounds = 5
	fastest := [3]time.Duration{}
	for range rounds {
		for jobs := 1; jobs <= 2; jobs++ {
			if took := sweepCounting(b, dir, jobs); fastest[jobs] == 0 || took < fastest[jobs] {
				fastest[jobs] = took
			}
		}
	}
	for b.Loop() { // the result was measured before
	}
	b.ReportMetric(fastest[1].Seconds(), "s-one")
	b.ReportMetric(fastest[2].Seconds(), "s-two")
	b.ReportMetric(fastest[1].Seconds()/fastest[2].Seconds(), "times-one")
	b.ReportMetric(0, "ns/op")
}

// sweepCounting computes all runs, without rows of an earlier sweep.
func sweepCounting(b *testing.B, dir string, jobs int) time.Duration {
	b.Helper()
	c := exec.Command("gosmp", "sweep", "workers.sweep.yaml", "--jobs", fmt.Sprint(jobs), "--store",
		b.TempDir())
	c.Dir = dir
	begin := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(begin)
	require.NoError(b, err, "%s", out)
	require.Contains(b, string(out), "1 000 of 1 000 runs finished (0 reused), 1 000 passed")
	return took
}
