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
	mostStuck    = 1 << 30          // bytes that are allocated in this time
	lookAtStuck  = 100 * time.Millisecond
	firstOfStuck = 2 * time.Second // in which memory is not considered
)

var lastResort atomic.Pointer[func(reason string)]

// SetLastResort sets the function that ends the process, for evaluations that cannot be stopped:
// they continue for a minute after the end of their time, or allocate a gigabyte in that time.
// Without such a function, they just continue.
func SetLastResort(end func(reason string)) { lastResort.Store(&end) }

// stuck calls the last resort if it is time to. It returns when to look again.
func (m *model) stuck() time.Duration {
	if m.overdue.IsZero() {
		m.overdue, m.allocated = time.Now(), allocations()
	}
	since, bytes := time.Since(m.overdue), allocations()-m.allocated
	end := lastResort.Load()
	if end != nil && (since > maxStuck || since > firstOfStuck && bytes > mostStuck) {
		(*end)(fmt.Sprintf("a script cannot be stopped: it continued for %v, in which %d MB were "+
			"allocated", since.Round(time.Second), int(bytes)>>20))
	}
	return lookAtStuck
}
