package pause

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAllowance: an allowance is spent after its time, unless it is renewed or has no end.
func TestAllowance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const d = 10 * time.Second
		var a Allowance
		time.Sleep(time.Hour)
		require.False(t, a.Spent())
		for range 3 {
			a.Renew(d)
			time.Sleep(d - 1)
			require.False(t, a.Spent())
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.True(t, a.Spent())
		a.Renew(d)
		require.False(t, a.Spent())
		a.End()
		time.Sleep(time.Hour)
		require.False(t, a.Spent())
	})
}

// TestAllowance_StoodStill: an allowance is a limit, which ignores standstills.
func TestAllowance_StoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const d = 8 * time.Second
		var a Allowance
		a.Renew(d)
		a.limit.timer.Reset(time.Hour) // as if this process were suspended
		time.Sleep(time.Hour)
		synctest.Wait()
		require.False(t, a.Spent())
		time.Sleep(d - 1)
		require.False(t, a.Spent())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.True(t, a.Spent())
	})
}
