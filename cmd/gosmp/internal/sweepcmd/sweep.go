// Package sweepcmd is gosmp sweep and gosmp work: many runs with varied parameters, and the workers that
// compute them.
package sweepcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/run"
	"gosmp/experiment"
	"gosmp/importer"
	"gosmp/internal/fault"
	"gosmp/sweep"
)

// Command is gosmp sweep, with its verbs.
type Command struct {
	Run    runSweep           `cmd:"" default:"withargs" help:"Run a plan (the default)."`
	Report sweepReportCommand `cmd:"" help:"Write a report of the results of a sweep: one HTML file that works offline."`
	Plan   planSweep          `cmd:"" help:"Write the job file of a batch system (Slurm, Kubernetes) that runs a plan."`
	Schema sweepSchemaCommand `cmd:"" help:"Print the JSON Schema of plans, for editors."`
}

// Help returns the text that follows the list of commands.
func (Command) Help() string {
	return `gosmp sweep PLAN is short for gosmp sweep run PLAN, and takes the same flags: gosmp sweep run --help lists them.`
}

type runSweep struct {
	Plan       string `arg:"" predictor:"file" help:"Plan (YAML, or .xosc of OpenSCENARIO), see docs/SWEEP.md."`
	Out        string `short:"o" predictor:"file" placeholder:"DIR" help:"Folder for results.csv, results.jsonl and sweep.json. By default NAME.results in the working directory, for a plan NAME.sweep.yaml."`
	Store      string `predictor:"file" placeholder:"DIR" help:"Folder with the rows of finished runs, which are not repeated. Several sweeps may share it. By default gosmp/runs in the user's cache folder."`
	Jobs       *int   `short:"j" placeholder:"N" help:"Number of runs at the same time on this machine. By default one per processor, or none with --nats."`
	Shard      string `placeholder:"I/N" help:"Run only every Nth case, starting with the Ith. The results cover this part only."`
	Serve      string `placeholder:"[TOKEN@]HOST:PORT" help:"Serve a queue of the runs at this address. Workers on other machines take runs from it: gosmp work --nats nats://TOKEN@HOST:PORT."`
	queueFlags `embed:""`
	Until      string `enum:",failure,pass" default:"" placeholder:"failure|pass" help:"End the sweep at the first run that does not pass (failure) or that passes (pass). Overrides the stop condition of the plan."`
	Keep       int    `default:"10" placeholder:"N" help:"Keep report, verdict and log of the first N runs that did not pass, in folders case-NUMBER beside the results. These runs are repeated to write the files."`
	KeepAll    bool   `help:"Keep report, verdict and log of all runs."`
	DryRun     bool   `help:"Print the table of runs without running them."`
	JSON       bool   `name:"json" help:"Print the summary as JSON."`
}

// Help returns the text that follows the list of flags.
func (runSweep) Help() string {
	return `An interrupted sweep continues where it stopped, because the rows of finished runs are kept. Ctrl-C ends the current runs and ` +
		`writes the results of the finished ones.

Exit codes: 0 all runs passed; 1 some did not; 2 the plan or the experiment cannot be used; 4 the sweep was interrupted or failed.`
}

// sweepSummary is the JSON document, a contract.
type sweepSummary struct {
	FormatVersion int            `json:"formatVersion"`
	Plan          string         `json:"plan"`
	Cases         int            `json:"cases"`
	Finished      int            `json:"finished"`
	Reused        int            `json:"reused"`
	Outcomes      map[string]int `json:"outcomes"`
	Stopped       bool           `json:"stopped"` // by the plan's number of failures
	Files         []string       `json:"files"`
	Kept          []string       `json:"kept,omitempty"` // folders with the files of single runs
}

// sweeping is a sweep at work.
type sweeping struct {
	*runSweep
	plan        *sweep.Plan
	cases       []sweep.Case
	experiment  string
	description *experiment.Description
	base        string
	files       *inputs // that decide the runs
	store       *sweep.Store
	began       time.Time
	shown       time.Time
	reused      int
	ended       int
	failed      int
	settled     *sweep.Settled
}

// Run runs what the store does not hold yet.
func (c *runSweep) Run() error {
	if c.NATS != "" && c.Serve != "" {
		return cli.Unexpected("--serve", "the server "+c.NATS+" as well", "one of --serve and --nats (which GOSMP_NATS sets, too)")
	}
	if least := c.leastJobs(); c.Jobs != nil && *c.Jobs < least {
		return cli.Unexpected("--jobs", *c.Jobs, fmt.Sprintf("a number from %d on; 0 leaves all runs to the workers of --nats or --serve", least))
	}
	s := &sweeping{runSweep: c}
	if err := s.read(); err != nil {
		return err
	}
	if c.DryRun {
		return cli.Flushed(s.show(os.Stdout))
	}
	if err := s.open(); err != nil {
		return err
	}
	ctx, stop := cli.UntilEnded()
	defer stop()
	compute, end, err := s.engine(ctx)
	if err != nil { // nothing has run: the results of an earlier sweep stay
		return cli.ExitWith(errors.Join(err, s.store.Close()), cli.ExitFailed)
	}
	err = s.run(ctx, compute)
	end()
	summary, e := s.finish(ctx)
	if e != nil && !errors.Is(err, e) { // what has ended the runs is reported once
		err = errors.Join(err, e)
	}
	if err := errors.Join(err, s.store.Close()); err != nil {
		return cli.ExitWith(err, cli.ExitFailed)
	}
	if n := summary.Finished - summary.Outcomes[sweep.Passed]; n > 0 {
		return cli.Negative(fmt.Sprintf("%s: %s of %s runs have not passed", c.Plan, cli.Grouped(int64(n)), cli.Grouped(int64(summary.Finished))))
	}
	return nil
}

