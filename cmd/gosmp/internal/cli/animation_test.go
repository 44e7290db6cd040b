//go:build linux

package cli

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Lines are replaced only on terminals, and only with the user's consent.
func TestAnimationWidth(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err) // no terminals are available
	}
	t.Cleanup(func() { _ = terminal.Close() }) // it was only queried
	require.NoError(t, unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Row: 24, Col: 80}))
	file, err := os.Create(t.TempDir() + "/log")
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() }) // it is empty
	for _, c := range []struct {
		term, noColor string
		width         int
	}{{"xterm", "", 80}, {"xterm", "1", 0}, {"dumb", "", 0}} {
		t.Setenv("TERM", c.term)
		t.Setenv("NO_COLOR", c.noColor)
		require.Equal(t, c.width, AnimationWidth(terminal), c)
		require.Zero(t, AnimationWidth(file), c)
	}
}
