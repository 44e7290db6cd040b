package main

import (
	"errors"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/sweep"
)

// checkSweep checks the plan of a sweep, and whether its experiment accepts what the runs set.
func (c *checkCommand) checkSweep(in *input) (*checked, error) {
	if in.piped {
		return nil, errors.New("standard input: a plan names files beside it, so that it has to be a file; save it first")
	}
	s := &sweeping{runSweep: &runSweep{Plan: in.name}}
	err := s.read()
	if err == nil {
		err = s.try()
	}
	var list finding.List
	if s.plan != nil && (err == nil || !errors.Is(err, sweep.ErrPlan)) {
		list = s.plan.Check()
	}
	if err != nil {
		f := finding.Finding{ID: "SW03", Severity: finding.Error, Place: fault.Place{File: in.name}, Message: err.Error(),
			Remedy: "correct the plan or the experiment " + s.experiment}
		var e *fault.Error
		if (errors.Is(err, sweep.ErrPlan) || errors.Is(err, sweep.ErrSetting)) && errors.As(err, &e) {
			plain := *e
			plain.Place, plain.Hint = fault.Place{}, ""
			f.Place, f.Message = e.Place, plain.Error()
			if errors.Is(err, sweep.ErrPlan) {
				f.ID, f.Remedy = "SW01", e.Hint
			}
		}
		list = append(list, f)
	}
	return c.judge(in, asSweep, list), nil
}

// isPlan reports whether a file is the plan of a sweep: by its name, or by the keys that each has.
func isPlan(name string, head []byte) bool {
	name = strings.ToLower(name)
	if strings.HasSuffix(name, ".sweep.yaml") || strings.HasSuffix(name, ".sweep.yml") {
		return true
	}
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		return false
	}
	lines := "\n" + strings.TrimPrefix(string(head), "\ufeff")
	return strings.Contains(lines, "\nexperiment:") && strings.Contains(lines, "\nparameters:")
}
