package activity

import (
	"errors"

	"gosmp/internal/fault"
)

// The causes of errors, for errors.Is, besides [timebase.ErrSpan] and [timebase.ErrTimeRange].
var (
	// ErrName reports a name that is empty or already taken.
	ErrName = errors.New("unusable name")
	// ErrSpec reports an invalid period, count or callback.
	ErrSpec = errors.New("unusable specification")
	// ErrType reports a channel that is opened with a payload type that differs from its own.
	ErrType = errors.New("payload types differ")
	// ErrExclusive reports a second writer on a channel whose writer asked to be the only one.
	ErrExclusive = errors.New("channel has an exclusive writer")
	// ErrOrder reports time that runs backwards: data, an alarm request or a clock set to the past.
	ErrOrder = errors.New("time runs backwards")
	// ErrClosed reports a token, channel or module that is used after being closed.
	ErrClosed = errors.New("closed")
	// ErrRunning reports a call that is not allowed before the clock has finished all due work.
	ErrRunning = errors.New("the clock is running")
	// ErrNoProgress reports activities that endlessly trigger each other at one instant.
	ErrNoProgress = errors.New("activities endlessly trigger each other")
	// ErrCodec reports a payload that cannot be written to or read from bytes.
	ErrCodec = errors.New("payload has no byte form")
	// ErrSnapshot reports bytes that are not a saved state of this program.
	ErrSnapshot = errors.New("not a state of this node")
)

// Error is the type of all errors of this package that have a place. Its Place.Object is the object
// at fault, `channel "speed", entry "left" of CarSim`, its Kind is one of the Err… values, and its
// Cause is an error of the caller's own codec or callback.
type Error = fault.Error
