package fmu

import (
	"errors"
	"fmt"

	"gosmp/fmi"
)

// Variables is the variable table of an FMU: the only place that defines names, references and
// start values. The order of Add is the order in the model description. Existing variables must
// never be reordered, because hosts and system descriptions store their value references.
//
// A variable is identified by two kinds of numbers. Its [Index] is where an instance keeps its
// value, and is used by the model. Its value references are used by the environment, and each
// version of FMI numbers them differently, see [Variables.Referenced].
type Variables struct {
	list   []*Variable
	byType perType[[]*Variable]
	byName map[string]*Variable
	errs   []error
}

// perType holds a value for each type of variables. Every Get and Set looks one up; the hash of a
// map would cost as much as the rest of a short call.
type perType[T any] [fmi.Clock + 1]T

// of returns the value of a type. Types that do not exist share that of the zero value.
func (p *perType[T]) of(t fmi.Type) *T {
	if int(t) >= len(p) {
		t = 0
	}
	return &p[t]
}

// ErrDefinition reports a definition that cannot become a valid FMU.
var ErrDefinition = errors.New("invalid definition")

// valueTypes are the types that a slave's variables can have. Each has a Get and a Set function in
// both versions of FMI (Real is Float64 in FMI 3.0, Integer is Int32), except Binary, which FMI 2.0
// does not have.
var valueTypes = []fmi.Type{fmi.Real, fmi.Integer, fmi.Boolean, fmi.String, fmi.Binary}

// Add appends v and returns the index at which instances keep its value. Mistakes are collected and
// reported by [Definition.Check], so that a definition reads as a plain list.
func (t *Variables) Add(v Variable) Index {
	if t.byName == nil {
		t.byName = map[string]*Variable{}
	}
	if t.byName[v.Name] != nil {
		t.errs = append(t.errs, fmt.Errorf("%w: two variables are named %q", ErrDefinition, v.Name))
	}
	same := t.byType.of(v.Type)
	v.Position, v.Index = len(t.list), Index(len(*same))
	t.list = append(t.list, &v)
	*same = append(*same, &v)
	t.byName[v.Name] = &v
	return v.Index
}

// All lists the variables in the order of their declaration. The result must not be changed.
func (t *Variables) All() []*Variable { return t.list }

// Named returns the variable with that name, or nil.
func (t *Variables) Named(name string) *Variable { return t.byName[name] }

// OfType lists the variables of one type by their Index.
func (t *Variables) OfType(b fmi.Type) []*Variable { return *t.byType.of(b) }

// Referenced lists the variables that a Get or Set function of a type can access, by their value
// references. In FMI 2.0 each type counts from 0; in FMI 3.0 all variables share one numbering.
func (t *Variables) Referenced(v fmi.Version, of fmi.Type) []*Variable {
	if v >= fmi.FMI3 {
		return t.list
	}
	return *t.byType.of(of)
}

// Fail adds a mistake that was found while the table was built.
func (t *Variables) Fail(err error) { t.errs = append(t.errs, err) }
