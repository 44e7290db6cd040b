package export

/*
#include <stdlib.h>
#include "host.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"unsafe"
)

// heap gives access to C's heap and, for reading, to the rest of the process's memory. It keeps the
// pointers, two for each output, so that no number has to be converted back to a pointer.
type heap struct{ blocks []*C.char }

// Allocate implements fmu.Memory.
func (h *heap) Allocate(n int) ([]byte, uint64, error) {
	// calloc, because a buffer that is larger than its message must not expose old content to the
	// host.
	p := C.calloc(C.size_t(n), 1)
	if p == nil {
		return nil, 0, fmt.Errorf("out of memory: %d bytes requested", n)
	}
	h.blocks = append(h.blocks, (*C.char)(p))
	return unsafe.Slice((*byte)(p), n), uint64(uintptr(p)), nil
}

// Free implements fmu.Memory.
func (h *heap) Free(address uint64) {
	for k, p := range h.blocks {
		if uint64(uintptr(unsafe.Pointer(p))) == address {
			C.gosmp_free(p)
			h.blocks = slices.Delete(h.blocks, k, k+1)
			return
		}
	}
}

// Copy implements fmu.Memory.
func (h *heap) Copy(to []byte, address uint64) bool {
	return C.gosmp_copy(unsafe.Pointer(&to[0]), C.uintptr_t(address), C.size_t(len(to))) != 0
}

// View implements fmu.Memory.
func (h *heap) View(address uint64, n int) []byte {
	// OSMP passes the address as two integers from the host; it is not a pointer into Go memory.
	at := uintptr(address)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n)
}
