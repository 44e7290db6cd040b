package sweeps

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/internal/regular"
	"gosmp/run"
	"gosmp/sweep"
)

// Work implements gosmp work, which computes runs from a queue, or for the sweep that started it.
type Work struct {
	Experiment string        `arg:"" optional:"" hidden:"" type:"existingfile" help:"Experiment (.exc), FMU or system (.ssp) to run, with the cases read from standard input."`
	Processors int           `hidden:"" help:"Processors for the Go code of runs without FMUs."`
	Jobs       int           `short:"j" placeholder:"N" help:"Number of runs at the same time. By default one per processor."`
	Idle       time.Duration `placeholder:"TIME" help:"Exit after this time without a run, such as 10m. By default, wait indefinitely."`
	Cache      string        `predictor:"file" placeholder:"DIR" help:"Folder for the files of experiments. By default gosmp/experiments in the user's cache folder."`
	Library    []string      `hidden:"" name:"library-path" sep:"none" type:"existingdir" help:"Folder in which to look for FMUs that are not at the path given in the experiment or system."`
	Fresh      bool          `help:"Start each FMU in a new process instead of one that has been prepared."`
	queueFlags `embed:""`
}

// Help returns the text that follows the list of flags.
func (Work) Help() string {
	return `The workers take the runs of sweeps that were started with gosmp sweep --nats or ` +
		`--serve, by the same version of gosmp. They receive the files of each experiment from ` +
		`the queue. A machine that cannot prepare runs, because its disk is full or a library ` +
		`is missing, leaves them to other machines, tries again after a while, and exits with ` +
		`code 4 if it still fails. Ctrl-C ends the workers after their current runs; a second ` +
		`Ctrl-C ends them immediately, and the queue passes their runs to other workers.

Anyone who can write to the NATS server can run programs on this machine.

Exit codes: 0 ended; 2 wrong usage; 4 the server cannot be used, or this machine cannot ` +
		`prepare runs.`
}

// Run computes runs until its input ends, or works for a queue.
func (c *Work) Run() error {
	switch {
	case c.Experiment != "":
		return c.serve()
	case c.NATS == "":
		return cli.Unexpected("--nats", "no server",
			"the URL of the NATS server that has the queue, such as nats://127.0.0.1:4222")
	}
	if err := c.check(); err != nil {
		return err
	}
	jobs := c.Jobs
	if jobs < 1 {
		jobs = runtime.NumCPU()
	}
	say := sayer("work")
	crew, err := newCrew(c.server(), jobs, c.Cache, c.Fresh, say)
	if err != nil {
		return err
	}
	crew.Idle = c.Idle
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	drain := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		<-signals
		say("ending after the current runs; a second signal ends immediately")
		close(drain)
		<-signals
		cancel()
	}()
	n, err := crew.Run(ctx, drain)
	if err != nil {
		return cli.ExitWith(err, cli.ExitFailed)
	}
	_, err = fmt.Printf("%s computed\n", quantity.Of(n, "run"))
	return cli.Flushed(err)
}

// serve reads runs as lines of JSON from standard input, and answers each with a row as JSON on
// standard output, until the input ends.
func (c *Work) serve() error {
	// Terminals and batch systems send signals to the whole group, but only the sweep may act on
	// them: if a worker or one of its FMUs ended first, an interrupted run would get a row. The
	// processes of FMUs inherit this.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	useAll := shareProcessors(c.Processors)
	in := pollable(os.Stdin)
	dir, err := filepath.Abs(filepath.Dir(c.Experiment))
	if err != nil {
		return err
	}
	reserve := &importer.Reserve{Fresh: c.Fresh}
	defer func() { _ = reserve.Close() }() // the rows report failed FMUs
	answer := func(row run.Row) sweep.Row {
		if row.Outcome == run.Lost { // the sweep repeats the run in another process
			_ = reserve.Close()
			fmt.Fprintln(os.Stderr, plaintext.Clean(strings.ReplaceAll(row.Cause, "\n", "; ")))
			if row.Unfit {
				os.Exit(sweep.ExitUnfit)
			}
			os.Exit(cli.ExitFailed)
		}
		return anywhere(rowOf(row), dir)
	}
	o := run.CaseOptions{File: c.Experiment, Reserve: reserve, Loading: useAll, Log: os.Stderr,
		Library: c.Library}
	if run.IsPlain(c.Experiment) {
		useAll()
	} else if o.Document, err = regular.ReadFile(c.Experiment); err != nil {
		return err
	}
	return sweep.Serve(in, os.Stdout, func(x sweep.Case) sweep.Row {
		o.Set, o.Seed = settingsOf(x), x.Seed
		row := answer(run.Case(context.Background(), o))
		for _, n := range reserve.Notes() {
			n.FMU = withoutFolder(n.FMU, dir)
			if row.Notes == nil {
				row.Notes = map[string]string{}
			}
			row.Notes[n.FMU] = n.String()
		}
		return row
	})
}

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
