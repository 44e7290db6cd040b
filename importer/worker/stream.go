//go:build linux && cgo

package worker

// #include "worker.h"
// #include "wait.h"
import "C"

import (
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"
)

// Stream is a long sequence of steps that a worker takes before the host asks for their results.
// Each step consists of a step of each lane, in order, and wires carry values to it from the newest
// steps of all lanes. The other inputs do not change.
type Stream struct {
	wiring
	memory *C.gw_stream
	sent   []*Arguments
	slots  uint64
	first  uint64 // offset of the first slot
	size   uint64 // of a slot
	cells  []int  // where the values of a lane begin in a slot, in cells

	times   func(step int64) (time, length float64)
	running bool
	number  C.uint32_t // of the command
	steps   uint64
	allowed uint64
	made    uint64 // steps of lanes known to have been taken
	logged  uint64 // bytes of the log delivered so far
}

const (
	mostSlots  = 64
	leastSlots = 4
	slotMemory = 1 << 20 // memory for the slots of a stream
)

// NewStream creates a stream whose lanes have the arguments of steps, except for their times. It
// fails with [ErrFull].
func (p *Process) NewStream(lanes []*Arguments) (*Stream, error) {
	s := &Stream{wiring: wiring{p, make([][]C.gw_wire, len(lanes))}, sent: lanes}
	size := int(C.sizeof_gw_slot) + len(lanes)*int(C.sizeof_gw_made)
	s.slots = mostSlots
	for _, a := range lanes {
		s.cells = append(s.cells, size/8)
		if size += 8 * a.Out.length(); a.Out != nil && len(a.Out.blobs) > 0 {
			s.slots = C.GW_BLOB_SLOTS
		}
	}
	s.size = uint64(size)
	s.slots = min(s.slots, slotMemory/s.size)
	if s.slots < leastSlots {
		return nil, fmt.Errorf("%w: steps of %d bytes in a stream", ErrFull, size)
	}
	return s, nil
}

// Lay lays out the stream in shared memory, once all wires are known. It fails with [ErrFull].
func (s *Stream) Lay() error {
	p := s.process
	p.mu.Lock()
	defer p.mu.Unlock()
	head, err := p.reserve(int(C.sizeof_gw_stream))
	if err != nil {
		return err
	}
	lanes, err := p.reserve(len(s.sent) * int(C.sizeof_gw_lane))
	if err != nil {
		return err
	}
	if s.first, err = p.reserve(int(s.slots * s.size)); err != nil {
		return err
	}
	s.memory = (*C.gw_stream)(unsafe.Pointer(&p.memory[head]))
	m := s.memory
	m.lanes, m.slots, m.lane = C.uint32_t(len(s.sent)), C.uint32_t(s.slots), C.uint64_t(lanes)
	m.slot, m.slot_size = C.uint64_t(s.first), C.uint64_t(s.size)
	list := unsafe.Slice((*C.gw_lane)(unsafe.Pointer(&p.memory[lanes])), len(s.sent))
	for k, a := range s.sent {
		l := &list[k]
		fill(&l.command, Step, a)
		if a.Out != nil {
			l.cell, l.cells = C.uint64_t(a.Out.cellsAt), C.uint32_t(a.Out.length())
		}
		if l.wire, l.wires, err = s.lay(k); err != nil {
			return err
		}
	}
	return nil
}

// Start begins a number of steps, whose times a function returns in order, and reports whether it
// has begun them. The stream must already be laid out. Until the stream has ended, no other command
// may be given. Log records of a step are delivered with its last reply.
func (s *Stream) Start(steps int64, times func(step int64) (time, length float64)) bool {
	p := s.process
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.memory == nil || p.begun.running || p.stream != nil || steps < 1 {
		return false
	}
	m := s.memory
	m.steps, m.over, m.closed = C.uint64_t(steps), 0, 0
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&m.made)), 0)
	s.times, s.steps, s.allowed, s.made = times, uint64(steps), 0, 0
	s.allow(0)
	p.log.hold()
	s.logged = 0
	c := &p.control.command
	fill(c, Operation(C.GW_STREAM), &Arguments{})
	c.batch = C.uint64_t(uintptr(unsafe.Pointer(s.memory)) - uintptr(unsafe.Pointer(&p.memory[0])))
	if C.gw_request(p.control, p.peer, &s.number) != 0 {
		p.log.release()
		return false
	}
	p.stream, s.running = s, true
	return true
}

// length returns the number of the plan's cells, the last of which belong to texts and binaries.
func (l *Plan) length() int {
	if l == nil {
		return 0
	}
	return len(l.cells) + len(l.blobs)
}

// slot returns the slot of a step.
func (s *Stream) slot(step uint64) *C.gw_slot {
	return (*C.gw_slot)(unsafe.Pointer(&s.process.memory[s.first+step%s.slots*s.size]))
}

// allow permits all steps for which there are slots once the results before the given step are no
// longer needed.
func (s *Stream) allow(step uint64) {
	end := min(step+s.slots, s.steps)
	for ; s.allowed < end; s.allowed++ {
		slot := s.slot(s.allowed)
		time, length := s.times(int64(s.allowed))
		slot.time, slot.step = C.double(time), C.double(length)
	}
	C.gw_allow(s.memory, C.uint64_t(end))
}

