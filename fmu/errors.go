package fmu

import (
	"errors"
	"fmt"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/state"
)

// What can be wrong with a call. All of them become fmi2Error but ErrDiscard, which becomes fmi2Discard.
var (
	// ErrIllegalCall reports a function called in a state in which FMI 2.0, 4.2.4 does not allow it.
	ErrIllegalCall = errors.New("illegal call sequence")
	// ErrUnknownReference reports a valueReference that no variable of the called type has.
	ErrUnknownReference = errors.New("unknown valueReference")
	// ErrNotSettable reports a variable that may not be set, or not in this state.
	ErrNotSettable = errors.New("variable not settable")
	// ErrArgument reports an argument outside its range.
	ErrArgument = errors.New("wrong argument")
	// ErrUnsupported reports a function whose capability flag is false in the model description.
	ErrUnsupported = errors.New("not supported")
	// ErrState reports serialized FMU state bytes that are truncated, corrupt or of another FMU.
	ErrState = state.ErrState
	// ErrInstantiate reports an instantiation that was refused.
	ErrInstantiate = errors.New("cannot instantiate")
	// ErrDiscard marks a step or a question that cannot be answered although the instance is sound. A model returns an error
	// that wraps it to make fmi2DoStep answer fmi2Discard.
	ErrDiscard = errors.New("discarded")
	// ErrPanic reports a panic that was caught before it could reach the host.
	ErrPanic = errors.New("internal error")
)

// warning is an error that does not stop the simulation.
type warning struct{ error }

func (w warning) Unwrap() error { return w.error }

// AsWarning makes a model's error a fmi2Warning: it is logged once, the call has done its work, and the simulation goes on.
// Nil stays nil.
func AsWarning(err error) error {
	if err == nil {
		return nil
	}
	return warning{err}
}

// Usable says whether a call has done its work: without an error, or with one that only warns.
func Usable(err error) bool {
	if err == nil {
		return true
	}
	var w warning
	return errors.As(err, &w)
}

// statusOf is the one place where errors become statuses.
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

// wrongArgument is the error of a rejected argument: which one, what was found, what was expected.
func wrongArgument(name string, found any, expected string) error {
	return &fault.Error{Place: fault.At(name), Kind: ErrArgument, Found: fmt.Sprint(found), Expected: expected}
}
