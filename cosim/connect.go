package cosim

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Connection carries the values of one variable to another before each step of the one that gets them. Value·Factor + Offset is what
// arrives, for floating point; a Factor of 0 means 1.
type Connection struct {
	From, To       string // participant.variable
	Factor, Offset float64
}

// link is a connection between two frames.
type link struct {
	from, to     int // numbers of participants; from is -1 for a source
	output       int // of the producer, a number of a variable
	input        int
	connection   Connection
	in, out      *Frame
	fromAt, toAt int
	size         int
	blob         bool
	convert      func(uint64) uint64
	scale        bool
}

// copy hands the values over.
func (l *link) copy() {
	if l.blob {
		copy(l.in.Blobs[l.toAt:l.toAt+l.size], l.out.Blobs[l.fromAt:l.fromAt+l.size])
		return
	}
	to, from := l.in.Cells[l.toAt:l.toAt+l.size], l.out.Cells[l.fromAt:l.fromAt+l.size]
	if l.convert == nil {
		copy(to, from)
		return
	}
	for k, v := range from {
		to[k] = l.convert(v)
	}
}

func identity(v uint64) uint64 { return v }

// conversion is how a value of one kind becomes one of another; nil if it does not. Integers widen and become floating point where no
// value is lost beyond rounding.
func conversion(from, to Kind) func(uint64) uint64 {
	switch {
	case from == to:
		return identity
	case from == Float32 && to == Float64:
		return func(v uint64) uint64 { return math.Float64bits(float64(math.Float32frombits(uint32(v)))) }
	case from == Float64 && to == Float32:
		return func(v uint64) uint64 { return uint64(math.Float32bits(float32(math.Float64frombits(v)))) }
	case !isInteger(from):
		return nil
	case to == Float64 && isSigned(from):
		return func(v uint64) uint64 { return math.Float64bits(float64(int64(v))) }
	case to == Float64:
		return func(v uint64) uint64 { return math.Float64bits(float64(v)) }
	case isInteger(to) && width(to) > width(from) && (isSigned(to) || !isSigned(from)):
		return identity
	}
	return nil
}

func isInteger(k Kind) bool { return k >= Int8 && k <= UInt64 }

func isSigned(k Kind) bool { return k == Int8 || k == Int16 || k == Int32 || k == Int64 }

// width is the size of an integer in powers of 2.
func width(k Kind) int { return int(k-Int8) / 2 }

// fit says how values travel, or why they cannot.
func (l *link) fit(from, to *Variable) error {
	c := &l.connection
	refuse := func(found, expected string) error {
		return &Error{Kind: ErrConnection, Place: at(c.From + " = " + c.To), Found: found, Expected: expected}
	}
	convert := conversion(from.Kind, to.Kind)
	l.scale = c.Factor != 0 && c.Factor != 1 || c.Offset != 0
	switch {
	case to.Role != Input:
		return refuse(fmt.Sprintf("%s is no input", c.To), "an input")
	case convert == nil:
		return refuse(from.Kind.String(), to.Kind.String()+" or what fits into it")
	case from.Size != to.Size:
		return refuse(fmt.Sprintf("%d elements", from.Size), fmt.Sprint(to.Size))
	case !sameMIME(from.MIMEType, to.MIMEType):
		return refuse(from.MIMEType, to.MIMEType)
	case l.scale && (to.Kind != Float64 || from.Kind == Float32):
		return refuse(from.Kind.String()+" to "+to.Kind.String(), "Float64 at both ends of a conversion of units")
	}
	l.size, l.blob = from.Size, from.Kind.IsBlob()
	l.convert = convert
	if from.Kind == to.Kind {
		l.convert = nil
	}
	if l.scale {
		factor, offset := c.Factor, c.Offset
		if factor == 0 {
			factor = 1
		}
		l.convert = func(v uint64) uint64 {
			return math.Float64bits(math.Float64frombits(convert(v))*factor + offset)
		}
	}
	return nil
}

// sameMIME compares type and parameters, whatever their order and blanks; nothing and application/octet-stream fit everything.
func sameMIME(a, b string) bool {
	general := func(s string) bool { return s == "" || s == "application/octet-stream" }
	return general(a) || general(b) || slices.Equal(mimeParts(a), mimeParts(b))
}

func mimeParts(s string) []string {
	parts := strings.Split(s, ";")
	for k := range parts {
		parts[k] = strings.ToLower(strings.Join(strings.Fields(parts[k]), ""))
	}
	slices.Sort(parts[1:])
	return parts
}
