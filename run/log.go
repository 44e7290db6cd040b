package run

import (
	"sync"

	"gosmp/fmi"
	"gosmp/importer"
)

// Log receives what a run reports while it runs. Its methods are called one at a time, from any
// goroutine.
type Log interface {
	// Message is a log message of an FMU, or a call with Options.LogCalls. In a run of several FMUs
	// the text begins with the name of the FMU.
	Message(m importer.Message)
	// Warn is a warning about the run.
	Warn(text string)
	// Printed is a line that an FMU has printed, an event of a map or a bridge, or an address.
	Printed(line string)
}

// logger counts warnings and passes everything on.
type logger struct {
	mu       sync.Mutex
	to       Log // may be nil
	warnings int // of FMUs and of gosmp
}

func (l *logger) message(m importer.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !m.Call && m.Status == fmi.Warning {
		l.warnings++
	}
	if l.to != nil {
		l.to.Message(m)
	}
}

func (l *logger) warn(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.warnings++
	if l.to != nil {
		l.to.Warn(text)
	}
}

func (l *logger) printed(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to != nil {
		l.to.Printed(line)
	}
}

func (l *logger) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.warnings
}
