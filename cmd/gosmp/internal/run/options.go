package run

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/cosim"
	"gosmp/experiment/trial"
	"gosmp/internal/fault"
	"gosmp/run"
	"gosmp/run/kind"
)

// options are the options of the run that the flags state.
func (c *Command) options() (o run.Options, err error) {
	o = run.Options{
		Files: c.Files, Extrapolate: c.Extrapolate,
		Parallel: c.Algorithm == cosim.Parallel.String(), Variant: c.Variant,
		Library:   c.Library,
		StartTime: c.StartTime.Value(), StopTime: c.StopTime.Value(), RealTime: c.RealTime,
		Tolerance:      c.Tolerance,
		NoStopTime:     c.NoStop,
		AllStartValues: c.AllStart, InputFile: c.InputFile,
		OutputFile: c.OutputFile, OutputFormat: c.OutputFormat,
		OutputVariables: c.OutputVariable, OutputInterval: c.OutputInterval.Value(),
		ArrayColumns: c.ArrayColumns, Record: c.Record, RecordOnly: c.RecordOnly,
		Bridge: c.Bridge, Plot: c.Plot, Graph: c.Graph,
		Timeout: c.Timeout, Core: c.Core, WorkDir: c.WorkDir, Preload: c.Preload,
		Visible:   c.Visible,
		LoggingOn: c.LoggingOn, LogCategories: c.LogCategory, LogCalls: c.LogCalls,
		InputDerivatives: c.Derivatives, EventMode: c.EventMode, EarlyReturn: c.EarlyReturn,
		Rollback:     c.Rollback,
		InitialState: c.FromState, FinalState: c.ToState,
		Actors: c.Actors, TrafficSpeed: c.Speed, LaneChanges: c.Changes, Range: c.Range,
		Seed: c.Seed, StartFrom: c.StartOf, Simulator: c.Simulator,
		Events: c.Events, Timeline: c.Timeline,
		Point: c.Point, Duration: c.Duration.Value(), Require: c.Require,
		Map: c.Roads, Dismissed: c.Dismissed,
		Trajectories:       c.Trajectories,
		DisableControllers: c.NoControllers, Halve: c.Halve,
		RNGSeed: c.RNGSeed, Report: c.Report, JUnit: c.JUnit, Resume: c.Resume, Held: c.Control,
	}
	if c.Bridge == "" && c.Token == os.Getenv("GOSMP_TOKEN") {
		c.Token = "" // the environment has it for other commands, such as gosmp simulate
	}
	if o.Access, err = c.Rules(); err != nil {
		return o, err
	}
	if err := c.readStandardInput(&o); err != nil {
		return o, err
	}
	if err := c.assignments(&o); err != nil {
		return o, err
	}
	if err := c.parts(&o); err != nil {
		return o, err
	}
	if o.Memory, err = parseSize(c.Memory); err != nil {
		return o, cli.Invalid("--memory", err)
	}
	for _, text := range c.Set {
		s, err := trial.ParseSetting(text)
		if err != nil {
			return o, err
		}
		o.Set = append(o.Set, s)
	}
	return o, nil
}

// readStandardInput reads a statechart that is piped in.
func (c *Command) readStandardInput(o *run.Options) error {
	if c.Files[0] != cli.StandardOutput {
		return nil
	}
	in, err := inputfile.Open(c.Files[0])
	if err != nil || in.Kind() != kind.Statechart {
		return err
	}
	o.Files, o.Document = []string{in.Name}, in.Bytes
	return nil
}

// assignments reads the flags of the form NAME=VALUE.
func (c *Command) assignments(o *run.Options) error {
	for _, text := range c.Connect {
		from, to, found := strings.Cut(text, "=")
		if !found {
			return fault.New(cosim.ErrConnection, fault.At(text), "no =",
				"OUTPUT=INPUT, such as a.y=b.u")
		}
		o.Connections = append(o.Connections, run.Connection{From: from, To: to})
	}
	for _, f := range []struct {
		flag, form string
		texts      []string
		list       *[]run.Assignment
	}{
		{"--start-value", "NAME=VALUE", c.StartValue, &o.StartValues},
		{"--clock-interval", "NAME=VALUE", c.Interval, &o.ClockIntervals},
		{"--input-messages", "NAME=FILE", c.MessageFile, &o.InputMessages},
		{"--sensor-view-config", "NAME=FILE", c.ViewConfig, &o.ViewConfigs},
		{"--output-messages", "NAME=FILE", c.OutputMessages, &o.OutputMessages},
		{"--drive", "ACTOR=FMU", c.Drive, &o.Drive},
		{"--on", "ACTOR=FMU", c.On, &o.On},
	} {
		var err error
		if *f.list, err = Assignments(f.flag, f.form, f.texts); err != nil {
			return err
		}
	}
	for _, text := range c.SUT {
		o.SUT = append(o.SUT, run.Placed(text))
	}
	return nil
}

// Assignments reads the values of a flag of the form NAME=VALUE.
func Assignments(flag, form string, texts []string) (list []run.Assignment, err error) {
	for _, text := range texts {
		name, value, found := strings.Cut(text, "=")
		if !found {
			return nil, cli.Unexpected(flag, fmt.Sprintf("%q", text), form)
		}
		list = append(list, run.Assignment{Variable: name, Value: value})
	}
	return list, nil
}

// parts reads the flags of the form VALUE for all FMUs and NAME=VALUE for one.
func (c *Command) parts(o *run.Options) error {
	o.StepSizes = map[string]float64{}
	for _, text := range c.StepSize {
		name, number, one := CutLast(text, "=")
		step, err := run.ParseStep(number)
		switch {
		case err != nil:
			return cli.Invalid("--step-size", err)
		case !one && o.StepSize != nil:
			return cli.Unexpected(
				"--step-size",
				text+" as a second value",
				"one for all FMUs and one for each name",
			)
		case !one:
			o.StepSize = &step
		default:
			o.StepSizes[name] = step
		}
	}
	return c.isolation(o)
}

// isolation reads --isolate: "process" or "shared" for all, "NAME=process" or "NAME=shared" for
// one.
func (c *Command) isolation(o *run.Options) error {
	const flag = "--isolate"
	o.Isolation = map[string]bool{}
	whole := false
	for _, text := range c.Isolate {
		name, how, one := CutLast(text, "=")
		if how != "process" && how != "shared" {
			return cli.Unexpected(flag, fmt.Sprintf("%q", how), "process or shared")
		}
		_, again := o.Isolation[name]
		switch {
		case one && again, !one && whole:
			return cli.Unexpected(
				flag,
				text+" as a second value",
				"one for all FMUs and one for each name",
			)
		case one:
			o.Isolation[name] = how == "shared"
		default:
			o.Shared, whole = how == "shared", true
		}
	}
	return nil
}

// CutLast cuts at the last separator; without one everything is after.
func CutLast(text, separator string) (before, after string, found bool) {
	if k := strings.LastIndex(text, separator); k >= 0 {
		return text[:k], text[k+len(separator):], true
	}
	return "", text, false
}

// parseSize reads a number of bytes with an optional unit, 1024 based.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	number, factor := strings.TrimSuffix(strings.ToUpper(text), "B"), int64(1)
	for k, unit := range []string{"K", "M", "G", "T"} {
		if rest, found := strings.CutSuffix(strings.TrimSuffix(number, "I"), unit); found {
			number, factor = rest, 1<<(10*(k+1))
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("found %q, expected a number of bytes such as 512M", text)
	}
	return n * factor, nil
}
