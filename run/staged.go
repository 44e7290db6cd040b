package run

import (
	"context"
	"math"
	"path/filepath"

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

// Scenario reads a scenario that is the environment of an experiment. It is meant for the field
// Scenario of [trial.Options].
func (m *FMUs) Scenario(src string) (*trial.Scenario, error) {
	file := library(m.Library).find(m.Dir, src)
	scene, err := OpenScene(file, nil)
	if err != nil {
		return nil, err
	}
	p, err := m.stage(scene, trial.Staging{Seed: 1})
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }() // it has not started
	s := &trial.Scenario{Vehicles: p.Names(), Variables: p.Variables(),
		Roads: p.Simulation().Map(), Step: cosim.Every(play.DefaultStep), Alias: aliases,
		Parameters: globalParameters(scene.Document), Set: scene.Set,
		New: func(g trial.Staging) (trial.Stage, error) { return m.stage(scene, g) }}
	s.Driver = trial.Seating{View: participant.DriversView, Command: participant.Command,
		Data: participant.Data, Stream: participant.Stream, Update: participant.Update,
		Answer: participant.Answer, Motion: participant.Motion}
	for _, e := range p.Elements() {
		s.Elements = append(s.Elements, trial.StoryboardElement(e))
	}
	s.Inputs, err = m.scenarioInputs(file)
	return s, err
}

// judgedScenario is like Scenario, but refuses scenarios with errors.
func (m *FMUs) judgedScenario(src string) (*trial.Scenario, error) {
	s, err := m.Scenario(src)
	if err != nil {
		return nil, err
	}
	scene, err := OpenScene(library(m.Library).find(m.Dir, src), nil)
	if err == nil {
		err = scene.Judgeable(s.Roads)
	}
	return s, err
}

// globalParameters returns the names of the parameters of a document.
func globalParameters(d *scenario.Document) (names []string) {
	for _, e := range d.Root.Child("ParameterDeclarations").All("ParameterDeclaration") {
		names = append(names, scenario.ParameterName(e.Value("name")))
	}
	return names
}

// scenarioInputs returns the files of a scenario, relative to the folder of the experiment.
func (m *FMUs) scenarioInputs(file string) (list []trial.Input, err error) {
	files, err := ScenarioFiles(file)
	for _, name := range files {
		shown, err := filepath.Rel(m.Dir, name)
		if err != nil {
			shown = name
		}
		list = append(list, trial.Input{File: filepath.ToSlash(shown), SHA256: hashOf(name)})
	}
	return list, err
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
