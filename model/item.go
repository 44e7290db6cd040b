package model

import (
	"slices"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
)

// item is a field with an enumeration value, which has 64 bits in FMI 3.0.
type item struct{ field[int32] }

// declareItem is like declare, for an enumeration in FMI 3.0.
func (d *Declaration) declareItem(at *int32, v fmu.Variable) sized {
	v.Type = fmi.Enumeration
	if start, is := v.Start.(int32); is {
		v.Start = int64(start)
	}
	return &item{field[int32]{d.add(v), at, v.Name}}
}

func (n *item) load(v *fmu.Values)         { *n.at = int32(v.Int64s[n.index]) }
func (n *item) store(v *fmu.Values)        { v.Int64s[n.index] = int64(*n.at) }
func (n *item) differs(v *fmu.Values) bool { return v.Int64s[n.index] != int64(*n.at) }
func (n *item) given() string              { return nonzero([]field[int32]{n.field}) }

func (n *item) append(b []byte, v *fmu.Values) []byte {
	return state.AppendUint64(b, uint64(v.Int64s[n.index]))
}

func (n *item) read(d *state.Decoder, v *fmu.Values) { v.Int64s[n.index] = int64(d.Uint64()) }

// items is an array of enumeration values whose length is a structural parameter.
type items struct {
	vector[int64]
	wide []int64  // the values as in FMI 3.0
	at   *[]int32 // the values as in the model
}

func (x *items) fit(v *fmu.Values) {
	x.vector.fit(v)
	for k := len(*x.at); k < len(x.wide); k++ {
		*x.at = append(*x.at, int32(x.wide[k]))
	}
	*x.at = (*x.at)[:len(x.wide)]
}

func (x *items) load(v *fmu.Values) {
	x.vector.load(v)
	*x.at = (*x.at)[:0]
	for _, value := range x.wide {
		*x.at = append(*x.at, int32(value))
	}
}

// widen copies the values from the model.
func (x *items) widen() {
	x.wide = x.wide[:0]
	for _, value := range *x.at {
		x.wide = append(x.wide, int64(value))
	}
}

func (x *items) store(v *fmu.Values) {
	x.widen()
	x.vector.store(v)
}

func (x *items) differs(v *fmu.Values) bool {
	x.widen()
	return x.vector.differs(v)
}

func (x *items) given() string {
	x.widen()
	return x.vector.given()
}

// bytesField is a Binary to which the rules of OSMP do not apply. The model has a copy of the
// value.
type bytesField struct {
	index fmu.Index
	at    *[]byte
	name  string
}

// BinaryParameter declares a Binary as a parameter. Starting with Setup, *at holds a copy of its
// value. A model that declares one can only be packed for FMI 3.0; messages are declared with
// [Declaration.Input] and related methods in both versions.
func BinaryParameter(d *Declaration, at *[]byte, name, mimeType, description string,
	options ...Option) {
	binary(d, at, fmu.Variable{Name: name, Causality: fmi.Parameter, Variability: fmi.Fixed,
		Initial: fmi.Exact, Description: description, MIMEType: mimeType}, options)
}

// BinaryInput declares a Binary as an input. *at holds a copy of its value in each Step.
func BinaryInput(d *Declaration, at *[]byte, name, mimeType, description string,
	options ...Option) {
	binary(d, at, fmu.Variable{Name: name, Causality: fmi.Input, Variability: fmi.Discrete,
		Description: description, MIMEType: mimeType}, options)
}

// BinaryOutput declares a Binary as an output, which is set to *at at the end of each Step.
func BinaryOutput(d *Declaration, at *[]byte, name, mimeType, description string,
	options ...Option) {
	binary(d, at, fmu.Variable{Name: name, Causality: fmi.Output, Variability: fmi.Discrete,
		Initial: fmi.Exact, Description: description, MIMEType: mimeType}, options)
}

// MaxSize sets the greatest number of bytes of a Binary; longer values are refused.
func MaxSize(bytes int) Option {
	return func(_ *Declaration, v *fmu.Variable) { v.MaxSize = bytes }
}

func binary(d *Declaration, at *[]byte, v fmu.Variable, options []Option) {
	v.Type, v.Start = fmi.Binary, []byte{}
	group := d.group(&v, options)
	group.sized = append(group.sized, &bytesField{d.add(v), at, v.Name})
	*at = (*at)[:0]
}

func (f *bytesField) load(v *fmu.Values) {
	*f.at = append((*f.at)[:0], v.Binaries[f.index]...)
}
func (f *bytesField) store(v *fmu.Values) { v.SetBinary(f.index, *f.at) }

func (f *bytesField) append(b []byte, v *fmu.Values) []byte {
	return state.AppendBytes(b, v.Binaries[f.index])
}

func (f *bytesField) read(d *state.Decoder, v *fmu.Values) { v.SetBinary(f.index, d.Bytes()) }

func (f *bytesField) differs(v *fmu.Values) bool {
	return !slices.Equal(*f.at, v.Binaries[f.index])
}

func (f *bytesField) given() string {
	if len(*f.at) > 0 {
		return f.name
	}
	return ""
}
