package export

/*
#include "host.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
)

// sharedBinaries are the values of an instance's Binary variables, shared with the loader;
// binaries.h states the rules. In FMI 2.0 there are none.
type sharedBinaries struct {
	shared *C.gosmp_binaries
	list   []C.gosmp_binary     // by value reference
	refs   []fmi.ValueReference // of Binary variables
}

// idleBinaries guards the list of binaries that no instance uses. All of them have the same size
// because a core has one definition for FMI 3.0.
var idleBinaries sync.Mutex

// takeBinaries returns the binaries for a new instance. Without memory the loader forwards all
// calls.
func takeBinaries(variables []*fmu.Variable) (b sharedBinaries) {
	idleBinaries.Lock()
	b.shared = C.gosmp_take_binaries(C.uint(len(variables)))
	idleBinaries.Unlock()
	if b.shared == nil {
		return b
	}
	b.list = unsafe.Slice(b.shared.list, len(variables))
	for k, v := range variables {
		switch {
		case v.Type != fmi.Binary:
			continue
		case v.Causality == fmi.Input && v.MaxSize == 0:
			b.list[k].use = C.gosmp_set_binary
		default:
			b.list[k].use = C.gosmp_read_binary
		}
		b.refs = append(b.refs, fmi.ValueReference(k))
	}
	b.shared.changed, b.shared.allowed = 0, 0
	return b
}

// own makes the loader serve this instance.
func (b *sharedBinaries) own(handle uintptr) {
	if b.shared != nil {
		b.shared.owner = C.fmi3Instance(handle)
	}
}

func (b *sharedBinaries) busy() *uint32 { return (*uint32)(unsafe.Pointer(&b.shared.busy)) }

// enter waits until the loader, called by another thread, has copied a value. It then passes the
// values that the loader has set to the instance, which is nil if it is ending.
func (b *sharedBinaries) enter(i *fmu.Instance) {
	if b.shared == nil {
		return
	}
	for !atomic.CompareAndSwapUint32(b.busy(), 0, 1) {
		C.gosmp_yield()
	}
	if i != nil && b.shared.changed != 0 {
		b.adopt(i)
	}
}

// adopt gives the instance the values that the loader has set since the last call. The bytes stay
// in C memory.
func (b *sharedBinaries) adopt(i *fmu.Instance) {
	b.shared.changed = 0
	for _, ref := range b.refs {
		if x := &b.list[ref]; x.set != 0 {
			x.set = 0
			i.AdoptBinary(ref, unsafe.Slice((*byte)(unsafe.Pointer(x.own)), int(x.size)))
		}
	}
}

// leave tells the loader which calls it may serve in the current state, and where the values are.
func (b *sharedBinaries) leave(i *fmu.Instance) {
	if b.shared == nil {
		return
	}
	b.shared.allowed = 0
	if i.DirectBinaries() {
		b.shared.allowed = C.gosmp_may_get | C.gosmp_may_set
		for _, ref := range b.refs {
			b.locate(&b.list[ref], i, ref)
		}
	}
	atomic.StoreUint32(b.busy(), 0)
}

// locate finds a value that lies outside Go's memory.
func (b *sharedBinaries) locate(x *C.gosmp_binary, i *fmu.Instance, ref fmi.ValueReference) {
	data, address := i.BinaryAt(ref)
	x.size = C.size_t(len(data))
	switch {
	case len(data) == 0:
		x.data = &C.gosmp_nothing
	case address != 0:
		*(*uintptr)(unsafe.Pointer(&x.data)) = uintptr(address)
	case unsafe.SliceData(data) == (*byte)(unsafe.Pointer(x.own)):
		x.data = x.own
	default:
		x.data = nil
	}
}

// release ends the use by an instance, which has dropped the values: the loader no longer finds an
// owner.
func (b *sharedBinaries) release() {
	if b.shared == nil {
		return
	}
	b.shared.owner, b.shared.allowed = 0, 0
	C.gosmp_empty_binaries(b.shared)
	atomic.StoreUint32(b.busy(), 0)
}

// give makes the memory available to another instance.
func (b *sharedBinaries) give() {
	if b.shared == nil {
		return
	}
	idleBinaries.Lock()
	C.gosmp_give_binaries(b.shared)
	idleBinaries.Unlock()
}

//export gosmp_binaries_of
func gosmp_binaries_of(handle C.fmi3Instance) *C.gosmp_binaries {
	c := components.find(uintptr(handle))
	if c == nil {
		return nil
	}
	return c.shared.shared
}
