package host_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSanitizers_HostsOfThePackedFMU repeats whole life cycles in hosts that are built with the
// sanitizers for addresses, leaks and undefined behaviour. All memory that the FMU allocates on C's
// heap is tracked: a block that still exists when the process ends and is unreachable is an error.
func TestSanitizers_HostsOfThePackedFMU(t *testing.T) {
	if testing.Short() {
		t.Skip("repeats whole lives under the sanitizers, which takes a while")
	}
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"}
	empty := filepath.Join(t.TempDir(), "probe")
	if text, err := exec.Command("cc", append(flags, "-shared", "-x", "c", "-o", empty,
		"/dev/null")...).CombinedOutput(); err != nil {
		t.Skipf("the C compiler has no sanitizers: %s", text)
	}
	i := newImporter(t)
	fmu, feed, recording := []string{i.InstantiationToken, i.resources(), i.library(i.binaries())},
		views(t, 60), i.excerpt(t, 0, 400)
	for _, host := range []struct {
		name, source string
		words        []string
	}{
		{"a life", "host.c", append([]string{"run"}, append(fmu, "500", "14", "20")...)},
		{"states", "states.c", append([]string{"save"}, append(fmu, recording, recording, feed,
			t.TempDir())...)},
		{"lifetimes", "long.c", append([]string{"lifetimes"}, append(fmu, feed, "2000")...)},
		{"a crowd", "long.c", append([]string{"crowd"}, append(fmu, feed, "20")...)},
	} {
		t.Run(host.name, func(t *testing.T) {
			c := exec.Command(compile(t, host.source, flags...), host.words...)
			c.Env = append(c.Environ(),
				"ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1")
			c.Stdin = strings.NewReader(i.outputs())
			output, err := c.CombinedOutput()
			require.NoError(t, err, string(output))
			require.NotContains(t, string(output), "runtime error")
		})
	}
}

// TestSanitizers_ALeakIsDetected leaks an instance: the check has to detect it.
func TestSanitizers_ALeakIsDetected(t *testing.T) {
	flags := []string{"-fsanitize=address", "-g"}
	empty := filepath.Join(t.TempDir(), "probe")
	if text, err := exec.Command("cc", append(flags, "-shared", "-x", "c", "-o", empty,
		"/dev/null")...).CombinedOutput(); err != nil {
		t.Skipf("the C compiler has no sanitizers: %s", text)
	}
	s := newImporter(t).script(t)
	s.program = compile(t, "script.c", flags...)
	s.new("lost", true).initialize().steps(0, 10)
	c := exec.Command(s.program, s.InstantiationToken, s.resources, s.library)
	c.Stdin = strings.NewReader(strings.Join(s.lines, "\n") + "\n")
	output, err := c.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(output), "LeakSanitizer: detected memory leaks")
}
