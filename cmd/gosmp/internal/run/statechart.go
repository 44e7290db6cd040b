package run

import (
	"context"
	"errors"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment/trial"
	"gosmp/run"
)

// errFailure ends the run of a statechart with a negative verdict.
var errFailure = cli.Negative("the statechart ended in its final state \"failure\"")

// runChart runs a statechart. With --json the summary goes to standard output, and the log to
// standard error.
func (c *Command) runChart(o run.Options) error {
	to := os.Stdout
	if c.JSON {
		to = os.Stderr
	}
	log := newJournal(to, &o)
	o.Log, o.Journal, o.Stdin = NewConsole(os.Stderr), log, os.Stdin
	ctx := context.Background()
	if o.View || o.Events == "" && o.Document == nil { // events come from the user
		ended, stop := cli.UntilEnded()
		defer stop()
		ctx = ended
	}
	result, err := run.Run(ctx, o)
	_ = log.End() // its error ended the chart
	if result.Chart == nil {
		return err
	}
	if wrong := outputError(err); wrong != nil {
		err = errors.Join(err, cli.Flushed(wrong))
	}
	if c.JSON {
		if wrong := cli.WriteIndentedJSON(os.Stdout, result.Chart); wrong != nil {
			err = errors.Join(err, cli.Flushed(wrong))
		}
	}
	if by := cli.Ended(ctx); by != nil && errors.Is(err, context.Canceled) {
		cli.Report(os.Stderr, err) // of a step or a script that did not end by itself
		cli.EndBy(by)
	}
	if err != nil {
		return err
	}
	if by := cli.Ended(ctx); by != nil && result.Chart.Cause != "" {
		o.Log.Printed("gosmp: " + result.Chart.Line())
		cli.EndBy(by)
	}
	return judgedChart(result, o.Log)
}

// judgedChart reports the outcome of a statechart that was played, unless it is a final state and
// there were neither unhandled errors nor errors in the chart.
func judgedChart(result *run.Result, log run.Log) error {
	s := result.Chart
	if len(s.Errors)+s.MoreErrors > 1 { // otherwise, the cause has all of them
		for _, line := range trial.ErrorNotes(s.Errors, s.MoreErrors) {
			log.Printed("gosmp: " + line)
		}
	}
	if s.Fault != "" && s.Outcome != trial.Undecided { // otherwise, it is the cause
		log.Printed("gosmp: warning: " + s.Fault)
	}
	switch {
	case result.Passed && s.Cause != "":
		log.Printed("gosmp: " + s.Line())
	case !result.Passed && s.Cause != "":
		return cli.Negative(s.Line())
	case !result.Passed:
		return errFailure
	}
	return nil
}
