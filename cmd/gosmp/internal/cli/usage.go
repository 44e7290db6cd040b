package cli

import "gosmp/run/usage"

// Invalid returns the error for a flag whose value caused another error.
func Invalid(flag string, cause error) error { return usage.Invalid(flag, cause) }

// Unexpected returns the error for a flag with a wrong value.
func Unexpected(flag string, found any, expected string) error {
	return usage.Unexpected(flag, found, expected)
}
