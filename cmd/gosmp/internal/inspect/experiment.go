package inspect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/experiment"
	"gosmp/fmi/archive"
	"gosmp/internal/finding"
	"gosmp/run/kind"
)

// Experiment is the output of inspect for an experiment. Its JSON form is a contract; see
// [Command.Help].
type Experiment struct {
	FormatVersion  int                 `json:"formatVersion"`
	File           string              `json:"file"`
	Kind           string              `json:"kind"`
	Name           string              `json:"name"`
	Thumbnail      string              `json:"thumbnail"`
	Description    string              `json:"description"`
	Tags           string              `json:"tags"`
	Maturity       string              `json:"maturity"`
	Timeout        *float64            `json:"timeout"`      // s
	TimeoutClock   string              `json:"timeoutClock"` // real or simulation
	Configurations []experimentFile    `json:"configurations"`
	Environment    string              `json:"environment"`
	Robots         []experimentRobot   `json:"robots"`
	VisualModel    *experimentVisual   `json:"visualModel"`
	BIBI           string              `json:"bibiConf"`
	Processes      int                 `json:"processes"`
	Control        []experimentMachine `json:"control"`
	Evaluation     []experimentMachine `json:"evaluation"`
	Camera         *experimentCamera   `json:"cameraPose"`
	Launch         string              `json:"rosLaunch"`
	Seed           *uint64             `json:"rngSeed"`
	Physics        string              `json:"physicsEngine"`
	Problems       []problem           `json:"problems"`
}

type experimentFile struct {
	Type string `json:"type"`
	File string `json:"file"`
}

// experimentRobot is a vehicle with its initial position.
type experimentRobot struct {
	Robot string     `json:"robot"`
	Place [3]float64 `json:"place"`  // x, y, z in m
	Turn  [3]float64 `json:"angles"` // roll, pitch, yaw in rad
}

type experimentVisual struct {
	File  string     `json:"file"`
	Scale *float64   `json:"scale"`
	Place [3]float64 `json:"place"`
	Turn  [3]float64 `json:"angles"`
}

type experimentMachine struct {
	ID   string `json:"id"`
	Type string `json:"type"` // SCXMLStateMachine or SMACHStateMachine
	File string `json:"file"` // "" if the chart is part of the description
}

type experimentCamera struct {
	Position [3]float64 `json:"position"`
	LookAt   [3]float64 `json:"lookAt"`
}

// inspectExperiment shows an experiment.
func (c *Command) inspectExperiment(out io.Writer, name string) (failed bool, err error) {
	d, err := ReadExperiment(name)
	if err != nil {
		return false, err
	}
	failed = slices.ContainsFunc(d.Problems, func(p problem) bool {
		return p.Severity == finding.Error
	})
	if c.JSON {
		return failed, EncodeLine(out, d)
	}
	d.print(&inspection{out: out, width: cli.TerminalWidth(os.Stdout), all: c.All})
	return failed, nil
}

// EncodeLine writes a JSON document on a line of its own.
func EncodeLine(out io.Writer, document any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(document)
}

// ReadExperiment reads an experiment. It returns an error for any other document.
func ReadExperiment(name string) (*Experiment, error) {
	x, list, err := inputfile.Named(name).Experiment(experiment.CheckOptions{}, nil)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, cli.ExitWith(fmt.Errorf("%v: not an experiment: %s; %s", list[0].Place,
			list[0].Message, list[0].Remedy), cli.ExitInput)
	}
	for k := range list {
		list[k].Place.Object = cmp.Or(list[k].Place.Object, list[k].Place.File) // of several files
	}
	d := &Experiment{
		FormatVersion: 1, File: name, Kind: kind.Experiment, Name: x.Name, Thumbnail: x.Thumbnail,
		Description: x.Text, Tags: x.Tags, Maturity: x.Maturity,
		Configurations: []experimentFile{}, Environment: x.Environment.Src,
		Robots: []experimentRobot{}, BIBI: x.BIBI.Src, Processes: x.BIBI.Processes,
		Control: machinesOf(x.Control), Evaluation: machinesOf(x.Evaluation), Seed: x.Seed,
		Physics: x.Physics, Problems: problems(list),
	}
	if t := x.Timeout; t != nil {
		d.Timeout, d.TimeoutClock = &t.Seconds, t.In(false)
	}
	for _, f := range x.Configurations {
		d.Configurations = append(d.Configurations, experimentFile{f.Type, f.Src})
	}
	for _, p := range x.Environment.Poses {
		place, turn := placeOf(p.Pose)
		d.Robots = append(d.Robots, experimentRobot{p.Robot, place, turn})
	}
	if v := x.Visual; v != nil {
		place, turn := placeOf(v.Pose)
		d.VisualModel = &experimentVisual{v.Src, v.Scale, place, turn}
	}
	if x.Camera != nil {
		d.Camera = &experimentCamera{x.Camera.From, x.Camera.At}
	}
	if x.Launch != nil {
		d.Launch = x.Launch.Src
	}
	return d, nil
}

