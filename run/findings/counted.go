package findings

import (
	"gosmp/internal/finding"
	"gosmp/sensor/simsensor"
)

// Counted is a finding that represents others of its kind.
type Counted struct {
	finding.Finding
	// the number of findings of this kind with this id and severity, including this one
	Count int64 `json:"count"`
}

// OfProblem converts a problem of a recording to a finding.
func OfProblem(p simsensor.Problem, s finding.Severity) finding.Finding {
	text := p.Kind.Error()
	for _, part := range [...][2]string{{": found ", p.Found}, {", expected ", p.Expected}} {
		if part[1] != "" {
			text += part[0] + part[1]
		}
	}
	return finding.Finding{
		ID: simsensor.KindOf(p).ID(), Severity: s, Message: text, Remedy: p.Hint, Place: p.Place,
	}
}
