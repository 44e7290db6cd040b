package export

/*
#include "host.h"
*/
import "C"

import (
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
)

//export fmi3GetFloat32
func fmi3GetFloat32(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3Float32, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetFloat32, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetFloat32(refs, slice[float32](values, nValues))
		})
}

//export fmi3SetFloat32
func fmi3SetFloat32(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3Float32s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetFloat32, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetFloat32(refs, slice[float32](values, nValues))
		})
}

//export fmi3GetFloat64
func fmi3GetFloat64(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3Float64, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetReal, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetReal(refs, slice[float64](values, nValues))
		})
}

//export fmi3SetFloat64
func fmi3SetFloat64(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3Float64s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetReal, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetReal(refs, slice[float64](values, nValues))
		})
}

//export fmi3GetInt8
func fmi3GetInt8(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3Int8, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetInt8, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetInt8(refs, slice[int8](values, nValues))
		})
}

//export fmi3SetInt8
func fmi3SetInt8(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3Int8s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetInt8, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetInt8(refs, slice[int8](values, nValues))
		})
}

//export fmi3GetUInt8
func fmi3GetUInt8(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3UInt8, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetUInt8, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetUInt8(refs, slice[uint8](values, nValues))
		})
}

//export fmi3SetUInt8
func fmi3SetUInt8(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3UInt8s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetUInt8, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetUInt8(refs, slice[uint8](values, nValues))
		})
}

//export fmi3GetInt16
func fmi3GetInt16(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3Int16, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetInt16, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetInt16(refs, slice[int16](values, nValues))
		})
}

//export fmi3SetInt16
func fmi3SetInt16(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3Int16s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetInt16, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetInt16(refs, slice[int16](values, nValues))
		})
}

//export fmi3GetUInt16
func fmi3GetUInt16(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3UInt16, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetUInt16, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetUInt16(refs, slice[uint16](values, nValues))
		})
}

//export fmi3SetUInt16
func fmi3SetUInt16(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3UInt16s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetUInt16, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetUInt16(refs, slice[uint16](values, nValues))
		})
}

//export fmi3GetInt32
func fmi3GetInt32(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3Int32, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetInteger, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetInteger(refs, slice[int32](values, nValues))
		})
}

//export fmi3SetInt32
func fmi3SetInt32(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3Int32s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetInteger, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetInteger(refs, slice[int32](values, nValues))
		})
}

//export fmi3GetUInt32
func fmi3GetUInt32(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3UInt32, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetUInt32, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetUInt32(refs, slice[uint32](values, nValues))
		})
}

//export fmi3SetUInt32
func fmi3SetUInt32(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3UInt32s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetUInt32, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetUInt32(refs, slice[uint32](values, nValues))
		})
}

//export fmi3GetInt64
func fmi3GetInt64(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3Int64, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetInt64, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetInt64(refs, slice[int64](values, nValues))
		})
}

//export fmi3SetInt64
func fmi3SetInt64(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3Int64s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetInt64, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetInt64(refs, slice[int64](values, nValues))
		})
}

//export fmi3GetUInt64
func fmi3GetUInt64(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3UInt64, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetUInt64, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetUInt64(refs, slice[uint64](values, nValues))
		})
}

//export fmi3SetUInt64
func fmi3SetUInt64(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3UInt64s, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetUInt64, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.SetUInt64(refs, slice[uint64](values, nValues))
		})
}

//export fmi3GetBoolean
func fmi3GetBoolean(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3Boolean, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetBoolean, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			return c.GetBoolean(refs, slice[bool](values, nValues))
		})
}

//export fmi3SetBoolean
func fmi3SetBoolean(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3Booleans, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetBoolean, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			flags := make([]bool, nValues)
			for k, x := range slice[uint8](values, nValues) { // a host may have stored any byte
				flags[k] = x != 0
			}
			return c.SetBoolean(refs, flags)
		})
}

//export fmi3GetString
func fmi3GetString(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values *C.fmi3String, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.GetString, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			got := make([]string, nValues)
			status := c.GetString(refs, got)
			c.freeStrings()
			if status <= fmi.Warning { // after a warning, the values are also valid
				c.lend(got, slice[uintptr](values, nValues))
			}
			return status
		})
}

//export fmi3SetString
func fmi3SetString(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	values C.fmi3Strings, nValues C.size_t) C.fmi3Status {
	return access3(handle, fmu.SetString, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			if wrong := c.Counted(fmu.SetString, fmi.String, refs, int(nValues)); wrong != fmi.OK {
				return wrong
			}
			texts, wrong := c.texts3(nValues, values)
			if wrong != fmi.OK {
				return wrong
			}
			return c.SetString(refs, texts)
		})
}
