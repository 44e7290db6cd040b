package dds

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
