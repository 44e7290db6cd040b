package pause

import (
	"math"
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
	r := NewRepeated(late)
	r.Start(d)
	return r.Stop
}

// Late is [Limit] with a channel, which is closed when others have taken longer than d.
func Late(d time.Duration) (late <-chan struct{}, stop func()) {
	c := make(chan struct{})
	return c, Limit(d, func() { close(c) })
}

// Repeated is a limit like [Limit] that can be used again and again without an allocation.
type Repeated struct {
	late func()

	mu      sync.Mutex
	timer   *time.Timer
	slice   time.Duration
	begun   time.Time // of the current part
	left    time.Duration
	running bool
}

// NewRepeated returns a limit that calls late when others have taken too long. It is not running.
func NewRepeated(late func()) *Repeated {
	const never = math.MaxInt64
	r := &Repeated{late: late}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(never, r.tick)
	r.timer.Stop()
	return r
}

// Start begins the limit. It must not be running.
func (r *Repeated) Start(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left, r.slice, r.running = d, max(d/slices, 1), true
	r.begun = time.Now()
	r.timer.Reset(min(r.left, r.slice))
}

// Stop ends the limit. It waits for late if that is running; afterwards, late is not called.
func (r *Repeated) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = false
	r.timer.Stop()
}

// tick counts a part, unless this process stood still during it.
func (r *Repeated) tick() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	part := min(r.left, r.slice)
	took := now.Sub(r.begun)
	if !r.running || took < part { // it was stopped, and may have been started again
		return
	}
	if took < part+stoodStill {
		r.left -= part
	}
	if r.left <= 0 {
		r.running = false
		r.late()
		return
	}
	r.begun = now
	r.timer.Reset(min(r.left, r.slice))
}
