package model_test

import (
	"errors"
	"fmt"

	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/timebase"
)

var errSingular = errors.New("the matrix is singular")

// solver returns a status that depends on the step size.
type solver struct{ model.Stateless }

func newSolver(*model.Declaration) model.Model { return solver{} }

func (solver) Setup(model.Environment) error { return nil }

func (solver) Step(span timebase.Span) error {
	switch h := span.Length(); {
	case h > 10*timebase.Second:
		return fmt.Errorf("from %v on: %w", span.Start, errSingular) // ends the run
	case h > timebase.Second:
		// may be repeated with another size
		return fmt.Errorf("%w: %v is too long, at most 1 s", model.ErrDiscard, h)
	case h > 100*timebase.Millisecond:
		return model.Warning(fmt.Errorf("a step of %v is inaccurate", h)) // has completed the step
	}
	return nil
}

// The error of a step determines the FMI status. After fmi2Discard, an importer restores the
// previous state and tries another step size.
func ExampleWarning() {
	rig := modeltest.New(printer{}, model.Definition{Identifier: "Solver", New: newSolver})
	rig.Start()
	fmt.Println(rig.TryStep(0.1))
	fmt.Println(rig.TryStep(0.2), rig.Log())

	before := rig.Save()
	fmt.Println(rig.TryStep(2), rig.Log())
	rig.Restore(before, rig.Now())

	fmt.Println(rig.TryStep(20), rig.Log())
	// Output:
	// fmi2OK
	// fmi2Warning [fmi2DoStep: a step of 0.200000000s is inaccurate]
	// fmi2Discard [fmi2DoStep: discarded: 2.000000000s is too long, at most 1 s]
	// fmi2Error [fmi2DoStep: from 0.300000000s on: the matrix is singular]
}
