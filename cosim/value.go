package cosim

import (
	"math"
	"strconv"

	"gosmp/timebase"
)

// Kind is the type of the values of a variable.
type Kind uint8

// The kinds, in the order of FMI 3.0.
const (
	Float64 Kind = 1 + iota
	Float32
	Int8
	UInt8
	Int16
	UInt16
	Int32
	UInt32
	Int64
	UInt64
	Boolean
	String
	Binary
	// Clock is the number of ticks so far. An input of this kind ticks when the number changes.
	Clock
)

var kindNames = [...]string{"no kind", "Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16",
	"Int32", "UInt32", "Int64", "UInt64",
	"Boolean", "String", "Binary", "Clock"}

// String returns the name in FMI 3.0.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[0]
}

// IsFloat reports whether values are floating-point numbers.
func (k Kind) IsFloat() bool { return k == Float64 || k == Float32 }

// IsBlob reports whether values are texts or bytes, which a [Frame] stores in Blobs.
func (k Kind) IsBlob() bool { return k == String || k == Binary }

// Role is the purpose of a variable.
type Role uint8

// The roles.
const (
	Local Role = iota
	Input
	Output
	Parameter
	Calculated // a parameter that the participant computes
)

// Variable describes a variable of a participant.
type Variable struct {
	Name       string
	Kind       Kind
	Role       Role
	Size       int   // elements; 1 for a scalar
	Dimensions []int // of an array, in row-major order; nil: a scalar, or one dimension of Size
	Continuous bool  // values between two communication points may be interpolated
	// Held means that an input keeps its value for a whole step, although other inputs of its
	// participant use slopes.
	Held     bool
	Unit     string // empty for none
	MIMEType string // of a Binary
	// DeclaredMIME is another type under which a Binary may be connected: the type stated in its
	// description, if that type is known to be wrong.
	DeclaredMIME string
	// Portions means that every value of an output counts, for example rows measured in a step.
	// Readers must step as often as its participant; otherwise they miss values or see them twice.
	Portions bool
	// Enumeration means that values of an integer kind are items of an enumeration. They convert to
	// any integer kind that can hold the number, and integers convert to them.
	Enumeration bool
	Items       []Item // of an enumeration; tables may use their names as values
	// Limits bound the numbers that an input accepts; nil: it accepts all values of its kind.
	Limits *Limits
}

// Limits are the smallest and the largest number of a range.
type Limits struct{ Least, Most float64 }

// Elements returns the number of elements of an array of this shape.
func Elements(shape []int) int {
	n := 1
	for _, size := range shape {
		n *= size
	}
	return n
}

// Item is an item of an enumeration.
type Item struct {
	Name  string
	Value int64
}

// Port is a variable in a [Frame].
type Port struct {
	Variable int // the participant's number for the variable
	Kind     Kind
	Offset   int // of the first element: in Blobs for texts and binaries, otherwise in Cells
	Size     int // elements
}

// Frame holds the values of some variables of a participant. A cell holds the bits of a float64,
// the bits of a float32 in its low half, a sign-extended integer, or a Boolean, for which 0 means
// false. The participant owns the frame, and its slices do not move.
//
// Slopes are derivatives with respect to time, in seconds, of the floating-point cells: how an
// input changes within a step. A source or a participant that provides the slopes of its outputs
// creates the slice in Bind; a slope of NaN is unknown. The engine creates the slice for a
// participant's inputs between Bind and Enter, if the participant's traits include slopes and a
// source that provides them is connected; otherwise it is nil.
//
// Jumped means that a continuous input of a participant that handles events has changed
// discontinuously since the inputs were last provided. The participant may set it to false.
//
// Times holds the times of input values, by port: the end of the producer's step that computed
// them. A participant that wants these times creates the slice in Bind. The times of inputs without
// a connection do not change.
type Frame struct {
	Ports  []Port
	Cells  []uint64
	Blobs  [][]byte
	Slopes []float64
	Times  []timebase.Time
	Jumped bool
}

