package gate

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// requireLate requires the kinds that callers look for when a time has run out.
func requireLate(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	var timeout net.Error
	require.ErrorAs(t, err, &timeout)
	require.True(t, timeout.Timeout())
}

// TestDial_Silent: a server that accepts connections but never answers does not keep a client that
// expects TLS; the time is limited even if the caller does not limit it. The kinds of the error do
// not depend on how far the client came.
func TestDial_Silent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	address := Secure + l.Addr().String()
	_, _, err = dial(context.Background(), address, time.Millisecond)
	requireLate(t, err)
	for _, limit := range []time.Duration{0, time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		_, _, err = Dial(ctx, address)
		requireLate(t, err)
	}
	client, server := net.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = handshake(ctx, client, "example.com:1")
	requireLate(t, err)
	require.ErrorContains(t, err, "expected the TLS handshake")
	_, err = server.Write([]byte("a"))
	require.Error(t, err, "the connection is closed")
}

// TestLate: a timeout has the same kinds whichever clock it comes from, also that of the system.
// Other errors remain as they are.
func TestLate(t *testing.T) {
	for _, cause := range []error{os.ErrDeadlineExceeded, context.DeadlineExceeded,
		&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ETIMEDOUT)},
		&net.DNSError{IsTimeout: true}} {
		requireLate(t, late(cause))
		require.ErrorIs(t, late(cause), cause)
		require.EqualError(t, late(cause), cause.Error())
	}
	for _, cause := range []error{nil, context.Canceled, syscall.ECONNREFUSED, errors.New("a")} {
		require.Equal(t, cause, late(cause))
	}
}
