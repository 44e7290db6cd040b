package run

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/flow"
	"gosmp/cosim"
	"gosmp/timebase"
)

func TestProgressLine_SaysHowFarHowFastAndHowLong(t *testing.T) {
	require.Equal(
		t,
		" 25 %  2.500 of 10.000 s  5 times real time  500 steps/s  1 s to go",
		progressLine(
			2500*timebase.Millisecond,
			10*timebase.Second,
			500*timebase.Millisecond,
			250,
		),
	)
	require.Equal(t, "1:00:05", duration(3605*timebase.Second))
	require.Equal(t, "2:05", duration(125*timebase.Second))
}

// settable is a clock that a test can set.
type settable struct {
	timebase.TimeSource
	now timebase.Time
}

func (s *settable) Now() timebase.Time { return s.now }

// TestProgress_EachMinuteInALog: a log has no progress line for short runs, and one per minute for
// long runs.
func TestProgress_EachMinuteInALog(t *testing.T) {
	clock, lines := &settable{}, []string(nil)
	p := &progress{
		show:  func(line string) { lines = append(lines, line) },
		every: inLog,
		width: 1000,
		stop:  100 * timebase.Second,
		clock: clock,
	}
	require.NoError(t, p.Begin(nil))
	for _, s := range []timebase.Time{1, 59, 60, 61, 119, 121} {
		clock.now = s * timebase.Second
		require.NoError(t, p.Row(s*timebase.Second/2, cosim.AtPoint))
	}
	require.NoError(t, p.End(nil))
	require.Len(t, lines, 3)
	require.Contains(t, lines[0], "30 %  30.000 of 100.000 s  0.5 times real time")
	require.Contains(t, lines[1], "60 %")
	require.Empty(t, lines[2])
}

// TestProgress_PeersOfABridge: a run in a DDS domain shows the participants of the domain and the
// lost messages.
func TestProgress_PeersOfABridge(t *testing.T) {
	clock, line := &settable{}, ""
	counts := &flow.Counts{Peers: 2, Dropped: 1, Late: 2, Missed: 4}
	p := &progress{
		show:  func(text string) { line = text },
		width: 1000,
		stop:  100 * timebase.Second,
		clock: clock,
		peers: func() *flow.Counts { return counts },
	}
	require.NoError(t, p.Begin(nil))
	clock.now = timebase.Second
	require.NoError(t, p.Row(timebase.Second, cosim.AtPoint))
	require.Regexp(t, ` to go  2 peers, 7 lost$`, line)
	p.width = 20
	require.NoError(t, p.Row(timebase.Second, cosim.AtPoint))
	require.Len(t, line, 19)
	counts = nil // another transport
	p.width = 1000
	require.NoError(t, p.Row(timebase.Second, cosim.AtPoint))
	require.Regexp(t, ` to go$`, line)
}
