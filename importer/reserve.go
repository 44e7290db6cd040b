package importer

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"gosmp/importer/worker"
)

// Reserve shortens successive runs that use the same FMUs. It keeps the model descriptions that
// have been read, and while one run computes, it prepares the process for the next: the FMU is
// unpacked and its library loaded, but nothing is instantiated. Each process still serves one
// instance, so that the results are the same as without a Reserve. A nil Reserve keeps nothing. Its
// methods may be called from several goroutines.
type Reserve struct {
	mu     sync.Mutex
	opened map[string]described
	ready  []*prepared
	orders chan order    // nil before the first one
	done   chan struct{} // closed when no more orders are carried out
	closed bool

	orchard orchard
	arena   *worker.Arena
}

// described is an FMU, and the file from which it was read.
type described struct {
	fmu  *FMU
	file os.FileInfo
}

// order is a process to prepare.
type order struct {
	fmu     *FMU
	options worker.Options
	preload string
	dir     string // the working folder
}

// prepared is a process that has loaded an FMU, for one instance.
type prepared struct {
	order
	process *worker.Process
	folder  string
	reply   worker.Reply // to the command that loaded the library
	sink    *sink
}

const (
	mostDescribed = 64
	// A file that changes within this time after it was written may keep its size and date.
	settleTime  = 2 * time.Second
	prepareTime = time.Minute // to load a library, as at the end of a life
)

// mostReady returns the maximum number of waiting processes. Processes of the least recently used
// FMUs are ended to make room for others.
func mostReady() int { return max(4, 2*runtime.NumCPU()) }

// Open is like the function [Open], for an FMU that may have been read before.
func (r *Reserve) Open(path string) (*FMU, error) {
	if r == nil {
		return Open(path)
	}
	name, err := filepath.Abs(path)
	if err != nil {
		return Open(path)
	}
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return Open(path)
	}
	r.mu.Lock()
	known, found := r.opened[name]
	r.mu.Unlock()
	if found && unchanged(known.file, info) {
		f := *known.fmu
		f.Path = path
		return &f, nil
	}
	f, err := Open(path)
	if err == nil && time.Since(info.ModTime()) > settleTime {
		r.remember(name, described{f, info})
	}
	return f, err
}

func (r *Reserve) remember(name string, d described) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened == nil || len(r.opened) >= mostDescribed {
		r.opened = map[string]described{}
	}
	r.opened[name] = d
}

func unchanged(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// shared returns the memory for messages of all processes that instances of a run may use.
func (r *Reserve) shared() (*worker.Arena, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.arena == nil {
		arena, err := worker.NewArena()
		if err != nil {
			return nil, err
		}
		r.arena = arena
	}
	return r.arena, nil
}

// take returns a process for an order, or nil if there is none, and has the next one prepared.
func (r *Reserve) take(o order) *prepared {
	o.dir = workingFolder(o.options.Dir)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	if r.orders == nil {
		r.orders, r.done = make(chan order, mostReady()), make(chan struct{})
		go r.carryOut()
	}
	select {
	case r.orders <- o:
	default: // enough orders are waiting
	}
	for k, p := range r.ready {
		if !p.serves(o) {
			continue
		}
		r.ready = slices.Delete(r.ready, k, k+1)
		if p.process.Ended() {
			r.drop(p)
			return nil
		}
		p.process.Wake()
		return p
	}
	return nil
}

func workingFolder(dir string) string {
	if dir == "" {
		dir = "."
	}
	folder, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return folder
}

// serves reports whether a process is like the one that an order would produce.
func (p *prepared) serves(o order) bool {
	a, b := p.options, o.options
	return p.fmu.SHA256 == o.fmu.SHA256 && p.preload == o.preload && p.dir == o.dir &&
		a.Memory == b.Memory && a.Core == b.Core && a.LogCalls == b.LogCalls
}

// carryOut prepares processes, until no more orders come.
func (r *Reserve) carryOut() {
	defer close(r.done)
	for o := range r.orders {
		p := r.prepare(o)
		if p == nil {
			continue
		}
		r.mu.Lock()
		var oldest *prepared
		if len(r.ready) >= mostReady() {
			oldest, r.ready = r.ready[0], r.ready[1:]
		}
		if r.closed {
			oldest = p
		} else {
			r.ready = append(r.ready, p)
		}
		r.mu.Unlock()
		if oldest != nil {
			r.drop(oldest)
		}
	}
}

// prepare carries out an order. If this fails, it returns nil: the run will fail, too, and report
// the reason.
func (r *Reserve) prepare(o order) *prepared {
	r.mu.Lock()
	closed := r.closed
	r.mu.Unlock()
	arena, err := r.shared()
	if closed || err != nil {
		return nil
	}
	p := &prepared{order: o, sink: &sink{}}
	if p.folder, err = r.orchard.plant(o.fmu); err != nil {
		return nil
	}
	library := o.fmu.Library(p.folder)
	w := o.options
	w.Dir, w.Arena, w.LibraryPath = o.dir, arena, []string{filepath.Dir(library)}
	w.Log, w.Print = p.sink.record, p.sink.line
	if p.process, err = worker.Start(w); err == nil {
		p.process.Rest()
		a := o.fmu.loading(library, o.preload)
		p.reply, err = p.process.Do(worker.Load, &a, prepareTime)
	}

	if err != nil || p.reply.Status != 0 {
		r.drop(p)
		return nil
	}
	return p
}

// loading returns the arguments of the command that loads a library.
func (f *FMU) loading(library, preload string) worker.Arguments {
	return worker.Arguments{Major: int(f.Model.Major()),
		Texts: []string{library, strings.Join(imported(library), "\n"), preload}}
}

// drop ends an unused process. Errors are ignored because they affect no run.
func (r *Reserve) drop(p *prepared) {
	if p.process != nil {
		_ = p.process.Close()
	}
	r.orchard.leave(p.folder)
}

// Close ends the waiting processes and removes their unpacked FMUs. Pools that use the Reserve must
// have been closed.
func (r *Reserve) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	if r.orders != nil {
		close(r.orders)
		r.mu.Unlock()
		<-r.done
		r.mu.Lock()
	}
	ready := r.ready
	r.ready, r.opened = nil, nil
	r.mu.Unlock()
	for _, p := range ready {
		r.drop(p)
	}
	var err error
	if r.arena != nil {
		err = r.arena.Close()
	}
	return errors.Join(err, r.orchard.close())
}

// sink stores what a process reports until it is known which instance the process serves.
type sink struct {
	mu      sync.Mutex
	log     func(worker.Record)
	print   func(line string)
	records []worker.Record
	lines   []string
	taken   bool
}

func (s *sink) record(r worker.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken {
		s.log(r)
	} else if len(s.records) < mostKept {
		s.records = append(s.records, r)
	}
}

func (s *sink) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.taken && s.print != nil:
		s.print(text)
	case !s.taken && len(s.lines) < mostKept:
		s.lines = append(s.lines, text)
	}
}

// mostKept limits the memory used by a library that reports endlessly while it is loaded.
const mostKept = 10_000

// connect passes on everything stored so far, and everything that follows.
func (s *sink) connect(log func(worker.Record), show func(line string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.print, s.taken = log, show, true
	for _, r := range s.records {
		log(r)
	}
	for _, text := range s.lines {
		if show != nil {
			show(text)
		}
	}
	s.records, s.lines = nil, nil
}
