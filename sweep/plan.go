package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gosmp/internal/fault"
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
	largestPlan    = 4 << 20  // bytes
	mostCases      = 1000000  // runs
	mostValues     = 200000   // in all lists and ranges
	mostCells      = 20000000 // of the table: runs times parameters
	mostParameters = 1000
)

// Plan is a sweep as its file describes it.
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

	lines    map[string]int
	points   int      // of all parameters
	rowSeeds []uint64 // of the lines of a table; empty means Seeds
}

// Target is a setting of a run and the expression for its value.
type Target struct{ Name, Expression string }

// Sampling determines which combinations of the parameters are run.
type Sampling struct {
	Method string `yaml:"method"`
	Count  int    `yaml:"count"`
	Seed   uint64 `yaml:"seed"`
}

// Stop ends a sweep early, after a number of runs that have not passed or that have passed. 0 means
// no limit.
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

// Early reports whether the sweep may end early.
func (s Stop) Early() bool { return s.limit() > 0 }

// Read reads a plan: YAML, a ParameterValueDistribution of OpenSCENARIO, or a table of runs in CSV.
// Errors are of the kind [ErrPlan] and name the line.
func Read(name string, from io.Reader) (*Plan, error) {
	text, err := io.ReadAll(io.LimitReader(from, largestPlan+1))
	if err != nil {
		return nil, err
	}
	p := &Plan{File: name, Attempts: 3, lines: map[string]int{}}
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
	var document, other yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if err := documents.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return nil, unreadable(name, err)
	}
	if err := documents.Decode(&other); err == nil {
		p.lines[""] = other.Line
		return nil, fault.New(ErrPlan, p.place(""), "a second document", "one")
	} else if !errors.Is(err, io.EOF) {
		return nil, unreadable(name, err)
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil, fault.New(ErrPlan, p.place(""), "no keys", "experiment: and parameters:")
	}
	if err := p.read(document.Content[0]); err != nil {
		return nil, p.wrap(err)
	}
	return p, p.check()
}

// wrap adds the place to an error of the YAML reader.
func (p *Plan) wrap(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return unreadable(p.File, err)
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

// RefuseSetting returns the error for a plan with a setting that the experiment does not have, or a
// value that it does not accept. It names the line of the setting.
func (p *Plan) RefuseSetting(x Setting, cause error) error {
	key := "set." + x.Name
	if p.lines[key] == 0 {
		key = "parameters." + x.Name
	}
	return fault.Wrap(ErrSetting, p.place(key), cause)
}

// place returns the place of a key such as "parameters.gap".
func (p *Plan) place(key string) fault.Place {
	return fault.Place{File: p.File, Line: p.lines[key], Object: key}
}

func (p *Plan) read(n *yaml.Node) error {
	type plain Plan // without methods
	keys, types := keysOf(reflect.TypeFor[plain]())
	keys, types = append(keys, "parameters", "set", "seeds"), append(types, reflect.TypeFor[any](),
		reflect.TypeFor[any](), reflect.TypeFor[int]())
	rest := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line}
	for k := 0; k < len(n.Content); k += 2 {
		key, value := n.Content[k], meant(n.Content[k+1])
		if err := p.note(key, key.Value, keys); err != nil {
			return err
		}
		err := exact(key, value, types[slices.Index(keys, key.Value)])
		if err != nil {
			return err
		}
		switch key.Value {
		case "parameters":
			err = p.readParameters(value)
		case "set":
			err = p.readSet(value)
		case "seeds":
			err = p.readSeeds(value)
		case "sampling":
			err = known(value, Sampling{})
		case "stop":
			err = known(value, Stop{})
		case "boundary":
			err = known(value, Boundary{})
		}
		if err != nil {
			return err
		}
		if !slices.Contains([]string{"parameters", "set", "seeds"}, key.Value) {
			rest.Content = append(rest.Content, key, value)
		}
	}
	return rest.Decode((*plain)(p))
}

// note records the line of a key, and refuses unknown and repeated keys.
func (p *Plan) note(key *yaml.Node, path string, keys []string) error {
	if p.lines[path] != 0 {
		return fault.New(ErrPlan, p.place(path), fmt.Sprintf("the key a second time in line %d",
			key.Line), "it once")
	}
	p.lines[path] = key.Line
	if keys != nil && !slices.Contains(keys, key.Value) {
		return fault.New(ErrPlan, p.place(path), fmt.Sprintf("the key %q", key.Value),
			"one of "+strings.Join(keys, ", "))
	}
	return nil
}

