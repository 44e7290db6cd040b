package trial

import (
	"errors"

	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// locatedError is an error that prevents an experiment from starting, with its place in the files.
type locatedError struct {
	place fault.Place
	error
}

func (e *locatedError) Error() string { return e.place.String() + ": " + e.error.Error() }

func (e *locatedError) Unwrap() error { return e.error }

// located adds to an error the place of the FMU, start value or connection that causes it. The
// participants that report such errors know names, but not the files in which they are written.
func (t *Trial) located(err error) error {
	var e *fault.Error
	if errors.As(err, &e) && e.Place.Line > 0 {
		return err
	}
	x := &examiner{t: t, parts: map[string]map[string]cosim.Variable{}}
	if t.scenario == nil && t.roads != nil {
		for _, name := range t.vehicles() {
			x.vehicle(name)
		}
	}
	if t.scenario != nil {
		x.entities()
	}
	x.fmus()
	x.connections()
	for _, f := range x.list {
		if f.Severity == finding.Error && f.Place.Line > 0 {
			return &locatedError{fault.Place{File: f.Place.File, Line: f.Place.Line}, err}
		}
	}
	return err
}
