package queue_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"gosmp/internal/gate"
	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// authority signs certificates.
type authority struct {
	t    testing.TB
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t testing.TB) *authority {
	a := &authority{t: t, dir: t.TempDir()}
	a.cert, a.key = a.sign("authority", true)
	return a
}

// sign writes NAME.pem and NAME-key.pem.
func (a *authority) sign(name string, isAuthority bool) (*x509.Certificate, *ecdsa.PrivateKey) {
	now := time.Now()
	return a.signFor(name, isAuthority, now.Add(-time.Hour), now.Add(time.Hour))
}

// signFor is like sign, for a certificate that is valid in another time.
func (a *authority) signFor(name string, isAuthority bool, from, to time.Time) (*x509.Certificate,
	*ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	c := &x509.Certificate{SerialNumber: big.NewInt(int64(len(name))),
		Subject: pkix.Name{CommonName: name}, NotBefore: from,
		NotAfter: to, IsCA: isAuthority, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0,
			0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}}
	if isAuthority {
		c.KeyUsage = x509.KeyUsageCertSign
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	require.NoError(a.t, err)
	private, err := x509.MarshalECPrivateKey(key)
	require.NoError(a.t, err)
	for file, block := range map[string]*pem.Block{a.file(name): {Type: "CERTIFICATE", Bytes: der},
		a.file(name + "-key"): {Type: "EC PRIVATE KEY", Bytes: private}} {
		require.NoError(a.t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	}
	parsed, err := x509.ParseCertificate(der)
	require.NoError(a.t, err)
	return parsed, key
}

func (a *authority) file(name string) string { return filepath.Join(a.dir, name+".pem") }

// TestServer_MutualTLS: coordinator and workers trust the server's authority and present
// certificates; others are refused.
func TestServer_MutualTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.sign("server", false)
	a.sign("client", false)
	pair, err := tls.LoadX509KeyPair(a.file("server"), a.file("server-key"))
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	trusted.AddCert(a.cert)
	s := external(t, &server.Options{JetStream: true, TLS: true, TLSVerify: true, TLSTimeout: 60,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair},
			ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: trusted}})
	good := queue.Server{URL: "tls://" + s.Addr().String(), CA: a.file("authority"),
		Certificate: a.file("client"), Key: a.file("client-key")}
	w, q := crewOf("", t.TempDir()), coordinatorOf("")
	w.Server, q.Server = good, good
	hire(t, w)
	require.Equal(t, sweep.Passed, collect(t, q, casesOf("pass=a"))[0].Outcome)
	for name, change := range map[string]func(*queue.Server){
		"without an authority":  func(s *queue.Server) { s.CA = "" },
		"without a certificate": func(s *queue.Server) { s.Certificate, s.Key = "", "" },
		"a key that is missing": func(s *queue.Server) {
			s.Key = filepath.Join(a.dir, "none.pem")
		},
		"a certificate without its key": func(s *queue.Server) { s.Key = a.file("server-key") },
	} {
		w := crewOf("", t.TempDir())
		w.Server, w.Idle = good, time.Second
		change(&w.Server)
		_, err := w.Run(t.Context(), nil)
		require.ErrorIs(t, err, queue.ErrServer, name)
	}
}

// TestEmbed_TLS: with a certificate, only crews can reach the queue, and others cannot read
// anything sent. The process of the sweep itself needs no certificate.
func TestEmbed_TLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.sign("server", false)
	rules := gate.Rules{Token: "key", Certificate: a.file("server"), Key: a.file("server-key")}
	s, err := queue.Embed("127.0.0.1:0", t.TempDir(), rules)
	require.NoError(t, err)
	defer s.Close()
	w, q := crewOf("tls://key@"+s.Address(), t.TempDir()), coordinatorOf("")
	w.Server.CA, q.Server.Embedded = a.file("authority"), s
	hire(t, w)
	require.Equal(t, sweep.Passed, collect(t, q, casesOf("pass=a"))[0].Outcome)
	for name, unfit := range map[string]queue.Server{
		"without an authority": {URL: "tls://key@" + s.Address()},
		"without the token":    {URL: "tls://" + s.Address(), CA: a.file("authority")},
	} {
		w := crewOf("", t.TempDir())
		w.Server, w.Idle = unfit, time.Second
		_, err := w.Run(t.Context(), nil)
		require.ErrorIs(t, err, queue.ErrServer, name)
	}
	plain, err := net.Dial("tcp", s.Address())
	require.NoError(t, err)
	defer func() { _ = plain.Close() }() // the server may have closed it
	_, err = plain.Write([]byte(`CONNECT {"auth_token":"key","verbose":true}` + "\r\nPING\r\n"))
	require.NoError(t, err)
	answer, _ := io.ReadAll(plain) // the server closes the connection
	require.NotContains(t, string(answer), "PONG")
	require.NotContains(t, string(answer), "+OK")
}

