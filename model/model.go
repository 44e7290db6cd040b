package model

import (
	"errors"
	"fmt"

	"gosmp/fmu"
	"gosmp/timebase"
)

// Model is one instance of an author's model. Its methods are called from one thread at a time.
// They must not block, start goroutines or keep data read from an [Input] beyond the call.
type Model interface {
	// Setup is called first, and once, when all parameters have their values. Importers may still
	// change a parameter before the first step: New then creates another model, whose Setup is
	// called, and this one is closed. An error makes the initialization fail, unless it was created
	// by [Warning]; afterwards only Close is called.
	Setup(Environment) error

	// Step computes the outputs at span.End. The first span begins at Environment.Start, each later
	// one where the previous one ended. An error created by [Warning] is logged and the run
	// continues. An error that wraps [ErrDiscard] means that nothing has changed: the host may
	// restore the state before the step and try another size. Any other error ends the run.
	Step(span timebase.Span) error
}

// Environment is passed to Setup.
type Environment struct {
	Start timebase.Time // of the experiment
	// path of the FMU's resources folder; empty if the importer named none
	Resources string
	// StepSize returns the length of the current step in seconds, for models that need more
	// precision than nanoseconds: 1/60 s is not a whole number of nanoseconds.
	StepSize func() float64
}

// Snapshotter is a model whose states can be saved and restored. Variables and buffers are not part
// of the model's state, because they are saved anyway.
type Snapshotter interface {
	// Snapshot appends to b everything that later steps depend on, with [AppendUint64] and related
	// functions or in any other form. It may be called at any time after a successful Setup. After
	// an error there is no state, and the run ends.
	Snapshot(b []byte) ([]byte, error)

	// Restore restores the data appended by Snapshot, possibly in another process. The model was
	// set up with the same parameters and may have made any number of steps since. [StateReader]
	// decodes the bytes. After an error, the model is not used anymore.
	Restore(b []byte) error
}

// Stateless is embedded by a model whose steps depend only on parameters and inputs, so that its
// FMU can save and restore states.
type Stateless struct{}

// Snapshot implements [Snapshotter].
func (Stateless) Snapshot(b []byte) ([]byte, error) { return b, nil }

// Restore implements [Snapshotter].
func (Stateless) Restore(b []byte) error {
	if len(b) != 0 {
		return fmt.Errorf("%w: found %d bytes, expected none for a model without state",
			fmu.ErrState, len(b))
	}
	return nil
}

// Steady is a model that knows when a step has changed no outputs other than binary ones and those
// that have a start value, so that the instance need not store them again.
type Steady interface {
	// Unchanged reports whether all outputs declared with [Calculated] still have the values of the
	// previous step or, after the first step, of Setup. It is called after each successful step.
	Unchanged() bool
}

// ErrDiscard is wrapped by the error of a step that has changed nothing: fmi2DoStep returns
// fmi2Discard.
var ErrDiscard = fmu.ErrDiscard

// ErrSetup reports that Setup did not do what the declarations require.
var ErrSetup = errors.New("incomplete set-up")

// Warning makes err a warning: the call succeeds, the status is fmi2Warning, and the run continues.
// Nil stays nil.
func Warning(err error) error { return fmu.AsWarning(err) }
