package gate

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
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
	return reportingListener(t, within, nil)
}

func reportingListener(t *testing.T, within time.Duration, report func(error)) (net.Listener,
	*tls.Config) {
	t.Helper()
	other := httptest.NewTLSServer(nil) // has a certificate for tests
	t.Cleanup(other.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	config := other.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com"
	return secure(Bound(l), &tls.Config{Certificates: other.TLS.Certificates}, within, report), config
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

// TestSecure_AnswersHTTP: clients of the usual kind read the answer, also to a long request.
func TestSecure_AnswersHTTP(t *testing.T) {
	l, _ := securedListener(t, time.Hour)
	for _, length := range []int{0, 30_000} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			"http://"+l.Addr().String(), http.NoBody)
		require.NoError(t, err)
		request.Header.Set("Cookie", fmt.Sprintf("%0*d", length, 0))
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusBadRequest, answer.StatusCode)
		require.Equal(t, onlyTLS, string(text))
	}
	require.NoError(t, l.Close())
}

// to returns a connection to a listener.
func to(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() }) // some are closed already
	return conn
}

// openSSL refuses a handshake like clients with OpenSSL: with an alert that is not encrypted.
type openSSL struct {
	net.Conn
	greeted bool
}

func (c *openSSL) Write(b []byte) (int, error) {
	if c.greeted {
		const unknownCA = "\x15\x03\x03\x00\x02\x02\x30"
		_, err := io.WriteString(c.Conn, unknownCA)
		return len(b), err
	}
	c.greeted = true
	return c.Conn.Write(b)
}

// TestSecure_ReportsFailedHandshakes: with a remedy, once for each address and cause. A connection
// without any bytes is none.
func TestSecure_ReportsFailedHandshakes(t *testing.T) {
	reports := make(chan string, 100)
	l, config := reportingListener(t, time.Hour, func(err error) { reports <- err.Error() })
	require.NoError(t, to(t, l).Close())
	handshake := func(conn net.Conn, c *tls.Config) {
		require.Error(t, tls.Client(conn, c).HandshakeContext(t.Context()))
	}
	send := func(text string) {
		_, err := io.WriteString(to(t, l), text)
		require.NoError(t, err)
	}
	strange, old := config.Clone(), config.Clone()
	strange.RootCAs = x509.NewCertPool()
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS10
	for _, c := range []struct {
		do   func()
		want string
	}{
		{func() { send("GET / HTTP/1.1\r\n") },
			"127.0.0.1: the client sent HTTP without TLS; begin the address with https:// or wss://"},
		{func() { send("\x00\x00\x00\x08hello") }, "127.0.0.1: the client does not use TLS; " +
			"connect to tls:HOST:PORT, https:// or wss://"},
		{func() { handshake(to(t, l), strange) }, "; the client does not trust the server's " +
			"certificate: give it the certificate or its authority (SSL_CERT_FILE)"},
		{func() { handshake(&openSSL{Conn: to(t, l)}, strange) }, "bad record MAC; probably, the " +
			"client does not trust the server's certificate: give it the certificate"},
		{func() { handshake(to(t, l), old) }, "the client must support TLS 1.2 or 1.3"},
	} {
		c.do()
		require.Contains(t, <-reports, c.want)
		c.do() // not again
	}
	require.NoError(t, l.Close())
	require.Empty(t, reports)
}

// TestSecure_ReportsSlowHandshakes: a client that stops in its handshake is reported.
func TestSecure_ReportsSlowHandshakes(t *testing.T) {
	reports := make(chan string, 100)
	l, _ := reportingListener(t, time.Millisecond, func(err error) { reports <- err.Error() })
	_ = to(t, l)
	require.Contains(t, <-reports, "the client did not complete it in time; check that it uses TLS")
	require.NoError(t, l.Close())
}

// TestHandshakes_AreReportedForSomeAddresses: the memory and the log are limited.
func TestHandshakes_AreReportedForSomeAddresses(t *testing.T) {
	var texts []string
	h := handshakes{report: func(err error) { texts = append(texts, err.Error()) }}
	for range 2 {
		for k := range 3 * mostReported {
			h.failed(fmt.Sprintf("10.0.1.%d:1", k), errors.New("no \x1b[31m secret"))
		}
	}
	require.Len(t, texts, mostReported+1)
	require.Equal(t, "connection refused: TLS handshake with 10.0.1.0: no \\u001b[31m secret; check the "+
		"TLS settings of the client", texts[0])
	require.Contains(t, texts[mostReported], "others are not reported")
}
