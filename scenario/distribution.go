package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
)

// MaxPoints is the largest number of points in a distribution.
const MaxPoints = 100_000_000

// Distribution is a deterministic ParameterValueDistribution: the product of its parameters'
// values.
type Distribution struct {
	File     string // of the document
	Scenario string // the path of the scenario, relative to the working folder
	axes     []axis
	points   int
}

// axis is a set of parameters that vary together. A parameter that is missing from a row keeps its
// default.
type axis struct {
	names []string
	rows  [][]assignment
	// A range may have millions of values, so they are computed when they are needed.
	count int
	value func(k int) string // nil: there are rows
}

// len returns the number of points on the axis.
func (a *axis) len() int {
	if a.value != nil {
		return a.count
	}
	return len(a.rows)
}

// set sets the values of a point on the axis.
func (a *axis) set(k int, values Values) {
	if a.value != nil {
		values[a.names[0]] = a.value(k)
		return
	}
	for _, x := range a.rows[k] {
		values[x.name] = x.value
	}
}

type assignment struct{ name, value string }

// NoDistribution returns the error that a document with this root contains no distribution.
func (e *Element) NoDistribution(kind error) error {
	x := fault.New(kind, e.Place(), e.Content(), "a ParameterValueDistribution")
	if e.Child("Storyboard") != nil {
		x = x.WithHint("gosmp run runs a scenario")
	}
	return x
}

// Distribution reads the distribution in a document. It returns an ErrValues error if the
// distribution is not deterministic, or if the document contains none.
func (d *Document) Distribution() (*Distribution, error) {
	values := d.Root.Child("ParameterValueDistribution")
	bad := func(e *Element, found, expected string) error {
		return fault.New(ErrValues, e.Place(), found, expected)
	}
	if values == nil {
		return nil, d.Root.NoDistribution(ErrValues)
	}
	deterministic := values.Child("Deterministic")
	if deterministic == nil {
		return nil, bad(values, "no Deterministic", "one: the points of others are drawn")
	}
	dist := &Distribution{File: d.File, points: 1,
		Scenario: besides(d.File, values.Child("ScenarioFile").Value("filepath"))}
	for _, e := range deterministic.Children {
		a, err := axisOf(e)
		if err != nil {
			return nil, err
		}
		if a.len() == 0 {
			return nil, bad(e, "no value", "at least one")
		}
		if dist.points > MaxPoints/a.len() {
			return nil, bad(e, "more than 100 million points", "fewer")
		}
		dist.points *= a.len()
		dist.axes = append(dist.axes, a)
	}
	return dist, nil
}

// Len returns the number of points.
func (d *Distribution) Len() int { return d.points }

// Names returns the names of the parameters, in document order.
func (d *Distribution) Names() (names []string) {
	for _, a := range d.axes {
		names = append(names, a.names...)
	}
	return names
}

// Point returns the values at point k, counted from 0. The last parameter varies fastest.
func (d *Distribution) Point(k int) Values {
	values := Values{}
	for n := len(d.axes) - 1; n >= 0; n-- {
		a := &d.axes[n]
		a.set(k%a.len(), values)
		k /= a.len()
	}
	return values
}

func axisOf(e *Element) (axis, error) {
	if e.Name == "DeterministicMultiParameterDistribution" {
		return axisOfSets(e), nil
	}
	name := ParameterName(e.Value("parameterName"))
	a := axis{names: []string{name}}
	for _, c := range e.Path("DistributionSet").All("Element") {
		a.rows = append(a.rows, []assignment{{name, c.Value("value")}})
	}
	if r := e.Child("DistributionRange"); r != nil {
		return a, a.steps(r)
	}
	return a, nil
}

// steps sets the values of a range: as many steps, starting at the lower limit, as fit into it. A
// tolerance covers limits that equal a sum of steps only in decimal arithmetic.
func (a *axis) steps(e *Element) error {
	bad := func(found, expected string) error {
		return fault.New(ErrValues, e.Place(), found, expected)
	}
	limits := e.Child("Range")
	low, ok1 := double(limits.Value("lowerLimit"))
	high, ok2 := double(limits.Value("upperLimit"))
	step, ok3 := double(e.Value("stepWidth"))
	span := (high - low) / step
	switch {
	case !ok1 || !ok2 || !ok3:
		return bad(fmt.Sprintf("limits %q and %q with stepWidth %q", limits.Value("lowerLimit"),
			limits.Value("upperLimit"), e.Value("stepWidth")), "numbers")
	case !(step > 0):
		return bad("stepWidth "+FormatNumber(step), "a number above 0")
	case !(span >= 0):
		return bad(fmt.Sprintf("a range from %s to %s in steps of %s", FormatNumber(low),
			FormatNumber(high), FormatNumber(step)), "an upper limit from the lower one on")
	case span >= MaxPoints:
		return bad(fmt.Sprintf("a range from %s to %s in steps of %s", FormatNumber(low),
			FormatNumber(high), FormatNumber(step)),
			fmt.Sprintf("at most %d million points", MaxPoints/1_000_000))
	}
	places := max(decimals(limits.Value("lowerLimit")), decimals(e.Value("stepWidth")))
	a.count = int(math.Floor(span+1e-9)) + 1
	a.value = func(k int) string {
		return FormatNumber(rounded(low+float64(float64(k)*step), places))
	}
	return nil
}

// decimals returns the number of digits after the decimal point, or math.MaxInt for a number with
// an exponent.
func decimals(number string) int {
	if strings.ContainsAny(number, "eE") {
		return math.MaxInt
	}
	_, digits, _ := strings.Cut(strings.TrimSpace(number), ".")
	return len(digits)
}

// rounded rounds a sum of decimal numbers to its exact decimal value: 0.3 for 0.1 + 2 * 0.1.
func rounded(x float64, places int) float64 {
	if places > 15 {
		return x
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', places, 64), 64)
	if err != nil {
		return x
	}
	return y
}

func axisOfSets(e *Element) (a axis) {
	for _, set := range e.Child("ValueSetDistribution").All("ParameterValueSet") {
		var row []assignment
		for _, c := range set.All("ParameterAssignment") {
			name := ParameterName(c.Value("parameterRef"))
			if !slices.Contains(a.names, name) {
				a.names = append(a.names, name)
			}
			row = append(row, assignment{name, c.Value("value")})
		}
		a.rows = append(a.rows, row)
	}
	return a
}

// Allows reports whether values satisfy the constraints on the document's global parameters.
// Violated constraints are not errors; all other errors are returned.
func (d *Document) Allows(values Values) (bool, error) {
	r := &resolver{scenario: &Scenario{File: d.File, Version: d.Version},
		grammar: d.Version.grammar(), catalogs: &library{file: d.File}}
	if err := d.Declares(values); err != nil {
		return false, err
	}
	if declarations := d.Root.Child("ParameterDeclarations"); declarations != nil {
		r.declare(declarations, nil, given{values: values})
	}
	for _, err := range r.failures {
		if !errors.Is(err, ErrConstraint) {
			return false, err
		}
	}
	return len(r.failures) == 0, nil
}

// AllowsAll returns how many of the points satisfy the constraints of a scenario.
func (d *Distribution) AllowsAll(s *Document) (allowed int, err error) {
	if len(d.axes) == 0 {
		return 0, fault.New(ErrValues, fault.In(d.File), "no parameter", "at least one")
	}
	for k := range d.points {
		ok, err := s.Allows(d.Point(k))
		if err != nil {
			return 0, err
		}
		if ok {
			allowed++
		}
	}
	return allowed, nil
}
