//go:build linux && cgo

package worker

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra -Wno-implicit-fallthrough
#cgo LDFLAGS: -ldl -lm -lpthread
#include "worker.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"gosmp/internal/pause"
)

// The operations.
const (
	Load Operation = C.GW_LOAD // Major, Texts: library, needed libraries, one to load first
	// Texts: name, guid or token, resources. In FMI 3.0, Out is read and In is set in intermediate
	// updates. The groups of In are the values to set, their values at the beginning of a step, and
	// their slopes.
	Instantiate         Operation = C.GW_INSTANTIATE
	Configure           Operation = C.GW_CONFIGURE // In
	Set                 Operation = C.GW_SET
	Get                 Operation = C.GW_GET
	Exchange            Operation = C.GW_EXCHANGE   // In, Out
	Initialize          Operation = C.GW_INITIALIZE // In, Time, Stop, Tolerance
	LeaveInitialization Operation = C.GW_LEAVE_INITIALIZATION
	Step                Operation = C.GW_STEP  // In, Out, Time, Step
	Event               Operation = C.GW_EVENT // In, Out
	Terminate           Operation = C.GW_TERMINATE
	Reset               Operation = C.GW_RESET
	Free                Operation = C.GW_FREE
	SaveState           Operation = C.GW_SAVE
	RestoreState        Operation = C.GW_RESTORE
	ForgetState         Operation = C.GW_FORGET
	SerializeState      Operation = C.GW_SERIALIZE
	DeserializeState    Operation = C.GW_DESERIALIZE
	SetLogging          Operation = C.GW_LOGGING     // Texts: categories
	EnterEvent          Operation = C.GW_ENTER_EVENT // In, Out
	Update              Operation = C.GW_UPDATE
	EnterStep           Operation = C.GW_ENTER_STEP // Out
	Preload             Operation = C.GW_PRELOAD    // Texts: a library needed later
)

// UpdatesWithin reports whether FMI 3.0 FMUs receive a callback for intermediate updates.
const UpdatesWithin = true

// Overlaps reports whether several processes can execute commands concurrently, so that Begin
// works.
const Overlaps = true

// Supported returns nil if FMUs can be run on this platform.
func Supported() error { return nil }

// Process is a worker and the memory shared with it. Its methods may be called from several
// goroutines; commands run one at a time.
type Process struct {
	mu      sync.Mutex
	memory  []byte
	control *C.gw_control
	peer    *C.gw_peer // outside the shared memory, so that only the host can change it
	next    uint64     // start of the free memory
	mark    uint64     // next when the process was noted
	arena   *Arena
	area    uint64 // offset of the part that the worker writes
	alone   bool   // the arena belongs only to this process
	plans   int
	texts   []byte
	textsAt uint64
	begun   begun
	stream  *Stream // that is running

	child   *os.Process
	wait    func() *os.ProcessState // for the end of the child and of its output
	channel *os.File                // for the descriptors of copies; nil if copies are impossible
	log     *reader
	printed *printer
	shown   *shown        // the output of a copy; nil otherwise
	host    *os.File      // closing it ends the worker and its children
	quit    bool          // the worker has been asked to end
	parting time.Duration // the time that it may take to do so
	ended   chan struct{} // closed when all output of the process has been read
	state   *os.ProcessState
	cause   atomic.Pointer[error]
}

const (
	largeMemory = 2 << 30 // address space, not memory: only pages in use take memory
	smallMemory = 256 << 20
	drainTime   = time.Second // for pipes that grandchildren of a dead worker still hold open
)

// Limits of Close, which are variables for tests.
var (
	// unloadTime is for unloading FMUs: a busy machine, or one that has to read pages of a library
	// from its disk again, needs more time than the FMU itself.
	unloadTime = 10 * time.Second
	// replyTime is for a command whose reply nobody has requested.
	replyTime = time.Second
)

// live holds the workers of this process, which share its cores.
var live struct {
	sync.Mutex
	all map[*Process]struct{}
}

// nursery starts workers. The kernel ends a worker together with the thread that started it
// (PR_SET_PDEATHSIG), so one goroutine keeps its thread for the lifetime of this process.
var nursery = sync.OnceValue(func() chan func() {
	jobs := make(chan func())
	go func() {
		runtime.LockOSThread()
		for job := range jobs {
			job()
		}
	}()
	return jobs
})

// Start starts a worker. The caller must close it in any case.
func Start(o Options) (*Process, error) {
	p := &Process{ended: make(chan struct{}), printed: &printer{print: o.Print},
		parting: unloadTime}
	file, err := p.share(o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // the worker has its own descriptor
	if err := p.start(o, file); err != nil {
		p.unmap()
		return nil, err
	}
	p.Wake()
	return p, nil
}

// Rest leaves the cores to other workers until [Process.Wake] because the process has no work.
func (p *Process) Rest() {
	live.Lock()
	defer live.Unlock()
	delete(live.all, p)
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&p.control.spin)), 0)
	shareCores()
}

// Wake ends [Process.Rest].
func (p *Process) Wake() {
	live.Lock()
	defer live.Unlock()
	if live.all == nil {
		live.all = map[*Process]struct{}{}
	}
	live.all[p] = struct{}{}
	shareCores()
}

