// Package sweeps implements gosmp sweep and gosmp work, which compute many runs with varied
// parameters, directly or by workers.
package sweeps

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	runcmd "gosmp/cmd/gosmp/internal/run"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/run/campaign"
	"gosmp/sweep/queue"
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

// DefaultOut returns the results folder if no flag names one.
func (c *runSweep) DefaultOut() string { return campaign.ResultsFolder(c.Plan) }

// Run computes the runs that are not in the store yet.
func (c *runSweep) Run() error {
	s, err := c.open()
	if err != nil {
		return err
	}
	if c.DryRun && c.JSON {
		return cli.Flushed(cli.WriteIndentedJSON(os.Stdout, document(s)))
	}
	warn(s)
	if c.DryRun {
		return cli.Flushed(show(plaintext.Lines(os.Stdout), s))
	}
	examined := runcmd.Examine(slices.Concat([]string{s.Experiment()}, c.SUT, c.On, c.Drive))
	if err := s.Prepare(); err != nil {
		return err
	}
	ctx, stop := cli.UntilEnded()
	defer stop()
	examined.Warn(ctx, sayWarning)
	err = c.execute(ctx, s)
	if by := cli.Ended(ctx); by != nil && (errors.Is(err, campaign.ErrInterrupted) || errors.Is(err,
		context.Canceled)) {
		cli.Report(os.Stderr, err)
		cli.EndBy(by) // like an interrupted run
	}
	return err
}

// open reads the plan, with the options that the flags specify.
func (c *runSweep) open() (*campaign.Sweep, error) {
	access, err := c.Rules()
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, cli.ExitWith(err, cli.ExitFailed)
	}
	p := &progress{out: os.Stderr, terminal: cli.AnimationWidth(os.Stderr) > 0}
	return campaign.Open(campaign.Options{File: c.Plan, Out: c.Out, Store: c.Store,
		Program: program, Jobs: c.Jobs, Shard: c.Shard, Rerun: c.Rerun, Until: c.Until,
		JUnit: c.JUnit, Keep: c.Keep, KeepAll: c.KeepAll, Library: c.Library, Fresh: c.Fresh,
		Require: c.Require, Select: c.Select, SUT: c.SUT, On: c.On, Drive: c.Drive,
		Connect: c.Connect, StartValue: c.StartValue, Map: c.Map, Server: c.server(),
		Serve: c.Serve, Access: access, Log: sayer("sweep"), Warn: sayWarning,
		Progress:  func(now campaign.Progress) { p.show(now, time.Now()) },
		WriteFile: cli.WriteFile})
}

// execute computes the runs and prints the results.
func (c *runSweep) execute(ctx context.Context, s *campaign.Sweep) error {
	results, err := s.Run(ctx)
	switch {
	case results != nil:
		err = errors.Join(err, cli.Flushed(c.print(plaintext.Lines(os.Stdout), s, results)))
	case errors.Is(err, queue.ErrAccess):
		return cli.ExitWith(err, cli.ExitInput)
	}
	if err != nil {
		return cli.ExitWith(err, cli.ExitFailed)
	}
	if results.Finished == 0 { // as in the JUnit file
		return cli.Negative(c.Plan + ": no run, so nothing was judged; use fewer shards")
	}
	if n := results.NotPassed(); n > 0 {
		return cli.Negative(fmt.Sprintf("%s: %s of %s runs did not pass", c.Plan,
			quantity.Grouped(n), quantity.Grouped(results.Finished)))
	}
	return nil
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

// warn prints the findings about the plan and its experiment, as gosmp check does.
func warn(s *campaign.Sweep) {
	for _, f := range s.Findings() {
		sayWarning(fmt.Sprintf("%v: %s [%s]", f.Place, f.Message, f.ID))
	}
}

func sayWarning(text string) {
	fmt.Fprintf(os.Stderr, "gosmp: warning: %s\n", plaintext.Shown(text))
}
