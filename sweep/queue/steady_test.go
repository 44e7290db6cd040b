package queue

import (
	"io"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/pause"
)

// TestSteadyReader_EndsOnlyWhenNothingArrives reads for longer than the limit, byte by byte, and
// then from a server that stops sending.
func TestSteadyReader_EndsOnlyWhenNothingArrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit, bytes = 2 * time.Second, 30
		begun := time.Now()
		from, to := io.Pipe()
		late := pause.NewRepeated(func() { _ = to.CloseWithError(errSilent) })
		late.Start(limit)
		r := &steadyReader{Reader: iotest.OneByteReader(from), limit: limit, late: late}
		go func() {
			for range bytes {
				time.Sleep(limit / 2)
				_, _ = to.Write([]byte{1})
			}
		}()
		read, err := io.ReadAll(r)
		require.ErrorIs(t, err, errSilent)
		require.Len(t, read, bytes)
		require.Equal(t, bytes*limit/2+limit, time.Since(begun))
	})
}
