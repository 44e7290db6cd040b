package simapi_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/simapi"
)

// TestDial_Late checks that a client whose time runs out finds the same kinds of errors whether it
// waits for the connection, for TLS or for the answer to hello.
func TestDial_Late(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // it never answers
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	for _, scheme := range []string{"", "tls:"} {
		for _, limit := range []time.Duration{0, time.Millisecond, 10 * time.Millisecond} {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			_, err = simapi.Dial(ctx, scheme+l.Addr().String(), "a", simapi.Role_SSP)
			cancel()
			require.ErrorIs(t, err, simapi.Code_TIMEOUT)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}
	}
}
