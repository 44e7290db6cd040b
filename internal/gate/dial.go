package gate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// mostOfDial is the longest time in which a connection may be opened, unless the context has a
// deadline. Without a limit, a server that accepts connections but does not answer would keep a
// client that expects TLS waiting forever.
const mostOfDial = 10 * time.Second

// Secure is the scheme in the addresses of servers that use TLS.
const Secure = "tls:"

// Dial connects to a server at HOST:PORT or TOKEN@HOST:PORT; with the prefix "tls:", it uses TLS.
// The server's certificate must be trusted by this machine or contained in the file that the
// environment variable SSL_CERT_FILE names. Dial also returns the token.
//
// If the time runs out, the error is both [context.DeadlineExceeded] and [os.ErrDeadlineExceeded],
// in whichever phase that happens.
func Dial(ctx context.Context, address string) (conn net.Conn, token string, err error) {
	return dial(ctx, address, mostOfDial)
}

func dial(ctx context.Context, address string, most time.Duration) (conn net.Conn, token string,
	err error) {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, most)
		defer cancel()
	}
	rest, secure := strings.CutPrefix(address, Secure)
	token, rest = Cut(rest)
	var d net.Dialer
	if conn, err = d.DialContext(ctx, "tcp", rest); err != nil {
		return nil, token, late(err)
	}
	if secure {
		conn, err = handshake(ctx, conn, rest)
	}
	return conn, token, err
}

// handshake begins TLS on a connection to an address. If that fails, it closes the connection.
func handshake(ctx context.Context, conn net.Conn, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	client := tls.Client(conn, &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host})
	if err = client.HandshakeContext(ctx); err == nil {
		return client, nil
	}
	_ = conn.Close() // the first error explains more
	if err = late(err); errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("found no answer in time, expected the TLS handshake of a server that "+
			"uses TLS: %w", err)
	}
	return nil, err
}

// late returns a timeout as an error of the same kinds, whichever clock or phase it comes from, and
// any other error as it is.
func late(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return &lateError{err}
	}
	return err
}

// lateError is a timeout.
type lateError struct{ cause error }

func (e *lateError) Error() string { return e.cause.Error() }

func (e *lateError) Unwrap() []error {
	return []error{e.cause, context.DeadlineExceeded, os.ErrDeadlineExceeded}
}
