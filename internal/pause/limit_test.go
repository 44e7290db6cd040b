package pause

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLimit: a limit ends after its time, and not at all once it is stopped.
func TestLimit(t *testing.T) {
	for _, d := range []time.Duration{-1, 0, 1, time.Millisecond, 10 * time.Second, time.Hour + 3} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			late, stop := Late(d)
			<-late
			require.Equal(t, max(0, d), time.Since(begun))
			stop()

			stop = Limit(d, func() { t.Error("stopped too late") })
			if d > 0 {
				time.Sleep(d - 1)
			}
			stop()
			time.Sleep(time.Hour)
		})
	}
}

// TestLimit_StoodStill: however long a process stands still, the others have their time when it
// continues.
func TestLimit_StoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		r := NewRepeated(func() { close(ended) })
		r.Start(8 * time.Second)
		for range 3 {
			time.Sleep(longestPart / 2)
			r.timer.Reset(time.Hour)
			time.Sleep(time.Hour)
			synctest.Wait()
		}
		begun := time.Now()
		<-ended
		require.Equal(t, 8*time.Second, time.Since(begun))
		r.Stop()
	})
}

// TestLimit_AlwaysLate: a limit ends, however late every part of it ends. Delays of a busy machine
// at most double it; without them, it is exact.
func TestLimit_AlwaysLate(t *testing.T) {
	for _, d := range []time.Duration{1, time.Millisecond, time.Second, time.Minute, time.Hour} {
		for _, delay := range []time.Duration{0, time.Millisecond, stoodStill - 1, stoodStill,
			2 * stoodStill, time.Hour} {
			// In a test of this kind, the timers do not end meanwhile.
			synctest.Test(t, func(t *testing.T) { alwaysLate(t, d, delay) })
		}
	}
}

// alwaysLate checks a limit of d, every part of which ends after a delay.
func alwaysLate(t *testing.T, d, delay time.Duration) {
	ended := false
	r := NewRepeated(func() { ended = true })
	r.Start(d)
	begun, now := r.begun, r.begun
	parts := time.Duration(0)
	for !ended {
		r.timer.Stop() // this test is the clock
		now = now.Add(r.part + delay)
		r.tick(now)
		parts++
	}
	took := now.Sub(begun)
	require.GreaterOrEqual(t, took, d)
	require.LessOrEqual(t, parts, 3+2*(d/longestPart), "%v %v", d, delay)
	if delay <= stoodStill {
		require.LessOrEqual(t, took, 2*d+2*time.Second, "%v %v", d, delay)
	}
	if delay < stoodStill {
		require.LessOrEqual(t, took, d+delay, "%v %v", d, delay)
	}
	r.Stop()
}

// TestRepeated: a limit that is used again has its whole time, and allocates nothing.
func TestRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{}, 1)
		r := NewRepeated(func() { ended <- struct{}{} })
		for range 3 {
			r.Start(time.Minute)
			time.Sleep(time.Minute - 1)
			r.Stop()
			begun := time.Now()
			r.Start(time.Second)
			r.tick(time.Now()) // of the time before, which came late
			<-ended
			require.Equal(t, time.Second, time.Since(begun))
			r.Stop()
		}
	})
	r := NewRepeated(func() {})
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r.Start(time.Hour)
		r.Stop()
	}))
}

// TestWithin: a context ends with its limit, and with the call of stop before that.
func TestWithin(t *testing.T) {
	ctx, stop := Within(t.Context(), time.Nanosecond)
	<-ctx.Done()
	stop()
	require.Equal(t, context.DeadlineExceeded, context.Cause(ctx))
	ctx, stop = Within(t.Context(), time.Hour)
	require.NoError(t, ctx.Err())
	stop()
	require.Equal(t, context.Canceled, context.Cause(ctx))
}
