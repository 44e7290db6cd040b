package gate

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// limited is a listener that ends after some connections, whose clients have all left.
type limited struct {
	t *testing.T
	net.Listener
	left int
}

func (l *limited) Accept() (net.Conn, error) {
	if l.left--; l.left < 0 {
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err == nil { // the end may arrive later than the connection
		require.Eventually(l.t, func() bool { return gone(conn) }, time.Minute,
			time.Millisecond)
	}
	return conn, err
}

// TestBound_ClientsThatHaveLeft: connections whose clients have left while they were waiting, with
// or without having sent something, take no turns. The next turn is far away, so that the test
// would not end if they did.
func TestBound_ClientsThatHaveLeft(t *testing.T) {
	const clients = 100
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := Bound(&limited{t, l, clients}).(*bound)
	defer func() { require.NoError(t, b.Close()) }()
	b.next = time.Now().Add(time.Hour)
	for k := range clients {
		conn, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		if k%2 == 0 {
			_, err = io.WriteString(conn, "GET / HTTP/1.1\r\n")
			require.NoError(t, err)
		}
		require.NoError(t, conn.Close())
	}
	before := b.next
	_, err = b.Accept()
	require.ErrorIs(t, err, net.ErrClosed, "after all clients")
	require.Empty(t, b.open)
	require.Equal(t, before, b.next)
}

// TestBound_ClientsThatSendAndLeave: while there are turns, a client that sends something and
// leaves is served like any other.
func TestBound_ClientsThatSendAndLeave(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := Bound(l)
	defer func() { require.NoError(t, b.Close()) }()
	client, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	_, err = io.WriteString(client, "hello")
	require.NoError(t, err)
	require.NoError(t, client.Close())
	conn, err := b.Accept()
	require.NoError(t, err)
	text, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Equal(t, "hello", string(text))
	require.NoError(t, conn.Close())
}
