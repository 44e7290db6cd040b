package objects

import (
	"errors"
	"strings"
)

// Causes that [errors.Is] finds in the errors of this package.
var (
	// ErrConfig: a number of a [Config] that describes no sensor.
	ErrConfig = errors.New("unusable sensor configuration")
	// ErrEmpty: no bytes where a SensorView is expected.
	ErrEmpty = errors.New("no SensorView")
	// ErrUndecodable: the bytes are no SensorView.
	ErrUndecodable = errors.New("undecodable SensorView")
	// ErrState: the bytes handed to RestoreState are no state of a [Detector].
	ErrState = errors.New("not a state of an object detector")
)

// Error is every error of this package: where it is, what was found there, what was expected, and what to do.
type Error struct {
	Where string // "SensorView, byte 12 of 300", "Config.HalfAngle"
	Found string
	Want  string // may be empty
	Hint  string // may be empty
	Err   error  // one of the Err… values
}

// Error writes all parts in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Err.Error())
	for _, part := range [...]struct{ lead, text string }{
		{": ", e.Where}, {": found ", e.Found}, {", expected ", e.Want}, {"; ", e.Hint},
	} {
		if part.text != "" {
			b.WriteString(part.lead)
			b.WriteString(part.text)
		}
	}
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }
