package opendrive

import (
	"slices"
	"strconv"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// notes are findings from reading a map that the map itself does not keep.
type notes []note

type note struct {
	line                  int
	rule, message, remedy string
	object                string
	severity              finding.Severity
	again                 int  // number of times the same was found elsewhere
	out                   bool // the thing is left out of the simulation
}

// maxNotes limits the memory that a broken file can require.
const maxNotes = 10_000

func (n *notes) add(line int, rule, message, remedy string) {
	n.about(line, rule, "", message, remedy)
}

// about adds a warning about an object.
func (n *notes) about(line int, rule, object, message, remedy string) {
	if len(*n) < maxNotes {
		*n = append(*n, note{line: line, rule: rule, severity: finding.Warning, object: object,
			message: message, remedy: remedy})
	}
}

// text returns the message and how often it occurred.
func (n *note) text() string {
	switch n.again {
	case 0:
		return n.message
	case 1:
		return n.message + " (and at another place)"
	}
	return n.message + " (and at " + strconv.Itoa(n.again) + " other places)"
}

// leaveOut adds a warning about something that is not evaluated.
func (n *notes) leaveOut(line int, rule, object, message, remedy string) {
	added := note{line: line, rule: rule, severity: finding.Warning, object: object,
		message: message, remedy: remedy, out: true}
	if len(*n) < maxNotes && !slices.Contains(*n, added) {
		*n = append(*n, added)
	}
}

// LeftOut lists the parts of the file that this package does not evaluate, as reported by
// [Map.Check]. A simulation should inform its users about them.
func (m *Map) LeftOut() (list finding.List) {
	for k := range m.notes {
		if n := &m.notes[k]; n.out {
			list = append(list, finding.Finding{ID: n.rule, Severity: n.severity, Message: n.text(),
				Remedy: n.remedy, Place: fault.Place{File: m.Name, Line: n.line, Object: n.object}})
		}
	}
	return list
}
