package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
	"gosmp/run"
	"gosmp/scenario/play"
)

// runScenario runs a scenario and returns an error with the exit code of its verdict. The log goes
// to standard output with the result, unless JSON or a file needs standard output for itself.
func (c *Command) runScenario(o run.Options) error {
	to := c.console()
	log := newJournal(to, &o)
	if !c.JSON {
		o.Journal = log
	}
	console := NewConsole(os.Stderr)
	o.Log = console
	examined := Examine(c.models())
	s, err := run.OpenScenario(o)
	examined.Warn(context.Background(), console.Warn)
	if err != nil {
		console.Close()
		return refused(err)
	}
	i := NewInterrupts()
	i.Watch(s.Kill)
	r, err := s.Run(i.Context)
	i.Stop()
	console.Close()
	wrong := errors.Join(outputError(err), log.End())
	if wrong == nil {
		wrong = c.writeScenario(r, to)
	}
	if wrong == nil && r.Outcome == play.Interrupted {
		EndInterrupted(fmt.Errorf("%s: %w", r.Title(), context.Cause(i.Context)))
	}
	switch {
	case wrong != nil:
		return cli.Flushed(wrong)
	case err != nil:
		return cli.ExitWith(err, run.ExitCode(err))
	case r.ExitCode != run.Done:
		return cli.ExitWith(fmt.Errorf("%s: %s: %s", r.Title(), r.Outcome, r.Cause), r.ExitCode)
	}
	return nil
}

// console returns standard output, or standard error if a file is written to standard output.
func (c *Command) console() *os.File {
	if slices.Contains([]string{c.Trajectories, c.Report, c.JUnit}, cli.StandardOutput) {
		return os.Stderr
	}
	return os.Stdout
}

func (c *Command) writeScenario(r *play.Result, to io.Writer) error {
	if !c.JSON {
		return r.Print(plaintext.Lines(to))
	}
	return cli.WriteIndentedJSON(to, r)
}

// refused prints every impossible request of a scenario on a line of its own. The last of these
// lines becomes the error of the command.
func refused(err error) error {
	joined, is := err.(interface{ Unwrap() []error })
	if _, one := err.(*play.Error); !is || one { //nolint:errorlint // which unwraps, too
		return err
	}
	all := joined.Unwrap()
	for _, e := range all[:len(all)-1] {
		cli.Report(os.Stderr, e)
	}
	return all[len(all)-1]
}
