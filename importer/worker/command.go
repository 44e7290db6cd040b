//go:build linux && cgo

package worker

// #include "worker.h"
import "C"

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gosmp/cosim"
)

// The kinds have the same numbers on both sides.
var _ = [1]struct{}{}[C.GW_FLOAT64-cosim.Float64]
var _ = [1]struct{}{}[C.GW_BINARY-cosim.Binary]
var _ = [1]struct{}{}[C.GW_CLOCK-cosim.Clock]
var _ = [1]struct{}{}[C.GW_SHIFT_FRACTION-ShiftFraction]

// blobs returns the number of texts and binaries in the group.
func (g *Group) blobs() int {
	if g.Kind.IsBlob() || g.Kind == OSMP {
		return g.Values
	}
	return 0
}

// Plan is a list of groups that are set or read together, with space for their values in shared
// memory.
//
// Cells holds the values of all groups, in order, except texts and binaries, which are transferred
// by SetBlob and Blob. Both are valid until the worker is closed.
type Plan struct {
	process *Process
	id      int
	groups  []Group
	offset  uint64
	cellsAt uint64     // offset of cells
	blobsAt uint64     // offset of blobs
	cells   []uint64   // of the plain values
	blobs   []uint64   // two cells each
	rooms   []blobRoom // of blobs written by the host
}

type blobRoom struct {
	offset   uint64
	capacity int
}

// NewPlan lays out a plan in shared memory. It fails with [ErrFull].
func (p *Process) NewPlan(groups []Group) (*Plan, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	plain, blobs := 0, 0
	for k := range groups {
		if n := groups[k].blobs(); n > 0 {
			blobs += n
		} else {
			plain += groups[k].Values
		}
	}
	head, err := p.reserve(int(C.sizeof_gw_plan) + len(groups)*int(C.sizeof_gw_group))
	if err != nil {
		return nil, err
	}
	cells, err := p.reserve(8 * (plain + 2*blobs + 1))
	if err != nil {
		return nil, err
	}
	p.plans++
	l := &Plan{process: p, id: p.plans, groups: groups, offset: head, rooms: make([]blobRoom,
		blobs),
		cellsAt: cells, blobsAt: cells + 8*uint64(plain),
		cells: p.words(cells, plain), blobs: p.words(cells+8*uint64(plain), 2*blobs)}
	at := (*C.gw_plan)(unsafe.Pointer(&p.memory[head]))
	at.groups, at.id, at.group = C.uint32_t(len(groups)), C.uint32_t(l.id),
		C.uint64_t(head+C.sizeof_gw_plan)
	return l, l.describe(cells, cells+8*uint64(plain))
}

// describe writes the groups; plain and blobs are the offsets of the cells of the next group.
func (l *Plan) describe(plain, blobs uint64) error {
	p, first := l.process, 0
	for k := range l.groups {
		g := &l.groups[k]
		references, err := p.reserve(4 * len(g.References))
		if err != nil {
			return err
		}
		copy(unsafe.Slice((*uint32)(unsafe.Pointer(&p.memory[references])), len(g.References)),
			g.References)
		at := (*C.gw_group)(unsafe.Pointer(&p.memory[l.offset+C.sizeof_gw_plan+
			uint64(k)*C.sizeof_gw_group]))
		*at = C.gw_group{kind: C.uint32_t(g.Kind), references: C.uint32_t(len(g.References)),
			values: C.uint32_t(g.Values),
			blobs:  C.uint32_t(first), reference: C.uint64_t(references), cells: C.uint64_t(plain)}
		if n := g.blobs(); n > 0 {
			at.cells = C.uint64_t(blobs)
			blobs += 16 * uint64(n)
			first += n
		} else {
			plain += 8 * uint64(g.Values)
		}
	}
	return nil
}

// Number returns the number of the plan in replies and in a [DeathError].
func (l *Plan) Number() int { return l.id }

// Cells returns the plain values of all groups: the bits of a float64, the bits of a float32 in the
// low half, a sign-extended integer, 0 or 1 (a Boolean written by the worker may have any other
// value, which means 1).
func (l *Plan) Cells() []uint64 { return l.cells }

