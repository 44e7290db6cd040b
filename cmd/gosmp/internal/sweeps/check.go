package sweeps

import (
	"errors"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/sweep"
)

// Check checks the plan of a sweep, and whether its experiment accepts the settings of the runs.
func Check(name string) (list finding.List) {
	s := &sweeping{runSweep: &runSweep{Plan: name}}
	err := s.read()
	if err == nil {
		err = s.try()
	}
	if s.plan != nil && (err == nil || !errors.Is(err, sweep.ErrPlan)) {
		list = s.plan.Check()
	}
	if err != nil {
		f := finding.Finding{ID: "SW03", Severity: finding.Error, Place: fault.Place{File: name},
			Message: err.Error(),
			Remedy:  "correct the plan or the experiment " + s.experiment}
		var e *fault.Error
		if (errors.Is(err, sweep.ErrPlan) || errors.Is(err, sweep.ErrSetting)) && errors.As(err,
			&e) {
			plain := *e
			plain.Place, plain.Hint = fault.Place{}, ""
			f.Place, f.Message = e.Place, plain.Error()
			if errors.Is(err, sweep.ErrPlan) {
				f.ID, f.Remedy = "SW01", e.Hint
			}
		}
		list = append(list, f)
	}
	return list
}
