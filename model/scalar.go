package model

import (
	"fmt"
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
)

// Scalar is a Go type that a plain variable can have: Real, Integer, Boolean and String of FMI 2.0,
// or a number of another size. A model with one of those packs for FMI 3.0 alone.
type Scalar interface {
	float64 | int32 | bool | string | Sized
}

// Sized are the types of numbers that FMI 2.0 does not have.
type Sized interface {
	float32 | int8 | uint8 | int16 | uint16 | uint32 | int64 | uint64
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

// ParameterArray declares parameters as one array of the length of at, which from Setup on holds
// the values. In FMI 2.0 they are single variables with the indices [1], [2] and so on after the
// name.
func ParameterArray[T Scalar](d *Declaration, at []T, name string, start T, description string,
	options ...Option) {
	array(d, at, name, func(element *T, name string) {
		Parameter(d, element, name, start, description, options...)
	})
}

// InputArray declares inputs as [ParameterArray] does parameters.
func InputArray[T Scalar](d *Declaration, at []T, name string, start T, description string,
	options ...Option) {
	array(d, at, name, func(element *T, name string) {
		PlainInput(d, element, name, start, description, options...)
	})
}

// OutputArray declares outputs as [ParameterArray] does parameters.
func OutputArray[T Scalar](d *Declaration, at []T, name, description string, options ...Option) {
	array(d, at, name, func(element *T, name string) {
		PlainOutput(d, element, name, description, options...)
	})
}

// array declares each element of at, of which FMI 3.0 has all in one variable.
func array[T Scalar](d *Declaration, at []T, name string, declare func(element *T, name string)) {
	if len(at) == 0 {
		d.fail("array %q has no elements", name)
		return
	}
	if d.table.Version < fmi.FMI3 {
		for k := range at {
			declare(&at[k], fmt.Sprintf("%s[%d]", name, k+1))
		}
		return
	}
	d.array = arrayOf{length: len(at)}
	for k := range at {
		declare(&at[k], name)
	}
	d.array = arrayOf{}
}

// arrayOf is an array that is being declared, element by element; the first adds the variable.
type arrayOf struct {
	length, done int
	first        fmu.Index
}

// add adds a variable, or the next element of an array, and returns where its value is.
func (d *Declaration) add(v fmu.Variable) fmu.Index {
	a := &d.array
	switch {
	case a.length == 0:
		return d.table.Add(v)
	case a.done == 0:
		v.Dimensions = []int{a.length}
		a.first = d.table.Add(v)
	}
	a.done++
	return a.first + fmu.Index(a.done-1)
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
	name  string
}

// sized is a field of one of the other numbers.
type sized interface {
	load(v *fmu.Values)
	store(v *fmu.Values)
	append(b []byte, v *fmu.Values) []byte
	given() string
}

// number implements sized. column finds the values of its type.
type number[T Sized] struct {
	field[T]
	column func(v *fmu.Values) []T
}

func (n *number[T]) load(v *fmu.Values)  { *n.at = n.column(v)[n.index] }
func (n *number[T]) store(v *fmu.Values) { n.column(v)[n.index] = *n.at }

func (n *number[T]) append(b []byte, v *fmu.Values) []byte {
	x := n.column(v)[n.index]
	if f, is := any(x).(float32); is {
		return state.AppendUint64(b, uint64(math.Float32bits(f)))
	}
	return state.AppendUint64(b, uint64(x))
}

func (n *number[T]) given() string {
	if *n.at != 0 {
		return n.name
	}
	return ""
}

// fields are variables of all types.
type fields struct {
	reals    []field[float64]
	integers []field[int32]
	booleans []field[bool]
	strings  []field[string]
	sized    []sized
}

// declare adds v to the table and to its group of fields; at points to the field, which is a
// [Scalar].
func declare(d *Declaration, at any, v fmu.Variable, options []Option) {
	group := d.group(&v, options)
	switch at := at.(type) {
	case *float64:
		v.Type = fmi.Real
		group.reals = append(group.reals, field[float64]{d.add(v), at, v.Name})
	case *int32:
		v.Type = fmi.Integer
		group.integers = append(group.integers, field[int32]{d.add(v), at, v.Name})
	case *bool:
		v.Type = fmi.Boolean
		group.booleans = append(group.booleans, field[bool]{d.add(v), at, v.Name})
	case *string:
		v.Type = fmi.String
		group.strings = append(group.strings, field[string]{d.add(v), at, v.Name})
	default:
		group.sized = append(group.sized, d.declareSized(at, v))
	}
}

// declareSized is declare for the numbers that FMI 2.0 does not have.
func (d *Declaration) declareSized(at any, v fmu.Variable) sized {
	switch at := at.(type) {
	case *float32:
		return declareNumber(d, at, v, fmi.Float32, func(v *fmu.Values) []float32 { return v.Float32s })
	case *int8:
		return declareNumber(d, at, v, fmi.Int8, func(v *fmu.Values) []int8 { return v.Int8s })
	case *uint8:
		return declareNumber(d, at, v, fmi.UInt8, func(v *fmu.Values) []uint8 { return v.UInt8s })
	case *int16:
		return declareNumber(d, at, v, fmi.Int16, func(v *fmu.Values) []int16 { return v.Int16s })
	case *uint16:
		return declareNumber(d, at, v, fmi.UInt16, func(v *fmu.Values) []uint16 { return v.UInt16s })
	case *uint32:
		return declareNumber(d, at, v, fmi.UInt32, func(v *fmu.Values) []uint32 { return v.UInt32s })
	case *int64:
		return declareNumber(d, at, v, fmi.Int64, func(v *fmu.Values) []int64 { return v.Int64s })
	}
	return declareNumber(d, at.(*uint64), v, fmi.UInt64,
		func(v *fmu.Values) []uint64 { return v.UInt64s })
}

func declareNumber[T Sized](d *Declaration, at *T, v fmu.Variable, t fmi.Type,
	column func(*fmu.Values) []T) sized {
	v.Type = t
	return &number[T]{field[T]{d.add(v), at, v.Name}, column}
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
	for _, n := range f.sized {
		n.load(v)
	}
}

// store copies from the model to the instance's values.
func (f *fields) store(v *fmu.Values) {
	store(f.reals, v.Reals)
	store(f.integers, v.Integers)
	store(f.booleans, v.Booleans)
	store(f.strings, v.Strings)
	for _, n := range f.sized {
		n.store(v)
	}
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
func (f *fields) given() string {
	names := []string{nonzero(f.reals), nonzero(f.integers), nonzero(f.booleans), nonzero(f.strings)}
	for _, n := range f.sized {
		names = append(names, n.given())
	}
	for _, name := range names {
		if name != "" {
			return name
		}
	}
	return ""
}

func nonzero[T Scalar](fields []field[T]) string {
	var zero T
	if k := slices.IndexFunc(fields, func(f field[T]) bool { return *f.at != zero }); k >= 0 {
		return fields[k].name
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
	for _, n := range f.sized {
		b = n.append(b, v)
	}
	return b
}
