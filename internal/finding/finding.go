// Package finding holds the results of checking a file: each finding has an id that does not change
// between releases, a severity, a place, a message and a remedy. Every `gosmp check` writes its
// findings with this package, as text, JSON, SARIF 2.1.0 or JUnit XML.
//
// A check returns a [List] in the order of the file, to which a [Tally] adds. Types: [Finding],
// [Severity], [List], [Tally], [Tool].
package finding

import (
	"cmp"
	"fmt"
	"slices"

	"gosmp/internal/fault"
)

// Severity is the severity of a finding.
type Severity int

// The severities, from harmless to fatal.
const (
	Note    Severity = iota // for information; nothing is wrong
	Warning                 // allowed, but probably not intended
	Error                   // breaks a rule; tools may refuse the file
)

var severityNames = [...]string{"note", "warning", "error"}

// String returns "note", "warning" or "error", as in SARIF.
func (s Severity) String() string {
	if s < 0 || int(s) >= len(severityNames) {
		return fmt.Sprintf("Severity(%d)", int(s))
	}
	return severityNames[s]
}

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name.
func (s *Severity) UnmarshalText(text []byte) error {
	k := slices.Index(severityNames[:], string(text))
	if k < 0 {
		return fmt.Errorf("severity %q: expected note, warning or error", text)
	}
	*s = Severity(k)
	return nil
}

// Finding is one result of a check.
type Finding struct {
	ID       string      `json:"id"` // "SX07", "OSMP-A8": the rule, the same in every release
	Severity Severity    `json:"severity"`
	Place    fault.Place `json:"place"`
	Message  string      `json:"message"`          // what was found and what was expected
	Remedy   string      `json:"remedy,omitempty"` // how to fix it
	// the place of the rule, such as "FMI 2.0.5, 2.2.7"; empty if the id states it
	Clause   string `json:"clause,omitempty"`
	Found    string `json:"found,omitempty"`    // the part of Message that was found
	Expected string `json:"expected,omitempty"` // the part of Message that was expected
	// the number of further findings of the rule that are left out, see [Tally]
	More int `json:"more,omitempty"`
	// because of it, a machine misses what it is meant to judge, so that a run cannot pass
	Blind bool `json:"-"`
}

// String returns the finding as one line: place, severity, message, clause, id in brackets, remedy.
func (f Finding) String() string {
	text := f.Severity.String() + ": " + f.Explained() + " [" + f.ID + "]" + f.further()
	if place := f.Place.String(); place != "" {
		text = place + ": " + text
	}
	if f.Remedy != "" {
		text += "; " + f.Remedy
	}
	return text
}

// Explained returns the message with the clause in parentheses.
func (f Finding) Explained() string {
	if f.Clause == "" {
		return f.Message
	}
	return f.Message + " (" + f.Clause + ")"
}

// List is the result of a check, in the order of the file.
type List []Finding

// Count counts the findings of a severity, including those left out.
func (l List) Count(s Severity) (n int) {
	for _, f := range l {
		if f.Severity == s {
			n += 1 + f.More
		}
	}
	return n
}

// Worst returns the highest severity; ok is false if there are no findings.
func (l List) Worst() (worst Severity, ok bool) {
	for _, f := range l {
		worst = max(worst, f.Severity)
	}
	return worst, len(l) > 0
}

// Sort sorts the findings in the order of the file; findings at the same place keep their order.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Place.File, b.Place.File), cmp.Compare(a.Place.Entry,
			b.Place.Entry),
			cmp.Compare(a.Place.Line, b.Place.Line), cmp.Compare(a.Place.Column, b.Place.Column))
	})
}
