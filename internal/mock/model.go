package mock

import (
	"bytes"

	"gosmp/fmu"
	"gosmp/timebase"
)

// Model is a scripted fmu.Model. A nil function field means success without effect.
type Model struct {
	fmu.Host
	OnInitialize func(start timebase.Time) error
	OnStep       func(timebase.Span) error
	OnRestore    func(state []byte) error

	State      []byte // appended by AppendState; RestoreState replaces it unless OnRestore is set
	StateError error  // returned by AppendState
	Done       bool   // returned by Terminated

	Last         timebase.Span // the newest span, even of a failed step
	Initializes  int           // number of calls
	Steps        int
	Resets       int
	Closes       int
	lateCalls    int
	afterClosing bool
}

// Initialize implements fmu.Model.
func (m *Model) Initialize(start timebase.Time) error {
	m.call()
	m.Initializes++
	if m.OnInitialize == nil {
		return nil
	}
	return m.OnInitialize(start)
}

// Step implements fmu.Model.
func (m *Model) Step(span timebase.Span) error {
	m.call()
	m.Steps++
	m.Last = span
	if m.OnStep == nil {
		return nil
	}
	return m.OnStep(span)
}

// Reset implements fmu.Model.
func (m *Model) Reset() {
	m.call()
	m.Resets++
}

// Close implements fmu.Model.
func (m *Model) Close() {
	m.call()
	m.Closes++
	m.afterClosing = true
}

// AppendState implements fmu.Model.
func (m *Model) AppendState(b []byte) ([]byte, error) {
	m.call()
	return append(b, m.State...), m.StateError
}

// RestoreState implements fmu.Model.
func (m *Model) RestoreState(state []byte) error {
	m.call()
	if m.OnRestore != nil {
		return m.OnRestore(state)
	}
	m.State = bytes.Clone(state)
	return nil
}

// Terminated implements fmu.Terminator.
func (m *Model) Terminated() bool { return m.Done }

// LateCalls counts the calls after Close, which the contract of fmu.Model forbids.
func (m *Model) LateCalls() int { return m.lateCalls }

func (m *Model) call() {
	if m.afterClosing {
		m.lateCalls++
	}
}
