package queue

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gosmp/internal/gate"
	"gosmp/internal/pause"
)

// ErrServer reports a server that cannot be used.
var ErrServer = errors.New("unusable NATS server")

// ErrAccess reports an address, a token or a certificate with which no server can start. It is also
// an ErrServer.
var ErrAccess = fmt.Errorf("%w", ErrServer)

// Server describes how to reach a server.
type Server struct {
	// nats://, tls:// or ws://, several separated by commas; with user and password, or a token, if
	// needed
	URL         string
	Credentials string // file with the token and key of a user
	// file with the certificates of authorities that are trusted in addition to the machine's own
	CA          string
	Certificate string // file with the certificate of this client, with Key
	Key         string
	Embedded    *Embedded // a server in this process, instead of URL
}

// Log receives a line about the connection.
type Log func(line string)

const (
	// patience bounds a request to the server.
	patience = 10 * time.Second
	// mostConnections bounds the connections of a server in this process; each crew has one.
	mostConnections = 2048
)

// reach opens a connection to a server that may not have started yet, or that is too busy to
// answer: it retries, up to the limit if there is one.
func (s *Server) reach(ctx context.Context, limit time.Duration, log Log) (*nats.Conn,
	jetstream.JetStream, error) {
	var allowed pause.Allowance
	allowed.Renew(limit)
	defer allowed.End()
	for said := false; ; {
		c, js, err := s.connect(log)
		if err == nil || !passing(err) || allowed.Spent() {
			return c, js, err
		}
		if !said {
			log(err.Error() + "; trying again")
			said = true
		}
		if rest(ctx); ctx.Err() != nil {
			return nil, nil, err
		}
	}
}

// connect opens a connection, which is reopened whenever it is lost.
func (s *Server) connect(log Log) (*nats.Conn, jetstream.JetStream, error) {
	options := []nats.Option{nats.Name("gosmp"), nats.Timeout(patience), nats.MaxReconnects(-1),
		nats.ReconnectWait(500 * time.Millisecond), nats.PingInterval(10 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log("the connection to the NATS server is lost: " + err.Error() + "; trying again")
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log("connected to the NATS server again") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})} // failures are retried
	if s.Credentials != "" {
		options = append(options, nats.UserCredentials(s.Credentials))
	}
	if s.CA != "" {
		options = append(options, nats.RootCAs(s.CA))
	}
	if s.Certificate != "" || s.Key != "" {
		options = append(options, nats.ClientCert(s.Certificate, s.Key))
	}
	address := s.URL
	if !framed(address) {
		options = append(options,
			nats.SetCustomDialer(&boundedDialer{net.Dialer{Timeout: patience}}))
	}
	if s.Embedded != nil {
		options = append(options, nats.InProcessServer(s.Embedded.server),
			nats.Token(s.Embedded.token))
	}
	c, err := nats.Connect(address, options...)
	if err != nil {
		return nil, nil, s.wrong(err)
	}
	js, err := jetstream.New(c, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		c.Close()
		return nil, nil, s.wrong(err)
	}
	return c, js, nil
}

// framed reports whether addresses are those of WebSockets, which have frames of their own. The
// client library refuses lists with other addresses beside them.
func framed(addresses string) bool {
	scheme, _, found := strings.Cut(strings.ToLower(strings.TrimSpace(addresses)), "://")
	return found && (scheme == "ws" || scheme == "wss")
}

// wrong returns an error about the server, with a remedy.
func (s *Server) wrong(err error) error {
	hint := ""
	switch {
	case errors.Is(err, nats.ErrNoServers), errors.Is(err, nats.ErrTimeout), errors.Is(err,
		context.DeadlineExceeded):
		hint = "; check the address, and that the server runs"
	case errors.Is(err, nats.ErrAuthorization):
		hint = "; give user and password or a token in the URL, or a file with credentials"
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, nats.ErrNoResponders):
		hint = "; start the server with JetStream (nats-server -js)"
	case errors.Is(err, nats.ErrTLS):
		hint = distrust(err)
	case errors.Is(err, nats.ErrMaxPayload):
		hint = "; a setting of a run is too long for it: shorten it, or configure the server " +
			"with a larger max_payload"
	}
	return fmt.Errorf("%w %s: %w%s", ErrServer, s.name(), err, hint)
}

