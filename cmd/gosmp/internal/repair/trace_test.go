package repair

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/proto/wire"
	"gosmp/timebase"
	"gosmp/trace"
)

// twoChunks returns a file with two chunks of three messages each, at the given log times in ns.
func twoChunks(t *testing.T, times ...timebase.Time) []byte {
	var b bytes.Buffer
	sink, err := trace.Create(&b, trace.MCAP, trace.SinkOptions{})
	require.NoError(t, err)
	c, err := sink.Add(trace.OSI("view", "sv"))
	require.NoError(t, err)
	for n, at := range times {
		data := wire.AppendBytes(wire.AppendTimestamp(nil, 2, 0, uint32(at)), 100,
			[]byte("content"))
		require.NoError(t, sink.Write(&trace.Message{Channel: c, Time: at, Publish: at,
			Data: data}))
		if n%3 == 2 {
			require.NoError(t, sink.Flush())
		}
	}
	require.NoError(t, sink.Close())
	return b.Bytes()
}

// The drives of a file whose clock restarted are not mixed.
func TestRepair_KeepsDrivesApart(t *testing.T) {
	const second = 1_000_000_000
	times := []timebase.Time{0, 2 * second, 4 * second, second, 2 * second, 3 * second}
	path := filepath.Join(t.TempDir(), "a.mcap")
	require.NoError(t, os.WriteFile(path, twoChunks(t, times...), 0o600))
	out := filepath.Join(filepath.Dir(path), "b.mcap")
	err := (&Command{File: path, Out: out, Restarts: "refuse"}).Run()
	require.ErrorIs(t, err, trace.ErrRestart)
	require.ErrorContains(t, err, "--restarts split")
	require.Equal(t, cli.ExitInput, cli.ExitCode(err))
	require.NoFileExists(t, out)

	require.NoError(t, (&Command{File: path, Out: out, Restarts: "split"}).Run())
	require.NoFileExists(t, out)
	for name, want := range map[string][2]timebase.Time{"b_001.mcap": {0, 4 * second},
		"b_002.mcap": {second, 3 * second}} {
		s, err := trace.Open(filepath.Join(filepath.Dir(path), name), trace.Options{})
		require.NoError(t, err)
		require.EqualValues(t, 3, s.Info().Messages)
		require.Equal(t, want, [2]timebase.Time{s.Info().Start, s.Info().End})
		require.NoError(t, s.Close())
	}

	require.NoError(t, (&Command{File: path, Out: out, Restarts: "ignore"}).Run())
	_, err = trace.Open(out, trace.Options{})
	require.NoError(t, err)
	err = (&Command{File: path, Out: "-", Restarts: "split"}).Run()
	require.ErrorContains(t, err, "the name of a file")
}

// The type of the messages must be one of OSI.
func TestRepair_UnknownType(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.osi")
	require.NoError(t, os.WriteFile(file, []byte("content"), 0o600))
	err := (&Command{File: file, Out: file + "2", Type: "car"}).Run()
	require.ErrorContains(t, err, `--type: found "car", expected a top-level message of OSI`)
	require.Equal(t, cli.ExitInput, cli.ExitCode(err))
}
