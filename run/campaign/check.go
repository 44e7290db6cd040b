package campaign

import (
	"errors"
	"os"
	"path/filepath"

	"gosmp/importer/ssp"
	"gosmp/importer/system"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/run"
	"gosmp/run/kind"
	"gosmp/sweep"
)

// Check checks the plan of a sweep, and whether its experiment accepts the settings of the runs.
// FMUs are also looked for in the folders of a library.
func Check(name string, library []string) finding.List {
	s := of(Options{File: name, Library: library})
	err := s.read()
	if err == nil {
		err = s.try()
	}
	return s.findings(err)
}

// CheckPoints checks whether the points of a distribution are a usable plan, without trying runs.
func CheckPoints(name string) finding.List {
	s := of(Options{File: name})
	return s.findings(s.read())
}

// Findings returns what looks unintended in the plan, and the findings about its experiment that
// require the variables of FMUs; see [run.ExamineExperiment].
func (s *Sweep) Findings() finding.List {
	return append(s.plan.Check(), s.examined()...)
}

func (s *Sweep) examine() finding.List {
	// what cannot be read is an error of the sweep
	var list finding.List
	switch kind.Of(s.experiment) {
	case kind.Experiment:
		list, _ = run.ExamineExperiment(s.experiment, s.Library, nil)
	case kind.System:
		list, _ = system.Changing(s.experiment, ssp.Options{Library: s.Library})
	}
	list.Sort()
	return list
}

// findings returns the findings about the plan, and an error about it or about its experiment.
func (s *Sweep) findings(err error) (list finding.List) {
	isPlan := errors.Is(err, sweep.ErrPlan)
	switch {
	case s.plan == nil || isPlan:
	case err == nil:
		list = s.Findings()
	default:
		list = s.plan.Check()
	}
	if err == nil {
		return list
	}
	f := finding.Finding{ID: "SW03", Severity: finding.Error, Place: fault.Place{File: s.File},
		Message: err.Error(), Remedy: "correct the plan or the experiment " + s.experiment}
	var e *fault.Error
	if !errors.As(err, &e) {
		return append(list, f)
	}
	message, remedy := fault.Reason(e)
	switch {
	case isPlan:
		f.ID, f.Place, f.Message, f.Remedy = "SW01", e.Place, message, remedy
	case errors.Is(err, sweep.ErrSetting):
		f.Place, f.Message = e.Place, message
	case e.Place.Line > 0: // in the experiment or in a file that it names
		f.Place, f.Message = s.located(e.Place), message
		if e.Hint != "" {
			f.Remedy = e.Hint
		}
	}
	return append(list, f)
}

// located returns a place relative to the working directory. Experiments name files relative to
// their own folder.
func (s *Sweep) located(p fault.Place) fault.Place {
	beside := filepath.Join(filepath.Dir(s.experiment), filepath.FromSlash(p.File))
	if _, err := os.Stat(beside); err == nil && !filepath.IsAbs(p.File) {
		p.File = beside
	}
	return p
}
