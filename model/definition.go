package model

import (
	"fmt"
	"slices"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/osmp"
)

// Definition is the part of an FMU that does not depend on the instance.
type Definition struct {
	// modelIdentifier, a C identifier: the name of the shared library and of the .fmu
	Identifier  string
	Name        string // display name; if empty, the identifier
	Description string
	Version     string // of the model
	// offered by importers; the zero value is 0 to 10 s in steps of 20 ms
	Experiment fmu.Experiment
	Units      []fmi.Unit // in addition to [Units]

	// OSMP is the release that the FMU declares in FMI 2.0. If empty, it is the first that defines
	// all of its binary variables. In FMI 3.0 it is always the newest.
	OSMP osmp.Version

	// New creates a model and declares its variables. It must do the same each time, and must
	// neither fail nor take long. Parameters do not have their values before Setup.
	New func(*Declaration) Model
}

// defaultExperiment suits a sensor that delivers at 50 Hz.
var defaultExperiment = fmu.Experiment{Start: 0, Stop: 10, Tolerance: 1e-6, Step: 0.02}

// FMU returns the definition for [gosmp/export.Register] and [gosmp/build.Main]: the definition for
// FMI 2.0, with its twin for FMI 3.0. Its Check reports all mistakes at once.
func (d Definition) FMU() *fmu.Definition {
	out := d.in(fmi.FMI2)
	out.Twin = func() *fmu.Definition { return d.in(fmi.FMI3) }
	return out
}

// in returns the definition for a version of FMI.
func (d Definition) in(v fmi.Version) *fmu.Definition {
	out := &fmu.Definition{
		ModelName: d.Name, ModelIdentifier: d.Identifier, Description: d.Description,
		Version: d.Version, Experiment: d.Experiment,
	}
	if out.ModelName == "" {
		out.ModelName = d.Identifier
	}
	if out.Experiment == (fmu.Experiment{}) {
		out.Experiment = defaultExperiment
	}
	if d.New == nil {
		return out // its Check reports the missing model
	}
	out.Variables = *fmu.NewVariables(v)
	declared := &Declaration{table: &out.Variables}
	sample := d.New(declared)
	declared.complete()
	_, saves := sample.(Snapshotter)
	out.WithoutState = !saves
	_, out.Eventful = sample.(Eventful)
	out.LogCategories = declared.logCategories()
	out.Units = usedUnits(&out.Variables, append(Units(), d.Units...))
	out.Annotations = declared.annotations(d.OSMP)
	declared.finish(sample)
	out.New = func(h fmu.Host) fmu.Model { return newInstance(&d, h, &out.Variables) }
	return out
}

// finish collects mistakes that can be detected only once everything has been declared.
func (d *Declaration) finish(sample Model) {
	if sample == nil {
		d.fail("New has returned no model")
	}
	for _, prefix := range d.prefixes {
		if v := d.table.Named(prefix); v != nil && v.Type != fmi.Binary {
			d.fail(
				"variable %q has the name of a binary variable's prefix, which OSMP forbids "+
					"(0.3.0, binary variables)", prefix)
		}
	}
	for _, v := range d.table.All() {
		if v.Type.IsFloat() && v.Unit == "" {
			d.fail(
				`variable %q: a Real needs a unit; model.Unit("1") makes it dimensionless`,
				v.Name)
		}
	}
}

func (d *Declaration) fail(format string, arguments ...any) {
	d.table.Fail(fmt.Errorf("%w: %w", fmu.ErrDefinition, fmt.Errorf(format, arguments...)))
}

// annotations returns the annotations that declare OSMP for a model with binary variables.
func (d *Declaration) annotations(v osmp.Version) []fmi.Annotation {
	if len(d.prefixes) == 0 && v == "" {
		return nil
	}
	if v == "" {
		v = max(osmp.Version030, d.since)
	}
	if d.table.Version >= fmi.FMI3 { // the older release has no rules for it
		v = osmp.Version160
	}
	if !v.Known() {
		d.fail("OSMP is %q, expected %s, %s or nothing", v, osmp.Version030, osmp.Version160)
	}
	return []fmi.Annotation{osmp.Mark(v)}
}

// logOSMP is the category for problems with binary variables.
var logOSMP = fmi.LogCategory{Name: "OSMP",
	Description: "binary variables: addresses, lifetimes, configuration"}

// logCategories returns the author's categories, preceded by the one that every model with binary
// variables has.
func (d *Declaration) logCategories() []fmi.LogCategory {
	if len(d.prefixes) == 0 {
		return d.categories
	}
	return append([]fmi.LogCategory{logOSMP}, d.categories...)
}

// Units returns the units that the author does not need to define.
func Units() []fmi.Unit { return slices.Clone(units[:]) }

var units = [...]fmi.Unit{
	{Name: "1"}, // a pure number
	{Name: "m", M: 1},
	{Name: "s", S: 1},
	{Name: "rad", Rad: 1},
	{Name: "deg", Rad: 1, Factor: 0.017453292519943295},
	{Name: "m/s", M: 1, S: -1},
	{Name: "m/s2", M: 1, S: -2},
	{Name: "rad/s", Rad: 1, S: -1},
	{Name: "T", KG: 1, S: -2, A: -1},
	{Name: "Pa", KG: 1, M: -1, S: -2},
	{Name: "K", K: 1},
	{Name: "kg", KG: 1},
	{Name: "A", A: 1},
	{Name: "V", KG: 1, M: 2, S: -3, A: -1},
	{Name: "N", KG: 1, M: 1, S: -2},
	{Name: "N.m", KG: 1, M: 2, S: -2},
	{Name: "J", KG: 1, M: 2, S: -2},
	{Name: "W", KG: 1, M: 2, S: -3},
	{Name: "Hz", S: -1},
	{Name: "m2", M: 2},
	{Name: "1/m", M: -1},
	{Name: "m/s3", M: 1, S: -3},
	{Name: "rad/s2", Rad: 1, S: -2},
	{Name: "deg/s", Rad: 1, S: -1, Factor: 0.017453292519943295},
	{Name: "km/h", M: 1, S: -1, Factor: 1 / 3.6},
	{Name: "ms", S: 1, Factor: 1e-3},
	{Name: "mm", M: 1, Factor: 1e-3},
	{Name: "km", M: 1, Factor: 1e3},
	{Name: "C", A: 1, S: 1},
	{Name: "F", KG: -1, M: -2, S: 4, A: 2},
	{Name: "Ohm", KG: 1, M: 2, S: -3, A: -2},
	{Name: "S", KG: -1, M: -2, S: 3, A: 2},
	{Name: "Wb", KG: 1, M: 2, S: -2, A: -1},
	{Name: "H", KG: 1, M: 2, S: -2, A: -2},
	{Name: "mol", Mol: 1},
	{Name: "cd", Cd: 1},
	{Name: "lm", Cd: 1}, // the steradian is a pure number
	{Name: "lx", Cd: 1, M: -2},
	{Name: "kg/m3", KG: 1, M: -3},
	{Name: "W/m2", KG: 1, S: -3},
}

// usedUnits returns the units that occur in the table.
func usedUnits(t *fmu.Variables, known []fmi.Unit) (used []fmi.Unit) {
	for _, u := range known {
		if slices.ContainsFunc(t.All(), func(v *fmu.Variable) bool { return v.Unit == u.Name }) {
			used = append(used, u)
		}
	}
	return used
}
