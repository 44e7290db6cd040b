package scxml

import (
	"errors"
	"fmt"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// Finding is an error or a questionable construct in a chart: id, severity, place, message, remedy.
type Finding = finding.Finding

// Findings is a list of findings, in document order.
type Findings = finding.List

// The ids of the findings of Inspect. The ids of the other checks are in package check.
const (
	SX01 = "SX01" // not well-formed, wrong root, namespace or version
	SX02 = "SX02" // element or attribute unknown or misplaced
	SX03 = "SX03" // required part missing, or exclusive parts together
	SX04 = "SX04" // duplicate id
	SX05 = "SX05" // target, initial or In() names no state
	SX06 = "SX06" // targets that cannot be active together
	SX07 = "SX07" // initial not a descendant, in both forms, or on an atomic state
	SX08 = "SX08" // history: default missing, doubled, with event or cond, outside
	SX09 = "SX09" // transition without event, cond or target
	SX10 = "SX10" // expression, script, duration or event name does not parse
	SX11 = "SX11" // unknown data model, send type, invoke type, xsi:type
	SX12 = "SX12" // src not found
	SX13 = "SX13" // send or raise in finalize; delay on #_internal
	SX14 = "SX14" // data id with leading "_"
)

// ErrInvalid is the kind of error for a chart that cannot run.
var ErrInvalid = errors.New("invalid statechart")

// InvalidError reports a chart that cannot run, with all its findings.
type InvalidError struct{ Findings Findings }

// Error returns the first error and the number of other errors.
func (e *InvalidError) Error() string {
	text := ErrInvalid.Error()
	for _, f := range e.Findings {
		if f.Severity == finding.Error {
			text = f.String()
			break
		}
	}
	if n := e.Findings.Count(finding.Error); n > 1 {
		text += fmt.Sprintf(" (and %d more errors)", n-1)
	}
	return text
}

// Unwrap returns ErrInvalid.
func (e *InvalidError) Unwrap() error { return ErrInvalid }

// report adds an error that makes the chart unusable.
func (b *builder) report(id string, at Position, message, remedy string) {
	b.fatal = true
	b.later(id, at, message, remedy)
}

// later adds an error that takes effect only when it is reached, so the chart can run.
func (b *builder) later(id string, at Position, message, remedy string) {
	b.tally.Add(&b.findings, Finding{ID: id, Severity: finding.Error, Message: message,
		Remedy: remedy,
		Place:  fault.Place{File: b.chart.File, Line: at.Line, Column: at.Column}})
}
