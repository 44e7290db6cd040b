package model

import (
	"errors"
	"fmt"
	"slices"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
	"gosmp/model/internal/recording"
	"gosmp/osmp"
	"gosmp/timebase"
)

// phase is the stage that a model has reached.
type phase byte

const (
	fresh  phase = iota // before Setup
	ready               // Setup has succeeded
	broken              // Setup or a step has failed
)

// instance connects an FMU's instance to an author's model. The model is replaced when the instance
// is reset or set up again; everything whose address the host holds stays here.
type instance struct {
	host    fmu.Host
	define  func(*Declaration) Model
	defined *fmu.Variables

	inputs    []*inputSlot
	outputs   []*osmp.Output
	constants []*osmp.Input
	requests  []*osmp.ConfigRequest
	recorder  *recording.Recorder // nil unless record.folder is set

	model    Model
	steady   Steady // the model, nil if it does not implement it
	declared *Declaration
	phase    phase
	start    timebase.Time
	basis    []byte // the data on which Setup was based
	scratch  []byte
	// true while a state is restored; its log lines appeared when it was first reached
	muted    bool
	reported []string // lines logged by Setup so far
	trouble  error    // the warning that the step returns
	// with Event Mode: the newest step has results that Settle will make visible
	unsettled bool
	aside     *fmu.Values // the waiting results, while the next step runs
	ticks     []bool      // of the clocks, likewise
}

func newInstance(d *Definition, h fmu.Host, defined *fmu.Variables) *instance {
	i := &instance{host: h, define: d.New, defined: defined}
	i.renew()
	return i
}

// renew replaces the model with a new one.
func (i *instance) renew() {
	i.closeModel()
	i.declared = &Declaration{table: fmu.NewVariables(i.defined.Version), instance: i}
	i.model = i.define(i.declared)
	i.steady, _ = i.model.(Steady)
	i.declared.complete()
	i.phase, i.unsettled = fresh, false
}

// slot returns the n-th element of a list that outlives models, creating it on first use.
func slot[T any](list *[]T, n int, first func() T) T {
	if n == len(*list) {
		*list = append(*list, first())
	}
	return (*list)[n]
}

func (i *instance) input(n int, t osmp.Place) *inputSlot {
	return slot(&i.inputs, n, func() *inputSlot { return &inputSlot{in: osmp.NewInput(i.host, t)} })
}

func (i *instance) output(n int, t osmp.Place) *osmp.Output {
	return slot(&i.outputs, n, func() *osmp.Output { return osmp.NewOutput(i.host, t) })
}

func (i *instance) constant(n int, t osmp.Place) *osmp.Input {
	return slot(&i.constants, n, func() *osmp.Input { return osmp.NewInput(i.host, t) })
}

func (i *instance) request(n int, request, config osmp.Place) *osmp.ConfigRequest {
	return slot(&i.requests, n, func() *osmp.ConfigRequest {
		return osmp.NewConfigRequest(i.host, request, config)
	})
}

// log passes a line to the host. Lines of Setup are logged once, even if Setup runs again before
// the first step.
func (i *instance) log(status fmi.Status, category, text string) {
	if i.muted || slices.Contains(i.reported, text) {
		return
	}
	if i.phase == fresh {
		i.reported = append(i.reported, text)
	}
	i.host.Log(status, category, text)
}

// warn adds err to the warning of the current step.
func (i *instance) warn(err error) {
	if i.trouble != nil {
		err = fmt.Errorf("%w; %w", i.trouble, err)
	}
	i.trouble = err
}

// Initialize implements fmu.Model.
func (i *instance) Initialize(start timebase.Time) error {
	if i.phase != fresh {
		i.renew()
	}
	i.start = start
	err := i.setUp()
	if fmu.Usable(err) {
		i.declared.calculated.store(i.host.Values)
	}
	return err
}

