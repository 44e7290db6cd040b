package inspect

import (
	"cmp"
	"fmt"

	"gosmp/experiment"
	"gosmp/run/content"
	"gosmp/run/kind"
)

// Experiment is the content of the description of an experiment.
type Experiment struct {
	FormatVersion  int             `json:"formatVersion"`
	File           string          `json:"file"`
	Kind           string          `json:"kind"`
	Name           string          `json:"name"`
	Thumbnail      string          `json:"thumbnail"`
	Description    string          `json:"description"`
	Tags           string          `json:"tags"`
	Maturity       string          `json:"maturity"`
	Timeout        *float64        `json:"timeout"`      // s
	TimeoutClock   string          `json:"timeoutClock"` // real or simulation
	Configurations []Configuration `json:"configurations"`
	Environment    string          `json:"environment"`
	Robots         []Robot         `json:"robots"`
	VisualModel    *VisualModel    `json:"visualModel"`
	BIBI           string          `json:"bibiConf"`
	Processes      int             `json:"processes"`
	Control        []Machine       `json:"control"`
	Evaluation     []Machine       `json:"evaluation"`
	Camera         *Camera         `json:"cameraPose"`
	Launch         string          `json:"rosLaunch"`
	Seed           *uint64         `json:"rngSeed"`
	Physics        string          `json:"physicsEngine"`
	Problems       []Problem       `json:"problems"`
}

// Configuration is a further file that an experiment names.
type Configuration struct {
	Type string `json:"type"`
	File string `json:"file"`
}

// Robot is a vehicle with its initial position.
type Robot struct {
	Robot string     `json:"robot"`
	Place [3]float64 `json:"place"`  // x, y, z in m
	Turn  [3]float64 `json:"angles"` // roll, pitch, yaw in rad
}

// VisualModel is the model of the surroundings for pictures.
type VisualModel struct {
	File  string     `json:"file"`
	Scale *float64   `json:"scale"`
	Place [3]float64 `json:"place"`
	Turn  [3]float64 `json:"angles"`
}

// Machine is a state machine.
type Machine struct {
	ID   string `json:"id"`
	Type string `json:"type"` // SCXMLStateMachine or SMACHStateMachine
	File string `json:"file"` // "" if the chart is part of the description
}

// Camera is where a camera stands and what it shows, in m.
type Camera struct {
	Position [3]float64 `json:"position"`
	LookAt   [3]float64 `json:"lookAt"`
}

// ReadExperiment reads an experiment. It returns an error for any other document.
func ReadExperiment(name string) (*Experiment, error) {
	in := content.File{Name: name}
	x, list, err := in.Experiment(experiment.CheckOptions{}, nil)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, fmt.Errorf("%v: not an experiment: %s; %s", list[0].Place, list[0].Message,
			list[0].Remedy)
	}
	for k := range list {
		list[k].Place.Object = cmp.Or(list[k].Place.Object, list[k].Place.File) // of several files
	}
	d := &Experiment{
		FormatVersion: 1, File: name, Kind: kind.Experiment, Name: x.Name, Thumbnail: x.Thumbnail,
		Description: x.Text, Tags: x.Tags, Maturity: x.Maturity,
		Configurations: []Configuration{}, Environment: x.Environment.Src,
		Robots: []Robot{}, BIBI: x.BIBI.Src, Processes: x.BIBI.Processes,
		Control: machinesOf(x.Control), Evaluation: machinesOf(x.Evaluation), Seed: x.Seed,
		Physics: x.Physics, Problems: problems(list),
	}
	if t := x.Timeout; t != nil {
		d.Timeout, d.TimeoutClock = &t.Seconds, t.In(false)
	}
	for _, f := range x.Configurations {
		d.Configurations = append(d.Configurations, Configuration{f.Type, f.Src})
	}
	for _, p := range x.Environment.Poses {
		place, turn := placeOf(p.Pose)
		d.Robots = append(d.Robots, Robot{p.Robot, place, turn})
	}
	if v := x.Visual; v != nil {
		place, turn := placeOf(v.Pose)
		d.VisualModel = &VisualModel{v.Src, v.Scale, place, turn}
	}
	if x.Camera != nil {
		d.Camera = &Camera{x.Camera.From, x.Camera.At}
	}
	if x.Launch != nil {
		d.Launch = x.Launch.Src
	}
	return d, nil
}

func placeOf(p experiment.Pose) (place, turn [3]float64) {
	return [3]float64{p.X, p.Y, p.Z}, [3]float64{p.Roll, p.Pitch, p.Yaw}
}

func machinesOf(list []experiment.Machine) []Machine {
	machines := []Machine{}
	for _, m := range list {
		x := Machine{ID: m.ID, Type: string(m.Kind)}
		if m.Chart == nil {
			x.File = m.Src
		}
		machines = append(machines, x)
	}
	return machines
}
