// Package findings checks files of any kind, as gosmp check does: recordings, traces, FMUs,
// systems, maps, statecharts, experiments, scenarios, bridges and plans of sweeps.
//
//	result, err := findings.Check(ctx, content.File{Name: "town.xodr"}, findings.Options{})
//	for _, f := range result.Findings { ... }
//
// The rules are those of the packages for the kinds of files, such as fmi/check and trace/check.
// This package determines which of them apply to a file.
//
// Function: [Check]; types: [Options], [Result], [Part], [Counted].
package findings

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	fmicheck "gosmp/fmi/check"
	"gosmp/importer/examine"
	"gosmp/internal/finding"
	osmpcheck "gosmp/osmp/check"
	"gosmp/run/content"
	"gosmp/run/kind"
	"gosmp/sensor/simsensor"
	"gosmp/trace/check"
)

// Options determines which rules apply. Each option affects only files of the kinds that it names.
type Options struct {
	Kind string // of the file, as in package kind; if it is empty, the content determines it
	// Strict lets a file fail because of a warning, and a recording because of a doubtful or
	// implausible unit of time.
	Strict bool

	Unit     simsensor.Unit // of the time stamps of a recording
	Type     string         // of the messages of an .osi file whose name does not contain it
	Channels []string       // of a trace: only these, and the whole file
	Events   []string       // all events that a statechart receives from outside
	Notes    bool           // also what applies to most FMUs
	Glibc    string         // the oldest GNU C library of an FMU's hosts, such as 2.31
	Variant  string         // the description to use in a package of a system
	For      string         // the tool that must be able to read a system
	Library  []string       // folders with FMUs of a system or an experiment
	Bridge   string         // the configuration of the bridge of an experiment
	// SeedCompat ignores the SCXML machines of an experiment, with a warning.
	SeedCompat bool
	Engine     bool   // also what run does not support of a scenario
	Map        string // of a scenario

	// Examine also runs an FMU, or the FMUs of a system, with legal and illegal calls.
	Examine bool
	Time    time.Duration // end the examination of a file after this time; 0 is 60 s
	Only    []string      // ids of the rules to test by running; all by default
	Lives   int           // life cycles after which resources are compared; 0 is 180
	// Progress receives the progress of the examination of an FMU; all is 0 at its end. It may be
	// nil.
	Progress func(name string, done, all int, now string)
	// Found receives the findings of a file that is examined by running as soon as they are
	// certain: first what was found without running, except rule B14, which running an FMU may
	// replace by Q7, then the others. Each is received once, in the same order in each examination,
	// which differs from the order in the result. It may be nil.
	Found func(finding.List)
}

// Result is the result for one file.
type Result struct {
	File     string
	Kind     string
	Passed   bool
	Findings []Counted

	Recording   *simsensor.Report // of a recording
	Trace       *check.Report     // of a trace
	Examination *examine.Report   // of an FMU that was run
	Parts       []Part            // of a system whose FMUs were run
	Read        finding.List      // of such a system: what was found without running them
}

// OfAKind is the number of problems of a kind in a recording that are listed; the others are only
// counted.
const OfAKind = 3

// checker checks one file.
type checker struct {
	Options
	ctx context.Context //nolint:containedctx // of one call of Check
}

// Knows reports whether files of a kind, as in package kind, have rules of their own. [Check] takes
// all others for recordings.
func Knows(is string) bool { return (&checker{}).of(is) != nil }

// of returns the function that checks files of a kind, or nil.
func (c *checker) of(is string) func(*content.File) (*Result, error) {
	return map[string]func(*content.File) (*Result, error){
		kind.Trace: c.checkTrace, kind.FMU: c.checkFMU, kind.Map: c.checkMap,
		kind.Statechart: c.checkChart, kind.Bridge: c.checkBridge, kind.System: c.checkSystem,
		kind.Experiment: c.checkExperiment, kind.BIBI: c.checkBIBI, kind.Sweep: c.checkSweep,
		kind.Scenario: c.checkScenario,
	}[is]
}

// Check checks one file. It may return a result together with an error. Canceling the context ends
// an examination.
func Check(ctx context.Context, in content.File, o Options) (*Result, error) {
	o.Time = cmp.Or(o.Time, time.Minute)
	c := &checker{o, ctx}
	if c.Kind == "" {
		c.Kind = in.Kind()
	}
	if check := c.of(c.Kind); check != nil {
		return check(&in)
	}
	return c.checkRecording(&in)
}

