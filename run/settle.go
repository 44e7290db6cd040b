package run

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/importer/system"
	"gosmp/run/usage"
	"gosmp/timebase"
)

// importerOptions returns the options of the importer for each FMU.
func (r *Simulation) importerOptions() (map[*system.Part]*importer.Options, error) {
	c := &r.Options
	all := map[*system.Part]*importer.Options{}
	var names []string
	for _, p := range r.System.Parts {
		if p.FMU == nil {
			continue
		}
		all[p] = r.partOptions()
		names = append(names, p.Name)
	}
	if err := c.checkIsolation(names); err != nil {
		return nil, err
	}
	has := func(p *system.Part) bool { return p.FMU != nil && p.FMU.HasEventMode() }
	some := slices.ContainsFunc(r.System.Parts, has) // otherwise importer refuses Event Mode
	for p, o := range all {
		o.Shared = c.shared(p.Name)
		o.EventMode = c.EventMode && (has(p) || !some)
	}
	if err := r.assign("--start-value", c.StartValues, func(p *system.Part, v importer.StartValue) {
		all[p].Start = append(all[p].Start, v)
	}); err != nil {
		return nil, err
	}
	if err := r.startMessages(all); err != nil {
		return nil, err
	}
	if err := r.assign("--clock-interval", c.ClockIntervals, func(p *system.Part,
		v importer.StartValue) {
		all[p].Intervals = append(all[p].Intervals,
			importer.ClockInterval{Clock: v.Name, Interval: v.Value})
	}); err != nil {
		return nil, err
	}
	for _, a := range c.ViewConfigs {
		p, v, file, err := r.named("--sensor-view-config", a)
		if err != nil {
			return nil, err
		}
		if p.FMU == nil {
			return nil, usage.Unexpected("--sensor-view-config", a.text(), "a variable of an FMU")
		}
		if all[p].Configuration[v.Name], err = r.readFile(file); err != nil {
			return nil, usage.Invalid("--sensor-view-config", err)
		}
		answered := p.Name + "." + v.Name // by the user rather than the producer
		r.System.Connections = slices.DeleteFunc(
			r.System.Connections,
			func(x cosim.Connection) bool { return x.To == answered },
		)
	}
	if c.InitialState != "" && r.plainState() {
		state, err := r.readFile(c.InitialState)
		if err != nil {
			return nil, usage.Invalid("--initial-fmu-state-file", err)
		}
		all[r.System.Parts[0]].InitialState = state
	}
	return all, nil
}

// partOptions returns the common options of all FMUs.
func (r *Simulation) partOptions() *importer.Options {
	c := &r.Options
	return &importer.Options{
		SetAllStart:   c.AllStartValues,
		Visible:       c.Visible,
		LoggingOn:     c.LoggingOn,
		Categories:    c.LogCategories,
		Tolerance:     c.Tolerance,
		NoStopTime:    c.NoStopTime,
		EarlyReturn:   c.EarlyReturn,
		Derivatives:   c.InputDerivatives,
		Intermediate:  c.Intermediate,
		Timeout:       c.Timeout,
		Preload:       c.Preload,
		Log:           r.message,
		Warn:          r.log.warn,
		Configuration: map[string][]byte{},
	}
}

// assign passes the assignments of an option on to the FMUs with these variables.
func (r *Simulation) assign(
	option string,
	list []Assignment,
	set func(*system.Part, importer.StartValue),
) error {
	for _, a := range list {
		var p *system.Part
		v := importer.StartValue{Name: a.Variable, Value: a.Value}
		found, x, err := r.find(option, a.Variable)
		switch {
		case err == nil:
			p, v.Name = found, x.Name
		case r.One(): // its variables are checked together with the others
			p = r.System.Parts[0]
		default:
			return err
		}
		if p.FMU == nil {
			return usage.Unexpected(
				option,
				a.text(),
				"a variable of an FMU; --connect and --input-file set inputs of "+p.Name,
			)
		}
		set(p, v)
	}
	return nil
}

