package timebase

import (
	"errors"
	"strings"
)

// The causes of errors, to be asked for with errors.Is.
var (
	// ErrName reports a name that is empty, or taken by something that cannot share it.
	ErrName = errors.New("unusable name")
	// ErrSpec reports a period, a count or a callback that cannot work.
	ErrSpec = errors.New("unusable specification")
	// ErrType reports a channel that is opened with another payload type than it has.
	ErrType = errors.New("payload types differ")
	// ErrExclusive reports a second writer on a channel whose writer asked to be the only one.
	ErrExclusive = errors.New("channel has an exclusive writer")
	// ErrSpan reports a stream datum whose span has no length, or a negative one.
	ErrSpan = errors.New("end of the span is not later than its start")
	// ErrOrder reports time that runs backwards: data, an alarm request or a clock set to the past.
	ErrOrder = errors.New("time runs backwards")
	// ErrRunning reports a call that must wait until the clock has finished what is due.
	ErrRunning = errors.New("the clock is running")
	// ErrNoProgress reports activities that trigger each other without end at one instant.
	ErrNoProgress = errors.New("activities trigger each other without end")
	// ErrCodec reports a payload that cannot be written to or read from bytes.
	ErrCodec = errors.New("payload has no byte form")
	// ErrSnapshot reports bytes that are not a saved state of this program.
	ErrSnapshot = errors.New("not a state of this node")
)

// Error is every error of this package that has a place: what was being used, what was found there, what was expected, and
// what to do. Its cause is one of the Err… values, or an error of the caller's own codec or callback.
type Error struct {
	Where string // the thing at fault: `channel "speed", entry "left" of CarSim`
	Found string // what was met
	Want  string // what was expected; may be empty
	Hint  string // what to do next; may be empty
	Err   error  // the cause
}

// fault makes an error. It is not inlined: making one takes far more code than this call, and there are dozens of places.
//
//go:noinline
func fault(where string, cause error, found, want string) *Error {
	return &Error{Where: where, Found: found, Want: want, Err: cause}
}

// advise adds what to do next.
func (e *Error) advise(hint string) *Error {
	e.Hint = hint
	return e
}

// Error writes all parts in one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Where)
	for _, part := range [...]struct{ lead, text string }{
		{": ", e.Err.Error()}, {": found ", e.Found}, {", expected ", e.Want}, {"; ", e.Hint},
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