// SetBlob sets the k-th text or binary of the plan. Bytes in the arena of the worker are passed by
// reference and must not change until the command returns; other bytes are copied. It fails with
// [ErrFull].
func (l *Plan) SetBlob(k int, bytes []byte) error {
	room, cells := &l.rooms[k], l.blobs[2*k:2*k+2]
	if offset, ok := l.process.arena.find(bytes); ok {
		cells[0], cells[1] = offset|C.GW_IN_ARENA, uint64(len(bytes))
		return nil
	}
	if len(bytes) >= room.capacity {
		capacity := len(bytes) + len(bytes)/2 + 64
		l.process.mu.Lock()
		offset, err := l.process.reserve(capacity)
		l.process.mu.Unlock()
		if err != nil {
			return err
		}
		*room = blobRoom{offset, capacity}
	}
	copy(l.process.memory[room.offset:], bytes)
	l.process.memory[room.offset+uint64(len(bytes))] = 0 // terminates texts
	cells[0], cells[1] = room.offset, uint64(len(bytes))
	return nil
}

// Blob returns the k-th text or binary that the worker has read. Its bytes are valid until the
// second command from now that reads the plan without the flag [SamePlace]. It fails with
// [ErrProtocol] if the worker refers to a place outside its area.
func (l *Plan) Blob(k int) ([]byte, error) { return l.blobIn(l.blobs, k) }

// BlobIn is like Blob, for the cells of a step of a [Stream].
func (l *Plan) BlobIn(cells []uint64, k int) ([]byte, error) {
	return l.blobIn(cells[len(l.cells):], k)
}

func (l *Plan) blobIn(pairs []uint64, k int) ([]byte, error) {
	offset, size := atomic.LoadUint64(&pairs[2*k]), atomic.LoadUint64(&pairs[2*k+1])
	return l.process.arenaBytes(offset, size)
}

func (p *Process) words(offset uint64, n int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(&p.memory[offset])), n)
}

// reserve allocates n bytes in the host's region. mu must be locked.
func (p *Process) reserve(n int) (uint64, error) {
	const line = 64
	need := (uint64(n) + line) / line * line
	if left := uint64(len(p.memory)) - p.next; need > left {
		return 0, fmt.Errorf("%w: %d bytes are requested, %d are left", ErrFull, n, left)
	}
	offset := p.next
	p.next += need
	return offset, nil
}

// Do executes a command and waits for the reply for at most limit (0: no limit). The error is a
// [DeathError], after which every command fails, or wraps [ErrFull] or [ErrProtocol]. A failing
// status of the FMU is in the reply and is not an error here.
func (p *Process) Do(o Operation, a *Arguments, limit time.Duration) (Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.memory == nil {
		return Reply{}, &DeathError{Cause: ErrEnded, Group: -1}
	}
	if err := p.write(o, a); err != nil {
		return Reply{}, err
	}
	return p.answer(o, a, limit, C.gw_call(p.control, p.peer, C.int64_t(limit)))
}

// write writes the command.
func (p *Process) write(o Operation, a *Arguments) error {
	fill(&p.control.command, o, a)
	if len(a.Texts) == 0 && len(a.Blob) == 0 {
		return nil
	}
	return p.writeTexts(a)
}

// fill writes all of a command except texts.
func fill(c *C.gw_command, o Operation, a *Arguments) {
	c.operation, c.slot, c.flags, c.major = C.uint32_t(o), C.uint32_t(a.Slot), C.uint32_t(a.Flags),
		C.uint32_t(a.Major)
	c.state, c.count = C.uint32_t(a.State), C.uint32_t(a.Count)
	c.plan_in, c.plan_out = 0, 0
	if a.In != nil {
		c.plan_in = C.uint64_t(a.In.offset)
	}
	if a.Out != nil {
		c.plan_out = C.uint64_t(a.Out.offset)
	}
	c.time, c.step, c.tolerance, c.stop = C.double(a.Time), C.double(a.Step), C.double(a.Tolerance),
		C.double(a.Stop)
}

