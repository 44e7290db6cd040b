package sweeps

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/run/campaign"
)

// TestProgress_EachMinuteInALog: a log has no progress line for short sweeps, and one per minute
// for long sweeps.
func TestProgress_EachMinuteInALog(t *testing.T) {
	var out strings.Builder
	began := time.Now()
	p := &progress{out: &out}
	now := campaign.Progress{Cases: 3000, Reused: 1000}
	p.show(now, began)
	for _, second := range []int{1, 59, 60, 61, 121} {
		now.Ended, now.Failed = 10*second, second
		p.show(now, began.Add(time.Duration(second)*time.Second))
	}
	now.Over = true
	p.show(now, began.Add(3*time.Minute))
	require.Equal(t, "gosmp sweep: 1 600 of 3 000 runs, 60 not passed, 10.0 runs/s, 2m20s to go\n"+
		"gosmp sweep: 2 210 of 3 000 runs, 121 not passed, 10.0 runs/s, 1m19s to go\n",
		out.String())
}
