package cosim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/timebase"
)

// counted is a clock that the test sets, and that counts how often it is read.
type counted struct {
	timebase.TimeSource
	now  timebase.Time
	read int
}

func (c *counted) Now() timebase.Time {
	c.read++
	return c.now
}

// TestFlusher: slow rows are flushed one by one, fast ones about once in the interval, and the clock
// is hardly read for them.
func TestFlusher(t *testing.T) {
	for _, pace := range []timebase.Time{3 * timebase.Second, 300 * timebase.Millisecond, timebase.Millisecond, timebase.Microsecond} {
		clock := &counted{}
		f := flusher{clock: clock}
		flushed := []timebase.Time{0}
		rows := int(100 * timebase.Second / pace)
		for range rows {
			clock.now += pace
			if f.due() {
				flushed = append(flushed, clock.now)
			}
		}
		require.Greater(t, len(flushed), 10)
		for k := range len(flushed) - 1 {
			require.LessOrEqual(t, flushed[k+1]-flushed[k], max(pace, 3*flushInterval/2), "at a pace of %v", pace)
			require.GreaterOrEqual(t, flushed[k+1]-flushed[k], flushInterval, "at a pace of %v", pace)
		}
		require.Less(t, clock.read, max(rows+1, 40), "at a pace of %v", pace)
		if pace < timebase.Millisecond {
			require.Less(t, clock.read, rows/1000)
		}
	}
}
