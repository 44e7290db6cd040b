package child

import (
	"fmt"
	"sync"
)

// Limits of the output that is passed on.
const (
	LongestLine = 4 << 10  // bytes of a line; the rest is dropped
	mostOutput  = 16 << 20 // bytes of all lines
)

// Lines is a writer that passes on the output of a program line by line. Its methods can be called
// from any goroutine.
type Lines struct {
	to func(line string) // may be nil

	mu     sync.Mutex
	rest   []byte
	newest string
	passed int
}

// NewLines creates a writer.
func NewLines(to func(line string)) *Lines { return &Lines{to: to} }

// Write implements [io.Writer].
func (l *Lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range b {
		switch {
		case c == '\n':
			l.newest = string(l.rest)
			l.rest = l.rest[:0]
			l.pass(l.newest)
		case len(l.rest) < LongestLine:
			l.rest = append(l.rest, c)
		}
	}
	return len(b), nil
}

// pass passes on a line, up to the limit.
func (l *Lines) pass(line string) {
	if l.to == nil || l.passed > mostOutput {
		return
	}
	if l.passed += len(line) + 1; l.passed > mostOutput {
		line = fmt.Sprintf("(no further output of this program is shown, after %d MB)",
			mostOutput>>20)
	}
	l.to(line)
}

// Last returns the last line, which may be incomplete.
func (l *Lines) Last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		return string(l.rest)
	}
	return l.newest
}

// Flush ends an incomplete line.
func (l *Lines) Flush() {
	l.mu.Lock()
	partial := len(l.rest) > 0
	l.mu.Unlock()
	if partial {
		_, _ = l.Write([]byte{'\n'}) // never fails
	}
}
