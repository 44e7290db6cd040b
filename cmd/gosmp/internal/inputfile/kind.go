package inputfile

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/run/kind"
)

// taker is an argument of a command that names files.
type taker struct {
	command, argument string
	kinds             []string
	also              []string // kinds whose problems the reader explains
	expected          string   // in words; by default the kinds
	hints             map[string]string
}

// takers lists the arguments of all commands that name files of certain kinds.
var takers = []taker{
	{command: "check", argument: "files", kinds: []string{kind.Recording, kind.Trace, kind.FMU,
		kind.System, kind.Map, kind.Scenario, kind.Statechart, kind.Experiment, kind.BIBI,
		kind.Sweep, kind.Bridge}, also: []string{kind.Empty}},
	{command: "convert", argument: "files", kinds: []string{kind.Trace, kind.System, kind.SMACH}},
	{command: "draw", argument: "file",
		kinds:    []string{kind.Trace, kind.Statechart, kind.Map, kind.System},
		expected: "a message, a trace, a statechart, a map or a system"},
	{command: "inspect", argument: "files", kinds: []string{kind.FMU, kind.System, kind.Map,
		kind.Scenario, kind.Experiment, kind.Trace}},
	{command: "metrics", argument: "file", kinds: []string{kind.Trace}},
	{command: "plot", argument: "file", kinds: []string{kind.Trace, kind.Results, kind.Recording}},
	{command: "repair", argument: "file", kinds: []string{kind.Recording, kind.Trace, kind.Map}},
	{command: "report", argument: "file", kinds: []string{kind.Trace, kind.Results,
		kind.Recording}},
	{command: "run", argument: "files",
		kinds: []string{kind.FMU, kind.Map, kind.System, kind.Statechart, kind.Experiment,
			kind.Scenario},
		expected: "FMUs, maps, a system, a statechart, an experiment or a scenario",
		hints:    map[string]string{kind.Trace: "--input-messages plays traces into FMUs"}},
	{command: "sensors", argument: "sensor", kinds: []string{kind.Recording}},
	{command: "simulate", argument: "map", kinds: []string{kind.Map, kind.Scenario}},
	{command: "sweep", argument: "plan", kinds: []string{kind.Sweep, kind.Scenario},
		also: []string{kind.Results, kind.Table, kind.YAML}},
	{command: "sweep report", argument: "results", kinds: []string{kind.Sweep, kind.Rows},
		also:     []string{kind.Results, kind.Table, kind.YAML},
		expected: "a plan, or the folder with the results of a sweep"},
	{command: "test", argument: "fmu", kinds: []string{kind.FMU}},
	{command: "test", argument: "trace", kinds: []string{kind.Trace}},
	{command: "bridge generate", argument: "config", kinds: []string{kind.Bridge},
		also: []string{kind.JSON}},
	{command: "experiment pack", argument: "file", kinds: []string{kind.Experiment}},
	{command: "sim check", argument: "address",
		expected: "the address of a simulator, such as 127.0.0.1:7788"},
}

// takerOf returns the entry for an argument of a command, or nil if it takes any files. Commands
// under sweep share the argument plan.
func takerOf(command, argument string) *taker {
	for k := range takers {
		t := &takers[k]
		if t.argument == argument && (t.command == command ||
			t.command == "sweep" && strings.HasPrefix(command, "sweep ")) {
			return t
		}
	}
	return nil
}

// readers returns the commands that read files of a kind, such as "check, draw or run".
func readers(is string) string {
	var names []string
	for _, t := range takers {
		if slices.Contains(t.kinds, is) && !slices.Contains(names, t.command) {
			names = append(names, t.command)
		}
	}
	return or(names)
}

// or lists alternatives: "a, b or c".
func or(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// alternatives joins the kinds that an argument takes: "a map or a scenario".
func (t *taker) alternatives() string {
	if t.expected != "" {
		return t.expected
	}
	var list []string
	for _, is := range t.kinds {
		list = append(list, kind.In(is))
	}
	return or(list)
}

// refuse returns the error for a file of a kind that an argument does not take, or nil if the
// argument takes it or the kind is unknown.
func (t *taker) refuse(command, name, is, text string) error {
	if is == kind.Unknown || is == kind.Folder ||
		slices.Contains(t.kinds, is) || slices.Contains(t.also, is) ||
		is == kind.Foreign && slices.Contains(t.kinds, kind.Trace) ||
		is == kind.Archive && slices.Contains(t.kinds, kind.FMU) {
		return nil // the reader explains what is wrong
	}
	expected := t.alternatives()
	if hint := t.hints[is]; hint != "" {
		expected += "; " + hint
	}
	if others := readers(is); others != "" {
		expected += "; use gosmp " + others
	}
	return cli.Unexpected(command, fmt.Sprintf("%s, %s", name, text), expected)
}

// Mistaken returns the error for a file that an argument of a command does not take. The error
// states what the file is and which commands read it. Mistaken returns nil if the argument takes
// the file, or if the kind of the file is unknown.
func Mistaken(command, argument, name string) error {
	t := takerOf(command, argument)
	if t == nil || name == cli.StandardOutput {
		return nil
	}
	is, text := kind.Describe(name)
	return t.refuse(command, name, is, text)
}

// Unsuited returns the error for a command that received a file that only other commands accept,
// and nil for any other file.
func (in *File) Unsuited(command, argument string) error {
	if _, err := os.Stat(in.Name); err != nil && !in.Piped {
		return nil // the reader reports why
	}
	is := in.Kind()
	if is == kind.Recording || is == kind.Trace || is == kind.FMU {
		return nil // the reader may take such content for its own kind
	}
	return takerOf(command, argument).refuse(command, in.Name, is, kind.In(is))
}
