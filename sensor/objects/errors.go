package objects

import (
	"errors"

	"gosmp/internal/fault"
	"gosmp/internal/state"
)

// Kinds of errors, which [errors.Is] finds in the errors of this package.
var (
	// ErrConfig: a number of a [Config] that does not describe a sensor.
	ErrConfig = errors.New("unusable sensor configuration")
	// ErrEmpty: no bytes where a SensorView is expected.
	ErrEmpty = errors.New("no SensorView")
	// ErrUndecodable: bytes that are not a SensorView.
	ErrUndecodable = errors.New("undecodable SensorView")
	// ErrState: bytes passed to RestoreState that are not a state of a [Detector].
	ErrState = state.ErrState
)

// Error is the type of all errors of this package but those of a state's envelope: place, kind, what was found, what was
// expected, and what to do.
type Error = fault.Error
