package importer

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"gosmp/importer/worker"
)

// Pool holds the worker processes of its instances: one for each instance, and a common one for all
// instances with the option Shared. It also holds the unpacked FMU of each instance.
type Pool struct {
	Options worker.Options // the pool sets Log, Print, LibraryPath and Arena itself
	Print   func(instance, line string)
	// Reserve may have prepared processes for instances that are not shared. It must be closed
	// after the pool.
	Reserve *Reserve

	mu        sync.Mutex
	served    map[*worker.Process][]*Instance // by their slots
	shared    []*Instance                     // in the shared process, by their slots
	processes []*worker.Process
	common    *worker.Process
	arena     *worker.Arena // where the FMUs store their messages
	trees     trees
	borrowed  []loan
	given     *prepared // the process of the only instance, in a trial
}

// loan is a process of the reserve and its instance.
type loan struct {
	process  *prepared
	instance *Instance
}

// Close ends all processes and removes the unpacked FMUs. Frames and blobs are invalid from then
// on. Once a process has taken too long, each of the others has only a second.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	kept, hurry := p.giveBack(), false
	for _, process := range p.processes {
		if kept[process] {
			continue
		}
		if hurry {
			process.Hurry()
		}
		err := process.Close()
		hurry = hurry || errors.Is(err, worker.ErrTimeout)
		if !p.reportEnd(process, err) {
			errs = append(errs, err)
		}
	}
	p.served = nil
	p.processes, p.common = nil, nil
	if p.arena != nil && p.Reserve == nil {
		errs = append(errs, p.arena.Close())
	}
	p.arena = nil
	for _, l := range p.borrowed {
		p.Reserve.leave(l.process.folder)
	}
	p.borrowed = nil
	errs = append(errs, p.trees.close())
	return errors.Join(errs...)
}

// giveBack returns processes to the reserve that may serve another run.
func (p *Pool) giveBack() map[*worker.Process]bool {
	kept := map[*worker.Process]bool{}
	p.borrowed = slices.DeleteFunc(p.borrowed, func(l loan) bool {
		kept[l.process.process] = p.Reserve.accept(l.process, l.instance)
		return kept[l.process.process]
	})
	return kept
}

// newArena creates the memory for messages, or uses the reserve's memory.
func (p *Pool) newArena() (err error) {
	if p.arena != nil {
		return nil
	}
	if p.Reserve != nil {
		p.arena, err = p.Reserve.shared()
	} else {
		p.arena, err = worker.NewArena()
	}
	return err
}

// reportEnd warns about a process that ended abnormally after its instances were freed. The results
// are complete, but a host that runs FMUs in its own process would have ended, too.
func (p *Pool) reportEnd(process *worker.Process, err error) bool {
	var death *worker.DeathError
	served := p.served[process]
	if !errors.As(err, &death) || len(served) == 0 {
		return false
	}
	i := served[0]
	for _, s := range served {
		if s.slot == death.Slot {
			i = s
		}
	}
	i.warn("%s: %v while it was unloaded, after the end of the run", i.fmu.Path, death)
	return true
}

// Kill ends all processes immediately; running calls return an error.
func (p *Pool) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, process := range p.processes {
		process.Kill()
	}
}

// taken reports whether the shared process already contains an instance of an FMU that allows only
// one instance per process.
func (p *Pool) taken(f *FMU) bool {
	return f.slave.Capabilities.Has("canBeInstantiatedOnlyOncePerProcess") &&
		slices.ContainsFunc(p.shared, func(i *Instance) bool {
			other := i.fmu
			return other.SHA256 == f.SHA256 ||
				other.Model.InstantiationToken == f.Model.InstantiationToken
		})
}

// plant unpacks the FMU of an instance.
func (p *Pool) plant(i *Instance) (err error) {
	if i.folder == "" {
		i.folder, err = p.trees.plant(i.fmu)
	}
	return err
}

// start assigns a process to an instance.
func (p *Pool) start(i *Instance) (*worker.Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.given != nil {
		i.folder, i.loaded = p.given.folder, &p.given.reply
		p.given.sink.connect(i.log, nil)
		return p.given.process, nil
	}
	if process := p.borrow(i); process != nil {
		return process, nil
	}
	if err := p.plant(i); err != nil {
		return nil, err
	}
	if i.o.Shared && p.common != nil {
		return p.common, nil
	}
	if err := p.newArena(); err != nil {
		return nil, err
	}
	o := p.Options
	o.Arena = p.arena
	who := i.name
	served := []*Instance{i}
	if i.o.Shared {
		who, served = "", slices.Clone(p.shared)
	}
	o.LibraryPath = nil
	listed := map[string]bool{} // FMUs by hash: equal FMUs have equal libraries
	for _, s := range served {
		if err := p.plant(s); err != nil {
			return nil, err
		}
		if !listed[s.fmu.SHA256] {
			listed[s.fmu.SHA256] = true
			o.LibraryPath = append(o.LibraryPath, filepath.Dir(s.fmu.Library(s.folder)))
		}
	}
	o.Log = func(r worker.Record) {
		for _, s := range served {
			if s.slot == r.Slot {
				s.log(r)
			}
		}
	}
	o.Print = p.printer(who)
	process, err := worker.Start(o)
	if err != nil {
		return nil, err
	}
	p.keep(process, served)
	if i.o.Shared {
		p.common = process
	}
	return process, nil
}

// printer returns a function that forwards the printed output of the FMU with this name; nil if the
// output is not requested.
func (p *Pool) printer(who string) func(line string) {
	if p.Print == nil {
		return nil
	}
	return func(line string) { p.Print(who, printable(line)) }
}

func (p *Pool) keep(process *worker.Process, served []*Instance) {
	p.processes = append(p.processes, process)
	if p.served == nil {
		p.served = map[*worker.Process][]*Instance{}
	}
	p.served[process] = served
}

// borrow returns a process of the reserve for an instance; nil if the reserve has none.
func (p *Pool) borrow(i *Instance) *worker.Process {
	if p.Reserve == nil || i.o.Shared || i.folder != "" {
		return nil
	}
	ready := p.Reserve.take(order{fmu: i.fmu, options: p.Options, preload: i.o.Preload},
		i.identity())
	if ready == nil {
		return nil
	}
	i.folder, i.loaded = ready.folder, &ready.reply
	p.borrowed = append(p.borrowed, loan{ready, i})
	p.keep(ready.process, []*Instance{i})
	ready.sink.connect(i.log, p.printer(i.name))
	return ready.process
}
