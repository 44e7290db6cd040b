package fmu

import (
	"gosmp/fmi"
	"gosmp/timebase"
)

// Model is the code that an instance drives. An instance calls it from one thread at a time and in
// this order:
//
//  1. Initialize, at least once, when all parameters are known. If a parameter is set in
//     initialization mode, it is called again before a calculated value is read; the last call
//     counts.
//  2. Step, with consecutive spans.
//  3. Close, once, after which nothing else is called.
//
// Reset may come between any two of them and takes the model back to the moment before 1.
// AppendState and RestoreState may come at any time before Close. After an error from Initialize or
// Step, only Reset, RestoreState and Close may follow. A model reads and writes its variables in
// the [Values] of its [Host]. It must not start a goroutine and must not block.
type Model interface {
	// Initialize computes, from the parameters, the values at the start time: calculated parameters
	// and outputs. An error created by [AsWarning] means that they have been computed all the same.
	// Any other error becomes fmi2Error, because nothing can be discarded here.
	Initialize(start timebase.Time) error

	// Step computes the outputs at span.End. It reports a problem in one of three ways: an error
	// created by [AsWarning] (the outputs have been computed all the same), an error that wraps
	// [ErrDiscard] (nothing has changed; the host may restore the previous state and try another
	// step size), or any other error, which ends the simulation.
	Step(span timebase.Span) error

	// Reset takes the model back to the moment after its creation. Published memory stays readable.
	Reset()

	// Close releases files and memory.
	Close()

	// AppendState appends everything that later steps depend on, apart from Values, in a form that
	// another instance of the same FMU can restore, even in another process. After an error, which
	// becomes fmi2Error, there is no state.
	AppendState([]byte) ([]byte, error)

	// RestoreState undoes everything since the matching AppendState. The values have already been
	// restored; a model must republish what it publishes by address. After an error the instance is
	// unusable until Reset.
	RestoreState([]byte) error
}

// Terminator is implemented by a model that can report that it has nothing more to compute.
// fmi2GetBooleanStatus returns the answer.
type Terminator interface{ Terminated() bool }

// Ender is implemented by a model that must complete something when the run ends, such as a file.
// fmi2Terminate calls it once. An error makes the call a warning, because the outputs stay valid.
type Ender interface{ End() error }

// Eventful is implemented by an FMI 3.0 model that knows events within a step. The environment may
// let the step end at such an event, and reads intermediate values there.
type Eventful interface {
	// NextEvent returns the time of the first known event after t, or false if there is none.
	NextEvent(t timebase.Time) (timebase.Time, bool)
}

// Discrete is implemented by a model whose Host says that Event Mode is used: its discrete outputs
// keep their values from Step until Settle, and its clocks tick in Settle.
type Discrete interface {
	// Unsettled reports whether values are waiting for Settle.
	Unsettled() bool

	// Settle writes the values of the newest step.
	Settle()
}

// Host is the interface that an instance provides to its model.
type Host struct {
	Values *Values

	// InstanceName is the argument of fmi2Instantiate, which is not empty.
	InstanceName string

	// Resources is the path of the FMU's resources folder; it is empty if the importer did not
	// specify one.
	Resources string

	// Memory is the address space of the process, for data passed by address.
	Memory Memory

	// Log reports something that is not an error of a call. It is shown if the category is switched
	// on. The category must be declared in the definition.
	Log func(fmi.Status, string, string)

	// StepSize returns the length of the current step in seconds, as stated by the environment:
	// 1/60 s is not a whole number of nanoseconds. If the span differs, it returns the length of
	// the span.
	StepSize func() float64

	// EventModeUsed is an argument of fmi3InstantiateCoSimulation; see [Discrete].
	EventModeUsed bool

	// Initialized reports whether the environment has ended the initialization: fixed parameters
	// have their values, and Initialize is not called again before Reset.
	Initialized func() bool
}

// Memory is the part of the process's memory that a model may access. FMI 2.0 passes only numbers
// and strings, so binary data is passed by address. Blocks lie outside Go's heap: they do not move
// and remain readable until they are freed.
type Memory interface {
	// Allocate returns a block of n bytes and its address. It fails when memory is exhausted.
	Allocate(n int) (block []byte, address uint64, err error)

	// Free releases the block at address. The slice from Allocate must no longer be used.
	Free(address uint64)

	// View returns the n bytes at address, which the host owns. The address must not be 0 and n
	// must be positive. View cannot check whether the bytes exist.
	View(address uint64, n int) []byte

	// Copy copies len(to) bytes, at least one, from address and reports whether all of them could
	// be read. On a platform that cannot check this, Copy assumes that the bytes exist.
	Copy(to []byte, address uint64) bool
}
