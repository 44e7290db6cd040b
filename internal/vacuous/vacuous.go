// Package vacuous states why a run could not judge anything, for every kind of run in the same way.
//
// Functions: [WithoutStep].
package vacuous

import "fmt"

// WithoutStep returns why a run that has ended cannot have passed, or "" if it made a step: before
// the first step nothing moves, so a judge that is satisfied has not seen anything.
func WithoutStep(what, endedBy string, steps int64) string {
	if steps > 0 {
		return ""
	}
	return fmt.Sprintf("the %s ended without a step (%s), so nothing moved", what, endedBy)
}
