package host_test

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// long runs an act of long.c.
func (i importer) long(t *testing.T, act string, n int) string {
	t.Helper()
	c := exec.Command(compile(t, "long.c"), act, i.InstantiationToken, i.resources(),
		i.library(i.binaries()), views(t, 60), strconv.Itoa(n))
	output, err := c.CombinedOutput()
	require.NoError(t, err, string(output))
	t.Log(strings.TrimSpace(strings.ReplaceAll(string(output), "\n", "; ")))
	return string(output)
}

// memory holds the memory use of a process, in KiB.
type memory struct{ resident, heap int }

func readMemory(t *testing.T, output, when string) (m memory) {
	for line := range strings.Lines(output) {
		if rest, found := strings.CutPrefix(line, when+": resident "); found {
			_, err := fmt.Sscanf(rest, "%d heap %d", &m.resident, &m.heap)
			require.NoError(t, err, line)
			return m
		}
	}
	require.Fail(t, "not printed", "%s in %q", when, output)
	return m
}

// TestLong_AMillionStepsStayFlat steps one instance a million times, five and a half hours of
// simulation: through the recording, with a SensorView in every twentieth step, all getters in
// every step, states and status queries in every thousandth.
func TestLong_AMillionStepsStayFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("a million steps take a while")
	}
	output := newImporter(t).long(t, "steps", 1_000_000)
	first, last := readHoldings(t, output, "early"), readHoldings(t, output, "late")
	require.LessOrEqual(t, last.threads, first.threads+someThreads,
		"a leak would grow with every step")
	require.Equal(t, first.files, last.files)
	require.Equal(t, 1, last.cores)
	early, late := readMemory(t, output, "early"), readMemory(t, output, "late")
	require.LessOrEqual(t, late.resident, early.resident+2048, "KiB")
	require.LessOrEqual(t, late.heap, early.heap+64, "KiB")
}

// TestLong_InputsVanishAndOutputsStay runs Go's collector all the time, so that memory that is kept
// too long is detected.
func TestLong_InputsVanishAndOutputsStay(t *testing.T) {
	t.Setenv("GOGC", "2")
	output := newImporter(t).long(t, "lifetimes", 20_000)
	var steps, empty, failed int
	_, err := fmt.Sscanf(output, "%d steps, %d without data, %d failed", &steps, &empty, &failed)
	require.NoError(t, err, output)
	require.Equal(t, 20_000, steps)
	require.Greater(t, empty, 1_000)
	require.Greater(t, failed, 100)
}

func TestLong_64InstancesOn16Threads(t *testing.T) {
	require.Equal(t, "64 instances on 16 threads have seen the same in 300 steps\n",
		newImporter(t).long(t, "crowd", 300))
}

func TestLong_ConsumersAreOneStepLate(t *testing.T) {
	require.Equal(t, "1999 messages read a step late\n", newImporter(t).long(t, "chain", 2000))
}
