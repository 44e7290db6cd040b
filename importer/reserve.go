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

// Reserve speeds up successive runs of the same FMUs. It keeps the model descriptions that have
// been read, and while one run computes, it prepares the process for the next: the FMU is unpacked
// and its library is loaded, but nothing is instantiated. Where possible, it copies a process that
// has loaded the library ([worker.Process.Copy]). After a trial, a process serves several runs, one
// after another, if it looks like a new one after each; [Reserve.Notes] lists the other FMUs. The
// results are the same as without a Reserve. A nil Reserve keeps nothing. Its methods may be called
// from several goroutines.
type Reserve struct {
	// Fresh means that no process is prepared: each run starts its own.
	Fresh bool

	mu      sync.Mutex
	changed *sync.Cond // of mu: ready, orders, current or closed; nil before the first order
	opened  map[string]described
	ready   []*prepared
	orders  []order       // to carry out
	current *order        // being carried out
	done    chan struct{} // closed when no more orders are carried out
	closed  bool

	orchard orchard
	stock   stock
	arena   *worker.Arena

	histories  map[string]*history
	distrusted map[string]bool // FMUs whose processes must not be used again, by hash
	notes      []Note
}

// described is an FMU and the file from which it was read.
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
	// of the runs so far, for a trial; nil for an ordinary order
	examined *history
	used     *prepared // to be prepared for its next life; nil for a new process
}

// prepared is a process that has loaded an FMU for one instance.
type prepared struct {
	order
	process *worker.Process
	folder  string
	reply   worker.Reply // the reply to the command that loaded the library
	sink    *sink
	lives   int  // how many instances it has served
	noted   bool // it may serve several
}

const (
	mostDescribed = 64
	// A file that changes again within this time may keep its size and date.
	settleTime  = 2 * time.Second
	prepareTime = time.Minute // limit for loading a library, as at the end of a life
)

// mostReady returns the maximum number of waiting processes. Processes of the least recently used
// FMUs are ended to make room for others. If more FMUs than this take turns, each process ends
// before it is used.
func mostReady() int { return max(16, 2*runtime.NumCPU()) }

// Open is like the function [Open], but reuses an FMU that has already been read.
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

// shared returns the memory for the messages of all processes that the instances of a run may use.
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

// take returns a process for an order, or nil if there is none, and requests the preparation of the
// next one. It waits for a process that is being prepared because this takes less time than
// starting another one.
func (r *Reserve) take(o order, identity string) *prepared {
	if r.Fresh {
		return nil
	}
	o.dir = workingFolder(o.options.Dir)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	if r.changed == nil {
		r.changed, r.done = sync.NewCond(&r.mu), make(chan struct{})
		go r.carryOut()
	}
	again := r.historyOf(identity).passed
	p := r.find(o, again)
	for p == nil && r.expects(o, again) {
		r.changed.Wait()
		p = r.find(o, again)
	}
	returns := again && p != nil && p.noted // the process comes back after its run
	if !returns && len(r.orders) < mostReady() {
		r.orders = append(r.orders, o)
		r.changed.Broadcast()
	}
	if p == nil {
		return nil
	}
	if p.process.Ended() {
		r.drop(p)
		return nil
	}
	p.process.Wake()
	return p
}

// find takes a waiting process for an order, one that has served another run only if it may be used
// again. mu must be locked.
func (r *Reserve) find(o order, again bool) *prepared {
	k := slices.IndexFunc(r.ready, func(p *prepared) bool {
		return (again || p.lives == 0) && p.serves(o)
	})
	if k < 0 {
		return nil
	}
	p := r.ready[k]
	r.ready = slices.Delete(r.ready, k, k+1)
	return p
}

// expects reports whether the next process to become ready will serve an order. mu must be locked.
func (r *Reserve) expects(o order, again bool) bool {
	next := r.current
	if next == nil && len(r.orders) > 0 {
		next = &r.orders[0]
	}
	return !r.closed && next != nil && next.serves(o) && !next.isTrial() &&
		(again || next.used == nil)
}

func (o *order) isTrial() bool { return o.examined != nil }

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

// serves reports whether a process for one order is equivalent to a process for another order.
func (o *order) serves(other order) bool {
	a, b := o.options, other.options
	return o.fmu.SHA256 == other.fmu.SHA256 && o.preload == other.preload && o.dir == other.dir &&
		a.Memory == b.Memory && a.Core == b.Core && a.LogCalls == b.LogCalls
}

// next waits for an order; ok is false at the end.
func (r *Reserve) next() (o order, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.orders) == 0 && !r.closed {
		r.changed.Wait()
	}
	if r.closed {
		return o, false
	}
	o = r.orders[0]
	r.orders = slices.Delete(r.orders, 0, 1)
	r.current = &o
	return o, true
}

