//go:build unix

package child_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/child"
)

// start starts a script, and returns our end of a pipe whose other end all its processes inherit.
func start(t *testing.T, ctx context.Context, script string, errors io.Writer) (*child.Process,
	*os.File) {
	t.Helper()
	held, theirs, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, held.Close()) })
	c := exec.CommandContext(ctx, "/bin/sh", "-c", script)
	c.Stderr, c.ExtraFiles = errors, []*os.File{theirs}
	c.Env = append(os.Environ(), "LC_ALL=C")
	p, err := child.Start(c)
	require.NoError(t, err)
	require.NoError(t, theirs.Close())
	_, err = held.Read(make([]byte, 1)) // the script has started everything
	require.NoError(t, err)
	return p, held
}

// TestProcess_EndsAll: no process that a program has started is left, whatever it does.
func TestProcess_EndsAll(t *testing.T) {
	t.Parallel()
	const ready = "printf x >&3; "
	scripts := map[string]string{
		"ignores signals":    "trap '' TERM INT HUP PIPE; " + ready + "while :; do sleep 1; done",
		"has children":       "for i in 1 2 3; do (trap '' TERM; sleep 600) & done; " + ready + "wait",
		"has ended":          "sleep 600 & " + ready + "exit 3",
		"has grandchildren":  "((sleep 600 & sleep 600) &); " + ready + "sleep 600",
		"is stopped":         ready + "kill -STOP $$; sleep 600",
		"floods its errors":  ready + "while :; do echo a long line of text >&2; done",
		"starts more":        ready + "while :; do sleep 600 & sleep 0.01; done",
		"closed its streams": "exec <&- >&- 2>&-; " + ready + "sleep 600",
	}
	if _, err := exec.LookPath("setsid"); err == nil && runtime.GOOS == "linux" {
		scripts["has other sessions"] = "setsid sleep 600 & setsid sh -c 'setsid sleep 600 & " +
			ready + "sleep 600' & sleep 600"
		scripts["is a daemon"] = "setsid sh -c '" + ready + "(sleep 600 <&- >&- 2>&- &)'"
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, held := start(t, t.Context(), script, child.NewLines(nil))
			_ = p.End(50 * time.Millisecond) // exit statuses differ
			rest, err := io.ReadAll(held)
			require.NoError(t, err, "a process still holds the pipe")
			require.Empty(t, strings.Trim(string(rest), "x"))
			_ = p.End(0)
		})
	}
}

// TestProcess_Context: the end of a command's context ends all its processes.
func TestProcess_Context(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p, held := start(t, ctx, "sleep 600 & printf x >&3; sleep 600", io.Discard)
	cancel()
	_, err := io.ReadAll(held)
	require.NoError(t, err)
	require.Error(t, p.End(time.Minute))
}

// TestProcess_Status: a program that ends in time has its own exit status, and its output is
// complete.
func TestProcess_Status(t *testing.T) {
	t.Parallel()
	var found []string
	p, _ := start(t, t.Context(), "printf x >&3; echo one >&2; printf two >&2; exit 7",
		child.NewLines(func(line string) { found = append(found, line) }))
	<-p.Exited()
	err := p.End(time.Minute)
	require.EqualError(t, err, "exit status 7")
	require.Equal(t, []string{"one"}, found)
	_, err = child.Start(exec.Command("/nowhere/program"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestLines: a line without an end costs neither memory nor time in proportion to its square, and
// the number of lines is limited.
func TestLines(t *testing.T) {
	var found []string
	w := child.NewLines(func(line string) { found = append(found, line) })
	part := []byte(strings.Repeat("x", 32<<10))
	for range 1 << 12 { // 128 MB
		n, err := w.Write(part)
		require.NoError(t, err)
		require.Equal(t, len(part), n)
	}
	for _, text := range []string{"\na", "b\n", "\nlast"} {
		_, err := fmt.Fprint(w, text)
		require.NoError(t, err)
	}
	require.Equal(t, []string{strings.Repeat("x", 4<<10), "ab", ""}, found)
	require.Equal(t, "last", w.Last())
	w.Flush()
	w.Flush()
	require.Len(t, found, 4)
	require.Equal(t, "last", w.Last())
	line := []byte(strings.Repeat("y", 1<<10) + "\n")
	for range 20 << 10 { // 20 MB
		_, err := w.Write(line)
		require.NoError(t, err)
	}
	require.Less(t, len(found), 17<<10)
	require.Equal(t, "(no further output of this program is shown, after 16 MB)",
		found[len(found)-1])
}
