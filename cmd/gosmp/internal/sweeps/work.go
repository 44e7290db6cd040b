package sweeps

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/run/campaign"
	"gosmp/sweep"
	"gosmp/sweep/queue"
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
	program, err := os.Executable()
	if err != nil {
		return cli.ExitWith(err, cli.ExitFailed)
	}
	if err := queue.CheckURL(c.NATS); err != nil {
		return cli.ExitWith(fmt.Errorf("--nats: %w", err), cli.ExitInput)
	}
	say := sayer("work")
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
	n, err := campaign.Work(ctx, drain, campaign.WorkOptions{Server: c.server(), Program: program,
		Jobs: c.Jobs, Idle: c.Idle, Cache: c.Cache, Fresh: c.Fresh, Log: say})
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
	err := campaign.Serve(os.Stdin, os.Stdout, campaign.WorkerOptions{File: c.Experiment,
		Library: c.Library, Fresh: c.Fresh, Processors: c.Processors, Log: os.Stderr})
	unfit, lost := (*sweep.UnfitError)(nil), (*campaign.LostError)(nil)
	switch {
	case errors.As(err, &unfit):
		endLost(unfit.Reason, sweep.ExitUnfit)
	case errors.As(err, &lost):
		endLost(lost.Cause, cli.ExitFailed)
	}
	return err
}

// endLost ends the process of a worker, whose sweep repeats the run in another process.
func endLost(cause string, code int) {
	fmt.Fprintln(os.Stderr, plaintext.Clean(strings.ReplaceAll(cause, "\n", "; ")))
	os.Exit(code)
}
