package importer

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"gosmp/importer/worker"
)

// stock holds the processes of a reserve that have loaded a library in order to be copied. Each
// process has an unpacked FMU, which its copy uses. There is only one copy of each process at a
// time, and no further copy after one has changed the folder.
type stock struct {
	mu     sync.Mutex
	all    []*original     // the most recently used one last
	unlike map[string]bool // FMUs whose processes cannot be copied, by hash
}

// original is a process to be copied.
type original struct {
	order
	process *worker.Process
	folder  string
	reply   worker.Reply // the reply to the command that loaded the library
	lent    bool         // a copy uses the folder
}

// copied creates the process of an order as a copy of a process that has loaded the library. It
// returns false if this is not possible.
func (r *Reserve) copied(p *prepared, w worker.Options) bool {
	if !worker.Copies || w.LogCalls || r.stock.refuses(p.fmu) {
		return false
	}
	from := r.stock.lend(p.order)
	if from != nil && (from.process.Ended() || !r.orchard.intact(p.fmu, from.folder)) {
		r.end(from)
		from = nil
	}
	if from == nil {
		if from = r.newOriginal(p.order); from == nil {
			return false
		}
		r.end(r.stock.add(from))
	}
	var err error
	if p.process, err = from.process.Copy(w, prepareTime); err != nil {
		if errors.Is(err, worker.ErrUnlike) {
			r.stock.refuse(p.fmu)
		}
		r.end(from)
		return false
	}
	p.process.Rest()
	p.folder, p.reply = from.folder, from.reply
	return true
}

// newOriginal starts a process and loads the library; it returns nil if this fails.
func (r *Reserve) newOriginal(o order) *original {
	from := &original{order: o, lent: true}
	var err error
	if from.folder, err = r.orchard.plant(o.fmu); err != nil {
		return nil
	}
	library := o.fmu.Library(from.folder)
	w := o.options
	w.Dir, w.LibraryPath = o.dir, []string{filepath.Dir(library)}
	if from.process, err = worker.StartOriginal(w); err == nil {
		a := o.fmu.loading(library, o.preload)
		from.reply, err = from.process.Do(worker.Load, &a, prepareTime)
	}
	if err != nil || from.reply.Status != 0 {
		r.end(from)
		return nil
	}
	return from
}

// end ends an original without unloading its library, which no run has used, and gives up its
// folder.
func (r *Reserve) end(from *original) {
	if from == nil {
		return
	}
	r.stock.remove(from)
	from.kill()
	r.orchard.leave(from.folder)
}

func (o *original) kill() {
	if o.process != nil {
		o.process.Kill()
		_ = o.process.Close() // it was killed
	}
}

func (s *stock) refuses(f *FMU) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unlike[f.SHA256]
}

func (s *stock) refuse(f *FMU) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unlike == nil {
		s.unlike = map[string]bool{}
	}
	s.unlike[f.SHA256] = true
}

// lend returns an original for an order that currently has no copy; nil if there is none.
func (s *stock) lend(o order) *original {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, from := range s.all {
		if !from.lent && from.serves(o) {
			s.all = append(slices.Delete(s.all, k, k+1), from)
			from.lent = true
			return from
		}
	}
	return nil
}

// add adds an original. If there are too many, it returns one without a copy, which the caller must
// end.
func (s *stock) add(from *original) (tooMany *original) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, from)
	if len(s.all) <= 2*mostReady() {
		return nil
	}
	k := slices.IndexFunc(s.all, func(o *original) bool { return !o.lent })
	if k < 0 {
		return nil
	}
	return s.all[k]
}

func (s *stock) remove(from *original) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.DeleteFunc(s.all, func(o *original) bool { return o == from })
}

// leave records the end of the copy that used a folder. It returns false for the folder of a
// process that is not a copy.
func (s *stock) leave(folder string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := slices.IndexFunc(s.all, func(o *original) bool { return o.folder == folder })
	if k >= 0 {
		s.all[k].lent = false
	}
	return k >= 0
}

// close ends all originals.
func (s *stock) close() {
	s.mu.Lock()
	all := s.all
	s.all = nil
	s.mu.Unlock()
	for _, from := range all {
		from.kill()
	}
}
