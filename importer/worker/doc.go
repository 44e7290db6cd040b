// Package worker runs FMUs in separate processes. A worker is the same executable, started again;
// it runs FMUs, controlled through shared memory, before Go's runtime starts.
//
// Package importer is its only user and deals with the meaning of the calls. This package deals
// with processes, memory and C. The rules:
//
//   - A worker can damage only itself. The host copies its data and checks every offset, length,
//     number and text before use. If a worker ends at any time, by any signal, or does not answer
//     at all, [Process.Do] returns a [DeathError] with the function that was running.
//   - A step takes one round trip: the inputs, fmi2DoStep or fmi3DoStep, the outputs, and the bytes
//     of texts and binary variables. Both sides spin for up to 50 microseconds and then sleep in a
//     futex. They do not spin if there are more workers than cores, nor for some time after they
//     detect that they were preempted.
//   - Successive steps of several FMUs in a worker also take one round trip: a [Batch]. Its wires
//     carry values between the FMUs within the worker. The batch ends after the first step that the
//     host must examine. Each step has the whole time limit, starting at the end of the previous
//     step.
//   - A worker whose FMUs receive no external values can take steps before the host asks for them:
//     a [Stream]. Their results are kept in slots, and their log records in the host. Both sides
//     sleep without spinning.
//   - Several workers can execute commands at the same time: [Process.Begin] sends a command, and
//     [Process.End] waits for the reply. End delivers the messages that the FMU has logged in the
//     meantime.
//   - Texts and binaries are not transferred. They are in an [Arena] that all workers of a run have
//     mapped, each with its own area for writing. The FMU that receives a message reads it at the
//     place where the worker of the sending FMU has stored it. Each value has alternating places,
//     so its bytes stay in place while the next step of its producer runs in parallel with the step
//     of its consumer. The bytes remain after the producer ends. A worker can read the areas of
//     other workers but cannot write to them.
//   - A worker that has loaded a library can be copied if loading has left nothing but memory:
//     [Process.Copy] returns a process that is equivalent to a new one that has loaded the library.
//     The original never instantiates anything.
//   - A worker cannot outlive its host: the kernel ends it together with the thread that started
//     it, which exists as long as the process, and the worker checks its parent whenever it wakes
//     up.
//   - Processes that FMUs start end with the worker. They are found by its process group or, in
//     other sessions, by the pipes of the host that they inherit.
//   - Every call begins with the same floating-point settings: if an FMU changes them (rounding,
//     exception masks, denormal numbers), they are restored, and the host is informed.
//   - FMUs run on the main thread of the worker, so that all calls of an instance are made in one
//     thread, and the worker installs no signal handler.
//   - A worker protects against accidents, not against malice: an FMU is native code with the
//     user's rights.
//
// The worker exists on Linux with cgo, where constructors of an executable receive its arguments
// (glibc). On Windows, FMUs run in the process of the host, in one thread per [Process], and DLLs
// are loaded without cgo, so the host is not protected. Elsewhere [Start] returns [ErrUnsupported].
//
// Types: [Process] with [Options]; its commands, [Operation] with [Arguments] and [Reply], and many
// steps as a [Batch] or a [Stream]; a [Plan] of [Group]s and an [Arena] for values; [Record], a log
// record; [DeathError], the end of a worker.
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
	// ErrEnded reports a worker that ended by itself: by a signal or because the FMU called exit.
	ErrEnded = errors.New("the worker has ended")
	// ErrTimeout reports a worker that the host ended because a command exceeded its time limit.
	ErrTimeout = errors.New("the call took too long")
	// ErrKilled reports a worker that was ended by [Process.Kill].
	ErrKilled = errors.New("the worker was killed")
	// ErrProtocol reports a worker whose reply violates the protocol.
	ErrProtocol = errors.New("the worker has broken the protocol")
	// ErrUnsupported reports a platform without workers.
	ErrUnsupported = errors.New("FMUs cannot be run on this platform: " +
		"it takes Linux and a build with cgo, or 64-bit Windows")
	// ErrFull reports values that do not fit into shared memory.
	ErrFull = errors.New("the shared memory is full")
)

// Options control how a worker is started.
type Options struct {
	Memory      int64    // limit of its data in bytes; 0: none
	Core        bool     // write core dumps
	LogCalls    bool     // each call of an FMU is recorded
	Dir         string   // its working directory; empty: the host's
	LibraryPath []string // folders searched for libraries of FMUs before LD_LIBRARY_PATH
	// receives messages of FMUs and, with LogCalls, calls; in order, from one goroutine
	Log   func(Record)
	Arena *Arena            // shared by workers that exchange texts and binaries; nil: its own
	Print func(line string) // receives what FMUs print, line by line, from several goroutines
}

