package importer

import (
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
	bytes := slices.Clone(r.Blob)
	_, err = i.keep(worker.ForgetState, worker.Arguments{State: fileState})
	return bytes, err
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
func (i *Instance) setState(bytes []byte) error {
	if _, err := i.keep(worker.DeserializeState, worker.Arguments{State: fileState,
		Blob: bytes}); err != nil {
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
	bytes, err := i.State()
	if err != nil {
		return b, err
	}
	b = state.AppendFloat64(b, i.time)
	b = state.AppendFloat64(state.AppendUint64(b, uint64(i.nextEvent)), i.eventTime)
	b = state.AppendUint64(b, uint64(len(i.lastDiscrete)))
	for _, cell := range i.lastDiscrete {
		b = state.AppendUint64(b, cell)
	}
	for k := range i.clocks {
		b = i.clocks[k].append(b)
	}
	return state.AppendBytes(b, bytes), nil
}

// RestoreState restores a state of this or another instance of the FMU.
func (i *Instance) RestoreState(_ context.Context, saved []byte) error {
	d := &state.Decoder{Data: saved}
	now, next, event, n := d.Float64(), timebase.Time(d.Uint64()), d.Float64(), d.Uint64()
	discrete := make([]uint64, 0, min(n, uint64(len(d.Data)/8)))
	for range cap(discrete) {
		discrete = append(discrete, d.Uint64())
	}
	clocks := make([]ticking, len(i.clocks))
	for k := range clocks {
		clocks[k].read(d)
	}
	bytes := d.Bytes()
	if err := d.Done(); err != nil {
		return err
	}
	if err := i.checkPosition(now, discrete, clocks); err != nil {
		return err
	}
	if err := i.setState(bytes); err != nil {
		return err
	}
	i.position = position{now, next, event, discrete, clocks}
	i.requested, i.eventNeeded = false, false
	return nil
}

// checkPosition rejects the host's part of a state if the host could not continue from it.
func (i *Instance) checkPosition(now float64, discrete []uint64, clocks []ticking) error {
	wanted := 0
	if i.discrete != nil {
		for _, s := range i.discrete.cells {
			wanted += s.n
		}
	}
	place := fault.At(i.name)
	if _, err := timebase.FromSeconds(now); err != nil {
		return fault.Wrap(state.ErrState, place, err)
	}
	if len(discrete) != wanted {
		return fault.New(state.ErrState, place, fmt.Sprintf("%d discrete inputs", len(discrete)),
			fmt.Sprintf("%d, the number of connected ones", wanted)).
			WithHint("continue with the connections of the run that was saved")
	}
	for k := range clocks {
		if err := clocks[k].check(&i.fmu.table.clocks[k]); err != nil {
			return err
		}
	}
	return nil
}
