// Package probe runs a script of FMI calls in a process of its own and records what happens: every
// status, every value, the messages of the FMU, how long each call took, and how the process ended.
// It judges nothing; package importer/examine writes the scripts and reads the results.
//
// A probe is the same executable, started again; one of its constructors runs the script before
// Go's runtime starts. The rules:
//
//   - The host survives whatever the FMU does. A script returns everything that has happened until
//     the process ended by itself, by a signal, or because a call took too long.
//   - A call whose status is worse than Warning ends the script, unless its operation says that it
//     [MayFail].
//   - Arguments are placed so that mistakes are detected: with a canary after each array or, with
//     [Guarded], directly before a page without access; constant arrays are then read-only. With
//     [TakeBack], texts and binary values become inaccessible when the call has returned.
//   - Every byte that an FMU points to is read in a way that survives a wrong address.
//   - The floating-point settings are compared around each call, and restored.
//
// A script consists of [Op]s; [Run] returns a [Result] with a [Record] for each.
//
// It exists on Linux with cgo. Elsewhere [Run] returns [ErrUnsupported].
package probe

import (
	"errors"
	"time"
)

// ErrUnsupported reports a platform without probes.
var ErrUnsupported = errors.New(
	"FMUs cannot be examined on this platform: it needs Linux and a build with cgo")

// Flag modifies an operation.
type Flag uint32

// The flags, as in probe.h.
const (
	MayFail      Flag = 1 << iota // its status does not end the script
	NoInstance                    // NULL for the instance
	NoArrays                      // NULL for arrays and out arguments
	OtherThread                   // in a thread of its own
	SmallStack                    // in a thread with a stack of 128 KiB
	LoggingOn                     // of an instantiation, and of SetDebugLogging
	EventMode                     // eventModeUsed
	EarlyReturn                   // earlyReturnAllowed
	NoLogger                      // NULL for the logger
	HasStop                       // stopTimeDefined
	HasTolerance                  // toleranceDefined
	Clocked                       // the time of a step is X[0] + round * X[1]
	Forget                        // the arguments of an instantiation become inaccessible after it
	OneByOne                      // each value in a call of its own
	KeepState                     // noSetFMUStatePriorToCurrentPoint is false
	FromOut                       // the bytes are the output of operation Count
	TracedMemory                  // memory functions that notice foreign and forgotten blocks
	NoMemory                      // NULL for memory functions and stepFinished
)

// Instructions of the probe itself, in [Op.Code], besides the names of functions.
const (
	Load      = "load"      // the library at Data into register Slot
	Unload    = "unload"    // dlclose of it
	Place     = "place"     // Data into buffer Slot, which ends at a page without access
	Protect   = "protect"   // buffer Slot: Count 0 no access, 1 reading, 2 all
	Send      = "send"      // sets three Integers to buffer State; Count: what of it
	Fetch     = "fetch"     // three Integers and the bytes there; Count: order, 6 one call
	Peek      = "peek"      // the bytes at the address that Fetch of State has found
	Loop      = "loop"      // Count rounds, at most X[0] seconds unless 0, until Next
	Next      = "next"      // ends a loop
	Measure   = "measure"   // what the process uses, as lines name=value
	Sleep     = "sleep"     // X[0] seconds
	Placement = "placement" // Count: Roomy, Guarded, TakeBack
	Dirty     = "dirty"     // fills Count bytes of stack, and allocations of State bytes
	Settle    = "settle"    // fmi3UpdateDiscreteStates until no update is needed
	Twins     = "twins"     // Values steps of instance Slot, at the same time of State if different
	Unless    = "unless"    // skips Count operations if the last step of Slot asked for no event
	Watch     = "watch"     // from now on, notes which files, programs and addresses are used
	Told      = "told"      // the notes of Watch: lines of a verb such as read, its object, and Op
)

// The placements of arguments, for [Placement].
const (
	Roomy    = iota // with a canary after each array
	Guarded         // ending at a page without access, constant ones read-only
	TakeBack        // texts and binary values have no access after the call
)

