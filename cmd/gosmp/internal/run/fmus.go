package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/run"
)

// session is a run of FMUs and maps, with its output.
type session struct {
	*run.Simulation
	command *Command
	log     io.Writer
	console *Console
	exit    error
}

// runFMUs runs FMUs and maps.
func (c *Command) runFMUs(o run.Options) error {
	if c.Graph == cli.StandardOutput && (c.JSON || c.OutputFile == cli.StandardOutput) {
		return cli.Unexpected(
			"--graph",
			"standard output, to which other output is written",
			"the name of a file",
		)
	}
	r := &session{command: c, log: os.Stderr}
	file := &logFile{name: c.LogFile}
	if c.LogFile != "" {
		r.log = file
	}
	r.console = NewConsole(r.log)
	o.Log, o.Observe = r.console, r.observe
	examined := Examine(append(slices.Clone(c.Files), c.models()...))
	r.Simulation = run.New(o)
	err := r.Prepare()
	examined.Warn(context.Background(), r.console.Warn)
	if err == nil {
		err = r.simulate()
	}
	r.finish(err)
	if c.LogFile != "" {
		if wrong := file.close(r.Result != nil); r.exit == nil {
			r.exit = wrong
		}
	}
	return r.exit
}

// simulate runs the engine. The first signal ends it gracefully, a second one at once.
func (r *session) simulate() error {
	i := NewInterrupts()
	i.Watch(r.Kill)
	defer i.Stop()
	return r.Run(i.Context)
}

// finish prints the outcome and determines the exit code.
func (r *session) finish(err error) {
	closed := r.Close()
	r.console.Close()
	code := run.ExitCode(err)
	s := r.Summary(err)
	if e := cmp.Or(closed, r.print(s)); err == nil && e != nil {
		err, code = e, cli.ExitFailed
	}
	var stopped *interrupted
	if errors.As(err, &stopped) {
		fmt.Fprintf(
			os.Stderr,
			"gosmp: %v at %v s%s\n",
			err,
			r.Result.Reached.Seconds(),
			r.kept(err),
		)
		cli.EndBy(stopped.signal)
	}
	if err != nil {
		r.exit = cli.ExitWith(fmt.Errorf("%w%s", err, r.kept(err)), code)
	}
}

// kept describes the results that exist despite an error.
func (r *session) kept(err error) string {
	var file *fs.PathError
	if errors.As(err, &file) && errors.Is(err, syscall.ENOSPC) {
		return fmt.Sprintf(" (%s is incomplete; free some space, or write elsewhere)", file.Path)
	}
	if r.Recorder == nil || r.Recorder.Rows == 0 || r.command.OutputFile == "" ||
		r.command.OutputFile == cli.StandardOutput {
		return ""
	}
	return fmt.Sprintf(
		" (results up to %v s are in %s)",
		r.Result.Reached.Seconds(),
		r.command.OutputFile,
	)
}
