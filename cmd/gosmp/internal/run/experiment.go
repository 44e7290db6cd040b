package run

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment/trial"
	"gosmp/internal/plaintext"
	"gosmp/run"
)

// runExperiment runs an experiment and returns an error with the exit code of its verdict.
func (c *Command) runExperiment(o run.Options) error {
	to := c.console()
	if c.JSON {
		to = os.Stderr
	}
	log := newJournal(to, &o)
	o.Log, o.Journal, o.Commands = NewConsole(os.Stderr), log, c.commands()
	examined := Examine(append(slices.Clone(c.Files), c.models()...))
	e, err := run.OpenExperiment(o)
	if err != nil {
		return err
	}
	defer func() { _ = e.Close() }() // already reported, unless there was another error
	early := len(e.Warnings())
	warn(e.Warnings(), mostParts)
	interrupts := NewInterrupts()
	interrupts.Watch(func() {}) // FMUs end together with the run
	v, err := e.Run(interrupts.Context)
	examined.Warn(interrupts.Context, func(line string) { warn([]string{line}, 1) })
	interrupts.Stop()
	if v == nil {
		return err
	}
	// about names that only the participants of the run know, and about values
	warn(v.Warnings[early:], len(v.Warnings))
	if e := errors.Join(outputError(err), log.End(), c.writeVerdict(v)); e != nil {
		return cli.Flushed(e)
	}
	if v.Outcome == trial.Interrupted {
		_ = e.Close() // its files have been written
		cli.Report(os.Stderr, errors.New(v.Summary()))
		var by *interrupted
		if errors.As(err, &by) {
			cli.EndBy(by.signal)
		}
	}
	return judged(v, err)
}

// mostParts bounds the lines about parts of an experiment that a run does not execute.
const mostParts = 8

// warn prints warnings, at most a number of them.
func warn(warnings []string, most int) {
	for k, line := range warnings {
		if k == most {
			fmt.Fprintf(os.Stderr, "gosmp: warning: %d more, which gosmp check lists\n",
				len(warnings)-most)
			break
		}
		fmt.Fprintln(os.Stderr, "gosmp: warning:", plaintext.Shown(line))
	}
}

// outputError returns the error of an output file of the run, or nil for any other error.
func outputError(err error) error {
	if wrong := (*run.OutputError)(nil); errors.As(err, &wrong) {
		return wrong
	}
	return nil
}

// commands reads commands from standard input with --control, or from a terminal in real time.
func (c *Command) commands() <-chan trial.Command {
	if info, err := os.Stdin.Stat(); !c.Control &&
		(err != nil || info.Mode()&os.ModeCharDevice == 0 || c.RealTime == 0) {
		return nil
	}
	list := make(chan trial.Command)
	go func() {
		defer close(list)
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			command, err := trial.ParseCommand(lines.Text())
			if err != nil {
				fmt.Fprintln(plaintext.Lines(os.Stderr), err)
				continue
			}
			list <- command
		}
	}()
	return list
}

// judged returns the error with which the command ends for a verdict.
func judged(v *trial.Verdict, err error) error {
	switch {
	case err != nil && v.State == trial.Failed:
		return cli.ExitWith(err, run.ExitCode(err)) // the participants may be unusable
	case err != nil:
		return cli.ExitWith(err, cli.ExitFailed)
	case !trial.Good(v.Outcome):
		return cli.ExitWith(errors.New(v.Summary()), v.ExitCode())
	}
	return nil
}

func (c *Command) writeVerdict(v *trial.Verdict) error {
	to := c.console()
	if c.JSON {
		return v.WriteJSON(plaintext.Writer(to))
	}
	plaintext.Printf(to, "%s: %s at %v s (ended by %s), seed %d\n", v.Experiment, v.Outcome, v.Time,
		v.EndedBy, v.Seed)
	if v.Lag != nil {
		plaintext.Printf(to, "  %s\n", v.Lag)
	}
	for _, line := range v.Notes() {
		plaintext.Printf(to, "  %s\n", line)
	}
	return nil
}