// name returns the URL without secrets.
func (s *Server) name() string {
	if s.Embedded != nil {
		return "of this process"
	}
	var names []string
	for _, one := range strings.Split(s.URL, ",") {
		if u, err := url.Parse(strings.TrimSpace(one)); err == nil && u.User != nil {
			u.User = url.User("...")
			one = u.String()
		}
		names = append(names, one)
	}
	return strings.Join(names, ",")
}

// Embedded is a server in this process.
type Embedded struct {
	server *server.Server
	token  string
}

// Embed starts a server that listens on an address such as "127.0.0.1:4222" or "TOKEN@:4222", and
// keeps its streams in a folder. Clients must know the token if the address, or otherwise the
// rules, have one; an address that other machines can reach requires one. With a certificate, all
// connections from other processes use TLS, and failed handshakes are reported. The rules about
// pages are ignored.
func Embed(address, dir string, rules gate.Rules) (*Embedded, error) {
	token, address := gate.Cut(address)
	token = cmp.Or(token, rules.Token)
	host, text, err := net.SplitHostPort(address)
	port, e := strconv.ParseUint(text, 10, 16)
	if err != nil || e != nil {
		return nil, fmt.Errorf("%w: found the address %q, expected HOST:PORT or TOKEN@HOST:PORT",
			ErrAccess, address)
	}
	if ip := net.ParseIP(host); token == "" && host != "localhost" &&
		(ip == nil || !ip.IsLoopback()) {
		return nil,
			fmt.Errorf(
				"%w: other machines can reach %s, and anyone who writes to the queue can run "+
					"programs on the workers: "+
					"give a token, as in TOKEN@%s", ErrAccess, address, address)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	o := &server.Options{ServerName: "gosmp", Host: host, Port: int(port), JetStream: true,
		StoreDir: dir, Authorization: token, NoSigs: true, NoLog: true, MaxConn: mostConnections}
	if rules.Certificate != "" {
		if err := encrypt(o, rules); err != nil {
			return nil, err
		}
	}
	if port == 0 {
		o.Port = server.RANDOM_PORT
	}
	// The server ends the process if it cannot listen.
	if err := free(host, text); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrServer, err)
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrServer, err)
	}
	if rules.TurnedAway != nil {
		s.SetLoggerV2(&handshakes{rules.Handshakes()}, false, false, false)
	}
	s.Start()
	if !ready(s) {
		s.Shutdown()
		return nil, fmt.Errorf("%w: it does not listen on %s within %v", ErrServer, address,
			patience)
	}
	if !s.JetStreamEnabled() {
		s.Shutdown()
		return nil, fmt.Errorf("%w: it cannot keep its streams in %s", ErrServer, dir)
	}
	return &Embedded{s, token}, nil
}

// ready waits until a server accepts connections, and reports whether it does so in time.
func ready(s *server.Server) bool {
	const part = 100 * time.Millisecond
	var allowed pause.Allowance
	allowed.Renew(patience)
	defer allowed.End()
	for !s.ReadyForConnections(part) {
		if allowed.Spent() {
			return false
		}
	}
	return true
}

// encrypt configures a server to use TLS.
func encrypt(o *server.Options, rules gate.Rules) error {
	pair, err := rules.Pair()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrAccess, err)
	}
	o.TLS, o.TLSTimeout = true, patience.Seconds()
	o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	return nil
}

// free returns an error if the server cannot listen on an address.
func free(host, port string) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	return l.Close()
}

// Address returns the address at which workers reach the server. Its host is HOST if it listens on
// all addresses.
func (e *Embedded) Address() string {
	host, port, err := net.SplitHostPort(e.server.Addr().String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		return net.JoinHostPort("HOST", port)
	}
	return net.JoinHostPort(host, port)
}

// Close ends the server.
func (e *Embedded) Close() {
	e.server.Shutdown()
	e.server.WaitForShutdown()
}
