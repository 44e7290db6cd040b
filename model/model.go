package model

import (
	"errors"
	"fmt"

	"gosmp/fmu"
	"gosmp/timebase"
)

// Model is one instance of an author's model. Its methods are called from one thread at a time; none may block, start goroutines
// or keep what it has read from an [Input] beyond the call.
type Model interface {
	// Setup comes first and once, when all parameters have their values. Importers may change a parameter afterwards, still before
	// the first step: New then makes another model, whose Setup is called, and this one is closed. An error refuses the
	// initialization, unless it is made by [Warning]; after it nothing but Close is called.
	Setup(Environment) error

	// Step computes the outputs at span.End. The first span begins where Environment.Start was, each other one where the last has
	// ended. An error made by [Warning] goes to the log while the run goes on; one that wraps [ErrDiscard] says that nothing has
	// changed: the host may restore the state before the step and try another size; any other ends the run.
	Step(span timebase.Span) error
}

// Environment is what a model finds when it is set up.
type Environment struct {
	Start     timebase.Time // of the experiment
	Resources string        // path of the FMU's resources folder, empty when the importer has named none
}

// Snapshotter is a model whose states can be saved and restored. Variables and buffers are no part of it: they are saved anyway.
type Snapshotter interface {
	// Snapshot appends to b everything that later steps depend on, with [AppendUint64] and its sisters or in any other form. It
	// may be called at any time after a successful Setup. After an error there is no state, and the run ends.
	Snapshot(b []byte) ([]byte, error)

	// Restore takes back what Snapshot has appended, maybe in another process, on a model that has been set up with the same
	// parameters and may have made any steps since. [StateReader] takes the bytes apart. After an error the model is not used
	// any more.
	Restore(b []byte) error
}

// Stateless is embedded by a model whose steps depend on parameters and inputs alone, so that its FMU can save and restore states.
type Stateless struct{}

// Snapshot implements [Snapshotter].
func (Stateless) Snapshot(b []byte) ([]byte, error) { return b, nil }

// Restore implements [Snapshotter].
func (Stateless) Restore(b []byte) error {
	if len(b) != 0 {
		return fmt.Errorf("%w: found %d bytes, expected none for a model without state", fmu.ErrState, len(b))
	}
	return nil
}

// ErrDiscard is wrapped by the error of a step that has changed nothing: fmi2DoStep returns fmi2Discard.
var ErrDiscard = fmu.ErrDiscard

// ErrSetup reports a Setup that has not done what its declarations promise.
var ErrSetup = errors.New("incomplete set-up")

// Warning makes err a warning: the call has done its work, the status is fmi2Warning, and the run goes on. Nil stays nil.
func Warning(err error) error { return fmu.AsWarning(err) }
