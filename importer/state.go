package importer

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"gosmp/importer/worker"
	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// The numbers of the saved states of an instance.
const (
	rollbackState = 0
	fileState     = 1
)

// keep executes a state command without changing the step arguments.
func (i *Instance) keep(o worker.Operation, a worker.Arguments) (worker.Reply, error) {
	step := i.arguments
	r, err := i.call(o, a)
	i.arguments = step
	return r, err
}

// Save stores the current state.
func (i *Instance) Save(_ context.Context) error {
	i.saved = i.clone(i.saved)
	_, err := i.keep(worker.SaveState, worker.Arguments{State: rollbackState})
	return err
}

// Restore returns to the state saved by Save.
func (i *Instance) Restore(_ context.Context) error {
	_, err := i.keep(worker.RestoreState, worker.Arguments{State: rollbackState})
	if err == nil {
		i.position = i.saved.clone(i.position)
		i.requested, i.eventNeeded = false, false
	}
	return err
}

// State returns the current state as bytes, for Options.InitialState of another run of the same
// FMU. It fails if the FMU cannot serialize its state.
func (i *Instance) State() ([]byte, error) {
	if !i.fmu.canSerialize() {
		return nil, fault.New(ErrInvalid, fault.In(i.fmu.Path),
			"no states that can be saved to a file", "canSerializeFMUstate")
	}
	if _, err := i.keep(worker.SaveState, worker.Arguments{State: fileState}); err != nil {
		return nil, err
	}
	r, err := i.keep(worker.SerializeState, worker.Arguments{State: fileState})
	if err != nil {
		return nil, err
	}
	saved := slices.Clone(r.Blob)
	_, err = i.keep(worker.ForgetState, worker.Arguments{State: fileState})
	return saved, err
}

// enterState sets a saved state instead of initializing.
func (i *Instance) enterState() error {
	err := i.setState(i.o.InitialState)
	if err == nil {
		i.phase = running
	}
	return err
}

// setState sets the FMU to a state returned by [Instance.State].
func (i *Instance) setState(saved []byte) error {
	if _, err := i.keep(worker.DeserializeState, worker.Arguments{State: fileState,
		Blob: saved}); err != nil {
		return err
	}
	if _, err := i.keep(worker.RestoreState, worker.Arguments{State: fileState}); err != nil {
		return err
	}
	_, err := i.keep(worker.ForgetState, worker.Arguments{State: fileState})
	return err
}

// AppendState appends the state of the FMU and the state that the host keeps for it.
func (i *Instance) AppendState(_ context.Context, b []byte) ([]byte, error) {
	saved, err := i.State()
	if err != nil {
		return b, err
	}
	b = state.AppendFloat64(b, i.time)
	b = state.AppendFloat64(state.AppendUint64(b, uint64(i.nextEvent)), i.eventTime)
	b = state.AppendUint64(b, uint64(len(i.lastDiscrete)+len(i.lastBlobs)))
	for _, cell := range i.lastDiscrete {
		b = state.AppendUint64(b, cell)
	}
	for _, blob := range i.lastBlobs {
		b = state.AppendBytes(b, blob)
	}
	for k := range i.clocks {
		b = i.clocks[k].append(b)
	}
	return state.AppendBytes(b, saved), nil
}

// RestoreState restores a state of this or another instance of the FMU.
func (i *Instance) RestoreState(_ context.Context, saved []byte) error {
	d := &state.Decoder{Data: saved}
	now, next, event, n := d.Float64(), timebase.Time(d.Uint64()), d.Float64(), d.Uint64()
	if err := d.Err(); err != nil {
		return err
	}
	cells, blobs := i.discreteInputs()
	if err := i.checkPosition(now, n, cells+blobs); err != nil {
		return err
	}
	p := position{time: now, nextEvent: next, eventTime: event,
		lastDiscrete: make([]uint64, cells), lastBlobs: make([][]byte, blobs)}
	for k := range p.lastDiscrete {
		p.lastDiscrete[k] = d.Uint64()
	}
	for k := range p.lastBlobs {
		p.lastBlobs[k] = bytes.Clone(d.Bytes())
	}
	clocks := make([]ticking, len(i.clocks))
	for k := range clocks {
		clocks[k].read(d)
	}
	fmuState := d.Bytes()
	if err := d.Done(); err != nil {
		return err
	}
	for k := range clocks {
		if err := clocks[k].check(&i.fmu.table.clocks[k]); err != nil {
			return err
		}
	}
	if err := i.setState(fmuState); err != nil {
		return err
	}
	p.clocks = clocks
	i.position = p
	i.requested, i.eventNeeded = false, false
	return nil
}

// discreteInputs counts the values that can only be set in Event Mode: numbers, and texts and
// binaries.
func (i *Instance) discreteInputs() (cells, blobs int) {
	if i.discrete == nil {
		return 0, 0
	}
	for _, s := range i.discrete.cells {
		cells += s.n
	}
	for _, s := range i.discrete.blobs {
		blobs += s.n
	}
	return cells, blobs
}

// checkPosition rejects the host's part of a state if the host could not continue from it.
func (i *Instance) checkPosition(now float64, discrete uint64, wanted int) error {
	place := fault.At(i.name)
	if _, err := timebase.FromSeconds(now); err != nil {
		return fault.Wrap(state.ErrState, place, err)
	}
	if discrete != uint64(wanted) {
		return fault.New(state.ErrState, place, fmt.Sprintf("%d discrete inputs", discrete),
			fmt.Sprintf("%d, the number of connected ones", wanted)).
			WithHint("continue with the connections of the run that was saved")
	}
	return nil
}