// carryOut prepares processes until no more orders come.
func (r *Reserve) carryOut() {
	defer close(r.done)
	for {
		o, ok := r.next()
		if !ok {
			return
		}
		var p *prepared
		switch {
		case o.isTrial():
			r.carryOutTrial(o)
		case o.used != nil:
			p = r.renewed(o)
		default:
			p = r.prepare(o)
		}
		r.mu.Lock()
		r.current = nil
		var oldest *prepared
		if p != nil && len(r.ready) >= mostReady() {
			oldest, r.ready = r.ready[0], r.ready[1:]
		}
		switch {
		case r.closed:
			oldest = p
		case p != nil:
			r.ready = append(r.ready, p)
		}
		r.changed.Broadcast()
		r.mu.Unlock()
		if oldest != nil {
			r.drop(oldest)
		}
	}
}

// prepare carries out an order. If this fails, it returns nil: the run will fail, too, and report
// the reason.
func (r *Reserve) prepare(o order) *prepared {
	arena, err := r.shared()
	if err != nil {
		return nil
	}
	p := &prepared{order: o, sink: &sink{}}
	w := o.options
	w.Dir, w.Arena = o.dir, arena
	w.Log, w.Print = p.sink.record, p.sink.line
	if !r.copied(p, w) && !r.loaded(p, w) {
		return nil
	}
	if !r.preload(p) {
		return nil
	}
	p.noted = p.fmu.mayReuse() && w.Memory == 0 && !w.LogCalls && p.process.Drain() &&
		p.process.Note(p.hasRuntime(), prepareTime) == nil
	return p
}

// hasRuntime reports whether the library contains a language runtime that has been started.
func (p *prepared) hasRuntime() bool {
	return p.fmu.core(p.folder) != "" && p.options.Memory == 0
}

// preload loads what the library of an FMU would load later. It drops the process if this fails.
func (r *Reserve) preload(p *prepared) bool {
	if !p.hasRuntime() {
		return true
	}
	a := worker.Arguments{Major: int(p.fmu.Model.Major()), Texts: []string{p.fmu.core(p.folder)}}
	reply, err := p.process.Do(worker.Preload, &a, prepareTime)
	if err != nil || reply.Status != 0 {
		r.drop(p)
		return false
	}
	return true
}

// loaded starts the process of an order and loads the library.
func (r *Reserve) loaded(p *prepared, w worker.Options) bool {
	var err error
	if p.folder, err = r.orchard.plant(p.fmu); err != nil {
		return false
	}
	library := p.fmu.Library(p.folder)
	w.LibraryPath = []string{filepath.Dir(library)}
	if p.process, err = worker.Start(w); err == nil {
		p.process.Rest()
		a := p.fmu.loading(library, p.preload)
		p.reply, err = p.process.Do(worker.Load, &a, prepareTime)
	}
	if err != nil || p.reply.Status != 0 {
		r.drop(p)
		return false
	}
	return true
}

// loading returns the arguments of the command that loads a library.
func (f *FMU) loading(library, preload string) worker.Arguments {
	a := worker.Arguments{Major: int(f.Model.Major()),
		Texts: []string{library, strings.Join(imported(library), "\n"), preload}}
	if f.Model.Major() == 1 {
		a.Texts = append(a.Texts, f.slave.ModelIdentifier)
	}
	return a
}

// drop ends an unused process. Errors are ignored because they do not affect any run.
func (r *Reserve) drop(p *prepared) {
	if p.process != nil {
		_ = p.process.Close()
	}
	r.leave(p.folder)
}

// leave returns the folder of a process that has ended.
func (r *Reserve) leave(folder string) {
	if !r.stock.leave(folder) {
		r.orchard.leave(folder)
	}
}

// Close ends the waiting processes and removes their unpacked FMUs. Pools that use the Reserve must
// be closed first.
func (r *Reserve) Close() error {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil
	}
	r.closed = true
	if r.changed != nil {
		r.changed.Broadcast()
		r.mu.Unlock()
		<-r.done
		r.mu.Lock()
	}
	ready := r.ready
	for _, o := range r.orders {
		if o.used != nil {
			ready = append(ready, o.used)
		}
	}
	r.ready, r.orders, r.opened = nil, nil, nil
	r.mu.Unlock()
	for _, p := range ready {
		r.drop(p)
	}
	r.stock.close()
	var err error
	if r.arena != nil {
		err = r.arena.Close()
	}
	return errors.Join(err, r.orchard.close())
}
