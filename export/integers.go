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

// integers are the values of an instance's integer variables, which it shares with the loader;
// integers.h states the rules.
type integers struct {
	shared *C.gosmp_integers
	set    []bool // variables that the loader has set, up to the last one that it may set
}

// idleIntegers guards the list of integers that are not in use. All of them have the same size
// because a core has one definition.
var idleIntegers sync.Mutex

// takeIntegers returns integers for a new instance; ok is false if memory is exhausted.
func takeIntegers(variables []*fmu.Variable) (v integers, ok bool) {
	idleIntegers.Lock()
	v.shared = C.gosmp_take_integers(C.uint(len(variables)))
	idleIntegers.Unlock()
	if v.shared == nil {
		return v, false
	}
	settable := unsafe.Slice((*bool)(unsafe.Pointer(v.shared.settable)), len(variables))
	v.set = unsafe.Slice((*bool)(unsafe.Pointer(v.shared.set)), len(variables))
	clear(v.set)
	end := 0
	for k, x := range variables {
		settable[k] = x.Causality == fmi.Input && x.Type == fmi.Integer &&
			x.Min == nil && x.Max == nil
		if settable[k] {
			end = k + 1
		}
	}
	v.set = v.set[:end]
	v.shared.changed, v.shared.allowed = 0, 0
	return v, true
}

// values returns the values, indexed by value reference.
func (v *integers) values() []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(v.shared.values)), int(v.shared.count))
}

// enter passes the values that the loader has set to the instance. In FMI 3.0 nothing is shared.
func (v *integers) enter(i *fmu.Instance) {
	if v.shared != nil && v.shared.changed != 0 {
		i.IntegersSet(v.set, uint32(v.shared.changed))
		v.shared.changed = 0
	}
}

// leave lets the loader serve the calls that are allowed in the current state.
func (v *integers) leave(i *fmu.Instance) {
	if v.shared == nil {
		return
	}
	v.shared.allowed = 0
	if get, set := i.DirectIntegers(); get {
		v.shared.allowed = C.gosmp_may_get
		if set {
			v.shared.allowed |= C.gosmp_may_set
		}
	}
}

// release ends the use by an instance: the loader then finds no owner.
func (v *integers) release() {
	if v.shared != nil {
		v.shared.owner, v.shared.allowed = 0, 0
	}
}

// give makes the memory available to another instance.
func (v *integers) give() {
	if v.shared == nil {
		return
	}
	idleIntegers.Lock()
	C.gosmp_give_integers(v.shared)
	idleIntegers.Unlock()
}

//export gosmp_integers_of
func gosmp_integers_of(handle C.fmi2Component) *C.gosmp_integers {
	c := components.find(uintptr(handle))
	if c == nil {
		return nil
	}
	return c.integers.shared
}
