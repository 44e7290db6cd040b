package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"gosmp/run/fileuse"
	"gosmp/sweep"
)

// ErrInterrupted is the error of a sweep whose context was canceled.
var ErrInterrupted = errors.New("interrupted; run the same command again to continue the sweep")

// run computes the missing rows, and then the rows needed to search for boundaries.
func (s *Sweep) run(ctx context.Context, compute func([]sweep.Case) error) (err error) {
	s.settled = s.plan.Settled()
	s.Progress(s.state(false))
	next := s.cases
	for len(next) > 0 && err == nil && ctx.Err() == nil {
		todo := s.missing(next)
		if s.reused += len(next) - len(todo); len(todo) > 0 {
			if err = s.tryStore(); err == nil {
				err = compute(todo)
			}
		}
		if next = nil; err == nil && s.Shard == "" {
			next, err = s.plan.Refine(s.cases, s.row)
			err = errors.Join(err, s.files.Attach(next))
			s.cases = append(s.cases, next...)
		}
	}
	if ctx.Err() != nil && (len(next) > 0 || errors.Is(err, ctx.Err())) {
		err = ErrInterrupted
	}
	if e := s.store.Sync(); e != nil {
		err = errors.Join(err, e)
	}
	return err
}

// tryStore checks that rows can be stored, so that no run is computed in vain.
func (s *Sweep) tryStore() error {
	if err := fileuse.TryFolder(s.store.Folder()); err != nil {
		return &StoreError{fmt.Errorf("the store cannot be used: %w; give a different folder with "+
			"--store", err)}
	}
	return nil
}

// missing returns the cases whose runs must be computed: one for each run without a row, because
// cases whose parameters lead to the same settings are the same run.
func (s *Sweep) missing(cases []sweep.Case) (todo []sweep.Case) {
	known := map[string]bool{}
	for _, x := range cases {
		if id := x.ID(s.base); !known[id] && !s.store.Has(id) {
			known[id] = true
			todo = append(todo, x)
		}
	}
	return todo
}

// engine returns a function that computes runs, either in processes on this machine or through a
// queue.
func (s *Sweep) engine(ctx context.Context) (compute func([]sweep.Case) error, end func(),
	err error) {
	if s.Server.URL != "" || s.Serve != "" {
		return s.queue(ctx)
	}
	dir, name := filepath.Split(s.experiment)
	workers := s.jobs(runtime.NumCPU())
	start := starting{program: s.Program, workers: workers, fresh: s.Fresh, library: s.Library}
	p := &sweep.Pool{Workers: workers, Attempts: s.plan.Attempts, Timeout: s.timeout(),
		Start: func() (sweep.Worker, error) { return start.worker(cmp.Or(dir, "."), name) }}
	return func(todo []sweep.Case) error { return p.Run(ctx, todo, s.doneHere) }, func() {}, nil
}

// doneHere stores a row that was computed from the sweep's own files rather than from the copy in a
// queue. If these files have changed, the row may belong to another experiment.
func (s *Sweep) doneHere(x sweep.Case, r sweep.Row) (more bool, err error) {
	if err := s.files.CheckUnchanged(); err != nil {
		return false, err
	}
	return s.done(x, r)
}

// jobs returns the number of runs that this machine computes at the same time.
func (s *Sweep) jobs(otherwise int) int {
	if s.Jobs == nil {
		return otherwise
	}
	return *s.Jobs
}

func (s *Sweep) timeout() time.Duration {
	return time.Duration(s.plan.Timeout * float64(time.Second))
}

// done stores a row.
func (s *Sweep) done(x sweep.Case, r sweep.Row) (more bool, err error) {
	r.ID = x.ID(s.base)
	if err := s.store.Add(r); err != nil {
		return false, &StoreError{err}
	}
	s.ended++
	if !sweep.Good(r.Outcome) {
		s.failed++
	}
	s.Progress(s.state(false))
	return !s.settled.Enough(s.cases, s.row), nil
}

// prefix returns the cases before the first case without a row.
func (s *Sweep) prefix() []sweep.Case {
	for k, x := range s.cases {
		if !s.has(x) {
			return s.cases[:k]
		}
	}
	return s.cases
}

func (s *Sweep) has(x sweep.Case) bool { return s.store.Has(x.ID(s.base)) }

func (s *Sweep) row(x sweep.Case) (sweep.Row, bool) { return s.store.Row(x.ID(s.base)) }

// state returns the progress.
func (s *Sweep) state(over bool) Progress {
	return Progress{Cases: len(s.cases), Reused: s.reused, Ended: s.ended, Failed: s.failed,
		Over: over}
}

// StoreError is an error of the store, to which a row could not be added.
type StoreError struct{ error }

// Unwrap returns the cause.
func (e *StoreError) Unwrap() error { return e.error }
