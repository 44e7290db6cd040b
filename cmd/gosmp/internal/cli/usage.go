package cli

import (
	"fmt"
	"strings"

	"gosmp/internal/similar"
)

// UsageError is an invalid value on the command line.
type UsageError struct {
	flag  string
	cause error // says what was found and what was expected
}

func (e *UsageError) Error() string { return e.flag + ": " + e.cause.Error() }

// Unwrap is the cause.
func (e *UsageError) Unwrap() error { return e.cause }

// ExitCode returns the code for wrong usage to kong.
func (e *UsageError) ExitCode() int { return ExitInput }

// Invalid is the error of a flag whose value has led to another error.
func Invalid(flag string, cause error) error { return &UsageError{flag, cause} }

// Unexpected is the error of a flag with a wrong value.
func Unexpected(flag string, found any, expected string) error {
	return Invalid(flag, fmt.Errorf("found %v, expected %s", found, expected))
}

// NearOr lists the names that are similar to one that does not exist, or says otherwise.
func NearOr(name string, names []string, otherwise string) string {
	if list := similar.Names(name, names); len(list) > 0 {
		return strings.Join(list, " or ")
	}
	return otherwise
}
