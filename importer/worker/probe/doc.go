// Package probe runs a script of FMI calls in a process of its own and records what happens: every
// status, every value, the messages of the FMU, how long each call took, and how the process ended.
// It makes no judgments; package importer/examine writes the scripts and evaluates the results.
//
// A probe is the same executable, started again; one of its constructors runs the script before
// Go's runtime starts. The rules:
//
//   - The host survives any behavior of the FMU. A script returns everything that happened until
//     the process ended: by itself, by a signal, or because a call took too long.
//   - A call whose status is worse than Warning ends the script, unless its operation has the flag
//     [MayFail].
//   - Arguments are placed so that mistakes are detected: with a canary after each array or, with
//     [Guarded], immediately before a page without access; constant arrays are then read-only. With
//     [TakeBack], texts and binary values become inaccessible once the call has returned.
//   - Every byte that an FMU points to is read in a way that survives a wrong address.
//   - The floating-point settings are compared around each call, and restored.
//
// A script consists of [Op]s; [Run] returns a [Result] with a [Record] for each.
//
// Probes exist on Linux with cgo. Elsewhere, [Run] returns [ErrUnsupported].
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
	MayFail       Flag = 1 << iota // its status does not end the script
	NoInstance                     // NULL for the instance
	NoArrays                       // NULL for arrays and out arguments
	OtherThread                    // in a separate thread
	SmallStack                     // in a thread with a stack of 128 KiB
	LoggingOn                      // for an instantiation and SetDebugLogging
	EventMode                      // eventModeUsed
	EarlyReturn                    // earlyReturnAllowed
	NoLogger                       // NULL for the logger
	HasStop                        // stopTimeDefined
	HasTolerance                   // toleranceDefined
	Clocked                        // the time of a step is X[0] + round * X[1]
	Forget                         // makes the arguments of an instantiation inaccessible
	OneByOne                       // each value in a separate call
	KeepState                      // noSetFMUStatePriorToCurrentPoint is false
	FromOut                        // the bytes are the output of operation Count
	TracedMemory                   // memory functions that detect foreign and unreleased blocks
	NoMemory                       // NULL for memory functions and stepFinished
	Visible                        // visible of an instantiation
	NoEnvironment                  // NULL for the environment of the callbacks
)

// Instructions of the probe itself, which [Op.Code] may contain instead of function names.
const (
	Load      = "load"      // loads the library at Data into register Slot
	Unload    = "unload"    // dlclose of it
	Place     = "place"     // puts Data into buffer Slot, which ends at a page without access
	Protect   = "protect"   // access to buffer Slot by Count: 0 none, 1 read-only, 2 full
	Send      = "send"      // sets three Integers for buffer State; Count: what they contain
	Fetch     = "fetch"     // three Integers and the bytes there; Count: order, 6: one call
	Peek      = "peek"      // the bytes at the address found by the Fetch of State
	Loop      = "loop"      // Count rounds until Next, for at most X[0] s, the first 12 X[1] s
	Next      = "next"      // ends a loop
	Measure   = "measure"   // resources of the process, as lines name=value
	Sleep     = "sleep"     // until no other thread has run for X[0] seconds
	Placement = "placement" // Count: Roomy, Guarded, Front, TakeBack
	Dirty     = "dirty"     // fills Count bytes of stack, and allocations of State bytes
	Settle    = "settle"    // fmi3UpdateDiscreteStates until no update is needed
	Twins     = "twins"     // Values steps of instance Slot, concurrently with State if different
	Unless    = "unless"    // skips Count operations if the last step of Slot requested no event
	Watch     = "watch"     // records the files, programs and addresses used from now on
	Told      = "told"      // the records of Watch: lines of a verb, such as read, an object and Op
	Updates   = "updates"   // intermediate updates of Slot from its instantiation on; see [Update]
)

// The placements of arguments, for [Placement].
const (
	Roomy    = iota // with a canary after each array
	Guarded         // ending at a page without access; constant ones are read-only
	Front           // the same, but beginning after such a page
	TakeBack        // texts and binary values become inaccessible after the call
)

