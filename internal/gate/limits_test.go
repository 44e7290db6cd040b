package gate

import (
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLimits: reads and writes that take too long fail like those with a deadline.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		begun := time.Now()
		late := Reads(a)
		late.Start(10 * time.Second)
		_, err := a.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 10*time.Second, time.Since(begun))
		late.Stop()
		late = Writes(b)
		late.Start(time.Minute)
		_, err = b.Write([]byte("x"))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 70*time.Second, time.Since(begun))
		late.Stop()
	})
}

// TestLimits_Afterwards: a limit that ends between a read and Stop does not spoil later reads.
func TestLimits_Afterwards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		late := Reads(a)
		late.Start(time.Second)
		time.Sleep(time.Second)
		synctest.Wait()
		late.Stop()
		go func() { _, _ = b.Write([]byte("x")) }()
		n, err := a.Read(make([]byte, 1))
		require.NoError(t, err)
		require.Equal(t, 1, n)
	})
}
