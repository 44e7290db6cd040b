package pause

import (
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
		r.timer.Reset(time.Hour) // instead of a second
		time.Sleep(time.Hour)
		synctest.Wait()
		begun := time.Now()
		<-ended
		require.Equal(t, 8*time.Second, time.Since(begun))
		r.Stop()
	})
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
			r.tick() // of the time before, which came late
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
