package gate

import (
	"context"
	"crypto/tls"
	"net"
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
func Dial(ctx context.Context, address string) (conn net.Conn, token string, err error) {
	if _, limited := ctx.Deadline(); !limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, mostOfDial)
		defer cancel()
	}
	rest, secure := strings.CutPrefix(address, Secure)
	token, rest = Cut(rest)
	if !secure {
		var d net.Dialer
		conn, err = d.DialContext(ctx, "tcp", rest)
		return conn, token, err
	}
	d := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}
	conn, err = d.DialContext(ctx, "tcp", rest)
	return conn, token, err
}
