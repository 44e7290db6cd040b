// Package sweeps implements gosmp sweep and gosmp work, which compute many runs with varied
// parameters, directly or by workers.
package sweeps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment"
	"gosmp/internal/gate"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/internal/regular"
	"gosmp/run"
	"gosmp/run/inputs"
	"gosmp/sweep"
)

// Command implements gosmp sweep and its verbs.
type Command struct {
	Run    runSweep           `cmd:"" default:"withargs" help:"Run a plan (the default)."`
	Report sweepReportCommand `cmd:"" help:"Write a report on the results of a sweep: a single HTML file that works offline."`
	Plan   planSweep          `cmd:"" help:"Write the job file of a batch system (Slurm, Kubernetes) that runs a plan."`
	Schema sweepSchemaCommand `cmd:"" help:"Print the JSON Schema of plans, for editors."`
}

// Help returns the text that follows the list of commands.
func (Command) Help() string {
	return `gosmp sweep PLAN is short for gosmp sweep run PLAN, with the same flags: gosmp ` +
		`sweep run --help lists them.`
}

type runSweep struct {
	Plan       string `arg:"" predictor:"file" help:"Plan (YAML, .xosc of OpenSCENARIO, or a table in CSV), see docs/SWEEP.md."`
	Out        string `short:"o" predictor:"file" placeholder:"DIR" help:"Folder for results.csv, results.jsonl and sweep.json. By default NAME.results in the working directory, for a plan NAME.sweep.yaml."`
	Store      string `predictor:"file" placeholder:"DIR" help:"Folder with the rows of finished runs, which are not repeated. It may be shared by several sweeps. By default gosmp/runs in the user's cache folder."`
	Jobs       *int   `short:"j" placeholder:"N" help:"Number of runs at the same time on this machine. By default one per processor, or none with --nats."`
	Shard      string `placeholder:"I/N" help:"Run only every Nth case, starting with the Ith. The results cover only this part."`
	Serve      string `placeholder:"[TOKEN@]HOST:PORT" help:"Serve a queue of the runs at this address. Workers on other machines take runs from it: gosmp work --nats nats://TOKEN@HOST:PORT, or with --tls-cert tls://TOKEN@HOST:PORT."`
	queueFlags `embed:""`
	Rerun      []string `enum:"passed,finished,failed,undecided,timeout,error,lost,hung" placeholder:"OUTCOME" help:"Recompute runs whose stored row has this outcome, such as error; may be a comma-separated list. Lost and hung runs are always recomputed."`
	JUnit      string   `name:"junit" predictor:"file" placeholder:"FILE" help:"Write the results as JUnit XML: one case for each run."`
	Until      string   `enum:",failure,pass" default:"" placeholder:"failure|pass" help:"End the sweep at the first run that does not pass (failure) or that passes (pass). Overrides the stop condition of the plan."`
	Keep       int      `default:"10" placeholder:"N" help:"Keep report, verdict and log of the first N runs that did not pass, in folders case-NUMBER next to the results. These runs are repeated to write the files."`
	KeepAll    bool     `help:"Keep report, verdict and log of all runs."`
	Require    []string `sep:"none" placeholder:"TEXT" help:"Requirement for each run of a scenario, as in gosmp run; @FILE reads one requirement per line. May be repeated."`
	Select     []string `sep:"none" placeholder:"NAME>VALUE" help:"Run only the points of a scenario whose parameter satisfies a comparison with < <= > >= = or !=; may be repeated."`
	SUT        []string `name:"sut" sep:"none" placeholder:"[ENTITY=]MODEL" help:"System under test of each run of a scenario, as in gosmp run. May be repeated."`
	On         []string `sep:"none" placeholder:"ENTITY=FMU" help:"Sensor on an entity in each run of a scenario, as in gosmp run. May be repeated."`
	Drive      []string `sep:"none" placeholder:"ENTITY=FMU" help:"Driver of an entity in each run of a scenario, as in gosmp run. May be repeated."`
	Connect    []string `sep:"none" placeholder:"A.Y=B.U" help:"Connection of models in each run of a scenario. May be repeated."`
	StartValue []string `sep:"none" placeholder:"FMU.NAME=VALUE" help:"Start value of a model in each run of a scenario. May be repeated."`
	Map        string   `predictor:"file" placeholder:"FILE" help:"Map of a scenario, or the folder that contains it, as in gosmp run."`
	Library    []string `name:"library-path" sep:"none" predictor:"file" placeholder:"DIR" help:"Folder in which to look for FMUs that are not at the path given in the experiment or system, as in gosmp run. May be repeated."`
	Fresh      bool     `help:"Start each FMU in a new process instead of one that has been prepared: slower, with the same results."`
	DryRun     bool     `help:"Print the table of runs without running them; with --json as JSON."`
	JSON       bool     `name:"json" help:"Print the summary as JSON."`

	cli.Secrets
}

// Help returns the text that follows the list of flags.
func (runSweep) Help() string {
	return `An interrupted sweep continues where it stopped, because the rows of finished runs ` +
		`are kept. Ctrl-C ends the current runs and ` +
		`writes the results of the finished ones.

Exit codes: 0 all runs passed; 1 some did not; 2 the plan or the experiment cannot be used; 4 ` +
		`the sweep was interrupted or failed.`
}

