//go:build !fmucore

package build

import "errors"

// The kinds of errors of this package.
var (
	// ErrUsage reports a command line or a [Config] that makes no sense.
	ErrUsage = errors.New("wrong usage")
	// ErrTool reports a program that is needed to build and not installed.
	ErrTool = errors.New("tool missing")
	// ErrBuild reports a compiler or linker that has failed, or made something that cannot be an FMU.
	ErrBuild = errors.New("build failed")
	// ErrInput reports a file that cannot go into the FMU.
	ErrInput = errors.New("unusable input")
)

// PackError is an error of this package: where it is, what it is, and what to do next.
type PackError struct {
	Place string // a file, a flag or a package
	Cause error  // wraps one of the kinds
	Hint  string
}

func (p *PackError) Error() string {
	text := p.Place + ": " + p.Cause.Error()
	if p.Hint != "" {
		text += "\n  " + p.Hint
	}
	return text
}

// Unwrap is the cause.
func (p *PackError) Unwrap() error { return p.Cause }