func (p *Plan) readParameters(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fault.New(ErrPlan, p.place("parameters"), shown(n), "NAME: and what it can be")
	}
	if len(n.Content) > 2*mostParameters {
		return fault.New(ErrPlan, p.place("parameters"),
			fmt.Sprintf("%d parameters", len(n.Content)/2),
			fmt.Sprintf("at most %d", mostParameters))
	}
	for k := 0; k < len(n.Content); k += 2 {
		key, value := n.Content[k], meant(n.Content[k+1])
		path := "parameters." + key.Value
		if err := p.note(key, path, nil); err != nil {
			return err
		}
		x := Parameter{Name: key.Value}
		if err := x.read(value); err != nil {
			e := unreadable(p.File, err)
			e.Place.Line, e.Place.Object = max(e.Place.Line, key.Line), path
			return e
		}
		if err := p.add(x); err != nil {
			return err
		}
	}
	return nil
}

// add adds a parameter.
func (p *Plan) add(x Parameter) error {
	p.Parameters = append(p.Parameters, x)
	if p.points += len(x.points); p.points > mostValues {
		return fault.New(ErrPlan, p.place("parameters."+x.Name),
			fmt.Sprintf("more than %d values of all parameters", mostValues),
			"fewer values, or a distribution with sampling")
	}
	return nil
}

func (p *Plan) readSet(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fault.New(ErrPlan, p.place("set"), shown(n), "NAME: EXPRESSION")
	}
	for k := 0; k < len(n.Content); k += 2 {
		key, value := n.Content[k], meant(n.Content[k+1])
		path := "set." + key.Value
		if err := p.note(key, path, nil); err != nil {
			return err
		}
		if value.Kind != yaml.ScalarNode || value.Value == "" {
			return fault.New(ErrPlan, p.place(path), "no expression",
				"an expression such as 60 + gap")
		}
		p.Set = append(p.Set, Target{key.Value, value.Value})
	}
	return nil
}

// readSeeds reads a number of seeds or a list of seeds.
func (p *Plan) readSeeds(n *yaml.Node) error {
	var count int
	if n.Kind == yaml.ScalarNode && n.Decode(&count) == nil && count >= 1 && count <= mostCases {
		for seed := range uint64(count) {
			p.Seeds = append(p.Seeds, seed+1)
		}
		return nil
	}
	for _, seed := range n.Content {
		if err := exact(n, seed, reflect.TypeFor[uint64]()); err != nil {
			return fault.New(ErrPlan, p.place("seeds"), shown(seed), "positive whole numbers")
		}
	}
	if n.Kind == yaml.SequenceNode && n.Decode(&p.Seeds) == nil && len(p.Seeds) > 0 &&
		!slices.Contains(p.Seeds, 0) {
		seen := map[uint64]bool{}
		for _, s := range p.Seeds {
			if seen[s] {
				return fault.New(ErrPlan, p.place("seeds"), fmt.Sprintf("%d twice", s),
					"different seeds")
			}
			seen[s] = true
		}
		return nil
	}
	found := shown(n)
	for _, seed := range n.Content {
		if x, err := strconv.ParseUint(seed.Value, 0, 64); err != nil || x == 0 {
			found = shown(seed)
		}
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		found = "an empty list"
	}
	return fault.New(ErrPlan, p.place("seeds"), found,
		"how many seeds there are, or a list of positive whole numbers")
}

// check checks that the parts fit together.
func (p *Plan) check() error {
	switch {
	case p.Experiment == "":
		return fault.New(ErrPlan, p.place("experiment"), "no experiment",
			"the name of a .exc file, of an FMU or of a system (.ssp)")
	case p.Timeout != 0 && !(p.Timeout >= 0.001 && p.Timeout <= 1e9):
		return fault.New(ErrPlan, p.place("timeout"), strconv.FormatFloat(p.Timeout, 'g', -1, 64),
			"seconds from 0.001 to 1e9, or 0 for no limit")
	case p.Attempts < 1:
		return fault.New(ErrPlan, p.place("attempts"), strconv.Itoa(p.Attempts),
			"a number of at least 1")
	case p.Stop.Failures < 0 || p.Stop.Passes < 0:
		return fault.New(ErrPlan, p.place("stop"), strconv.Itoa(min(p.Stop.Failures,
			p.Stop.Passes)), "a number of at least 0")
	case p.Stop.Failures > 0 && p.Stop.Passes > 0:
		return fault.New(ErrPlan, p.place("stop"), "failures and passes", "one of both")
	}
	if err := p.checkNames(); err != nil {
		return err
	}
	if err := p.checkLists(); err != nil {
		return err
	}
	if err := p.checkSampling(); err != nil {
		return err
	}
	return p.checkBoundary()
}