// writeTexts writes the texts and the blob, overwriting the ones of the previous command.
func (p *Process) writeTexts(a *Arguments) error {
	c, need := &p.control.command, len(a.Blob)
	for _, text := range a.Texts {
		need += len(text) + 1
	}
	if need > len(p.texts) {
		offset, err := p.reserve(2 * need)
		if err != nil {
			return err
		}
		p.texts, p.textsAt = p.memory[offset:offset+uint64(2*need)], offset
	}
	at := 0
	for k := range c.text {
		c.text[k] = 0
		if k < len(a.Texts) && a.Texts[k] != "" {
			c.text[k] = C.uint64_t(p.textsAt + uint64(at))
			at += copy(p.texts[at:], a.Texts[k])
			p.texts[at] = 0
			at++
		}
	}
	c.blob, c.size = C.uint64_t(p.textsAt+uint64(at)), C.uint64_t(len(a.Blob))
	copy(p.texts[at:], a.Blob)
	return nil
}

// read copies a reply, which the worker could still change, and checks its contents.
func (p *Process) read(o Operation, c *C.gw_reply) (Reply, error) {
	r := Reply{
		Status: int(c.status), Function: functionName(uint32(c.function)),
		Group: group(uint32(c.group)), Plan: int(c.plan),
		EventNeeded: c.event_needed != 0, Terminate: c.terminate != 0, Early: c.early_return != 0,
		Answered: uint32(c.answered),
		LastTime: float64(c.last_time), NextEvent: c.next_event != 0,
		NextTime: float64(c.next_event_time), More: c.more != 0,
		Address: uint64(c.address),
	}
	if r.Status < 0 || r.Status > StatusUnlike || (r.Status > 5 && r.Status < StatusNull) {
		return Reply{}, fmt.Errorf("%w: the status %d", ErrProtocol, r.Status)
	}
	if c.spoiled != 0 {
		r.Spoiled = functionName(uint32(c.spoiled))
	}
	if r.Status > 1 || o == Load {
		r.Reason = text(&c.reason)
	}
	if (o == SerializeState || o == Step && c.size > 0) && r.Status <= 1 {
		var err error
		if r.Blob, err = p.arenaBytes(uint64(c.blob), uint64(c.size)); err != nil {
			return Reply{}, err
		}
	}
	if err := p.log.await(uint64(c.logged), p.ended); err != nil {
		return Reply{}, err
	}
	return r, nil
}

func group(g uint32) int {
	if g > math.MaxInt32 {
		return -1
	}
	return int(g)
}

var functionNames = func() []string {
	names := make([]string, C.GW_FUNCTION_COUNT)
	for k := range names {
		names[k] = C.GoString(C.gw_function_name(C.uint32_t(k)))
	}
	return names
}()

func functionName(f uint32) string {
	if int64(f) < int64(len(functionNames)) {
		return functionNames[f]
	}
	return "an unknown function"
}

// text copies a text of a fixed size that may lack a terminator.
func text(c *[C.GW_REASON]C.char) string {
	bytes := make([]byte, 0, 80)
	for _, b := range c {
		if b == 0 {
			break
		}
		bytes = append(bytes, byte(b))
	}
	return string(bytes)
}

// outside lists system functions, to which no values are passed.
var outside = []string{functionNames[C.GW_dlopen], functionNames[C.GW_dlclose],
	functionNames[C.GW_exit]}

// death describes how the worker ended. The worker must have ended.
func (p *Process) death(a *Arguments, limit time.Duration) *DeathError {
	place := &p.control.place
	d := &DeathError{Cause: ErrEnded, Function: functionName(uint32(place.function)), Slot: a.Slot,
		Group: -1, Limit: limit,
		Printed: p.printed.tail()}
	if d.Function != "" && !slices.Contains(outside, d.Function) {
		d.Plan, d.Group = int(place.plan), group(uint32(place.group))
	}
	if cause := p.cause.Load(); cause != nil {
		d.Cause = *cause
		return d
	}
	if status, ok := p.state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		d.Signal = unix.SignalName(status.Signal())
		return d
	}
	d.ExitCode = p.state.ExitCode()
	return d
}
