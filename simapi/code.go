package simapi

import (
	"errors"
	"strings"

	"gosmp/internal/fault"
)

// Error is the error of a call: its kind is a [Code], and its place is the call and the field.
type Error = fault.Error

// Error returns the code in words, so that a Code is the kind of an [Error] and errors.Is finds it.
func (x Code) Error() string { return strings.ToLower(strings.ReplaceAll(x.String(), "_", " ")) }

// Word returns the name of the method as documents spell it: "start_step".
func (x Method) Word() string {
	if x >= 0 && int(x) < len(methodWords) && methodWords[x] != "" {
		return methodWords[x]
	}
	return strings.ToLower(x.String())
}

var methodWords = func() (words [Method_GET_MESSAGES + 1]string) {
	for k := range words {
		words[k] = strings.ToLower(Method_name[int32(k)]) // "" for a number without a method
	}
	return words
}()

// Word returns the name of the role in lower case.
func (x Role) Word() string { return strings.ToLower(x.String()) }

// CodeOf returns the code of an error: OK for nil, INTERNAL for an error without a code.
func CodeOf(err error) Code {
	if err == nil {
		return Code_OK
	}
	var code Code
	if errors.As(err, &code) {
		return code
	}
	return Code_INTERNAL
}

// LateError reports a wait that ended without its event: [Code_TIMEOUT] or [Code_PARTY_LOST].
type LateError struct {
	Code Code
	Text string
	Late []*Party // who is missing
}

// Error returns the text.
func (e *LateError) Error() string { return e.Text }

// Unwrap returns the code.
func (e *LateError) Unwrap() error { return e.Code }

// RemoteError is an error from the other side of a connection.
type RemoteError struct{ Status *Status }

// Error returns the text of the other side.
func (e *RemoteError) Error() string {
	if e.Status.GetMessage() == "" {
		return e.Status.GetCode().Error()
	}
	return e.Status.GetMessage()
}

// Unwrap returns the code.
func (e *RemoteError) Unwrap() error { return e.Status.GetCode() }

// Late returns the missing parties if err comes from a wait that ended early.
func Late(err error) []*Party {
	var remote *RemoteError
	var late *LateError
	switch {
	case errors.As(err, &late):
		return late.Late
	case errors.As(err, &remote):
		return remote.Status.GetLate()
	}
	return nil
}

// XY returns a position on the ground. The other values of the position remain unknown.
func XY(x, y float64) *Coord6Dof { return &Coord6Dof{X: &x, Y: &y} }

// Pose returns a position with a direction.
func Pose(x, y, yaw float64) *Coord6Dof { return &Coord6Dof{X: &x, Y: &y, Yaw: &yaw} }
