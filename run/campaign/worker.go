package campaign

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/internal/regular"
	"gosmp/run"
	"gosmp/sweep"
	"gosmp/sweep/queue"
)

// starting starts the workers of this machine.
type starting struct {
	program string // of processes; "" computes runs in this process
	workers int
	fresh   bool
	library []string
}

// worker starts a worker for the runs of an experiment. Processes run in the folder of the
// experiment, so that messages about files do not depend on where that folder is.
func (s starting) worker(dir, name string) (sweep.Worker, error) {
	if run.IsScenario(name) { // scenarios may be below the folder of the package
		dir, name = filepath.Join(dir, filepath.Dir(name)), filepath.Base(name)
	}
	if s.program == "" {
		return newRunner(WorkerOptions{File: filepath.Join(dir, name), Fresh: s.fresh,
			Library: s.library})
	}
	share := max(1, runtime.GOMAXPROCS(0)/max(1, s.workers))
	words := []string{"work", fmt.Sprintf("--processors=%d", share),
		fmt.Sprintf("--fresh=%t", s.fresh)}
	for _, folder := range s.library {
		folder, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		words = append(words, "--library-path="+folder)
	}
	c := exec.Command(s.program, append(words, "--", name)...)
	c.Dir = dir
	return sweep.StartProcess(c)
}

// WorkOptions describes workers that take runs from a queue.
type WorkOptions struct {
	Server  queue.Server
	Program string        // see [Options]
	Jobs    int           // number of runs at the same time; 0 means one for each processor
	Idle    time.Duration // without a run, after which the workers end; 0 means never
	Cache   string        // of experiments; by default gosmp/experiments in the user's cache
	Fresh   bool          // see [Options]
	Log     queue.Log     // receives messages for people; may be nil
}

// Work computes runs of a queue until the context ends, or the workers have been idle for too long,
// or drain is closed and the current runs have ended. It returns the number of runs.
func Work(ctx context.Context, drain <-chan struct{}, o WorkOptions) (int64, error) {
	if err := checkServer(o.Server); err != nil {
		return 0, err
	}
	if o.Jobs < 1 {
		o.Jobs = runtime.NumCPU()
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	crew, err := newCrew(o)
	if err != nil {
		return 0, err
	}
	return crew.Run(ctx, drain)
}

// WorkerOptions describes a worker, which computes the runs of one experiment.
type WorkerOptions struct {
	File       string   // experiment, FMU, system or scenario
	Library    []string // see [Options]
	Fresh      bool     // see [Options]
	Processors int      // of the Go code of runs without FMUs; 0 means all
	Log        io.Writer
}

// Serve is the work of the process of a worker: it reads runs as lines of JSON, and answers each
// with a row as JSON, until the input ends. If a run fails because of this machine, the error is a
// [LostError] or a [sweep.UnfitError], and the process must end, with its cause as the last line on
// standard error, for the sweep to repeat the run in another process.
func Serve(in *os.File, out io.Writer, o WorkerOptions) error {
	useAll := shareProcessors(o.Processors)
	r, err := newRunner(o)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // the rows report failed FMUs
	if run.IsPlain(o.File) {
		useAll()
	}
	r.options.Loading = useAll
	return sweep.Serve(pollable(in), out, func(x sweep.Case) (sweep.Row, error) {
		return r.Do(context.Background(), x)
	})
}

// LostError reports a run that failed because of this machine. It may succeed in another process.
type LostError struct{ Cause string }

func (e *LostError) Error() string { return e.Cause }

// runner computes runs in this process.
type runner struct {
	options run.CaseOptions
	dir     string // absolute
}

func newRunner(o WorkerOptions) (*runner, error) {
	dir, err := filepath.Abs(filepath.Dir(o.File))
	if err != nil {
		return nil, err
	}
	r := &runner{dir: dir, options: run.CaseOptions{File: o.File, Library: o.Library, Log: o.Log,
		Reserve: &importer.Reserve{Fresh: o.Fresh}}}
	if !run.IsPlain(o.File) {
		r.options.Document, err = regular.ReadFile(o.File)
	}
	return r, err
}

// Do implements [sweep.Worker].
func (r *runner) Do(ctx context.Context, x sweep.Case) (sweep.Row, error) {
	o := r.options
	o.Set, o.Seed = settingsOf(x), x.Seed
	computed := run.Case(ctx, o)
	if ctx.Err() != nil {
		return sweep.Row{}, ctx.Err()
	}
	if computed.Outcome == run.Lost { // the sweep repeats the run with another worker
		if computed.Unfit {
			return sweep.Row{}, &sweep.UnfitError{Reason: computed.Cause}
		}
		return sweep.Row{}, &LostError{Cause: computed.Cause}
	}
	row := anywhere(rowOf(computed), r.dir)
	for _, n := range o.Reserve.Notes() {
		n.FMU = withoutFolder(n.FMU, r.dir)
		if row.Notes == nil {
			row.Notes = map[string]string{}
		}
		row.Notes[n.FMU] = n.String()
	}
	return row, nil
}

// Close implements [sweep.Worker].
func (r *runner) Close() error { return r.options.Reserve.Close() }

// rowOf converts the row of a run to the row of a sweep.
func rowOf(r run.Row) sweep.Row {
	return sweep.Row{Outcome: r.Outcome, Cause: r.Cause, Seed: r.Seed, Time: r.Time, Steps: r.Steps,
		TraceHash: r.TraceHash, Metrics: r.Metrics, Warnings: r.Warnings}
}

// anywhere removes the folder of the experiment from the cause of a row, which is then the same
// wherever the run was computed.
func anywhere(row sweep.Row, dir string) sweep.Row {
	row.Cause = withoutFolder(row.Cause, dir)
	return row
}

func withoutFolder(text, dir string) string {
	if dir == filepath.Dir(dir) { // the root folder is part of every path
		return text
	}
	return strings.ReplaceAll(text, dir+string(filepath.Separator), "")
}

// settingsOf returns the settings of a case.
func settingsOf(x sweep.Case) (list []trial.Setting) {
	for _, s := range x.Set {
		list = append(list, trial.Setting(s))
	}
	return list
}