// ofSeveralFiles lists the kinds whose findings may be spread over several files.
var ofSeveralFiles = []string{kind.System, kind.Experiment, kind.Sweep, kind.Scenario}

// judge builds the result of a check that returns only findings.
func (c *checker) judge(in *content.File, is string, list finding.List) *Result {
	r := &Result{File: in.Name, Kind: is, Passed: true,
		Findings: make([]Counted, len(list))}
	several := slices.Contains(ofSeveralFiles, is)
	for k := range list {
		f := &r.Findings[k]
		f.Finding, f.Count = list[k], 1+int64(list[k].More)
		if !several {
			f.Place.File = in.Name
		}
		r.Passed = r.Passed && f.Severity != finding.Error &&
			(!c.Strict || f.Severity != finding.Warning)
	}
	return r
}

func (c *checker) checkMap(in *content.File) (*Result, error) {
	m, err := in.ReadMap()
	if err != nil {
		return nil, err
	}
	return c.judge(in, kind.Map, m.Check()), nil
}

func (c *checker) checkFMU(in *content.File) (*Result, error) {
	if in.Piped {
		return nil, errors.New("standard input: an FMU has to be a file; save it first")
	}
	list, err := osmpcheck.File(in.Name, fmicheck.Options{Notes: c.Notes, Glibc: c.Glibc})
	if err != nil {
		return nil, err
	}
	return c.runFMU(in, list)
}

// runFMU returns the result of the static check of an FMU and, with --run, of its examination.
func (c *checker) runFMU(in *content.File, list finding.List) (*Result, error) {
	if !c.Examine {
		return c.judge(in, kind.FMU, list), nil
	}
	early, late := untilRun(list)
	c.found(in.Name, early...)
	report, err := c.examine(in.Name, c.Time, func(f finding.Finding) { c.found(in.Name, f) })
	if report == nil {
		c.found(in.Name, late...)
		return c.judge(in, kind.FMU, list), err
	}
	dynamic := report.Findings()
	c.found(in.Name, onlyOnce(late, dynamic)...)
	result := c.judge(in, kind.FMU, append(onlyOnce(list, dynamic), dynamic...))
	result.Examination = report
	return result, err
}

// found reports findings in a file.
func (c *checker) found(file string, list ...finding.Finding) {
	if c.Found == nil {
		return
	}
	for k := range list {
		list[k].Place.File = file
	}
	c.Found(list)
}

func (c *checker) checkRecording(in *content.File) (*Result, error) {
	report, err := in.Inspect(simsensor.Options{Unit: c.Unit})
	if report == nil {
		return nil, err
	}
	r := &Result{
		File: in.Name, Kind: kind.Recording, Passed: err == nil &&
			report.Rejected == 0 && report.Held == 0,
		Recording: report, Findings: []Counted{},
	}
	listed := map[simsensor.ProblemKind]int{}
	for _, p := range report.Problems {
		problem := simsensor.KindOf(p)
		if listed[problem]++; listed[problem] <= OfAKind {
			r.Findings = append(r.Findings, Counted{Finding: OfProblem(p,
				finding.Error), Count: report.Count(problem)})
		}
	}
	for _, p := range report.Oddities {
		severity := finding.Warning
		problem := simsensor.KindOf(p)
		if c.Strict && (problem == simsensor.ImplausibleUnit || problem == simsensor.DoubtfulUnit) {
			severity, r.Passed = finding.Error, false
		}
		r.Findings = append(r.Findings, Counted{Finding: OfProblem(p,
			severity), Count: 1})
	}
	return r, err
}

// byRunning reports whether a static finding is about a rule that running an FMU tests better.
func byRunning(f finding.Finding) bool { return strings.HasSuffix(f.ID, "-B14") }

// untilRun separates the static findings that running the FMU may replace from the others.
func untilRun(static finding.List) (early, late finding.List) {
	for _, f := range static {
		if byRunning(f) {
			late = append(late, f)
		} else {
			early = append(early, f)
		}
	}
	return early, late
}

// onlyOnce drops static findings about rules that running the FMU has refuted as well.
func onlyOnce(static, dynamic finding.List) finding.List {
	return slices.DeleteFunc(slices.Clone(static), func(f finding.Finding) bool {
		return byRunning(f) && slices.ContainsFunc(dynamic, func(d finding.Finding) bool {
			return strings.HasSuffix(d.ID, "-Q7")
		})
	})
}
