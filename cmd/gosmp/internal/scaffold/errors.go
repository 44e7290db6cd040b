package scaffold

import "errors"

// The kinds of errors of this package.
var (
	// ErrUsage reports a [Request] that makes no sense.
	ErrUsage = errors.New("wrong usage")
	// ErrTaken reports a folder with something in it, or a file where the folder should be.
	ErrTaken = errors.New("nothing is overwritten")
	// ErrTool reports that the go command is missing.
	ErrTool = errors.New("tool missing")
	// ErrGosmp reports that gosmp was not found, or that its module cannot be built here.
	ErrGosmp = errors.New("no usable gosmp")
)

// Error is an error of this package: where it is, what it is, and what to do next.
type Error struct {
	Place string // a flag, a name or a folder
	Cause error  // wraps one of the kinds
	Hint  string
}

func (e *Error) Error() string { return e.Place + ": " + e.Cause.Error() + "\n  " + e.Hint }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ExitCode is 2 for wrong usage and 1 for everything else, as kong wants it.
func (e *Error) ExitCode() int {
	if errors.Is(e.Cause, ErrUsage) {
		return 2
	}
	return 1
}
