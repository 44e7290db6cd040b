package importer

import (
	"sync"

	"gosmp/cosim"
	"gosmp/importer/worker"
	"gosmp/timebase"
)

// batch is a group of instances in one process that step with a single request. The first instance
// that the engine steps sends the request; the others use its replies. An instance whose step was
// announced but not executed, because the previous instance failed or returned early, steps on its
// own.
type batch struct {
	members []*Instance
	wires   []cosim.Wire

	mu      sync.Mutex // for the fields below: with cosim.Parallel, instances step concurrently
	request *worker.Batch
	count   int // announced
	asked   bool
	replies []worker.Reply
	err     error // of the instance after those with replies
}

// turn is the position of an instance in an announced batch.
type turn struct {
	batch     *batch // nil if it steps on its own
	number    int
	published timebase.Time // before the announcement
}

// Joins reports whether the instance shares its process with another one. In Event Mode, the host
// makes decisions between the steps.
func (i *Instance) Joins(first cosim.Participant) bool {
	other, is := first.(*Instance)
	return is && i.process == other.process && i.o.Timeout == other.o.Timeout && i.isPlain() &&
		other.isPlain()
}

// isPlain reports whether the host has nothing to do between or within steps.
func (i *Instance) isPlain() bool {
	return !i.o.EventMode && !i.o.Intermediate && (i.fmu.Model.Major() < 3 || !i.Traits().Slopes)
}

// NewBatch creates a batch of instances that share the process of this one.
func (i *Instance) NewBatch(all []cosim.Participant, wires []cosim.Wire) cosim.Batch {
	b := &batch{wires: wires}
	for _, p := range all {
		member, is := p.(*Instance)
		if !is {
			return nil // a participant that only contains an instance
		}
		b.members = append(b.members, member)
	}
	return b
}

// lay lays out the request from the plans of the steps, which are known after Leave.
func (b *batch) lay() (err error) {
	if b.request, err = b.members[0].process.NewBatch(len(b.members)); err != nil {
		return err
	}
	wireAll(b.request, b.members, b.wires)
	return b.request.Lay()
}

// wired is a row of steps in a process.
type wired interface {
	Wire(step int, from *worker.Plan, fromAt int, to *worker.Plan, toAt, n int, blobs bool)
}

// wireAll lays the connections between the members of a row of steps.
func wireAll(into wired, members []*Instance, wires []cosim.Wire) {
	for _, w := range wires {
		from, to := members[w.From].out, members[w.To].continuous
		sent, taken := from.cells, to.cells
		if w.Blobs {
			sent, taken = from.blobs, to.blobs
		}
		for k := range w.Size {
			fromAt, toAt := find(sent, w.FromAt+k), find(taken, w.ToAt+k)
			if fromAt >= 0 && toAt >= 0 { // otherwise a step does not read or set it
				into.Wire(w.To, from.plan, fromAt, to.plan, toAt, 1, w.Blobs)
			}
		}
	}
}

// find returns the position in the plan for an element of the frame, or -1.
func find(list []stretch, frame int) int {
	for _, s := range list {
		if frame >= s.frame && frame < s.frame+s.n {
			return s.plan + frame - s.frame
		}
	}
	return -1
}

// Announce prepares the steps of the first n instances.
func (b *batch) Announce(n int, s timebase.Span) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, i := range b.members {
		i.withdraw()
	}
	b.asked, b.count, b.replies, b.err = false, 0, b.replies[:0], nil
	if n < 2 || b.request == nil && b.lay() != nil {
		return // each one steps on its own and reports the error
	}
	for k, i := range b.members[:n] {
		i.turn, i.stepEnd = turn{b, k, i.published}, s.End
		if i.prepare(s, s.End) != nil {
			i.withdraw()
			break
		}
		i.arguments.Slot = i.slot
		b.request.Set(k, &i.arguments)
		b.count++
	}
}

// withdraw cancels the announcement of a step.
func (i *Instance) withdraw() {
	if i.turn.batch != nil {
		i.published = i.turn.published
	}
	i.turn.batch = nil
}

// executed returns the reply to the step of the instance if a batch has executed it.
func (i *Instance) executed() (r worker.Reply, did bool, err error) {
	b, number := i.turn.batch, i.turn.number
	if b == nil {
		return r, false, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.asked {
		b.asked = true
		for _, member := range b.members[:b.count] {
			member.lastText.Store(nil)
		}
		b.replies, b.err = b.request.Do(b.count, i.o.Timeout, b.replies)
	}
	switch {
	case number < len(b.replies):
		r = b.replies[number]
	case number == len(b.replies) && b.err != nil:
		err = b.err
	default:
		i.withdraw()
		return r, false, nil
	}
	i.turn.batch = nil
	r, err = i.judge(worker.Step, r, err)
	return r, true, err
}
