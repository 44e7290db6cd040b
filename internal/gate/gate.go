// Package gate decides which clients may connect to a gosmp server, and how often.
//
//	rules := gate.Rules{Token: token, Origins: []string{"https://app.example.org"}}
//	listener, err := rules.Listen("0.0.0.0:8765")
//	right, err := rules.Right(request)
//
// Guarantees:
//
//   - An address that other machines can reach needs a token.
//   - Programs may connect if they know the token, or if the server has none. Browser pages also
//     have an origin: pages from this machine and desktop viewers count as programs; any other page
//     may view only if its origin is allowed to, and send only if its origin is allowed to do that
//     as well. Therefore, a page that a user happens to visit cannot control a simulation, not even
//     through a name that it has given to this machine (DNS rebinding).
//   - A connection is closed after some time without traffic, and soon if it does not complete its
//     TLS handshake. A client that sends HTTP to a server with TLS receives an answer that says so.
//   - The number of connections is limited per address, in total, and per second for new ones. A
//     listener continues when the process has no descriptors left.
//   - Deadlines of connections do not count standstills of this process.
//
// Types: [Rules], [Right].
package gate

import (
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ErrRefused is the kind of errors about clients that may not connect and about addresses on which
// a server may not listen.
var ErrRefused = errors.New("connection refused")

// ErrCertificate is the kind of errors about the files of a server's certificate.
var ErrCertificate = errors.New("unusable certificate")

// Rules determine who may connect. The zero value admits programs on this machine.
type Rules struct {
	Token       string   // token that clients have to present; "" for none
	Origins     []string // origins of pages that may view, such as https://app.example.org
	Driving     []string // origins of pages that may view and send
	Certificate string   // PEM file; with Key, the server accepts only TLS
	Key         string   // file in PEM
	// TurnedAway is called with the reason when a client fails in its TLS handshake, once for each
	// address and cause, from any goroutine. It may be nil.
	TurnedAway func(error)
}

// Right states what a client may do.
type Right uint8

// The rights of clients.
const (
	None  Right = iota
	Look        // receive published data
	Drive       // send as well
)

// Cut splits TOKEN@HOST:PORT.
func Cut(address string) (token, rest string) {
	if k := strings.LastIndexByte(address, '@'); k >= 0 {
		return address[:k], address[k+1:]
	}
	return "", address
}

// Listen listens on a TCP address, HOST:PORT or TOKEN@HOST:PORT. The listener bounds its
// connections. With a certificate, it accepts connections and completes their handshakes from the
// beginning, so that it must be closed even if nobody calls Accept.
func (r *Rules) Listen(address string) (net.Listener, error) {
	token, address := Cut(address)
	if token != "" {
		r.Token = token
	}
	host, _, err := net.SplitHostPort(address)
	if err == nil && r.Token == "" && !isLocal(host) {
		return nil,
			fmt.Errorf(
				"%w: other machines can reach %s: give a token, as in TOKEN@%s or by --token, "+
					"or listen on 127.0.0.1", ErrRefused, address, address)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	bounded := Bound(l)
	if r.Certificate == "" && r.Key == "" {
		return bounded, nil
	}
	pair, err := r.Pair()
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return secure(bounded, &tls.Config{
		Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12,
	}, mostOfHandshake, r.TurnedAway), nil
}

// Pair reads the certificate with its key. It refuses a certificate that is not valid now, because
// clients do.
func (r *Rules) Pair() (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(r.Certificate, r.Key)
	if err != nil {
		return pair, fmt.Errorf("%w: the certificate %s with the key %s: %w; expected two PEM "+
			"files that belong together", ErrCertificate, r.Certificate, r.Key, err)
	}
	const day = time.DateOnly + " 15:04 MST"
	now := time.Now()
	switch leaf := pair.Leaf; {
	case now.After(leaf.NotAfter):
		return pair, fmt.Errorf("%w: the certificate %s expired on %s: renew it, or correct "+
			"the clock of this machine", ErrCertificate, r.Certificate, leaf.NotAfter.Format(day))
	case now.Before(leaf.NotBefore):
		return pair, fmt.Errorf("%w: the certificate %s is not valid before %s: wait until then, "+
			"or correct the clock of this machine", ErrCertificate, r.Certificate,
			leaf.NotBefore.Format(day))
	}
	return pair, nil
}

// isLocal reports whether a host is an address that only this machine itself can reach.
func isLocal(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Knows reports whether a token is correct, in a time that does not depend on the token.
func (r *Rules) Knows(token string) bool {
	return r.Token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(r.Token)) == 1
}

// Right returns the right of the client that requests a WebSocket. The token is in the header
// Authorization (Bearer TOKEN) or in the query (?token=TOKEN). An error states what to change.
func (r *Rules) Right(q *http.Request) (Right, error) {
	right, err := r.origin(q)
	if err != nil {
		return None, err
	}
	token, has := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
	if !has {
		token = q.URL.Query().Get("token")
	}
	if !r.Knows(token) {
		return None,
			fmt.Errorf(
				"%w: it needs the server's token, as in ws://%s/?token=TOKEN, or in the header "+
					"Authorization: Bearer TOKEN", ErrRefused, q.Host)
	}
	return right, nil
}

// desktop holds the URL schemes of viewers that are programs with pages of their own.
var desktop = []string{"file", "foxglove", "lichtblick", "app"}

// origin checks the page from which a request comes.
func (r *Rules) origin(q *http.Request) (Right, error) {
	origin := q.Header.Get("Origin")
	if origin == "" {
		return Drive, nil
	}
	listed := func(list []string) bool {
		return slices.ContainsFunc(list, func(o string) bool {
			return strings.EqualFold(strings.TrimSuffix(o, "/"), origin)
		})
	}
	u, err := url.Parse(origin)
	switch {
	case listed(r.Driving):
		return Drive, nil
	case listed(r.Origins):
		return Look, nil
	case err != nil:
	case slices.Contains(desktop, u.Scheme):
		return Drive, nil
	case (u.Scheme == "http" || u.Scheme == "https") && isLocal(u.Hostname()) &&
		sameMachine(q.Host):
		return Drive, nil
	}
	return None, fmt.Errorf("%w: it comes from a page of %s; to let it "+
		"receive, use --allow-origin %s",
		ErrRefused, shown(origin), shown(origin))
}

// sameMachine reports whether the name under which a page reached the server belongs to this
// machine; any other name may have been assigned by a third party.
func sameMachine(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return isLocal(host) || net.ParseIP(strings.Trim(host, "[]")) != nil
}

// shown returns a client's text in a form that is suitable for logs and answers.
func shown(text string) string {
	const most = 200
	text = strings.Map(func(c rune) rune {
		if c <= ' ' || c > '~' {
			return '?'
		}
		return c
	}, text)
	return text[:min(len(text), most)]
}
