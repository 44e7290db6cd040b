package campaign

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/experiment/trial"
	"gosmp/importer/system"
	"gosmp/run"
	"gosmp/run/inputs"
	"gosmp/run/usage"
	"gosmp/scenario"
	"gosmp/sweep"
)

// A sweep may run an OpenSCENARIO scenario instead of an experiment. Its runs set global
// parameters, and options of gosmp run, which start with --.

// restrict removes the values of parameters that --select does not select from the plan of a
// scenario.
func (s *Sweep) restrict() (err error) {
	if !run.IsScenario(s.experiment) {
		return nil // chooseCases refuses --select
	}
	if s.selections, err = run.ParseSelections(s.Select, s.plan); err != nil {
		return err
	}
	s.selections.Restrict(s.plan)
	return nil
}

// chooseCases drops the points that the scenario's constraints exclude or that --select does not
// select, and adds the settings of --require and of the models to the remaining points. The points
// keep their numbers.
func (s *Sweep) chooseCases() error {
	if !run.IsScenario(s.experiment) {
		options := s.modelOptions()
		options["--require"], options["--select"] = s.Require, s.Select
		for option, texts := range options {
			if len(texts) > 0 {
				return usage.Unexpected(option, texts[0], "the plan of a scenario (OpenSCENARIO)")
			}
		}
		return nil
	}
	d, err := scenario.Open(s.experiment)
	if err != nil {
		return err
	}
	if distribution := s.plan.Distribution(); distribution != nil {
		if err := d.DeclaresAll(distribution); err != nil {
			return err // it names the place in the distribution
		}
	}
	required, err := run.Requirements(s.Require)
	if err != nil {
		return err
	}
	added := s.models()
	for _, r := range required {
		added = append(added, sweep.Setting{Name: "--require", Value: r.Text})
	}
	var kept []sweep.Case
	for _, x := range s.cases {
		allowed, err := d.Allows(parametersOf(x))
		if err != nil {
			return s.plan.Refuse(err)
		}
		switch {
		case !allowed:
			s.excluded++
		case s.selections.Select(x):
			kept = append(kept, adding(x, added))
		}
	}
	if len(kept) == 0 {
		return usage.Unexpected("sweep",
			fmt.Sprintf("%d selected points, %d of them not allowed by constraints",
				len(s.cases), s.excluded), "at least one allowed and selected point")
	}
	s.cases = kept
	return nil
}

// parametersOf returns the parameters that a case sets.
func parametersOf(x sweep.Case) scenario.Values {
	values := scenario.Values{}
	for _, p := range x.Set {
		if !strings.HasPrefix(p.Name, "--") {
			values[p.Name] = p.Value
		}
	}
	return values
}

// adding returns a case with additional settings.
func adding(x sweep.Case, more []sweep.Setting) sweep.Case {
	x.Set = append(slices.Clone(x.Set), more...)
	return x
}

// modelOptions returns the options about models that take part in a scenario.
func (o *Options) modelOptions() map[string][]string {
	options := map[string][]string{"--sut": o.SUT, "--on": o.On, "--drive": o.Drive,
		"--connect": o.Connect, "--start-value": o.StartValue}
	if o.Map != "" {
		options["--map"] = []string{o.Map}
	}
	return options
}

// models returns the settings for the model options. File paths are relative to the folder of the
// scenario, the working directory of runs, so that results are the same on all machines.
func (s *Sweep) models() (list []sweep.Setting) {
	options := s.modelOptions()
	for _, option := range slices.Sorted(maps.Keys(options)) {
		for _, text := range options[option] {
			if isModelOption(option) {
				text = placedAt(text, func(file string) string {
					return inputs.Beside(s.experiment, file)
				})
			}
			list = append(list, sweep.Setting{Name: option, Value: text})
		}
	}
	return list
}

// isModelOption reports whether an option names the file of a model.
func isModelOption(option string) bool {
	return option == "--map" || slices.Contains(inputs.ModelOptions, option)
}

// placedAt returns ENTITY=NAME=FILE, or a part of it, with another file path. It leaves programs
// unchanged.
func placedAt(text string, path func(string) string) string {
	at := run.Placed(text)
	if run.IsProgram(at.Value) {
		return text
	}
	name, file := system.Named(at.Value)
	file = path(file)
	for _, before := range []string{name, at.Variable} {
		if before != "" {
			file = before + "=" + file
		}
	}
	return file
}

// scenarioWords returns the command line arguments for the settings of a run.
func scenarioWords(set []sweep.Setting) (words []string) {
	for _, x := range set {
		if strings.HasPrefix(x.Name, "--") {
			words = append(words, x.Name+"="+x.Value)
		} else {
			words = append(words, "--set", x.Name+"="+x.Value)
		}
	}
	return words
}

// scenarioCommand returns the command that repeats a run.
func scenarioCommand(file string, library []string, seed uint64, set []sweep.Setting) string {
	words := []string{"gosmp run", trial.Quoted(file)}
	if seed > 1 {
		words = append(words, "--seed", strconv.FormatUint(seed, 10))
	}
	for k, x := range set { // files are relative to the folder of the scenario
		if isModelOption(x.Name) {
			set = slices.Clone(set)
			set[k].Value = placedAt(x.Value, func(name string) string {
				return filepath.ToSlash(filepath.Clean(inputs.Named(filepath.Dir(file), name)))
			})
		}
	}
	for _, w := range slices.Concat(scenarioWords(set), libraryWords(library)) {
		words = append(words, trial.Quoted(w))
	}
	return strings.Join(words, " ")
}
