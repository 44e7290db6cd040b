package export

/*
#include <stdlib.h>
#include "host.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
)

// binaries holds the memory for calls with binary values: slices, which are reused from call to
// call, and copies in C's heap of values that are not already there.
type binaries struct {
	values [][]byte
	copies map[fmi.ValueReference]copied
}

// copied is a copy of a value. It is kept until the value is read again or the instance ends.
type copied struct {
	address *C.char
	size    C.size_t
}

// room returns n slices.
func (b *binaries) room(n C.size_t) [][]byte {
	for C.size_t(len(b.values)) < n {
		b.values = append(b.values, nil)
	}
	return b.values[:n]
}

// forget drops the slices: the slices of inputs point into the host's memory, which may become
// Go's.
func (b *binaries) forget() { clear(b.values) }

// copy returns the address of a copy, or 0 if there is no memory.
func (b *binaries) copy(ref fmi.ValueReference, data []byte) uintptr {
	c := b.copies[ref]
	if size := C.size_t(len(data)); c.size < size {
		C.gosmp_free(c.address)
		c = copied{(*C.char)(C.malloc(size)), size}
		if c.address == nil {
			delete(b.copies, ref)
			return 0
		}
		if b.copies == nil {
			b.copies = map[fmi.ValueReference]copied{}
		}
		b.copies[ref] = c
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(c.address)), len(data)), data)
	return uintptr(unsafe.Pointer(c.address))
}

func (b *binaries) free() {
	for _, c := range b.copies {
		C.gosmp_free(c.address)
	}
	b.copies = nil
}

//export fmi3GetBinary
func fmi3GetBinary(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	sizes *C.size_t, values *C.fmi3Binary, nValues C.size_t) (status C.fmi3Status) {
	return access3(handle, fmu.GetBinary, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			if !c.arrays3(nValues, &status, unsafe.Pointer(sizes)) {
				return fmi.Status(status)
			}
			got := c.binaries.room(nValues)
			defer c.binaries.forget()
			status := c.GetBinary(refs, got)
			if status > fmi.Warning {
				return status
			}
			return c.lendBinaries(refs, got, slice[C.size_t](sizes, nValues),
				slice[uintptr](values, nValues), status)
		})
}

// lendBinaries passes addresses to the host as numbers, as lend does for texts; even an empty value
// has an address. The host reads values that the model has published in place.
func (c *component) lendBinaries(refs []uint32, got [][]byte, sizes []C.size_t, to []uintptr,
	status fmi.Status) fmi.Status {
	for k, data := range got {
		sizes[k] = C.size_t(len(data))
		switch address := c.PublishedBinary(refs[k]); {
		case len(data) == 0:
			to[k] = uintptr(unsafe.Pointer(&C.gosmp_nothing))
		case address != 0:
			to[k] = uintptr(address)
		default:
			if to[k] = c.binaries.copy(refs[k], data); to[k] == 0 {
				return c.Rejected(c.function, "memory", "none left",
					fmt.Sprintf("%d bytes", len(data)))
			}
		}
	}
	return status
}

//export fmi3SetBinary
func fmi3SetBinary(handle C.fmi3Instance, vr C.fmi3ValueReferences, n C.size_t,
	sizes C.fmi3Sizes, values C.fmi3Binaries, nValues C.size_t) (status C.fmi3Status) {
	return access3(handle, fmu.SetBinary, vr, n, unsafe.Pointer(values), nValues,
		func(c *component, refs []uint32) fmi.Status {
			if !c.arrays3(nValues, &status, unsafe.Pointer(sizes)) {
				return fmi.Status(status)
			}
			if wrong := c.Counted(fmu.SetBinary, fmi.Binary, refs, int(nValues)); wrong != fmi.OK {
				return wrong
			}
			given := c.binaries.room(nValues)
			defer c.binaries.forget()
			from := slice[*byte](values, nValues)
			for k, size := range slice[C.size_t](sizes, nValues) {
				if !c.bounded3(size, maxBytes, &status, unsafe.Pointer(from[k])) {
					return fmi.Status(status)
				}
				given[k] = slice[byte](from[k], size)
			}
			return c.SetBinary(refs, given)
		})
}
