package sweeps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/quantity"
	"gosmp/sweep"
)

// errInterrupted is the error of a sweep that a signal ended.
var errInterrupted = errors.New("interrupted; run the same command again to continue the sweep")

// run computes the missing rows, and then the rows needed to search for boundaries.
func (s *sweeping) run(ctx context.Context, compute func([]sweep.Case) error) (err error) {
	s.began = time.Now()
	s.shown, s.onTerminal, s.progressTo = s.began, cli.AnimationWidth(os.Stderr) > 0, os.Stderr
	s.settled = s.plan.Settled()
	next := s.cases
	for len(next) > 0 && err == nil && ctx.Err() == nil {
		todo := s.missing(next)
		if s.reused += len(next) - len(todo); len(todo) > 0 {
			err = compute(todo)
		}
		if next = nil; err == nil && s.Shard == "" {
			next, err = s.plan.Refine(s.cases, s.row)
			err = errors.Join(err, s.files.Attach(next))
			s.cases = append(s.cases, next...)
		}
	}
	if ctx.Err() != nil && (len(next) > 0 || errors.Is(err, ctx.Err())) {
		err = errInterrupted
	}
	if e := s.store.Sync(); e != nil {
		err = errors.Join(err, e)
	}
	return err
}

// missing returns the cases whose runs must be computed: one for each run without a row, because
// cases whose parameters lead to the same settings are the same run.
func (s *sweeping) missing(cases []sweep.Case) (todo []sweep.Case) {
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
func (s *sweeping) engine(ctx context.Context) (compute func([]sweep.Case) error, end func(),
	err error) {
	if s.NATS != "" || s.Serve != "" {
		return s.queue(ctx)
	}
	dir, name := filepath.Split(s.experiment)
	workers := s.jobs(runtime.NumCPU())
	start := starter(workers, s.Fresh, s.Library)
	p := &sweep.Pool{Workers: workers, Attempts: s.plan.Attempts, Timeout: s.timeout(),
		Start: func() (sweep.Worker, error) { return start(cmp.Or(dir, "."), name) }}
	return func(todo []sweep.Case) error { return p.Run(ctx, todo, s.doneHere) }, func() {}, nil
}

// doneHere stores a row that was computed from the sweep's own files rather than from the copy in a
// queue. If these files have changed, the row may belong to another experiment.
func (s *sweeping) doneHere(x sweep.Case, r sweep.Row) (more bool, err error) {
	if err := s.files.CheckUnchanged(); err != nil {
		return false, err
	}
	return s.done(x, r)
}

// jobs returns the number of runs that this machine computes at the same time.
func (s *sweeping) jobs(otherwise int) int {
	if s.Jobs == nil {
		return otherwise
	}
	return *s.Jobs
}

func (s *sweeping) timeout() time.Duration {
	return time.Duration(s.plan.Timeout * float64(time.Second))
}

// done stores a row.
func (s *sweeping) done(x sweep.Case, r sweep.Row) (more bool, err error) {
	r.ID = x.ID(s.base)
	if err := s.store.Add(r); err != nil {
		return false, cli.OutputFailed(err)
	}
	s.ended++
	if !sweep.Good(r.Outcome) {
		s.failed++
	}
	s.progress(time.Now())
	return !s.settled.Enough(s.cases, s.row), nil
}

// prefix returns the cases before the first case without a row.
func (s *sweeping) prefix() []sweep.Case {
	for k, x := range s.cases {
		if !s.has(x) {
			return s.cases[:k]
		}
	}
	return s.cases
}

func (s *sweeping) has(x sweep.Case) bool { return s.store.Has(x.ID(s.base)) }

func (s *sweeping) row(x sweep.Case) (sweep.Row, bool) { return s.store.Row(x.ID(s.base)) }

// progress shows the rate, the failures and the remaining time. On a terminal, it updates a line
// twice a second; elsewhere, such as in the log of a batch system, it prints a line each minute.
func (s *sweeping) progress(now time.Time) {
	every := time.Minute
	if s.onTerminal {
		every = 500 * time.Millisecond
	}
	if s.progressTo == nil || now.Sub(s.shown) < every {
		return
	}
	s.shown = now
	rate := float64(s.ended) / now.Sub(s.began).Seconds()
	left := len(s.cases) - s.reused - s.ended
	line := fmt.Sprintf("%s of %s runs, %s not passed, %.1f runs/s, %v to go",
		quantity.Grouped(s.reused+s.ended), quantity.Grouped(len(s.cases)),
		quantity.Grouped(s.failed), rate,
		time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	if s.onTerminal {
		line = "\r" + line + " \x1b[K"
	} else {
		line = "gosmp sweep: " + line + "\n"
	}
	fmt.Fprint(s.progressTo, line)
}
