package queue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// TestPassing: what passes is waited for, at the beginning as well as later.
func TestPassing(t *testing.T) {
	t.Parallel()
	call := func(op string, err error) error { return &net.OpError{Op: op, Net: "tcp", Err: err} }
	system := func(e syscall.Errno) error { return os.NewSyscallError("connect", e) }
	for _, err := range []error{nats.ErrNoServers, nats.ErrTimeout, io.EOF, io.ErrUnexpectedEOF,
		nats.ErrConnectionClosed, call("dial", system(syscall.ECONNREFUSED)),
		call("dial", system(syscall.EHOSTUNREACH)), call("dial", system(syscall.ENETUNREACH)),
		call("dial", os.ErrDeadlineExceeded), call("read", system(syscall.ECONNRESET)),
		call("write", system(syscall.EPIPE)), os.ErrDeadlineExceeded,
		call("dial", &net.DNSError{Err: "server misbehaving", IsTemporary: true}),
		&net.DNSError{Err: "i/o timeout", IsTimeout: true}} {
		require.True(t, passing(err), "%v", err)
		require.True(t, passing(fmt.Errorf("%w x: %w", ErrServer, err)), "%v", err)
	}
	for _, err := range []error{nats.ErrAuthorization, nats.ErrAuthExpired,
		call("dial", &net.DNSError{Err: "no such host", IsNotFound: true}),
		call("dial", &net.AddrError{Err: "missing port in address", Addr: "a"}),
		call("remote error", errors.New("tls: certificate required")),
		call("local error", errors.New("tls: bad record MAC")),
		&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}},
		tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"},
		nats.ErrSecureConnRequired, nats.ErrNkeysNotSupported, os.ErrNotExist,
		context.Canceled} {
		require.False(t, passing(err), "%v", err)
	}
}