// The values sent by [Send].
const (
	SendBuffer   = iota // address and size
	SendNothing         // zeros
	SendNoBase          // base 0 with a size
	SendNoSize          // an address with size 0
	SendNegative        // an address with size -5
	SendNoLow           // only the upper half of the address, with a size
	SendParts           // the first of six: each part in a separate call, in the orders of Fetch
)

// Statuses in addition to the statuses of FMI, which are 0 to 5.
const (
	StatusNull       = 16 + iota // no instance was returned
	StatusUnloadable             // dlopen failed; Out contains the reason
	StatusMissing                // the library lacks the function
	StatusMisuse                 // the operation is invalid, or dlclose failed
	StatusUnsettled              // the discrete states need updates repeatedly
	StatusNotRun     = 99
)

// Flags of a record.
const (
	FloatsChanged  = 1 << iota // floating-point settings were changed; they were restored
	Overrun                    // bytes after an array were changed
	Unwritten                  // an out argument is unchanged although the status is OK
	ConstantChange             // a constant array was changed
	OutputFull                 // the output did not fit
	DeadText                   // a returned text or binary was in released memory
	StrayUpdate                // an intermediate update outside a step of its instance
	RegistersUsed              // registers of the x87 were left in use; they were freed
)

// Op is one operation of a script: a call, given by the name of its function, or an instruction.
type Op struct {
	Code       string
	Slot       int        // of the instance, library or buffer
	State      int        // of the FMU state; library of an instantiation; number of a Fetch
	Flags      Flag       //
	References []uint32   // of values
	Count      int        // depends on the instruction; kind of a status; 0: number of References
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
	Runs   int // rounds of loops; 0: not reached, or not returned
	Out    []byte
	Total  time.Duration // of all runs
	Most   time.Duration // of the longest run
	Least  time.Duration // of the shortest run
	Y      [4]float64    // numbers that it returned; see the C sources
}

// Message is a log message of an FMU.
type Message struct {
	Op          int // in which it arrived; -1: before the first
	Status      int
	Slot        int // of the instance
	HasCategory bool
	Category    string
	Text        string
	Cut         bool // Text may be only the beginning
	OtherThread bool
	AfterFree   bool
	Stray       bool // its environment does not belong to any instance
	WrongName   bool // its name differs from that of its instance
	BadFormat   bool // in FMI 2.0, the text is not a valid printf format
	NoText      bool // NULL was passed for the text
}

// FaultPlace is the place of a fault.
type FaultPlace int

// The places.
const (
	Elsewhere FaultPlace = iota
	BehindArray
	BeforeArray
	ConstantArray // written
	TakenAway     // accessed after the end of the call to which it belonged
	InBuffer      // of a notional binary variable: before it, or without permission
	BehindBuffer  // the same, after its end
)

// Options control how a script is run.
type Options struct {
	Dir   string   // working directory
	Env   []string // added to the environment
	Unset []string // names of variables to leave out of the environment
	// of one operation: wall-clock time if waiting, processor time if computing; 0: 10 s
	Limit time.Duration
	All   time.Duration // of the script; 0: no limit
	Stack int           // stack size of a thread that runs the whole script; 0: the main thread
	// for processes that the FMU has started to end after the script
	Linger time.Duration
}

// Result is the result of running a script.
type Result struct {
	Records  []Record
	Messages []Message
	Lost     int        // messages that did not fit
	Done     bool       // the script reached its end or its Stopped operation
	Stopped  int        // the operation whose status ended the script; -1: none
	Last     int        // the operation that ran last; -1: none
	Signal   string     // that ended the process, such as "SIGSEGV"; empty otherwise
	ExitCode int        // of a process that exited
	TimedOut bool       // the process was ended because an operation or the script took too long
	Expired  bool       // the script took longer than [Options.All]
	Fault    FaultPlace // of the first SIGSEGV or SIGBUS
	Address  uint64
	Printed  string // standard output and error, at most 64 KiB
	Children int    // 1 if it left processes behind
}

// Crashed reports whether the process ended without completing its script.
func (r *Result) Crashed() bool {
	return r.Signal != "" || r.TimedOut || !r.Done || r.ExitCode != 0
}
