package gate

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
)

// Secure is the scheme of addresses of servers that speak TLS.
const Secure = "tls:"

// Dial connects to a server at HOST:PORT or TOKEN@HOST:PORT, with the prefix "tls:" by TLS. The
// server's certificate has to be trusted by this machine or be in the file that the environment
// variable SSL_CERT_FILE names. Dial returns the token, too.
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
