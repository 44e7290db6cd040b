package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/xmltext"
	"gosmp/scenario"
)

// isScenario reports whether a plan is an OpenSCENARIO document, by its content or by its name.
func isScenario(name string, text []byte) bool {
	if decoded, err := xmltext.UTF8(text); err == nil {
		text = decoded
	}
	text = bytes.TrimLeft(text, " \t\r\n")
	// YAML has << as well
	return bytes.HasPrefix(text, []byte("<")) && !bytes.HasPrefix(text, []byte("<<")) ||
		strings.EqualFold(path.Ext(name), ".xosc")
}

// openScenario is a plan read from a ParameterValueDistribution of ASAM OpenSCENARIO XML 1.1 to
// 1.3.
type openScenario struct{ *Plan }

func (p openScenario) read(text []byte) error {
	root, err := p.parse(text)
	if err != nil {
		return err
	}
	distribution, err := p.oneOrNone(root, "ParameterValueDistribution")
	if distribution == nil && err == nil {
		err = root.NoDistribution(ErrPlan)
	}
	if err != nil {
		return err
	}
	file, err := p.one(distribution, "ScenarioFile")
	if err != nil {
		return err
	}
	p.Experiment = file.Value("filepath")
	if !strings.EqualFold(path.Ext(p.Experiment), ".exc") && !p.ofScenario() {
		return fault.New(ErrPlan, file.Place(), fmt.Sprintf("filepath %q", p.Experiment),
			"a scenario (.xosc) or an experiment (.exc)")
	}
	how, err := p.one(distribution, "Deterministic", "Stochastic")
	if err != nil {
		return err
	}
	p.at("experiment", file)
	p.at("parameters", how)
	p.at("sampling", how)
	if how.Name == "Stochastic" {
		return p.readStochastic(how)
	}
	return p.readDeterministic(how)
}

// ofScenario reports whether the plan runs a scenario rather than an experiment.
func (p openScenario) ofScenario() bool {
	return strings.EqualFold(path.Ext(p.Experiment), ".xosc")
}

// at records the place of the element for a key.
func (p openScenario) at(key string, e *scenario.Element) {
	p.lines[key], p.columns[key] = e.Line, e.Column
}

