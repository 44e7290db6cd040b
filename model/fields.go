package model

import (
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
)

// field binds a variable to a field of the model.
type field[T Scalar] struct {
	index fmu.Index
	at    *T
	name  string
}

// sized is a field of one of the other number types.
type sized interface {
	load(v *fmu.Values)
	store(v *fmu.Values)
	append(b []byte, v *fmu.Values) []byte
	read(d *state.Decoder, v *fmu.Values) // the data appended by append
	differs(v *fmu.Values) bool           // from the field
	given() string
}

// number implements sized; column returns the values of its type.
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

func (n *number[T]) read(d *state.Decoder, v *fmu.Values) {
	bits := d.Uint64()
	if to, is := any(&n.column(v)[n.index]).(*float32); is {
		*to = math.Float32frombits(uint32(bits))
		return
	}
	n.column(v)[n.index] = T(bits)
}

func (n *number[T]) differs(v *fmu.Values) bool { return n.column(v)[n.index] != *n.at }

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
	if v.Causality == fmi.Output && v.Variability == fmi.Continuous {
		defer d.flow(group, group.sizes())
	}
	switch at := at.(type) {
	case *float64:
		v.Type = fmi.Real
		group.reals = append(group.reals, field[float64]{d.add(v), at, v.Name})
	case *int32:
		if v.Enumeration != nil && d.table.Version >= fmi.FMI3 {
			group.sized = append(group.sized, d.declareItem(at, v))
			return
		}
		v.Type = fmi.Integer
		if v.Enumeration != nil {
			v.Type = fmi.Enumeration
		}
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

// declareSized is like declare, for the number types not supported in FMI 2.0.
func (d *Declaration) declareSized(at any, v fmu.Variable) sized {
	switch at := at.(type) {
	case *float32:
		return declareNumber(d, at, v, fmi.Float32, func(v *fmu.Values) []float32 {
			return v.Float32s
		})
	case *int8:
		return declareNumber(d, at, v, fmi.Int8, func(v *fmu.Values) []int8 { return v.Int8s })
	case *uint8:
		return declareNumber(d, at, v, fmi.UInt8, func(v *fmu.Values) []uint8 { return v.UInt8s })
	case *int16:
		return declareNumber(d, at, v, fmi.Int16, func(v *fmu.Values) []int16 { return v.Int16s })
	case *uint16:
		return declareNumber(d, at, v, fmi.UInt16, func(v *fmu.Values) []uint16 {
			return v.UInt16s
		})
	case *uint32:
		return declareNumber(d, at, v, fmi.UInt32, func(v *fmu.Values) []uint32 {
			return v.UInt32s
		})
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

// sizes returns the number of fields of each type.
func (f *fields) sizes() [5]int {
	return [5]int{len(f.reals), len(f.integers), len(f.booleans), len(f.strings), len(f.sized)}
}

// flow also adds the fields that a group gained since it had these sizes to the continuous fields.
// Only floating-point numbers can be continuous.
func (d *Declaration) flow(group *fields, n [5]int) {
	d.continuous.reals = append(d.continuous.reals, group.reals[n[0]:]...)
	d.continuous.sized = append(d.continuous.sized, group.sized[n[4]:]...)
}

// load copies the instance's values to the fields of the model.
func (f *fields) load(v *fmu.Values) {
	if f.sizes() == [5]int{} { // as in many models, in each step
		return
	}
	load(f.reals, v.Reals)
	load(f.integers, v.Integers)
	load(f.booleans, v.Booleans)
	load(f.strings, v.Strings)
	for _, n := range f.sized {
		n.load(v)
	}
}

// store copies the fields of the model to the instance's values.
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

// differ reports whether a field differs from the instance's values.
func (f *fields) differ(v *fmu.Values) bool {
	return differ(f.reals, v.Reals) || differ(f.integers, v.Integers) ||
		differ(f.booleans, v.Booleans) || differ(f.strings, v.Strings) ||
		slices.ContainsFunc(f.sized, func(n sized) bool { return n.differs(v) })
}

func differ[T Scalar](fields []field[T], from []T) bool {
	for _, f := range fields {
		if from[f.index] != *f.at {
			return true
		}
	}
	return false
}

// given returns the name of a variable whose field is not zero, or "".
func (f *fields) given() string {
	names := []string{nonzero(f.reals), nonzero(f.integers), nonzero(f.booleans),
		nonzero(f.strings)}
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

// read reads the data appended by append.
func (f *fields) read(d *state.Decoder, v *fmu.Values) {
	for _, r := range f.reals {
		v.Reals[r.index] = d.Float64()
	}
	for _, r := range f.integers {
		v.Integers[r.index] = int32(d.Uint64())
	}
	for _, r := range f.booleans {
		v.Booleans[r.index] = d.Bool()
	}
	for _, r := range f.strings {
		v.Strings[r.index] = d.String()
	}
	for _, n := range f.sized {
		n.read(d, v)
	}
}
