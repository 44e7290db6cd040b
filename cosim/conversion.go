package cosim

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Conversion converts a value between two variables. See [Linear] and [Mapped].
type Conversion struct {
	factor, offset float64
	pairs          []Pair
	mapped         bool
}

// Pair is an entry of a mapping: From becomes To. A Boolean is 0 or 1; an enumeration item is
// represented by its number.
type Pair struct{ From, To int64 }

// Linear converts a floating-point value to factor·value + offset.
func Linear(factor, offset float64) Conversion { return Conversion{factor: factor, offset: offset} }

// Mapped replaces integer or Boolean values. Values without a pair are kept. If several pairs have
// the same From, the first one applies.
func Mapped(pairs ...Pair) Conversion {
	return Conversion{pairs: slices.Clone(pairs), mapped: true}
}

// String formats the conversion like "·0.001 + 273.15" or "0→1, 1→0".
func (c Conversion) String() string {
	if !c.mapped {
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
		return "·" + number(c.factor) + " + " + number(c.offset)
	}
	parts := make([]string, len(c.pairs))
	for k, p := range c.pairs {
		parts[k] = strconv.FormatInt(p.From, 10) + "→" + strconv.FormatInt(p.To, 10)
	}
	return strings.Join(parts, ", ")
}

func (c *Conversion) lookUp(v int64) int64 {
	for k := range c.pairs {
		if c.pairs[k].From == v {
			return c.pairs[k].To
		}
	}
	return v
}

// compile combines the conversions and the change of type into one function, which is nil if the
// values do not change. If the values cannot be converted, wrong is the kind of variable that was
// expected. With narrow, integers are also converted, without a check, to types that cannot hold
// all of their values.
func compile(from, to Kind, narrow bool, list []Conversion) (convert func(uint64) uint64,
	wrong string) {
	cast := conversion(from, to)
	if cast == nil && narrow && isInteger(from) && isInteger(to) {
		cast = identity
	}
	if cast == nil {
		return nil, to.String() + " or a type that fits into it"
	}
	if len(list) == 0 {
		if from == to {
			return nil, ""
		}
		return cast, ""
	}
	linear := slices.IndexFunc(list, func(c Conversion) bool { return !c.mapped })
	if linear < 0 {
		linear = len(list)
	}
	maps, scales := list[:linear], list[linear:]
	switch whole := isInteger(from) || from == Boolean; {
	case slices.ContainsFunc(scales, func(c Conversion) bool { return c.mapped }):
		return nil, "mappings before linear conversions"
	case len(maps) > 0 && !whole:
		return nil, "an integer, an enumeration or a Boolean to map"
	case len(scales) == 0:
		return mapping(from, cast, maps), outside(to, maps)
	case !to.IsFloat():
		return nil, "a floating-point kind at the end of a linear conversion"
	}
	return scaling(from, to, mapping(from, identity, maps), scales), ""
}

// outside reports whether a mapping yields values that the kind does not have.
func outside(to Kind, list []Conversion) string {
	for k := range list {
		for _, p := range list[k].pairs {
			if !holds(to, p.To) {
				return "mappings to values of " + to.String() + ", which " + strconv.FormatInt(p.To,
					10) + " is not"
			}
		}
	}
	return ""
}

// holds reports whether v is a value of kind k.
func holds(k Kind, v int64) bool {
	switch {
	case k == Boolean:
		return v == 0 || v == 1
	case !isInteger(k), k == Int64:
		return true
	case isSigned(k):
		bits := 8<<width(k) - 1
		return v >= -1<<bits && v < 1<<bits
	case k == UInt64:
		return v >= 0
	}
	return v >= 0 && v < 1<<(8<<width(k))
}

func mapping(from Kind, cast func(uint64) uint64, list []Conversion) func(uint64) uint64 {
	if len(list) == 0 {
		return cast
	}
	return func(cell uint64) uint64 {
		v := int64(cell)
		if from == Boolean && v != 0 {
			v = 1
		}
		for k := range list {
			v = list[k].lookUp(v)
		}
		return cast(uint64(v))
	}
}

// scaling applies linear conversions to the result of the mapping, in double precision regardless
// of the kinds at both ends.
func scaling(from, to Kind, mapping func(uint64) uint64, list []Conversion) func(uint64) uint64 {
	widen, narrow := conversion(from, Float64), conversion(Float64, to)
	return func(cell uint64) uint64 {
		v := math.Float64frombits(widen(mapping(cell)))
		for k := range list {
			v = float64(v*list[k].factor) + list[k].offset // rounded twice, on every machine
		}
		return narrow(math.Float64bits(v))
	}
}

func identity(v uint64) uint64 { return v }

// conversion returns the conversion from one kind to another, or nil if there is none. Integers
// widen, and convert to floating point where only rounding is lost.
func conversion(from, to Kind) func(uint64) uint64 {
	switch {
	case from == to:
		return identity
	case from == Float32 && to == Float64:
		return func(v uint64) uint64 {
			return math.Float64bits(float64(math.Float32frombits(uint32(v))))
		}
	case from == Float64 && to == Float32:
		return func(v uint64) uint64 {
			return uint64(math.Float32bits(float32(math.Float64frombits(v))))
		}
	case !isInteger(from):
		return nil
	case to == Float64 && isSigned(from):
		return func(v uint64) uint64 { return math.Float64bits(float64(int64(v))) }
	case to == Float64:
		return func(v uint64) uint64 { return math.Float64bits(float64(v)) }
	case to == Float32 && isSigned(from):
		return func(v uint64) uint64 { return uint64(math.Float32bits(float32(int64(v)))) }
	case to == Float32:
		return func(v uint64) uint64 { return uint64(math.Float32bits(float32(v))) }
	case isInteger(to) && width(to) > width(from) && (isSigned(to) || !isSigned(from)):
		return identity
	}
	return nil
}

func isInteger(k Kind) bool { return k >= Int8 && k <= UInt64 }

func isSigned(k Kind) bool { return k == Int8 || k == Int16 || k == Int32 || k == Int64 }

// width returns the binary logarithm of the size of an integer kind.
func width(k Kind) int { return int(k-Int8) / 2 }
