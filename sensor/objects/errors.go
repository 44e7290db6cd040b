package objects

import (
	"errors"

	"gosmp/internal/fault"
	"gosmp/internal/state"
)

// Kinds of errors, for [errors.Is].
var (
	// ErrConfig reports a number in a [Config] that does not describe a sensor.
	ErrConfig = errors.New("unusable sensor configuration")
	// ErrEmpty reports that there are no bytes where a SensorView is expected.
	ErrEmpty = errors.New("no SensorView")
	// ErrUndecodable reports bytes that are not a SensorView.
	ErrUndecodable = errors.New("undecodable SensorView")
	// ErrState reports bytes passed to RestoreState that are not a state of a [Detector].
	ErrState = state.ErrState
)

// Error is the type of all errors of this package, except for errors of a state's envelope. It
// holds the place, the kind, what was found, what was expected, and the remedy.
type Error = fault.Error
