package cosim

import "gosmp/timebase"

// flushInterval is how long rows may wait in a buffer: whoever looks at the results of a slow run, or
// kills it, finds nearly all of them.
const flushInterval = timebase.Second

// flusher says when to flush a buffer. Reading the clock for each row would cost more than the row
// does, so that it is read after as many rows as take about a tenth of the interval.
type flusher struct {
	clock       timebase.TimeSource
	last        timebase.Time // when the buffer was flushed
	looked      timebase.Time // when the clock was read
	rows, every int           // since then, and until it is read again
}

// due counts a row.
func (f *flusher) due() bool {
	if f.rows++; f.rows < f.every {
		return false
	}
	if f.clock == nil {
		f.clock = timebase.SystemTime()
	}
	now := f.clock.Now()
	const short, long, most = flushInterval / 20, flushInterval / 5, 1 << 12
	switch passed := now - f.looked; {
	case passed < short:
		f.every = min(2*max(f.every, 1), most)
	case passed > long:
		f.every /= 4
	}
	f.looked, f.rows = now, 0
	if now-f.last < flushInterval {
		return false
	}
	f.last = now
	return true
}
