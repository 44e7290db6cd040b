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

// Console is the log output of a run, with a progress line below it on a terminal.
type Console struct {
	*run.TextLog
	mu   sync.Mutex
	log  io.Writer
	line string // of progress
}

// NewConsole returns a console that writes the log to a writer and shows progress on standard
// error.
func NewConsole(log io.Writer) *Console {
	c := &Console{log: log}
	c.TextLog = run.NewTextLog(c)
	return c
}

// Write replaces the progress line by lines of the log.
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

// status shows a progress line, or clears it.
func (c *Console) status(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line != c.line {
		fmt.Fprint(os.Stderr, "\r\x1b[K", line)
		c.line = line
	}
}

// note prints progress where it cannot replace the previous line. It prints nothing for an empty
// line.
func (c *Console) note(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if line != "" {
		fmt.Fprintln(os.Stderr, "gosmp: "+strings.TrimSpace(line))
	}
}