// Record is a log record: a message of an FMU, or a call.
type Record struct {
	Slot        int
	Call        bool
	Status      int    // of a message
	HasCategory bool   // false if the FMU passed NULL
	Category    string // of a message
	Text        string // as received, with printf arguments expanded
}

// Operation is a command to a worker. For what each operation does, see worker.h.
type Operation uint32

// The kinds of groups that variables of participants do not have, numbered after the kinds of
// package cosim. Real, Integer and Boolean of FMI 2.0 are Float64, Int32 and Boolean.
const (
	// The three Integers of a notional binary variable of OSMP in FMI 2.0.
	OSMP  = cosim.Clock + 1 + iota
	Slope // first derivatives of inputs and outputs of FMI 2.0, as Float64
	// For FMI 3.0 clocks. The cells are the seconds of all clocks, or all counters and then all
	// resolutions; when intervals are read, all qualifiers follow.
	Interval
	IntervalFraction
	Shift
	ShiftFraction
	// Negated aliases of FMI 1.0, which are only read.
	NegatedFloat64
	NegatedInt32
	NegatedBoolean
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
	Values     int      // number of elements of all variables together; 1 for OSMP
}

// Flags of commands.
const (
	Visible      uint32 = 1 << iota
	LoggingOn           // for the instantiation and SetLogging
	EventMode           // eventModeUsed
	EarlyReturn         // earlyReturnAllowed
	HasTolerance        // Arguments.Tolerance is valid
	HasStopTime         // Arguments.Stop is valid
	KeepState           // a state from before this step may be restored
	Asynchronous        // a step may be pending
	SamePlace           // overwrite the previous texts and binaries, now unused
)

// Statuses in addition to the statuses of FMI, which are 0 to 5 (OK, Warning, Discard, Error,
// Fatal, Pending).
const (
	StatusNull       = 16 + iota // no instance was returned
	StatusUnloadable             // the library could not be loaded; Reply.Reason explains why
	StatusMissing                // the library lacks the function Reply.Reason
	StatusMisuse                 // the command is invalid
	StatusFull                   // a value is too large for the shared memory
	StatusUnsettled              // the discrete states did not settle within 1 000 rounds
	StatusBadValue               // an invalid value, named by Reply.Reason
	StatusUnlike                 // a copy would differ from a new process; see Reply.Reason
)

// MaxInstances is the number of instances that a worker can run, and MaxStates the number of states
// that it can keep for each instance.
const (
	MaxInstances = 256
	MaxStates    = 8
)

// Arguments are the arguments of a command; an operation reads only the arguments that it needs.
type Arguments struct {
	Slot       int // slot of the instance, below MaxInstances
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

// Reply is the reply of a worker to a command.
type Reply struct {
	Status      int    // the worst status of all calls
	Function    string // the function with this status
	Group       int    // group of Plan with this status; -1 if no group has it
	Plan        int    // number of the plan
	EventNeeded bool   // eventHandlingNeeded
	More        bool   // discreteStatesNeedUpdate, after Update
	Terminate   bool   // terminateSimulation, or fmi2Terminated after a Discard
	Early       bool   // earlyReturn
	Answered    uint32 // after a Discard of FMI 2.0: 1: Terminate, 2: LastTime was answered
	LastTime    float64
	NextEvent   bool // NextTime is valid
	NextTime    float64
	// the last function that changed the floating-point settings, which were restored
	Spoiled string
	Address uint64 // of a new instance
	Reason  string // with statuses from 16 on, and the version after Load
	// Blob is the state from SerializeState. After Step, it has a row for each intermediate update:
	// the bits of its time and the cells of the plan Out of Instantiate, each as eight bytes in the
	// machine's byte order. It is valid until the next command.
	Blob []byte
}

// DeathError describes how a worker ended and in which function.
type DeathError struct {
	Cause    error // ErrEnded, ErrTimeout or ErrKilled
	Function string
	Slot     int
	Plan     int    // number of the plan whose values were passed; 0: none
	Group    int    // group of that plan; -1: none
	Signal   string // SIGSEGV, SIGABRT ...; empty if the process exited
	ExitCode int    // if the process exited
	Printed  []string
	Limit    time.Duration // of ErrTimeout
}

// Error summarizes the end of the worker, such as "SIGSEGV in fmi2DoStep".
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

// Unwrap returns the cause.
func (d *DeathError) Unwrap() error { return d.Cause }
