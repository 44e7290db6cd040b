package inspect

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/fmi/archive"
	"gosmp/importer/ssp"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/report/systemgraph"
	"gosmp/run"
	"gosmp/run/kind"
)

// systemDocument is the output of inspect for a system. Its JSON form is a contract; see
// [Command.Help].
type systemDocument struct {
	FormatVersion int               `json:"formatVersion"`
	File          string            `json:"file"`
	Kind          string            `json:"kind"`
	Entry         string            `json:"entry"` // the description in a package
	Version       string            `json:"version"`
	Name          string            `json:"name"`
	StartTime     *float64          `json:"startTime"`
	StopTime      *float64          `json:"stopTime"`
	StopOrigin    string            `json:"stopOrigin"`
	Step          systemStep        `json:"step"`
	Components    []systemComponent `json:"components"`
	Connections   []systemLink      `json:"connections"`
	Loops         [][]string        `json:"loops"`
	Problems      []problem         `json:"problems"`

	system *ssp.System
}

type systemStep struct {
	Seconds float64 `json:"seconds"` // 0: not known
	Origin  string  `json:"origin"`
}

type systemComponent struct {
	Name    string        `json:"name"`
	Source  string        `json:"source"`
	Model   string        `json:"model"` // the name that the FMU gives itself
	FMI     string        `json:"fmiVersion"`
	Step    systemStep    `json:"step"`
	Inputs  int           `json:"inputs"`
	Outputs int           `json:"outputs"`
	Starts  []systemStart `json:"starts"`
}

type systemStart struct {
	Variable string   `json:"variable"`
	Values   []string `json:"values"`
	Origin   string   `json:"origin"`
}

type systemLink struct {
	From    string         `json:"from"`
	To      string         `json:"to"`
	Message bool           `json:"message"`
	Initial bool           `json:"initial"`
	Factor  float64        `json:"factor"`
	Offset  float64        `json:"offset"`
	Map     []ssp.MapEntry `json:"map"`
}

// inspectSystem shows a system. If the system cannot be run, it shows what could be read.
func (c *Command) inspectSystem(out io.Writer, name string) (failed bool, err error) {
	s, _, wrong := ssp.Load(name, ssp.Options{Variant: c.Variant})
	if s == nil {
		return false, wrong
	}
	defer func() { _ = s.Close() }() // opened read-only
	d := newSystemDocument(s)
	failed = s.Findings.Count(finding.Error) > 0
	if c.Graph != "" {
		if err := cli.WriteFile(c.Graph, func(w io.Writer) error {
			return systemgraph.Write(w, run.GraphOf(s))
		}); err != nil {
			return failed, err
		}
		if c.Graph == cli.StandardOutput {
			return failed, nil
		}
	}
	if c.JSON {
		return failed, cli.WriteJSON(out, d)
	}
	d.print(&inspection{out: out, width: cli.TerminalWidth(os.Stdout), all: c.All})
	return failed, nil
}

