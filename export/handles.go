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

// table maps handles to components. Reads take no lock because every fmi2 call reads the table. A
// change copies the map because instances rarely come and go.
type table struct {
	mu      sync.Mutex
	entries atomic.Pointer[map[uintptr]*component]
}

// next is the position of the next handle, shared by all tables. Positions are assigned in turn, so
// that a freed handle is not reused until a million others have been assigned.
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

// remove removes a component; only one of several concurrent callers receives it.
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

// without returns a copy of all entries except one.
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

// savedState is the object behind an fmi2FMUstate.
type savedState struct {
	*fmu.Snapshot
	owner *component // instance whose end frees the state; any other may restore and free it
}

// stateTable maps handles to saved states. A host may keep a state for every step, so a change must
// not copy the whole table.
type stateTable struct {
	mu      sync.Mutex
	entries map[uintptr]*savedState
}

func (t *stateTable) find(handle uintptr) *savedState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.entries[handle]
}

// add assigns a handle to a state; it returns 0 if all handles are in use.
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

// removeOf drops the remaining states of an instance.
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
