package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/experiment/trial"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/internal/plaintext"
	"gosmp/run/kind"
)

// CaseOptions describes one run of a plan: an FMU, a system, a scenario or an experiment, and its
// settings.
type CaseOptions struct {
	File     string
	Document []byte // of an experiment; if nil, it is read from File
	// Set holds the settings of the run: parameters of an experiment, start values of an FMU or a
	// system, or parameters of a scenario. Except for experiments, it may also contain options,
	// named as on the command line, such as --stop-time or --require.
	Set     []trial.Setting
	Seed    uint64            // of an experiment; if 0, the seed in the description
	Reserve *importer.Reserve // shared by successive runs; may be nil
	Library []string          // see [Options].Library; not for an FMU
	Loading func()            // called before an FMU of an experiment is loaded; may be nil
	// Log receives the output of an experiment's FMUs, or the log of an FMU or a system. It may be
	// nil.
	Log io.Writer
}

// The outcomes of a case.
const (
	Passed   = trial.Passed
	Finished = trial.Finished // reached its end; nothing judges a run of FMUs
	Timeout  = trial.Timeout
	Faulty   = trial.Faulty
	Lost     = "lost" // because of this computer; another one may succeed
)

// Row is the result of a case.
type Row struct {
	Outcome   string // of the verdict, or one of the outcomes above
	Cause     string // reason why it did not pass
	Seed      uint64
	Time      float64 // the time reached, in s
	Steps     int64
	TraceHash string
	// Metrics holds the numbers that the machines of an experiment returned at their end, as
	// MACHINE.NAME, or the last values of the outputs of FMUs, as output.NAME.
	Metrics map[string]float64
	// Warnings states which variables were not numbers.
	Warnings []string
	// Unfit means that this computer currently cannot run this case, and probably no other case
	// either: for instance, its disk is full, a file cannot be read or written, or a library is
	// missing. The outcome is Lost.
	Unfit bool
}

// IsPlain reports, by the name of the file, whether it is an FMU or a system, whose cases have
// start values and options.
func IsPlain(file string) bool {
	return slices.Contains([]string{".fmu", ".ssp"}, strings.ToLower(filepath.Ext(file)))
}

// IsScenario reports, by the name of the file, whether it is a scenario, whose cases have
// parameters and options.
func IsScenario(file string) bool { return strings.EqualFold(filepath.Ext(file), ".xosc") }

// Case computes one run of a plan. The row states what went wrong, if anything.
func Case(ctx context.Context, c CaseOptions) Row {
	switch {
	case IsPlain(c.File):
		return c.plain(ctx)
	case IsScenario(c.File):
		return c.scenario(ctx)
	}
	return c.trial(ctx)
}

// TryCase prepares a run of a plan without starting it, to report settings that the file does not
// accept.
func TryCase(c CaseOptions) error {
	if IsPlain(c.File) {
		o, err := c.options()
		if err != nil {
			return err
		}
		return New(o).try()
	}
	if IsScenario(c.File) {
		return c.tryScenario()
	}
	fmus, t, err := c.open()
	if err != nil {
		return errors.Join(err, fmus.Close())
	}
	return errors.Join(t.Check(), fmus.Close())
}

// options returns the options for a run of an FMU, a system or a scenario.
func (c CaseOptions) options() (Options, error) {
	o := Defaults(c.File)
	o.Reserve, o.Library = c.Reserve, c.Library
	for _, x := range c.Set {
		if !strings.HasPrefix(x.Name, "--") && IsScenario(c.File) {
			o.Set = append(o.Set, x)
		} else if !strings.HasPrefix(x.Name, "--") {
			o.StartValues = append(o.StartValues, Assignment{x.Name, x.Value})
		} else if err := o.set(x.Name, x.Value); err != nil {
			return o, err
		}
	}
	if IsScenario(c.File) {
		c.place(o.SUT)
		c.place(o.On)
		c.place(o.Drive)
	}
	return o, o.Check()
}