// parse reads a document, which must be valid according to the schema of its version.
func (p openScenario) parse(text []byte) (*scenario.Element, error) {
	d, err := scenario.Parse(p.File, text)
	var e *scenario.Error
	if errors.As(err, &e) {
		return nil, fault.New(ErrPlan, e.Place, e.Found, e.Expected).WithCause(e.Cause)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range d.Understood() {
		if f.Severity == finding.Error {
			return nil, fault.Wrap(ErrPlan, f.Place, errors.New(f.Message)).WithHint(f.Remedy)
		}
	}
	p.distribution = d
	return d.Root, nil
}

// parameter creates a parameter. It must have the name of the variable that it sets, because
// OpenSCENARIO has no expressions that could use it otherwise.
func (p openScenario) parameter(e *scenario.Element, name string) (Parameter, error) {
	x := Parameter{Name: name, named: p.ofScenario()}
	key := "parameters." + name
	switch {
	case !x.Direct():
		return x, fault.New(ErrPlan, e.Place(), fmt.Sprintf("the parameter %q", name),
			"the name of what is set, as in gosmp run --set, such as sensor.nominalrange")
	case p.lines[key] != 0:
		return x, fault.New(ErrPlan, e.Place(),
			fmt.Sprintf("the parameter %q, which line %d has already", name, p.lines[key]),
			"it once")
	case len(p.Parameters) == mostParameters:
		return x, fault.New(ErrPlan, e.Place(), fmt.Sprintf("more than %d parameters",
			mostParameters), "fewer")
	}
	p.at(key, e)
	return x, nil
}

func (p openScenario) readDeterministic(e *scenario.Element) error {
	for _, c := range e.Children {
		var err error
		if c.Name == "DeterministicMultiParameterDistribution" {
			err = p.readMulti(c)
		} else {
			err = p.readSingle(c, p.set)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readSingle reads one parameter; define reads its definition.
func (p openScenario) readSingle(e *scenario.Element, define func(*scenario.Element) (definition,
	error)) error {
	x, err := p.parameter(e, scenario.ParameterName(e.Value("parameterName")))
	if err != nil {
		return err
	}
	kind, err := p.definition(e)
	if err != nil {
		return err
	}
	d, err := define(kind)
	if err != nil {
		return err
	}
	if err := x.take(d); err != nil {
		bad := fault.Wrap(ErrPlan, kind.Place(), err)
		if errors.Is(err, errMany) {
			bad = bad.WithHint("take a larger stepWidth, or run single points with " +
				"gosmp run --point")
		}
		return bad
	}
	return p.add(x)
}

// readable holds the kinds of parameter definitions that are read, which do not include
// UserDefinedDistribution.
var readable = []string{"DistributionSet", "DistributionRange", "ProbabilityDistributionSet",
	"NormalDistribution", "LogNormalDistribution", "UniformDistribution", "PoissonDistribution",
	"Histogram"}

// definition returns the only child.
func (p openScenario) definition(e *scenario.Element) (*scenario.Element, error) {
	if len(e.Children) != 1 {
		return nil, fault.New(ErrPlan, e.Place(), fmt.Sprintf("%d elements in it", len(e.Children)),
			"one")
	}
	if c := e.Children[0]; !slices.Contains(readable, c.Name) {
		return nil, fault.New(ErrPlan, c.Place(), "a "+c.Name,
			"one of "+strings.Join(readable, ", "))
	}
	return e.Children[0], nil
}

// set reads a set of values or a range.
func (p openScenario) set(e *scenario.Element) (d definition, err error) {
	if e.Name == "DistributionSet" {
		d.Values, err = p.valuesOf(e)
		return d, err
	}
	return p.steps(e)
}

// valuesOf returns the values of the children.
func (p openScenario) valuesOf(e *scenario.Element) (values []any, err error) {
	children, err := p.some(e)
	if err != nil {
		return nil, err
	}
	for _, c := range children {
		v, err := p.value(c)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// steps reads a DistributionRange, which starts at the lower limit and does not exceed the upper
// limit.
func (p openScenario) steps(e *scenario.Element) (d definition, err error) {
	width, err := p.number(e, "stepWidth")
	if err != nil {
		return d, err
	}
	if !(width > 0) {
		return d, fault.New(ErrPlan, e.Place(), "stepWidth "+Text(width), "a number above 0")
	}
	low, high, err := p.limits(e)
	if err == nil && *low == *high {
		return definition{Values: []any{*low}}, nil
	}
	return definition{From: low, To: high, Step: &width}, err
}

// limits reads the Range of an element, if it has one.
func (p openScenario) limits(e *scenario.Element) (low, high *float64, err error) {
	r, err := p.oneOrNone(e, "Range")
	if r == nil || err != nil {
		return nil, nil, err
	}
	a, err := p.number(r, "lowerLimit")
	if err != nil {
		return nil, nil, err
	}
	b, err := p.number(r, "upperLimit")
	if err != nil {
		return nil, nil, err
	}
	if a > b || a == b && e.Name != "DistributionRange" {
		return nil, nil, fault.New(ErrPlan, r.Place(),
			fmt.Sprintf("lowerLimit %s and upperLimit %s", Text(a), Text(b)),
			"a lower limit below the upper one")
	}
	return &a, &b, nil
}

// readMulti reads parameters that vary together: the value sets form the rows of a table whose
// columns become lists.
func (p openScenario) readMulti(e *scenario.Element) error {
	table, err := p.one(e, "ValueSetDistribution")
	if err != nil {
		return err
	}
	sets, err := p.some(table)
	if err != nil {
		return err
	}
	first, err := p.some(sets[0])
	if err != nil {
		return err
	}
	if len(first) > mostParameters {
		return fault.New(ErrPlan, sets[0].Place(), fmt.Sprintf("%d parameters", len(first)),
			fmt.Sprintf("at most %d", mostParameters))
	}
	columns := make([]definition, len(first))
	for _, set := range sets {
		if err := p.readRow(set, first, columns); err != nil {
			return err
		}
	}
	for k, assignment := range first {
		x, err := p.parameter(assignment, named(assignment))
		if err != nil {
			return err
		}
		if k > 0 {
			columns[k].With = named(first[0])
		}
		if err := x.list(columns[k]); err != nil {
			return fault.Wrap(ErrPlan, assignment.Place(), err)
		}
		if err := p.add(x); err != nil {
			return err
		}
	}
	return nil
}

// readRow adds the values of a ParameterValueSet, which has the parameters of the first one in any
// order.
func (p openScenario) readRow(set *scenario.Element, first []*scenario.Element,
	columns []definition) error {
	for k, f := range first {
		var found []*scenario.Element
		for _, a := range set.Children {
			if named(a) == named(f) {
				found = append(found, a)
			}
		}
		if len(found) != 1 || len(set.Children) != len(first) {
			return fault.New(ErrPlan, set.Place(),
				fmt.Sprintf("%d parameters, and %q in %d of them", len(set.Children),
					named(f), len(found)),
				fmt.Sprintf("each of the %d parameters of the first set once", len(first)))
		}
		v, err := p.value(found[0])
		if err != nil {
			return err
		}
		columns[k].Values = append(columns[k].Values, v)
	}
	return nil
}

// named returns the name of the parameter of an assignment.
func named(assignment *scenario.Element) string {
	return scenario.ParameterName(assignment.Value("parameterRef"))
}
