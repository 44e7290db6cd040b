package fmu

import (
	"fmt"

	"gosmp/fmi"
)

// The functions for number types that FMI 2.0 does not have. refs and values are as for
// [Instance.GetReal]; values holds all elements of an array.

// GetFloat32 is fmi3GetFloat32.
func (i *Instance) GetFloat32(refs []fmi.ValueReference, values []float32) fmi.Status {
	return get(i, access{GetFloat32, fmi.Float32, refs}, i.values.Float32s, values)
}

// SetFloat32 is fmi3SetFloat32.
func (i *Instance) SetFloat32(refs []fmi.ValueReference, values []float32) fmi.Status {
	return set(i, access{SetFloat32, fmi.Float32, refs}, i.values.Float32s, values,
		func(v *Variable, x float32) error { return v.checkRange(float64(x)) })
}

// GetInt8 is fmi3GetInt8.
func (i *Instance) GetInt8(refs []fmi.ValueReference, values []int8) fmi.Status {
	return get(i, access{GetInt8, fmi.Int8, refs}, i.values.Int8s, values)
}

// SetInt8 is fmi3SetInt8.
func (i *Instance) SetInt8(refs []fmi.ValueReference, values []int8) fmi.Status {
	return set(i, access{SetInt8, fmi.Int8, refs}, i.values.Int8s, values, checkNumber[int8])
}

// GetUInt8 is fmi3GetUInt8.
func (i *Instance) GetUInt8(refs []fmi.ValueReference, values []uint8) fmi.Status {
	return get(i, access{GetUInt8, fmi.UInt8, refs}, i.values.UInt8s, values)
}

// SetUInt8 is fmi3SetUInt8.
func (i *Instance) SetUInt8(refs []fmi.ValueReference, values []uint8) fmi.Status {
	return set(i, access{SetUInt8, fmi.UInt8, refs}, i.values.UInt8s, values, checkNumber[uint8])
}

// GetInt16 is fmi3GetInt16.
func (i *Instance) GetInt16(refs []fmi.ValueReference, values []int16) fmi.Status {
	return get(i, access{GetInt16, fmi.Int16, refs}, i.values.Int16s, values)
}

// SetInt16 is fmi3SetInt16.
func (i *Instance) SetInt16(refs []fmi.ValueReference, values []int16) fmi.Status {
	return set(i, access{SetInt16, fmi.Int16, refs}, i.values.Int16s, values, checkNumber[int16])
}

// GetUInt16 is fmi3GetUInt16.
func (i *Instance) GetUInt16(refs []fmi.ValueReference, values []uint16) fmi.Status {
	return get(i, access{GetUInt16, fmi.UInt16, refs}, i.values.UInt16s, values)
}

// SetUInt16 is fmi3SetUInt16.
func (i *Instance) SetUInt16(refs []fmi.ValueReference, values []uint16) fmi.Status {
	return set(i, access{SetUInt16, fmi.UInt16, refs}, i.values.UInt16s, values,
		checkNumber[uint16])
}

// GetUInt32 is fmi3GetUInt32.
func (i *Instance) GetUInt32(refs []fmi.ValueReference, values []uint32) fmi.Status {
	return get(i, access{GetUInt32, fmi.UInt32, refs}, i.values.UInt32s, values)
}

// SetUInt32 is fmi3SetUInt32.
func (i *Instance) SetUInt32(refs []fmi.ValueReference, values []uint32) fmi.Status {
	return set(i, access{SetUInt32, fmi.UInt32, refs}, i.values.UInt32s, values,
		checkNumber[uint32])
}

// GetInt64 is fmi3GetInt64.
func (i *Instance) GetInt64(refs []fmi.ValueReference, values []int64) fmi.Status {
	return get(i, access{GetInt64, fmi.Int64, refs}, i.values.Int64s, values)
}

// SetInt64 is fmi3SetInt64.
func (i *Instance) SetInt64(refs []fmi.ValueReference, values []int64) fmi.Status {
	return set(i, access{SetInt64, fmi.Int64, refs}, i.values.Int64s, values, checkNumber[int64])
}

// GetUInt64 is fmi3GetUInt64.
func (i *Instance) GetUInt64(refs []fmi.ValueReference, values []uint64) fmi.Status {
	return get(i, access{GetUInt64, fmi.UInt64, refs}, i.values.UInt64s, values)
}

// SetUInt64 is fmi3SetUInt64.
func (i *Instance) SetUInt64(refs []fmi.ValueReference, values []uint64) fmi.Status {
	return set(i, access{SetUInt64, fmi.UInt64, refs}, i.values.UInt64s, values,
		checkNumber[uint64])
}

// checkNumber rejects a number that is outside min and max, or is not an item of the enumeration.
func checkNumber[T whole](v *Variable, x T) error {
	switch {
	case v.Min != nil && compare(x, *v.Min) < 0:
		return fmt.Errorf("%d is below the minimum %.0f", x, *v.Min)
	case v.Max != nil && compare(x, *v.Max) > 0:
		return fmt.Errorf("%d is above the maximum %.0f", x, *v.Max)
	}
	return v.checkItem(int64(x))
}

// compare compares a number with a whole limit within its type. Converting the number instead would
// round numbers of more than 53 bits.
func compare[T whole](x T, limit float64) int {
	switch l := T(limit); {
	case x < l:
		return -1
	case x > l:
		return 1
	}
	return 0
}

// holds reports whether a value is an integer of the type of the variable.
func (v *Variable) holds(value any) bool {
	switch value.(type) {
	case int8:
		return v.Type == fmi.Int8
	case uint8:
		return v.Type == fmi.UInt8
	case int16:
		return v.Type == fmi.Int16
	case uint16:
		return v.Type == fmi.UInt16
	case uint32:
		return v.Type == fmi.UInt32
	case int64:
		return v.stored == fmi.Int64
	}
	return v.Type == fmi.UInt64
}

// checkWhole is like checkNumber, for a start value.
func (v *Variable) checkWhole(value any) error {
	switch x := value.(type) {
	case int8:
		return checkNumber(v, x)
	case uint8:
		return checkNumber(v, x)
	case int16:
		return checkNumber(v, x)
	case uint16:
		return checkNumber(v, x)
	case uint32:
		return checkNumber(v, x)
	case int64:
		return checkNumber(v, x)
	case uint64:
		return checkNumber(v, x)
	}
	return nil
}
