package trial

import (
	"io"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
)

// Scenario is an OpenSCENARIO scenario used as the environment of an experiment: its storyboard
// moves the vehicles, which are its entities.
type Scenario struct {
	Inputs     []Input  // the scenario, its catalogs, its map
	Vehicles   []string // the entities, in the order of the document
	Variables  []cosim.Variable
	Parameters []string // names that settings can change
	Elements   []StoryboardElement
	Reasons    []string // why the scenario may be over; none if they are unknown
	Roads      *opendrive.Map
	Step       cosim.Grid // the zero value means the default step of experiments
	// Alias maps the names of a vehicle's variables in experiments to the names in Variables.
	Alias map[string]string
	// Driver holds the variables of a vehicle to which an FMU that drives it is connected.
	Driver Seating
	// New creates the scenario as a participant, a new one for each reset.
	New func(Staging) (Stage, error)
}

// StoryboardElement is an element of a storyboard, as named in its transitions: the kind is part of
// the event, while name and path are data.
type StoryboardElement struct{ Kind, Name, Path string }

// Seating holds the names of the variables of a vehicle to which an FMU that drives it is
// connected: for messages to the FMU and for its answers. A name is empty if there is no such
// variable.
type Seating struct {
	View, Command, Data, Stream string
	Update, Answer, Motion      string
}

// Staging is passed to a scenario when it is created.
type Staging struct {
	Seed      uint64
	Step      cosim.Grid
	Simulator string    // moves the vehicles instead of gosmp's own; "" means gosmp's own
	Log       io.Writer // receives a line for each transition
}

// Stage is a scenario as a participant.
type Stage interface {
	cosim.Participant
	// Simulation returns the world that contains the entities.
	Simulation() *mocksim.World
	// Happened returns the events of actors and of the storyboard since the last call.
	Happened() ([]mocksim.Event, []Scripted)
}

// Scripted is an action of a storyboard, which is an event for machines.
type Scripted struct {
	Name string // "scenario.event.end"
	Data map[string]any
}

// ofScenario marks a trial that ended with its scenario.
const ofScenario = "the scenario"

// readScenario prepares the scenario, if there is one.
func (t *Trial) readScenario() (err error) {
	src := t.description.Environment.Src
	if !experiment.IsScenario(src) {
		return nil
	}
	if t.options.Scenario == nil {
		return fault.New(ErrInvalid, fault.In(src), "a scenario", "Options.Scenario")
	}
	if t.scenario, err = t.options.Scenario(src, t.options.Set); err != nil {
		return err
	}
	t.hashes = append(t.hashes, t.scenario.Inputs...)
	t.roads = t.scenario.Roads
	return nil
}

// vehicles returns the names of the vehicles that exist in the experiment from the start.
func (t *Trial) vehicles() (names []string) {
	if t.scenario != nil {
		return t.scenario.Vehicles
	}
	for _, p := range t.description.Environment.Poses {
		names = append(names, vehicle(p))
	}
	return names
}

// stage creates the world of a scenario.
func (t *Trial) stage() error {
	s, err := t.scenario.New(Staging{Seed: t.seed, Step: t.wiring.Step, Simulator: t.simulator(),
		Log: lines{t}})
	if err != nil {
		return err
	}
	t.world = newWorld(s.Simulation(), nil)
	t.world.vehicles, t.world.variables, t.world.stage = t.scenario.Vehicles, s.Variables(), s
	t.engine.Add(worldName, s)
	return nil
}

// lines is a writer that logs every line.
type lines struct{ t *Trial }

func (l lines) Write(text []byte) (int, error) {
	l.t.log(strings.TrimRight(string(text), "\n"))
	return len(text), nil
}

// happened returns the events of actors in the last step, and the events of the scenario.
func (p *world) happened() ([]mocksim.Event, []Scripted) {
	if p.stage != nil {
		return p.stage.Happened()
	}
	return p.events, nil
}

// alias returns the name of a vehicle's variable in the engine.
func (t *Trial) alias(owner, variable string) string {
	if t.scenario == nil || variable == "" {
		return owner + "." + variable
	}
	if name := t.scenario.Alias[variable]; name != "" {
		variable = name
	}
	return owner + "." + variable
}

// driver returns the variables to which an FMU that drives a vehicle is connected.
func (t *Trial) driver() Seating {
	if t.scenario != nil {
		return t.scenario.Driver
	}
	name := func(k int) string { return besides[k].Name }
	return Seating{View: driversView, Command: name(command), Data: name(hostData),
		Stream: name(streaming), Update: name(update), Answer: name(answer), Motion: name(motion)}
}

// free refuses to move an entity of a scenario by any means other than its storyboard.
func (t *Trial) free(event, name string) error {
	if t.scenario != nil && slices.Contains(t.scenario.Vehicles, name) {
		return impossible(event, name+", which the scenario moves",
			"an actor that a machine has created; brakeRequest, accelerationRequest, throttle, "+
				"brake and steering of an entity can be set")
	}
	return nil
}

// setParameter reports whether a setting was for a global parameter of the scenario, which was read
// with it.
func (t *Trial) setParameter(s Setting, _, _ string) (bool, error) {
	return t.scenario != nil && slices.Contains(t.scenario.Parameters, s.Name), nil
}

// entities records the variables of a scenario's entities under both of their names.
func (x *examiner) entities() {
	for _, name := range x.t.scenario.Vehicles {
		list := map[string]cosim.Variable{}
		for _, v := range x.t.scenario.Variables {
			if variable, is := strings.CutPrefix(v.Name, name+"."); is {
				list[variable] = v
			}
		}
		for short, long := range x.t.scenario.Alias {
			if v, is := list[long]; is {
				list[short] = v
			}
		}
		x.parts[name] = list
	}
}