// sweepSummary is the JSON output, which is a contract.
type sweepSummary struct {
	FormatVersion int            `json:"formatVersion"`
	Plan          string         `json:"plan"`
	Cases         int            `json:"cases"`
	Finished      int            `json:"finished"`
	Reused        int            `json:"reused"`
	Outcomes      map[string]int `json:"outcomes"`
	Stopped       bool           `json:"stopped"` // because of the plan's limit of failures
	// Excluded is the number of points that the constraints of a scenario exclude.
	Excluded int `json:"excluded,omitempty"`
	Warned   int `json:"warned,omitempty"` // runs with warnings
	// Notes name FMUs that need a new process for each run, and the reasons.
	Notes []string `json:"notes,omitempty"`
	Files []string `json:"files"`
	Kept  []string `json:"kept,omitempty"` // folders with the files of single runs
}

// sweeping is a running sweep.
type sweeping struct {
	*runSweep
	access      gate.Rules // for the queue of --serve
	plan        *sweep.Plan
	cases       []sweep.Case
	experiment  string
	description *experiment.Description
	base        string
	files       *inputs.Files // the files that determine the runs
	store       *sweep.Store
	began       time.Time
	shown       time.Time // when progress was last shown
	onTerminal  bool
	progressTo  io.Writer // nil before the runs start
	reused      int
	ended       int
	failed      int
	settled     *sweep.Settled
	excluded    int // points that the constraints of a scenario exclude
	selections  run.Selections
}

// DefaultOut returns the results folder if no flag names one.
func (c *runSweep) DefaultOut() string { return resultsOf(c.Plan) }

// Run computes the runs that are not in the store yet.
func (c *runSweep) Run() error {
	if c.NATS != "" && c.Serve != "" {
		return cli.Unexpected("--serve", "the server "+c.NATS+" as well",
			"one of --serve and --nats (which GOSMP_NATS sets, too)")
	}
	if least := c.leastJobs(); c.Jobs != nil && *c.Jobs < least {
		return cli.Unexpected("--jobs", *c.Jobs,
			fmt.Sprintf(
				"a number of at least %d; 0 leaves all runs to the workers of --nats or --serve",
				least))
	}
	if err := c.check(); err != nil {
		return err
	}
	s := &sweeping{runSweep: c}
	if err := s.admit(); err != nil {
		return err
	}
	if err := s.read(); err != nil {
		return err
	}
	if c.DryRun && c.JSON {
		return cli.Flushed(cli.WriteIndentedJSON(os.Stdout, s.document()))
	}
	s.warn()
	if c.DryRun {
		return cli.Flushed(s.show(plaintext.Lines(os.Stdout)))
	}
	if err := s.open(); err != nil {
		return err
	}
	ctx, stop := cli.UntilEnded()
	defer stop()
	err := s.execute(ctx)
	if by := cli.Ended(ctx); by != nil && (errors.Is(err, errInterrupted) || errors.Is(err,
		context.Canceled)) {
		cli.Report(os.Stderr, err)
		cli.EndBy(by) // like an interrupted run
	}
	return err
}

// execute computes the runs and writes the results.
func (s *sweeping) execute(ctx context.Context) error {
	compute, end, err := s.engine(ctx)
	if err != nil { // nothing ran, so keep the results of an earlier sweep
		return cli.ExitWith(errors.Join(err, s.store.Close()), notBegun(err))
	}
	err = s.run(ctx, compute)
	end()
	if err != nil && s.ended+s.reused == 0 { // the results of an earlier sweep say more
		return cli.ExitWith(errors.Join(err, s.store.Close()), cli.ExitFailed)
	}
	summary, e := s.finish(ctx)
	if e != nil && !errors.Is(err, e) { // report the error that ended the runs only once
		err = errors.Join(err, e)
	}
	if err := errors.Join(err, s.store.Close()); err != nil {
		return cli.ExitWith(err, cli.ExitFailed)
	}
	if n := summary.Finished - summary.Outcomes[sweep.Passed] -
		summary.Outcomes[sweep.Finished]; n > 0 {
		return cli.Negative(fmt.Sprintf("%s: %s of %s runs did not pass", s.Plan,
			quantity.Grouped(n), quantity.Grouped(summary.Finished)))
	}
	return nil
}

// admit reads the access rules for the queue of --serve.
func (s *sweeping) admit() (err error) {
	if s.access, err = s.Rules(); err != nil {
		return err
	}
	if s.Serve == "" && s.access.Certificate != "" {
		return cli.Unexpected("--tls-cert, --tls-key", "no --serve", "the queue that they are for")
	}
	return nil
}

// leastJobs returns the minimum of --jobs, which is 0 if other machines may compute runs, too.
func (c *runSweep) leastJobs() int {
	if c.NATS != "" || c.Serve != "" {
		return 0
	}
	return 1
}

