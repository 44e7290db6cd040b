package host_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// process runs an act of process.c and returns the last line of its output, and the rest of its
// output.
func (i importer) process(t *testing.T, act string, number int, more ...string) (came,
	said string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("signals and limits are those of Linux")
	}
	var out, trouble strings.Builder
	words := append([]string{act, i.InstantiationToken, i.resources(), i.library(i.binaries()),
		strconv.Itoa(number)}, more...)
	c := exec.Command(compile(t, "process.c", "-lrt"), words...)
	c.Stdout, c.Stderr = &out, &trouble
	require.NoError(t, c.Run(), "%s %d: %s", act, number, trouble.String())
	return strings.TrimSpace(out.String()), trouble.String()
}

// TestProcess_SignalsOfTheHostStayWithIt verifies that Go's threads take no signal that the host
// has blocked in its own threads and waits for, with or without a handler.
func TestProcess_SignalsOfTheHostStayWithIt(t *testing.T) {
	i := newImporter(t)
	for _, number := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGTERM, syscall.SIGALRM,
		syscall.SIGHUP, 40} {
		for _, act := range []string{"wait", "blocked"} {
			came, said := i.process(t, act, int(number))
			require.Equal(t, "fine", came, "%s %v: %s", act, number, said)
		}
	}
}

// TestProcess_HandlersOfTheHostFindTheirStack runs a handler fifty thousand times a second that
// does not request an alternate stack and needs far more stack than a goroutine has, also for the
// signals that Go's threads do take.
func TestProcess_HandlersOfTheHostFindTheirStack(t *testing.T) {
	if testing.Short() {
		t.Skip("fifty thousand signals a second take a while")
	}
	i := newImporter(t)
	for _, number := range []syscall.Signal{syscall.SIGALRM, syscall.SIGCHLD, syscall.SIGPROF,
		syscall.SIGUSR2} {
		t.Run(number.String(), func(t *testing.T) {
			came, said := i.process(t, "storm", int(number))
			require.Equal(t, "fine", came, said)
		})
	}
}

// TestProcess_SmallSignalStack verifies that the smallest alternate stacks that the system accepts
// are large enough.
func TestProcess_SmallSignalStack(t *testing.T) {
	i := newImporter(t)
	for _, size := range []int{2048, 4096, 8192} {
		came, said := i.process(t, "stack", size)
		if strings.Contains(said, "no stack of") { // a processor with large registers needs more
			continue
		}
		require.Equal(t, "fine", came, said)
	}
}

// TestProcess_TightLimitsAreLogged verifies that without the address space or the threads that Go's
// runtime needs there is no instance, one log line states the reason, and the process survives.
func TestProcess_TightLimitsAreLogged(t *testing.T) {
	i := newImporter(t)
	if strconv.IntSize < 64 {
		t.Skip("the limit is that of 64-bit systems")
	}
	outcomes := map[string]int{}
	for _, megabytes := range []int{50, 200, 600, 850, 1000, 1250, 1300, 1420, 1500, 1600, 1700,
		1760, 2000, 3000, 4000} {
		// the loaded Go runtime serves the copy, too
		came, said := i.process(t, "space", megabytes, i.copies(t, 1)...)
		if outcomes[came]++; came != "fine" {
			require.Equal(t, 1, strings.Count(said, "status 3"), said)
			require.Contains(t, said, "this process cannot", "%d MB", megabytes)
			require.Contains(t, said, "(ulimit -v)", "%d MB", megabytes)
		}
	}
	require.Greater(t, outcomes["fine"], 0)
	require.Greater(t, outcomes["not fine"], 3)

	// Other users must be able to read the FMU.
	open, err := os.MkdirTemp("", "gosmp-open-")
	require.NoError(t, err)
	defer func() { require.NoError(t, os.RemoveAll(open)) }()
	require.NoError(t, os.Chmod(open, 0o755))
	i.folder = filepath.Join(open, "fmu")
	require.NoError(t, os.CopyFS(i.folder, os.DirFS(newImporter(t).folder)))
	for _, threads := range []int{1, 2, 3, 5, 8} {
		came, said := i.process(t, "threads", threads)
		require.Equal(t, "not fine", came, "%d threads", threads)
		require.Contains(t, said,
			"cannot start the threads that Go's runtime needs; raise or lift the limit on "+
				"threads (ulimit -u")
	}
	came, said := i.process(t, "threads", 4000)
	require.Equal(t, "fine", came, said)

	// The core whose runtime could not start is already loaded, and starts its runtime as soon as
	// the limit allows.
	for _, threads := range []int{1, 8} {
		came, said = i.process(t, "more-threads", threads)
		require.Equal(t, "fine", came, said)
		require.Equal(t, 3, strings.Count(said, "cannot start the threads"), said)
	}
}

