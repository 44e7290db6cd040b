//go:build unix

package foreign

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/simapi"
)

// held returns a command that starts a process which holds the streams of the child open until the
// test ends. Waiting for these streams would make the test hang.
func held(t *testing.T) string {
	t.Helper()
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	t.Cleanup(func() {
		f, err := os.OpenFile(fifo, os.O_RDWR, 0)
		require.NoError(t, err)
		_, err = f.WriteString("\n")
		require.NoError(t, err)
		require.NoError(t, f.Close())
	})
	return "(read line < " + fifo + ") & "
}

// TestPipe_ProgramsThatDoNotPart: a program that leaves processes with its streams behind, does not
// read or answers too often is reported, and can be closed.
func TestPipe_ProgramsThatDoNotPart(t *testing.T) {
	const ok = `printf '\000\000\000\002\010\001'` // an empty answer to call 1
	const soon = 300 * time.Millisecond
	for name, c := range map[string]struct {
		script, want string
		patience     time.Duration
	}{
		"leaves a process behind": {held(t) + "exit 3", "sh", soon},
		"leaves a process behind and hangs": {held(t) + "cat > /dev/null", "no answer from sh",
			soon},
		"has a process that holds its error": {"exec 3>&2 >&-; " + held(t) + "exit 3", "sh", soon},
		"does not read":                      {held(t) + "sleep 600", "no answer from sh", soon},
		"answers too often": {ok + "; " + ok + "; " + ok + "; cat > /dev/null", "to call 1",
			time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := start(t.Context(), `sh -c "`+c.script+`"`,
				Options{Patience: c.patience})
			require.NoError(t, err)
			long := &simapi.SendMessages{Message: []*simapi.Message{{Cdr: make([]byte, 1<<20)}}}
			_ = p.call(simapi.Method_HELLO, &simapi.Hello{}, nil)
			err = p.call(simapi.Method_SEND_MESSAGES, long, nil)
			require.ErrorContains(t, err, c.want)
			require.NoError(t, p.close())
		})
	}
}
