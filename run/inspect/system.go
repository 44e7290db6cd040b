package inspect

import (
	"slices"

	"gosmp/importer/ssp"
	"gosmp/internal/fault"
	"gosmp/run/kind"
)

// System is the content of a system of FMUs.
type System struct {
	FormatVersion int          `json:"formatVersion"`
	File          string       `json:"file"`
	Kind          string       `json:"kind"`
	Entry         string       `json:"entry"` // the description in a package
	Version       string       `json:"version"`
	Name          string       `json:"name"`
	StartTime     *float64     `json:"startTime"`
	StopTime      *float64     `json:"stopTime"`
	StopOrigin    string       `json:"stopOrigin"`
	Step          Step         `json:"step"`
	Components    []Component  `json:"components"`
	Connections   []Connection `json:"connections"`
	Loops         [][]string   `json:"loops"`
	Problems      []Problem    `json:"problems"`
}

// Step is a step size and where it is stated.
type Step struct {
	Seconds float64 `json:"seconds"` // 0: not known
	Origin  string  `json:"origin"`
}

// Component is an FMU or a placeholder of a system.
type Component struct {
	Name    string  `json:"name"`
	Source  string  `json:"source"`
	Model   string  `json:"model"` // the name that the FMU gives itself
	FMI     string  `json:"fmiVersion"`
	Step    Step    `json:"step"`
	Inputs  int     `json:"inputs"`
	Outputs int     `json:"outputs"`
	Starts  []Start `json:"starts"`
}

// Start is a start value and where it is stated.
type Start struct {
	Variable string   `json:"variable"`
	Values   []string `json:"values"`
	Origin   string   `json:"origin"`
}

// Connection is a connection between components.
type Connection struct {
	From    string         `json:"from"`
	To      string         `json:"to"`
	Message bool           `json:"message"`
	Initial bool           `json:"initial"`
	Factor  float64        `json:"factor"`
	Offset  float64        `json:"offset"`
	Map     []ssp.MapEntry `json:"map"`
}

// OfSystem returns the content of a system.
func OfSystem(s *ssp.System) *System {
	d := &System{
		FormatVersion: 1, File: s.File, Kind: kind.System, Entry: s.Entry, Version: s.Version,
		Name:      s.Name,
		StartTime: s.Experiment.Start, StopTime: s.Experiment.Stop,
		StopOrigin: s.Experiment.StopOrigin,
		Step:       Step{s.Experiment.Step.Seconds, s.Experiment.Step.Origin},
		Components: []Component{}, Connections: []Connection{}, Loops: [][]string{},
		Problems: problems(s.Findings),
	}
	for _, c := range s.Components {
		x := Component{Name: c.Name, Source: c.Source, Step: Step{c.Step.Seconds,
			c.Step.Origin}, Starts: []Start{}}
		if c.FMU != nil {
			x.Model, x.FMI = c.FMU.Model.ModelName, c.FMU.Model.FMIVersion
			if own := c.FMU.Model.DefaultExperiment.StepSize; x.Step.Seconds == 0 && own != nil {
				x.Step = Step{*own, "the FMU"}
			}
		}
		for _, v := range c.Starts {
			x.Starts = append(x.Starts, Start{v.Variable, v.Values, originOf(v.Place)})
		}
		d.Components = append(d.Components, x)
	}
	for _, c := range s.Connections {
		t := c.Transformation
		d.Connections = append(d.Connections, Connection{c.From.String(), c.To.String(), c.Message,
			c.Initial, t.Factor, t.Offset,
			append([]ssp.MapEntry{}, t.Map...)})
		d.component(c.From.Component).Outputs++
		d.component(c.To.Component).Inputs++
	}
	d.Loops = append(d.Loops, s.Loops()...)
	return d
}

// originOf returns the file and line of a start value, without the variable, which is printed next
// to it.
func originOf(p fault.Place) string {
	p.Object = ""
	if p.Entry != "" {
		p.File = ""
	}
	return p.String()
}

func (d *System) component(name string) *Component {
	k := slices.IndexFunc(d.Components, func(c Component) bool { return c.Name == name })
	return &d.Components[k]
}
