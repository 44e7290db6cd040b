package fmu

import (
	"gosmp/fmi"
	"gosmp/timebase"
)

// Model is what an instance drives. An instance calls it from one thread at a time and in this order:
//
//  1. Initialize, at least once, when all parameters are known. In initialization mode it is called again after a parameter
//     was set, before a calculated value is read; the last call is the one that counts.
//  2. Step, with spans that connect.
//  3. Close, once, after which nothing else is called.
//
// Reset may come between any two of them and takes the model back to before 1. AppendState and RestoreState may come at any time
// before Close. After an error from Initialize or Step only Reset, RestoreState and Close follow. A model reads and writes its
// variables in the [Values] of its [Host]; it starts no goroutine and never blocks.
type Model interface {
	// Initialize computes, from the parameters, what is known at the start time: calculated parameters and outputs. An error
	// made by [AsWarning] says that it has done so all the same; any other is an fmi2Error, as nothing can be discarded here.
	Initialize(start timebase.Time) error

	// Step computes the outputs at span.End. A step reports trouble in one of three ways: an error made by [AsWarning] (the
	// outputs are computed all the same), one that wraps [ErrDiscard] (nothing has changed; the host may restore the state before
	// and try another size), or any other error, which ends the simulation.
	Step(span timebase.Span) error

	// Reset takes the model back to the moment after it was made. Memory that was published stays readable.
	Reset()

	// Close gives back files and memory.
	Close()

	// AppendState appends everything that later steps depend on, apart from Values, in a form that another instance of the
	// same FMU, even in another process, can restore. After an error, which is an fmi2Error, there is no state.
	AppendState([]byte) ([]byte, error)

	// RestoreState undoes everything since the matching AppendState. The values have been restored before; what a model
	// publishes by address it publishes anew. After an error the instance is unusable until Reset.
	RestoreState([]byte) error
}

// Terminator is implemented by a model that can say it has nothing more to compute; fmi2GetBooleanStatus hands the answer on.
type Terminator interface{ Terminated() bool }

// Host is what an instance offers its model.
type Host struct {
	Values *Values

	// Resources is the path of the FMU's resources folder; empty when the importer named none.
	Resources string

	// Memory is the address space of the process, for data that travel by address.
	Memory Memory

	// Log reports something that is no error of a call: it is shown when the category is switched on. The category must be
	// one of the definition's.
	Log func(fmi.Status, string, string)
}

// Memory is the process's memory as far as a model may touch it. FMI 2.0 hands over numbers and strings only, so that binary
// data travel as addresses. Blocks lie outside Go's heap: they stay where they are and remain readable until they are freed.
type Memory interface {
	// Allocate returns a block of n bytes and its address. It fails when memory is exhausted.
	Allocate(n int) (block []byte, address uint64, err error)

	// Free gives the block at address back. The slice from Allocate must not be used any more.
	Free(address uint64)

	// View shows the n bytes at address, which belong to somebody else. The address must not be 0 and n must be positive;
	// whether the bytes really exist cannot be checked.
	View(address uint64, n int) []byte

	// Copy copies the len(to) bytes at address, more than none, and says whether all of them could be read. Where the platform knows
	// no way to find out they are taken to exist.
	Copy(to []byte, address uint64) bool
}
