package opendrive

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/finding"
)

// ascending reports a record that starts before the previous record of its kind. The records in
// single and the sections are checked with the values that they contain.
func (w *schemaWalk) ascending(parent *schemaFrame, index int, e *element, line int) {
	if !slices.Contains(records[parent.name], e.name) || single[e.name] ||
		e.name == "laneSection" {
		return
	}
	text, ok := e.lookup("s")
	if !ok {
		text, _ = e.lookup("sOffset")
	}
	at, err := decimal.Float(strings.TrimSpace(text), 64)
	if err != nil {
		return
	}
	if parent.last == index+1 && at < parent.at {
		w.report(line, "X-PROFILE-ORDER", finding.Warning,
			fmt.Sprintf("%s at %g follows %g", e.name, at, parent.at), "sort the records")
	}
	parent.last, parent.at = index+1, at
}