// TestEmbed_Certificate: a certificate that does not match its key is refused; the error names both
// files.
func TestEmbed_Certificate(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.sign("server", false)
	for name, rules := range map[string]gate.Rules{
		"of another": {Certificate: a.file("server"), Key: a.file("authority-key")},
		"missing":    {Certificate: a.file("none"), Key: a.file("server-key")},
	} {
		_, err := queue.Embed("127.0.0.1:0", t.TempDir(), rules)
		require.ErrorIs(t, err, queue.ErrServer, name)
		require.ErrorContains(t, err, rules.Certificate, name)
		require.ErrorContains(t, err, rules.Key, name)
	}
}

// TestEmbed_CertificateOfAnotherTime: a server does not start with a certificate that no worker
// would accept, and a worker that meets such a server knows the remedy.
func TestEmbed_CertificateOfAnotherTime(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	now := time.Now()
	for name, c := range map[string]struct {
		from, to time.Duration
		text     string
	}{
		"expired": {-48 * time.Hour, -24 * time.Hour, "expired on"},
		"future":  {24 * time.Hour, 48 * time.Hour, "is not valid before"},
	} {
		a.signFor(name, false, now.Add(c.from), now.Add(c.to))
		rules := gate.Rules{Certificate: a.file(name), Key: a.file(name + "-key")}
		_, err := queue.Embed("127.0.0.1:0", t.TempDir(), rules)
		require.ErrorIs(t, err, queue.ErrAccess, name)
		require.ErrorContains(t, err, c.text, name)

		pair, err := tls.LoadX509KeyPair(a.file(name), a.file(name+"-key"))
		require.NoError(t, err)
		s := external(t, &server.Options{JetStream: true, TLS: true, TLSTimeout: 60,
			TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12,
				Certificates: []tls.Certificate{pair}}})
		w := crewOf("", t.TempDir())
		w.Server = queue.Server{URL: "tls://" + s.Addr().String(), CA: a.file("authority")}
		_, err = w.Run(t.Context(), nil)
		require.ErrorIs(t, err, queue.ErrServer, name)
		require.ErrorContains(t, err, "renew the server's certificate", name)
	}
}

// TestEmbed_Distrusted: if a worker does not trust the server, both sides say so, with the remedy.
func TestEmbed_Distrusted(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	a.sign("server", false)
	heard := make(chan error, 1)
	s, err := queue.Embed("127.0.0.1:0", t.TempDir(), gate.Rules{Certificate: a.file("server"),
		Key: a.file("server-key"), TurnedAway: func(err error) { heard <- err }})
	require.NoError(t, err)
	defer s.Close()
	w := crewOf("tls://"+s.Address(), t.TempDir())
	_, err = w.Run(t.Context(), nil)
	require.ErrorIs(t, err, queue.ErrServer)
	require.ErrorContains(t, err, "by --nats-ca")
	select {
	case err = <-heard:
	case <-time.After(time.Minute):
		require.Fail(t, "the server reports nothing")
	}
	require.ErrorIs(t, err, gate.ErrRefused)
	require.ErrorContains(t, err, "TLS handshake with 127.0.0.1: ")
	require.ErrorContains(t, err, "the client does not trust the server's certificate")
}

