package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/importer/worker"
)

// A process whose instance has been freed may serve the next run, if the FMU has passed a trial and
// the process looks like a new one after each life; see [worker.Process.Renew]. The trial begins
// when two runs have ended properly in new processes.

const (
	livesBeforeTrial = 2
	mostLives        = 128 // of a process: it may have lost memory
	mostRuntimeLives = 16  // of a process whose memory cannot be compared
)

// history describes earlier runs of an FMU with start values for the same variables.
type history struct {
	ended    int       // runs that ended properly in new processes
	instance *Instance // of the last one before the trial, until the trial has ended
	passed   bool      // the trial
}

// identity distinguishes FMUs, and the variables that have start values.
func (i *Instance) identity() string {
	names := []string{i.fmu.SHA256}
	for _, s := range i.o.Start {
		names = append(names, s.Name)
	}
	slices.Sort(names[1:])
	return strings.Join(names, "\x00")
}

// historyOf returns the history for an identity. mu must be locked.
func (r *Reserve) historyOf(identity string) *history {
	h := r.histories[identity]
	if h == nil {
		if r.histories == nil || len(r.histories) >= mostDescribed {
			r.histories = map[string]*history{}
		}
		h = &history{}
		r.histories[identity] = h
	}
	return h
}

// accept takes back a process whose instance has ended, if the process may serve another one. Until
// then, the caller must not use it. The process continues to belong to the caller if accept returns
// false.
func (r *Reserve) accept(p *prepared, i *Instance) bool {
	if i.phase != done || i.troubled || i.spoiled || !p.noted || i.o.InitialState != nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.historyOf(i.identity())
	switch {
	case r.closed || r.distrusted[i.fmu.SHA256]:
		return false
	case !h.passed:
		if h.ended++; h.ended == livesBeforeTrial {
			h.instance = i
			o := p.order
			o.examined = h
			r.orders = append(r.orders, o)
			r.changed.Broadcast()
		}
		return false
	case r.hasNew(p.order):
		return false
	case p.lives+1 >= p.mostLives() || !p.process.Drain():
		r.orders = append(r.orders, p.order)
		r.changed.Broadcast()
		return false
	}
	p.sink.disconnect()
	o := p.order
	o.used = p
	r.orders = append(r.orders, o)
	r.changed.Broadcast()
	return true
}

// hasNew reports whether a new process for an order is ready or will be. mu must be locked.
func (r *Reserve) hasNew(o order) bool {
	prepares := func(other order) bool {
		return other.used == nil && !other.isTrial() && other.serves(o)
	}
	return r.current != nil && prepares(*r.current) || slices.ContainsFunc(r.orders, prepares) ||
		slices.ContainsFunc(r.ready, func(p *prepared) bool { return p.lives == 0 && p.serves(o) })
}

// mayReuse reports whether an FMU may be instantiated again in a process at all.
func (f *FMU) mayReuse() bool {
	c := f.slave.Capabilities
	return !c.Has("canBeInstantiatedOnlyOncePerProcess") && !c.Has("needsExecutionTool")
}

// carryOutTrial carries out the trial of an order.
func (r *Reserve) carryOutTrial(o order) {
	reason := r.trial(o)
	r.mu.Lock()
	defer r.mu.Unlock()
	o.examined.instance = nil
	if o.examined.passed = reason == ""; !o.examined.passed {
		r.distrust(o.fmu, reason)
	}
}

// distrust notes that the process of an FMU must not be used again. mu must be locked.
func (r *Reserve) distrust(f *FMU, reason string) {
	if r.distrusted == nil {
		r.distrusted = map[string]bool{}
	}
	if !r.distrusted[f.SHA256] {
		r.distrusted[f.SHA256] = true
		r.notes = append(r.notes, Note{FMU: f.Path, Reason: reason})
	}
}

// Note names an FMU that cannot serve two runs in one process.
type Note struct{ FMU, Reason string }

func (n Note) String() string {
	return fmt.Sprintf("%s: each run has a new process: %s", n.FMU, n.Reason)
}

// Notes returns the FMUs found since the last call that cannot serve two runs in one process.
func (r *Reserve) Notes() []Note {
	r.mu.Lock()
	defer r.mu.Unlock()
	notes := r.notes
	r.notes = nil
	return notes
}

// renewed prepares a used process for its next life, or returns nil.
func (r *Reserve) renewed(o order) *prepared {
	p := o.used
	p.lives++
	err := p.process.Renew(prepareTime)
	if err == nil && !r.orchard.intact(p.fmu, p.folder) {
		r.drop(p)
		return nil
	}
	if err != nil {
		if errors.Is(err, worker.ErrUnlike) {
			r.mu.Lock()
			r.distrust(p.fmu, reasonOf(err))
			r.mu.Unlock()
		}
		r.drop(p)
		return nil
	}
	p.process.Rest()
	return p
}

// mostLives returns how many instances the process may serve.
func (p *prepared) mostLives() int {
	if p.hasRuntime() {
		return mostRuntimeLives
	}
	return mostLives
}
