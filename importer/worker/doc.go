// Package worker runs FMUs in separate processes. A worker is the same executable, started again;
// it serves FMUs through shared memory before Go's runtime starts.
//
// Package importer is its only user and handles the meaning of the calls. This package handles
// processes, memory and C. The rules:
//
//   - A worker can damage only itself. The host copies its data, and checks every offset, length,
//     number and text before use. A worker may end at any time, by any signal, or not answer at
//     all: [Process.Do] then returns a [DeathError] with the function that was running.
//   - One round trip for a step: the inputs, fmi2DoStep or fmi3DoStep, the outputs, and the bytes
//     of texts and binary variables. Both sides spin for up to 200 microseconds and then sleep in a
//     futex. They do not spin if there are more workers than cores, nor for a while after they
//     detect that they were preempted.
//   - One round trip also for the steps of several FMUs of a worker, one after another: a [Batch]. Its
//     wires carry values between them within the worker. It ends after the first step that the host
//     has to look at, and each step has the whole time limit, counted from the end of the one before.
//   - Texts and binaries are not transferred. They lie in an [Arena] that all workers of a run have
//     mapped, each with its own area for writing. The FMU that receives a message reads it where
//     the worker of the sending FMU has stored it. Each value has two places that alternate, so the
//     bytes do not move while the next step of their producer runs, in parallel with the step of
//     their consumer. They remain when their producer ends. A worker can read the areas of others
//     but not write to them.
//   - A worker cannot outlive its host: the kernel ends it with the thread that has started it,
//     which lives as long as the process, and the worker checks its parent whenever it wakes up.
//   - Every call begins with the same floating-point settings: if an FMU changes them (rounding,
//     masks of exceptions, denormal numbers), they are restored, and the host is informed.
//   - FMUs run on the main thread of the worker, all calls of an instance in one thread, and the
//     worker installs no signal handler.
//   - It protects against accidents, not against malice: an FMU is native code with the user's
//     rights.
//
// The worker exists on Linux with cgo, where constructors of an executable get its arguments
// (glibc). On Windows FMUs run in the process of the host, in a thread for each [Process], by a loader
// of DLLs without cgo; then nothing protects the host. Elsewhere [Start] returns [ErrUnsupported].
//
// Types: [Process] with [Options]; its commands, [Operation] with [Arguments] and [Reply], and a
// [Batch] of steps; a [Plan]
// of [Group]s and an [Arena] for values; [Record], a line of the log; [DeathError], the end of a
// worker.
//
// Sources: FMI 2.0.5, 2.1 and 4.2; FMI 3.0.2, 2.2 and 4.2; prctl(2), futex(2), memfd_create(2).
package worker

import (
	"errors"
	"fmt"
	"time"

	"gosmp/cosim"
)

// The errors of this package; [DeathError] wraps the first two.
var (
	// ErrEnded reports a worker that has ended by itself: by a signal, or because the FMU called
	// exit.
	ErrEnded = errors.New("the worker has ended")
	// ErrTimeout reports a worker that the host ended because a command exceeded its time limit.
	ErrTimeout = errors.New("the call took too long")
	// ErrKilled reports a worker that [Process.Kill] has ended.
	ErrKilled = errors.New("the worker was killed")
	// ErrProtocol reports a worker whose answer violates the protocol.
	ErrProtocol = errors.New("the worker has broken the protocol")
	// ErrUnsupported reports a platform without workers.
	ErrUnsupported = errors.New("FMUs cannot be run on this platform: " +
		"it takes Linux and a build with cgo, or 64-bit Windows")
	// ErrFull reports values that do not fit into the shared memory.
	ErrFull = errors.New("the shared memory is full")
)

// Options control how a worker is started.
type Options struct {
	Memory      int64             // limit of its data in bytes, 0 for none
	Core        bool              // write core dumps
	LogCalls    bool              // each call of an FMU becomes a Record
	Dir         string            // its working directory, empty for the host's
	LibraryPath []string          // folders to search for libraries of FMUs, before LD_LIBRARY_PATH
	Log         func(Record)      // receives messages of FMUs and, with LogCalls, calls, in order, from one goroutine
	Arena       *Arena            // of all workers that exchange texts and binaries; nil: its own
	Print       func(line string) // receives what FMUs print, line by line, from several goroutines
}

// Record is a line of the log: a message of an FMU, or a call.
type Record struct {
	Slot        int
	Call        bool
	Status      int    // of a message
	HasCategory bool   // false if the FMU gave NULL
	Category    string // of a message
	Text        string // as received, with printf arguments expanded
}

// Operation is a command to a worker. See worker.h for what each does.
type Operation uint32