// Ended reports whether the process has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// shareCores lets workers spin only while there is a core for each of them and for the host. live
// must be locked.
func shareCores() {
	may := C.uint32_t(0)
	if len(live.all) < runtime.NumCPU() {
		may = 1
	}
	for p := range live.all {
		atomic.StoreUint32((*uint32)(unsafe.Pointer(&p.control.spin)), uint32(may))
	}
}

// share creates the memory and fills in the constant fields.
func (p *Process) share(o Options) (*os.File, error) {
	descriptor, err := unix.MemfdCreate("gosmp-worker", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	file := os.NewFile(uintptr(descriptor), "gosmp-worker")
	for _, size := range []int64{largeMemory, smallMemory} {
		if err = file.Truncate(size); err == nil {
			p.memory, err = unix.Mmap(descriptor, 0, int(size), unix.PROT_READ|unix.PROT_WRITE,
				unix.MAP_SHARED|unix.MAP_NORESERVE)
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	size := uint64(len(p.memory))
	p.next = C.GW_CONTROL
	if err := p.settle(o.Arena); err != nil {
		_ = unix.Munmap(p.memory)
		_ = file.Close()
		return nil, err
	}
	p.peer = new(C.gw_peer)
	p.control = (*C.gw_control)(unsafe.Pointer(&p.memory[0]))
	c := p.control
	c.magic, c.version, c.size_of_control = C.GW_MAGIC, C.GW_VERSION, C.sizeof_gw_control
	c.size, c.host = C.uint64_t(size), C.int32_t(os.Getpid())
	c.arena, c.area, c.area_size = C.uint64_t(len(p.arena.memory)), C.uint64_t(p.area),
		C.uint64_t(p.arena.size)
	c.memory = C.uint64_t(max(o.Memory, 0))
	if o.Core {
		c.core = 1
	}
	if o.LogCalls {
		c.log_calls = 1
	}
	return file, nil
}

// settle assigns an area of an arena to the process. Without an arena, or if all its areas are
// taken, the process gets its own arena, and values shared with other workers are copied.
func (p *Process) settle(shared *Arena) (err error) {
	if shared != nil {
		if area, ok := shared.take(); ok {
			p.arena, p.area = shared, area
			return nil
		}
	}
	p.alone = true
	p.arena, err = newArena(1)
	return err
}

// await handles the end of the worker and wakes any caller waiting for its reply.
func (p *Process) await() {
	p.endGroup()
	own.Delete(p.child.Pid) // before the process id can be reused
	p.state = p.wait()
	p.log.close(drainTime)
	p.printed.flush()
	C.gw_bury(p.control, p.peer)
	close(p.ended) // the memory may be released from here on
}

// endGroup waits for the end of the worker, and kills the processes that FMUs have started in its
// group. The worker is reaped only afterwards so that its process id, which is also the id of the
// group, is not reused.
func (p *Process) endGroup() {
	pid := p.child.Pid
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	_ = unix.Kill(-pid, unix.SIGKILL) // usually only the worker itself
	endHolders(p.host)
	_ = p.host.Close() // there are no more processes to end
}

// Close ends the worker, by force after a while, and releases its memory: cells, blobs and plans
// become invalid. A worker unloads its FMUs at the end. If it crashes while doing so or takes too
// long, the error is a [DeathError].
func (p *Process) Close() error {
	if p.memory == nil {
		return nil
	}
	p.mu.Lock()
	if p.begun.running {
		_, _ = p.end(replyTime) // the reply was not requested
	}
	if p.stream != nil {
		_, _, _ = p.stream.stop(replyTime)
	}
	select {
	case <-p.ended: // it ended earlier, as reported to the caller of a command
	default:
		p.quit = true
	}
	p.control.command.operation = C.GW_QUIT
	C.gw_call(p.control, p.peer, C.int64_t(replyTime)) // it replies before it unloads FMUs
	p.mu.Unlock()
	late, stop := pause.Late(p.parting)
	defer stop()
	select {
	case <-p.ended:
	case <-late:
		p.kill(ErrTimeout)
		<-p.ended
	}
	err := p.farewell()
	p.unmap()
	return err
}

// Hurry lets Close grant FMUs only a second for unloading: others have used up the patience.
func (p *Process) Hurry() { p.parting = min(p.parting, time.Second) }

// farewell describes an end other than the one requested by Close.
func (p *Process) farewell() error {
	cause := p.cause.Load()
	killed := cause != nil && errors.Is(*cause, ErrKilled)
	if !p.quit || killed || p.state.Success() {
		return nil
	}
	return p.death(&Arguments{Slot: int(p.control.place.slot)}, p.parting)
}

func (p *Process) unmap() {
	live.Lock()
	delete(live.all, p)
	shareCores()
	live.Unlock()
	if p.memory != nil {
		_ = unix.Munmap(p.memory)
		p.memory, p.control = nil, nil
	}
	if p.channel != nil {
		_ = p.channel.Close()
	}
	if p.alone {
		_ = p.arena.Close()
	} else {
		p.arena.release(p.area)
	}
}

// Kill ends the worker immediately. A running command returns a [DeathError].
func (p *Process) Kill() { p.kill(ErrKilled) }

func (p *Process) kill(cause error) {
	p.cause.CompareAndSwap(nil, &cause)
	if err := p.child.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return // the process cannot be signaled
	}
}
