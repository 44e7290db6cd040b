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
)

// table maps handles to Go values. Reading takes no lock, because every fmi2 call reads; a change copies the map, because
// instances and states come and go rarely.
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

func newHandle() unsafe.Pointer {
	return unsafe.Pointer(&C.gosmp_handles[next.Add(1)%C.gosmp_handle_count])
}
