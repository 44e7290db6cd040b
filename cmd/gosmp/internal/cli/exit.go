// Package cli contains what all commands of gosmp share: exit codes and errors, output files that
// appear whole or not at all, signals, and the formatting of numbers, tables and long lines.
package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/alecthomas/kong"

	"gosmp/internal/fault"
	"gosmp/internal/plaintext"
	"gosmp/run/fileuse"
	"gosmp/run/usage"
)

// The exit codes of all commands.
const (
	ExitDone    = 0
	ExitVerdict = 1 // the command did its work, with a negative verdict
	ExitInput   = 2 // wrong usage, or an input that cannot be used
	ExitTimeout = 3 // a time limit was exceeded
	ExitFailed  = 4 // gosmp itself or its output failed
)

// coded is an error with its exit code.
type coded struct {
	cause error
	code  int
}

func (e *coded) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *coded) Unwrap() error { return e.cause }

// ExitCode returns the exit code for kong.
func (e *coded) ExitCode() int { return e.code }

// ExitWith attaches an exit code to an error.
func ExitWith(err error, code int) error { return &coded{err, code} }

// FailIf attaches [ExitFailed] to an error of one of the kinds, which the input did not cause.
func FailIf(err error, kinds ...error) error {
	if slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) }) {
		return ExitWith(err, ExitFailed)
	}
	return err
}

// Negative returns the error that ends a command whose output already describes the problem.
func Negative(text string) error { return ExitWith(errors.New(text), ExitVerdict) }

// ErrUnusable ends a command if some of several files cannot be used at all. The reasons have been
// printed.
var ErrUnusable = errors.New("some files cannot be used, see above")

// fullDisk is the advice that follows the error about a full disk.
const fullDisk = "; the disk is full: free some space, or write elsewhere"

// outputError is an error in a command's output.
type outputError struct{ cause error }

func (e *outputError) Error() string {
	text := e.cause.Error()
	if fileuse.IsFull(e.cause) {
		text += fullDisk
	}
	return text
}

func (e *outputError) Unwrap() error { return e.cause }

// ExitCode returns the code for a failure that the input did not cause.
func (e *outputError) ExitCode() int { return ExitFailed }

// OutputFailed marks an error as caused by the command's output.
func OutputFailed(err error) error { return &outputError{err} }

// Flushed marks an error from writing standard output, if any, as an output error.
func Flushed(err error) error {
	if err == nil {
		return nil
	}
	return OutputFailed(err)
}

// ExitCode returns the exit code for an error. An error without a code counts as an input error.
func ExitCode(err error) int {
	var coder interface{ ExitCode() int }
	switch parse := (*kong.ParseError)(nil); {
	case err == nil:
		return ExitDone
	case errors.As(err, &parse):
		return ExitInput
	case fileuse.IsFull(err): // the input is not to blame
		return ExitFailed
	case errors.As(err, &coder):
		return coder.ExitCode()
	}
	return ExitInput
}

// Report writes an error on a line of its own.
func Report(w io.Writer, err error) {
	fmt.Fprintf(w, "gosmp: error: %s\n", plaintext.Shown(message(err)))
}

// choice matches the parser's complaint about a value that is not in a list.
var choice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*) must be one of ((?:"[^"]*",?)+) but got (".*")$`)
})

// worded rewords a complaint of the parser about a value to match other errors. It leaves out the
// empty value of flags that may be omitted.
func worded(text string) string {
	parts := choice().FindStringSubmatch(text)
	if parts == nil {
		return text
	}
	names := slices.DeleteFunc(strings.Split(strings.ReplaceAll(parts[2], `"`, ""), ","),
		func(name string) bool { return name == "" })
	return fmt.Sprintf("%s: found %s, expected one of %s", parts[1], parts[3],
		strings.Join(names, ", "))
}

// message returns the text of an error. If a file caused the error, the text also says what to do
// about it.
func message(err error) string {
	text := worded(fault.Text(err))
	if fileuse.IsFull(err) && !strings.Contains(text, fullDisk) {
		return text + fullDisk
	}
	file := (*fs.PathError)(nil)
	if !errors.As(err, &file) || strings.Contains(text, "; ") {
		return text
	}
	switch {
	case errors.Is(file, fs.ErrNotExist):
		return text + "; check the path" + usage.StartOf(file.Path)
	case errors.Is(file, fs.ErrPermission):
		return text + "; check its owner and permissions"
	case errors.Is(file, syscall.EISDIR):
		return text + "; name a file"
	}
	return text
}

// Complain writes the error on a line of its own and, after wrong usage, a line with the correct
// usage. The function all returns the tree of all commands.
func Complain(w io.Writer, err error, command *kong.Context, all func() *kong.Node) {
	wrong, parse := (*usage.Error)(nil), (*kong.ParseError)(nil)
	if errors.As(err, &parse) {
		command = parse.Context
		Report(w, errors.New(withFlags(message(err), command, all)))
		fmt.Fprintln(w, usageLine(command))
		return
	}
	Report(w, err)
	if !errors.As(err, &wrong) {
		return
	}
	fmt.Fprintln(w, usageLine(command))
}

// usageLine returns "usage: gosmp check <file> ... [flags]; gosmp check --help lists the flags".
func usageLine(command *kong.Context) string {
	if command == nil || command.Selected() == nil {
		return "usage: gosmp <command> [flags]; gosmp --help lists the commands"
	}
	node := command.Selected()
	return fmt.Sprintf("usage: gosmp %s; gosmp %s --help explains it",
		strings.TrimSpace(node.Summary()), node.FullPath()[len("gosmp "):])
}