// The values that [Send] sends.
const (
	SendBuffer   = iota // address and size
	SendNothing         // zeros
	SendNoBase          // base 0 with a size
	SendNoSize          // an address with size 0
	SendNegative        // an address with size -5
	SendNoLow           // only the upper half of the address, with a size
	SendParts           // the first of six: each part in a call of its own, in the orders of Fetch
)

// Statuses in addition to the statuses of FMI, which are 0 to 5.
const (
	StatusNull       = 16 + iota // no instance was returned
	StatusUnloadable             // dlopen failed; Out says why
	StatusMissing                // the library lacks the function
	StatusMisuse                 // the operation is invalid, or dlclose failed
	StatusUnsettled              // the discrete states need updates again and again
	StatusNotRun     = 99
)

// Flags of a record.
const (
	FloatsChanged  = 1 << iota // other floating-point settings, which were restored
	Overrun                    // bytes after an array were changed
	Unwritten                  // an out argument is unchanged although the status is OK
	ConstantChange             // a constant array was changed
	OutputFull                 // the output did not fit
	DeadText                   // a returned text or binary was in memory already given back
)

// Op is one operation of a script: a call, by the name of its function, or an instruction.
type Op struct {
	Code       string
	Slot       int        // of the instance, library or buffer
	State      int        // of the FMU state; library of an instantiation; number of a Fetch
	Flags      Flag       //
	References []uint32   // of values
	Count      int        // as the instruction says; kind of a status; 0: number of References
	Values     int        // number of values; type of fmi2Instantiate
	X          [4]float64 // times in s: start, stop, tolerance; t, h; surplus of nValues
	Data       []byte     // texts end with 0; of calls with References: values
	Data2      []byte
	Data3      []byte
}

// Record describes what happened in an operation.
type Record struct {
	Status int
	Flags  int
	Runs   int // in loops; 0: not reached, or not returned
	Out    []byte
	Total  time.Duration // of all runs
	Most   time.Duration // of the longest run
	Least  time.Duration // of the shortest run
	Y      [4]float64    // numbers that it has returned, see the C sources
}

// Message is a log message of an FMU.
type Message struct {
	Op          int // in which it came; -1: before the first
	Status      int
	Slot        int // of the instance
	HasCategory bool
	Category    string
	Text        string
	OtherThread bool
	AfterFree   bool
	Stray       bool // its environment does not belong to an instance
	WrongName   bool // its name differs from that of its instance
	BadFormat   bool // in FMI 2.0, the text is not a valid format of printf
}

// FaultPlace is the place of a fault.
type FaultPlace int

// The places.
const (
	Elsewhere FaultPlace = iota
	BehindArray
	BeforeArray
	ConstantArray // written
	TakenAway     // read or written after the call to which it belonged
	InBuffer      // of a notional binary variable: before it, or without the right
	BehindBuffer  // the same, beyond it
)

// Options say how a script is run.
type Options struct {
	Dir   string   // working directory
	Env   []string // added to the environment
	Unset []string // names of variables to leave out of the environment
	// of one operation: waiting by the clock, computing by the processor; 0: 10 s
	Limit time.Duration
	All   time.Duration // of the script; 0: no limit
	Stack int           // bytes of a thread that runs the whole script; 0: the main thread
}

// Result is the result of running a script.
type Result struct {
	Records  []Record
	Messages []Message
	Lost     int        // messages that did not fit
	Done     bool       // the script has reached its end, or its Stopped operation
	Stopped  int        // the operation whose status has ended the script, -1 if none
	Last     int        // the operation that ran last, -1 if none
	Signal   string     // that has ended the process, "SIGSEGV"; empty otherwise
	ExitCode int        // of a process that has exited
	TimedOut bool       // the process was ended because an operation or the script took too long
	Expired  bool       // the script took longer than [Options.All]
	Fault    FaultPlace // of the first SIGSEGV or SIGBUS
	Address  uint64
	Printed  string // to standard output and error, at most 64 KiB
	Children int    // 1 if processes were left behind when it had ended
}

// Crashed reports whether the process ended other than by completing its script.
func (r *Result) Crashed() bool {
	return r.Signal != "" || r.TimedOut || !r.Done || r.ExitCode != 0
}
