package fmi

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// ValueReference is the handle of a variable in the Get and Set functions. FMI 2.0 has a separate
// number space for each base type; Integer and Enumeration share one. FMI 3.0 has a single number
// space for all variables of an FMU.
type ValueReference = uint32

// Type is the type of a variable. The zero value is not a type.
type Type uint8

// The types of variables. FMI 1.0 and 2.0 have Real, Integer, Boolean, String and Enumeration (FMI
// 2.0, 2.2.7); FMI 3.0 has all types except Real and Integer (FMI 3.0, 2.4.7).
const (
	Real Type = iota + 1
	Integer
	Boolean
	String
	Enumeration
	Float32
	Float64
	Int8
	UInt8
	Int16
	UInt16
	Int32
	UInt32
	Int64
	UInt64
	Binary
	Clock
	typeCount
)

// class groups types whose values have the same spelling.
type class uint8

const (
	noClass class = iota
	floating
	signed
	unsigned
	logical
	textual
	binary
)

// types describes each Type. Values of Enumeration have 32 bits in FMI 2.0 and 64 bits in FMI 3.0;
// 64 bits are enough for both.
var types = [typeCount]struct {
	name  string
	class class
	bits  int
}{
	0:           {"no type", noClass, 0},
	Real:        {"Real", floating, 64},
	Integer:     {"Integer", signed, 32},
	Boolean:     {"Boolean", logical, 0},
	String:      {"String", textual, 0},
	Enumeration: {"Enumeration", signed, 64},
	Float32:     {"Float32", floating, 32},
	Float64:     {"Float64", floating, 64},
	Int8:        {"Int8", signed, 8},
	UInt8:       {"UInt8", unsigned, 8},
	Int16:       {"Int16", signed, 16},
	UInt16:      {"UInt16", unsigned, 16},
	Int32:       {"Int32", signed, 32},
	UInt32:      {"UInt32", unsigned, 32},
	Int64:       {"Int64", signed, 64},
	UInt64:      {"UInt64", unsigned, 64},
	Binary:      {"Binary", binary, 0},
	Clock:       {"Clock", logical, 0},
}

var (
	types2 = []Type{Real, Integer, Boolean, String, Enumeration}
	types3 = []Type{Float32, Float64, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64,
		Boolean, String, Binary, Enumeration, Clock}
)

// Types lists the types of a version in the order of its schema.
func Types(v Version) []Type {
	if v < FMI3 {
		return slices.Clone(types2)
	}
	return slices.Clone(types3)
}

// ParseType returns the type whose XML element has the given name in a version.
func ParseType(v Version, name string) (Type, error) {
	list := types3
	if v < FMI3 {
		list = types2
	}
	var names []string
	for _, t := range list {
		if t.String() == name {
			return t, nil
		}
	}
	for _, t := range list {
		names = append(names, t.String())
	}
	return 0, unknownWord("type", name, "one of "+strings.Join(names, ", "))
}

// String returns the name of the XML element.
func (t Type) String() string {
	if t >= typeCount {
		return "Type(" + strconv.Itoa(int(t)) + ")"
	}
	return types[t].name
}

// MarshalText returns the name; for the zero value it returns an empty text.
func (t Type) MarshalText() ([]byte, error) {
	if t == 0 {
		return nil, nil
	}
	return []byte(t.String()), nil
}

// UnmarshalText reads the name of a type of any version; it reads an empty text as the zero value.
func (t *Type) UnmarshalText(name []byte) error {
	if *t = 0; len(name) == 0 {
		return nil
	}
	k, err := ParseType(FMI2, string(name))
	if err != nil {
		k, err = ParseType(FMI3, string(name))
	}
	*t = k
	return err
}

// IsFloat reports whether values are floating-point numbers. Only such variables may be continuous
// and have a unit.
func (t Type) IsFloat() bool { return t < typeCount && types[t].class == floating }

// IsInteger reports whether values are integers, including enumerations.
func (t Type) IsInteger() bool {
	return t < typeCount && (types[t].class == signed || types[t].class == unsigned)
}

// Holds reports whether an integer type can hold a number. The limits are 64-bit floating-point
// numbers, so they exclude the greatest numbers of the largest types.
func (t Type) Holds(x float64) bool {
	if !t.IsInteger() || x != math.Trunc(x) {
		return false
	}
	if types[t].class == unsigned {
		return x >= 0 && x < math.Ldexp(1, types[t].bits)
	}
	return x >= -math.Ldexp(1, types[t].bits-1) && x < math.Ldexp(1, types[t].bits-1)
}

// In returns the type with the same values in a version: Real and Integer become Float64 and Int32
// in FMI 3.0, and vice versa. It returns false if the version has no such type.
func (t Type) In(v Version) (Type, bool) {
	known := types3
	if v < FMI3 {
		known = types2
	}
	if slices.Contains(known, t) {
		return t, true
	}
	for _, pair := range [...][2]Type{{Real, Float64}, {Integer, Int32}} {
		switch {
		case t == pair[0] && v >= FMI3:
			return pair[1], true
		case t == pair[1] && v < FMI3:
			return pair[0], true
		}
	}
	return 0, false
}
