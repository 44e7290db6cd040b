package inspect

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/fmi/archive"
	"gosmp/internal/finding"
	"gosmp/run/inspect"
)

// experimentText prints an experiment.
type experimentText struct{ *inspect.Experiment }

// inspectExperiment shows an experiment.
func (c *Command) inspectExperiment(out io.Writer, name string) (failed bool, err error) {
	x, err := inspect.ReadExperiment(name)
	if err != nil {
		return false, err
	}
	failed = slices.ContainsFunc(x.Problems, func(p inspect.Problem) bool {
		return p.Severity == finding.Error
	})
	if c.JSON {
		return failed, cli.WriteJSON(out, x)
	}
	experimentText{x}.print(&inspection{out: out, width: cli.TerminalWidth(os.Stdout), all: c.All})
	return failed, nil
}

// print writes the experiment as text.
func (d experimentText) print(t *inspection) {
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
		rows = append(rows, machineRow(m, "control"))
	}
	for _, m := range d.Evaluation {
		rows = append(rows, machineRow(m, "evaluation"))
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

func machineRow(m inspect.Machine, role string) []string {
	return []string{"  " + archive.Plain(m.ID), role, strings.TrimSuffix(m.Type, "StateMachine"),
		archive.Plain(cmp.Or(m.File, "in the description"))}
}

func (d experimentText) timeout() string {
	if d.Timeout == nil {
		return ""
	}
	return fmt.Sprintf("%g s of %s time", *d.Timeout, d.TimeoutClock)
}

func (d experimentText) wiring() string {
	if d.Processes > 1 {
		return fmt.Sprintf("%s, %d processes", d.BIBI, d.Processes)
	}
	return d.BIBI
}

func (d experimentText) seed() string {
	if d.Seed == nil {
		return "drawn at each run"
	}
	return strconv.FormatUint(*d.Seed, 10)
}

func (d experimentText) visual() string {
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

func (d experimentText) camera() string {
	if d.Camera == nil {
		return ""
	}
	return "at " + metres(d.Camera.Position) + ", looks at " + metres(d.Camera.LookAt)
}

func metres(v [3]float64) string { return fmt.Sprintf("(%g, %g, %g) m", v[0], v[1], v[2]) }

func radians(v [3]float64) string { return fmt.Sprintf("(%g, %g, %g) rad", v[0], v[1], v[2]) }
