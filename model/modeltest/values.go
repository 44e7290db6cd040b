package modeltest

import (
	"gosmp/fmi"
	"gosmp/fmu"
)

// access holds the functions for one type of values.
type access[V any] struct {
	get func([]fmi.ValueReference, []V) fmi.Status
	set func([]fmi.ValueReference, []V) fmi.Status
}

// set sets a variable; it returns false for a value of a different type.
func (r *Rig) set(v *fmu.Variable, refs []fmi.ValueReference, value any) (s fmi.Status, is bool) {
	if x, ok := value.(int32); ok && v.Type == fmi.Enumeration && r.instance.Version() >= fmi.FMI3 {
		value = int64(x)
	}
	for _, try := range []func() bool{
		try(&s, r.reals, v.Type == fmi.Real, refs, value),
		try(&s, r.integers, v.Type == fmi.Integer || v.Type == fmi.Enumeration, refs, value),
		try(&s, r.booleans, v.Type == fmi.Boolean, refs, value),
		try(&s, r.strings, v.Type == fmi.String, refs, value),
		try(&s, r.float32s, v.Type == fmi.Float32, refs, value),
		try(&s, r.int8s, v.Type == fmi.Int8, refs, value),
		try(&s, r.uint8s, v.Type == fmi.UInt8, refs, value),
		try(&s, r.int16s, v.Type == fmi.Int16, refs, value),
		try(&s, r.uint16s, v.Type == fmi.UInt16, refs, value),
		try(&s, r.uint32s, v.Type == fmi.UInt32, refs, value),
		try(&s, r.int64s, v.Type == fmi.Int64 || v.Type == fmi.Enumeration, refs, value),
		try(&s, r.uint64s, v.Type == fmi.UInt64, refs, value),
	} {
		if try() {
			return s, true
		}
	}
	return fmi.Error, false
}

// try sets values of one type, or a single one.
func try[V any](s *fmi.Status, a func() access[V], fits bool, refs []fmi.ValueReference,
	value any) func() bool {
	return func() bool {
		list, is := value.([]V)
		if x, single := value.(V); single {
			list, is = []V{x}, true
		}
		if !fits || !is {
			return false
		}
		*s = a().set(refs, list)
		return true
	}
}

// get returns a single value.
func (r *Rig) get(v *fmu.Variable, refs []fmi.ValueReference) (any, fmi.Status) {
	switch v.Type {
	case fmi.Real:
		return one(r.reals(), refs)
	case fmi.Integer:
		return one(r.integers(), refs)
	case fmi.Boolean:
		return one(r.booleans(), refs)
	case fmi.Enumeration:
		if r.instance.Version() < fmi.FMI3 {
			return one(r.integers(), refs)
		}
		x, status := one(r.int64s(), refs)
		n, _ := x.(int64)
		return int32(n), status
	case fmi.Clock:
		return one(access[bool]{get: r.instance.GetClock}, refs)
	}
	return r.getSized(v, refs)
}

func (r *Rig) getSized(v *fmu.Variable, refs []fmi.ValueReference) (any, fmi.Status) {
	switch v.Type {
	case fmi.Float32:
		return one(r.float32s(), refs)
	case fmi.Int8:
		return one(r.int8s(), refs)
	case fmi.UInt8:
		return one(r.uint8s(), refs)
	case fmi.Int16:
		return one(r.int16s(), refs)
	case fmi.UInt16:
		return one(r.uint16s(), refs)
	case fmi.UInt32:
		return one(r.uint32s(), refs)
	case fmi.Int64:
		return one(r.int64s(), refs)
	case fmi.UInt64:
		return one(r.uint64s(), refs)
	default:
		return one(r.strings(), refs)
	}
}

func one[V any](a access[V], refs []fmi.ValueReference) (any, fmi.Status) {
	var value [1]V
	status := a.get(refs, value[:])
	return value[0], status
}

func (r *Rig) reals() access[float64] {
	return access[float64]{r.instance.GetReal, r.instance.SetReal}
}

func (r *Rig) integers() access[int32] {
	return access[int32]{r.instance.GetInteger, r.instance.SetInteger}
}

func (r *Rig) booleans() access[bool] {
	return access[bool]{r.instance.GetBoolean, r.instance.SetBoolean}
}

func (r *Rig) strings() access[string] {
	return access[string]{r.instance.GetString, r.instance.SetString}
}

func (r *Rig) float32s() access[float32] {
	return access[float32]{r.instance.GetFloat32, r.instance.SetFloat32}
}

func (r *Rig) int8s() access[int8] { return access[int8]{r.instance.GetInt8, r.instance.SetInt8} }

func (r *Rig) uint8s() access[uint8] {
	return access[uint8]{r.instance.GetUInt8, r.instance.SetUInt8}
}

func (r *Rig) int16s() access[int16] {
	return access[int16]{r.instance.GetInt16, r.instance.SetInt16}
}

func (r *Rig) uint16s() access[uint16] {
	return access[uint16]{r.instance.GetUInt16, r.instance.SetUInt16}
}

func (r *Rig) uint32s() access[uint32] {
	return access[uint32]{r.instance.GetUInt32, r.instance.SetUInt32}
}

func (r *Rig) int64s() access[int64] {
	return access[int64]{r.instance.GetInt64, r.instance.SetInt64}
}

func (r *Rig) uint64s() access[uint64] {
	return access[uint64]{r.instance.GetUInt64, r.instance.SetUInt64}
}
