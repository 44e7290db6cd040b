package opendrive

import (
	"strconv"

	"gosmp/internal/finding"
)

// notes are what reading has noticed and the map itself does not keep.
type notes []note

type note struct {
	line                  int
	rule, message, remedy string
	object                string
	severity              finding.Severity
	again                 int // how often the same was found at other places
}

// maxNotes bounds the memory that a broken file can take.
const maxNotes = 10_000

func (n *notes) add(line int, rule, message, remedy string) {
	if len(*n) < maxNotes {
		*n = append(*n, note{line: line, rule: rule, severity: finding.Warning, message: message,
			remedy: remedy})
	}
}

// text is the message, with how often the same was found.
func (n *note) text() string {
	switch n.again {
	case 0:
		return n.message
	case 1:
		return n.message + " (and at another place)"
	}
	return n.message + " (and at " + strconv.Itoa(n.again) + " other places)"
}
