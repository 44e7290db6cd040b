package gate

import (
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// timed records the deadlines that are set for a connection.
type timed struct {
	net.Conn
	reads, writes []time.Time
}

func (c *timed) SetReadDeadline(t time.Time) error {
	c.reads = append(c.reads, t)
	return c.Conn.SetReadDeadline(t)
}

func (c *timed) SetWriteDeadline(t time.Time) error {
	c.writes = append(c.writes, t)
	return c.Conn.SetWriteDeadline(t)
}

// TestPatient: a connection never has a deadline in the future, which would also pass while this
// process stands still. Nevertheless, reads and writes fail when a deadline passes, and not at all
// when it is cleared or replaced before.
func TestPatient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		inner := &timed{Conn: a}
		conn, begun := newPatient(inner), time.Now()
		require.NoError(t, conn.SetDeadline(begun.Add(time.Minute)))
		require.NoError(t, conn.SetReadDeadline(begun.Add(10*time.Second)))
		_, err := conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 10*time.Second, time.Since(begun))
		_, err = conn.Write([]byte("x"))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, time.Minute, time.Since(begun))
		require.Equal(t, []time.Time{{}, {}, past}, inner.reads)
		require.Equal(t, []time.Time{{}, past}, inner.writes)

		require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Second)))
		require.NoError(t, conn.SetReadDeadline(time.Time{}))
		require.NoError(t, conn.SetWriteDeadline(time.Now().Add(time.Second)))
		require.NoError(t, conn.SetWriteDeadline(time.Now().Add(time.Hour)))
		go func() {
			time.Sleep(time.Minute)
			_, _ = b.Write([]byte("x"))
			_, _ = b.Read(make([]byte, 1))
		}()
		_, err = conn.Read(make([]byte, 1))
		require.NoError(t, err)
		_, err = conn.Write([]byte("x"))
		require.NoError(t, err)

		require.NoError(t, conn.SetReadDeadline(begun))
		_, err = conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Hour)))
		set := len(inner.reads)
		require.NoError(t, conn.Close())
		time.Sleep(2 * time.Hour)
		require.Len(t, inner.reads, set+1, "the limit has ended")
	})
}

// TestListen_Patient: the deadlines of all servers are of this kind.
func TestListen_Patient(t *testing.T) {
	rules := Rules{}
	l, err := rules.Listen("127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	client, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer func() { _ = client.Close() }()
	accepted, err := l.Accept()
	require.NoError(t, err)
	require.IsType(t, &patient{}, accepted.(*counted).Conn)
	require.NoError(t, accepted.Close())
}
