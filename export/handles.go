package export

/*
#include "host.h"
*/
import "C"

import (
	"maps"
	"sync"
	"sync/atomic"
	"unsafe"

	"gosmp/fmu"
)

// table maps handles to Go values. Reading takes no lock and is as quick as can be, because every fmi2 call reads; a change
// copies the map, because instances come and go rarely.
type table[T any] struct {
	mu      sync.Mutex
	entries atomic.Pointer[map[unsafe.Pointer]T]
}

// next is the position of the next handle, shared by all tables. Positions are used in turn, so that a handle that was freed
// does not name something else until a million others have been given out.
var next atomic.Uint64

func (t *table[T]) find(handle unsafe.Pointer) (value T, found bool) {
	if m := t.entries.Load(); m != nil {
		value, found = (*m)[handle]
	}
	return value, found
}

func (t *table[T]) add(value T) unsafe.Pointer {
	t.mu.Lock()
	defer t.mu.Unlock()
	handle := newHandle()
	for _, taken := t.find(handle); taken; _, taken = t.find(handle) {
		handle = newHandle()
	}
	m := t.copy()
	m[handle] = value
	t.entries.Store(&m)
	return handle
}

// remove takes a value out; only one of several callers gets it.
func (t *table[T]) remove(handle unsafe.Pointer) (value T, found bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if value, found = t.find(handle); found {
		m := t.copy()
		delete(m, handle)
		t.entries.Store(&m)
	}
	return value, found
}

func (t *table[T]) copy() map[unsafe.Pointer]T {
	if m := t.entries.Load(); m != nil {
		return maps.Clone(*m)
	}
	return map[unsafe.Pointer]T{}
}

// savedState is what a fmi2FMUstate stands for.
type savedState struct {
	*fmu.Snapshot
	owner *component // the instance it goes with; any other may restore and free it
}

// stateTable maps handles to saved states. A host may keep one for every step, so that a change must not copy them all.
type stateTable struct{ entries sync.Map }

func (t *stateTable) find(handle unsafe.Pointer) (*savedState, bool) {
	s, found := t.entries.Load(handle)
	if !found {
		return nil, false
	}
	return s.(*savedState), true
}

func (t *stateTable) add(s *savedState) unsafe.Pointer {
	for {
		handle := newHandle()
		if _, taken := t.entries.LoadOrStore(handle, s); !taken {
			return handle
		}
	}
}

func (t *stateTable) remove(handle unsafe.Pointer) { t.entries.Delete(handle) }

// removeOf drops the states that an instance has left behind.
func (t *stateTable) removeOf(owner *component) {
	t.entries.Range(func(handle, s any) bool {
		if s.(*savedState).owner == owner {
			t.entries.Delete(handle)
		}
		return true
	})
}

func newHandle() unsafe.Pointer {
	return unsafe.Pointer(&C.gosmp_handles[next.Add(1)%C.gosmp_handle_count])
}
