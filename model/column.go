package model

import (
	"gosmp/fmi"
	"gosmp/fmu"
)

// typeOf returns the type of variables that corresponds to a Go type.
func typeOf[T Scalar]() fmi.Type {
	var zero T
	switch any(zero).(type) {
	case float64:
		return fmi.Real
	case int32:
		return fmi.Integer
	case bool:
		return fmi.Boolean
	case string:
		return fmi.String
	case float32:
		return fmi.Float32
	case int8:
		return fmi.Int8
	case uint8:
		return fmi.UInt8
	case int16:
		return fmi.Int16
	case uint16:
		return fmi.UInt16
	case uint32:
		return fmi.UInt32
	case int64:
		return fmi.Int64
	}
	return fmi.UInt64
}

// columnOf returns the values of all variables of a type. It converts a pointer to the list, which
// allocates nothing.
func columnOf[T Scalar](v *fmu.Values) []T {
	for _, list := range [...]any{&v.Reals, &v.Integers, &v.Booleans, &v.Strings, &v.Float32s,
		&v.Int8s, &v.UInt8s, &v.Int16s, &v.UInt16s, &v.UInt32s, &v.Int64s, &v.UInt64s} {
		if found, is := list.(*[]T); is {
			return *found
		}
	}
	return nil
}
