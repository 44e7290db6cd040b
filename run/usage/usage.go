// Package usage has the errors of options and files that a user has given: they name the option,
// what was found, and what was expected.
//
// An option is called by the name that it has on the command line, such as --stop-time, also in
// plans of sweeps and in the errors of package run.
//
// Functions: [Unexpected], [Invalid], [Of], [NoFile], [NoFolder], [NearOr]; type: [Error].
package usage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/similar"
)

// Error is an invalid value of an option.
type Error struct {
	Option string // as on the command line, such as --stop-time
	Cause  error  // says what was found and what was expected
}

func (e *Error) Error() string { return e.Option + ": " + e.Cause.Error() }

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Invalid is the error of an option whose value has led to another error.
func Invalid(option string, cause error) error { return &Error{option, cause} }

// Of names the option that has led to an error, by the place that the error states; other errors
// stay as they are.
func Of(err error, options map[string]string) error {
	var wrong *fault.Error
	if !errors.As(err, &wrong) || options[wrong.Place.Object] == "" {
		return err
	}
	nowhere := *wrong
	nowhere.Place = fault.Place{}
	return Invalid(options[wrong.Place.Object], &nowhere)
}

// Unexpected is the error of an option with a wrong value.
func Unexpected(option string, found any, expected string) error {
	return Invalid(option, fmt.Errorf("found %v, expected %s", found, expected))
}

// NearOr lists the names that are similar to one that does not exist, or returns another text.
func NearOr(name string, names []string, otherwise string) string {
	if list := similar.Names(name, names); len(list) > 0 {
		return strings.Join(list, " or ")
	}
	return otherwise
}

// ErrNoFile is the kind of the errors of [NoFile].
var ErrNoFile = errors.New("there is no such file")

// NoFile is the error of a file that is not there.
func NoFile(name string) error {
	return fmt.Errorf("%s: %w; check the path%s", name, ErrNoFile, StartOf(name))
}

// NoFolder is the error of a folder that is not there.
func NoFolder(name string) error {
	return fmt.Errorf("%s: there is no such folder; check the path%s", name, StartOf(name))
}

// Exists returns the error of a file that is not there.
func Exists(name string) error {
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return NoFile(name)
	}
	return nil // whatever else is wrong, its reader reports
}

// StartOf describes where a relative path starts.
func StartOf(name string) string {
	folder, err := os.Getwd()
	if filepath.IsAbs(name) || err != nil {
		return ""
	}
	return "; a relative one starts at " + folder
}
