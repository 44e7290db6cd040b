//go:build linux && !race

package opendrive

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// largeMap names the file that a child process of the tests reads.
const largeMap = "GOSMP_TEST_LARGE_MAP"

// peakOfReading returns the peak memory, in MB, of a process that reads and keeps a map.
func peakOfReading(t testing.TB, text string) float64 {
	path := filepath.Join(t.TempDir(), "large.xodr")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	child := exec.Command(os.Args[0], "-test.run", "^TestRead_PeakOfALargeMap$")
	child.Env = append(os.Environ(), largeMap+"="+path)
	out, err := child.CombinedOutput()
	require.NoError(t, err, string(out))
	return float64(child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1e3
}

// TestRead_PeakOfALargeMap checks that a map of 31 MB is read with less than 300 MB.
func TestRead_PeakOfALargeMap(t *testing.T) {
	if path := os.Getenv(largeMap); path != "" {
		m, err := ReadFile(path)
		require.NoError(t, err)
		require.Len(t, m.Roads, largeRoads)
		return
	}
	text := benchmarkMap(largeRoads)
	require.Greater(t, float64(len(text)), 30e6)
	peak := peakOfReading(t, text)
	t.Logf("%.0f MB at most for a map of %.0f MB", peak, float64(len(text))/1e6)
	require.Less(t, peak, 300.0)
}

// BenchmarkReadMemory reports the memory of a process that reads a map of 31 MB.
func BenchmarkReadMemory(b *testing.B) {
	text, peak := benchmarkMap(largeRoads), 0.0
	for b.Loop() {
		peak = max(peak, peakOfReading(b, text))
	}
	b.ReportMetric(peak, "peak-MB")
	b.ReportMetric(float64(len(text))/1e6, "map-MB")
	if peak > 600 {
		b.Fatalf("%.0f MB", peak)
	}
}
