package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"gosmp/internal/pause"
)

// Worker runs cases, one at a time. Only one goroutine uses it.
type Worker interface {
	// Do runs a case. An error means that the worker has become unusable; the row is then void.
	Do(ctx context.Context, c Case) (Row, error)
	// Close ends the worker and releases its resources.
	Close() error
}

// Pool runs cases on several workers.
type Pool struct {
	Start    func() (Worker, error)
	Workers  int           // at least 1
	Attempts int           // at a case whose worker is lost or hangs; at least 1
	Timeout  time.Duration // real time per attempt; 0 means no limit
}

// mostUnfit is the number of successive runs that this computer fails to prepare before the pool
// gives up.
const mostUnfit = 3

// Run runs all cases. It calls done for each, one at a time and in the order in which they end.
// When done returns false, no further case is started. The error comes from the context or from
// done, or means that no worker could be started or, as an [UnfitError], that several successive
// runs could not be prepared. The remaining cases then have no rows.
func (p *Pool) Run(ctx context.Context, cases []Case, done func(Case, Row) (more bool,
	err error)) error {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &table{cases: cases, done: done, cancel: cancel}
	var crew sync.WaitGroup
	for range min(p.Workers, max(len(cases), 1)) {
		crew.Go(func() { p.work(ctx, t) })
	}
	crew.Wait()
	return errors.Join(t.failed, context.Cause(outer))
}

// table is the state that the workers share: the remaining cases and the receiver of the rows. A
// worker's goroutine delivers its row itself, because waking another goroutine for this would take
// as long as a short run.
type table struct {
	mu     sync.Mutex
	cases  []Case // that no worker has started
	done   func(Case, Row) (more bool, err error)
	cancel func()
	failed error
	unfit  int // successive runs that this computer could not prepare
}

// next returns the next case to start, if there is one.
func (t *table) next() (c Case, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.cases) == 0 {
		return c, false
	}
	c, t.cases = t.cases[0], t.cases[1:]
	return c, true
}

// end receives a row, or the reason why no worker could be started or the run could not be
// prepared.
func (t *table) end(c Case, row Row, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed != nil {
		return
	}
	if unfit := (*UnfitError)(nil); !errors.As(err, &unfit) {
		t.unfit = 0
	} else if t.unfit++; t.unfit < mostUnfit {
		err = nil // the row states it
	}
	more := false
	if err == nil {
		more, err = t.done(c, row)
	}
	if err != nil {
		t.failed = err
		t.cancel()
	}
	if !more {
		t.cases = nil
	}
}

// work does one worker's share of the cases.
func (p *Pool) work(ctx context.Context, t *table) {
	var w Worker
	defer func() {
		if w != nil {
			_ = w.Close() // no data can be lost anymore
		}
	}()
	for ctx.Err() == nil {
		c, ok := t.next()
		if !ok {
			return
		}
		row, err := p.Do(ctx, c, &w)
		if ctx.Err() != nil {
			return // the run was interrupted; it has no row
		}
		t.end(c, row, err)
	}
}

// Do runs a case with a worker until there is a row or the attempts are used up. It starts the
// worker if it is nil, and replaces it if it is lost. The error means that no worker could be
// started or, if it is an [UnfitError] together with a row with the outcome lost, that this
// computer could not prepare the run.
func (p *Pool) Do(ctx context.Context, c Case, w *Worker) (row Row, err error) {
	for n := 1; n <= p.Attempts && ctx.Err() == nil; n++ {
		if *w == nil {
			if *w, err = p.Start(); err != nil {
				*w = nil
				return row, err
			}
		}
		began := time.Now()
		var lost error
		if row, lost = p.once(ctx, c, *w); lost == nil {
			row.Elapsed = elapsed(began)
			return row.bounded(), nil
		}
		_ = (*w).Close() // it already failed
		*w = nil
		row = Row{Outcome: Lost, Seed: c.Seed, Cause: fmt.Sprintf("%v (%d attempts)", lost, n),
			Elapsed: elapsed(began)}
		if errors.Is(lost, context.DeadlineExceeded) {
			row.Outcome, row.Cause = Hung, fmt.Sprintf("not finished within %v (%d attempts)",
				p.Timeout, n)
		}
		if err = nil; errors.As(lost, new(*UnfitError)) {
			err = lost
		}
	}
	return row, err
}

func (p *Pool) once(ctx context.Context, c Case, w Worker) (Row, error) {
	if p.Timeout <= 0 {
		return p.attempt(ctx, c, w)
	}
	inTime, stop := pause.Within(ctx, p.Timeout)
	defer stop()
	row, err := p.attempt(inTime, c, w)
	if err != nil && ctx.Err() == nil && inTime.Err() != nil {
		err = context.DeadlineExceeded
	}
	return row, err
}

func (p *Pool) attempt(ctx context.Context, c Case, w Worker) (Row, error) {
	row, err := w.Do(ctx, c)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return row, err
}

// elapsed returns the elapsed time in seconds, rounded to milliseconds and at least one
// millisecond.
func elapsed(since time.Time) float64 {
	return max(time.Since(since).Round(time.Millisecond), time.Millisecond).Seconds()
}
