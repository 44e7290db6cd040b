package fmitest

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../../export -I${SRCDIR}/../chost/c
#cgo LDFLAGS: -lpthread
#include <stdlib.h>
#define GOSMP_HANDLES_ARE_NUMBERS
#include "importer.h"
*/
import "C"

import (
	"unsafe"

	"gosmp/fmi"
	"gosmp/internal/state"
)

// Line is one call of the host's logger. Text is the message after printf, without arguments.
type Line struct {
	Status   fmi.Status
	Category string // "NULL" if the FMU passed no name
	Instance string
	Text     string
}

// Host is an environment: one componentEnvironment and its logger. It must be closed after its
// instances have been freed.
type Host struct{ c *C.host }

// NewHost creates a host with an empty log.
func NewHost() *Host { return &Host{C.host_new()} }

// Close releases the host's memory.
func (h *Host) Close() { C.host_free(h.c) }

// Lines returns the lines since the last call of Lines.
func (h *Host) Lines() []Line {
	var lines []Line
	for _, l := range unsafe.Slice(h.c.lines, int(h.c.count)) {
		line := Line{fmi.Status(l.status), C.GoString(&l.category[0]), C.GoString(&l.instance[0]),
			C.GoString(l.text)}
		if l.category_missing != 0 {
			line.Category = "NULL"
		}
		lines = append(lines, line)
	}
	C.host_forget(h.c)
	return lines
}

// Reenter makes the logger query a status of c, as some hosts do. 0 disables this.
func (h *Host) Reenter(c Component) { h.c.reenter = c.raw() }

// Strays counts the lines that reached a logger with an environment that is not a host.
func Strays() int { return int(C.host_strays()) }

// Arguments holds the arguments of fmi2Instantiate. A nil string is passed as NULL.
type Arguments struct {
	Name, GUID, Resources           *string
	ModelExchange                   bool
	LoggingOn                       bool
	WithoutCallbacks, WithoutLogger bool
}

// Usual returns arguments that fmi2Instantiate must accept.
func Usual(name string) Arguments {
	id, resources := GUID, "file:///nowhere/resources"
	return Arguments{Name: &name, GUID: &id, Resources: &resources, LoggingOn: true}
}

// Instantiate calls fmi2Instantiate. The arguments are freed when it returns.
func (h *Host) Instantiate(a Arguments) Component {
	in := C.host_arguments{_type: C.fmi2CoSimulation}
	for _, s := range []struct {
		from *string
		to   **C.char
	}{{a.Name, &in.name}, {a.GUID, &in.guid}, {a.Resources, &in.resources}} {
		if s.from != nil {
			*s.to = C.CString(*s.from)
			defer C.free(unsafe.Pointer(*s.to))
		}
	}
	if a.ModelExchange {
		in._type = C.fmi2ModelExchange
	}
	in.logging_on = C.int(state.Flag(a.LoggingOn))
	in.without_callbacks, in.without_logger = C.int(state.Flag(a.WithoutCallbacks)),
		C.int(state.Flag(a.WithoutLogger))
	return Component(C.host_instantiate(h.c, in))
}

// Heap returns the number of bytes in use on C's heap, or 0 if the C library does not report it.
func Heap() int { return int(C.host_heap()) }

// ChecksumAt returns the checksum of n bytes at an address that the FMU has published.
func ChecksumAt(address uint64, n int) uint32 {
	return uint32(C.host_checksum_at(C.uint64_t(address), C.size_t(n)))
}

// references holds, in C's memory, the variables of the test model that the C part uses.
var references = func() *C.host_references {
	r := (*C.host_references)(C.calloc(1, C.sizeof_host_references))
	for k, ref := range DataInReferences {
		r.in[k] = C.fmi2ValueReference(ref)
	}
	for k, ref := range DataOutReferences {
		r.out[k] = C.fmi2ValueReference(ref)
	}
	r.checksum = C.fmi2ValueReference(IntegerChecksum)
	return r
}()

// Rounds sets DataIn, performs steps and gets DataOut, all in C, without a Go allocation of its
// own.
func (c Component) Rounds(start, step float64, rounds int) fmi.Status {
	return fmi.Status(C.host_rounds(c.raw(), references, C.double(start), C.double(step),
		C.size_t(rounds)))
}

// Steps calls fmi2DoStep n times.
func (c Component) Steps(start, step float64, n int) fmi.Status {
	return fmi.Status(C.host_steps(c.raw(), C.double(start), C.double(step), C.size_t(n)))
}

// GetMany calls fmi2GetInteger for DataOut n times.
func (c Component) GetMany(n int) fmi.Status {
	return fmi.Status(C.host_get_integers(c.raw(), &references.out[0], 3, C.size_t(n)))
}

// SetMany calls fmi2SetInteger for DataIn n times.
func (c Component) SetMany(n int) fmi.Status {
	return fmi.Status(C.host_set_integers(c.raw(), &references.in[0], 3, C.size_t(n)))
}

// VanishingInput steps 2 x rounds times with inputs that become inaccessible when fmi2DoStep
// returns, and returns the number of successful rounds. A forbidden access ends the process.
func (c Component) VanishingInput(step float64, rounds int) int {
	return int(C.host_vanishing_input(c.raw(), references, C.double(step), C.size_t(rounds)))
}

// Threads runs instances on threads, each for the given number of steps, and returns the number of
// failures.
func Threads(threads, instances, rounds int) (faults int) {
	id := C.CString(GUID)
	defer C.free(unsafe.Pointer(id))
	crowd := (*C.host_crowd)(C.calloc(1, C.sizeof_host_crowd))
	defer C.free(unsafe.Pointer(crowd))
	*crowd = C.host_crowd{guid: id, references: *references, threads: C.size_t(threads),
		instances: C.size_t(instances), rounds: C.size_t(rounds)}
	return int(C.host_threads(crowd))
}

// Contend frees c while threads read it, and returns the number of calls with an unexpected result.
func (c Component) Contend(threads int) (faults int) {
	return int(C.host_contend(c.raw(), references, C.size_t(threads)))
}

// ForeignFirst makes new threads pass an invalid component number to each function in their first
// call, and returns the number of calls that did not return fmi2Error.
func ForeignFirst(c Component, threads int) (faults int) {
	return int(C.host_foreign_first(C.uintptr_t(c), C.size_t(threads)))
}

// ForeignStates does this with an invalid state number.
func (c Component) ForeignStates(s State, threads int) (faults int) {
	return int(C.host_foreign_states(c.raw(), C.uintptr_t(s), C.size_t(threads)))
}
