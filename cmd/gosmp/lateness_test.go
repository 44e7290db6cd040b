package main

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLateness(t *testing.T) {
	var l lateness
	require.Equal(t, "mean 0.000000 s\t99 % below 0.000000 s\tlongest 0.000000 s", l.String())
	for range 200 {
		l.add(3 * time.Millisecond)
	}
	l.add(time.Second)
	l.add(-time.Second) // the clock was asked before it began
	require.Equal(t, "mean 0.007921 s\t99 % below 0.004194 s\tlongest 1.000000 s", l.String())
	for range 10 {
		l.add(math.MaxInt64)
	}
	require.Contains(t, l.String(), "mean 435064718", "the sum does not overflow")
	require.NotContains(t, l.String(), "-")
}
