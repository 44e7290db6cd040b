package model

import (
	"errors"
	"fmt"
	"slices"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
	"gosmp/osmp"
	"gosmp/timebase"
)

// phase is how far a model has come.
type phase byte

const (
	fresh  phase = iota // before Setup
	ready               // Setup has succeeded
	broken              // Setup or a step has failed
)

// instance is what stands between an FMU's instance and an author's model. Models come and go, when the instance is reset or set up
// again; what the host holds addresses of stays here.
type instance struct {
	host    fmu.Host
	define  func(*Declaration) Model
	defined *fmu.Variables

	inputs    []*inputSlot
	outputs   []*osmp.Output
	constants []*osmp.Input
	requests  []*osmp.ConfigRequest

	model    Model
	declared *Declaration
	phase    phase
	start    timebase.Time
	basis    []byte // what Setup has been given
	scratch  []byte
	muted    bool     // nothing is told: a state is being restored, and was told of when it was reached first
	told     []string // what Setup has said so far
	trouble  error    // the warning that the step returns
}

func newInstance(d *Definition, h fmu.Host, defined *fmu.Variables) *instance {
	i := &instance{host: h, define: d.New, defined: defined}
	i.renew()
	return i
}

// renew puts a new model in the place of the old one.
func (i *instance) renew() {
	i.closeModel()
	i.declared = &Declaration{table: &fmu.Variables{}, instance: i}
	i.model = i.define(i.declared)
	i.phase = fresh
}

// slot returns the n-th of a list of what outlives models, and makes it on first use.
func slot[T any](list *[]T, n int, first func() T) T {
	if n == len(*list) {
		*list = append(*list, first())
	}
	return (*list)[n]
}

func (i *instance) input(n int, t osmp.Triple) *inputSlot {
	return slot(&i.inputs, n, func() *inputSlot { return &inputSlot{in: osmp.NewInput(i.host, t)} })
}

func (i *instance) output(n int, t osmp.Triple) *osmp.Output {
	return slot(&i.outputs, n, func() *osmp.Output { return osmp.NewOutput(i.host, t) })
}

func (i *instance) constant(n int, t osmp.Triple) *osmp.Input {
	return slot(&i.constants, n, func() *osmp.Input { return osmp.NewInput(i.host, t) })
}

func (i *instance) request(n int, request, config osmp.Triple) *osmp.ConfigRequest {
	return slot(&i.requests, n, func() *osmp.ConfigRequest { return osmp.NewConfigRequest(i.host, request, config) })
}

// log hands a line on to the host. What Setup says is told once, even if Setup has to be run again before the first step.
func (i *instance) log(status fmi.Status, category, text string) {
	if i.muted || slices.Contains(i.told, text) {
		return
	}
	if i.phase == fresh {
		i.told = append(i.told, text)
	}
	i.host.Log(status, category, text)
}

// warn makes err, or err as well, the warning of the current step.
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
	i.declared.changing.load(i.host.Values)
	i.phase = fresh
	err := i.model.Setup(Environment{Start: i.start, Resources: i.host.Resources})
	i.phase = broken
	if !fmu.Usable(err) {
		return err
	}
	if wrong := i.checkSetup(); wrong != nil {
		return wrong
	}
	i.phase, i.basis = ready, i.appendBasis(i.basis[:0])
	return err
}

// checkSetup holds what Setup has done against the declarations.
func (i *instance) checkSetup() error {
	for _, r := range i.declared.requests {
		if !r.called {
			return fmt.Errorf("%w: a configuration request is declared, but Setup has not called Negotiate", ErrSetup)
		}
	}
	if name := i.declared.outputsExact.given(i.defined); name != "" {
		return fmt.Errorf("%w: output %q has got a value in Setup; declare it model.Calculated()", ErrSetup, name)
	}
	for _, o := range i.declared.outputs {
		if o.staged != nil {
			return fmt.Errorf("%w: %s: published by Setup, but there is no data before the first step", ErrSetup, o.name)
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
	defer i.release()
	return i.step(span)
}

// release forgets the memory that the step has read, and what it has published, which may be the same. It is the host's, and when it is
// somebody else's one day, Go's collector among them, nothing may lead there.
func (i *instance) release() {
	for _, in := range i.declared.inputs {
		in.slot.data = nil
	}
	for _, o := range i.declared.outputs {
		o.staged = nil
	}
}

func (i *instance) step(span timebase.Span) error {
	i.trouble = nil
	i.told = nil
	for _, in := range i.declared.inputs {
		in.take()
	}
	i.declared.changing.load(i.host.Values)
	err := i.model.Step(span)
	if !fmu.Usable(err) {
		i.fail(err)
		return err
	}
	for _, o := range i.declared.outputs {
		if wrong := o.commit(); wrong != nil {
			i.fail(wrong)
			return wrong
		}
	}
	i.declared.outputsExact.store(i.host.Values)
	i.declared.calculated.store(i.host.Values)
	switch {
	case i.trouble == nil:
		return err
	case err != nil:
		return fmt.Errorf("%w; %w", err, i.trouble)
	}
	return Warning(i.trouble)
}

// fail closes a step that has computed nothing: what the host can read stays as it was.
func (i *instance) fail(err error) {
	if !errors.Is(err, ErrDiscard) {
		i.phase = broken
	}
	i.declared.outputsExact.load(i.host.Values)
	i.declared.calculated.load(i.host.Values)
}

// Terminated implements fmu.Terminator.
func (i *instance) Terminated() bool {
	t, ok := i.model.(fmu.Terminator)
	return ok && i.phase == ready && t.Terminated()
}
