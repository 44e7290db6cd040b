package cosim

import (
	"context"

	"gosmp/timebase"
)

// Traits are the properties of a participant that an engine needs to know.
type Traits struct {
	VariableSteps bool // steps may differ in length
	FixedStep     Grid // steps must be multiples of it; zero: any
	Restores      bool // Save and Restore work: the participant is a [Restorer]
	Slopes        bool // continuous inputs can use slopes; see [Frame]
	Events        bool // Event works: the participant is an [EventHandler]
	Resets        bool // Reset works: the participant is a [Resetter]
	Keeps         bool // AppendState and RestoreState work: the participant is a [Keeper]
}

// Setup is passed to a participant before its first step.
type Setup struct {
	Name  string
	Start timebase.Time
	Stop  timebase.Time // EndOfTime if there is none
	Step  Grid          // the distance of communication points
	// Scale converts the instants of the run to seconds; its grid is the communication points.
	Scale timebase.Scale
	// KeepState means that a state from before the current step may be restored.
	KeepState bool
}

// Advance is the result of a step.
type Advance struct {
	Reached timebase.Time // where the participant is now, at most the end of the step
	// Seconds is the exact time of an event, which may lie between two nanoseconds; 0 means
	// Reached.
	Seconds float64
	Ended   bool // it requests that the simulation end here
	Event   bool // it is at an event: [EventHandler.Event] must be called
	// Discarded means that the participant refuses a step of this length and has done nothing. If
	// Sound, it is still where it was before; otherwise a saved state has to be restored before it
	// can continue.
	Discarded, Sound bool
}

// Participant is a model or program that can be simulated. An engine calls its methods in this
// order, from one goroutine at a time, though not always the same one; with [Parallel] two
// participants may be in Step and Event at the same time:
//
//  1. Variables and Traits, at any time; their answers never change.
//  2. Bind, once.
//  3. Enter, which loads, sets start values and begins initialization.
//  4. Exchange, any number of times: it uses the current inputs in the frame, and the engine then
//     reads the outputs.
//  5. Leave, which ends initialization; the outputs then have their values at the start.
//  6. Step, repeatedly; the first step begins at Setup.Start, each further one where the previous
//     one ended.
//  7. Stop, which ends the simulation in an orderly way.
//  8. Close, which is always called, even after errors or if no other method was called. Frames are
//     invalid from then on.
//
// After an error in any method, only Stop, which then does what is still legal, and Close are
// called.
type Participant interface {
	Variables() []Variable
	Traits() Traits
	// Bind determines which inputs are set before each step and which variables are read after it,
	// by their numbers in Variables, each at most once. The ports of the frames are in the same
	// order. The inputs initially have their start values.
	Bind(inputs, outputs []int) (in, out *Frame, err error)
	Enter(ctx context.Context, s Setup) error
	Exchange(ctx context.Context) error
	Leave(ctx context.Context) error
	Step(ctx context.Context, s timebase.Span) (Advance, error)
	Stop(ctx context.Context) error
	Close() error
}

// Restorer is a participant that can return to an earlier state.
type Restorer interface {
	Save(ctx context.Context) error    // stores the current state and drops the previous one
	Restore(ctx context.Context) error // returns to the stored state, any number of times
}

// Resetter is a participant that can start again.
type Resetter interface {
	// Reset returns the participant to its state before Enter, which is called next.
	Reset(ctx context.Context) error
}

// Keeper is a participant, or an observer, whose state can be saved as bytes, for another process
// or a later run.
type Keeper interface {
	// AppendState appends the current state, between two steps.
	AppendState(ctx context.Context, b []byte) ([]byte, error)
	// RestoreState continues from a state written by AppendState of this participant or of an
	// identical one. It is called after initialization, any number of times. The bytes are valid
	// only during the call. The engine itself restores inputs and outputs in the frames.
	RestoreState(ctx context.Context, state []byte) error
}

// Depender is a participant that states on which inputs its outputs depend directly during
// initialization. An output of any other participant is assumed to depend on all inputs.
type Depender interface {
	// Depends lists the inputs, by their numbers in Variables, on which a variable depends. If
	// known is false, it may depend on all inputs.
	Depends(variable int) (inputs []int, known bool)
}

// EventHandler is a participant that handles events between steps.
type EventHandler interface {
	// Event handles the event at t; the current values of the inputs apply from then on. Another
	// event may follow immediately.
	Event(ctx context.Context, t timebase.Time) (Advance, error)
}

// Updater is a participant that may provide values between the beginning and the end of its steps.
type Updater interface {
	// Update makes Step call see for each instant within the step at which there are new values, in
	// order of time, with these values in the frame of the outputs. It is called before Enter.
	Update(see func(t timebase.Time, seconds float64) error)
}

// Source provides values as a function of time, from a file or a signal. A step that begins at t
// uses the values at t.
type Source interface {
	Variables() []Variable
	// Bind determines which variables are used. It is called once.
	Bind(outputs []int) (*Frame, error)
	// At fills the frame with the values at t. Time goes back only after a reset, a restored state,
	// or a discarded step. At a discontinuity, the value after it applies.
	At(t timebase.Time) error
}

// Row explains why an observer is called.
type Row uint8

// The kinds of rows.
const (
	AtPoint     Row = iota // a communication point, the first one after initialization
	BeforeEvent            // an event between two points, or at one
	AfterEvent             // the same time, after the event was handled
	AtEnd                  // a participant has ended the simulation before the next point
)

// Observer receives the values of signals. Its methods are called from the goroutine that calls the
// methods of the [Engine].
type Observer interface {
	// Begin is called when all signals can be read, before the first row.
	Begin(r *Result) error
	// Row is called at t; the signals have the values of that time.
	Row(t timebase.Time, row Row) error
	// End is called once, regardless of how the run has ended; only the first error of all
	// observers is reported.
	End(r *Result) error
}

// Finer is an observer that also receives the values within the steps of a run whose only
// participant is an [Updater].
type Finer interface {
	// Within is called at t, which lies within a step, before the row at the end of that step.
	// Signals without a value at t keep their values from the last row.
	Within(t timebase.Time) error
}
