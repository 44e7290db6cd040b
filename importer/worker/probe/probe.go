//go:build linux && cgo

package probe

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
#cgo LDFLAGS: -ldl -lm -lpthread
#include <stdlib.h>
#include "probe.h"
*/
import "C"

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	outputs     = 256 << 20 // address space in bytes; only pages in use take memory
	messages    = 2 << 20
	mostPrinted = 64 << 10
	callLimit   = 10 * time.Second
	watchEvery  = 20 * time.Millisecond
	drainTime   = 300 * time.Millisecond // for output that grandchildren hold open
	// On a busy machine, a computing process may take this multiple of the time limit of an
	// operation.
	mostPatience = 12
)

// codes are the numbers of functions and instructions.
var codes = func() map[string]uint32 {
	all := map[string]uint32{
		Load: C.PB_LOAD, Unload: C.PB_UNLOAD, Place: C.PB_PLACE, Protect: C.PB_PROTECT,
		Send: C.PB_SEND, Fetch: C.PB_FETCH, Peek: C.PB_PEEK, Loop: C.PB_LOOP, Next: C.PB_NEXT,
		Measure: C.PB_MEASURE, Sleep: C.PB_SLEEP, Placement: C.PB_PLACEMENT, Dirty: C.PB_DIRTY,
		Settle: C.PB_SETTLE, Twins: C.PB_TWINS, Unless: C.PB_UNLESS_EVENT, Watch: C.PB_WATCH,
		Told: C.PB_TOLD, Updates: C.PB_UPDATES,
	}
	for k := C.uint32_t(1); k < C.PB_COUNT; k++ {
		all[C.GoString(C.pb_function_name(k))] = uint32(k)
	}
	return all
}()

// Knows reports whether code is a function that a probe can call.
func Knows(code string) bool { return codes[code] > 0 && codes[code] < C.PB_COUNT }

// Supported returns nil if FMUs can be examined on this platform.
func Supported() error { return nil }

// script is the shared memory of a run.
type script struct {
	memory  []byte
	file    *os.File
	control *C.pb_control
	next    uint64
	ops     []Op
}

// Run runs a script and returns when its process has ended. An error comes from the host: the
// process could not be started, or the context was canceled.
func Run(ctx context.Context, ops []Op, o Options) (*Result, error) {
	s, err := write(ops)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Munmap(s.memory) }()
	// The kernel ends the process together with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	result := &Result{}
	s.control.stack = C.uint32_t(o.Stack)
	err = s.run(ctx, o, result)
	s.read(result)
	return result, err
}

// write creates the shared memory for a script.
func write(ops []Op) (*script, error) {
	need := uint64(C.sizeof_pb_control) + 64
	for k := range ops {
		need += uint64(len(ops[k].Data)+len(ops[k].Data2)+len(ops[k].Data3)+
			4*len(ops[k].References)) + 64
	}
	need += uint64(len(ops)) * (C.sizeof_pb_op + C.sizeof_pb_record)
	size := (need+4095)/4096*4096 + messages + outputs
	descriptor, err := unix.MemfdCreate("gosmp-probe", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	s := &script{file: os.NewFile(uintptr(descriptor), "gosmp-probe"), ops: ops}
	if err = s.file.Truncate(int64(size)); err == nil {
		s.memory, err = unix.Mmap(descriptor, 0, int(size), unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_SHARED|unix.MAP_NORESERVE)
	}
	if err != nil {
		_ = s.file.Close()
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	s.fill(size)
	return s, nil
}

func (s *script) fill(size uint64) {
	s.control = (*C.pb_control)(unsafe.Pointer(&s.memory[0]))
	c := s.control
	c.magic, c.layout, c.size_of_control = C.PB_MAGIC, C.PB_LAYOUT, C.sizeof_pb_control
	c.size, c.ops, c.stopped = C.uint64_t(size), C.uint32_t(len(s.ops)), -1
	s.next = C.sizeof_pb_control
	c.ops_at = C.uint64_t(s.reserve(len(s.ops) * C.sizeof_pb_op))
	c.records_at = C.uint64_t(s.reserve(len(s.ops) * C.sizeof_pb_record))
	c.log_at, c.log_size = C.uint64_t(s.reserve(messages)), messages
	for k := range s.ops {
		s.encode(k)
		s.record(k).status = StatusNotRun
	}
	c.out_at = C.uint64_t(s.reserve(0))
	c.out_size = C.uint64_t(size) - c.out_at
}

func (s *script) reserve(n int) uint64 {
	at := (s.next + 15) / 16 * 16
	s.next = at + uint64(n)
	return at
}

// put stores bytes and returns their offset, which is 0 for nil.
func (s *script) put(b []byte) C.uint64_t {
	if b == nil {
		return 0
	}
	at := s.reserve(len(b))
	copy(s.memory[at:], b)
	return C.uint64_t(at)
}

func (s *script) encode(k int) {
	o := &s.ops[k]
	to := (*C.pb_op)(unsafe.Pointer(&s.memory[uint64(s.control.ops_at)+uint64(k)*C.sizeof_pb_op]))
	to.code, to.slot, to.state = C.uint32_t(codes[o.Code]), C.uint32_t(o.Slot), C.uint32_t(o.State)
	to.flags, to.count, to.values = C.uint32_t(o.Flags), C.uint32_t(o.Count), C.uint32_t(o.Values)
	for n := range o.X {
		to.x[n] = C.double(o.X[n])
	}
	first, second := o.Data, o.Data2
	if o.References != nil {
		first = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(o.References))),
			4*len(o.References))
		second = o.Data
		if o.Count == 0 && o.Code != Send && o.Code != Fetch {
			to.count = C.uint32_t(len(o.References))
		}
	}
	to.data, to.data2 = s.put(first), s.put(second)
	third := o.Data3
	if o.References != nil && o.Data2 != nil {
		third = o.Data2
	}
	to.data3 = s.put(third)
	if o.Code == Place {
		to.values = C.uint32_t(len(o.Data))
	}
	if o.Data != nil && (o.Code == "fmi2DeSerializeFMUstate" ||
		o.Code == "fmi3DeserializeFMUState") {
		to.values = C.uint32_t(len(o.Data))
	}
}

