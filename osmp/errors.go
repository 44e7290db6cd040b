package osmp

import (
	"errors"

	"gosmp/internal/fault"
)

// Error is the error type of this package: it states the variable, what was found, and what OSMP
// requires.
type Error = fault.Error

// The kinds of errors of this package.
var (
	// ErrDeclaration: a variable that OSMP does not allow; see [Declare] and [Kind.Check].
	ErrDeclaration = errors.New("unusable binary variable")
	// ErrContradiction: [Input.Contradiction].
	ErrContradiction = errors.New("address and size contradict each other")
	// ErrTooLarge: a message whose size an Integer variable cannot hold.
	ErrTooLarge = errors.New("message of 2 GiB or more")
)
