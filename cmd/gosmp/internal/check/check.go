// Package check implements gosmp check, which reports broken rules and implausible values in files
// of any kind.
package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/importer/examine"
	"gosmp/internal/finding"
	"gosmp/internal/junit"
	"gosmp/internal/release"
	"gosmp/run/findings"
	"gosmp/run/kind"
	"gosmp/sensor/simsensor"
)

// errFindings ends a check with findings: they have been printed, so it only sets the exit code.
var errFindings = cli.Negative("not all files pass, see above")

// Command implements gosmp check.
type Command struct {
	Files      []string `arg:"" placeholder:"FILE" predictor:"file" help:"Recordings (simsensor CSV), traces of messages (${traces}), FMUs, systems of FMUs (.ssp, .ssd, .ssv, .ssm, .ssb), OpenDRIVE maps, statecharts (SCXML), experiments (ExD, BIBI), scenarios, catalogs and distributions of OpenSCENARIO, and plans of sweeps; - is standard input."`
	As         string   `enum:",recording,trace,fmu,map,statechart,system,experiment,bibi,bridge,sweep,scenario" default:"" placeholder:"KIND" help:"The kind of the files: recording, trace, fmu, map, statechart, system, experiment, bibi, bridge, sweep or scenario; by default it is determined from their content."`
	Type       string   `placeholder:"TYPE" help:"Type of the messages in an .osi file whose name does not contain it: SensorView, sv, ..."`
	Channel    []string `sep:"none" placeholder:"TOPIC" help:"Report only these channels of traces, and findings about the whole file: a topic, its last part, or a type such as SensorView or sv. May be repeated."`
	Unit       string   `short:"u" default:"auto" predictor:"unit" help:"Unit of the time stamps: ms, us, s or ns; auto, the default, determines it from the rates of the sensors."`
	Strict     bool     `help:"Also fail on a doubtful or implausible unit of time, and on every warning about a trace, an FMU, a map, a statechart, a system or an experiment."`
	JSON       bool     `name:"json" help:"Print one JSON document for each file, on a line of its own."`
	Events     []string `placeholder:"NAME" help:"All events that statecharts receive from outside; with this list, events without a source are reported (SX22)."`
	Notes      bool     `help:"Also report findings that apply to most FMUs: no author, outputs without dependencies, exports beyond FMI and similar ones."`
	Glibc      string   `placeholder:"VERSION" help:"Oldest GNU C library of the FMUs' hosts, such as 2.31: libraries that need a newer one are reported."`
	For        string   `enum:",${tools}" default:"" placeholder:"TOOL" help:"Also report the parts of a system that this tool cannot read: ${tools}."`
	Variant    string   `placeholder:"NAME" help:"Description to use in a package of a system (.ssp), if not SystemStructure.ssd."`
	Library    []string `name:"library-path" sep:"none" type:"existingdir" placeholder:"DIR" help:"Folder in which to look for the FMUs of a system or an experiment, as in gosmp run; may be repeated."`
	Bridge     string   `predictor:"file" placeholder:"JSON" help:"Compare experiments with this bridge, as in gosmp run: its topics with the variables, and the events of statecharts with its messages."`
	SeedCompat bool     `name:"seed-compat" help:"Ignore the SCXML machines of experiments, with a warning, as the Neurorobotics Platform does."`
	Engine     bool     `help:"Also report the parts of a scenario that gosmp run does not support."`
	Map        string   `predictor:"file" placeholder:"FILE" help:"Map of scenarios, as in gosmp run."`
	Format     string   `enum:"text,sarif,junit" default:"text" placeholder:"FORMAT" help:"Print findings as text, or the findings of all files together as sarif or junit, for editors and build servers."`
	Running    `embed:""`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `The exit code is 0 if all files pass, even if values or rates look implausible; 1 ` +
		`if a recording has malformed rows, rows out of order or no rows at all, or if a ` +
		`trace, an FMU, a map, a statechart, a system or an experiment violates a rule; 2 for ` +
		`wrong usage and for files that cannot be read. An unusable file is reported on ` +
		`standard error, and the other files are checked.

A JSON document has the members formatVersion (1), file, kind, passed, recording (unit, rows, ` +
		`duration and sensors; null for other files), and findings, each with id, severity, ` +
		`place, message and remedy, for FMUs also clause, found and expected; with --run also ` +
		`examination for an FMU and parts for a system. Of several rows with the same problem, ` +
		`the first three are listed; count is their total number. Of findings of the same rule, ` +
		`the first 1000 are listed; more of the last one is the number of the others, which ` +
		`its count includes.`
}

