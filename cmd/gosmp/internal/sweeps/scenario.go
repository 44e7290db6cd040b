package sweeps

import (
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/importer/system"
	"gosmp/internal/release"
	"gosmp/run"
	"gosmp/scenario"
	"gosmp/sweep"
)

// A sweep may run an OpenSCENARIO scenario instead of an experiment. Its runs set global
// parameters, and options of gosmp run, which start with --.

// identifyScenario is like identify, for a scenario, whose files determine the runs.
func (w *inputs) identifyScenario(h hash.Hash) (base string, err error) {
	files, err := run.ScenarioFiles(w.experiment)
	if err != nil {
		return "", err
	}
	fmt.Fprintf(h, "gosmp %s\nscenario\n", release.Version)
	for _, file := range files {
		sum, err := w.of(file)
		if err != nil {
			continue // for instance the map; the run reports missing files
		}
		relative, err := filepath.Rel(filepath.Dir(w.experiment), file)
		if err != nil {
			relative = file
		}
		fmt.Fprintf(h, "%s %x\n", filepath.ToSlash(relative), sum)
	}
	var lines []string
	for _, m := range w.models {
		sum, err := w.of(m.file)
		if err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("model %s %x\n", besideScenario(w.experiment, m.place),
			sum))
	}
	slices.Sort(lines) // workers of a queue find the files in a different order
	fmt.Fprint(h, strings.Join(lines, ""))
	for _, m := range w.models {
		if err := w.identifyBorrowed(h, m.file); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// modelRoles lists the options that give a scenario models.
var modelRoles = []string{"--sut", "--on", "--drive"}

// modelFiles returns the files of the models that take part in a scenario, without duplicates.
func (c *runSweep) modelFiles() (files []placed) {
	for _, text := range slices.Concat(c.SUT, c.On, c.Drive) {
		at := run.Placed(text)
		if run.IsProgram(at.Value) {
			continue
		}
		_, file := system.Named(at.Value)
		files = append(files, atPlace(filepath.Clean(file)))
		files = append(files, sources(file, c.Library)...)
	}
	slices.SortFunc(files, func(a, b placed) int { return strings.Compare(a.place, b.place) })
	return slices.CompactFunc(files, func(a, b placed) bool { return a.place == b.place })
}

// sources returns the files that a system description (.ssd) names; missing ones come from a
// library.
func sources(file string, library []string) (list []placed) {
	if !strings.EqualFold(filepath.Ext(file), ".ssd") {
		return nil
	}
	dir, name := filepath.Split(file)
	dir = filepath.Clean(dir)
	for _, source := range experiment.Sources(run.FilesOf(dir, library), name) {
		list = append(list, placed{filepath.Join(dir, filepath.FromSlash(source)),
			run.Located(dir, source, library)})
	}
	return list
}

// besideScenario returns the path of a file, with slashes, relative to the folder of a scenario,
// which is the working directory of its runs. The path is the same on all machines that have the
// files in the same places.
func besideScenario(scenario, file string) string {
	home, err := filepath.Abs(filepath.Dir(scenario))
	if err != nil {
		return file
	}
	whole, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	if relative, err := filepath.Rel(home, whole); err == nil {
		return filepath.ToSlash(relative)
	}
	return whole
}

// restrict removes the values of parameters that --select does not select from the plan of a
// scenario.
func (s *sweeping) restrict() (err error) {
	if !run.IsScenario(s.experiment) {
		return nil // chooseCases refuses --select
	}
	if s.selections, err = parseSelections(s.Select, s.plan); err != nil {
		return err
	}
	for _, x := range s.selections {
		s.plan.Restrict(x.parameter, func(v any) bool { return x.holds(sweep.Text(v)) })
	}
	return nil
}

// chooseCases drops the points that the scenario's constraints exclude or that --select does not
// select, and adds the settings of --require and of the models to the remaining points. The points
// keep their numbers.
func (s *sweeping) chooseCases() error {
	if !run.IsScenario(s.experiment) {
		options := s.modelOptions()
		options["--require"], options["--select"] = s.Require, s.Select
		for option, texts := range options {
			if len(texts) > 0 {
				return cli.Unexpected(option, texts[0], "the plan of a scenario (OpenSCENARIO)")
			}
		}
		return nil
	}
	d, err := scenario.Open(s.experiment)
	if err != nil {
		return err
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
		case selected(s.selections, x):
			kept = append(kept, adding(x, added))
		}
	}
	if len(kept) == 0 {
		return cli.Unexpected("sweep",
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
func (c *runSweep) modelOptions() map[string][]string {
	options := map[string][]string{"--sut": c.SUT, "--on": c.On, "--drive": c.Drive,
		"--connect": c.Connect, "--start-value": c.StartValue}
	if c.Map != "" {
		options["--map"] = []string{c.Map}
	}
	return options
}

// models returns the settings for the model options. File paths are relative to the folder of the
// scenario, the working directory of runs, so that results are the same on all machines.
func (s *sweeping) models() (list []sweep.Setting) {
	options := s.modelOptions()
	for _, option := range slices.Sorted(maps.Keys(options)) {
		for _, text := range options[option] {
			if isModelOption(option) {
				text = placedAt(text, func(file string) string {
					return besideScenario(s.experiment, file)
				})
			}
			list = append(list, sweep.Setting{Name: option, Value: text})
		}
	}
	return list
}

// isModelOption reports whether an option names the file of a model.
func isModelOption(option string) bool {
	return option == "--map" || slices.Contains(modelRoles, option)
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

// selection is a comparison of a parameter, given by --select.
type selection struct {
	parameter int
	rule      string
	text      string
	number    float64
	isNumber  bool
}

// selectionRules lists the comparison operators of selections. Longer operators come before their
// prefixes.
var selectionRules = []string{"<=", ">=", "!=", "<", ">", "="}

func parseSelections(texts []string, plan *sweep.Plan) (list []selection, err error) {
	for _, text := range texts {
		x, err := parseSelection(text, plan)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

func parseSelection(text string, plan *sweep.Plan) (x selection, err error) {
	at := strings.IndexAny(text, "<>=!")
	if at > 0 {
		for _, rule := range selectionRules {
			if strings.HasPrefix(text[at:], rule) {
				x.rule = rule
				break
			}
		}
	}
	if x.rule == "" {
		return x, cli.Unexpected("--select", fmt.Sprintf("%q", text),
			"a parameter, one of < <= > >= = !=, and a value")
	}
	name := strings.TrimSpace(text[:at])
	x.text = strings.TrimSpace(text[at+len(x.rule):])
	x.number, err = strconv.ParseFloat(x.text, 64)
	x.isNumber = err == nil
	var names []string
	for k, p := range plan.Parameters {
		if p.Name == name {
			x.parameter = k
			return x, nil
		}
		names = append(names, p.Name)
	}
	return x, cli.Unexpected("--select", fmt.Sprintf("%q", name), "one of "+strings.Join(names,
		", "))
}

func selected(list []selection, x sweep.Case) bool {
	for _, s := range list {
		if !s.holds(sweep.Text(x.Values[s.parameter])) {
			return false
		}
	}
	return true
}

// holds compares numerically if both texts are numbers. Other texts can only be compared for
// equality.
func (s selection) holds(text string) bool {
	x, err := strconv.ParseFloat(text, 64)
	if !s.isNumber || err != nil {
		return s.rule == "=" && text == s.text || s.rule == "!=" && text != s.text
	}
	switch s.rule {
	case "<":
		return x < s.number
	case "<=":
		return x <= s.number
	case ">":
		return x > s.number
	case ">=":
		return x >= s.number
	case "!=":
		return x != s.number
	default:
		return x == s.number
	}
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
				return filepath.ToSlash(filepath.Clean(named(filepath.Dir(file), name)))
			})
		}
	}
	for _, w := range slices.Concat(scenarioWords(set), libraryWords(library)) {
		words = append(words, trial.Quoted(w))
	}
	return strings.Join(words, " ")
}