func (p *Plan) checkNames() error {
	targets := map[string]bool{}
	for _, t := range p.Set {
		targets[t.Name] = true
	}
	for _, x := range p.Parameters {
		switch key := "parameters." + x.Name; {
		case !x.Direct() && !identifier(x.Name):
			return fault.New(ErrPlan, p.place(key), fmt.Sprintf("%q", x.Name),
				"a word of letters, digits and _ for expressions, or a name with a "+
					"dot, which is set")
		case slices.Contains(columns, x.Name):
			return fault.New(ErrPlan, p.place(key), fmt.Sprintf("%q", x.Name),
				"another name: "+TableFile+
					" has a column of this name beside those of the parameters")
		case x.Direct() && targets[x.Name]:
			return fault.New(ErrPlan, p.place("set."+x.Name),
				"a parameter of this name, which is set already", "one of both")
		}
	}
	return nil
}

// checkLists finds the parameters that vary together, and values that occur twice.
func (p *Plan) checkLists() error {
	members := make([][]int, len(p.Parameters))
	for k := range p.Parameters {
		x := &p.Parameters[k]
		x.leader = k
		if x.with != "" {
			x.leader = slices.IndexFunc(p.Parameters, func(y Parameter) bool {
				return y.Name == x.with && y.with == "" && len(y.points) > 0
			})
			if x.leader < 0 {
				return fault.New(ErrPlan, p.place("parameters."+x.Name), "with: "+x.with,
					"another parameter with values or a range, which has no with itself")
			}
			if n := len(p.Parameters[x.leader].points); n != len(x.points) {
				return fault.New(ErrPlan, p.place("parameters."+x.Name),
					fmt.Sprintf("%d values", len(x.points)),
					fmt.Sprintf("%d values, as %s has them", n, x.with))
			}
		}
		members[x.leader] = append(members[x.leader], k)
	}
	for k, group := range members {
		if len(group) == 0 || !p.Parameters[k].listed {
			continue
		}
		if twice, ok := repeated(p.rows(group)); ok {
			if r := []rune(twice); len(r) > 80 {
				twice = string(r[:80]) + "..."
			}
			return fault.New(ErrPlan, p.place("parameters."+p.Parameters[k].Name), twice+" twice",
				"different values")
		}
	}
	return nil
}

// rows returns the values of parameters that vary together, as texts.
func (p *Plan) rows(group []int) []string {
	rows := make([]string, len(p.Parameters[group[0]].points))
	for i := range rows {
		var texts []string
		for _, k := range group {
			text := Text(p.Parameters[k].points[i])
			if v, is := p.Parameters[k].points[i].(string); is {
				text = strconv.Quote(v)
			}
			texts = append(texts, text)
		}
		rows[i] = strings.Join(texts, " with ")
	}
	return rows
}

func identifier(name string) bool {
	for k, r := range name {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (k == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

func (p *Plan) checkSampling() error {
	s := &p.Sampling
	if s.Method == "" {
		s.Method = Grid
	}
	methods := []string{Grid, Random, LatinHypercube, Sobol}
	switch {
	case !slices.Contains(methods, s.Method):
		return fault.New(ErrPlan, p.place("sampling"), fmt.Sprintf("the method %q", s.Method),
			"one of "+strings.Join(methods, ", "))
	case s.Method == Grid && s.Count != 0:
		return fault.New(ErrPlan, p.place("sampling"), "a count",
			"no count for the method grid, or the method "+strings.Join(methods[1:], ", "))
	case s.Method != Grid && (s.Count < 1 || s.Count > mostCases):
		return fault.New(ErrPlan, p.place("sampling"), fmt.Sprintf("count %d", s.Count),
			fmt.Sprintf("count: 1 to %d", mostCases))
	case s.Method == Sobol && len(p.Parameters) > sobolDimensions:
		return fault.New(ErrPlan, p.place("sampling"), fmt.Sprintf("%d parameters",
			len(p.Parameters)), fmt.Sprintf("at most %d for the method sobol", sobolDimensions))
	}
	if s.Count*max(1, len(p.Seeds)) > mostCases || s.Count*len(p.Parameters) > mostCells {
		return fault.New(ErrPlan, p.place("sampling"), "too many samples",
			fmt.Sprintf("at most %d runs and %d values", mostCases, mostCells))
	}
	if s.Method != Grid {
		return nil
	}
	total, all := max(1, len(p.Seeds)), float64(max(1, len(p.Seeds)))
	for k, x := range p.Parameters {
		if x.leader == k {
			all *= float64(max(1, len(x.points)))
		}
	}
	for k, x := range p.Parameters {
		if x.leader != k {
			continue // varies together with another parameter
		}
		if len(x.points) == 0 {
			return fault.New(ErrPlan, p.place("parameters."+x.Name), "a distribution",
				"values or a range for the method grid, or sampling: {method: random, count: N}")
		}
		if total *= len(x.points); total > mostCases || total*len(p.Parameters) > mostCells {
			return fault.New(ErrPlan, p.place("parameters"),
				fmt.Sprintf("%.4g combinations and seeds of %d parameters", all, len(p.Parameters)),
				fmt.Sprintf("at most %d runs and %d values", mostCases, mostCells))
		}
	}
	return nil
}
