package run

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A spool returns what was written, from memory and from its file, which it removes at the end.
func TestSpool_ReturnsWhatWasWritten(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} { // what the system looks at
		t.Setenv(name, dir)
	}
	files := func() int {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		return len(entries)
	}
	random := rand.New(rand.NewPCG(1, 2))
	whole := make([]byte, mostHeld+3*blockSize)
	for k := range whole {
		whole[k] = byte(random.Uint32())
	}
	for size, inFile := range map[int]int{0: 0, 1: 0, blockSize: 0, mostHeld: 0, mostHeld + 1: 1,
		len(whole): 1} {
		var s spool
		for rest := whole[:size]; len(rest) > 0; {
			n := min(len(rest), 1+random.IntN(3*blockSize))
			written, err := s.Write(rest[:n])
			require.NoError(t, err)
			require.Equal(t, n, written)
			rest = rest[n:]
		}
		require.EqualValues(t, size, s.size)
		require.Equal(t, inFile, files(), "%d bytes", size)
		all, err := io.ReadAll(io.NewSectionReader(&s, 0, s.size+10))
		require.NoError(t, err)
		require.True(t, bytes.Equal(whole[:size], all), "%d bytes", size)
		for range 20 {
			from, n := random.IntN(size+1), random.IntN(2*blockSize)
			part := make([]byte, n)
			got, err := s.ReadAt(part, int64(from))
			require.True(t, bytes.Equal(whole[from:min(size, from+n)], part[:got]))
			require.Equal(t, got < n, err == io.EOF, "%d of %d bytes: %v", got, n, err) //nolint:errorlint // io.ReaderAt
		}
		require.NoError(t, s.Close())
		require.Zero(t, files())
	}
}