// Run checks all files.
func (c *Command) Run() error {
	o, err := c.options()
	if err != nil {
		return err
	}
	if err := c.validate(len(c.Files)); err != nil {
		return err
	}
	if c.JSON && c.Format != formatText {
		return cli.Unexpected("--format", c.Format, "no other format together with --json")
	}
	out := bufio.NewWriter(cli.Shown(os.Stdout, c.JSON || c.Format != formatText))
	var together finding.List
	var proved []junit.Case
	failed, unusable, compared := false, 0, false
	for _, name := range c.Files {
		result, err := c.check(name, o, out)
		if result != nil {
			failed = failed || !result.Passed
			compared = compared || result.Kind == kind.Experiment
			if c.Format != formatText {
				together = append(together, result.list()...)
			}
			proved = append(proved, result.cases(len(c.Files) > 1)...)
			if err := c.print(out, result); err != nil {
				return err
			}
		}
		if err == nil {
			continue
		}
		if len(c.Files) == 1 && result == nil {
			return errors.Join(cli.Flushed(out.Flush()), err)
		}
		if len(c.Files) == 1 { // the other FMUs of a system, for example, were examined
			return errors.Join(cli.Flushed(c.finish(out, together, proved)), err)
		}
		if err := out.Flush(); err != nil {
			return cli.Flushed(err)
		}
		cli.Report(os.Stderr, err)
		unusable++
	}
	if c.Bridge != "" && !compared && unusable == 0 {
		return cli.Unexpected("--bridge", "no experiment among the files", "an experiment")
	}
	if err := c.finish(out, together, proved); err != nil {
		return cli.Flushed(err)
	}
	switch {
	case unusable > 0:
		return cli.ErrUnusable
	case failed:
		return errFindings
	}
	return nil
}

// checked is the result for one file. Its JSON form is a contract; see [Command.Help].
type checked struct {
	FormatVersion int                `json:"formatVersion"`
	File          string             `json:"file"`
	Kind          string             `json:"kind"`
	Passed        bool               `json:"passed"`
	Recording     *recording         `json:"recording"`
	Findings      []findings.Counted `json:"findings"`
	Examination   *examine.Document  `json:"examination,omitempty"` // of an FMU, with --run
	Parts         []part             `json:"parts,omitempty"`       // of a system, with --run

	result *findings.Result
	shown  *lister // what was written when it was found; nil if nothing was
}

// recording describes the content of a recording. Times are in seconds.
type recording struct {
	Unit        string   `json:"unit"`
	UnitDecided bool     `json:"unitDecided"`
	Rows        int64    `json:"rows"`
	Malformed   int64    `json:"malformed"`
	OutOfOrder  int64    `json:"outOfOrder"`
	Duration    float64  `json:"duration"`
	EndRow      bool     `json:"endRow"`
	Sensors     []sensor `json:"sensors"`
}

type sensor struct {
	Sensor         string  `json:"sensor"`
	Rows           int64   `json:"rows"`
	Rate           float64 `json:"rate"` // Hz
	MinDistance    float64 `json:"minDistance"`
	MedianDistance float64 `json:"medianDistance"`
	MaxDistance    float64 `json:"maxDistance"`
}

// part is the examination of an FMU or a connection of a system.
type part struct {
	// the components that use this FMU, or that are connected
	Components  []string          `json:"components"`
	Connection  string            `json:"connection,omitempty"` // "a.MessageOut -> b.MessageIn"
	Examination *examine.Document `json:"examination"`
}

func (r *checked) list() (l finding.List) {
	for _, f := range r.Findings {
		l = append(l, f.Finding)
	}
	return l
}

// options returns the options that the flags specify.
func (c *Command) options() (o findings.Options, err error) {
	o = findings.Options{Kind: c.As, Strict: c.Strict, Type: c.Type, Channels: c.Channel,
		Events: c.Events, Notes: c.Notes, Glibc: c.Glibc, Variant: c.Variant, For: c.For,
		Library: c.Library, Bridge: c.Bridge, SeedCompat: c.SeedCompat, Engine: c.Engine,
		Map: c.Map, Examine: c.Examine, Time: time.Duration(c.Time * float64(time.Second)),
		Only: c.Only, Lives: c.Lives, Progress: progress(cli.AnimationWidth(os.Stderr))}
	if o.Unit, err = simsensor.ParseUnit(c.Unit); err != nil {
		return o, cli.Invalid("--unit", err)
	}
	return o, nil
}

