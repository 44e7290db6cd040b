package export

/*
#include <stdlib.h>
#include "host.h"
*/
import "C"

import (
	"fmt"
	"strings"
	"unsafe"

	"gosmp/fmi"
	"gosmp/fmu"
)

// The parts of a component that differ in FMI 3.0.

// instantiate3 creates the instance of c. On failure, the queue contains the reason, even if
// logging is off, because the host has no other way to learn it.
func (c *component) instantiate3(token, resourcePath string, o fmu.Options3) (ok bool) {
	const name = "fmi3InstantiateCoSimulation"
	defer c.survive(name)
	d, err := definition(fmi.FMI3)
	if err == nil {
		err = c.create(d, fmu.Config{GUID: token, Resources: folder(resourcePath), Options3: o,
			LoggingOn: o.LoggingOn})
	}
	if err == nil {
		c.shared = takeBinaries(d.Variables.All())
	}
	if err != nil {
		c.complain(name, err)
	}
	return err == nil
}

// folder returns a path without the separator that FMI 3.0 puts at its end.
func folder(path string) string {
	if short := strings.TrimRight(path, `/\`); short != "" && !strings.HasSuffix(short, ":") {
		return short
	}
	return path
}

// flush3 passes messages to the host's logger.
func (c *component) flush3(queue []fmu.Message) {
	if c.logger3 == nil {
		return
	}
	for _, m := range queue {
		category, text := C.CString(m.Category), C.CString(m.Text)
		C.gosmp_call_logger3(c.logger3, C.uintptr_t(c.environment), C.fmi3Status(m.Status),
			category, text)
		C.gosmp_free(category)
		C.gosmp_free(text)
	}
}

// enter3 finds the component of a call and locks it; it returns nil if it finds none.
func enter3(handle C.fmi3Instance, f fmu.Function) *component {
	return enterAny(uintptr(handle), f, fmi.FMI3)
}

// leave3 is like leave, for FMI 3.0.
func (c *component) leave3(status *C.fmi3Status) {
	if r := recover(); r != nil {
		*status = C.fmi3Status(c.Panicked(c.function, r))
	}
	c.end()
}

// plain3 implements functions whose only argument is the component.
func plain3(handle C.fmi3Instance, f fmu.Function, call func(*fmu.Instance) fmi.Status) (
	status C.fmi3Status) {
	c := enter3(handle, f)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	return C.fmi3Status(call(c.Instance))
}

// lacking3 implements functions that need a capability that the FMU lacks.
func lacking3(handle C.fmi3Instance, f fmu.Function) C.fmi3Status {
	return plain3(handle, f, func(i *fmu.Instance) fmi.Status { return i.Unsupported(f) })
}

// arrays3 is like arrays, for FMI 3.0.
func (c *component) arrays3(n C.size_t, status *C.fmi3Status, pointers ...unsafe.Pointer) bool {
	return c.bounded3(n, maxElements, status, pointers...)
}

func (c *component) bounded3(n, limit C.size_t, status *C.fmi3Status,
	pointers ...unsafe.Pointer) bool {
	wrong, ok := c.judge(n, limit, pointers)
	if !ok {
		*status = C.fmi3Status(wrong)
	}
	return ok
}

// access3 implements the Get and Set functions: it finds the component, checks the arrays and does
// the work.
func access3(handle C.fmi3Instance, f fmu.Function, vr C.fmi3ValueReferences, n C.size_t,
	values unsafe.Pointer, nValues C.size_t, work func(*component, []uint32) fmi.Status) (
	status C.fmi3Status) {
	c := enter3(handle, f)
	if c == nil {
		return C.fmi3Error
	}
	defer c.leave3(&status)
	if !c.arrays3(n, &status, unsafe.Pointer(vr)) || !c.arrays3(nValues, &status, values) {
		return status
	}
	return C.fmi3Status(work(c, slice[uint32](vr, n)))
}

// texts3 copies an array of C strings. If one of them is NULL, it completes the call with an error.
func (c *component) texts3(n C.size_t, values C.fmi3Strings) ([]string, fmi.Status) {
	texts := make([]string, n)
	for k, s := range slice[C.fmi3String](values, n) {
		if s == nil {
			return nil, c.Rejected(c.function, fmt.Sprintf("string %d", k), "NULL",
				"text that ends in a zero byte")
		}
		texts[k] = C.GoString((*C.char)(unsafe.Pointer(s)))
	}
	return texts, fmi.OK
}
