// Package inspect implements gosmp inspect, which shows what FMUs, systems, maps, experiments,
// scenarios and traces contain.
package inspect

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/finding"
	"gosmp/run/inspect"
	"gosmp/run/kind"
	"gosmp/run/usage"
)

// errProblems ends an inspection that found errors. They have been printed, so it only sets the
// exit code.
var errProblems = cli.Negative("problems found, see above")

// Command implements gosmp inspect.
type Command struct {
	Files     []string `arg:"" placeholder:"FILE" predictor:"file" help:"FMUs of FMI 1.0, 2.0 or 3.0, systems of FMUs (.ssp, .ssd), maps (OpenDRIVE), experiments (.exc), scenarios, catalogs and distributions (OpenSCENARIO), and traces of messages (${traces})."`
	Type      string   `placeholder:"TYPE" help:"Type of the messages in an .osi file whose name does not contain it: SensorView, sv, ..."`
	JSON      bool     `name:"json" xor:"form" help:"Print one JSON document for each file, on a line of its own, instead of text."`
	All       bool     `help:"Show all rows of each list; by default, at most 1000."`
	Graph     string   `placeholder:"SVG" help:"Draw the graph of a system, as SVG; - is standard output."`
	Variant   string   `placeholder:"NAME" help:"Description to use in a package of a system (.ssp), if not SystemStructure.ssd."`
	Variables []string `xor:"form" placeholder:"SECTION" enum:"${sections}" help:"Variable tables to print, all by default: ${enum}."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `For a trace, the command shows format, channels, counts, times and OSI's metadata; ` +
		`without an index in the file, it reads all messages for this. With an index, it reads ` +
		`only the index, so it does not detect damaged messages; gosmp check reads all of them. ` +
		`For an FMU, it shows interfaces and capabilities, platforms with the machines and ` +
		`libraries of their binaries, OSMP's notional binary variables, the other variables, ` +
		`units, log categories, resources and documentation. Nothing is unpacked or run.

For a system, it shows components with their start values and where these come from, ` +
		`connections, rates and loops. For a map, it shows extent, projection, roads, ` +
		`junctions, lanes, signals and objects; gosmp check reports errors in it. For an ` +
		`experiment, it shows everything in its description. For a scenario, it shows map, ` +
		`parameters, entities and storyboard; for a distribution, its parameters and points.

Problems are listed last, each with the violated rule; OSMP rules have the numbers in ` +
		`docs/OSMP_RULES.md. The exit code is 1 if there are errors; warnings do not change ` +
		`it. A file that cannot be read is reported on standard error, with exit code 2, and ` +
		`the other files are shown.

The JSON document of an FMU has the members formatVersion (1; it changes when a member changes ` +
		`its meaning or is removed), file, size, model (the content of modelDescription.xml), ` +
		`osmp (kind of model, versions, notional binary variables), platforms, sources, ` +
		`resources, documentation, files, problems. All members are always present, and lists ` +
		`are never null; texts that the FMU does not define are empty, and numbers are null; ` +
		`start, min, max and nominal are texts as written in the FMU.`
}

// Run prints all files, and fails if one cannot be read or has errors.
func (c *Command) Run() error {
	out := bufio.NewWriter(cli.Shown(os.Stdout, c.JSON))
	unreadable, found := 0, false
	for k, name := range c.Files {
		problems, err := c.show(out, name, k > 0)
		if err != nil {
			if len(c.Files) == 1 {
				return err
			}
			if err := out.Flush(); err != nil {
				return cli.Flushed(err)
			}
			cli.Report(os.Stderr, err)
			unreadable++
			continue
		}
		found = found || problems
	}
	switch err := out.Flush(); {
	case err != nil:
		return cli.Flushed(err)
	case unreadable > 0:
		return cli.ErrUnusable
	case found:
		return errProblems
	}
	return nil
}

// show writes the output for one file, and reports whether the file has errors.
func (c *Command) show(out io.Writer, name string, more bool) (problems bool, err error) {
	if name != cli.StandardOutput {
		if err := usage.Exists(name); err != nil {
			return false, err
		}
	}
	if name == cli.StandardOutput || inputfile.Named(name).Kind() == kind.Trace {
		d, err := readTrace(name, c.Type)
		if err != nil {
			return false, err
		}
		if more && !c.JSON {
			fmt.Fprintln(out)
		}
		return d.Damage != "", traceText{d}.print(out, c.JSON, c.All)
	}
	if inputfile.Named(name).Kind() == kind.Map {
		d, err := inspect.ReadMap(name)
		if err != nil {
			return false, err
		}
		if more && !c.JSON {
			fmt.Fprintln(out)
		}
		return d.Errors > 0, mapText{d}.print(out, c.JSON)
	}
	if kind.IsSystem(name) {
		if more && !c.JSON {
			fmt.Fprintln(out)
		}
		return c.inspectSystem(out, name)
	}
	if inputfile.Named(name).Kind() == kind.Experiment {
		if more && !c.JSON {
			fmt.Fprintln(out)
		}
		return c.inspectExperiment(out, name)
	}
	if inputfile.Named(name).Kind() == kind.Scenario {
		d, err := inspect.ReadScenario(name)
		if err != nil {
			return false, err
		}
		if more && !c.JSON {
			fmt.Fprintln(out)
		}
		return d.Errors > 0, scenarioText{d}.print(out, c.JSON, c.All)
	}
	if err := inputfile.Named(name).Unsuited("inspect", "files"); err != nil {
		return false, err
	}
	d, err := inspect.ReadFMU(name)
	if err != nil {
		return false, err
	}
	return d.Count(finding.Error) > 0, c.print(out, d, more)
}

// print writes the output for one file in the requested format, with a blank line between texts.
func (c *Command) print(out io.Writer, d *inspect.FMU, more bool) error {
	if c.JSON {
		return cli.WriteJSON(out, d)
	}
	if more {
		fmt.Fprintln(out)
	}
	t := &inspection{out: out, FMU: d, width: cli.TerminalWidth(os.Stdout),
		all: c.All, sections: c.Variables}
	t.print()
	return nil
}

// section is a table of the variables that have certain causalities.
type section struct {
	name, title string
	causalities []fmi.Causality
}

var sections = []section{
	{"inputs", "Inputs", []fmi.Causality{fmi.Input}},
	{"outputs", "Outputs", []fmi.Causality{fmi.Output}},
	{"parameters", "Parameters", []fmi.Causality{fmi.Parameter, fmi.StructuralParameter}},
	{"calculated", "Calculated parameters", []fmi.Causality{fmi.CalculatedParameter}},
	{"locals", "Locals", nil}, // and everything that belongs to no other section
}

// SectionNames returns the values of --variables.
func SectionNames() string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return strings.Join(append(names, "none"), ",")
}

// holds reports whether a variable belongs to the section.
func (s section) holds(v *archive.Variable) bool {
	if s.causalities != nil {
		return slices.Contains(s.causalities, v.Causality)
	}
	return !slices.ContainsFunc(sections, func(other section) bool {
		return slices.Contains(other.causalities, v.Causality)
	})
}
