package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

func TestProgressLine_SaysHowFarHowFastAndHowLong(t *testing.T) {
	require.Equal(t, " 25 %  2.500 of 10.000 s  5 times real time  500 steps/s  1 s to go",
		progressLine(2500*timebase.Millisecond, 10*timebase.Second, 500*timebase.Millisecond, 250, 100))
	require.Len(t, progressLine(1, 10*timebase.Second, timebase.Second, 1, 40), 39)
	require.Equal(t, "1:00:05", duration(3605*timebase.Second))
	require.Equal(t, "2:05", duration(125*timebase.Second))
}
