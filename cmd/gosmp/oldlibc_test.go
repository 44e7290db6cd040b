//go:build linux && cgo

package main

import (
	"debug/elf"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// moved matches functions for which releases after 2.17 only changed the version or the library. A
// program that is linked for 2.17 finds them under their old version.
var moved = regexp.MustCompile(`^(__libc_start_main|pthread_.*|sem_.*|dl.*|f?stat(64|at)?|lstat|` +
	`mknod(at)?|shm_.*|timer_.*|mq_.*|clock_.*|res_search|exp2?|log2?|pow|f?cntl(64)?|` +
	`memcpy|__isoc23_.*)$`)

// TestPackagesFindTheirFunctions verifies that the command calls no function that was added to the
// GNU C library after 2.17, the version for which packages are linked (docs/RELEASE.md).
func TestPackagesFindTheirFunctions(t *testing.T) {
	path, err := os.Executable()
	require.NoError(t, err)
	file, err := elf.Open(path) // the test binary contains the command
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, file.Close()) })
	symbols, err := file.ImportedSymbols()
	require.NoError(t, err)
	require.Greater(t, len(symbols), 50)
	version := regexp.MustCompile(`^GLIBC_2\.(\d+)`)
	for _, s := range symbols {
		found := version.FindStringSubmatch(s.Version)
		if found == nil {
			continue
		}
		release, err := strconv.Atoi(found[1])
		require.NoError(t, err)
		if release > 17 && !moved.MatchString(s.Name) {
			t.Errorf("%s came with %s: call the kernel, or do without it", s.Name, s.Version)
		}
	}
}
