package export

/*
#include "host.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"gosmp/fmu"
)

// table maps handles to components. Reading takes no lock and is as quick as can be, because every fmi2 call reads; a change
// copies the map, because instances come and go rarely.
type table struct {
	mu      sync.Mutex
	entries atomic.Pointer[map[uintptr]*component]
}

// next is the position of the next handle, shared by all tables. Positions are used in turn, so that a handle that was freed
// does not name something else until a million others have been given out.
var next atomic.Uint64

func (t *table) find(handle uintptr) *component {
	if m := t.entries.Load(); m != nil {
		return (*m)[handle]
	}
	return nil
}

func (t *table) add(c *component) uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	handle := newHandle()
	for t.find(handle) != nil {
		handle = newHandle()
	}
	m := t.without(handle)
	m[handle] = c
	t.entries.Store(&m)
	return handle
}

// remove takes a component out; only one of several callers gets it.
func (t *table) remove(handle uintptr) *component {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.find(handle)
	if c != nil {
		m := t.without(handle)
		t.entries.Store(&m)
	}
	return c
}

// without is a copy of all entries but one.
func (t *table) without(handle uintptr) map[uintptr]*component {
	others := map[uintptr]*component{}
	if m := t.entries.Load(); m != nil {
		for h, c := range *m {
			if h != handle {
				others[h] = c
			}
		}
	}
	return others
}

// savedState is what a fmi2FMUstate stands for.
type savedState struct {
	*fmu.Snapshot
	owner *component // the instance it goes with; any other may restore and free it
}

// stateTable maps handles to saved states. A host may keep one for every step, so that a change must not copy them all.
type stateTable struct {
	mu      sync.Mutex
	entries map[uintptr]*savedState
}

func (t *stateTable) find(handle uintptr) *savedState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries[handle]
}

// add returns 0 when all handles are in use.
func (t *stateTable) add(s *savedState) uintptr {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.entries) == C.gosmp_handle_count {
		return 0
	}
	if t.entries == nil {
		t.entries = map[uintptr]*savedState{}
	}
	handle := newHandle()
	for t.entries[handle] != nil {
		handle = newHandle()
	}
	t.entries[handle] = s
	return handle
}

func (t *stateTable) remove(handle uintptr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.entries, handle)
}

// removeOf drops the states that an instance has left behind.
func (t *stateTable) removeOf(owner *component) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for handle, s := range t.entries {
		if s.owner == owner {
			delete(t.entries, handle)
		}
	}
}

func newHandle() uintptr {
	return uintptr(unsafe.Pointer(&C.gosmp_handles[next.Add(1)%C.gosmp_handle_count]))
}
