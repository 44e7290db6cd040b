package fmu

import (
	"errors"
	"fmt"

	"gosmp/fmi"
)

// Variables is the variable table of an FMU: the only place that defines names, references and
// start values. The model description lists variables in the order of Add. Existing variables must
// never be reordered, because hosts and system descriptions store their value references.
//
// A variable is identified by two kinds of numbers. Its [Index] is where an instance keeps its
// value, and is used by the model. Its value references are used by the environment, and each
// version of FMI numbers them differently, see [Variables.Referenced].
type Variables struct {
	// Version is the version of FMI for which the variables are declared; the zero value is FMI
	// 2.0.
	Version fmi.Version

	list   []*Variable
	byType perType[[]*Variable]
	cells  perType[int] // number of values of each type
	byName map[string]*Variable
	time   *Variable // the independent variable, nil without one
	errs   []error
}

// NewVariables returns a table for a version of FMI: empty for FMI 2.0; for FMI 3.0 with the
// independent variable, which that standard requires. It comes first so that its value reference
// does not depend on later variables.
func NewVariables(v fmi.Version) *Variables {
	t := &Variables{Version: v}
	if v >= fmi.FMI3 {
		t.Add(Variable{Name: "time", Type: fmi.Real, Causality: fmi.Independent,
			Variability: fmi.Continuous, Description: "simulation time", Unit: secondsUnit})
	}
	return t
}

// secondsUnit is the unit of the independent variable.
const secondsUnit = "s"

// perType holds a value for each type of variables. It is not a map because every Get and Set
// function looks up a value, and hashing would take as long as the rest of a short call.
type perType[T any] [fmi.Clock + 1]T

// of returns the value of a type. Types that do not exist share the value of type 0.
func (p *perType[T]) of(t fmi.Type) *T {
	if int(t) >= len(p) {
		t = 0
	}
	return &p[t]
}

// ErrDefinition reports a definition that cannot become a valid FMU.
var ErrDefinition = errors.New("invalid definition")

// valueTypes are the types of variables that a slave can have. Each has a Get and a Set function in
// both versions of FMI (Real is Float64 in FMI 3.0, Integer is Int32), except Binary, Clock and the
// numbers of other sizes, which FMI 2.0 does not have, and Enumeration, see storage.
var valueTypes = []fmi.Type{fmi.Real, fmi.Integer, fmi.Boolean, fmi.String, fmi.Binary,
	fmi.Float32, fmi.Int8, fmi.UInt8, fmi.Int16, fmi.UInt16, fmi.UInt32, fmi.Int64, fmi.UInt64,
	fmi.Enumeration, fmi.Clock}

// Add appends v and returns the index at which instances keep its value. Mistakes are collected and
// reported by [Definition.Check], so that a definition is a plain list of calls.
func (t *Variables) Add(v Variable) Index {
	if t.byName == nil {
		t.byName = map[string]*Variable{}
	}
	if t.time != nil && v.Name == t.time.Name {
		t.renameTime()
	}
	if t.byName[v.Name] != nil {
		t.errs = append(t.errs, fmt.Errorf("%w: two variables are named %q", ErrDefinition, v.Name))
	}
	v.stored = storage(t.Version, v.Type)
	same := t.byType.of(v.stored)
	cells := t.cells.of(v.stored)
	v.Position, v.Index = len(t.list), Index(*cells)
	*cells += v.Elements()
	t.resolve(&v)
	t.list = append(t.list, &v)
	*same = append(*same, &v)
	t.byName[v.Name] = &v
	if v.Causality == fmi.Independent {
		t.time = &v
	}
	return v.Index
}

// storage returns the type whose Get and Set functions access a variable: an enumeration is an
// Integer in FMI 2.0 and an Int64 in FMI 3.0.
func storage(v fmi.Version, t fmi.Type) fmi.Type {
	switch {
	case t != fmi.Enumeration:
		return t
	case v >= fmi.FMI3:
		return fmi.Int64
	}
	return fmi.Integer
}

// resolve finds the variables that v names, which must be declared before it.
func (t *Variables) resolve(v *Variable) {
	if v.SizedBy != "" {
		if v.size = t.byName[v.SizedBy]; v.size == nil {
			t.Fail(fmt.Errorf("%w: variable %q: its size %q is not declared before it",
				ErrDefinition, v.Name, v.SizedBy))
		}
	}
	for _, name := range v.Clocks {
		c := t.byName[name]
		if c == nil || c.Type != fmi.Clock {
			t.Fail(fmt.Errorf("%w: variable %q: %q is not a clock that is declared before it",
				ErrDefinition, v.Name, name))
			continue
		}
		v.clocks = append(v.clocks, c)
	}
}

// renameTime renames the independent variable so that a variable of the model can have its name.
func (t *Variables) renameTime() {
	delete(t.byName, t.time.Name)
	t.time.Name = "simulation." + t.time.Name
	t.byName[t.time.Name] = t.time
}

// Cells returns the number of values of one type; each element of an array counts.
func (t *Variables) Cells(of fmi.Type) int { return *t.cells.of(of) }

// All lists the variables in declaration order. Callers must not change the result.
func (t *Variables) All() []*Variable { return t.list }

// Named returns the variable with this name, or nil.
func (t *Variables) Named(name string) *Variable { return t.byName[name] }

// OfType lists the variables of one type by their Index; Integer or Int64 includes enumerations.
func (t *Variables) OfType(b fmi.Type) []*Variable { return *t.byType.of(b) }

// Referenced lists the variables that a Get or Set function of a type can access, by their value
// references. In FMI 2.0 each type counts from 0; in FMI 3.0 all variables share one numbering.
func (t *Variables) Referenced(v fmi.Version, of fmi.Type) []*Variable {
	if v >= fmi.FMI3 {
		return t.list
	}
	return *t.byType.of(of)
}

// Fail adds a mistake that was found while building the table.
func (t *Variables) Fail(err error) { t.errs = append(t.errs, err) }