// leastJobs is 0 if others may compute runs, too.
func (c *runSweep) leastJobs() int {
	if c.NATS != "" || c.Serve != "" {
		return 0
	}
	return 1
}

// read reads plan and experiment.
func (s *sweeping) read() error {
	if s.Plan == "-" {
		return errors.New("standard input: a plan names files beside it, so that it has to be a file; save it first")
	}
	f, err := os.Open(s.Plan)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	if s.plan, err = sweep.Read(s.Plan, f); err != nil {
		return err
	}
	if s.Until != "" {
		if s.plan.Boundary != nil {
			return cli.Unexpected("--until", s.Until, "a plan without a boundary")
		}
		s.plan.Stop = map[string]sweep.Stop{"failure": {Failures: 1}, "pass": {Passes: 1}}[s.Until]
	}
	s.experiment = experimentOf(s.plan)
	if err := s.identify(); err != nil {
		return err
	}
	if s.cases, err = s.plan.Cases(); err != nil {
		return err
	}
	return s.pick()
}

// identify notes the experiment. Without seeds in the plan there is that of the experiment, or 1, so that
// runs can be repeated.
func (s *sweeping) identify() error {
	s.files = newInputs(s.experiment)
	base, d, err := s.files.identify()
	if err != nil {
		return s.plan.Refuse(err)
	}
	s.base, s.description = base, d
	if d == nil {
		if len(s.plan.Seeds) > 0 {
			return s.plan.RefuseSeeds(fmt.Sprintf("seeds for %s", s.experiment), "none: an FMU has parameters for that")
		}
		return nil
	}
	if len(s.plan.Seeds) == 0 {
		s.plan.Seeds = []uint64{1}
		if d.Seed != nil {
			s.plan.Seeds[0] = *d.Seed
		}
	}
	return nil
}

// pick keeps the cases of a shard.
func (s *sweeping) pick() error {
	if s.Shard == "" {
		return nil
	}
	first, last, ok := strings.Cut(s.Shard, "/")
	i, err := strconv.Atoi(first)
	n, e := strconv.Atoi(last)
	if !ok || err != nil || e != nil || i < 1 || i > n {
		return cli.Unexpected("--shard", fmt.Sprintf("%q", s.Shard), "I/N with 1 <= I <= N, such as 3/16")
	}
	var kept []sweep.Case
	for _, x := range s.cases {
		if x.Index%n == i-1 {
			kept = append(kept, x)
		}
	}
	s.cases = kept
	return nil
}

// show prints the table.
func (s *sweeping) show(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "case\t")
	for _, x := range s.plan.Parameters {
		fmt.Fprintf(w, "%s\t", inLine(x.Name))
	}
	fmt.Fprint(w, "seed\tsets\t\n")
	for _, x := range s.cases {
		fmt.Fprintf(w, "%d\t", x.Index+1)
		for _, v := range x.Values {
			fmt.Fprintf(w, "%s\t", inLine(sweep.Text(v)))
		}
		var set []string
		for _, y := range x.Set {
			set = append(set, inLine(y.Name+"="+y.Value))
		}
		seed := "of the experiment"
		if x.Seed != 0 {
			seed = strconv.FormatUint(x.Seed, 10)
		}
		fmt.Fprintf(w, "%s\t%s\t\n", seed, strings.Join(set, " "))
	}
	return w.Flush()
}

// inLine is a text for a cell of a table: in quotes if it would break the line, or if it is empty.
func inLine(text string) string {
	if text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return strconv.Quote(text)
	}
	return text
}

// open tries the settings, opens the store, and names the folders.
func (s *sweeping) open() error {
	if err := s.try(); err != nil {
		return err
	}
	if err := s.files.attach(s.cases); err != nil {
		return err
	}
	if s.Out == "" {
		s.Out = resultsOf(s.Plan)
	}
	if err := os.MkdirAll(s.Out, 0o777); err != nil { // and not only when all runs have ended
		return fmt.Errorf("the results cannot be written: %w; give another folder with --out", err)
	}
	dir := s.Store
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("%w; give --store", err)
		}
		dir = filepath.Join(cache, "gosmp", "runs")
	}
	var err error
	if s.store, err = sweep.OpenStore(filepath.Join(dir, s.base[:20])); err != nil {
		return fmt.Errorf("the store cannot be used: %w; give another folder with --store", err)
	}
	return nil
}