// place resolves the paths of models, which are relative to the folder of the scenario in settings.
func (c CaseOptions) place(list []Assignment) {
	for k := range list {
		name, file := system.Named(list[k].Value)
		if IsProgram(list[k].Value) || filepath.IsAbs(file) {
			continue
		}
		list[k].Value = filepath.Join(filepath.Dir(c.File), filepath.FromSlash(file))
		if name != "" {
			list[k].Value = name + "=" + list[k].Value
		}
	}
}

// plain runs an FMU or a system once.
func (c CaseOptions) plain(ctx context.Context) Row {
	row := Row{Outcome: Faulty, Seed: c.Seed}
	o, err := c.options()
	if err != nil {
		row.Cause = err.Error()
		return row
	}
	if c.Log != nil {
		log := NewTextLog(c.Log)
		defer log.Close()
		o.Log = log
	}
	last := &lastValues{}
	o.Observe = last.watch
	r := New(o)
	err = r.Run(ctx)
	s := r.Summary(err)
	err = errors.Join(err, r.Close())
	if lost, is := c.lostBy(err, s.Steps == 0); is {
		return lost
	}
	row.Time, row.Steps, row.TraceHash, row.Cause = s.Reached, s.Steps, s.TraceHash, s.Cause
	row.Outcome = OutcomeOf(ExitCode(err))
	if err == nil {
		row.Metrics = last.metrics()
	} else if row.Cause == "" {
		row.Outcome, row.Cause = Faulty, err.Error()
	}
	return row
}

// OutcomeOf returns the outcome for an exit code of a run of FMUs.
func OutcomeOf(code int) string {
	switch code {
	case Done:
		return Finished
	case TimedOut:
		return Timeout
	}
	return Faulty
}

// open prepares a run of an experiment without a log.
func (c CaseOptions) open() (fmus *FMUs, t *trial.Trial, err error) {
	fmus = &FMUs{Dir: filepath.Dir(c.File), Library: c.Library, Reserve: c.Reserve,
		Loading: c.Loading, Print: c.print}
	e := &Experiment{options: &Options{Set: c.Set, RNGSeed: c.Seed}, fmus: fmus}
	text := c.Document
	if text == nil {
		if text, err = kind.ReadText(c.File); err != nil {
			return fmus, nil, err
		}
	}
	t, err = trial.Open(c.File, text, e.trialOptions())
	return fmus, t, err
}

// print logs a line that an FMU of an experiment printed.
func (c CaseOptions) print(instance, line string) {
	if c.Log != nil {
		fmt.Fprintln(c.Log, plaintext.Clean(instance+": "+line))
	}
}

// trial runs an experiment once.
func (c CaseOptions) trial(ctx context.Context) Row {
	row := Row{Outcome: Faulty, Seed: c.Seed}
	fmus, t, err := c.open()
	defer func() { _ = fmus.Close() }() // the row reports failed FMUs
	if lost, is := c.lostBy(err, true); is {
		return lost
	}
	if err != nil {
		row.Cause = err.Error()
		return row
	}
	v, err := t.Run(ctx)
	if lost, is := c.lostBy(err, v.Steps == 0); is {
		return lost
	}
	row.Outcome, row.Cause, row.Seed = v.Outcome, v.Cause, v.Seed
	row.Time, row.Steps, row.TraceHash = v.Time, v.Steps, v.TraceHash
	if err != nil {
		row.Outcome, row.Cause = Faulty, err.Error()
	}
	for _, j := range v.Judgments {
		row.measure(j)
	}
	for _, u := range v.Undefined {
		row.Warnings = append(row.Warnings, u.String())
	}
	return row
}

// measure adds the numbers that a machine returned at its end.
func (row *Row) measure(j trial.Judgment) {
	var members map[string]any
	if len(j.Data) == 0 || json.NewDecoder(bytes.NewReader(j.Data)).Decode(&members) != nil {
		return
	}
	for name, value := range members {
		if x, ok := value.(float64); ok {
			if row.Metrics == nil {
				row.Metrics = map[string]float64{}
			}
			row.Metrics[j.Machine+"."+name] = x
		}
	}
}
