package cosim

import (
	"errors"

	"gosmp/internal/fault"
)

// Error is an error with its location: a participant, a variable, a line of a file.
type Error = fault.Error

// The kinds of errors of this package.
var (
	// ErrName reports a participant or variable that does not exist, or a name that is already
	// taken.
	ErrName = errors.New("unknown name")
	// ErrConnection reports two variables that cannot be connected.
	ErrConnection = errors.New("impossible connection")
	// ErrSpec reports a run with invalid times or steps.
	ErrSpec = errors.New("impossible run")
	// ErrTable reports a file of values that cannot be used.
	ErrTable = errors.New("unusable table")
	// ErrRange reports a value that a connection cannot carry.
	ErrRange = errors.New("value out of range")
	// ErrStalled reports a participant that makes no progress: it repeats an empty step or an event
	// endlessly.
	ErrStalled = errors.New("no progress")
	// ErrDiscarded reports a step that a participant discards and that cannot be shortened.
	ErrDiscarded = errors.New("step discarded")
)
