package wire

import (
	"errors"

	"gosmp/internal/fault"
)

// The kinds of an [Error]: the ways in which bytes can fail to be a message.
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

// Error states where bytes stop being a message, and why. The object of its place consists of the
// message, the position of the bad field, counted in bytes from the start of the message, and the
// path of the nested message:
//
//	SensorView, byte 12 of 300 in global_ground_truth.moving_object[3]
type Error = fault.Error
