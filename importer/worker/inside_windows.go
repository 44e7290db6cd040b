//go:build amd64

package worker

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// On Windows, FMUs run in the process of the host, with a separate thread for each [Process]: DLLs
// are loaded without cgo, and the host is not protected from an FMU that crashes. A call that takes
// too long is abandoned together with its thread.

// Supported returns nil if FMUs can be run on this platform.
func Supported() error { return nil }

// Arena represents the memory shared by workers; here, all FMUs share the memory of the process.
type Arena struct{}

// NewArena creates an arena.
func NewArena() (*Arena, error) { return &Arena{}, nil }

// Close does nothing.
func (a *Arena) Close() error { return nil }

// Process is a thread for FMUs. Its methods may be called from several goroutines; commands run one
// at a time.
type Process struct {
	mu      sync.Mutex
	options Options
	slots   map[int]*instance
	plans   int
	reply   Reply

	jobs    chan func()
	idle    chan struct{} // signalled when a job has ended
	lost    chan struct{} // closed when the thread is abandoned
	end     sync.Once
	cause   error
	closed  bool
	running atomic.Pointer[place]
	before  place

	scratch  []uint64 // arrays of the FMUs' types; reused
	sizes    []uint64
	pointers []uintptr
	words    []uintptr // arguments of a call
	logging  sync.Mutex
}

// place identifies the running function and the values that it gets or sets.
type place struct {
	function    string
	slot        int
	plan, group int
}

// Start starts a thread for FMUs. The caller must close it in any case. Options that need a
// separate process are ignored: Memory, Core, Dir, LibraryPath and Print.
func Start(o Options) (*Process, error) {
	p := &Process{options: o, slots: map[int]*instance{}, jobs: make(chan func()),
		idle: make(chan struct{}, 1),
		lost: make(chan struct{})}
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		for job := range p.jobs {
			job()
			p.idle <- struct{}{}
		}
	}()
	return p, nil
}

// Ended reports whether the thread has been abandoned.
func (p *Process) Ended() bool {
	select {
	case <-p.lost:
		return true
	default:
		return false
	}
}

// Kill abandons the thread: its code continues to run, but the result is ignored.
func (p *Process) Kill() { p.give(ErrKilled) }

func (p *Process) give(cause error) {
	p.end.Do(func() {
		p.cause = cause
		close(p.lost)
	})
}

// Do executes a command and waits for the reply for at most limit (0: no limit). The error is a
// [DeathError], after which every command fails, or wraps [ErrFull]. A failing status of the FMU is
// in the reply and is not an error here.
func (p *Process) Do(o Operation, a *Arguments, limit time.Duration) (Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return Reply{}, &DeathError{Cause: ErrEnded, Group: -1}
	}
	if !p.do(func() { p.execute(o, a) }, limit) {
		return Reply{}, p.death(a, limit)
	}
	return p.reply, nil
}

// do runs a job in the thread and reports whether the job ended in time.
func (p *Process) do(job func(), limit time.Duration) bool {
	var late <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		late = timer.C
	}
	if p.Ended() {
		return false
	}
	p.jobs <- job
	select {
	case <-p.idle:
		return true
	case <-p.lost:
	case <-late:
		p.give(ErrTimeout)
	}
	return false
}

// death describes a thread that has been abandoned.
func (p *Process) death(a *Arguments, limit time.Duration) *DeathError {
	d := &DeathError{Cause: p.cause, Slot: a.Slot, Group: -1, Limit: limit}
	if at := p.running.Load(); at != nil {
		d.Function, d.Plan, d.Group = at.function, at.plan, at.group
	}
	return d
}

// Close frees the libraries of the FMUs. Cells, blobs and plans become invalid.
func (p *Process) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	if p.Ended() {
		return nil // the thread still uses the libraries
	}
	var err error
	if !p.do(func() { err = p.unload() }, drainTime) {
		return p.death(&Arguments{}, drainTime)
	}
	close(p.jobs)
	return err
}

// Hurry does nothing: Close does not wait longer than a second.
func (p *Process) Hurry() {}

// drainTime is the time limit for unloading libraries.
const drainTime = time.Second

func (p *Process) unload() error {
	var all []error
	for slot, i := range p.slots {
		if err := i.library.release(); err != nil {
			all = append(all, fmt.Errorf("slot %d: %w", slot, err))
		}
		forget(i)
	}
	return errors.Join(all...)
}

// Batch is a sequence of steps executed in order. Wires carry values from one step to later ones.
type Batch struct {
	process *Process
	sent    []*Arguments
	wires   [][]wire // before each step
}

// wire carries values from a plan that has been read to one that is about to be set.
type wire struct {
	from, to     *Plan
	fromAt, toAt int
	count        int
	ofBlobs      bool
}

// NewBatch creates a batch of at most n steps.
func (p *Process) NewBatch(n int) (*Batch, error) {
	return &Batch{process: p, sent: make([]*Arguments, n), wires: make([][]wire, n)}, nil
}

// Wire carries n values before a step: from the plan that an earlier step reads, beginning at
// fromAt, to the plan that this step sets, beginning at toAt. If blobs is true, the values are
// texts and binaries; otherwise they are plain values.
func (b *Batch) Wire(step int, from *Plan, fromAt int, to *Plan, toAt, n int, blobs bool) {
	b.wires[step] = append(b.wires[step], wire{from, to, fromAt, toAt, n, blobs})
}

// Lay does nothing.
func (b *Batch) Lay() error { return nil }

// Set sets the arguments of a step, which must not change until Do has returned.
func (b *Batch) Set(step int, a *Arguments) { b.sent[step] = a }

// Do executes the first count steps like count calls of [Process.Do], except that it ends early
// after a step that the caller must examine before the next one, that is, a step with a status
// other than OK or Warning, an early return, or a request to terminate. The limit applies to each
// step. Do appends the replies to the executed steps to a slice; the error is about the next step.
func (b *Batch) Do(count int, limit time.Duration, replies []Reply) ([]Reply, error) {
	for k := range count {
		if err := b.carry(k); err != nil {
			return replies, err
		}
		r, err := b.process.Do(Step, b.sent[k], limit)
		if err != nil {
			return replies, err
		}
		replies = append(replies, r)
		if r.Status > 1 || r.Early || r.Terminate {
			break
		}
	}
	return replies, nil
}

func (b *Batch) carry(step int) error {
	for _, w := range b.wires[step] {
		if !w.ofBlobs {
			copy(w.to.cells[w.toAt:w.toAt+w.count], w.from.cells[w.fromAt:])
			continue
		}
		for k := range w.count {
			bytes, err := w.from.Blob(w.fromAt + k)
			if err == nil {
				err = w.to.SetBlob(w.toAt+k, bytes)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
