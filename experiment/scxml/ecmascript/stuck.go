package ecmascript

import (
	"fmt"
	"sync/atomic"
	"time"
)

// An engine function that is called does not notice that its time is up. The ones that could run
// forever are replaced, but engines have surprises, and Go cannot end a goroutine. A program should
// rather end than take all memory.
const (
	maxStuck     = 60 * time.Second // that an evaluation continues after it was to end
	mostStuck    = 1 << 30          // bytes by which the heap grows in this time
	lookAtStuck  = 100 * time.Millisecond
	firstOfStuck = 2 * time.Second // in which memory is not considered
)

var lastResort atomic.Pointer[func(reason string)]

// SetLastResort sets the function that ends the process, for evaluations that cannot be stopped:
// they continue for a minute after the end of their time, or while the heap grows by a gigabyte.
// Without such a function, they just continue.
func SetLastResort(end func(reason string)) { lastResort.Store(&end) }

// stuck calls the last resort if it is time to. It returns when to look again.
func (m *model) stuck() time.Duration {
	if m.overdue.IsZero() {
		m.overdue, m.occupied = time.Now(), occupied()
	}
	since, bytes := time.Since(m.overdue), occupied()-m.occupied
	end := lastResort.Load()
	if end != nil && (since > maxStuck || since > firstOfStuck && bytes > mostStuck) {
		(*end)(fmt.Sprintf("a script cannot be stopped: it continued for %v, in which the heap "+
			"grew by %d MB", since.Round(time.Second), max(0, int(bytes)>>20)))
	}
	return lookAtStuck
}
