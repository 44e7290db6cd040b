package pause

import (
	"sync"
	"time"
)

const (
	// slices is the number of parts of a limit.
	slices = 8
	// stoodStill is the delay of a part from which this process must have been suspended, or have
	// waited for a processor.
	stoodStill = 200 * time.Millisecond
)

// Limit calls late, in a goroutine of its own, when others have taken longer than d. Time in which
// this process stood still does not count: when it continues, what they did in the meantime is
// still waiting to be read. The limit ends with a call of stop, which waits for late if that is
// running; afterwards, late is not called.
func Limit(d time.Duration, late func()) (stop func()) {
	l := &limit{left: d, slice: max(d/slices, 1), late: late}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = time.Now()
	l.timer = time.AfterFunc(min(l.left, l.slice), l.tick)
	return l.stop
}

// Late is [Limit] with a channel, which is closed when others have taken longer than d.
func Late(d time.Duration) (late <-chan struct{}, stop func()) {
	c := make(chan struct{})
	return c, Limit(d, func() { close(c) })
}

type limit struct {
	late  func()
	slice time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	begun   time.Time // of the current part
	left    time.Duration
	stopped bool
}

// tick counts a part, unless this process stood still during it.
func (l *limit) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return
	}
	now := time.Now()
	part := min(l.left, l.slice)
	if now.Sub(l.begun) < part+stoodStill {
		l.left -= part
	}
	if l.left <= 0 {
		l.late()
		return
	}
	l.begun = now
	l.timer.Reset(min(l.left, l.slice))
}

func (l *limit) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	l.timer.Stop()
}
