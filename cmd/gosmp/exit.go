package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"gosmp/cmd/gosmp/internal/scaffold"
)

// The exit codes of every command; 3 is for a timeout.
const (
	exitDone    = 0
	exitVerdict = 1 // the command has done its work, and its verdict is negative
	exitInput   = 2 // wrong usage, or an input that cannot be used
	exitFailed  = 4 // gosmp itself has failed, or what it writes to
)

// verdict is an error that ends a command whose output says what is wrong.
type verdict struct{ text string }

func (v *verdict) Error() string { return v.text }

// ExitCode returns the code for a negative verdict.
func (v *verdict) ExitCode() int { return exitVerdict }

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
func (e *outputError) ExitCode() int { return exitFailed }

// exitCode returns the exit code for an error. Errors without a code of their own are about the
// input.
func exitCode(err error) int {
	var coder interface{ ExitCode() int }
	switch usage := (*kong.ParseError)(nil); {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		return exitInput
	case errors.Is(err, scaffold.ErrTool), errors.Is(err, scaffold.ErrGosmp): // Go or gosmp is not installed as it should be
		return exitFailed
	case errors.As(err, &coder):
		return coder.ExitCode()
	}
	return exitInput
}

// complain writes the error on a line of its own and, after wrong usage, a line with the correct
// usage.
func complain(w io.Writer, err error, command *kong.Context) {
	fmt.Fprintf(w, "gosmp: error: %v\n", err)
	usage, parse := (*usageError)(nil), (*kong.ParseError)(nil)
	if errors.As(err, &parse) {
		command = parse.Context
	} else if !errors.As(err, &usage) {
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
	return fmt.Sprintf("usage: gosmp %s; gosmp %s --help explains it", strings.TrimSpace(node.Summary()), node.FullPath()[len("gosmp "):])
}

// flushed is the error of standard output at the end of a command, if there is one.
func flushed(err error) error {
	if err == nil {
		return nil
	}
	return &outputError{err}
}
