package main

import "fmt"

// usageError is an invalid value on the command line.
type usageError struct {
	flag  string
	cause error // says what was found and what was expected
}

func (e *usageError) Error() string { return e.flag + ": " + e.cause.Error() }

// Unwrap is the cause.
func (e *usageError) Unwrap() error { return e.cause }

// ExitCode returns the code for wrong usage to kong.
func (e *usageError) ExitCode() int { return 2 }

// unexpected is the error of a flag with a wrong value.
func unexpected(flag string, found any, expected string) error {
	return &usageError{flag, fmt.Errorf("found %v, expected %s", found, expected)}
}
