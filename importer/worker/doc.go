// Package worker runs FMUs in a process of their own: the worker is the same executable, started again, and serves FMUs through
// shared memory before Go's runtime starts.
//
// Package importer is its only user; it knows what the calls mean. This package knows processes, memory and C. The rules:
//
//   - A worker can break nothing but itself. What comes from it is copied, and every offset, length, number and text is checked
//     before it is used. It may end at any time, by any signal, or not answer at all: [Process.Do] then returns a [DeathError] with the
//     function that was running.
//   - One round trip for a step: the inputs, fmi2DoStep or fmi3DoStep, the outputs, and the bytes of texts and binary variables. Both
//     sides spin for up to 40 microseconds and sleep in a futex then. They leave the spinning off when there are more workers than
//     cores, and for a while when they notice that they were off their core.
//   - Texts and binaries do not travel. They lie in an [Arena] that all workers of a run have mapped, each with an area of its own to
//     write in; the FMU that gets a message reads it where the worker of the FMU that made it has put it. There are two places
//     for each value by turns, so the bytes do not move while the next step of their producer runs, in parallel with that of
//     their consumer. They stay when their producer ends. A worker can read the areas of others and not write there.
//   - A worker cannot outlive its host: the kernel ends it with the thread that has started it, which is one that lives as long as
//     the process, and it looks for its parent whenever it wakes.
//   - FMUs run on the main thread of the worker, all calls of an instance in one thread, without any signal handler of ours.
//   - It is a guard against accidents, not against malice: an FMU is native code with the rights of the user.
//
// The worker exists on Linux with cgo, where constructors of an executable get its arguments (glibc). Elsewhere [Start] returns
// [ErrUnsupported].
//
// Types: [Process] with [Options], its commands [Operation] with [Arguments] and [Reply]; values travel by a [Plan] of [Group]s, and in an [Arena];
// [Record] is a line of the log, [DeathError] the end of a worker.
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
	// ErrEnded reports a worker that has ended by itself: a signal, or exit in an FMU.
	ErrEnded = errors.New("the worker has ended")
	// ErrTimeout reports a worker that was ended because a call took longer than its limit.
	ErrTimeout = errors.New("the call took too long")
	// ErrKilled reports a worker that was ended by [Process.Kill].
	ErrKilled = errors.New("the worker was killed")
	// ErrProtocol reports a worker that has answered what no worker answers.
	ErrProtocol = errors.New("the worker has broken the protocol")
	// ErrUnsupported reports a platform without workers.
	ErrUnsupported = errors.New("FMUs cannot be run on this platform: workers need Linux and a build with cgo")
	// ErrFull reports values that do not fit into the shared memory.
	ErrFull = errors.New("the shared memory is full")
)

// Options say how a worker is started.
type Options struct {
	Memory      int64             // limit of its data in bytes, 0 for none
	Core        bool              // core dumps are wanted
	LogCalls    bool              // each call of an FMU becomes a Record
	Dir         string            // its working directory, empty for that of the host
	LibraryPath []string          // folders in which the libraries of FMUs are found, before those of LD_LIBRARY_PATH
	Log         func(Record)      // gets messages of FMUs and, with LogCalls, calls, in their order, from one goroutine
	Arena       *Arena            // of all workers that hand texts and binaries to each other; nil: its own
	Print       func(line string) // gets what FMUs print, line by line, from several goroutines
}

// Record is a line of the log: a message of an FMU, or a call.
type Record struct {
	Slot        int
	Call        bool
	Status      int    // of a message
	HasCategory bool   // false if the FMU gave NULL
	Category    string // of a message
	Text        string // as it came, with printf arguments expanded
}

// Operation is a command to a worker. See worker.h for what each does.
type Operation uint32

// The kinds of groups that no participant has as a variable, after those of package cosim. Real, Integer and Boolean of FMI 2.0 are
// Float64, Int32 and Boolean.
const (
	Clock = cosim.Binary + 1 + iota
	OSMP  // the three Integers of a notional binary variable of OSMP in FMI 2.0
	Slope // the first derivatives of inputs of FMI 2.0, which are set and never read; cells as those of Float64
)

// Flags of commands.
const (
	Visible      uint32 = 1 << iota
	LoggingOn           // of the instantiation, and of SetLogging
	EventMode           // eventModeUsed
	EarlyReturn         // earlyReturnAllowed
	HasTolerance        // Arguments.Tolerance counts
	HasStopTime         // Arguments.Stop counts
	KeepState           // a state before this step may be set again
	Asynchronous        // a step may be pending
	SamePlace           // texts and binaries are put where those of the last command were, whose bytes nobody needs any more
)

// Statuses beyond those of FMI, which are 0 to 5 (OK, Warning, Discard, Error, Fatal, Pending).
const (
	StatusNull       = 16 + iota // no instance was returned
	StatusUnloadable             // the library could not be loaded; Reply.Reason says why
	StatusMissing                // the library lacks the function Reply.Reason
	StatusMisuse                 // the command makes no sense
	StatusFull                   // a value is too large for the shared memory
	StatusUnsettled              // the discrete states were not settled after 1 000 rounds
	StatusBadValue               // a value that means nothing; Reply.Reason names it
)

// MaxInstances is how many instances one worker can serve, MaxStates how many states of each it can keep.
const (
	MaxInstances = 256
	MaxStates    = 8
)

// Arguments are those of a command; an operation reads those that it needs.
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

// Reply is what a worker has answered.
type Reply struct {
	Status      int    // the worst one of all calls
	Function    string // whose status it is
	Group       int    // of Plan, whose status it is; -1 if it is none
	Plan        int    // number of the plan
	EventNeeded bool   // eventHandlingNeeded
	Terminate   bool   // terminateSimulation, or fmi2Terminated after a Discard
	Early       bool   // earlyReturn
	Answered    uint32 // after a Discard of FMI 2.0: 1 if Terminate, 2 if LastTime was answered
	LastTime    float64
	NextEvent   bool // NextTime counts
	NextTime    float64
	Address     uint64 // of a new instance
	Reason      string // with statuses from 16 on, and the version after Load
	Blob        []byte // SerializeState, valid until the next command
}

// DeathError is the end of a worker: how, and in which function.
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

// Error says what has happened in a few words: "SIGSEGV in fmi2DoStep".
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