// Reply returns the reply to a step of a lane and the cells of its Out, which are valid until the
// next call; [Plan.BlobIn] finds texts and binaries through them. It must be called for all steps
// and lanes in order. It returns false if the stream ended before the step, which happens after an
// unusual reply. Its errors are the errors of [Process.Do].
func (s *Stream) Reply(step int64, lane int, limit time.Duration) (r Reply, cells []uint64,
	made bool, err error) {
	p, k := s.process, uint64(step)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.memory == nil || !s.running {
		return r, nil, false, nil
	}
	if lane == 0 && s.allowed < s.steps && k+s.slots/2 >= s.allowed {
		s.allow(k)
	}
	goal := k*uint64(len(s.sent)) + uint64(lane) + 1
	if s.made < goal {
		if made, err := s.await(goal, k, lane, limit); !made || err != nil {
			return r, nil, false, err
		}
	}
	return s.read(k, lane)
}

// await waits for a step of a lane.
func (s *Stream) await(goal, step uint64, lane int, limit time.Duration) (made bool, err error) {
	p, lanes := s.process, uint64(len(s.sent))
	preferred, begin := min(step+s.slots/2, s.allowed)*lanes, C.gw_now()
	for {
		result := C.gw_await_stream(s.memory, p.peer, C.uint64_t(goal), C.uint64_t(preferred),
			begin, C.int64_t(limit))
		switch result {
		case 0:
			s.made = atomic.LoadUint64((*uint64)(unsafe.Pointer(&s.memory.made)))
			return true, nil
		case C.GW_AGAIN:
			if p.log.isFull() && s.isMissing(goal) {
				p.log.flush() // all these records belong to steps up to this one
			}
			continue
		case C.GW_TIMED_OUT:
			p.kill(ErrTimeout)
		case C.GW_OVER:
			_, err := s.finish(limit)
			return false, err
		}
		s.end()
		<-p.ended
		return false, p.death(s.sent[lane], limit)
	}
}

func (s *Stream) isMissing(goal uint64) bool {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&s.memory.made))) < goal
}

// read returns the result of a step of a lane.
func (s *Stream) read(step uint64, lane int) (r Reply, cells []uint64, made bool, err error) {
	p, slot := s.process, s.slot(step)
	m := *(*C.gw_made)(unsafe.Add(unsafe.Pointer(slot), C.sizeof_gw_slot+
		uintptr(lane)*C.sizeof_gw_made))
	if logged := uint64(m.logged); logged != s.logged {
		if err := p.log.await(logged, p.ended); err != nil {
			return r, nil, false, err
		}
		p.log.advance(logged)
		s.logged = logged
	}
	r = Reply{Status: int(m.status), Group: -1, EventNeeded: m.event_needed != 0}
	if m.spoiled != 0 {
		r.Spoiled = functionName(uint32(m.spoiled))
	}
	last := step+1 == s.steps && lane+1 == len(s.sent)
	if m.halted != 0 || last {
		r, err = s.finish(0)
	} else if r.Status < 0 || r.Status > 1 {
		err = fmt.Errorf("%w: the status %d", ErrProtocol, r.Status)
	}
	if err != nil {
		return r, nil, false, err
	}
	if out := s.sent[lane].Out; out != nil {
		at := (s.first+step%s.slots*s.size)/8 + uint64(s.cells[lane])
		cells = p.words(8*at, out.length())
	}
	return r, cells, true, nil
}

// finish waits for the reply to the command, which is the reply to the last step.
func (s *Stream) finish(limit time.Duration) (Reply, error) {
	p := s.process
	s.end()
	return p.answer(Step, s.sent[0], limit, C.gw_await(p.control, p.peer, s.number,
		C.int64_t(limit)))
}

// end records that the stream has ended.
func (s *Stream) end() {
	s.running, s.process.stream = false, nil
	s.process.log.release()
}

// Stop ends the stream after the current step, waiting for at most the limit (0: no limit). Unread
// results and log records are discarded. It returns the reply to the last step and its lane. Its
// errors are the errors of [Process.Do].
func (s *Stream) Stop(limit time.Duration) (r Reply, lane int, err error) {
	s.process.mu.Lock()
	defer s.process.mu.Unlock()
	return s.stop(limit)
}

func (s *Stream) stop(limit time.Duration) (r Reply, lane int, err error) {
	p := s.process
	if p.memory == nil || !s.running {
		return r, 0, nil
	}
	p.log.drop()
	C.gw_close(s.memory)
	s.running, p.stream = false, nil
	defer p.log.release()
	r, err = p.answer(Step, s.sent[0], limit, C.gw_await(p.control, p.peer, s.number,
		C.int64_t(limit)))
	made := atomic.LoadUint64((*uint64)(unsafe.Pointer(&s.memory.made)))
	return r, int(max(made, 1)-1) % len(s.sent), err
}
