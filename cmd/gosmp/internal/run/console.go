package run

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"gosmp/internal/plaintext"
	"gosmp/run"
)

// Console is where a run logs, with a line of progress below it on a terminal.
type Console struct {
	*run.TextLog
	mu   sync.Mutex
	log  io.Writer
	line string // of progress
}

// NewConsole is a console that logs to a file or the like, and shows progress on standard error.
func NewConsole(log io.Writer) *Console {
	c := &Console{log: log}
	c.TextLog = run.NewTextLog(c)
	return c
}

// Write writes lines of the log in the place of the line of progress.
func (c *Console) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line != "" {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	_, err := io.WriteString(c.log, plaintext.Clean(string(text)))
	if c.line != "" {
		fmt.Fprint(os.Stderr, c.line)
	}
	return len(text), err
}

// status shows a line of progress, or none.
func (c *Console) status(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line != c.line {
		fmt.Fprint(os.Stderr, "\r\x1b[K", line)
		c.line = line
	}
}

// note shows progress where it cannot replace the line before, if there is any.
func (c *Console) note(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line != "" {
		fmt.Fprintln(os.Stderr, "gosmp: "+strings.TrimSpace(line))
	}
}