// TestCoordinator_ForgedRows: a row that does not belong to its run is reported and does not count;
// the run is computed.
func TestCoordinator_ForgedRows(t *testing.T) {
	t.Parallel()
	s := embed(t)
	c, err := nats.Connect("nats://" + s.Address())
	require.NoError(t, err)
	defer c.Close()
	js, err := jetstream.New(c)
	require.NoError(t, err)
	hire(t, crewOf("nats://"+s.Address(), t.TempDir()))
	collect(t, coordinatorOf("nats://"+s.Address()), casesOf("pass=first")) // creates the streams
	for k, forged := range []string{"", "no JSON", strings.Repeat("[", 100_000), "null",
		`{"id":"ffffffffffffffffffff","outcome":"passed"}`, `{"id":"ID","outcome":"great"}`,
		`{"id":"ID","outcome":"passed","seed":99}`, `{"id":"ID","outcome":"passed"}`,
		`{"id":"ID","outcome":"failed","seed":0}`, `{"id":"ID","outcome":"passed","time":"soon"}`,
		`{"id":"ID","outcome":"passed","metrics":{"judge.x":1e999}}`,
		`{"id":"ID","outcome":"passed","steps":-1}`, `{"id":"ID","outcome":"passed","elapsed":-1}`,
		`{"id":"ID","outcome":"passed","traceHash":"` + strings.Repeat("0", 1000) + `"}`,
		`{"id":"ID","outcome":"failed","cause":"` + strings.Repeat("x", 300_000) + `"}`,
		`{"id":"` + strings.Repeat("x", 900_000) + `","outcome":"passed"}`,
		`{"id":"ID","outcome":"passed","metrics":{"` + strings.Repeat("x", 990_000) + `":1}}`,
		`{"id":"ID","outcome":"` + strings.Repeat("y", 900_000) + `"}`} {
		one := casesOf("pass=" + string(rune('a'+k)))
		id := one[0].ID(base)
		_, err := js.Publish(t.Context(), "gosmp.rows."+base[:20]+"."+id,
			[]byte(strings.ReplaceAll(forged, "ID", id)))
		require.NoError(t, err)
		q, lines := coordinatorOf("nats://"+s.Address()), make(chan string, 100)
		q.Log = func(line string) { lines <- line }
		row := collect(t, q, one)[0]
		require.Equal(t, sweep.Passed, row.Outcome, forged)
		require.Equal(t, one[0].Seed, row.Seed, forged)
		require.Equal(t, map[string]float64{"judge.x": 1}, row.Metrics, forged)
		said := <-lines
		require.Contains(t, said, id+" cannot be read", forged)
		require.Less(t, len(said), 500)
	}
}

// TestQueue_ForeignPublishers: messages on odd subjects of the streams, from programs that are not part
// of the sweep, neither end workers nor the sweep, and do not flood the log.
func TestQueue_ForeignPublishers(t *testing.T) {
	t.Parallel()
	s := embed(t)
	url := "nats://" + s.Address()
	c, err := nats.Connect(url)
	require.NoError(t, err)
	defer c.Close()
	js, err := jetstream.New(c)
	require.NoError(t, err)
	hire(t, crewOf(url, t.TempDir()))
	collect(t, coordinatorOf(url), casesOf("pass=first")) // creates the streams
	cases := casesOf("pass=a", "pass=b")
	id, short := cases[0].ID(base), base[:20]
	for _, subject := range []string{"gosmp.rows.x", "gosmp.rows." + short,
		"gosmp.rows." + short + "." + id + ".more", "gosmp.rows." + short + "." + id + ".a.b.c",
		"gosmp.runs.x", "gosmp.runs.VERSION", "gosmp.runs.VERSION." + short,
		"gosmp.runs.VERSION." + short + "." + id + ".more",
		"gosmp.runs.VERSION." + short + "." + cases[1].ID(base),
		"gosmp.refusals.x", "gosmp.refusals." + short, "gosmp.refusals." + short + "." + id,
		"gosmp.refusals." + short + "." + id + ".a.b.c",
		"gosmp.refusals." + short + "." + id + ".\x1b[31m.process"} {
		subject = strings.ReplaceAll(subject, "VERSION", coordinatorOf(url).Version)
		for _, text := range []string{"", "[", `{"machine":"a","reason":"b","count":-1}`,
			`{"base":"` + base + `","experiment":"../../x","timeout":1e300,"attempts":-5}`,
			`{"id":"` + id + `","outcome":"passed","seed":1}`} {
			_, _ = js.Publish(t.Context(), subject, []byte(text)) // the server may refuse it
		}
	}
	for k := range 500 {
		_, err := js.PublishAsync("gosmp.rows."+short+".forged"+strconv.Itoa(k), []byte("no row"))
		require.NoError(t, err)
	}
	<-js.PublishAsyncComplete()
	q := coordinatorOf(url)
	var lines []string
	q.Log = func(line string) { lines = append(lines, line) }
	rows := collect(t, q, cases)
	require.Equal(t, sweep.Passed, rows[0].Outcome)
	// a worker has read the forged order of the second run
	require.Contains(t, []string{sweep.Passed, sweep.Lost}, rows[1].Outcome)
	require.LessOrEqual(t, len(lines), 30)
	require.Contains(t, strings.Join(lines, "\n"), "more rows cannot be read")
}

