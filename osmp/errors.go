package osmp

import (
	"errors"

	"gosmp/internal/fault"
)

// Error is what this package reports: the variable, what was found there, what OSMP expects.
type Error = fault.Error

// What the errors of this package are about.
var (
	// ErrDeclaration: a variable that OSMP does not allow; see [Declare] and [Kind.Check].
	ErrDeclaration = errors.New("unusable binary variable")
	// ErrContradiction: [Input.Contradiction].
	ErrContradiction = errors.New("address and size contradict each other")
	// ErrTooLarge: a message whose size an Integer variable cannot hold.
	ErrTooLarge = errors.New("message of 2 GiB or more")
)
