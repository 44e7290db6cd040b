package importer

import (
	"bytes"
	"context"
	"slices"

	"gosmp/cosim"
	"gosmp/importer/worker"
	"gosmp/timebase"
)

// eventBefore reports whether an event has to be handled before the step that begins at start: an
// input has changed discontinuously, a clock ticks or has a new interval, or an event is still
// pending because the last step could not be shortened. After reporting an event, it assumes that
// the event is handled.
func (i *Instance) eventBefore(start timebase.Time) bool {
	i.requested = !i.requested && (i.inputsJumped() || start >= i.nextPoint() ||
		i.clockwork.triggered() || i.clockwork.tuned())
	return i.requested
}

// nextPoint returns the next time at which the FMU must be in Event Mode.
func (i *Instance) nextPoint() timebase.Time { return min(i.nextEvent, i.clockwork.next()) }

// Event handles an event in Event Mode (FMI 3.0).
func (i *Instance) Event(_ context.Context, t timebase.Time) (cosim.Advance, error) {
	if i.clockwork != nil {
		return i.clockwork.event(t)
	}
	i.frameIn.Jumped = false
	a := cosim.Advance{Reached: t}
	if err := i.in.send(); err != nil {
		return a, err
	}
	step := i.arguments
	r, err := i.call(worker.Event, worker.Arguments{In: i.in.plan, Out: i.out.plan,
		Flags: i.place()})
	i.arguments = step
	if err != nil {
		return a, err
	}
	i.noteNext(r)
	i.rememberDiscrete()
	a.Ended = r.Terminate
	return a, i.out.fetch()
}

// inputsJumped reports whether an input has changed discontinuously.
func (i *Instance) inputsJumped() bool { return i.frameIn.Jumped || i.discreteChanged() }

// discreteChanged reports whether an input that can only be set in Event Mode has changed
// discontinuously. Every input counts as changed after the FMU has continued from a state of its
// own, whose inputs are unknown.
func (i *Instance) discreteChanged() bool {
	if i.discrete == nil || i.discrete.plan == nil {
		return false
	}
	cells, blobs := i.discreteInputs()
	if len(i.lastDiscrete) != cells || len(i.lastBlobs) != blobs {
		return true
	}
	k := 0
	for _, s := range i.discrete.cells {
		if !slices.Equal(i.lastDiscrete[k:k+s.n], i.frameIn.Cells[s.frame:s.frame+s.n]) {
			return true
		}
		k += s.n
	}
	k = 0
	for _, s := range i.discrete.blobs {
		if !slices.EqualFunc(i.lastBlobs[k:k+s.n], i.frameIn.Blobs[s.frame:s.frame+s.n],
			bytes.Equal) {
			return true
		}
		k += s.n
	}
	return false
}

// rememberDiscrete notes the discrete inputs that the FMU has now. Texts and binaries are copied,
// because their senders reuse the memory.
func (i *Instance) rememberDiscrete() {
	if i.discrete == nil {
		return
	}
	i.lastDiscrete = i.lastDiscrete[:0]
	for _, s := range i.discrete.cells {
		i.lastDiscrete = append(i.lastDiscrete, i.frameIn.Cells[s.frame:s.frame+s.n]...)
	}
	k := 0
	for _, s := range i.discrete.blobs {
		for _, v := range i.frameIn.Blobs[s.frame : s.frame+s.n] {
			if k == len(i.lastBlobs) {
				i.lastBlobs = append(i.lastBlobs, nil)
			}
			i.lastBlobs[k] = append(i.lastBlobs[k][:0], v...)
			k++
		}
	}
}

func (i *Instance) noteNext(r worker.Reply) {
	i.nextEvent, i.eventTime = timebase.EndOfTime, 0
	if t, err := timebase.FromSeconds(r.NextTime); r.NextEvent && err == nil {
		i.nextEvent, i.eventTime = t, r.NextTime
	}
}
