package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/toolchain"
)

// started holds the measurements of one process.
type started struct {
	milliseconds, megabytes float64
	threads                 int
}

// starts makes one start in each of n fresh processes for every library, in turn, so that the
// conditions are the same for all.
func starts(t testing.TB, n int, program string, libraries ...[]string) [][]started {
	t.Helper()
	lists := make([][]started, len(libraries))
	for range n {
		for k, words := range libraries {
			output, err := exec.Command(program, words...).Output()
			require.NoError(t, err)
			var s started
			_, err = fmt.Sscan(string(output), &s.milliseconds, &s.megabytes, &s.threads)
			require.NoError(t, err, string(output))
			s.milliseconds /= 1e6
			s.megabytes /= 1024
			lists[k] = append(lists[k], s)
		}
	}
	for _, list := range lists {
		slices.SortFunc(list, func(a, b started) int {
			return int(1e6 * (a.milliseconds - b.milliseconds))
		})
	}
	return lists
}

// plain compiles the FMU in C that does the same work when it starts.
func plain(t testing.TB) string {
	t.Helper()
	compiler, err := toolchain.Native("cc")
	require.NoError(t, err)
	library := filepath.Join(workshop, "plain.so")
	require.NoError(t, compiler.Build(t.Context(), toolchain.Runner{}, toolchain.Unit{
		Output: library, Sources: []string{"plain.c"}, Flags: []string{"-O2", "-shared", "-fPIC",
			"-I", "../../export"},
	}))
	return library
}

// measured starts the packed FMU and the one in C, and returns the sizes of their libraries in
// bytes.
func measured(t testing.TB, n int) (fmu, c []started, fmuBytes, cBytes int64) {
	t.Helper()
	i, library := newImporter(t), plain(t)
	resources := filepath.Join(i.folder, "resources")
	lists := starts(t, n, compile(t, "start.c"), []string{i.InstantiationToken, i.resources(),
		i.library(i.binaries())},
		[]string{i.InstantiationToken, resources, library})
	files, err := os.ReadDir(i.binaries())
	require.NoError(t, err)
	for _, file := range files {
		info, err := file.Info()
		require.NoError(t, err)
		fmuBytes += info.Size()
	}
	info, err := os.Stat(library)
	require.NoError(t, err)
	return lists[0], lists[1], fmuBytes, info.Size()
}

// BenchmarkStart measures the startup: load, instantiate and initialize in a fresh process, next to
// a library in C that makes the same calls and opens the same file. The metrics, with the prefix c-
// for the library in C:
//
//	median-ms, p99-ms  time
//	MB                 increase of the process's resident memory
//	threads            increase of the number of threads
//	B                  size of the libraries
//
// One iteration is one start of each; -benchtime 300x gives enough of them for a percentile.
func BenchmarkStart(b *testing.B) {
	fmu, c, fmuBytes, cBytes := measured(b, max(b.N, 2))
	at := func(list []started, share float64) float64 {
		return list[int(share*float64(len(list)-1))].milliseconds
	}
	b.ReportMetric(0, "ns/op") // would be the time of the whole processes
	b.ReportMetric(at(fmu, 0.5), "median-ms")
	b.ReportMetric(at(fmu, 0.99), "p99-ms")
	b.ReportMetric(fmu[len(fmu)/2].megabytes, "MB")
	b.ReportMetric(float64(fmu[len(fmu)/2].threads), "threads")
	b.ReportMetric(float64(fmuBytes), "B")
	b.ReportMetric(at(c, 0.5), "c-median-ms")
	b.ReportMetric(at(c, 0.99), "c-p99-ms")
	b.ReportMetric(c[len(c)/2].megabytes, "c-MB")
	b.ReportMetric(float64(cBytes), "c-B")
}

// TestStart_HoldsLittle limits the resources that the first instance adds to a process. Memory and
// threads do not depend on how busy the machine is.
func TestStart_HoldsLittle(t *testing.T) {
	fmu, c, _, _ := measured(t, 5)
	for k := range fmu {
		require.Less(t, fmu[k].megabytes, 12.0)
		require.Less(t, c[k].megabytes, fmu[k].megabytes)
		require.LessOrEqual(t, fmu[k].threads, 8+runtime.NumCPU())
	}
}

// TestStart_ObeysControlGroups verifies that a limit of an outer control group applies as well.
// Near the limit there is an instance or one log line, but the process never ends.
func TestStart_ObeysControlGroups(t *testing.T) {
	i := newImporter(t)
	outer, err := os.MkdirTemp("/sys/fs/cgroup/pids", "gosmp-")
	if err != nil {
		t.Skip("no control groups of version 1 that this user can create: ", err)
	}
	defer func() { require.NoError(t, os.Remove(outer)) }()
	inner := filepath.Join(outer, "inner")
	require.NoError(t, os.Mkdir(inner, 0o700))
	defer func() { require.NoError(t, os.Remove(inner)) }()
	program := compile(t, "start.c")
	for _, limit := range []string{"3", "6", "100", "max"} {
		require.NoError(t, os.WriteFile(filepath.Join(outer, "pids.max"), []byte(limit), 0o600))
		c := exec.Command("sh", "-c", `echo $$ >"$0/cgroup.procs" && exec "$@"`, inner, program,
			i.InstantiationToken, i.resources(), i.library(i.binaries()))
		said, err := c.CombinedOutput()
		if err != nil {
			require.Equal(t, 1, c.ProcessState.ExitCode(), "%s threads: %s", limit, said)
			require.Contains(t, string(said), "cannot start the threads that Go's runtime needs")
		}
		require.Equal(t, limit == "3" || limit == "6", err != nil, "%s threads: %s", limit, said)
		require.Eventually(t, func() bool {
			left, err := os.ReadFile(filepath.Join(inner, "cgroup.procs"))
			return err == nil && len(left) == 0
		}, time.Minute, 10*time.Millisecond)
	}
}
