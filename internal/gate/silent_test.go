package gate

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestDial_Silent: a server that accepts connections but never answers does not keep a client that
// expects TLS; the time is limited even if the caller does not limit it.
func TestDial_Silent(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	_, _, err = Dial(context.Background(), Secure+l.Addr().String())
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, _, err = Dial(ctx, Secure+l.Addr().String())
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
