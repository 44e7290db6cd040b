// Package usage defines the errors for options and files given by a user. They name the option,
// what was found, and what was expected.
//
// Options have their names on the command line, such as --stop-time, also in plans of sweeps and in
// the errors of package run.
//
// Functions: [Unexpected], [Invalid], [Of], [NoFile], [NoFolder], [NearOr], [Alike], [Float],
// [Int], [Uint], [Duration], [Seconds]; type: [Error].
package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/option"
	"gosmp/internal/similar"
)

// Error is an invalid value of an option: the option, as on the command line, and the cause, which
// states what was found and what was expected.
type Error = option.Error

// Invalid returns the error for an option whose value caused another error.
func Invalid(name string, cause error) error { return option.Invalid(name, cause) }

// Of adds the option that caused an error, found by the place in the error. Other errors are
// returned unchanged.
func Of(err error, options map[string]string) error {
	var wrong *fault.Error
	if !errors.As(err, &wrong) || options[wrong.Place.Object] == "" {
		return err
	}
	nowhere := *wrong
	nowhere.Place = fault.Place{}
	return Invalid(options[wrong.Place.Object], &nowhere)
}

// Unexpected returns the error for an option with a wrong value.
func Unexpected(name string, found any, expected string) error {
	return option.Unexpected(name, found, expected)
}

// NearOr lists the names that are similar to a missing name, or returns otherwise if there are
// none.
func NearOr(name string, names []string, otherwise string) string {
	if list := similar.Names(name, names); len(list) > 0 {
		return strings.Join(list, " or ")
	}
	return otherwise
}

// ErrNoFile is wrapped by the errors of [NoFile].
var ErrNoFile = errors.New("there is no such file")

// NoFile returns the error for a missing file.
func NoFile(name string) error {
	return fmt.Errorf("%s: %w; check the path%s", name, ErrNoFile, StartOf(name))
}

// NoFolder returns the error for a missing folder.
func NoFolder(name string) error {
	return fmt.Errorf("%s: there is no such folder; check the path%s", name, StartOf(name))
}

// Exists returns an error if a file is missing.
func Exists(name string) error {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return NoFile(name)
	}
	return nil // the reader of the file reports any other problem
}

// StartOf describes where a relative path starts.
func StartOf(name string) string {
	folder, err := os.Getwd()
	if filepath.IsAbs(name) || err != nil {
		return ""
	}
	return "; a relative one starts at " + folder
}