// settle determines start, stop and steps from the options, or else from the proposals of the
// system or the FMUs.
func (r *Simulation) settle() error {
	c, s := &r.Options, r.System
	if err := r.stepSizes(); err != nil {
		return err
	}
	var err error
	var notes []string
	choose := func(
		flag string, given *float64, proposed system.Value, above, other float64, why string,
		fits func(float64) bool,
	) float64 {
		if given != nil {
			return *given
		}
		switch usable := proposed.Number > above && fits(proposed.Number); {
		case proposed.Origin != "" && usable:
			other, why = proposed.Number, proposed.Origin
		case proposed.Origin != "":
			r.log.warn(fmt.Sprintf("the %s %v (%s) is not usable, so it is %v (%s)", flag,
				proposed.Number, proposed.Origin, other, why))
		}
		notes = append(notes, fmt.Sprintf("%s %v (%s)", flag, other, why))
		return other
	}
	start := choose("start", c.StartTime, s.Start, math.Inf(-1), 0, "by default", timebase.InRange)
	stop := choose("stop", c.StopTime, s.Stop, start, start+1, "a second after the start",
		timebase.InRange)
	step := choose("step", c.StepSize, r.proposedStep(), 0, (stop-start)/500,
		"a 500th of the time", func(v float64) bool { return !cosim.Every(v).IsZero() })
	if r.Spec.From, err = timebase.RationalOf(start); err != nil {
		return usage.Invalid("--start-time", err)
	}
	if r.Spec.Until, err = timebase.RationalOf(stop); err != nil {
		return usage.Invalid("--stop-time", err)
	}
	r.Spec.Start, r.Spec.Stop = r.Spec.From.Time(), r.Spec.Until.Time()
	r.Spec.Step, r.Spec.Speed, r.Spec.Rollback = cosim.Every(step), c.speed(), c.Rollback
	r.Spec.Behind = func(d timebase.Delay) { r.log.warn(d.String()) }
	if c.Parallel {
		r.Spec.Algorithm = cosim.Parallel
	}
	switch {
	case r.Spec.Stop <= r.Spec.Start:
		return usage.Unexpected(
			"--stop-time",
			fmt.Sprintf("%v", stop),
			fmt.Sprintf("a time after the start at %v s", start),
		)
	case r.Spec.Step.IsZero():
		return usage.Unexpected("--step-size", fmt.Sprintf("%v", step), "from 1e-9 to 1e9 s")
	case !(c.RealTime >= 0):
		return usage.Unexpected("--real-time", fmt.Sprintf("%v", c.RealTime), "a positive speed")
	}
	notes = append(append(notes, r.ownSteps(step)...), r.tolerances()...)
	r.Proposed = strings.Join(notes, ", ")
	return nil
}

// ownSteps describes the steps of individual parts, and warns of steps that do not suit their FMUs.
func (r *Simulation) ownSteps(base float64) (notes []string) {
	for _, p := range r.System.Parts {
		own := cmp.Or(p.Step.Number, base)
		if p.Step.Origin != "" {
			notes = append(
				notes,
				fmt.Sprintf("step of %s %v (%s)", p.Name, p.Step.Number, p.Step.Origin),
			)
			if run := (r.Spec.Stop - r.Spec.Start).Seconds(); own > run {
				r.log.warn(fmt.Sprintf("the step %v s of %s is longer than the run of %v s", own,
					p.Name, run))
			}
		}
		if p.FMU == nil {
			continue
		}
		if internal := p.FMU.InternalStep(); internal > 0 && !isMultiple(own, internal) {
			r.log.warn(
				fmt.Sprintf(
					"the step %v s is not a multiple of the internal step %v s of %s",
					own,
					internal,
					p.Name,
				),
			)
		}
	}
	return notes
}

// tolerances describes the tolerances that FMUs propose, unless an option sets one.
func (r *Simulation) tolerances() (notes []string) {
	if r.Options.Tolerance != nil {
		return nil
	}
	for _, p := range r.System.Parts {
		if p.FMU == nil || p.FMU.Tolerance() == nil {
			continue
		}
		name, origin := "tolerance", "the FMU's"
		if !r.One() {
			name, origin = "tolerance of "+p.Name, p.Name+"'s"
		}
		notes = append(notes, fmt.Sprintf("%s %v (%s)", name, *p.FMU.Tolerance(), origin))
	}
	return notes
}

// proposedStep returns the proposed base step, or the smallest step of a part if that is smaller.
func (r *Simulation) proposedStep() system.Value {
	step := r.System.Step
	for _, p := range r.System.Parts {
		if p.Step.Origin != "" && (step.Origin == "" || p.Step.Number < step.Number) {
			step = system.Value{Number: p.Step.Number, Origin: "that of " + p.Name}
		}
	}
	return step
}

// stepSizes checks the given step sizes, for all parts or for individual ones, and passes the
// latter on to their parts.
func (r *Simulation) stepSizes() error {
	const option = "--step-size"
	wrong := func(step float64) error {
		if !cosim.Every(step).IsZero() {
			return nil
		}
		return usage.Unexpected(option, step, "from 1e-9 to 1e9 s")
	}
	if base := r.Options.StepSize; base != nil {
		if err := wrong(*base); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Options.StepSizes)) {
		step := r.Options.StepSizes[name]
		if err := wrong(step); err != nil {
			return err
		}
		p := r.System.Part(name)
		if p == nil {
			return usage.Unexpected(
				option,
				fmt.Sprintf("%q", name),
				"the name of an FMU: "+r.partNames(name),
			)
		}
		p.Step = system.Value{Number: step, Origin: "by " + option}
	}
	return nil
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
