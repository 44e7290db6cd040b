package fmu

import (
	"errors"
	"fmt"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/state"
)

// The reasons why a call can fail. All of them become fmi2Error, except ErrDiscard, which becomes
// fmi2Discard.
var (
	// ErrIllegalCall reports a function called in a state in which FMI 2.0, 4.2.4 does not allow
	// it.
	ErrIllegalCall = errors.New("illegal call sequence")
	// ErrUnknownReference reports a valueReference that no variable of the type has.
	ErrUnknownReference = errors.New("unknown valueReference")
	// ErrNotSettable reports a variable that may not be set, or not in this state.
	ErrNotSettable = errors.New("variable not settable")
	// ErrArgument reports an argument outside its range.
	ErrArgument = errors.New("wrong argument")
	// ErrUnsupported reports a function whose capability flag is false in the model description.
	ErrUnsupported = errors.New("not supported")
	// ErrState reports a serialized FMU state that is truncated, corrupt or from another FMU.
	ErrState = state.ErrState
	// ErrInstantiate reports an instantiation that was refused.
	ErrInstantiate = errors.New("cannot instantiate")
	// ErrDiscard marks a step that cannot be completed, or a query that cannot be answered,
	// although the instance is sound. A model returns an error that wraps it to make fmi2DoStep
	// return fmi2Discard.
	ErrDiscard = errors.New("discarded")
	// ErrPanic reports a panic that was caught before it could reach the host.
	ErrPanic = errors.New("internal error")
)

// warning is an error that does not stop the simulation.
type warning struct{ error }

func (w warning) Unwrap() error { return w.error }

// AsWarning turns a model's error into an fmi2Warning: it is logged once, the call has taken
// effect, and the simulation continues. A nil error stays nil.
func AsWarning(err error) error {
	if err == nil {
		return nil
	}
	return warning{err}
}

// Usable reports whether a call has taken effect: it returned no error, or only a warning.
func Usable(err error) bool {
	if err == nil {
		return true
	}
	var w warning
	return errors.As(err, &w)
}

// statusOf is the only place that maps errors to statuses.
func statusOf(err error) fmi.Status {
	switch {
	case err == nil:
		return fmi.OK
	case Usable(err):
		return fmi.Warning
	case errors.Is(err, ErrDiscard):
		return fmi.Discard
	case errors.Is(err, ErrPanic):
		return fmi.Fatal
	default:
		return fmi.Error
	}
}

// wrongArgument returns the error for a rejected argument: its name, the value found and the value
// expected.
func wrongArgument(name string, found any, expected string) error {
	return fault.New(ErrArgument, fault.At(name), fmt.Sprint(found), expected)
}