func newSystemDocument(s *ssp.System) *systemDocument {
	d := &systemDocument{
		FormatVersion: 1, File: s.File, Kind: kind.System, Entry: s.Entry, Version: s.Version,
		Name:      s.Name,
		StartTime: s.Experiment.Start, StopTime: s.Experiment.Stop,
		StopOrigin: s.Experiment.StopOrigin,
		Step:       systemStep{s.Experiment.Step.Seconds, s.Experiment.Step.Origin},
		Components: []systemComponent{}, Connections: []systemLink{}, Loops: [][]string{},
		system: s, Problems: problems(s.Findings),
	}
	for _, c := range s.Components {
		x := systemComponent{Name: c.Name, Source: c.Source, Step: systemStep{c.Step.Seconds,
			c.Step.Origin}, Starts: []systemStart{}}
		if c.FMU != nil {
			x.Model, x.FMI = c.FMU.Model.ModelName, c.FMU.Model.FMIVersion
			if own := c.FMU.Model.DefaultExperiment.StepSize; x.Step.Seconds == 0 && own != nil {
				x.Step = systemStep{*own, "the FMU"}
			}
		}
		for _, v := range c.Starts {
			x.Starts = append(x.Starts, systemStart{v.Variable, v.Values, originOf(v.Place)})
		}
		d.Components = append(d.Components, x)
	}
	for _, c := range s.Connections {
		t := c.Transformation
		d.Connections = append(d.Connections, systemLink{c.From.String(), c.To.String(), c.Message,
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

func (d *systemDocument) component(name string) *systemComponent {
	k := slices.IndexFunc(d.Components, func(c systemComponent) bool { return c.Name == name })
	return &d.Components[k]
}

// print writes the system as text.
func (d *systemDocument) print(t *inspection) {
	fmt.Fprintln(t.out, archive.Plain(d.File))
	rows := [][]string{
		{"SSP version", d.Version}, {"name", d.Name}, {"description", d.Entry},
		{"experiment", d.times()}, {"base step", d.Step.text()},
		{"components", fmt.Sprint(len(d.Components))}, {"connections",
			fmt.Sprint(len(d.Connections))},
	}
	t.rows(slices.DeleteFunc(rows, func(row []string) bool { return row[1] == "" }))
	d.printComponents(t)
	d.printConnections(t)
	if len(d.Loops) > 0 {
		t.title("Loops")
		for _, l := range shown(d.Loops, t.all) {
			fmt.Fprintf(t.out, "  %s\n", archive.Plain(strings.Join(l, ", ")))
		}
		more(t.out, d.Loops, t.all)
	}
	if len(d.Problems) > 0 {
		t.title("Problems")
		for _, p := range shown(d.Problems, t.all) {
			cli.WriteWrapped(t.out, p.String())
		}
		more(t.out, d.Problems, t.all)
	}
}

func (d *systemDocument) times() string {
	text := "starts at 0 s"
	if d.StartTime != nil {
		text = "starts at " + cli.ShortTime(*d.StartTime)
	}
	if d.StopTime != nil {
		text += ", stops at " + cli.ShortTime(*d.StopTime) + " (" + d.StopOrigin + ")"
	}
	return text
}

func (s systemStep) text() string {
	if s.Seconds == 0 {
		return ""
	}
	return cli.ShortTime(s.Seconds) + " (" + s.Origin + ")"
}

func (d *systemDocument) printComponents(t *inspection) {
	t.title("Components")
	var rows [][]string
	for _, c := range d.Components {
		source := c.Source
		if source == "" {
			source = "placeholder"
		}
		version := ""
		if c.FMI != "" {
			version = "FMI " + c.FMI
		}
		rows = append(rows, []string{"  " + archive.Plain(c.Name), archive.Plain(source), version,
			c.Step.text()})
		for _, v := range c.Starts {
			rows = append(rows, []string{"    " + archive.Plain(v.Variable),
				"= " + archive.Plain(strings.Join(v.Values, " ")), "", archive.Plain(v.Origin)})
		}
	}
	t.rows(rows)
}

func (d *systemDocument) printConnections(t *inspection) {
	t.title("Connections")
	var rows [][]string
	for _, c := range d.Connections {
		rows = append(rows, []string{"  " + archive.Plain(c.From), "-> " + archive.Plain(c.To),
			c.what()})
	}
	t.rows(rows)
}

// what describes how a connection differs from a plain one.
func (c systemLink) what() string {
	var words []string
	if c.Message {
		words = append(words, "message")
	}
	if c.Initial {
		words = append(words, "parameter")
	}
	if c.Factor != 1 {
		words = append(words, fmt.Sprintf("* %v", c.Factor))
	}
	if c.Offset != 0 {
		words = append(words, fmt.Sprintf("+ %v", c.Offset))
	}
	for _, m := range c.Map {
		words = append(words, fmt.Sprintf("%d -> %d", m.Source, m.Target))
	}
	return strings.Join(words, ", ")
}
