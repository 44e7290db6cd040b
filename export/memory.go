package export

/*
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// heap is C's heap, and the rest of the process's memory for reading. It keeps the pointers by address, so that no number has
// to be turned back into a pointer.
type heap struct{ blocks map[uint64]unsafe.Pointer }

func newHeap() *heap { return &heap{map[uint64]unsafe.Pointer{}} }

// Allocate implements fmu.Memory.
func (h *heap) Allocate(n int) ([]byte, uint64, error) {
	// calloc, because a buffer that grows past its message must not show a host what was there before.
	p := C.calloc(C.size_t(n), 1)
	if p == nil {
		return nil, 0, fmt.Errorf("out of memory: %d bytes wanted", n)
	}
	address := uint64(uintptr(p))
	h.blocks[address] = p
	return unsafe.Slice((*byte)(p), n), address, nil
}

// Free implements fmu.Memory.
func (h *heap) Free(address uint64) {
	C.free(h.blocks[address])
	delete(h.blocks, address)
}

// View implements fmu.Memory.
func (h *heap) View(address uint64, n int) []byte {
	// The address comes from the host as two integers, which is what OSMP is about; it is no pointer that Go could know.
	at := uintptr(address)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n)
}
