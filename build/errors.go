//go:build !fmucore

package build

import (
	"errors"

	"gosmp/internal/fault"
	"gosmp/internal/toolchain"
)

// The kinds of errors of this package.
var (
	// ErrUsage reports an invalid command line or [Config].
	ErrUsage = errors.New("wrong usage")
	// ErrTool reports a program that is needed to build and is not installed.
	ErrTool = toolchain.ErrMissing
	// ErrBuild reports a compiler or linker that failed, or produced something that cannot be used
	// in an FMU.
	ErrBuild = errors.New("build failed")
	// ErrInput reports a file that cannot be packed into the FMU.
	ErrInput = errors.New("unusable input")
)

// Error is an error of this package. It states its place, one of the kinds above, what was found,
// what was expected, and what to do next.
type Error = fault.Error

// Place states where an [Error] was found.
type Place = fault.Place
