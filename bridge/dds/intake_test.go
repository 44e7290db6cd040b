package dds

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds/wire"
)

// All packets together have a rate, of which half a second can be saved up.
func TestIntake_LimitsTheRate(t *testing.T) {
	var i intake
	now := time.Unix(100, 0)
	require.LessOrEqual(t, i.admit(now, rateIn/2), time.Duration(0), "what was saved up")
	require.Equal(t, time.Second/4, i.admit(now, rateIn/4))
	later := now.Add(time.Hour)
	require.LessOrEqual(t, i.admit(later, rateIn/2), time.Duration(0))
	require.Equal(t, time.Second/2, i.admit(later, rateIn/2), "no more than that is saved")
}

// Announcements count more than other submessages, because they take longer.
func TestCostOf(t *testing.T) {
	for kind, cost := range map[byte]int{wire.KindData: costFound, wire.KindDataFragment: costFound,
		wire.KindHeartbeat: costIn} {
		require.Equal(t, cost, costOf(&wire.Submessage{Kind: kind,
			Writer: wire.SubscriptionWriter}))
	}
	require.Equal(t, costIn, costOf(&wire.Submessage{Kind: wire.KindData,
		Writer: wire.LivelinessWriter}))
}