// setUp runs the model's Setup with the current parameters.
func (i *instance) setUp() error {
	if err := same(i.defined, i.declared.table); err != nil {
		return err
	}
	for _, c := range i.declared.constants {
		c.capture()
	}
	i.declared.fixed.load(i.host.Values)
	i.loadChanging()
	i.phase = fresh
	err := i.model.Setup(Environment{Start: i.start, Resources: i.host.Resources,
		StepSize: i.host.StepSize})
	i.phase = broken
	if !fmu.Usable(err) {
		return err
	}
	if wrong := i.checkSetup(); wrong != nil {
		return wrong
	}
	i.phase, i.basis = ready, i.appendBasis(i.basis[:0])
	return i.beginRecording(err)
}

// loadChanging loads the values that may have changed since the last step, including lengths of
// arrays.
func (i *instance) loadChanging() {
	i.declared.changing.load(i.host.Values)
	for _, x := range i.declared.vectors {
		x.fit(i.host.Values)
	}
}

// checkSetup compares the actions of Setup with the declarations.
func (i *instance) checkSetup() error {
	for _, r := range i.declared.requests {
		if !r.called {
			return fmt.Errorf(
				"%w: a configuration request is declared, but Setup has not called Negotiate",
				ErrSetup)
		}
	}
	if name := i.declared.outputsExact.given(); name != "" {
		return fmt.Errorf("%w: output %q has been set in Setup; declare it with model.Calculated()",
			ErrSetup, name)
	}
	for _, o := range i.declared.outputs {
		if o.staged != nil {
			return fmt.Errorf(
				"%w: %s: published by Setup, but there is no data before the first step", ErrSetup,
				o.name)
		}
	}
	return nil
}

// appendBasis appends everything that Setup depends on.
func (i *instance) appendBasis(b []byte) []byte {
	b = i.declared.fixed.append(state.AppendUint64(b, uint64(i.start)), i.host.Values)
	for _, c := range i.declared.constants {
		b = state.AppendBytes(b, c.data)
	}
	for _, r := range i.requests {
		b = state.AppendBytes(b, r.Agreed())
	}
	return b
}

// Step implements fmu.Model.
func (i *instance) Step(span timebase.Span) error {
	if i.phase != ready { // only a damaged state can lead here
		return fmt.Errorf("%w: it contains no model that is set up", fmu.ErrState)
	}
	defer i.release()
	return i.step(span)
}

// release drops references to the memory that the step read and to published messages, which may be
// in the same memory. It belongs to the host. Once freed, it may be reused, even by the Go runtime,
// so no pointer to it may remain.
func (i *instance) release() {
	for _, in := range i.declared.inputs {
		if s := in.slot; s.taken != nil { // also if the model has rejected the data
			s.data, s.taken = nil, nil
		}
	}
	for _, o := range i.declared.outputs {
		if o.staged != nil {
			o.staged = nil
		}
	}
}

func (i *instance) step(span timebase.Span) error {
	i.trouble = nil
	reported := i.reported
	i.reported = nil
	for _, in := range i.declared.inputs {
		in.take()
	}
	i.loadChanging()
	i.setAside()
	err := i.model.Step(span)
	if !fmu.Usable(err) {
		if errors.Is(err, ErrDiscard) { // the state is the one before the step
			i.reported = reported
			i.putBack()
		}
		i.fail(err)
		return err
	}
	if wrong := i.publish(); wrong != nil {
		i.fail(wrong)
		return wrong
	}
	if i.recorder != nil {
		i.record(span.End)
	}
	switch {
	case i.trouble == nil:
		return err
	case err != nil:
		return fmt.Errorf("%w; %w", err, i.trouble)
	}
	return Warning(i.trouble)
}

// fail ends a step without results: the host still reads the previous outputs, and results that
// were waiting for Event Mode are still waiting.
func (i *instance) fail(err error) {
	if !errors.Is(err, ErrDiscard) {
		i.phase = broken
	}
	i.takeBack()
}

// putBack restores the inputs to their state before the step.
func (i *instance) putBack() {
	for _, in := range i.declared.inputs {
		in.slot.in.PutBack()
	}
}

// Terminated implements fmu.Terminator.
func (i *instance) Terminated() bool {
	t, ok := i.model.(fmu.Terminator)
	return ok && i.phase == ready && t.Terminated()
}
