//go:build linux && cgo

package worker

// #include "worker.h"
import "C"

import (
	"slices"
	"time"
	"unsafe"
)

// Batch is a sequence of steps that a worker executes in order for one request. Wires carry values
// from one step to later ones within the worker.
type Batch struct {
	wiring
	memory *C.gw_batch
	stages []C.gw_stage
	sent   []*Arguments
}

// wiring holds the wires of several steps in a worker.
type wiring struct {
	process *Process
	wires   [][]C.gw_wire // before each step
}

// NewBatch creates a batch of at most n steps. It fails with [ErrFull].
func (p *Process) NewBatch(n int) (*Batch, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	offset, err := p.reserve(int(C.sizeof_gw_batch) + n*int(C.sizeof_gw_stage))
	if err != nil {
		return nil, err
	}
	first := (*C.gw_stage)(unsafe.Pointer(&p.memory[offset+C.sizeof_gw_batch]))
	return &Batch{wiring: wiring{p, make([][]C.gw_wire, n)},
		memory: (*C.gw_batch)(unsafe.Pointer(&p.memory[offset])),
		stages: unsafe.Slice(first, n), sent: make([]*Arguments, n)}, nil
}

// Wire carries n values before a step: from the plan that an earlier step reads, beginning at
// fromAt, to the plan that this step sets, beginning at toAt. If blobs is true, the values are
// texts and binaries; otherwise they are plain values.
func (b *wiring) Wire(step int, from *Plan, fromAt int, to *Plan, toAt, n int, blobs bool) {
	offset := func(l *Plan, at int) C.uint64_t {
		if blobs {
			return C.uint64_t(l.blobsAt + 16*uint64(at))
		}
		return C.uint64_t(l.cellsAt + 8*uint64(at))
	}
	w := C.gw_wire{from: offset(from, fromAt), to: offset(to, toAt), cells: C.uint32_t(n)}
	if blobs {
		w.cells, w.blobs = 2*w.cells, 1
	}
	b.wires[step] = append(b.wires[step], w)
}

// Lay lays out the wires in shared memory, once all wires are known. It fails with [ErrFull].
func (b *Batch) Lay() error {
	b.process.mu.Lock()
	defer b.process.mu.Unlock()
	for k := range b.stages {
		offset, count, err := b.lay(k)
		if err != nil {
			return err
		}
		b.stages[k].wire, b.stages[k].wires = offset, count
	}
	return nil
}

// lay lays out the wires before a step. The process must be locked.
func (b *wiring) lay(step int) (offset C.uint64_t, count C.uint32_t, err error) {
	wires := b.wires[step]
	if len(wires) == 0 {
		return 0, 0, nil
	}
	at, err := b.process.reserve(len(wires) * int(C.sizeof_gw_wire))
	if err != nil {
		return 0, 0, err
	}
	copy(unsafe.Slice((*C.gw_wire)(unsafe.Pointer(&b.process.memory[at])), len(wires)), wires)
	return C.uint64_t(at), C.uint32_t(len(wires)), nil
}

// Set sets the arguments of a step, which must not change until Do has returned.
func (b *Batch) Set(step int, a *Arguments) {
	b.sent[step] = a
	fill(&b.stages[step].command, Step, a)
}

// Do executes the first count steps like count calls of [Process.Do], except that it ends early
// after a step that the caller must examine before the next one, that is, a step with a status
// other than OK or Warning, an early return, a request to terminate or changed floating-point
// settings. The limit applies to each step. Do appends the replies to the executed steps to a
// slice; the error is about the next step.
func (b *Batch) Do(count int, limit time.Duration, replies []Reply) ([]Reply, error) {
	p := b.process
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.memory == nil {
		return replies, &DeathError{Cause: ErrEnded, Group: -1}
	}
	b.memory.count = C.uint32_t(count)
	c := &p.control.command
	fill(c, Operation(C.GW_BATCH), &Arguments{})
	c.batch = C.uint64_t(uintptr(unsafe.Pointer(b.memory)) - uintptr(unsafe.Pointer(&p.memory[0])))
	var counted C.uint32_t
	answer := C.gw_call_batch(p.control, b.memory, p.peer, C.int64_t(limit), &counted)
	done := min(int(counted), count)
	if answer == C.GW_TIMED_OUT {
		p.kill(ErrTimeout)
	}
	if answer != 0 {
		<-p.ended
		done = min(done, count-1) // the last step has no reply
	}
	replies = slices.Grow(replies, done)
	for k := range done {
		r, err := p.read(Step, &b.stages[k].reply)
		if err != nil {
			return replies, err
		}
		replies = append(replies, r)
	}
	if answer != 0 {
		return replies, p.death(b.sent[done], limit)
	}
	return replies, nil
}
