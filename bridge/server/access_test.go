package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"gosmp/bridge/server"
	"gosmp/internal/gate"
	"gosmp/internal/gate/gatetest"
	"gosmp/simapi"
)

// from connects like a page from an origin.
func from(t *testing.T, url, origin string, o *websocket.DialOptions) (*websocket.Conn, error) {
	t.Helper()
	o.Subprotocols = []string{"foxglove.sdk.v1"}
	o.HTTPHeader = http.Header{"Origin": {origin}}
	conn, response, err := websocket.Dial(context.Background(), url, o)
	if response != nil && response.Body != nil {
		_ = response.Body.Close()
	}
	if err == nil {
		t.Cleanup(func() { _ = conn.CloseNow() })
	}
	return conn, err
}

// TestWebSocket_SlowBodies: a refused client that does not send the body of its request loses its
// connection, which would otherwise count forever.
func TestWebSocket_SlowBodies(t *testing.T) {
	t.Parallel()
	w, _, _ := webSocket(t, server.Options{Access: gate.Rules{Token: "secret"}})
	const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Protocol: foxglove.sdk.v1\r\n"
	gatetest.Unfinished(t, w.Addr().String(),
		"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{",
		"GET / HTTP/1.1\r\nHost: a\r\n"+upgrade+"Content-Length: 1000\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\n"+upgrade+"Transfer-Encoding: chunked\r\n\r\n100\r\n{")
}

const advertising = `{"op": "advertise", "channels": [
	{"id": 1, "topic": "/on", "encoding": "json", "schemaName": "std_msgs/msg/Bool"}]}`

// A web page is refused unless it is allowed to watch, and may send only if that is also allowed.
func TestWebSocket_PagesOfTheWeb(t *testing.T) {
	var warnings []string
	w, _, up := webSocket(t, server.Options{
		Warn: func(text string) { warnings = append(warnings, text) },
		Access: gate.Rules{
			Origins: []string{"https://look.example"}, Driving: []string{"https://drive.example"},
		},
	})
	url := "ws://" + w.Addr().String()
	for range 2 {
		_, err := from(t, url, "https://evil.example", &websocket.DialOptions{})
		require.ErrorContains(t, err, "403")
	}
	_, err := from(t, url, "http://localhost", &websocket.DialOptions{Host: "evil.example:8765"})
	require.ErrorContains(t, err, "403", "a name that somebody else has given to this machine")
	require.Len(t, warnings, 2, "each reason once")
	require.Contains(t, warnings[0], "--allow-origin https://evil.example")

	conn, err := from(t, url, "https://look.example", &websocket.DialOptions{})
	require.NoError(t, err)
	v := &viewer{t, conn}
	require.NotContains(t, v.json()["capabilities"], "clientPublish")
	require.Equal(t, "advertise", v.json()["op"])
	v.say(websocket.MessageText, advertising)
	require.Contains(t, v.json()["message"], "--allow-driving-from")
	require.Empty(t, up)

	conn, err = from(t, url, "https://drive.example", &websocket.DialOptions{})
	require.NoError(t, err)
	v = (&viewer{t, conn}).greeted()
	v.say(websocket.MessageText, advertising)
	v.say(websocket.MessageBinary, "\x01\x01\x00\x00\x00{\"data\": true}")
	require.Equal(t, "/on", (<-up).topic)
}

func TestTCP_Token(t *testing.T) {
	s, err := server.ListenTCP("secret@127.0.0.1:0", config(t), server.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	address := s.Addr().String()
	_, err = server.Dial(t.Context(), "wrong@"+address)
	require.ErrorContains(t, err, "it needs the server's token")
	c, err := server.Dial(t.Context(), address)
	require.NoError(t, err)
	require.NoError(t, c.Send(&simapi.Message{Topic: "/on", Type: "std_msgs/Bool", Cdr: []byte{0, 1,
		0, 0, 1}}))
	_, _, err = c.Next()
	require.Error(t, err, "a client that does not begin with a token")
	c, err = server.Dial(t.Context(), "secret@"+address)
	require.NoError(t, err)
	require.NoError(t, c.Choose("/on"))
	_, _, err = c.Next()
	require.NoError(t, err)
	require.NoError(t, c.Close())
}

func TestListen_RefusesAllInterfaces(t *testing.T) {
	_, err := server.ListenTCP(":0", config(t), server.Options{})
	require.ErrorIs(t, err, gate.ErrRefused)
	_, err = server.ListenWebSocket("0.0.0.0:0", config(t), server.Options{})
	require.ErrorIs(t, err, gate.ErrRefused)
}

// certificate writes a certificate for 127.0.0.1 with its key.
func certificate(t *testing.T) (pool *x509.CertPool, certificateFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	pool = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool.AddCert(parsed)
	write := func(name, kind string, b []byte) string {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}),
			0o600))
		return file
	}
	return pool, write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
}

func TestWebSocket_TLSAndToken(t *testing.T) {
	pool, certificateFile, keyFile := certificate(t)
	w, _, _ := webSocket(t, server.Options{
		Access: gate.Rules{Token: "secret", Certificate: certificateFile, Key: keyFile},
	})
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	o := &websocket.DialOptions{HTTPClient: client}
	_, err := from(t, "wss://"+w.Addr().String(), "", o)
	require.ErrorContains(t, err, "403")
	_, err = from(t, "ws://"+w.Addr().String()+"/?token=secret", "", o)
	require.ErrorContains(t, err, "400", "without TLS")
	conn, err := from(t, "wss://"+w.Addr().String()+"/?token=secret", "", o)
	require.NoError(t, err)
	(&viewer{t, conn}).greeted()
}
