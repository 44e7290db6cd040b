package model

import (
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
)

// Scalar is a Go type that a plain variable can have: Real, Integer, Boolean and String of FMI 2.0.
type Scalar interface {
	float64 | int32 | bool | string
}

// Option refines the declaration of a plain variable.
type Option func(*Declaration, *fmu.Variable)

// Parameter declares a parameter that is fixed when the run begins. From Setup on, *at holds its
// value; before, it holds the start value.
func Parameter[T Scalar](d *Declaration, at *T, name string, start T, description string,
	options ...Option) {
	declare(d, at, fmu.Variable{
		Name: name, Causality: fmi.Parameter, Variability: fmi.Fixed, Initial: fmi.Exact,
		Start: start, Description: description,
	}, options)
	*at = start
}

// PlainInput declares an input whose newest value *at holds in each Step.
func PlainInput[T Scalar](d *Declaration, at *T, name string, start T, description string,
	options ...Option) {
	declare(d, at, fmu.Variable{
		Name: name, Causality: fmi.Input, Variability: fmi.Discrete, Start: start, Description: description,
	}, options)
	*at = start
}

// PlainOutput declares an output that is set to *at at the end of each Step. Before the first one
// it is zero, unless it is [Calculated].
func PlainOutput[T Scalar](d *Declaration, at *T, name, description string, options ...Option) {
	var zero T
	declare(d, at, fmu.Variable{
		Name: name, Causality: fmi.Output, Variability: fmi.Discrete, Initial: fmi.Exact,
		Start: zero, Description: description,
	}, options)
	*at = zero
}

// Unit sets the unit of a Real: one of [Units] or of the definition; "1" means a pure number.
func Unit(name string) Option {
	return func(_ *Declaration, v *fmu.Variable) { v.Unit = name }
}

// Min sets the least value of a Real or an Integer.
func Min(least float64) Option { return func(_ *Declaration, v *fmu.Variable) { v.Min = &least } }

// Max sets the greatest value of a Real or an Integer.
func Max(greatest float64) Option {
	return func(_ *Declaration, v *fmu.Variable) { v.Max = &greatest }
}

// Between combines [Min] and [Max].
func Between(least, greatest float64) Option {
	return func(_ *Declaration, v *fmu.Variable) { v.Min, v.Max = &least, &greatest }
}

// OneOf sets the permitted values of a String.
func OneOf(values ...string) Option {
	return func(_ *Declaration, v *fmu.Variable) { v.OneOf = values }
}

// Tunable lets a parameter change between steps: each Step gets the newest value.
func Tunable() Option {
	return func(_ *Declaration, v *fmu.Variable) { v.Variability = fmi.Tunable }
}

// Continuous declares that a Real input or output also changes between communication points.
func Continuous() Option {
	return func(_ *Declaration, v *fmu.Variable) { v.Variability = fmi.Continuous }
}

// Calculated declares that an output has a value before the first step, computed by Setup. The
// names are the variables on which it depends; without names it may depend on all of them.
func Calculated(from ...string) Option {
	return func(_ *Declaration, v *fmu.Variable) {
		v.Initial, v.Start, v.DependsOn = fmi.Calculated, nil, from
	}
}

// field binds a variable to a field of the model.
type field[T Scalar] struct {
	index fmu.Index
	at    *T
}

// fields are variables of all types.
type fields struct {
	reals    []field[float64]
	integers []field[int32]
	booleans []field[bool]
	strings  []field[string]
}

// declare adds v to the table and to its group of fields; at points to the field, which is a
// [Scalar].
func declare(d *Declaration, at any, v fmu.Variable, options []Option) {
	group := d.group(&v, options)
	switch at := at.(type) {
	case *float64:
		v.Type = fmi.Real
		group.reals = append(group.reals, field[float64]{d.table.Add(v), at})
	case *int32:
		v.Type = fmi.Integer
		group.integers = append(group.integers, field[int32]{d.table.Add(v), at})
	case *bool:
		v.Type = fmi.Boolean
		group.booleans = append(group.booleans, field[bool]{d.table.Add(v), at})
	case *string:
		v.Type = fmi.String
		group.strings = append(group.strings, field[string]{d.table.Add(v), at})
	}
}

// group applies the options and finds the group of a variable.
func (d *Declaration) group(v *fmu.Variable, options []Option) *fields {
	for _, o := range options {
		o(d, v)
	}
	switch {
	case v.Initial == fmi.Calculated:
		return &d.calculated
	case v.Causality == fmi.Output:
		return &d.outputsExact
	case v.Causality == fmi.Input || v.Variability == fmi.Tunable:
		return &d.changing
	default:
		return &d.fixed
	}
}

// load copies from the instance's values to the model.
func (f *fields) load(v *fmu.Values) {
	load(f.reals, v.Reals)
	load(f.integers, v.Integers)
	load(f.booleans, v.Booleans)
	load(f.strings, v.Strings)
}

// store copies from the model to the instance's values.
func (f *fields) store(v *fmu.Values) {
	store(f.reals, v.Reals)
	store(f.integers, v.Integers)
	store(f.booleans, v.Booleans)
	store(f.strings, v.Strings)
}

func load[T Scalar](fields []field[T], from []T) {
	for _, f := range fields {
		*f.at = from[f.index]
	}
}

func store[T Scalar](fields []field[T], to []T) {
	for _, f := range fields {
		to[f.index] = *f.at
	}
}

// given returns the name of a variable whose field is not zero, or "".
func (f *fields) given(t *fmu.Variables) string {
	for _, name := range []string{
		nonzero(f.reals, t.OfType(fmi.Real)), nonzero(f.integers, t.OfType(fmi.Integer)),
		nonzero(f.booleans, t.OfType(fmi.Boolean)), nonzero(f.strings, t.OfType(fmi.String)),
	} {
		if name != "" {
			return name
		}
	}
	return ""
}

func nonzero[T Scalar](fields []field[T], named []*fmu.Variable) string {
	var zero T
	if k := slices.IndexFunc(fields, func(f field[T]) bool { return *f.at != zero }); k >= 0 {
		return named[fields[k].index].Name
	}
	return ""
}

// append appends the values, for comparison or for saving.
func (f *fields) append(b []byte, v *fmu.Values) []byte {
	for _, r := range f.reals {
		b = state.AppendUint64(b, math.Float64bits(v.Reals[r.index]))
	}
	for _, r := range f.integers {
		b = state.AppendUint64(b, uint64(v.Integers[r.index]))
	}
	for _, r := range f.booleans {
		b = append(b, state.Flag(v.Booleans[r.index]))
	}
	for _, r := range f.strings {
		b = state.AppendString(b, v.Strings[r.index])
	}
	return b
}
