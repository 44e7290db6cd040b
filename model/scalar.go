package model

import (
	"fmt"

	"gosmp/fmi"
	"gosmp/fmu"
)

// Scalar is a Go type that a plain variable can have: Real, Integer, Boolean and String of FMI 2.0,
// or a number of another size. A model with a number of another size can only be packed for FMI
// 3.0.
type Scalar interface {
	float64 | int32 | bool | string | Sized
}

// Sized is the set of number types not supported in FMI 2.0.
type Sized interface {
	float32 | int8 | uint8 | int16 | uint16 | uint32 | int64 | uint64
}

// Option refines the declaration of a plain variable.
type Option func(*Declaration, *fmu.Variable)

// Parameter declares a parameter that is fixed when the run begins. From Setup on, *at holds its
// value; before that, it holds the start value.
func Parameter[T Scalar](d *Declaration, at *T, name string, start T, description string,
	options ...Option) {
	declare(d, at, fmu.Variable{
		Name: name, Causality: fmi.Parameter, Variability: fmi.Fixed, Initial: fmi.Exact,
		Start: start, Description: description,
	}, options)
	*at = start
}

// PlainInput declares an input. In each Step, *at holds its newest value.
func PlainInput[T Scalar](d *Declaration, at *T, name string, start T, description string,
	options ...Option) {
	declare(d, at, fmu.Variable{
		Name: name, Causality: fmi.Input, Variability: fmi.Discrete, Start: start,
		Description: description,
	}, options)
	*at = start
}

// PlainOutput declares an output that is set to *at at the end of each Step. Before the first Step
// it is zero, unless it is [Calculated].
func PlainOutput[T Scalar](d *Declaration, at *T, name, description string, options ...Option) {
	var zero T
	declare(d, at, fmu.Variable{
		Name: name, Causality: fmi.Output, Variability: fmi.Discrete, Initial: fmi.Exact,
		Start: zero, Description: description,
	}, options)
	*at = zero
}

// ParameterArray declares parameters as one array of the length of at, which holds the values from
// Setup on. In FMI 2.0 they are separate variables, with the indices [1], [2] and so on after the
// name.
func ParameterArray[T Scalar](d *Declaration, at []T, name string, start T, description string,
	options ...Option) {
	array(d, at, name, func(element *T, name string) {
		Parameter(d, element, name, start, description, options...)
	})
}

// InputArray declares inputs as [ParameterArray] declares parameters.
func InputArray[T Scalar](d *Declaration, at []T, name string, start T, description string,
	options ...Option) {
	array(d, at, name, func(element *T, name string) {
		PlainInput(d, element, name, start, description, options...)
	})
}

// OutputArray declares outputs as [ParameterArray] declares parameters.
func OutputArray[T Scalar](d *Declaration, at []T, name, description string, options ...Option) {
	array(d, at, name, func(element *T, name string) {
		PlainOutput(d, element, name, description, options...)
	})
}

// array declares each element of at; in FMI 3.0, all elements share one variable.
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

// arrayOf is an array that is being declared, element by element; the first element adds the
// variable.
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

// Tunable lets a parameter change between steps: each Step receives the newest value.
func Tunable() Option {
	return func(_ *Declaration, v *fmu.Variable) { v.Variability = fmi.Tunable }
}

// Continuous declares that a Real input or output also changes between communication points.
func Continuous() Option {
	return func(_ *Declaration, v *fmu.Variable) { v.Variability = fmi.Continuous }
}

// Enumeration turns an int32 into an enumeration, whose values have names: 0 is the first, as with
// Go's iota. Variables of one type have the same names.
func Enumeration(typeName string, names ...string) Option {
	return func(d *Declaration, v *fmu.Variable) {
		v.Enumeration = &fmu.Enumeration{Name: typeName}
		for k, name := range names {
			v.Enumeration.Items = append(v.Enumeration.Items, fmu.Item{Name: name, Value: int32(k)})
		}
		if _, is := v.Start.(int32); v.Start != nil && !is {
			d.fail("variable %q: an enumeration is an int32", v.Name)
		}
	}
}

// Calculated declares that an output has a value before the first step, computed by Setup. The
// names are the variables on which it depends; without names it may depend on all of them.
func Calculated(from ...string) Option {
	return func(_ *Declaration, v *fmu.Variable) {
		v.Initial, v.Start, v.DependsOn = fmi.Calculated, nil, from
	}
}
