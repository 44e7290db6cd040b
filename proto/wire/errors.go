package wire

import (
	"errors"
	"fmt"
	"strings"
)

// What can be wrong with bytes that should be a message. [Error] wraps one of them.
var (
	// ErrTruncated: a field ends after the end of the bytes.
	ErrTruncated = errors.New("field ends after the end of the message")
	// ErrVarint: a tag, length or integer takes more than 64 bits or ten bytes.
	ErrVarint = errors.New("integer of more than 64 bits")
	// ErrFieldNumber: a tag has number 0 or one above 536 870 911.
	ErrFieldNumber = errors.New("field number out of range")
	// ErrWireType: a tag has wire type 6 or 7, which protobuf does not define.
	ErrWireType = errors.New("undefined wire type")
	// ErrGroup: a group ends that has not begun.
	ErrGroup = errors.New("end of a group that has not begun")
	// ErrDepth: groups are nested too deep.
	ErrDepth = errors.New("groups nested too deep")
)

// Error says where bytes stop being a message, and why.
type Error struct {
	Message string // the message that was checked, e.g. "SensorView"; empty when it is not known
	Field   string // path of the nested message, e.g. "global_ground_truth.moving_object[3]"; empty at the top
	Offset  int    // where the bad field begins, counted in bytes from the begin of the outermost message read
	Cause   error  // one of the sentinels of this package
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Error names the place, the cause and the next thing to do.
func (e *Error) Error() string {
	var place strings.Builder
	if e.Message != "" {
		place.WriteString(e.Message + ": ")
	}
	if e.Field != "" {
		place.WriteString("in " + e.Field + " ")
	}
	return fmt.Sprintf("%sat byte %d: %v; %s", place.String(), e.Offset, e.Cause, e.Hint())
}

// Hint is the next thing to do.
func (e *Error) Hint() string {
	if errors.Is(e.Cause, ErrTruncated) {
		return "check that the size given covers the whole message and that its memory still holds it"
	}
	return "check that base and size point to one encoded message of this type and that its memory still holds it"
}

// placeOf is the error that tells the place, if there is one in err. It is what errors.As would find in a chain of errors, without
// the reflection that comes with it.
func placeOf(err error) *Error {
	for ; err != nil; err = errors.Unwrap(err) {
		if e, ok := err.(*Error); ok { //nolint:errorlint // it unwraps by itself
			return e
		}
	}
	return nil
}
