package toolchain

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Runner starts programs. The zero value starts them silently.
type Runner struct {
	Commands func(line string) // receives each command line before it is started; nil drops it
	// receives the go command's messages about downloads, immediately; nil drops them
	Progress func(line string)
}

// Call is one start of a program.
type Call struct {
	Program   string // a name to be found in PATH, or a path
	Arguments []string
	Folder    string   // where the program runs; empty means the current folder
	Env       []string // settings as name=value, on top of the environment of this process
}

func (c Call) String() string {
	return strings.Join(slices.Concat(c.Env, []string{c.Program}, c.Arguments), " ")
}

// CallError is the error of a program that failed or could not be started.
type CallError struct {
	Command string // the program and its first argument
	Output  string // everything written to standard error
	Err     error  // of package os/exec
}

// Error returns one line: the command, its exit status and the first error message.
func (f *CallError) Error() string {
	text := f.Command + ": " + f.Err.Error()
	if complaint := f.complaint(); complaint != "" {
		text += ": " + complaint
	}
	return text
}

// Unwrap returns the error of package os/exec.
func (f *CallError) Unwrap() error { return f.Err }

// complaint returns the first line of the output that mentions an error, or otherwise the first
// line that is not a heading: the go command prints "# package" above the messages of compilers.
func (f *CallError) complaint() (first string) {
	for line := range strings.Lines(f.Output) {
		line = strings.TrimSpace(line)
		switch {
		case strings.Contains(line, "error"):
			return line
		case first == "" && !strings.HasPrefix(line, "# "):
			first = line
		}
	}
	return first
}

// Output runs the program to its end and returns what it wrote to standard output. The error is a
// [*CallError], or the error of ctx if ctx ended first.
func (r Runner) Output(ctx context.Context, call Call) ([]byte, error) {
	if r.Commands != nil {
		r.Commands(call.String())
	}
	c := exec.CommandContext(ctx, call.Program, call.Arguments...)
	c.Dir = call.Folder
	c.Env = append(c.Environ(), call.Env...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	said := &listener{progress: r.Progress}
	c.Stdout, c.Stderr = &out, said
	err := c.Run()
	switch {
	case err == nil:
		return out.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	name := filepath.Base(call.Program)
	if len(call.Arguments) > 0 {
		name += " " + call.Arguments[0]
	}
	return nil, &CallError{Command: name, Output: said.complaints(), Err: err}
}

// listener separates the go command's messages about downloads from error messages.
type listener struct {
	progress func(line string)
	rest     bytes.Buffer
	pending  []byte // an incomplete line
}

const downloading = "go: downloading "

func (l *listener) Write(b []byte) (int, error) {
	l.pending = append(l.pending, b...)
	for {
		line, rest, whole := bytes.Cut(l.pending, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		what, isProgress := strings.CutPrefix(string(line), downloading)
		if isProgress && l.progress != nil {
			l.progress("downloading " + what)
		} else {
			l.rest.Write(line)
			l.rest.WriteByte('\n')
		}
		l.pending = rest
	}
}

// complaints returns all output except progress messages.
func (l *listener) complaints() string {
	return strings.TrimSpace(l.rest.String() + string(l.pending))
}
