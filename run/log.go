package run

import (
	"sync"

	"gosmp/fmi"
	"gosmp/importer"
)

// Log receives the reports of a run. Its methods may be called from any goroutine, but only one at
// a time.
type Log interface {
	// Message receives a log message of an FMU or, with Options.LogCalls, a call. In a run of
	// several FMUs, the text starts with the name of the FMU.
	Message(m importer.Message)
	// Warn receives a warning about the run.
	Warn(text string)
	// Printed receives a line that an FMU printed, an event of a map or a bridge, or an address.
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
