package run

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// options are those of each part.
func (r *Simulation) options() (map[*system.Part]*importer.Options, error) {
	c := r.Command
	all := map[*system.Part]*importer.Options{}
	var names []string
	for _, p := range r.System.Parts {
		if p.FMU == nil {
			continue
		}
		all[p] = &importer.Options{SetAllStart: c.AllStart, Visible: c.Visible, LoggingOn: c.LoggingOn, Categories: c.LogCategory,
			Tolerance: c.Tolerance, NoStopTime: c.NoStop, EventMode: c.EventMode, EarlyReturn: c.EarlyReturn, Derivatives: c.Derivatives,
			Timeout: c.Timeout, Preload: c.Preload, Log: r.message, Warn: r.console.warn, Configuration: map[string][]byte{}}
		names = append(names, p.Name)
	}
	isolated, err := parseIsolation(c.Isolate, names)
	if err != nil {
		return nil, err
	}
	for p, o := range all {
		o.Shared = isolated.shared(p.Name)
	}
	if err := r.assign("--start-value", c.StartValue, func(p *system.Part, v importer.StartValue) {
		all[p].Start = append(all[p].Start, v)
	}); err != nil {
		return nil, err
	}
	if err := r.assign("--clock-interval", c.Interval, func(p *system.Part, v importer.StartValue) {
		all[p].Intervals = append(all[p].Intervals, importer.ClockInterval{Clock: v.Name, Interval: v.Value})
	}); err != nil {
		return nil, err
	}
	for _, text := range c.ViewConfig {
		p, v, file, err := r.Named("--sensor-view-config", text)
		if err != nil {
			return nil, err
		}
		if p.FMU == nil {
			return nil, cli.Unexpected("--sensor-view-config", text, "a variable of an FMU")
		}
		if all[p].Configuration[v.Name], err = r.readFile(file); err != nil {
			return nil, cli.Invalid("--sensor-view-config", err)
		}
		answered := p.Name + "." + v.Name // by the user, and not by the producer
		r.System.Connections = slices.DeleteFunc(r.System.Connections, func(x cosim.Connection) bool { return x.To == answered })
	}
	if c.FromState != "" && r.plainState() {
		state, err := r.readFile(c.FromState)
		if err != nil {
			return nil, cli.Invalid("--initial-fmu-state-file", err)
		}
		all[r.System.Parts[0]].InitialState = state
	}
	return all, nil
}

// assign passes on what a flag says of variables of FMUs.
func (r *Simulation) assign(flag string, texts []string, set func(*system.Part, importer.StartValue)) error {
	for _, text := range texts {
		p, v, err := r.startValue(flag, text)
		if err != nil {
			return err
		}
		if p.FMU == nil {
			return cli.Unexpected(flag, text, "a variable of an FMU; --connect and --input-file set inputs of "+p.Name)
		}
		set(p, v)
	}
	return nil
}

// startValue splits FMU.NAME=VALUE. Whether there is such a variable is checked with the
// others of the FMU.
func (r *Simulation) startValue(flag, text string) (*system.Part, importer.StartValue, error) {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return nil, importer.StartValue{}, cli.Unexpected(flag, fmt.Sprintf("%q", text), "NAME=VALUE")
	}
	if r.One() {
		return r.System.Parts[0], importer.StartValue{Name: name, Value: value}, nil
	}
	p, v, err := r.find(flag, name)
	return p, importer.StartValue{Name: v.Name, Value: value}, err
}

