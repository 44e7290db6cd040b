package pause

import (
	"sync"
	"sync/atomic"
	"time"
)

// Allowance is a time that others may take, like [Limit], until it is renewed. The zero value has
// no end. Its methods can be called from any goroutine.
type Allowance struct {
	spent atomic.Bool

	mu    sync.Mutex
	limit *Repeated // nil before the first renewal
}

// Renew makes the allowance begin again. If d is 0, it has no end.
func (a *Allowance) Renew(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.limit == nil {
		a.limit = NewRepeated(func() { a.spent.Store(true) })
	}
	a.limit.Stop()
	a.spent.Store(false)
	if d > 0 {
		a.limit.Start(d)
	}
}

// Spent reports whether others have taken longer.
func (a *Allowance) Spent() bool { return a.spent.Load() }

// End releases the timer of the allowance, which is not spent afterwards.
func (a *Allowance) End() { a.Renew(0) }
