//go:build linux && cgo

package probe

// #include "probe.h"
import "C"

import (
	"bytes"
	"time"
	"unsafe"
)

// read copies the results out of the shared memory, without trusting any data written by the
// process.
func (s *script) read(r *Result) {
	c := s.control
	r.Done, r.Lost = c.done == 1, int(c.log_lost)
	r.Stopped, r.Last = int(c.stopped), int(c.op)-1
	if r.Stopped >= len(s.ops) || r.Last >= len(s.ops) {
		r.Stopped, r.Last = -1, -1
	}
	r.Fault, r.Address = FaultPlace(c.fault_place), uint64(c.fault_address)
	outAt := uint64(s.control.out_at)
	for k := range s.ops {
		from := s.record(k)
		to := Record{Status: int(from.status), Flags: int(from.flags), Runs: int(from.runs),
			Total: time.Duration(from.nanos), Most: time.Duration(from.most),
			Least: time.Duration(from.least)}
		for n := range to.Y {
			to.Y[n] = float64(from.y[n])
		}
		if at, n := uint64(from.out), uint64(from.size); n > 0 && at < outputs && n < outputs &&
			outAt+at+n <= uint64(len(s.memory)) {
			to.Out = bytes.Clone(s.memory[outAt+at : outAt+at+n])
		}
		r.Records = append(r.Records, to)
	}
	s.readLog(r)
}

// longestText is the number of bytes from which a message may have been truncated: see LONGEST in
// log.c.
const longestText = 4090

func (s *script) readLog(r *Result) {
	at, end := uint64(s.control.log_at), uint64(s.control.log_used)
	end = at + min(end, messages)
	for at+C.sizeof_pb_message <= end {
		m := (*C.pb_message)(unsafe.Pointer(&s.memory[at]))
		size, category := uint64(m.size), uint64(m.category)
		need := (uint64(C.sizeof_pb_message) + size + category + 9) / 8 * 8
		if size > messages || category > messages || at+need > end {
			return
		}
		text := at + C.sizeof_pb_message
		r.Messages = append(r.Messages, Message{
			Op: int(m.op) - 1, Status: int(m.status), Slot: int(m.slot),
			HasCategory: m.flags&1 == 0, OtherThread: m.flags&2 != 0, AfterFree: m.flags&4 != 0,
			Stray: m.flags&8 != 0, WrongName: m.flags&16 != 0, BadFormat: m.flags&32 != 0,
			NoText:   m.flags&64 != 0,
			Text:     string(s.memory[text : text+size]),
			Cut:      size >= longestText,
			Category: string(s.memory[text+size+1 : text+size+1+category]),
		})
		at += need
	}
}
