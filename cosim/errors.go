package cosim

import (
	"errors"

	"gosmp/internal/fault"
)

// Error is an error with its place: a participant, a variable, a line of a file.
type Error = fault.Error

// The kinds of errors of this package.
var (
	// ErrName reports a participant or variable that does not exist, or a name that is taken.
	ErrName = errors.New("unknown name")
	// ErrConnection reports two variables that cannot be connected.
	ErrConnection = errors.New("impossible connection")
	// ErrSpec reports a run that makes no sense: times, steps.
	ErrSpec = errors.New("impossible run")
	// ErrTable reports a file of values that cannot be used.
	ErrTable = errors.New("unusable table")
	// ErrStalled reports a participant that does not get on: it repeats an empty step, or an event, without end.
	ErrStalled = errors.New("no progress")
	// ErrDiscarded reports a step that a participant refuses, and nothing smaller could be tried.
	ErrDiscarded = errors.New("step discarded")
)
