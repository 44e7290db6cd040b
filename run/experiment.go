package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"gosmp/experiment/trial"
	"gosmp/internal/regular"
	"gosmp/report/trialpage"
	"gosmp/run/kind"
	"gosmp/timebase"
)

// Experiment is an experiment with run options: a trial, the processes of its FMUs, and the files
// that it writes. The caller must close it.
type Experiment struct {
	*trial.Trial
	options *Options
	fmus    *FMUs
	results *experimentResults
	bridge  io.Closer // nil without
	viewed  *viewed   // nil without
}

// OpenExperiment prepares the run of an experiment.
func OpenExperiment(o Options) (e *Experiment, err error) {
	if err := o.checkFiles(); err != nil {
		return nil, err
	}
	name := o.Files[0]
	document, err := kind.ReadText(name)
	if err != nil {
		return nil, err
	}
	log := &logger{to: o.Log}
	printed := func(instance, line string) { log.printed(instance + ": " + line) }
	e = &Experiment{
		options: &o,
		fmus: &FMUs{
			Dir:       filepath.Dir(name),
			Variant:   o.Variant,
			Library:   o.Library,
			Timeout:   o.Timeout,
			LoggingOn: o.LoggingOn,
			Print:     printed,
			Reserve:   o.Reserve,
		},
	}
	opened := e
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.Close())
		}
	}()
	settings := e.trialOptions()
	settings.Behind = func(d timebase.Delay) { log.warn(d.String()) }
	settings.Named, settings.Words = name, o.repeating("Set")
	if o.Bridge != "" {
		if e.bridge, err = joinBridge(o.Bridge, o.Access, &settings, log); err != nil {
			e.bridge = nil
			return nil, err
		}
	}
	e.results = o.recordExperiment(&settings, log)
	if o.View {
		e.viewExperiment(&settings, log)
	}
	e.Trial, err = trial.Open(name, document, settings)
	return e, err
}

func (e *Experiment) trialOptions() trial.Options {
	o := e.options
	settings := trial.Options{
		Files: library(e.fmus.Library).files(e.fmus.Dir), Seed: o.RNGSeed, Set: o.Set,
		Speed: o.speed(), Commands: o.Commands, Held: o.Held, FMU: e.fmus.Open,
		System: e.fmus.System, Scenario: e.fmus.Scenario, Simulator: o.Simulator,
		Film: o.Report != "", Examine: true,
		Save: func(file string, state []byte) error {
			if err := o.fileUse().Free("save", file); err != nil {
				return err
			}
			return writeFile(file, func(w io.Writer) error { _, err := w.Write(state); return err })
		},
	}
	if o.Journal != nil {
		settings.Log = func(line string) { fmt.Fprintln(o.Journal, line) }
	}
	return settings
}

// Run runs the experiment to its verdict, from a saved state if the options name one, and writes
// the report and the verdict to the files named by the options.
func (e *Experiment) Run(ctx context.Context) (*trial.Verdict, error) {
	if file := e.options.Resume; file != "" {
		saved, err := regular.ReadOnce(file)
		if err == nil {
			err = e.Resume(ctx, saved)
		}
		if err != nil {
			return nil, err
		}
	}
	defer e.viewed.follow(ctx)()
	v, err := e.Trial.Run(ctx)
	e.viewed.closeWith(v, err)
	if wrong := errors.Join(e.results.close(), e.write(v)); wrong != nil {
		return v, &OutputError{wrong}
	}
	return v, err
}

// write writes the report and the verdict.
func (e *Experiment) write(v *trial.Verdict) error {
	var all []error
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{e.options.Report, func(w io.Writer) error { return trialpage.Write(w, e.Course()) }},
		{e.options.JUnit, v.WriteJUnit},
	} {
		if f.name != "" {
			all = append(all, writeFile(f.name, f.write))
		}
	}
	return errors.Join(all...)
}

// Close ends the FMUs and closes all files.
func (e *Experiment) Close() error {
	var all []error
	if e.results != nil {
		all = append(all, e.results.close())
	}
	e.viewed.close(nil)
	if e.bridge != nil {
		_ = e.bridge.Close() // already closed at the end of the engine, if there was one
	}
	_ = e.fmus.Close() // failed FMUs were already reported
	return errors.Join(all...)
}

// OutputError is an error of a file that a run writes at its end.
type OutputError struct{ error }

// Unwrap returns the cause.
func (e *OutputError) Unwrap() error { return e.error }

// runExperiment implements [Run] for an experiment.
func runExperiment(ctx context.Context, o Options) (*Result, error) {
	e, err := OpenExperiment(o)
	if err != nil {
		return &Result{}, err
	}
	v, err := e.Run(ctx)
	result := &Result{Verdict: v, Passed: err == nil && trial.Good(v.Outcome)}
	if wrong := e.Close(); err == nil {
		err = wrong
	}
	return result, err
}