func (s *script) record(k int) *C.pb_record {
	return (*C.pb_record)(unsafe.Pointer(&s.memory[uint64(s.control.records_at)+
		uint64(k)*C.sizeof_pb_record]))
}

// limited keeps only the beginning of the printed text.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if left := mostPrinted - l.Len(); left > 0 {
		l.Buffer.Write(p[:min(left, len(p))])
	}
	return len(p), nil
}

// environment returns the environment of the process.
func (o *Options) environment() []string {
	list := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(o.Unset, name)
	})
	return append(list, o.Env...)
}

// standardInput returns a file with a few lines, in which an FMU that reads the input of the host
// moves the position.
func standardInput() (*os.File, error) {
	const lines = 100
	descriptor, err := unix.MemfdCreate("gosmp-input", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	file := os.NewFile(uintptr(descriptor), "gosmp-input")
	if _, err := file.WriteAt(bytes.Repeat([]byte{'\n'}, lines), 0); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return file, nil
}

// run starts the process and waits for its end.
func (s *script) run(ctx context.Context, o Options, r *Result) error {
	defer func() { _ = s.file.Close() }() // the process has its own descriptor
	var printed limited
	input, err := standardInput()
	if err != nil {
		return err
	}
	defer func() { _ = input.Close() }()
	command := &exec.Cmd{
		Path: "/proc/self/exe", Dir: o.Dir, Env: o.environment(),
		Args:       []string{os.Args[0], C.PB_MARKER, "3", strconv.Itoa(os.Getpid())},
		Stdin:      input,
		Stdout:     &printed,
		Stderr:     &printed,
		ExtraFiles: []*os.File{s.file},
		// Ctrl-C in a terminal must reach only the host.
		SysProcAttr: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true},
		WaitDelay:   drainTime,
	}
	begun := time.Now()
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting a probe: %w", err)
	}
	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.TimedOut = s.watch(ctx, command.Process.Pid, o, ended, &r.Expired)
		if r.TimedOut || ctx.Err() != nil {
			_ = unix.Kill(-command.Process.Pid, unix.SIGKILL) // the process may already have ended
		}
	}()
	r.Children = endGroup(command.Process.Pid, o.Linger)
	close(ended)
	_ = command.Wait() // the process state holds the result
	<-watched
	removeSegments(command.Process.Pid, begun)
	r.Printed = printed.String()
	status, _ := command.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		r.Signal = unix.SignalName(status.Signal())
	} else {
		r.ExitCode = status.ExitStatus()
	}
	return ctx.Err()
}

// endGroup waits for the end of the process, and kills the processes that it started. It returns 1
// if there were any after the given time.
func endGroup(pid int, linger time.Duration) (left int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	others := othersIn(pid)
	for until := time.Now().Add(linger); len(others) > 0 && time.Now().Before(until); {
		time.Sleep(watchEvery)
		others = othersIn(pid)
	}
	if len(others) > 0 {
		left = 1
	}
	_ = unix.Kill(-pid, unix.SIGKILL) // usually only the process itself
	return left
}

// watch waits for the end of the process, and returns true if an operation takes too long: in real
// time if it is waiting, and in processor time if it is computing, so that a busy machine does not
// cause a timeout.
func (s *script) watch(ctx context.Context, pid int, o Options, ended chan struct{},
	expired *bool,
) bool {
	limit := o.Limit
	if limit == 0 {
		limit = callLimit
	}
	beat, begin := s.beat(), time.Now()
	since, last, used := begin, begin, time.Duration(0)
	var waited time.Duration // by the clock, while this goroutine itself was running
	var patient patience
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return false
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		now := time.Now()
		waited += min(now.Sub(last), 2*watchEvery)
		last = now
		if b := s.beat(); b != beat {
			beat, since, used, waited, patient = b, now, -1, 0, patience{}
		}
		if used < 0 {
			used, _ = spent(pid)
		}
		allowed := limit + s.pause(int(s.control.op)-1)
		if o.All > 0 && time.Since(begin) > o.All {
			*expired = true
			return true
		}
		if waited > allowed {
			if now.Sub(since) > mostPatience*allowed || !patient.more(pid, used, allowed) {
				return true
			}
		}
	}
}

// pause returns how long an operation may rest, without a call of the FMU.
func (s *script) pause(op int) time.Duration {
	if op < 0 || op >= len(s.ops) || s.ops[op].Code != Sleep {
		return 0
	}
	x := s.ops[op].X
	return time.Duration((max(x[0], x[1]) + C.PB_LONGEST_PAUSE) * float64(time.Second))
}

func (s *script) beat() uint64 {
	return atomic.LoadUint64((*uint64)(unsafe.Pointer(&s.control.beat)))
}
