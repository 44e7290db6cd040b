package gate

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/gate/gatetest"
)

// half is the beginning of a message of TLS with which a client begins a handshake.
const half = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"

// securedListener returns a listener for TLS, and the configuration of its clients.
func securedListener(t *testing.T, within time.Duration) (net.Listener, *tls.Config) {
	t.Helper()
	other := httptest.NewTLSServer(nil) // has a certificate for tests
	t.Cleanup(other.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	config := other.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com"
	return secure(Bound(l), &tls.Config{Certificates: other.TLS.Certificates}, within), config
}

func TestSecure_ClosesWhatStopsHalfWay(t *testing.T) {
	l, _ := securedListener(t, time.Millisecond)
	gatetest.Unfinished(t, l.Addr().String(), "", "\x16", half, "GET / HTTP/1.1\r\n\r\n")
	require.NoError(t, l.Close())
	_, err := l.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

// TestSecure_NobodyWaitsForOthers: clients with a complete handshake pass those without one, which
// the end of the listener closes.
func TestSecure_NobodyWaitsForOthers(t *testing.T) {
	l, config := securedListener(t, time.Hour)
	var stopped []net.Conn
	for range 20 {
		conn, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		_, err = io.WriteString(conn, half)
		require.NoError(t, err)
		stopped = append(stopped, conn)
	}
	greeted := make(chan error, 1)
	go func() {
		conn, err := tls.Dial("tcp", l.Addr().String(), config)
		if err == nil {
			_, err = io.WriteString(conn, "hello")
		}
		greeted <- err
	}()
	conn, err := l.Accept()
	require.NoError(t, err)
	require.NoError(t, <-greeted)
	text := make([]byte, len("hello"))
	_, err = io.ReadFull(conn, text)
	require.NoError(t, err)
	require.Equal(t, "hello", string(text))
	require.NoError(t, conn.Close())
	require.NoError(t, l.Close())
	for _, conn := range stopped {
		_, err := io.Copy(io.Discard, conn)
		if !errors.Is(err, syscall.ECONNRESET) { // the server has not read everything
			require.NoError(t, err)
		}
		require.NoError(t, conn.Close())
	}
}
