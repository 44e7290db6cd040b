package pause_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/pause"
)

func TestFor_WaitsUntilTheTimeOrTheEnd(t *testing.T) {
	open, closed := make(chan struct{}), make(chan struct{})
	close(closed)
	begin := time.Now()
	require.True(t, pause.For(time.Millisecond, open))
	require.GreaterOrEqual(t, time.Since(begin), time.Millisecond)
	require.False(t, pause.For(time.Hour, closed))
	require.True(t, pause.For(0, closed), "there is nothing to wait for")
	require.True(t, pause.For(-time.Second, nil))
}