func placeOf(p experiment.Pose) (place, turn [3]float64) {
	return [3]float64{p.X, p.Y, p.Z}, [3]float64{p.Roll, p.Pitch, p.Yaw}
}

func machinesOf(list []experiment.Machine) []experimentMachine {
	machines := []experimentMachine{}
	for _, m := range list {
		x := experimentMachine{ID: m.ID, Type: string(m.Kind)}
		if m.Chart == nil {
			x.File = m.Src
		}
		machines = append(machines, x)
	}
	return machines
}

// print writes the experiment as text.
func (d *Experiment) print(t *inspection) {
	fmt.Fprintln(t.out, archive.Plain(d.File))
	rows := [][]string{
		{"name", d.Name}, {"description", strings.Join(strings.Fields(d.Description), " ")},
		{"thumbnail", d.Thumbnail}, {"tags", d.Tags},
		{"maturity", d.Maturity}, {"timeout", d.timeout()}, {"environment", d.Environment},
		{"wiring", d.wiring()},
		{"seed", d.seed()}, {"physics engine", d.Physics}, {"visual model", d.visual()},
		{"camera", d.camera()}, {"ROS launch file", d.Launch},
	}
	for k := range rows {
		rows[k][1] = archive.Plain(rows[k][1])
	}
	t.rows(slices.DeleteFunc(rows, func(row []string) bool { return row[1] == "" }))
	rows = nil
	for _, r := range d.Robots {
		rows = append(rows, []string{"  " + archive.Plain(cmp.Or(r.Robot, "(unnamed)")),
			"at " + metres(r.Place), "turned " + radians(r.Turn)})
	}
	t.table("Vehicles and robots", rows)
	rows = nil
	for _, m := range d.Control {
		rows = append(rows, m.row("control"))
	}
	for _, m := range d.Evaluation {
		rows = append(rows, m.row("evaluation"))
	}
	t.table("State machines", rows)
	rows = nil
	for _, f := range d.Configurations {
		rows = append(rows, []string{"  " + archive.Plain(f.Type), archive.Plain(f.File)})
	}
	t.table("Configuration", rows)
	if len(d.Problems) > 0 {
		t.title("Problems")
		for _, p := range shown(d.Problems, t.all) {
			cli.WriteWrapped(t.out, p.String())
		}
		more(t.out, d.Problems, t.all)
	}
}

// table prints rows under a title, unless there are none.
func (t *inspection) table(title string, rows [][]string) {
	if len(rows) > 0 {
		t.title(title)
		t.rows(rows)
	}
}

func (m experimentMachine) row(role string) []string {
	return []string{"  " + archive.Plain(m.ID), role, strings.TrimSuffix(m.Type, "StateMachine"),
		archive.Plain(cmp.Or(m.File, "in the description"))}
}

func (d *Experiment) timeout() string {
	if d.Timeout == nil {
		return ""
	}
	return fmt.Sprintf("%g s of %s time", *d.Timeout, d.TimeoutClock)
}

func (d *Experiment) wiring() string {
	if d.Processes > 1 {
		return fmt.Sprintf("%s, %d processes", d.BIBI, d.Processes)
	}
	return d.BIBI
}

func (d *Experiment) seed() string {
	if d.Seed == nil {
		return "drawn at each run"
	}
	return strconv.FormatUint(*d.Seed, 10)
}

func (d *Experiment) visual() string {
	if d.VisualModel == nil {
		return ""
	}
	text := d.VisualModel.File + " at " + metres(d.VisualModel.Place) + ", turned " +
		radians(d.VisualModel.Turn)
	if d.VisualModel.Scale != nil {
		text += fmt.Sprintf(", scale %g", *d.VisualModel.Scale)
	}
	return text
}

func (d *Experiment) camera() string {
	if d.Camera == nil {
		return ""
	}
	return "at " + metres(d.Camera.Position) + ", looks at " + metres(d.Camera.LookAt)
}

func metres(v [3]float64) string  { return fmt.Sprintf("(%g, %g, %g) m", v[0], v[1], v[2]) }
func radians(v [3]float64) string { return fmt.Sprintf("(%g, %g, %g) rad", v[0], v[1], v[2]) }
