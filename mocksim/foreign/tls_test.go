package foreign_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/gate"
	"gosmp/mocksim/foreign"
	"gosmp/simapi"
)

// TestOpen_ByTLS checks the clients in Go and Python with a server whose certificate is named by
// SSL_CERT_FILE.
func TestOpen_ByTLS(t *testing.T) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	both := filepath.Join(t.TempDir(), "both.pem")
	text := append(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})...)
	require.NoError(t, os.WriteFile(both, text, 0o600))
	t.Setenv("SSL_CERT_FILE", both)

	rules := gate.Rules{Certificate: both, Key: both}
	l, err := rules.Listen("127.0.0.1:0")
	require.NoError(t, err)
	server := simapi.NewServer(simapi.Config{Name: "sealed", Token: "secret"})
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	address := "tls:secret@" + l.Addr().String()

	connection, err := foreign.Open(t.Context(), address, foreign.Options{})
	require.NoError(t, err)
	require.NoError(t, connection.Close())
	_, err = foreign.Open(t.Context(), "tcp:secret@"+l.Addr().String(), foreign.Options{})
	require.Error(t, err)

	if python, err := exec.LookPath("python3"); err == nil {
		root, err := filepath.Abs("../../python")
		require.NoError(t, err)
		child := exec.Command(python, "-c",
			"import gosmp.simapi, sys; print(gosmp.simapi.Client(sys.argv[1]).simulator)", address)
		child.Env = append(os.Environ(), "PYTHONPATH="+root)
		out, err := child.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, "sealed\n", string(out))
	}
	require.NoError(t, server.Close())
	require.NoError(t, <-served)
}