// check checks one file. It may return a result together with an error. As text, findings of an FMU
// or a system that is run are written to out as soon as they are certain.
func (c *Command) check(name string, o findings.Options, out *bufio.Writer) (*checked, error) {
	in, err := inputfile.Open(name)
	if err != nil {
		return nil, err
	}
	if o.Kind == "" {
		o.Kind = in.Kind()
	}
	if !findings.Knows(o.Kind) && c.As == "" {
		if err := inputfile.Mistaken("check", "files", name); err != nil {
			return nil, err
		}
	}
	var shown *lister
	if c.Examine && c.Format == formatText && !c.JSON {
		o.Found = func(list finding.List) {
			if shown == nil {
				shown = &lister{out: out, file: name, bySeverity: true}
				fmt.Fprintln(out, name)
			}
			if o.Progress != nil {
				o.Progress(name, 0, 0, "") // no finding begins in the line of the progress
			}
			shown.add(list)
			_ = out.Flush() // the writer keeps the error
		}
	}
	var result *findings.Result
	work := func(ctx context.Context) (err error) {
		result, err = findings.Check(ctx, in.File, o)
		return err
	}
	if o.Examine {
		err = cli.CleaningUp(work) // a signal ends the FMU, too
	} else {
		err = work(context.Background())
	}
	if result == nil {
		return nil, err
	}
	all := newChecked(result)
	all.shown = shown
	return all, errors.Join(err, c.writeExaminations(result))
}

// newChecked returns the result in the form of the output.
func newChecked(r *findings.Result) *checked {
	all := &checked{FormatVersion: 1, File: r.File, Kind: r.Kind, Passed: r.Passed,
		Findings: r.Findings, result: r}
	if r.Recording != nil {
		all.Recording = newRecording(r.Recording)
	}
	if r.Examination != nil {
		all.Examination = r.Examination.Document()
	}
	for _, p := range r.Parts {
		all.Parts = append(all.Parts, part{p.Components, p.Connection, p.Report.Document()})
	}
	return all
}

const formatText = "text"

func newRecording(r *simsensor.Report) *recording {
	all := &recording{
		Unit: r.Unit.String(), UnitDecided: r.Decided, Rows: r.Rows, Malformed: r.Rejected,
		OutOfOrder: r.Held,
		Duration:   r.Duration.Seconds(), EndRow: r.EndRow, Sensors: []sensor{},
	}
	for _, s := range r.Sensors {
		all.Sensors = append(all.Sensors, sensor{
			s.Kind.String(), s.Rows, s.Rate, s.Min.Seconds(), s.Median.Seconds(), s.Max.Seconds(),
		})
	}
	return all
}

// cases returns the rules that were not refuted as JUnit test cases, which name the part of a
// system that was examined and, among several files, the file.
func (r *checked) cases(several bool) (list []junit.Case) {
	file := ""
	if several {
		file = r.File + ": "
	}
	if r.result.Examination != nil {
		list = append(list, cases(r.result.Examination, file)...)
	}
	for _, p := range r.result.Parts {
		list = append(list, cases(p.Report, file+p.Name()+": ")...)
	}
	return list
}

// print writes the result for one file, unless the results for all files are written together at
// the end.
func (c *Command) print(out io.Writer, r *checked) error {
	switch {
	case c.JSON:
		return cli.Flushed(cli.WriteJSON(out, r))
	case c.Format == formatText:
		err := r.writeText(out, r.shown)
		if r.result.Examination != nil {
			writeExamination(out, r.result.Examination, len(c.Only) > 0)
		}
		for _, p := range r.result.Parts {
			fmt.Fprintf(out, "  %s\n", p.Name())
			writeExamination(out, p.Report, len(c.Only) > 0)
		}
		return cli.Flushed(err)
	}
	return nil
}

// finish writes the output that concerns all files.
func (c *Command) finish(out *bufio.Writer, all finding.List, proved []junit.Case) (err error) {
	switch c.Format {
	case "sarif":
		err = all.WriteSARIF(out, finding.Tool{Name: "gosmp", Version: release.Version}, sourceOf)
	case "junit":
		err = all.WriteJUnit(out, "gosmp check", proved...)
	}
	return errors.Join(err, out.Flush())
}

// sourceOf reads a file again to determine the columns of its findings, unless it is very long.
func sourceOf(name string) []byte {
	const most = 64 << 20
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil // the findings matter more than their columns
	}
	return text
}
