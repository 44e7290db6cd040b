package scenario

import (
	"errors"

	"gosmp/internal/fault"
)

// Error is an error with its place, what was found and what was expected.
type Error = fault.Error

// The kinds of errors, for errors.Is.
var (
	ErrDocument   = errors.New("not a valid scenario")  // not XML, or too large
	ErrExpression = errors.New("bad expression")        // in ${...}
	ErrOperand    = errors.New("bad operand")           // in ${...}, of an operator or a function
	ErrParameter  = errors.New("bad parameter")         // undeclared, or a value that does not fit
	ErrConstraint = errors.New("violated constraint")   // of a ConstraintGroup
	ErrCatalog    = errors.New("bad catalog reference") // no such catalog or entry
	ErrValues     = errors.New("bad distribution")      // of parameter values
)
