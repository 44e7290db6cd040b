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

// component is the object behind an fmi2Component or fmi3Instance: an instance, the host's
// callbacks, and memory that the host may read.
type component struct {
	*fmu.Instance
	mu          sync.Mutex // the host must not call concurrently; if it does, calls are serialized
	closed      bool
	function    fmu.Function
	version     fmi.Version
	logger      C.fmi2CallbackLogger
	logger3     C.fmi3LogMessageCallback // of FMI 3.0
	environment uintptr
	name        *C.char
	queue       []fmu.Message
	integers    integers  // of FMI 2.0
	strings     []*C.char // returned by GetString, valid until the next call
	binaries    binaries  // of FMI 3.0
	shared      sharedBinaries
}

var (
	components table
	snapshots  stateTable
)

func newComponent(name C.fmi2String, callbacks C.fmi2Callbacks) *component {
	c := &component{name: C.CString(text(name)), version: fmi.FMI2}
	if callbacks != nil {
		c.logger, c.environment = callbacks.logger, uintptr(callbacks.componentEnvironment)
	}
	return c
}

// instantiate creates the instance of c. On failure, the queue contains the reason.
func (c *component) instantiate(kind C.fmi2Type, guid, resourceLocation string,
	loggingOn bool) (ok bool) {
	defer c.survive("fmi2Instantiate")
	config := fmu.Config{GUID: guid, LoggingOn: loggingOn}
	d, err := definition(fmi.FMI2)
	if err == nil && kind != C.fmi2CoSimulation {
		err = fault.New(fmu.ErrArgument, fault.At("fmuType"), fmt.Sprint(kind),
			fmt.Sprint(C.fmi2CoSimulation)).WithHint("this FMU supports only co-simulation")
	}
	if err == nil {
		config.Resources, err = fmu.ResourcePath(resourceLocation)
	}
	if err == nil {
		config.Integers, err = c.takeIntegers(d)
	}
	if err == nil {
		err = c.create(d, config)
	}
	if err != nil {
		c.complain("fmi2Instantiate", err)
	}
	return err == nil
}

// create performs the part of instantiation that all versions of FMI share.
func (c *component) create(d *fmu.Definition, config fmu.Config) (err error) {
	config.Version, config.InstanceName = c.version, C.GoString(c.name)
	config.Introduction = introduction(d)
	config.Deliver, config.Memory = c.enqueue, &heap{}
	c.Instance, err = fmu.Instantiate(d, config)
	return err
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

// complain queues the log line of a function that has no status to return. No instance exists that
// could format the text.
func (c *component) complain(function string, err error) {
	c.enqueue(fmu.Message{Status: fmi.Error, Category: fmi.LogStatusError,
		Text: function + ": " + fmu.Printable(err.Error())})
}

// survive is deferred to recover from a panic of a model while its instance is created or freed,
// when there is no status to return.
func (c *component) survive(function string) {
	if r := recover(); r != nil {
		c.complain(function, fmt.Errorf("%w: %v", fmu.ErrPanic, r))
	}
}

// enter finds the component of a call and locks it; it returns nil if it finds none.
func enter(handle C.fmi2Component, f fmu.Function) *component {
	return enterAny(uintptr(handle), f, fmi.FMI2)
}

// enterAny is like enter, for any version of FMI. It does not accept a component of another
// version.
func enterAny(handle uintptr, f fmu.Function, v fmi.Version) *component {
	c := components.find(handle)
	if c == nil || c.version != v {
		return nil
	}
	c.mu.Lock()
	if c.closed { // while this call was blocked
		c.mu.Unlock()
		return nil
	}
	c.integers.enter(c.Instance)
	c.shared.enter(c.Instance)
	c.function = f
	return c
}

// leave ends every call: it turns a panic into fmi2Fatal, unlocks, and only then calls the host's
// logger.
func (c *component) leave(status *C.fmi2Status) {
	if r := recover(); r != nil {
		*status = C.fmi2Status(c.Panicked(c.function, r))
	}
	c.end()
}

func (c *component) end() {
	queue := c.queue
	c.queue = nil
	c.integers.leave(c.Instance)
	c.shared.leave(c.Instance)
	c.mu.Unlock()
	c.flush(queue)
}

func (c *component) enqueue(m fmu.Message) { c.queue = append(c.queue, m) }

// flush passes messages to the host's logger.
func (c *component) flush(queue []fmu.Message) {
	switch {
	case len(queue) == 0:
		return
	case c.version >= fmi.FMI3:
		c.flush3(queue)
		return
	case c.logger == nil:
		return
	}
	for _, m := range queue {
		category := C.CString(m.Category)
		// the logger's text is a format string, in which '%' begins a conversion
		text := C.CString(strings.ReplaceAll(m.Text, "%", "%%"))
		C.gosmp_call_logger(c.logger, C.uintptr_t(c.environment), c.name, C.fmi2Status(m.Status),
			category, text)
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
	defer c.integers.release()
	defer c.shared.release()
	func() {
		defer c.survive(fmt.Sprintf("fmi%dFreeInstance", int(c.version)))
		c.Free()
	}()
	return c.queue
}

// free releases the memory of a component that is no longer reachable.
func (c *component) free() {
	c.freeStrings()
	c.binaries.free()
	c.integers.give()
	c.shared.give()
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

// Upper limits of array lengths; a larger length is a mistake. Some arrays are copied, and a Go
// program that runs out of memory takes the host down.
const (
	maxElements = 1 << 20 // of variables or categories
	// of a serialized state: the maximum that fits into an address space.
	maxBytes = math.MaxInt >> ((strconv.IntSize - 32) / 2)
)

// arrays reports whether n elements can be read through all the pointers; if not, it completes the
// call with an error.
func (c *component) arrays(n C.size_t, status *C.fmi2Status, pointers ...unsafe.Pointer) bool {
	return c.bounded(n, maxElements, status, pointers...)
}

func (c *component) bounded(n, limit C.size_t, status *C.fmi2Status,
	pointers ...unsafe.Pointer) bool {
	wrong, ok := c.judge(n, limit, pointers)
	if !ok {
		*status = C.fmi2Status(wrong)
	}
	return ok
}

// judge does the work of arrays for all versions of FMI.
func (c *component) judge(n, limit C.size_t, pointers []unsafe.Pointer) (fmi.Status, bool) {
	if n > limit {
		return c.Rejected(c.function, "array length", uint64(n), fmt.Sprintf("at most %d", limit)),
			false
	}
	for _, p := range pointers {
		if n > 0 && p == nil {
			return c.Rejected(c.function, "array pointer", "NULL",
				fmt.Sprintf("an array of %d elements", uint64(n))), false
		}
	}
	return fmi.OK, true
}

// slice returns n elements of a C array, which arrays has checked, as a Go slice.
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
