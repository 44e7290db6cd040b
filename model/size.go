package model

import (
	"math"
	"slices"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
)

// Size is a structural parameter of FMI 3.0: the length of arrays, which importers set in
// Configuration Mode. A model that has one can only be packed for FMI 3.0.
type Size struct {
	value uint64
	name  string
	most  int
	index fmu.Index
}

// Value returns the length, starting with Setup. If it is [Tunable], it can change between steps.
func (s *Size) Value() int { return int(s.value) }

// NewSize declares a structural parameter with a value between least, which is at least 1, and
// most. Storage is reserved for most elements.
func NewSize(d *Declaration, name string, start, least, most int, description string,
	options ...Option) *Size {
	low, high := float64(least), float64(most)
	s := &Size{value: uint64(max(start, 0)), name: name, most: most}
	declare(d, &s.value, fmu.Variable{Name: name, Causality: fmi.StructuralParameter,
		Variability: fmi.Fixed, Initial: fmi.Exact, Start: s.value, Min: &low, Max: &high,
		Description: description}, options)
	s.index = d.table.Named(name).Index
	return s
}

// SizedParameter declares parameters as one array of length s. From Setup on, *at holds the values;
// its length is the size. Sized arrays follow their sizes, so none of them is [Calculated].
func SizedParameter[T Scalar](d *Declaration, s *Size, at *[]T, name string, start T,
	description string, options ...Option) {
	declareVector(d, s, at, fmu.Variable{Name: name, Causality: fmi.Parameter,
		Variability: fmi.Fixed, Initial: fmi.Exact, Start: start, Description: description},
		options)
}

// SizedInput declares inputs as [SizedParameter] declares parameters.
func SizedInput[T Scalar](d *Declaration, s *Size, at *[]T, name string, start T,
	description string, options ...Option) {
	declareVector(d, s, at, fmu.Variable{Name: name, Causality: fmi.Input,
		Variability: fmi.Discrete, Start: start, Description: description}, options)
}

// SizedOutput declares outputs as [SizedParameter] declares parameters: at the end of each Step
// they are set to *at, whose length must not be changed.
func SizedOutput[T Scalar](d *Declaration, s *Size, at *[]T, name, description string,
	options ...Option) {
	var zero T
	declareVector(d, s, at, fmu.Variable{Name: name, Causality: fmi.Output,
		Variability: fmi.Discrete, Initial: fmi.Exact, Start: zero, Description: description},
		options)
}

// vector binds an array to a slice of the model, which has room for the greatest length.
type vector[T Scalar] struct {
	index  fmu.Index
	at     *[]T
	name   string
	size   *Size
	column func(*fmu.Values) []T

	computed bool // it is an output
}

func declareVector[T Scalar](d *Declaration, s *Size, at *[]T, v fmu.Variable, options []Option) {
	if s.most < 1 { // reported with the size
		return
	}
	v.SizedBy, v.Dimensions = s.name, []int{s.most}
	v.Type = typeOf[T]()
	group := d.group(&v, options)
	*at = make([]T, s.Value(), max(s.most, s.Value()))
	x := bound(d, s, at, v)
	group.sized = append(group.sized, x)
	d.vectors = append(d.vectors, x)
	if v.Causality == fmi.Output && v.Variability == fmi.Continuous {
		d.continuous.sized = append(d.continuous.sized, x)
	}
}

// fitted is an array with the length of its size.
type fitted interface {
	sized
	fit(v *fmu.Values)
}

// bound binds an array to the slice of the model.
func bound[T Scalar](d *Declaration, s *Size, at *[]T, v fmu.Variable) fitted {
	list, is := any(at).(*[]int32)
	if v.Enumeration == nil || !is {
		return &vector[T]{d.add(v), at, v.Name, s, columnOf[T], v.Causality == fmi.Output}
	}
	if v.Type = fmi.Enumeration; d.table.Version < fmi.FMI3 { // where sizes are refused
		return &vector[int32]{d.add(v), list, v.Name, s, columnOf[int32], false}
	}
	start, _ := v.Start.(int32)
	v.Start = int64(start)
	x := &items{at: list}
	x.vector = vector[int64]{d.add(v), &x.wide, v.Name, s, columnOf[int64],
		v.Causality == fmi.Output}
	x.wide = make([]int64, len(*list), cap(*list))
	return x
}

// present returns the elements of the array among the values.
func (x *vector[T]) present(v *fmu.Values) []T {
	return x.column(v)[x.index:][:v.UInt64s[x.size.index]]
}

// fit sets the length of the slice of the model. New elements of parameters and inputs have the
// values that the host sees; the model computes outputs.
func (x *vector[T]) fit(v *fmu.Values) {
	var value T
	present := x.present(v)
	for k := len(*x.at); k < len(present); k++ {
		if !x.computed {
			value = present[k]
		}
		*x.at = append(*x.at, value)
	}
	*x.at = (*x.at)[:len(present)]
}

func (x *vector[T]) load(v *fmu.Values) { *x.at = append((*x.at)[:0], x.present(v)...) }

// store copies the slice of the model to the values; it ignores elements that the model has removed
// or added.
func (x *vector[T]) store(v *fmu.Values) { copy(x.present(v), *x.at) }

func (x *vector[T]) differs(v *fmu.Values) bool { return !slices.Equal(x.present(v), *x.at) }

func (x *vector[T]) append(b []byte, v *fmu.Values) []byte {
	for _, value := range x.present(v) {
		switch value := any(value).(type) {
		case string:
			b = state.AppendString(b, value)
		case bool:
			b = state.AppendBool(b, value)
		case float64:
			b = state.AppendFloat64(b, value)
		case float32:
			b = state.AppendUint64(b, uint64(math.Float32bits(value)))
		default:
			b = state.AppendUint64(b, bitsOf(value))
		}
	}
	return b
}

func (x *vector[T]) read(d *state.Decoder, v *fmu.Values) {
	for k := range x.present(v) {
		switch to := any(&x.present(v)[k]).(type) {
		case *string:
			*to = d.String()
		case *bool:
			*to = d.Bool()
		case *float64:
			*to = d.Float64()
		case *float32:
			*to = math.Float32frombits(uint32(d.Uint64()))
		default:
			setBits(to, d.Uint64())
		}
	}
}

func (x *vector[T]) given() string {
	var zero T
	if slices.ContainsFunc(*x.at, func(value T) bool { return value != zero }) {
		return x.name
	}
	return ""
}

// bitsOf returns an integer as 64 bits.
func bitsOf(value any) uint64 {
	switch n := value.(type) {
	case int8:
		return uint64(n)
	case uint8:
		return uint64(n)
	case int16:
		return uint64(n)
	case uint16:
		return uint64(n)
	case int32:
		return uint64(n)
	case uint32:
		return uint64(n)
	case int64:
		return uint64(n)
	}
	n, _ := value.(uint64)
	return n
}

// setBits is the inverse of bitsOf.
func setBits(to any, bits uint64) {
	switch to := to.(type) {
	case *int8:
		*to = int8(bits)
	case *uint8:
		*to = uint8(bits)
	case *int16:
		*to = int16(bits)
	case *uint16:
		*to = uint16(bits)
	case *int32:
		*to = int32(bits)
	case *uint32:
		*to = uint32(bits)
	case *int64:
		*to = int64(bits)
	case *uint64:
		*to = bits
	}
}
