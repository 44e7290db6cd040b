package gate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// certificate writes a certificate for 127.0.0.1 and its key. They are the same in the whole process,
// which reads the trusted ones only once.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	write := func(name string, b []byte) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, b, 0o600))
		return path
	}
	certPEM, keyPEM := pair(t)
	return write("cert.pem", certPEM), write("key.pem", keyPEM)
}

// known holds what [pair] has returned.
var known struct{ cert, key []byte }

// pair returns the certificate and the key.
func pair(t *testing.T) (cert, key []byte) {
	t.Helper()
	if known.cert != nil {
		return known.cert, known.key
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	known.cert = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	known.key = pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
	return known.cert, known.key
}

func TestDial(t *testing.T) {
	cert, key := certificate(t)
	t.Setenv("SSL_CERT_FILE", cert)
	r := Rules{Certificate: cert, Key: key}
	l, err := r.Listen("127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn); _ = conn.Close() }()
		}
	}()
	conn, token, err := dial(t.Context(), Secure+"secret@"+l.Addr().String(), time.Hour)
	require.NoError(t, err)
	require.Equal(t, "secret", token)
	_, err = conn.Write([]byte("a"))
	require.NoError(t, err)
	b := make([]byte, 1)
	_, err = io.ReadFull(conn, b)
	require.NoError(t, err)
	require.NoError(t, conn.Close())

	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	_, _, err = Dial(t.Context(), Secure+"localhost:"+port) // the certificate is for another name
	require.Error(t, err)

	plain, token, err := dial(t.Context(), l.Addr().String(), time.Hour) // the server accepts only TLS
	require.NoError(t, err)
	require.Empty(t, token)
	_, err = plain.Write([]byte("GET / HTTP/1.0\r\n\r\n"))
	require.NoError(t, err)
	answer, _ := io.ReadAll(plain)
	require.NotContains(t, string(answer), "GET")
	require.NoError(t, plain.Close())
}

// TestIdle_StoodStill: what arrived while this process stood still is read before it counts.
func TestIdle_StoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := net.Pipe()
		conn := Idle(a, 10*time.Minute, nil).(*idle)
		conn.timer.Reset(time.Hour) // the standstill
		time.Sleep(time.Hour)
		synctest.Wait()
		go func() { _, _ = b.Write([]byte("x")) }()
		_, err := conn.Read(make([]byte, 1))
		require.NoError(t, err)

		begun := time.Now()
		_, err = b.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		require.Equal(t, 10*time.Minute, time.Since(begun))
		require.NoError(t, conn.Close())
	})
}

func TestIdle(t *testing.T) {
	a, b := net.Pipe()
	working := make(chan bool, 1)
	working <- true
	quiet := Idle(a, time.Millisecond, func() bool {
		select {
		case <-working:
			return true
		default:
			return false
		}
	})
	_, err := io.ReadAll(b) // ends when the other side is closed
	require.NoError(t, err)
	require.Empty(t, working)
	require.NoError(t, quiet.Close())

	a, b = net.Pipe()
	go func() { _, _ = io.Copy(b, b) }()
	busy := Idle(a, time.Hour, nil)
	_, err = busy.Write([]byte("x"))
	require.NoError(t, err)
	_, err = busy.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, busy.Close())
	require.Same(t, a, Idle(a, 0, nil))
}