// TestProcess_LittleDataIsLogged does the same with the limit on writable memory.
func TestProcess_LittleDataIsLogged(t *testing.T) {
	i := newImporter(t)
	if strconv.IntSize < 64 {
		t.Skip("the limit is that of 64-bit systems")
	}
	outcomes := map[string]int{}
	for _, megabytes := range []int{10, 60, 68, 70, 74, 78, 82, 86, 90, 300, 1000} {
		came, said := i.process(t, "data", megabytes, i.copies(t, 1)...)
		if outcomes[came]++; came != "fine" {
			require.Equal(t, 1, strings.Count(said, "status 3"), said)
			require.Contains(t, said, "(ulimit -d)", "%d MB", megabytes)
		}
	}
	require.Greater(t, outcomes["fine"], 1)
	require.Greater(t, outcomes["not fine"], 3)
}

// TestProcess_FewFilesAreLogged verifies that one log line reports missing file descriptors, and
// that the process and the next instance survive. Go's runtime needs some, without which it would
// end the process, and the recording needs one.
func TestProcess_FewFilesAreLogged(t *testing.T) {
	i := newImporter(t)
	const advice = "close other files, or raise the limit on open files (ulimit -n)"
	for left := range 12 {
		came, said := i.process(t, "full", left)
		require.NotContains(t, said, "recover")
		if left >= 7 {
			require.Equal(t, "fine", came, "%d: %s", left, said)
			continue
		}
		require.Equal(t, "not fine", came)
		require.Contains(t, said, "this process cannot open the files that Go's runtime needs; "+
			advice)
		require.Equal(t, left == 0, strings.Contains(said, "scenario.csv: too many open files; "+
			advice), said)
	}
	came, said := i.process(t, "late", 0)
	require.Equal(t, "not fine", came)
	require.Contains(t, said, "scenario.csv: too many open files; "+advice)
	for left := 1; left < 5; left++ {
		came, said = i.process(t, "late", left)
		require.Equal(t, "fine", came, "%d: %s", left, said)
	}
}

// TestProcess_SmallFilesAreLogged verifies that a forked child that may not write a file as large
// as the core gets no core of its own, and survives.
func TestProcess_SmallFilesAreLogged(t *testing.T) {
	i := newImporter(t)
	cores, err := filepath.Glob(filepath.Join(i.binaries(), "*-core-*.so"))
	require.NoError(t, err)
	require.Len(t, cores, 1)
	core, err := os.Stat(cores[0])
	require.NoError(t, err)
	came, said := i.process(t, "size", int(core.Size()))
	require.Equal(t, "fine", came, said)
	for _, size := range []int{int(core.Size()) - 1, 1000, 0} {
		came, said = i.process(t, "size", size)
		require.Equal(t, "not fine", came)
		require.NotContains(t, said, "died")
		require.Contains(t, said,
			"File too large; this process was forked from one that has loaded it")
	}
}

// TestProcess_LimitOnOpenFilesStays verifies that the limit stays as it is; Go's package os would
// raise it to the maximum.
func TestProcess_LimitOnOpenFilesStays(t *testing.T) {
	came, said := newImporter(t).process(t, "files", 200)
	require.Equal(t, "fine", came, said)
}

// TestProcess_ArithmeticOfTheHostStaysWithIt verifies that a host with another rounding mode and
// floating-point traps gets the same bytes, an error where a number is too large, and its settings
// and flags unchanged.
func TestProcess_ArithmeticOfTheHostStaysWithIt(t *testing.T) {
	i := newImporter(t)
	modes := map[string][]int{"amd64": {0, 0x400, 0x800, 0xC00}, "arm64": {0, 0x400000, 0x800000,
		0xC00000}}[runtime.GOARCH]
	for _, mode := range modes { // the modes of fenv.h
		came, said := i.process(t, "rounds", mode)
		require.Equal(t, "fine", came, said)
		require.Equal(t, 1, strings.Count(said, "status 3"), said)
	}
}

// TestProcess_ThreadsOnOneInstance uses one instance on several threads. The standard forbids this,
// but some hosts read while another thread steps.
func TestProcess_ThreadsOnOneInstance(t *testing.T) {
	came, said := newImporter(t).process(t, "threads-on-one", 10_000)
	require.Equal(t, "fine", came, said)
}
