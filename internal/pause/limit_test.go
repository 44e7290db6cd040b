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
		l := &limit{left: 8 * time.Second, slice: time.Second, late: func() { close(ended) }}
		l.mu.Lock()
		l.begun = time.Now()
		l.timer = time.AfterFunc(time.Hour, l.tick) // instead of a second
		l.mu.Unlock()
		time.Sleep(time.Hour)
		synctest.Wait()
		begun := time.Now()
		<-ended
		require.Equal(t, 8*time.Second, time.Since(begun))
	})
}
