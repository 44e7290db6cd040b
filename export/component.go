package export

/*
#include "host.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/fault"
	"gosmp/internal/release"
	"gosmp/proto/osi"
)

// component is the object behind a fmi2Component: an instance, the host's callbacks, and memory
// that the host may read.
type component struct {
	*fmu.Instance
	mu          sync.Mutex // the host must not call concurrently; if it does, calls are serialized
	closed      bool
	function    fmu.Function
	logger      C.fmi2CallbackLogger
	environment uintptr
	name        *C.char
	queue       []fmu.Message
	integers    integers
	strings     []*C.char // returned by fmi2GetString, valid until the next call
}

var (
	components table
	snapshots  stateTable
)

func newComponent(name C.fmi2String, callbacks C.fmi2Callbacks) *component {
	c := &component{name: C.CString(text(name))}
	if callbacks != nil {
		c.logger, c.environment = callbacks.logger, uintptr(callbacks.componentEnvironment)
	}
	return c
}

// instantiate creates the instance behind c. On failure the reason is in the queue.
func (c *component) instantiate(kind C.fmi2Type, guid, resourceLocation string, loggingOn bool) (ok bool) {
	defer c.survive("fmi2Instantiate")
	config := fmu.Config{
		InstanceName: C.GoString(c.name), GUID: guid, LoggingOn: loggingOn, Deliver: c.enqueue, Memory: &heap{},
	}
	d, err := definition()
	if err == nil && kind != C.fmi2CoSimulation {
		err = &fault.Error{Place: fault.At("fmuType"), Kind: fmu.ErrArgument, Found: fmt.Sprint(kind),
			Expected: fmt.Sprint(C.fmi2CoSimulation), Hint: "this FMU is for co-simulation alone"}
	}
	if err == nil {
		config.Resources, err = fmu.ResourcePath(resourceLocation)
	}
	if err == nil {
		config.Introduction = introduction(d)
		config.Integers, err = c.takeIntegers(d)
	}
	if err == nil {
		c.Instance, err = fmu.Instantiate(d, config)
	}
	if err != nil {
		c.complain("fmi2Instantiate", err)
	}
	return err == nil
}

// takeIntegers returns the memory for the instance's integer variables.
func (c *component) takeIntegers(d *fmu.Definition) (values []int32, err error) {
	var ok bool
	if c.integers, ok = takeIntegers(d.Variables.OfType(fmi.Integer)); !ok {
		return nil, errors.New("out of memory for the integer variables")
	}
	return c.integers.values(), nil
}

// introduction returns the versions that a bug report needs. A definition without a version is not
// a release and gets no introduction.
func introduction(d *fmu.Definition) string {
	if d.Version == "" {
		return ""
	}
	return fmt.Sprintf("%s %s, made with %s (%s) for OSI %s, guid %s",
		d.ModelName, d.Version, release.Tool, runtime.Version(), osi.Version, d.GUID)
}

// complain queues the log line of a function that has no status to return. There is no instance
// that could format the text.
func (c *component) complain(function string, err error) {
	c.enqueue(fmu.Message{Status: fmi.Error, Category: fmi.LogStatusError, Text: function + ": " + fmu.Printable(err.Error())})
}

// survive, deferred, recovers from a panic of a model while its instance is created or freed, when
// there is no status to return.
func (c *component) survive(function string) {
	if r := recover(); r != nil {
		c.complain(function, fmt.Errorf("%w: %v", fmu.ErrPanic, r))
	}
}

// enter finds the component of a call and locks it; it returns nil if there is none.
func enter(handle C.fmi2Component, f fmu.Function) *component {
	c := components.find(uintptr(handle))
	if c == nil {
		return nil
	}
	c.mu.Lock()
	if c.closed { // by fmi2FreeInstance, while this call was blocked
		c.mu.Unlock()
		return nil
	}
	c.integers.enter()
	if c.integers.shared.changed != 0 {
		c.integers.adopt(c.Instance)
	}
	c.function = f
	return c
}

// leave ends every call: it turns a panic into fmi2Fatal, unlocks, and only then calls the host's
// logger.
func (c *component) leave(status *C.fmi2Status) {
	if r := recover(); r != nil {
		*status = C.fmi2Status(c.Panicked(c.function, r))
	}
	queue := c.queue
	c.queue = nil
	c.integers.leave(c.Instance)
	c.mu.Unlock()
	c.flush(queue)
}

func (c *component) enqueue(m fmu.Message) { c.queue = append(c.queue, m) }

// flush passes messages to the host's logger.
func (c *component) flush(queue []fmu.Message) {
	if c.logger == nil {
		return
	}
	for _, m := range queue {
		category := C.CString(m.Category)
		text := C.CString(strings.ReplaceAll(m.Text, "%", "%%")) // the logger's text is a format string, in which '%' begins a conversion
		C.gosmp_call_logger(c.logger, C.uintptr_t(c.environment), c.name, C.fmi2Status(m.Status), category, text)
		C.gosmp_free(category)
		C.gosmp_free(text)
	}
}

// close ends the instance of a component that has been removed from the table, and returns the
// messages to log.
func (c *component) close() []fmu.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.integers.enter()
	defer c.integers.release()
	func() {
		defer c.survive("fmi2FreeInstance")
		c.Free()
	}()
	return c.queue
}

// free releases the memory of a component that is no longer reachable.
func (c *component) free() {
	c.freeStrings()
	c.integers.give()
	snapshots.removeOf(c)
	C.gosmp_free(c.name)
}

func (c *component) freeStrings() {
	for _, p := range c.strings {
		C.gosmp_free(p)
	}
	clear(c.strings) // up to its capacity, so that no dangling pointer remains
	c.strings = c.strings[:0]
}

// Upper bounds of array lengths; a larger length is a mistake. Some arrays are copied, and a Go
// program that runs out of memory takes the host down.
const (
	maxElements = 1 << 20                                     // of variables or categories
	maxBytes    = math.MaxInt >> ((strconv.IntSize - 32) / 2) // of a serialized state: the most that an address space can hold
)

// arrays reports whether n elements can be read through all the pointers; if not, it completes the
// call with an error.
func (c *component) arrays(n C.size_t, status *C.fmi2Status, pointers ...unsafe.Pointer) bool {
	return c.bounded(n, maxElements, status, pointers...)
}

func (c *component) bounded(n, limit C.size_t, status *C.fmi2Status, pointers ...unsafe.Pointer) bool {
	if n > limit {
		*status = C.fmi2Status(c.Rejected(c.function, "array length", uint64(n), fmt.Sprintf("at most %d", limit)))
		return false
	}
	for _, p := range pointers {
		if n > 0 && p == nil {
			*status = C.fmi2Status(c.Rejected(c.function, "array pointer", "NULL", fmt.Sprintf("an array of %d elements", uint64(n))))
			return false
		}
	}
	return true
}

// slice views n elements of a C array that arrays has checked.
func slice[To, From any](p *From, n C.size_t) []To {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*To)(unsafe.Pointer(p)), int(n))
}

// text converts a C string; NULL is the empty string.
func text(s C.fmi2String) string {
	if s == nil {
		return ""
	}
	return C.GoString((*C.char)(unsafe.Pointer(s)))
}
