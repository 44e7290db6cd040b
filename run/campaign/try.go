package campaign

import (
	"errors"
	"strings"

	"gosmp/importer"
	"gosmp/internal/fault"
	"gosmp/run"
	"gosmp/sweep"
)

// mostTried is the maximum number of cases whose settings are tried.
const mostTried = 50

// try reports settings that the experiment does not accept, before anything runs.
func (s *Sweep) try() error {
	for _, x := range sweep.Representatives(s.cases, mostTried) {
		if err := s.tryCase(x); err != nil {
			return s.blame(x, err)
		}
	}
	return nil
}

// tryCase prepares a run without starting it.
func (s *Sweep) tryCase(x sweep.Case) error {
	return run.TryCase(run.CaseOptions{File: s.experiment, Set: settingsOf(x),
		Library: s.Library})
}

// blame adds to an error the line of the setting that caused it, if any.
func (s *Sweep) blame(c sweep.Case, err error) error {
	for _, x := range c.Set {
		// an option of gosmp run
		if strings.HasPrefix(x.Name, "--") && strings.HasPrefix(err.Error(), x.Name+": ") {
			return s.plan.RefuseSetting(x, err)
		}
	}
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	for _, x := range c.Set {
		about := e.Place.Object
		if about == "setting "+x.Name+"="+x.Value || errors.Is(err, importer.ErrValue) &&
			(about == x.Name || strings.HasSuffix(x.Name, "."+about)) {
			return s.plan.RefuseSetting(x, err)
		}
	}
	return err
}
