package gate

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
)

// Secure is the scheme of addresses of servers that speak TLS.
const Secure = "tls:"

// Dial connects to a server at HOST:PORT or TOKEN@HOST:PORT, and with "tls:" before it by TLS. The
// certificate of the server has to be one that this machine trusts, or of the files that the
// environment variable SSL_CERT_FILE names. It returns the token, too.
func Dial(ctx context.Context, address string) (conn net.Conn, token string, err error) {
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