// settle decides start, stop and steps: what is given, else what the system or the FMUs propose.
func (r *Simulation) settle() error {
	c, s := r.Command, r.System
	base, err := r.stepSizes()
	if err != nil {
		return err
	}
	var notes []string
	choose := func(flag string, given *float64, proposed system.Value, other float64, why string) float64 {
		if given != nil {
			return *given
		}
		if proposed.Origin != "" {
			other, why = proposed.Number, proposed.Origin
		}
		notes = append(notes, fmt.Sprintf("%s %v (%s)", flag, other, why))
		return other
	}
	start := choose("start", c.StartTime, s.Start, 0, "by default")
	stop := choose("stop", c.StopTime, s.Stop, start+1, "a second after the start")
	step := choose("step", base, r.proposedStep(), (stop-start)/500, "a 500th of the time")
	if r.Spec.Start, err = timebase.FromSeconds(start); err != nil {
		return cli.Invalid("--start-time", err)
	}
	if r.Spec.Stop, err = timebase.FromSeconds(stop); err != nil {
		return cli.Invalid("--stop-time", err)
	}
	r.Spec.Step, r.Spec.Speed, r.Spec.Rollback = cosim.Every(step), c.RealTime, c.Rollback
	if c.Algorithm == cosim.Parallel.String() {
		r.Spec.Algorithm = cosim.Parallel
	}
	switch {
	case r.Spec.Stop <= r.Spec.Start:
		return cli.Unexpected("--stop-time", fmt.Sprintf("%v", stop), fmt.Sprintf("a time after the start at %v s", start))
	case r.Spec.Step.IsZero():
		return cli.Unexpected("--step-size", fmt.Sprintf("%v", step), "from 1e-9 to 1e9 s")
	case c.RealTime < 0:
		return cli.Unexpected("--real-time", fmt.Sprintf("%v", c.RealTime), "a positive speed")
	}
	for _, p := range s.Parts {
		own := cmp.Or(p.Step.Number, step)
		if p.Step.Origin != "" {
			notes = append(notes, fmt.Sprintf("step of %s %v (%s)", p.Name, p.Step.Number, p.Step.Origin))
		}
		if p.FMU == nil {
			continue
		}
		if internal := p.FMU.InternalStep(); internal > 0 && !isMultiple(own, internal) {
			r.console.warn(fmt.Sprintf("the step %v s is not a multiple of the internal step %v s of %s", own, internal, p.Name))
		}
	}
	r.proposed = strings.Join(notes, ", ")
	return nil
}

// proposedStep is the base step that is proposed, or the smallest own step if that is smaller.
func (r *Simulation) proposedStep() system.Value {
	step := r.System.Step
	for _, p := range r.System.Parts {
		if p.Step.Origin != "" && (step.Origin == "" || p.Step.Number < step.Number) {
			step = system.Value{Number: p.Step.Number, Origin: "that of " + p.Name}
		}
	}
	return step
}

// stepSizes reads --step-size: S for all, FMU=S for one, whose step it becomes.
func (r *Simulation) stepSizes() (base *float64, err error) {
	const flag = "--step-size"
	for _, text := range r.Command.StepSize {
		name, number, one := CutLast(text, "=")
		step, err := strconv.ParseFloat(number, 64)
		switch {
		case err != nil || cosim.Every(step).IsZero():
			return nil, cli.Unexpected(flag, number, "from 1e-9 to 1e9 s")
		case !one && base != nil:
			return nil, cli.Unexpected(flag, text+" as a second value", "one for all FMUs and one for each name")
		case !one:
			base = &step
		default:
			p := r.System.Part(name)
			if p == nil {
				return nil, cli.Unexpected(flag, fmt.Sprintf("%q", name), "the name of an FMU: "+r.partNames(name))
			}
			p.Step = system.Value{Number: step, Origin: "by " + flag}
		}
	}
	return base, nil
}

// partNames returns the names similar to a name, or all names if there are none.
func (r *Simulation) partNames(name string) string {
	var names []string
	for _, p := range r.System.Parts {
		names = append(names, p.Name)
	}
	return usage.NearOr(name, names, strings.Join(names, ", "))
}

// isMultiple reports whether a is a multiple of b, apart from rounding.
func isMultiple(a, b float64) bool {
	n := a / b
	whole := float64(int64(n + 0.5))
	return whole >= 1 && n-whole < 1e-9*whole && whole-n < 1e-9*whole
}