// The kinds of groups that no variable of a participant has, numbered after the kinds of package
// cosim. Real, Integer and Boolean of FMI 2.0 are Float64, Int32 and Boolean.
const (
	OSMP  = cosim.Clock + 1 + iota // the three Integers of a notional binary variable of OSMP in FMI 2.0
	Slope                          // first derivatives of inputs and outputs of FMI 2.0; as Float64
	// Of clocks of FMI 3.0. The cells are seconds of all clocks, or counters and then resolutions
	// of all; when intervals are read, qualifiers of all follow.
	Interval
	IntervalFraction
	Shift
	ShiftFraction
)

// The qualifiers of an interval.
const (
	NotYetKnown = iota
	Unchanged
	Changed
)

// Group is one call of a getter or setter: variables of one kind.
type Group struct {
	Kind       cosim.Kind
	References []uint32 // for OSMP low half, high half, size
	Values     int      // elements of all variables together; 1 for OSMP
}

// Flags of commands.
const (
	Visible      uint32 = 1 << iota
	LoggingOn           // of the instantiation, and of SetLogging
	EventMode           // eventModeUsed
	EarlyReturn         // earlyReturnAllowed
	HasTolerance        // Arguments.Tolerance is valid
	HasStopTime         // Arguments.Stop is valid
	KeepState           // a state before this step may be restored
	Asynchronous        // a step may be pending
	SamePlace           // texts and binaries replace the last command's, no longer used
)

// Statuses in addition to the statuses of FMI, which are 0 to 5 (OK, Warning, Discard, Error,
// Fatal, Pending).
const (
	StatusNull       = 16 + iota // no instance was returned
	StatusUnloadable             // the library could not be loaded; Reply.Reason says why
	StatusMissing                // the library lacks the function Reply.Reason
	StatusMisuse                 // the command is invalid
	StatusFull                   // a value is too large for the shared memory
	StatusUnsettled              // the discrete states were not settled after 1 000 rounds
	StatusBadValue               // an invalid value; Reply.Reason names it
)

// MaxInstances is the number of instances that a worker can serve, MaxStates the number of states
// that it keeps for each.
const (
	MaxInstances = 256
	MaxStates    = 8
)

// Arguments are the arguments of a command; an operation reads the ones that it needs.
type Arguments struct {
	Slot       int // of the instance, below MaxInstances
	Major      int // of FMI
	Flags      uint32
	State      int // below MaxStates
	Count      int
	In, Out    *Plan
	Texts      []string
	Blob       []byte // DeserializeState
	Time, Step float64
	Tolerance  float64
	Stop       float64
}

// Reply is the answer of a worker.
type Reply struct {
	Status      int    // the worst one of all calls
	Function    string // whose status it is
	Group       int    // of Plan, whose status it is; -1 if no group has it
	Plan        int    // number of the plan
	EventNeeded bool   // eventHandlingNeeded
	More        bool   // discreteStatesNeedUpdate, after Update
	Terminate   bool   // terminateSimulation, or fmi2Terminated after a Discard
	Early       bool   // earlyReturn
	Answered    uint32 // after a Discard of FMI 2.0: 1 if Terminate, 2 if LastTime was answered
	LastTime    float64
	NextEvent   bool // NextTime is valid
	NextTime    float64
	Spoiled     string // the last function that left other floating-point settings, which have been restored
	Address     uint64 // of a new instance
	Reason      string // with statuses from 16 on, and the version after Load
	// Blob is the state of SerializeState. Of Step it has a row for each intermediate update: the
	// bits of its time, and the cells of Out of Instantiate, each in eight bytes of the machine's
	// order. It is valid until the next command.
	Blob []byte
}

// DeathError describes the end of a worker: how, and in which function.
type DeathError struct {
	Cause    error // ErrEnded, ErrTimeout or ErrKilled
	Function string
	Slot     int
	Plan     int    // number of the plan whose values were passed, 0 if none
	Group    int    // of that plan, -1 if none
	Signal   string // SIGSEGV, SIGABRT ...; empty if the process has exited
	ExitCode int    // of a process that has exited
	Printed  []string
	Limit    time.Duration // of ErrTimeout
}

// Error summarizes the end of the worker: "SIGSEGV in fmi2DoStep".
func (d *DeathError) Error() string {
	in := ""
	if d.Function != "" {
		in = " in " + d.Function
	}
	switch {
	case errors.Is(d.Cause, ErrTimeout):
		return fmt.Sprintf("no answer within %v%s", d.Limit, in)
	case errors.Is(d.Cause, ErrKilled):
		return "killed" + in
	case d.Signal != "":
		return d.Signal + in
	}
	return fmt.Sprintf("exit(%d)%s", d.ExitCode, in)
}

// Unwrap is the cause.
func (d *DeathError) Unwrap() error { return d.Cause }
