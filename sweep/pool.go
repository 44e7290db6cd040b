package sweep

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Worker runs cases, one at a time. It is used by one goroutine.
type Worker interface {
	// Do runs a case. An error says that the worker cannot be used any more; the row is then void.
	Do(ctx context.Context, c Case) (Row, error)
	// Close ends the worker and what belongs to it.
	Close() error
}

// Pool runs cases on several workers.
type Pool struct {
	Start    func() (Worker, error)
	Workers  int           // at least 1
	Attempts int           // for a case whose worker is lost or hangs; at least 1
	Timeout  time.Duration // of real time for an attempt; 0 is no limit
}

// finished is a case that has come to an end.
type finished struct {
	c   Case
	row Row
	err error // a worker could not be started
}

// Run runs all cases. Done is called for each, in the order in which they end, by this goroutine; when
// it returns false no further case is begun. The error is that of the context, of done, or says that
// no worker could be started.
func (p *Pool) Run(ctx context.Context, cases []Case, done func(Case, Row) (more bool, err error)) error {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	queue, ended := make(chan Case), make(chan finished)
	stop := make(chan struct{})
	go func() {
		defer close(queue)
		for _, c := range cases {
			select {
			case queue <- c:
			case <-stop:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	var crew sync.WaitGroup
	for range min(p.Workers, max(len(cases), 1)) {
		crew.Go(func() { p.work(ctx, queue, ended) })
	}
	go func() {
		crew.Wait()
		close(ended)
	}()
	var failed error
	var once sync.Once
	for f := range ended {
		if failed != nil {
			continue
		}
		more, err := false, f.err
		if err == nil {
			more, err = done(f.c, f.row)
		}
		if failed = err; err != nil {
			cancel()
		}
		if !more {
			once.Do(func() { close(stop) })
		}
	}
	return errors.Join(failed, context.Cause(outer))
}

// work is one worker's share.
func (p *Pool) work(ctx context.Context, queue <-chan Case, ended chan<- finished) {
	var w Worker
	defer func() {
		if w != nil {
			_ = w.Close() // nothing is left that could be lost
		}
	}()
	for c := range queue {
		f := finished{c: c}
		f.row, f.err = p.Do(ctx, c, &w)
		if ctx.Err() != nil {
			return // the run was interrupted; it has no row
		}
		ended <- f
	}
}

// Do runs a case with a worker, which is started if it is nil, and replaced if it is lost, until there
// is a row or the attempts are used up. The error says that no worker could be started.
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
			return row, nil
		}
		_ = (*w).Close() // it has failed already
		*w = nil
		row = Row{Outcome: Lost, Seed: c.Seed, Cause: fmt.Sprintf("%v (%d attempts)", lost, n), Elapsed: elapsed(began)}
		if errors.Is(lost, context.DeadlineExceeded) {
			row.Outcome, row.Cause = Hung, fmt.Sprintf("not finished within %v (%d attempts)", p.Timeout, n)
		}
	}
	return row, nil
}

func (p *Pool) once(ctx context.Context, c Case, w Worker) (Row, error) {
	if p.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.Timeout)
		defer cancel()
	}
	row, err := w.Do(ctx, c)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return row, err
}

// elapsed is in seconds, to the millisecond and at least one.
func elapsed(since time.Time) float64 {
	return max(time.Since(since).Round(time.Millisecond), time.Millisecond).Seconds()
}
