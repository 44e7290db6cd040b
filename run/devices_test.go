//go:build unix

package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/bridge"
	"gosmp/experiment"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/internal/regular"
	"gosmp/mocksim/opendrive"
	"gosmp/scenario"
)

// TestDevices: a pipe that a file names is refused; opening it would never end, because no program
// writes to it.
func TestDevices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"pipe", "pipe.msg"} {
		require.NoError(t, syscall.Mkfifo(filepath.Join(dir, name), 0o600))
	}
	pipe := filepath.Join(dir, "pipe")
	for name, read := range map[string]func() error{
		"map":        func() error { _, err := opendrive.ReadFile(pipe); return err },
		"scenario":   func() error { _, err := scenario.Open(pipe); return err },
		"experiment": func() error { _, err := experiment.ReadFile(os.DirFS(dir), "pipe"); return err },
		"chart":      func() error { _, err := ecmascript.Load(pipe); return err },
		"source of a chart": func() error {
			_, err := ecmascript.Config(dir).Load("pipe")
			return err
		},
		"package": func() error { _, err := experiment.Unpack(pipe, dir); return err },
		"bridge":  func() error { _, err := bridge.ReadConfig(pipe); return err },
		"messages": func() error {
			_, err := bridge.ReadConfig(writeDevices(t, dir, `{"bridge":1,"system":"ros2",
				"definitions":["."],"messages":[{"topic":"/a","type":"x/pipe","direction":"up",
				"vehicle":"sut","event":"e"}],"transport":{"kind":"loopback"}}`))
			return err
		},
	} {
		require.ErrorContains(t, read(), regular.ErrKind.Error(), name)
	}
	text, err := experiment.ReadFile(fstest.MapFS{"a": {Data: []byte("a")}}, "a")
	require.NoError(t, err)
	require.Equal(t, "a", string(text))
}

func writeDevices(t *testing.T, dir, text string) string {
	name := filepath.Join(dir, "bridge.json")
	require.NoError(t, os.WriteFile(name, []byte(strings.TrimSpace(text)), 0o600))
	return name
}
