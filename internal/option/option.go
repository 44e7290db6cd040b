// Package option defines the error for an option with a value that cannot be used. Packages of all
// rooms return it; package run/usage exports it.
//
// Options have their names on the command line, such as --stop-time, because most users set them
// there.
package option

import "fmt"

// Error is an invalid value of an option.
type Error struct {
	Option string // as on the command line, such as --stop-time
	Cause  error  // states what was found and what was expected
}

func (e *Error) Error() string { return e.Option + ": " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Invalid returns the error for an option whose value caused another error.
func Invalid(option string, cause error) error { return &Error{option, cause} }

// Unexpected returns the error for an option with a wrong value.
func Unexpected(option string, found any, expected string) error {
	return Invalid(option, fmt.Errorf("found %v, expected %s", found, expected))
}
