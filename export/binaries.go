package export

/*
#include "host.h"
*/
import "C"

import (
	"sync"
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
)

// sharedBinaries are the values of an instance's Binary variables, shared with the loader;
// binaries.h states the rules. In FMI 2.0 there are none.
type sharedBinaries struct {
	shared *C.gosmp_binaries
	served []served
}

// served is a variable that the loader serves in Step Mode: an input or an output.
type served struct {
	at    *C.gosmp_binary
	ref   fmi.ValueReference
	index fmu.Index
}

// idleBinaries guards the list of binaries that are not in use. All of them have the same size
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
	list := unsafe.Slice(b.shared.list, len(variables))
	for k, v := range variables {
		if v.Type != fmi.Binary || v.Causality != fmi.Input && v.Causality != fmi.Output {
			continue
		}
		list[k].use = C.gosmp_read_binary
		if v.Causality == fmi.Input && v.MaxSize == 0 {
			list[k].use = C.gosmp_set_binary
		}
		b.served = append(b.served, served{&list[k], fmi.ValueReference(k), v.Index})
	}
	b.shared.changed, b.shared.allowed = 0, 0
	return b
}

// own lets the loader serve this instance.
func (b *sharedBinaries) own(handle uintptr) {
	if b.shared != nil {
		b.shared.owner = C.fmi3Instance(handle)
	}
}

// enter passes the values that the loader has set to the instance.
func (b *sharedBinaries) enter(i *fmu.Instance) {
	if b.shared != nil && b.shared.changed != 0 {
		b.adopt(i)
	}
}

// adopt gives the instance the values that the loader has set since the last call. The bytes stay
// in C memory: memory of the loader, or of the model.
func (b *sharedBinaries) adopt(i *fmu.Instance) {
	b.shared.changed = 0
	for _, x := range b.served {
		if x.at.set != 0 {
			x.at.set = 0
			i.AdoptBinary(x.ref, unsafe.Slice((*byte)(unsafe.Pointer(x.at.data)), int(x.at.size)),
				uint64(uintptr(unsafe.Pointer(x.at.data))))
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
		for _, x := range b.served {
			x.locate(i)
			if x.at.use == C.gosmp_set_binary {
				bytes, address := i.RoomFor(x.index)
				*(*uintptr)(unsafe.Pointer(&x.at.place)) = uintptr(address)
				x.at.place_room = C.size_t(len(bytes))
			}
		}
	}
}

// locate finds a value that lies outside Go's memory.
func (x served) locate(i *fmu.Instance) {
	data, address := i.BinaryAt(x.index)
	x.at.size = C.size_t(len(data))
	switch {
	case len(data) == 0:
		x.at.data = &C.gosmp_nothing
	case address != 0:
		*(*uintptr)(unsafe.Pointer(&x.at.data)) = uintptr(address)
	default:
		x.at.data = nil
	}
}

// release ends the use by an instance, which has dropped the values: the loader then finds no
// owner.
func (b *sharedBinaries) release() {
	if b.shared == nil {
		return
	}
	b.shared.owner, b.shared.allowed = 0, 0
	C.gosmp_empty_binaries(b.shared)
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