// TestCrew_RowsLargerThanAMessage: a row that a server does not accept becomes an error of its run,
// and the crew continues.
func TestCrew_RowsLargerThanAMessage(t *testing.T) {
	t.Parallel()
	url := "nats://" + external(t, &server.Options{JetStream: true, MaxPayload: 4096}).Addr().String()
	hire(t, crewOf(url, t.TempDir()))
	rows := collect(t, coordinatorOf(url), casesOf("flood=10", "flood=1000", "pass=a"))
	require.Len(t, rows[0].Metrics, 10)
	require.Equal(t, sweep.Faulty, rows[1].Outcome)
	require.Contains(t, rows[1].Cause, "1000 numbers, expected at most 4096 bytes")
	require.Equal(t, sweep.Passed, rows[2].Outcome)
	err := coordinatorOf(url).Run(t.Context(), casesOf("pass="+strings.Repeat("a", 5000)), nil)
	require.ErrorIs(t, err, queue.ErrServer)
	require.ErrorContains(t, err, "a setting of a run is too long")
}

// TestServer_Credentials: a user of a server with accounts presents its credentials.
func TestServer_Credentials(t *testing.T) {
	t.Parallel()
	operator, err := nkeys.CreateOperator()
	require.NoError(t, err)
	trusted, err := operator.PublicKey()
	require.NoError(t, err)
	accounts := &server.MemAccResolver{}
	account := func(storage bool) (nkeys.KeyPair, string) {
		pair, err := nkeys.CreateAccount()
		require.NoError(t, err)
		public, err := pair.PublicKey()
		require.NoError(t, err)
		claims := jwt.NewAccountClaims(public)
		if storage {
			claims.Limits.DiskStorage, claims.Limits.Streams = jwt.NoLimit, jwt.NoLimit
			claims.Limits.Consumer = jwt.NoLimit
		}
		text, err := claims.Encode(operator)
		require.NoError(t, err)
		require.NoError(t, accounts.Store(public, text))
		return pair, public
	}
	pair, _ := account(true)
	_, system := account(false)
	s := external(t, &server.Options{JetStream: true, TrustedKeys: []string{trusted},
		AccountResolver: accounts, SystemAccount: system})
	user, err := nkeys.CreateUser()
	require.NoError(t, err)
	public, err := user.PublicKey()
	require.NoError(t, err)
	text, err := jwt.NewUserClaims(public).Encode(pair)
	require.NoError(t, err)
	seed, err := user.Seed()
	require.NoError(t, err)
	credentials, err := jwt.FormatUserConfig(text, seed)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "sweeps.creds")
	require.NoError(t, os.WriteFile(file, credentials, 0o600))
	w, q := crewOf(s.ClientURL(), t.TempDir()), coordinatorOf(s.ClientURL())
	w.Server.Credentials, q.Server.Credentials = file, file
	hire(t, w)
	require.Equal(t, sweep.Passed, collect(t, q, casesOf("pass=a"))[0].Outcome)
	w = crewOf(s.ClientURL(), t.TempDir())
	_, err = w.Run(t.Context(), nil)
	require.ErrorContains(t, err,
		"give user and password or a token in the URL, or a file with credentials")
}
