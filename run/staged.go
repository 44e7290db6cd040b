package run

import (
	"context"
	"math"
	"path/filepath"
	"slices"

	"gosmp/cosim"
	"gosmp/experiment/trial"
	"gosmp/mocksim"
	"gosmp/scenario"
	"gosmp/scenario/participant"
	"gosmp/scenario/play"
	"gosmp/timebase"
)

// aliases maps the names that variables of vehicles have in experiments to their names in
// scenarios.
var aliases = map[string]string{"view": participant.View, "mapview": participant.View,
	"update": participant.Update, "motion": participant.Motion, "command": participant.Command,
	"steering": participant.Steering}

// Scenario reads a scenario that is the environment of an experiment, with those settings that have
// the names of its global parameters. It refuses scenarios with errors, because an experiment
// judges. It is meant for the field Scenario of [trial.Options].
func (m *FMUs) Scenario(src string, set []trial.Setting) (*trial.Scenario, error) {
	file := library(m.Library).find(m.Dir, src)
	scene, err := OpenScene(file, nil)
	if err != nil {
		return nil, err
	}
	parameters := globalParameters(scene.Document)
	for _, x := range set {
		if slices.Contains(parameters, x.Name) {
			scene.Set(x.Name, x.Value)
		}
	}
	p, err := m.stage(scene, trial.Staging{Seed: 1})
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }() // it has not started
	s := &trial.Scenario{Vehicles: p.Names(), Variables: p.Variables(),
		Roads: p.Simulation().Map(), Step: cosim.Every(play.DefaultStep), Alias: aliases,
		Parameters: parameters, Inputs: m.scenarioInputs(scene, file), Reasons: play.Reasons(),
		New: func(g trial.Staging) (trial.Stage, error) { return m.stage(scene, g) }}
	s.Driver = trial.Seating{View: participant.DriversView, Command: participant.Command,
		Data: participant.Data, Stream: participant.Stream, Update: participant.Update,
		Answer: participant.Answer, Motion: participant.Motion}
	for _, e := range p.Elements() {
		s.Elements = append(s.Elements, trial.StoryboardElement(e))
	}
	return s, scene.Judgeable(s.Roads)
}

// globalParameters returns the names of the parameters of a document.
func globalParameters(d *scenario.Document) (names []string) {
	for _, e := range d.Root.Child("ParameterDeclarations").All("ParameterDeclaration") {
		names = append(names, scenario.ParameterName(e.Value("name")))
	}
	return names
}

// scenarioInputs returns the files of a scenario, relative to the folder of the experiment.
func (m *FMUs) scenarioInputs(scene *Scene, file string) (list []trial.Input) {
	for _, name := range scene.files(file) {
		shown, err := filepath.Rel(m.Dir, name)
		if err != nil {
			shown = name
		}
		list = append(list, trial.Input{File: filepath.ToSlash(shown), SHA256: hashOf(name)})
	}
	return list
}

// stage returns the scenario of an experiment as a participant.
func (m *FMUs) stage(scene *Scene, g trial.Staging) (*stage, error) {
	resolved, err := scene.Resolve()
	if err != nil {
		return nil, err
	}
	roads, err := mapOf(resolved)
	if err != nil {
		return nil, err
	}
	o := participant.Options{Seed: g.Seed, Map: roads, AllSeats: true, Play: play.Options{
		Step: g.Step, Duration: math.Inf(1), Log: g.Log}} // the experiment has a timeout
	step := g.Step
	if step.IsZero() {
		step = timebase.Every(play.DefaultStep)
	}
	printed := func(line string) {
		if m.Print != nil {
			m.Print(filepath.Base(scene.Document.File), line)
		}
	}
	if join := joining(g.Simulator, g.Seed, printed); join != nil {
		o.Join = func(w *mocksim.World) error { return join(context.Background(), w, step) }
	}
	p, err := participant.New(resolved, o)
	if err != nil {
		return nil, err
	}
	return &stage{Participant: p, news: p.Reader()}, nil
}

// stage is the scenario of an experiment.
type stage struct {
	*participant.Participant
	news     *play.Reader
	scripted []trial.Scripted
}

// Simulation returns the world of the entities.
func (s *stage) Simulation() *mocksim.World { return s.World().Simulation() }

// Happened returns the events since the last call.
func (s *stage) Happened() ([]mocksim.Event, []trial.Scripted) {
	s.scripted = s.scripted[:0]
	for _, n := range s.news.Read() {
		data := map[string]any{"time": n.Time}
		switch n.Kind {
		case "note":
			data["kind"], data["text"] = n.Name, n.Text
			data["actor"], data["other"] = n.Entity, n.Other
		case "over":
			data["reason"] = n.Text
		default:
			data["name"], data["path"], data["cause"] = n.Name, n.Path, n.Text
		}
		s.scripted = append(s.scripted, trial.Scripted{Name: "scenario." + n.Kind, Data: data})
	}
	return s.World().Events(), s.scripted
}

var _ trial.Stage = (*stage)(nil)
