package pause

import (
	"context"
	"math"
	"sync"
	"time"
)

const (
	// longestPart is the longest time that a limit waits before it looks at the clock.
	longestPart = 200 * time.Millisecond
	// stoodStill is the delay of a part from which this process must have been suspended, or have
	// waited for a processor.
	stoodStill = 200 * time.Millisecond
	// fewStandstills do not count for a limit of any length.
	fewStandstills = 2
)

// Limit calls late, in a goroutine of its own, when others have taken longer than d. A standstill
// of this process does not count, however long it lasts: when it continues, what others did in the
// meantime is still waiting to be read. A process that is stopped again and again does not wait for
// ever, because a limit ignores only some standstills: short ones at most double it. The limit ends
// with a call of stop, which waits for late if that is running; afterwards, late is not called.
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

// Within is [Limit] with a context, whose cause is context.DeadlineExceeded when others have taken
// longer than d. A call of stop ends the limit and the context.
func Within(parent context.Context, d time.Duration) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	end := Limit(d, func() { cancel(context.DeadlineExceeded) })
	return ctx, func() {
		end()
		cancel(nil)
	}
}

// Repeated is a limit like [Limit] that can be used again and again without an allocation.
type Repeated struct {
	late func()

	mu      sync.Mutex
	timer   *time.Timer
	begun   time.Time     // of the current part
	part    time.Duration // its length
	left    time.Duration
	excuses int // the number of further standstills that do not count
	running bool
}

// NewRepeated returns a limit that calls late when others have taken too long. It is not running.
func NewRepeated(late func()) *Repeated {
	const never = math.MaxInt64
	r := &Repeated{late: late}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.timer = time.AfterFunc(never, func() { r.tick(time.Now()) })
	r.timer.Stop()
	return r
}

// Start begins the limit. It must not be running.
func (r *Repeated) Start(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left, r.running = d, true
	r.excuses = fewStandstills + int(d/(longestPart+stoodStill))
	r.next(time.Now())
}

// next begins a part.
func (r *Repeated) next(now time.Time) {
	r.begun, r.part = now, min(r.left, longestPart)
	r.timer.Reset(r.part)
}

// Stop ends the limit. It waits for late if that is running; afterwards, late is not called.
func (r *Repeated) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = false
	r.timer.Stop()
}

// tick counts a part, unless this process stood still during it.
func (r *Repeated) tick(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	took := now.Sub(r.begun)
	if !r.running || took < r.part { // it was stopped, and may have been started again
		return
	}
	if took >= r.part+stoodStill && r.excuses > 0 {
		r.excuses--
	} else {
		r.left -= took
	}
	if r.left <= 0 {
		r.running = false
		r.late()
		return
	}
	r.next(now)
}