// mostTried bounds the cases whose settings are tried.
const mostTried = 50

// try reports settings that the experiment does not accept before anything is run.
func (s *sweeping) try() error {
	for _, x := range sweep.Representatives(s.cases, mostTried) {
		if err := s.tryCase(x); err != nil {
			return s.blame(x, err)
		}
	}
	return nil
}

// tryCase prepares a run and drops it.
func (s *sweeping) tryCase(x sweep.Case) error {
	if isPlain(s.experiment) {
		return tryPlain(s.experiment, x.Set)
	}
	text, err := os.ReadFile(s.experiment)
	if err != nil {
		return err
	}
	pool := &importer.Pool{}
	t, err := run.OpenTrial(s.experiment, text, pool, run.TrialOptions{Set: settingsOf(x)})
	if err != nil {
		return err
	}
	return errors.Join(t.Check(), pool.Close())
}

// blame adds the line of the setting that an error is about, if it is about one.
func (s *sweeping) blame(c sweep.Case, err error) error {
	for _, x := range c.Set {
		if strings.HasPrefix(x.Name, "--") && strings.HasPrefix(err.Error(), x.Name+": ") { // an option of gosmp run
			return s.plan.RefuseSetting(x, err)
		}
	}
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, x := range c.Set {
		about := e.Place.Object
		if about == "setting "+x.Name+"="+x.Value || errors.Is(err, importer.ErrValue) && (about == x.Name || strings.HasSuffix(x.Name, "."+about)) {
			return s.plan.RefuseSetting(x, err)
		}
	}
	return err
}

// errInterrupted is the error of a sweep that a signal has ended.
var errInterrupted = errors.New("interrupted; the same command continues where the sweep stopped")

// run computes the rows that are missing, and then those with which boundaries are searched.
func (s *sweeping) run(ctx context.Context, compute func([]sweep.Case) error) (err error) {
	s.began = time.Now()
	s.settled = s.plan.Settled()
	next := s.cases
	for len(next) > 0 && err == nil && ctx.Err() == nil {
		todo := s.missing(next)
		if s.reused += len(next) - len(todo); len(todo) > 0 {
			err = compute(todo)
		}
		if next = nil; err == nil && s.Shard == "" {
			next, err = s.plan.Refine(s.cases, s.row)
			err = errors.Join(err, s.files.attach(next))
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

// missing are the cases whose runs are to be computed: one for each run without a row, because cases
// whose parameters lead to the same settings are the same run.
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

// engine has runs computed: by processes of this machine, or through a queue.
func (s *sweeping) engine(ctx context.Context) (compute func([]sweep.Case) error, end func(), err error) {
	if s.NATS != "" || s.Serve != "" {
		return s.queue(ctx)
	}
	dir, name := filepath.Split(s.experiment)
	workers := s.jobs(runtime.NumCPU())
	start := starter(workers)
	p := &sweep.Pool{Workers: workers, Attempts: s.plan.Attempts, Timeout: s.timeout(),
		Start: func() (sweep.Worker, error) { return start(cmp.Or(dir, "."), name) }}
	return func(todo []sweep.Case) error { return p.Run(ctx, todo, s.doneHere) }, func() {}, nil
}

// doneHere takes a row that was computed from the files of the sweep themselves, and not from the copy
// in a queue: if they have changed, it may be the row of another experiment.
func (s *sweeping) doneHere(x sweep.Case, r sweep.Row) (more bool, err error) {
	if err := s.files.unchanged(); err != nil {
		return false, err
	}
	return s.done(x, r)
}

// jobs is how many runs this machine computes at the same time.
func (s *sweeping) jobs(otherwise int) int {
	if s.Jobs == nil {
		return otherwise
	}
	return *s.Jobs
}

func (s *sweeping) timeout() time.Duration {
	return time.Duration(s.plan.Timeout * float64(time.Second))
}

// done takes a row.
func (s *sweeping) done(x sweep.Case, r sweep.Row) (more bool, err error) {
	r.ID = x.ID(s.base)
	if err := s.store.Add(r); err != nil {
		return false, cli.OutputFailed(err)
	}
	s.ended++
	if r.Outcome != sweep.Passed {
		s.failed++
	}
	s.progress()
	return !s.settled.Enough(s.cases, s.row), nil
}

// prefix are the cases up to the first one without a row.
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

// progress shows rate, failures and time to go, on a terminal twice a second.
func (s *sweeping) progress() {
	now := time.Now()
	if now.Sub(s.shown) < 500*time.Millisecond || cli.TerminalWidth(os.Stderr) == 0 {
		return
	}
	s.shown = now
	rate := float64(s.ended) / now.Sub(s.began).Seconds()
	left := len(s.cases) - s.reused - s.ended
	fmt.Fprintf(os.Stderr, "\r%s of %s runs, %s not passed, %.1f runs/s, %v to go \x1b[K", cli.Grouped(int64(s.reused+s.ended)), cli.Grouped(int64(len(s.cases))),
		cli.Grouped(int64(s.failed)), rate, time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
}
