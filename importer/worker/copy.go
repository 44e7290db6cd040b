//go:build linux && cgo

package worker

// #include "worker.h"
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"gosmp/internal/pause"
)

// Copies reports whether [Process.Copy] works on this platform.
const Copies = true

// ErrUnlike reports a process whose copy would differ from a new process.
var ErrUnlike = errors.New("a copy of the process would not be like a new one")

// StartOriginal starts a worker that loads a library and then only serves [Process.Copy]. Its
// output and log are discarded. The caller must close it in any case.
func StartOriginal(o Options) (*Process, error) {
	o.Log, o.Print, o.Arena = nil, nil, nil
	p := &Process{ended: make(chan struct{}), printed: &printer{}, parting: unloadTime}
	file, err := p.share(o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // the worker has its own descriptor
	if err := p.startOriginal(o, file); err != nil {
		p.unmap()
		return nil, err
	}
	p.Rest()
	return p, nil
}

func (p *Process) startOriginal(o Options, memory *os.File) (err error) {
	var far, out, errs *os.File
	for _, f := range []struct {
		file **os.File
		open func() (*os.File, error)
	}{{&far, p.openChannel}, {&out, printedFile}, {&errs, printedFile}} {
		if *f.file, err = f.open(); err != nil {
			return err
		}
		defer func() { _ = (*f.file).Close() }() // the worker has its own descriptor
	}
	ends, err := newPipes()
	if err != nil {
		return err
	}
	defer ends.passed()
	return p.begin(ends, nil, newCommand(o, out, errs, memory, ends.log, p.arena.file, ends.held,
		far))
}

// openChannel creates the channel for descriptors, and returns its end for the worker.
func (p *Process) openChannel() (*os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("channel of a worker: %w", err)
	}
	p.channel = os.NewFile(uintptr(pair[0]), "channel")
	return os.NewFile(uintptr(pair[1]), "channel"), nil
}

// printedFile returns a file whose size shows whether anything was printed.
func printedFile() (*os.File, error) {
	descriptor, err := unix.MemfdCreate("gosmp-printed", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("output of a worker: %w", err)
	}
	return os.NewFile(uintptr(descriptor), "gosmp-printed"), nil
}

// Copy returns a new process that continues from the state of this one, with the library loaded. It
// fails with [ErrUnlike] if loading the library has left more than memory, such as threads or open
// files. The options Dir, LibraryPath, Memory and Core are taken from the original.
func (p *Process) Copy(o Options, limit time.Duration) (*Process, error) {
	c := &Process{ended: make(chan struct{}), printed: &printer{print: o.Print},
		parting: unloadTime}
	file, err := c.share(o)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // the copy has its own descriptor
	if err := p.copy(c, o, file, limit); err != nil {
		c.unmap()
		return nil, err
	}
	return c, nil
}

func (p *Process) copy(c *Process, o Options, memory *os.File, limit time.Duration) error {
	ends, err := newPipes()
	if err != nil {
		return err
	}
	defer ends.passed()
	shown, err := newShown(c.printed)
	if err == nil {
		defer shown.passed()
		err = p.pass(memory, ends.log, c.arena.file, ends.held, shown.out[1], shown.errors[1])
	}
	var r Reply
	if err == nil {
		r, err = p.Do(C.GW_COPY, &Arguments{}, limit)
	}
	if err == nil && r.Status != 0 {
		err = fmt.Errorf("%w: %s", ErrUnlike, r.Reason)
	}
	if err != nil {
		ends.drop()
		shown.drop()
		return err
	}
	child, err := os.FindProcess(int(r.Address))
	if err != nil {
		ends.drop()
		shown.drop()
		return err
	}
	c.shown = shown
	c.follow(ends, o.Log, child, func() *os.ProcessState {
		state, _ := child.Wait() // this process is the one that waits for it
		shown.drain()
		return state
	})
	return nil
}

// pass sends descriptors to the original.
func (p *Process) pass(files ...*os.File) error {
	var list []int
	for _, f := range files {
		list = append(list, int(f.Fd()))
	}
	raw, err := p.channel.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = raw.Control(func(d uintptr) {
		sent = unix.Sendmsg(int(d), []byte{0}, unix.UnixRights(list...), nil, 0)
	})
	return errors.Join(err, sent)
}

// shown is the output of a copy: the pipes, with the host's end and the copy's end, and their
// readers.
type shown struct {
	out, errors [2]*os.File
	read        [2]chan struct{}
	streams     [2]*stream

	mu   sync.Mutex // for reading
	room [4096]byte
}

// forward reads everything that a pipe contains, and reports whether this is its end.
func (s *shown) forward(descriptor int, to *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		n, err := unix.Read(descriptor, s.room[:])
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			return false
		case err != nil || n == 0:
			return true
		default:
			_, _ = to.Write(s.room[:n]) // it does not fail
		}
	}
}

// deliver forwards everything that has been printed so far.
func (s *shown) deliver() {
	for k, near := range []*os.File{s.out[0], s.errors[0]} {
		raw, err := near.SyscallConn()
		if err == nil {
			_ = raw.Control(func(d uintptr) { s.forward(int(d), s.streams[k]) })
		}
	}
}

func newShown(printed *printer) (*shown, error) {
	s := &shown{}
	for k, ends := range []*[2]*os.File{&s.out, &s.errors} {
		near, far, err := os.Pipe()
		if err != nil {
			s.passed()
			s.drop()
			return s, err
		}
		*ends = [2]*os.File{near, far}
		stream, done := printed.stream(), make(chan struct{})
		s.read[k], s.streams[k] = done, stream
		go func() {
			defer close(done)
			raw, err := near.SyscallConn()
			if err == nil { // it ends with the copy, or when the pipe is closed
				_ = raw.Read(func(d uintptr) bool { return s.forward(int(d), stream) })
			}
		}()
	}
	return s, nil
}

// passed closes the ends of the copy.
func (s *shown) passed() { _, _ = s.out[1].Close(), s.errors[1].Close() }

// drop closes the ends of the host.
func (s *shown) drop() { _, _ = s.out[0].Close(), s.errors[0].Close() }

// drain waits, up to a limit, until everything has been read. A child process of an FMU may hold a
// pipe open.
func (s *shown) drain() {
	late, stop := pause.Late(drainTime)
	defer stop()
	for _, done := range s.read {
		select {
		case <-done:
		case <-late:
			s.drop()
			<-done
		}
	}
	s.drop()
}
