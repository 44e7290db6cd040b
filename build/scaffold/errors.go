package scaffold

import (
	"errors"

	"gosmp/internal/fault"
)

// The kinds of errors of this package.
var (
	// ErrUsage reports a [Request] that cannot be carried out.
	ErrUsage = errors.New("wrong usage")
	// ErrTaken reports a folder that is not empty, or a file where the folder should be.
	ErrTaken = errors.New("nothing is overwritten")
	// ErrTool reports that the go command is missing.
	ErrTool = errors.New("tool missing")
	// ErrGosmp reports that gosmp was not found, or that its module cannot be built here.
	ErrGosmp = errors.New("no usable gosmp")
)

// Error is the type of all errors of this package. It contains the flag, name or folder, what was
// found, what was expected, and what to do next.
type Error = fault.Error