// NewFrame creates a frame for the numbered variables, in this order, with all values 0 or empty.
func NewFrame(variables []Variable, numbers []int) *Frame {
	f := &Frame{Ports: make([]Port, 0, len(numbers))}
	cells, blobs := 0, 0
	for _, n := range numbers {
		v := &variables[n]
		p := Port{Variable: n, Kind: v.Kind, Offset: cells, Size: v.Size}
		if v.Kind.IsBlob() {
			p.Offset = blobs
			blobs += v.Size
		} else {
			cells += v.Size
		}
		f.Ports = append(f.Ports, p)
	}
	f.Cells, f.Blobs = make([]uint64, cells), make([][]byte, blobs)
	return f
}

// Float returns element k of a port of kind Float64.
func (f *Frame) Float(port, k int) float64 {
	return math.Float64frombits(f.Cells[f.Ports[port].Offset+k])
}

// SetFloat sets element k of a port of kind Float64.
func (f *Frame) SetFloat(port, k int, v float64) {
	f.Cells[f.Ports[port].Offset+k] = math.Float64bits(v)
}

// Integer returns element k of a port of an integer kind or of kind Boolean.
func (f *Frame) Integer(port, k int) int64 { return int64(f.Cells[f.Ports[port].Offset+k]) }

// SetInteger sets element k of a port of an integer kind or of kind Boolean.
func (f *Frame) SetInteger(port, k int, v int64) { f.Cells[f.Ports[port].Offset+k] = uint64(v) }

// Blob returns element k of a port of kind String or Binary. It is valid until the second step that
// the participant makes after this call.
func (f *Frame) Blob(port, k int) []byte { return f.Blobs[f.Ports[port].Offset+k] }

// SetBlob sets element k of a port of the kind String or Binary. The bytes must not change for as
// long as others may read them.
func (f *Frame) SetBlob(port, k int, b []byte) { f.Blobs[f.Ports[port].Offset+k] = b }

// AppendValue appends a value in CSV format: numbers with the shortest digits that read back equal,
// Booleans as 0 and 1.
func AppendValue(b []byte, k Kind, cell uint64) []byte {
	switch k {
	case Float64:
		return appendFloat(b, math.Float64frombits(cell), 64)
	case Float32:
		return appendFloat(b, float64(math.Float32frombits(uint32(cell))), 32)
	case UInt8, UInt16, UInt32, UInt64, Clock:
		return strconv.AppendUint(b, cell, 10)
	case Boolean:
		if cell != 0 {
			return append(b, '1')
		}
		return append(b, '0')
	}
	return strconv.AppendInt(b, int64(cell), 10)
}

// appendTime writes a time in seconds. With up to 15 digits, each float64 has only one decimal
// form, so the digits of the nanoseconds are the shortest ones, unless the instant lies between two
// nanoseconds.
func appendTime(b []byte, t timebase.Time, seconds float64) []byte {
	const limit = 1_000_000 * timebase.Second
	if t <= -limit || t >= limit || t > -timebase.Second/1000 && t < timebase.Second/1000 {
		return appendFloat(b, seconds, 64)
	}
	if seconds != t.Seconds() {
		return appendFloat(b, seconds, 64)
	}
	if t < 0 {
		b, t = append(b, '-'), -t
	}
	b = append(strconv.AppendInt(b, int64(t/timebase.Second), 10), '.')
	part := int64(t % timebase.Second)
	for scale := int64(timebase.Second / 10); ; scale /= 10 {
		b = append(b, byte('0'+part/scale))
		if part %= scale; part == 0 {
			return b
		}
	}
}

// appendFloat writes numbers of ordinary magnitude without an exponent.
func appendFloat(b []byte, v float64, bits int) []byte {
	size := math.Abs(v)
	switch {
	case size < 1e15 && v == math.Trunc(v) && v != 0:
		return append(strconv.AppendInt(b, int64(v), 10), '.', '0')
	case math.IsNaN(v):
		return append(b, "nan"...)
	case math.IsInf(v, 1):
		return append(b, "inf"...)
	case math.IsInf(v, -1):
		return append(b, "-inf"...)
	case size == 0 || size >= 1e-4 && size < 1e16:
		b = strconv.AppendFloat(b, v, 'f', -1, bits)
		if size < 1e15 && v == math.Trunc(v) {
			b = append(b, '.', '0') // a number that is not whole may follow in the same column
		}
		return b
	}
	return strconv.AppendFloat(b, v, 'e', -1, bits)
}
