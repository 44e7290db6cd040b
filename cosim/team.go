package cosim

import (
	"sync"
	"sync/atomic"
)

// team is a set of goroutines, including the caller's, that execute numbered jobs. The goroutines
// live as long as a run, and a round of jobs allocates no memory.
type team struct {
	wake []chan struct{}
	next atomic.Int64
	jobs int64
	do   func(job int)
	done sync.WaitGroup
}

// newTeam creates a team with a number of threads, including the caller's.
func newTeam(threads int) *team {
	t := &team{}
	for range threads - 1 {
		wake := make(chan struct{})
		t.wake = append(t.wake, wake)
		go func() {
			for range wake {
				t.work()
				t.done.Done()
			}
		}()
	}
	return t
}

// run executes the jobs from 0 on, in any order, and returns when all are done.
func (t *team) run(jobs int, do func(job int)) {
	t.jobs, t.do = int64(jobs), do
	t.next.Store(0)
	t.done.Add(len(t.wake))
	for _, wake := range t.wake {
		wake <- struct{}{}
	}
	t.work()
	t.done.Wait()
}

func (t *team) work() {
	for k := t.next.Add(1) - 1; k < t.jobs; k = t.next.Add(1) - 1 {
		t.do(int(k))
	}
}

// close ends the goroutines.
func (t *team) close() {
	if t == nil {
		return
	}
	for _, wake := range t.wake {
		close(wake)
	}
}
