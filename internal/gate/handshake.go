package gate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"gosmp/internal/plaintext"
)

const (
	mostReported = 32       // failed handshakes that are reported
	mostDrained  = 64 << 10 // bytes of a refused request that are read, so that its client can read

	onlyTLS = "This server accepts only TLS: begin the address with https:// or wss://.\n"
)

// handshakes reports failed handshakes, once for each address and cause.
type handshakes struct {
	report func(error) // may be nil
	mu     sync.Mutex
	known  map[failure]bool
}

// failure is the failure of a client. The remedy stands for the cause, because clients choose the
// text of some errors.
type failure struct{ host, remedy string }

// Handshakes returns a function that reports failed TLS handshakes, with the address of the client,
// of a server that completes them itself. It may be called from any goroutine.
func (r *Rules) Handshakes() func(address string, err error) {
	h := &handshakes{report: r.TurnedAway}
	return h.failed
}

// failed reports a failed handshake.
func (h *handshakes) failed(address string, err error) {
	text, remedy := reason(err)
	if h.report == nil || remedy == "" {
		return
	}
	host, _, split := net.SplitHostPort(address)
	if split != nil {
		host = address
	}
	f := failure{host, remedy}
	h.mu.Lock()
	n, known := len(h.known), h.known[f]
	if known || n > mostReported {
		h.mu.Unlock()
		return
	}
	if h.known == nil {
		h.known = map[failure]bool{}
	}
	h.known[f] = true
	h.mu.Unlock()
	if n == mostReported {
		h.report(fmt.Errorf("%w: more than %d failed TLS handshakes of different addresses or "+
			"causes; others are not reported", ErrRefused, mostReported))
		return
	}
	h.report(fmt.Errorf("%w: TLS handshake with %s: %s; %s", ErrRefused,
		plaintext.Clean(host), text, remedy))
}

const trust = "the client does not trust the server's certificate: give it the certificate or " +
	"its authority (SSL_CERT_FILE), and use a name or address that the certificate contains"

// reason describes why a handshake failed, and what to do; the remedy is "" if a client only looked
// whether the server is there.
func reason(err error) (text, remedy string) {
	var plain tls.RecordHeaderError
	text = plaintext.Clean(err.Error())
	switch {
	case errors.As(err, &plain) && speaksHTTP(plain):
		return "the client sent HTTP without TLS", "begin the address with https:// or wss://"
	case errors.As(err, &plain):
		return "the client does not use TLS", "connect to tls:HOST:PORT, https:// or wss://"
	case errors.Is(err, context.DeadlineExceeded):
		return "the client did not complete it in time",
			"check that it uses TLS, with tls:HOST:PORT, https:// or wss://"
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err,
		context.Canceled):
		return "", ""
	case strings.Contains(text, "remote error") && strings.Contains(text, "certificate"):
		return text, trust
	case strings.Contains(text, "bad record MAC"):
		// OpenSSL sends the alert about a certificate without encryption, also in TLS 1.3.
		return text, "probably, " + trust
	case strings.Contains(text, "unsupported versions"):
		return text, "the client must support TLS 1.2 or 1.3"
	default:
		return text, "check the TLS settings of the client"
	}
}

// speaksHTTP reports whether a record begins like a request.
func speaksHTTP(e tls.RecordHeaderError) bool {
	switch string(e.RecordHeader[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO", "CONNE", "DELET", "PATCH", "PRI *":
		return true
	}
	return false
}

// refuse answers a client that sent HTTP.
func (s *secured) refuse(conn net.Conn, err error) {
	var plain tls.RecordHeaderError
	if !errors.As(err, &plain) || plain.Conn == nil || !speaksHTTP(plain) {
		return
	}
	if conn.SetDeadline(time.Now().Add(s.within)) != nil {
		return
	}
	stop := context.AfterFunc(s.ctx, func() { _ = conn.Close() })
	defer stop()
	if _, err := fmt.Fprintf(conn, "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain\r\n"+
		"Content-Length: %d\r\nConnection: close\r\n\r\n%s", len(onlyTLS), onlyTLS); err != nil {
		return
	}
	// If the rest of the request were not read, the client might not receive the answer.
	_, _ = io.CopyN(io.Discard, conn, mostDrained)
}
