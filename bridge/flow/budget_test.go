package flow

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBudget: messages may take a quarter of the time, some time may be saved up, and small
// messages are always accepted.
func TestBudget(t *testing.T) {
	clock := time.Unix(0, 0)
	b := budget{now: func() time.Time { return clock }}
	b.begin()
	require.Equal(t, math.MaxInt, b.room())
	b.bytes = 10_000
	clock = clock.Add(time.Second) // it took a second
	require.Equal(t, small-10_000, b.room())
	b.settle()
	clock = clock.Add(time.Second)
	b.begin()
	require.Equal(t, small, b.room(), "in debt")
	b.bytes = 100
	require.Equal(t, small-100, b.room())
	b.settle()
	clock = clock.Add(3 * time.Second)
	b.begin()
	require.Equal(t, math.MaxInt, b.room(), "paid")
	clock = clock.Add(saved + time.Millisecond)
	require.Equal(t, small, b.room(), "an hour would not have saved more")
	b = budget{unlimited: true}
	b.begin()
	require.Equal(t, math.MaxInt, b.room())
}
