package mocksim

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/similar"
)

// Error is an error with its place: the call, the actor and the field.
type Error = fault.Error

// The kinds of errors of this package.
var (
	// ErrActor reports an actor that does not exist.
	ErrActor = errors.New("unknown actor")
	// ErrDuplicate reports a name that is already in use.
	ErrDuplicate = errors.New("actor exists already")
	// ErrValue reports a value outside its range.
	ErrValue = errors.New("invalid value")
	// ErrPlace reports a position that is not on the map where it must be.
	ErrPlace = errors.New("not on a lane of the map")
	// ErrTime reports a time in the past, or before another one.
	ErrTime = errors.New("invalid time")
	// ErrOwner reports an update of an actor that another owner moves.
	ErrOwner = errors.New("not the owner of the actor")
	// ErrOutside reports an answer of an outside simulator that a world cannot mirror.
	ErrOutside = errors.New("unusable answer")
	// ErrState reports a saved state from another map or version.
	ErrState = errors.New("saved state of a different map or version")
)

// invalid describes what is wrong with a field of a call.
func invalid(place string, found any, expected string) *Error {
	return fault.New(ErrValue, fault.At(place), fmt.Sprint(found), expected)
}

// largest is beyond any value on a map: positions in m, speeds, angles.
const largest = 1e9

// finite returns an error for the first named value that is not a number, or far too large.
func finite(place string, names []string, values ...float64) error {
	for k, v := range values {
		if !(math.Abs(v) <= largest) {
			return invalid(place+"."+names[k], v, "a finite number of at most 1e9")
		}
	}
	return nil
}

func (w *World) unknown(call, name string) error {
	e := fault.New(ErrActor, fault.At(call), fmt.Sprintf("%q", name), "")
	names := make([]string, len(w.actors))
	for k, a := range w.actors {
		names[k] = a.name
	}
	switch hint := similar.Hint(name, names); {
	case hint != "":
		e.Hint = hint
	case slices.Contains(w.destroyed, name):
		e.Hint = "this actor was destroyed"
	case len(names) == 0:
		e.Hint = "create it first"
	default:
		e.Hint = fmt.Sprintf("create it first; there are %d actors, the first is %q", len(names),
			names[0])
	}
	return e
}
