package sweep

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"

	"go.yaml.in/yaml/v3"

	"gosmp/internal/fault"
	"gosmp/internal/yamldoc"
	"gosmp/scenario"
	"gosmp/timebase"
)

// ErrPlan is the kind of errors about plans.
var ErrPlan = errors.New("unusable plan")

// Error is an error with its place.
type Error = fault.Error

// The methods of sampling.
const (
	Grid           = "grid"
	Random         = "random"
	LatinHypercube = "latin-hypercube"
	Sobol          = "sobol"
)

// The bounds of a plan.
const (
	largestPlan    = 4 << 20   // bytes
	mostCases      = 1000000   // runs
	mostValues     = 200000    // in all lists and ranges
	mostCells      = 20000000  // of the table: runs times parameters, and runs times settings
	mostTexts      = 512 << 20 // bytes of the settings that expressions compute for all runs
	mostParameters = 1000
)

// Plan is a sweep as described by its file.
type Plan struct {
	File        string      `yaml:"-"`
	Experiment  string      `yaml:"experiment"` // relative to the plan
	Parameters  []Parameter `yaml:"-"`          // in the order of the file
	Set         []Target    `yaml:"-"`          // in the order of the file
	Constraints []string    `yaml:"constraints"`
	Sampling    Sampling    `yaml:"sampling"`
	Seeds       []uint64    `yaml:"-"` // empty means the seed of the experiment
	Stop        Stop        `yaml:"stop"`
	Boundary    *Boundary   `yaml:"boundary"` // nil if none is searched
	Timeout     float64     `yaml:"timeout"`  // s of real time, 0 means no limit
	Attempts    int         `yaml:"attempts"` // at least 1

	lines    map[string]int // of keys
	columns  map[string]int // of keys; 0 if unknown
	points   int            // of all parameters
	rowSeeds []uint64       // of the lines of a table; empty means Seeds
	chosen   [][]int        // indices of the values of each parameter; nil means all
	// spent is the time for the expressions of the cases, and of the cases that Refine added.
	spent timebase.Duration

	distribution *scenario.Document // nil unless the plan is one of OpenSCENARIO
}

// Target is a setting of a run and the expression for its value.
type Target struct{ Name, Expression string }

// Sampling determines which combinations of the parameters are run.
type Sampling struct {
	Method string `yaml:"method"`
	Count  int    `yaml:"count"`
	Seed   uint64 `yaml:"seed"`
}

// Stop ends a sweep early, after a number of failed or passed runs. 0 means no limit.
type Stop struct {
	Failures int `yaml:"failures"`
	Passes   int `yaml:"passes"`
}

// limit returns the number of runs that end the sweep, or 0 if none does.
func (s Stop) limit() int { return max(s.Failures, s.Passes) }

// counts reports whether a run with that outcome counts towards the limit.
func (s Stop) counts(outcome string) bool {
	if s.Passes > 0 {
		return outcome == Passed
	}
	return !Good(outcome)
}

// Distribution returns the document of a plan that is a ParameterValueDistribution of OpenSCENARIO,
// or nil.
func (p *Plan) Distribution() *scenario.Document { return p.distribution }

// Early reports whether the sweep may end early.
func (s Stop) Early() bool { return s.limit() > 0 }

// Read reads a plan: YAML, a ParameterValueDistribution of OpenSCENARIO, or a table of runs in CSV.
// Errors are of the kind [ErrPlan] and name the line.
func Read(name string, from io.Reader) (*Plan, error) {
	text, err := io.ReadAll(io.LimitReader(from, largestPlan+1))
	if err != nil {
		return nil, err
	}
	p := &Plan{File: name, Attempts: 3, lines: map[string]int{},
		columns: map[string]int{}}
	if len(text) > largestPlan {
		return nil, fault.New(ErrPlan, p.place(""), fmt.Sprintf("more than %d bytes", largestPlan),
			"a plan")
	}
	if isScenario(name, text) {
		if err := (openScenario{p}).read(text); err != nil {
			return nil, err
		}
		return p, p.check()
	}
	if isTable(name) {
		if err := (csvTable{p}).read(text); err != nil {
			return nil, err
		}
		return p, p.check()
	}
	if err := yamldoc.Encoded(text); err != nil {
		return nil, fault.Wrap(ErrPlan, p.place(""), err)
	}
	var document, other yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if err := documents.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, unreadable(name, err)
	}
	if err := documents.Decode(&other); err == nil {
		p.lines[""], p.columns[""] = other.Line, other.Column
		return nil, fault.New(ErrPlan, p.place(""), "a second document", "one")
	} else if !errors.Is(err, io.EOF) {
		return nil, unreadable(name, err)
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fault.New(ErrPlan, p.place(""), "no keys", "experiment: and parameters:")
	}
	err = cmp.Or(yamldoc.Decimal(document.Content[0], "set"), p.read(document.Content[0]))
	if err != nil {
		return nil, p.wrap(document.Content[0], err)
	}
	return p, p.check()
}

// wrap adds the place to an error of the YAML reader about a node.
func (p *Plan) wrap(n *yaml.Node, err error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	e := unreadable(p.File, err)
	if e.Place.Column == 0 {
		e.Place.Column = columnIn(n, e.Place.Line, e.Found)
	}
	return e
}

// Refuse returns the error for a plan whose experiment file cannot be used.
func (p *Plan) Refuse(cause error) error {
	return fault.New(ErrPlan, p.place("experiment"), strconv.Quote(p.Experiment),
		"the file of an experiment, an FMU or a system, relative to the plan").WithCause(cause)
}

// RefuseSeeds returns the error for a plan whose experiment cannot be run with its seeds.
func (p *Plan) RefuseSeeds(found, expected string) error {
	return fault.New(ErrPlan, p.place("seeds"), found, expected)
}

// ErrSetting is the kind of errors about settings that the experiment does not accept.
var ErrSetting = errors.New("unusable setting")

// RefuseSetting returns the error for a plan with a setting that the experiment lacks, or a value
// that it does not accept. It names the line of the setting.
func (p *Plan) RefuseSetting(x Setting, cause error) error {
	key := "set." + x.Name
	if p.lines[key] == 0 {
		key = "parameters." + x.Name
	}
	return fault.Wrap(ErrSetting, p.place(key), cause)
}

// place returns the place of a key such as "parameters.gap".
func (p *Plan) place(key string) fault.Place {
	return fault.Place{File: p.File, Line: p.lines[key], Column: p.columns[key], Object: key}
}
