package queue

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// An outage of the server or of the network lasts for a while and ends. It is waited for in the
// same way at the beginning and later. Reasons that will not pass end a crew or a sweep at once.

// crowded are the refusals of a server that has too many clients or is too busy to answer them.
var crowded = []error{
	errors.New("nats: maximum connections exceeded"),
	errors.New("nats: maximum account active connections exceeded"),
	errors.New("nats: authentication timeout"),
}

// passing reports whether an attempt to connect failed for a reason that may pass: the server has
// not started, is too busy to answer, or ended the connection. A host that does not exist and a
// certificate that the other side refuses are none.
func passing(err error) bool {
	var name *net.DNSError
	if errors.As(err, &name) {
		return name.IsTemporary || name.IsTimeout
	}
	if errors.Is(err, nats.ErrTLS) && strings.Contains(err.Error(), "after TLS handshake") {
		return false // how a server refuses a client without a certificate
	}
	for _, e := range append(crowded, nats.ErrNoServers, nats.ErrTimeout, io.EOF,
		io.ErrUnexpectedEOF, nats.ErrConnectionClosed, nats.ErrStaleConnection) {
		if errors.Is(err, e) {
			return true
		}
	}
	return ofNetwork(err)
}

// ofNetwork reports whether the network caused an error, rather than an address or a certificate.
func ofNetwork(err error) bool {
	var address *net.AddrError
	if errors.As(err, &address) {
		return false
	}
	var call *net.OpError // TLS uses other names for the refusals of both sides
	if errors.As(err, &call) {
		return call.Op == "dial" || call.Op == "read" || call.Op == "write"
	}
	var late net.Error
	return errors.As(err, &late) && late.Timeout()
}

// hopeless reports whether waiting would not help.
func hopeless(err error) bool {
	return errors.Is(err, jetstream.ErrJetStreamNotEnabled) ||
		errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) ||
		errors.Is(err, nats.ErrMaxPayload)
}

// outage notices whether a connection is lost between two moments.
type outage struct {
	conn   *nats.Conn
	before uint64
}

func watch(c *nats.Conn) outage { return outage{c, c.Stats().Reconnects} }

// occurred reports whether the connection was lost, and comes back if it has not yet.
func (o outage) occurred() bool {
	return !o.conn.IsClosed() && (!o.conn.IsConnected() || o.conn.Stats().Reconnects != o.before)
}

// ended returns a context that ends when a connection does. A connection that is lost is reopened
// and does not end, unless the server ended it with an error.
func ended(ctx context.Context, c *nats.Conn) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	c.SetClosedHandler(func(*nats.Conn) { cancel() })
	if c.IsClosed() {
		cancel()
	}
	return ctx, cancel
}
