package queue

import (
	"io"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSteadyReader_EndsOnlyWhenNothingArrives reads for longer than the limit, byte by byte, and
// then from a server that stops sending.
func TestSteadyReader_EndsOnlyWhenNothingArrives(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second
	from, to := io.Pipe()
	timer := time.AfterFunc(limit, func() { _ = to.CloseWithError(errSilent) })
	r := &steadyReader{Reader: iotest.OneByteReader(from), limit: limit, timer: timer}
	const bytes = 30
	go func() {
		for range bytes {
			time.Sleep(limit / 20)
			_, _ = to.Write([]byte{1})
		}
	}()
	read, err := io.ReadAll(r)
	require.ErrorIs(t, err, errSilent)
	require.Len(t, read, bytes)
}
