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
	"gosmp/internal/finding"
	"gosmp/report/systemgraph"
	"gosmp/run"
	"gosmp/run/inspect"
)

// systemText prints a system.
type systemText struct{ *inspect.System }

// inspectSystem shows a system. If the system cannot be run, it shows what could be read.
func (c *Command) inspectSystem(out io.Writer, name string) (failed bool, err error) {
	s, _, wrong := ssp.Load(name, ssp.Options{Variant: c.Variant})
	if s == nil {
		return false, wrong
	}
	defer func() { _ = s.Close() }() // opened read-only
	d := systemText{inspect.OfSystem(s)}
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
		return failed, cli.WriteJSON(out, d.System)
	}
	d.print(&inspection{out: out, width: cli.TerminalWidth(os.Stdout), all: c.All})
	return failed, nil
}

// print writes the system as text.
func (d systemText) print(t *inspection) {
	fmt.Fprintln(t.out, archive.Plain(d.File))
	rows := [][]string{
		{"SSP version", d.Version}, {"name", d.Name}, {"description", d.Entry},
		{"experiment", d.times()}, {"base step", stepText(d.Step)},
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

func (d systemText) times() string {
	text := "starts at 0 s"
	if d.StartTime != nil {
		text = "starts at " + cli.ShortTime(*d.StartTime)
	}
	if d.StopTime != nil {
		text += ", stops at " + cli.ShortTime(*d.StopTime) + " (" + d.StopOrigin + ")"
	}
	return text
}

// stepText returns a step size with its origin, or "" if it is unknown.
func stepText(s inspect.Step) string {
	if s.Seconds == 0 {
		return ""
	}
	return cli.ShortTime(s.Seconds) + " (" + s.Origin + ")"
}

func (d systemText) printComponents(t *inspection) {
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
			stepText(c.Step)})
		for _, v := range c.Starts {
			rows = append(rows, []string{"    " + archive.Plain(v.Variable),
				"= " + archive.Plain(strings.Join(v.Values, " ")), "", archive.Plain(v.Origin)})
		}
	}
	t.rows(rows)
}

func (d systemText) printConnections(t *inspection) {
	t.title("Connections")
	var rows [][]string
	for _, c := range d.Connections {
		rows = append(rows, []string{"  " + archive.Plain(c.From), "-> " + archive.Plain(c.To),
			what(c)})
	}
	t.rows(rows)
}

// what describes how a connection differs from a plain one.
func what(c inspect.Connection) string {
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
