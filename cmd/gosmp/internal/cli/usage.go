package cli

import "gosmp/run/usage"

// Invalid is the error of a flag whose value has led to another error.
func Invalid(flag string, cause error) error { return usage.Invalid(flag, cause) }

// Unexpected is the error of a flag with a wrong value.
func Unexpected(flag string, found any, expected string) error {
	return usage.Unexpected(flag, found, expected)
}
