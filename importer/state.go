package importer

import (
	"context"
	"slices"

	"gosmp/importer/worker"
)

// The numbers of saved states of an instance.
const (
	rollbackState = 0
	fileState     = 1
)

// keep executes a command about a state and leaves the arguments of steps as they were.
func (i *Instance) keep(o worker.Operation, a worker.Arguments) (worker.Reply, error) {
	step := i.arguments
	r, err := i.call(o, a)
	i.arguments = step
	return r, err
}

// Save remembers the state of now.
func (i *Instance) Save(_ context.Context) error {
	i.savedTime = i.time
	_, err := i.keep(worker.SaveState, worker.Arguments{State: rollbackState})
	return err
}

// Restore goes back to what Save has remembered.
func (i *Instance) Restore(_ context.Context) error {
	_, err := i.keep(worker.RestoreState, worker.Arguments{State: rollbackState})
	if err == nil {
		i.time = i.savedTime
	}
	return err
}

// State is the state of now as bytes, for Options.InitialState of another run of the same FMU. It fails if the FMU cannot serialize.
func (i *Instance) State() ([]byte, error) {
	if !i.fmu.canSerialize() {
		return nil, i.fmu.refuse("no states that can be saved to a file", "canSerializeFMUstate", "")
	}
	if _, err := i.keep(worker.SaveState, worker.Arguments{State: fileState}); err != nil {
		return nil, err
	}
	r, err := i.keep(worker.SerializeState, worker.Arguments{State: fileState})
	if err != nil {
		return nil, err
	}
	state := slices.Clone(r.Blob)
	_, err = i.keep(worker.ForgetState, worker.Arguments{State: fileState})
	return state, err
}

// enterState puts a saved state in the place of initialization.
func (i *Instance) enterState() error {
	if _, err := i.call(worker.DeserializeState, worker.Arguments{State: fileState, Blob: i.o.InitialState}); err != nil {
		return err
	}
	if _, err := i.call(worker.RestoreState, worker.Arguments{State: fileState}); err != nil {
		return err
	}
	_, err := i.call(worker.ForgetState, worker.Arguments{State: fileState})
	if err == nil {
		i.phase = running
	}
	return err
}
