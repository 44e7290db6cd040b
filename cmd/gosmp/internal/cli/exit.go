// Package cli has what all commands of gosmp have in common: exit codes and errors, files that
// appear whole or not at all, signals, and how numbers, tables and long lines are written.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"gosmp/internal/plaintext"
	"gosmp/run/usage"
)

// The exit codes of every command.
const (
	ExitDone    = 0
	ExitVerdict = 1 // the command has done its work, and its verdict is negative
	ExitInput   = 2 // wrong usage, or an input that cannot be used
	ExitTimeout = 3 // a limit of time
	ExitFailed  = 4 // gosmp itself has failed, or what it writes to
)

// coded is an error with its exit code.
type coded struct {
	cause error
	code  int
}

func (e *coded) Error() string { return e.cause.Error() }

// Unwrap is the cause.
func (e *coded) Unwrap() error { return e.cause }

// ExitCode is the code for kong.
func (e *coded) ExitCode() int { return e.code }

// ExitWith gives an error an exit code.
func ExitWith(err error, code int) error { return &coded{err, code} }

// Negative is the error that ends a command whose output says what is wrong.
func Negative(text string) error { return ExitWith(errors.New(text), ExitVerdict) }

// ErrUnusable ends a command when some of several files cannot be used at all: the reasons have
// been printed.
var ErrUnusable = errors.New("some files cannot be used, see above")

// outputError is an error of what a command writes to.
type outputError struct{ cause error }

func (e *outputError) Error() string {
	text := e.cause.Error()
	if errors.Is(e.cause, syscall.ENOSPC) {
		text += "; the disk is full: free space, or write to another place"
	}
	return text
}

func (e *outputError) Unwrap() error { return e.cause }

// ExitCode returns the code for a failure that the input did not cause.
func (e *outputError) ExitCode() int { return ExitFailed }

// OutputFailed makes an error one of what a command writes to.
func OutputFailed(err error) error { return &outputError{err} }

// Flushed is the error of standard output at the end of a command, if there is one.
func Flushed(err error) error {
	if err == nil {
		return nil
	}
	return OutputFailed(err)
}

// ExitCode returns the exit code for an error. Errors without a code of their own are about the
// input.
func ExitCode(err error) int {
	var coder interface{ ExitCode() int }
	switch parse := (*kong.ParseError)(nil); {
	case err == nil:
		return ExitDone
	case errors.As(err, &parse):
		return ExitInput
	case errors.As(err, &coder):
		return coder.ExitCode()
	}
	return ExitInput
}

// Report writes an error on a line of its own.
func Report(w io.Writer, err error) {
	fmt.Fprintf(w, "gosmp: error: %s\n", plaintext.Clean(message(err)))
}

// message returns the text of an error. If a file caused the error, the text also says what to do,
// unless it does already.
func message(err error) string {
	text := err.Error()
	file := (*fs.PathError)(nil)
	if !errors.As(err, &file) || strings.Contains(text, "; ") {
		return text
	}
	switch {
	case errors.Is(file, fs.ErrNotExist):
		return text + "; check the path" + usage.StartOf(file.Path)
	case errors.Is(file, fs.ErrPermission):
		return text + "; check its owner and its permissions"
	case errors.Is(file, syscall.EISDIR):
		return text + "; name a file"
	}
	return text
}

// Complain writes the error on a line of its own and, after wrong usage, a line with the correct
// usage.
func Complain(w io.Writer, err error, command *kong.Context) {
	Report(w, err)
	wrong, parse := (*usage.Error)(nil), (*kong.ParseError)(nil)
	if errors.As(err, &parse) {
		command = parse.Context
	} else if !errors.As(err, &wrong) {
		return
	}
	fmt.Fprintln(w, usageLine(command))
}

// usageLine is "usage: gosmp check <file> ... [flags]; gosmp check --help lists the flags".
func usageLine(command *kong.Context) string {
	if command == nil || command.Selected() == nil {
		return "usage: gosmp <command> [flags]; gosmp --help lists the commands"
	}
	node := command.Selected()
	return fmt.Sprintf("usage: gosmp %s; gosmp %s --help explains it",
		strings.TrimSpace(node.Summary()), node.FullPath()[len("gosmp "):])
}