// Endless implements the interface of sessions: without a job of its own, a sweep waits for
// workers.
func (c *runSweep) Endless() (cause, remedy string) {
	switch none := c.Jobs != nil && *c.Jobs == 0; {
	case c.DryRun:
	case c.NATS != "" && c.Jobs == nil:
		return "sweep --nats without --jobs", "with --jobs=1 or more"
	case none && (c.NATS != "" || c.Serve != ""):
		return "sweep --jobs=0", "with --jobs=1 or more"
	}
	return "", ""
}

// read reads the plan and the experiment.
func (s *sweeping) read() error {
	if s.Plan == "-" {
		return errors.New(
			"standard input: a plan names files relative to itself, so it must be a " +
				"file; save it first")
	}
	f, err := regular.Open(s.Plan)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened read-only
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
	if err := s.checkLibrary(); err != nil {
		return err
	}
	if err := s.identify(); err != nil {
		return err
	}
	if err := s.restrict(); err != nil {
		return err
	}
	if s.cases, err = s.plan.Cases(); err != nil {
		return err
	}
	if err := s.chooseCases(); err != nil {
		return err
	}
	return s.pick()
}

// checkLibrary checks the folders of the library. It keeps their paths as the user wrote them,
// because the results contain these paths.
func (s *sweeping) checkLibrary() error {
	for _, folder := range s.Library {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return cli.Unexpected("--library-path", strconv.Quote(folder), "an existing folder")
		}
		if !s.namesFMUs() {
			return cli.Unexpected("--library-path", "the plan of "+s.experiment,
				"the plan of an experiment (.exc), of a system (.ssp), or of a scenario (.xosc) "+
					"with models (--sut, --on, --drive)")
		}
	}
	return nil
}

// namesFMUs reports whether the runs use a description that names FMUs by their paths.
func (s *sweeping) namesFMUs() bool {
	if !run.IsScenario(s.experiment) {
		return !strings.EqualFold(filepath.Ext(s.experiment), ".fmu")
	}
	return len(s.SUT)+len(s.On)+len(s.Drive) > 0 ||
		slices.ContainsFunc(s.plan.Parameters, func(p sweep.Parameter) bool {
			return slices.Contains(inputs.ModelOptions, p.Name)
		}) || slices.ContainsFunc(s.plan.Set, func(t sweep.Target) bool {
		return slices.Contains(inputs.ModelOptions, t.Name)
	})
}

// identify computes the identity of the experiment. A plan without seeds gets the seed of the
// experiment, or 1, so that runs can be repeated.
func (s *sweeping) identify() error {
	models := inputs.Models(slices.Concat(s.SUT, s.On, s.Drive), s.Library)
	if s.Map != "" {
		models = append(models, inputs.At(run.MapFile(s.experiment, s.Map)))
	}
	s.files = inputs.New(s.experiment, s.Library, models...)
	base, d, err := s.files.Identify()
	if err != nil {
		return s.plan.Refuse(err)
	}
	s.base, s.description = base, d
	if run.IsScenario(s.experiment) {
		if len(s.plan.Seeds) == 0 {
			s.plan.Seeds = []uint64{run.DefaultSeed}
		}
		return nil
	}
	if d == nil {
		if s.plan.Seeded() {
			return s.plan.RefuseSeeds(fmt.Sprintf("seeds for %s", s.experiment),
				"none: an FMU has parameters for that")
		}
		return nil
	}
	if !s.plan.Seeded() {
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
		return cli.Unexpected("--shard", fmt.Sprintf("%q", s.Shard),
			"I/N with 1 <= I <= N, such as 3/16")
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

// open tries the settings, chooses the folders, and opens the store.
func (s *sweeping) open() error {
	if err := s.try(); err != nil {
		return err
	}
	if err := s.files.Attach(s.cases); err != nil {
		return err
	}
	if s.Out == "" {
		s.Out = resultsOf(s.Plan)
	}
	if err := os.MkdirAll(s.Out, 0o777); err != nil { // fail now rather than after all runs
		return fmt.Errorf("the results cannot be written: %w; give a different folder with --out",
			err)
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
	if s.store, err = sweep.OpenStore(filepath.Join(dir, s.base[:20]), s.Rerun...); err != nil {
		return fmt.Errorf("the store cannot be used: %w; give a different folder with --store", err)
	}
	s.warnOfDamage()
	return nil
}

// warnOfDamage warns of damaged lines in the store.
func (s *sweeping) warnOfDamage() {
	damaged, more := s.store.Damaged()
	for _, line := range damaged {
		fmt.Fprintln(os.Stderr, "gosmp: warning:", plaintext.Shown(line)+
			"; the run counts as absent and is computed again")
	}
	if more > 0 {
		fmt.Fprintf(os.Stderr, "gosmp: warning: %s more\n", quantity.Of(more, "damaged line"))
	}
}

// warn prints what looks unintended in the plan, as gosmp check does.
func (s *sweeping) warn() {
	for _, f := range s.plan.Check() {
		fmt.Fprintf(os.Stderr, "gosmp: warning: %s\n", plaintext.Shown(fmt.Sprintf("%v: %s [%s]",
			f.Place, f.Message, f.ID)))
	}
}
