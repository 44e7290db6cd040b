//go:build unix

package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/wholefile"
)

// TestShield: a signal that ends a program while it writes a file leaves no unfinished file, and
// ends it as usual.
func TestShield(t *testing.T) {
	if to := os.Getenv("SHIELD_TEST"); to != "" {
		wholefile.SetShield(Shield)
		_ = wholefile.Write(context.Background(), to, func(w io.Writer) (err error) {
			const most = 10_000 // 100 s at least, and 40 MB if the signal never comes
			for k := 0; err == nil && k < most; k++ {
				if _, err = w.Write(make([]byte, 1<<12)); k == 0 {
					fmt.Println("written")
				}
				time.Sleep(10 * time.Millisecond)
			}
			return err
		})
		return
	}
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) { // as in the background jobs of shells, and below nohup
			t.Logf("%v is ignored, and so not tested", s)
			continue
		}
		path := filepath.Join(t.TempDir(), "a.html")
		self := exec.Command(os.Args[0], "-test.run", "^TestShield$")
		self.Env = append(os.Environ(), "SHIELD_TEST="+path)
		out, err := self.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, self.Start())
		_, err = bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.NoError(t, self.Process.Signal(s))
		require.EqualError(t, self.Wait(), "signal: "+s.String())
		names, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		require.Empty(t, names)
	}
}

// TestShield_HandledSignals: while a signal is handled elsewhere, the file is written as usual, and
// an ended context of the caller prevents it.
func TestShield_HandledSignals(t *testing.T) {
	signals := make(chan os.Signal, 1)
	NotifyEnding(signals)
	require.NoError(t, Shield(t.Context(), func(ctx context.Context) error {
		require.Equal(t, t.Context(), ctx)
		return nil
	}))
	StopNotifying(signals)
	require.Zero(t, notified.Load())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Shield(ctx, func(ctx context.Context) error { return ctx.Err() }),
		context.Canceled)
}
