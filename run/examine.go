package run

import (
	"errors"
	"path/filepath"

	"gosmp/bridge"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/internal/finding"
	"gosmp/run/kind"
)

// ExamineExperiment returns the findings about an experiment that require the variables of its
// FMUs, which it opens but does not start; see [trial.Examine]. FMUs are also looked for in the
// folders of a library. With the configuration of a bridge, its topics and the events of charts are
// also compared.
func ExamineExperiment(file string, library []string, c *bridge.Config) (finding.List, error) {
	var refused finding.List
	list, err := examine(file, library, func(name string, text []byte,
		o trial.Options) experiment.Findings {
		if c != nil {
			o.Carried, o.Observe = carried(c), fitting(c, &refused)
		}
		return trial.Examine(name, text, o)
	})
	return append(list, refused...), err
}

// ExamineBIBI is like ExamineExperiment for a standalone BIBI document; see [trial.ExamineBIBI].
func ExamineBIBI(file string, library []string) (finding.List, error) {
	return examine(file, library, trial.ExamineBIBI)
}

func examine(file string, library []string,
	by func(string, []byte, trial.Options) experiment.Findings) (list finding.List, err error) {
	text, err := kind.ReadText(file)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(file)
	fmus := &FMUs{Dir: dir, Library: library}
	defer func() { err = errors.Join(err, fmus.Close()) }()
	e := &Experiment{options: &Options{}, fmus: fmus}
	list = by(filepath.Base(file), text, e.trialOptions())
	for k := range list {
		if name := list[k].Place.File; name == filepath.Base(file) {
			list[k].Place.File = file
		} else {
			list[k].Place.File = filepath.Join(dir, filepath.FromSlash(name))
		}
	}
	return list, nil
}
