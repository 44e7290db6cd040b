package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Parameter is a parameter that varies.
type Parameter struct {
	Name string

	points   []any                  // for values and ranges: float64, string or bool
	quantile func(u float64) any    // returns the value below which the fraction u lies, 0 <= u < 1
	limits   struct{ u, v float64 } // the part of the distribution between min and max
	listed   bool                   // the points come from a list
	// the parameter with which the points vary together; empty if there is none
	with   string
	leader int  // the index of that parameter, or of this one
	named  bool // it is a parameter of a scenario, which has the same name
}

// Direct reports whether the parameter is set under its own name.
func (x *Parameter) Direct() bool {
	return x.named || strings.Contains(x.Name, ".") || x.Name == "timeout" ||
		strings.HasPrefix(x.Name, "--")
}

// At returns the value at the fraction u of the distribution, 0 <= u < 1.
func (x *Parameter) At(u float64) any {
	if len(x.points) > 0 {
		return x.points[min(int(u*float64(len(x.points))), len(x.points)-1)]
	}
	return x.quantile(x.limits.u + float64(u*(x.limits.v-x.limits.u)))
}

// definition is a parameter as stated in the file.
type definition struct {
	Values  []any     `yaml:"values"`
	Weights []float64 `yaml:"weights"`
	With    string    `yaml:"with"`

	From  *float64 `yaml:"from"`
	To    *float64 `yaml:"to"`
	Step  *float64 `yaml:"step"`
	Count int      `yaml:"count"`

	Uniform     []float64 `yaml:"uniform"`
	Normal      *moments  `yaml:"normal"`
	Lognormal   *moments  `yaml:"lognormal"`
	Triangular  *mode     `yaml:"triangular"`
	Exponential *mean     `yaml:"exponential"`
	Poisson     *mean     `yaml:"poisson"`
	Histogram   []bin     `yaml:"histogram"`
	Min         *float64  `yaml:"min"`
	Max         *float64  `yaml:"max"`
}

type (
	moments struct {
		Mean      float64 `yaml:"mean"`
		Deviation float64 `yaml:"deviation"`
	}
	mode struct {
		Mode float64 `yaml:"mode"`
	}
	mean struct {
		Mean float64 `yaml:"mean"`
	}
	bin struct {
		From   float64 `yaml:"from"`
		To     float64 `yaml:"to"`
		Weight float64 `yaml:"weight"`
	}
)

// distribution is a continuous or discrete distribution of numbers.
type distribution struct {
	below    func(x float64) float64 // the share below x, or up to x for a discrete one
	quantile func(u float64) float64
}

func (x *Parameter) read(n *yaml.Node) error {
	if err := known(n, definition{}); err != nil {
		return err
	}
	var d definition
	if err := n.Decode(&d); err != nil {
		return err
	}
	kinds := 0
	for _, given := range []bool{d.Values != nil, d.From != nil || d.To != nil, d.Uniform != nil,
		d.Normal != nil, d.Lognormal != nil,
		d.Triangular != nil, d.Exponential != nil, d.Poisson != nil, d.Histogram != nil} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf(
			"found %d kinds of values, expected one of values, from and to, uniform, normal, "+
				"lognormal, triangular, exponential, poisson, histogram", kinds)
	}
	if err := fitting(n); err != nil {
		return err
	}
	return x.take(d)
}

// take sets the values of the parameter from a definition.
func (x *Parameter) take(d definition) error {
	switch {
	case d.Values != nil:
		return x.list(d)
	case d.From != nil || d.To != nil:
		return x.span(d)
	}
	y, err := d.distribution()
	if err != nil {
		return err
	}
	return x.cut(y, d)
}

// fitting refuses keys that have no meaning for the kind of values of a parameter.
func fitting(n *yaml.Node) error {
	has := func(keys ...string) bool {
		for k := 0; k < len(n.Content); k += 2 {
			if slices.Contains(keys, n.Content[k].Value) {
				return true
			}
		}
		return false
	}
	kind, others := "a distribution", []string{"weights", "with", "step", "count"}
	switch {
	case has("values"):
		kind, others = "values", []string{"step", "count", "min", "max"}
	case has("from", "to"):
		kind, others = "a range", []string{"weights", "with", "min", "max"}
	}
	for _, key := range others {
		if has(key) {
			return fmt.Errorf("found %s in addition to %s, expected only one of them", key, kind)
		}
	}
	return nil
}

// list sets the values from a list. Whether they differ is checked when all parameters are known.
func (x *Parameter) list(d definition) error {
	if len(d.Values) == 0 || len(d.Values) > mostValues {
		return fmt.Errorf("found %d values, expected 1 to %d", len(d.Values), mostValues)
	}
	var values []any
	for _, v := range d.Values {
		switch y := v.(type) {
		case int:
			v = float64(y)
			if y > largest || y < -largest {
				return fmt.Errorf(
					"found %d, expected numbers up to 2^53 or, where an Integer is set, a "+
						"text: \"%[1]d\"", y)
			}
		case uint64:
			return fmt.Errorf(
				"found %d, expected numbers up to 2^53 or, where an Integer is set, a "+
					"text: \"%[1]d\"", y)
		case float64:
			if !finite(y) {
				return fmt.Errorf("found %v, expected finite numbers", y)
			}
		case string, bool:
		default:
			return fmt.Errorf(
				"found %s, expected numbers, texts, true or false; a date or another word is a "+
					"text in quotes", kindOfValue(v))
		}
		values = append(values, v)
	}
	if d.Weights != nil {
		return x.weigh(values, d)
	}
	x.points, x.listed, x.with = values, true, d.With
	return nil
}

// kindOfValue describes something that is not a value.
func kindOfValue(v any) string {
	switch v.(type) {
	case nil:
		return "nothing"
	case []any:
		return "a list"
	case time.Time:
		return "a date"
	}
	return "keys"
}

// largest is the number up to which float64 represents all whole numbers.
const largest = 1 << 53

// weigh draws values with their weights.
func (x *Parameter) weigh(values []any, d definition) error {
	total := 0.0
	var edges []float64 // the sum of weights up to and including each value
	for _, w := range d.Weights {
		if !finite(w) || w < 0 {
			return fmt.Errorf("found the weight %v, expected non-negative weights", w)
		}
		total += w
		edges = append(edges, total)
	}
	switch {
	case d.With != "":
		return errors.New("found weights and with, expected one of the two")
	case len(edges) != len(values):
		return fmt.Errorf("found %d weights, expected one for each of %d values", len(edges),
			len(values))
	case !(total > 0) || !finite(total):
		return fmt.Errorf("found weights with the sum %v, expected a finite sum above 0", total)
	}
	if twice, ok := repeated(values); ok {
		return fmt.Errorf("found %v twice, expected different values", twice)
	}
	last := len(edges) - 1
	for d.Weights[last] == 0 {
		last--
	}
	x.limits.u, x.limits.v = 0, 1
	x.quantile = func(u float64) any {
		u = float64(u * total)
		return values[min(sort.Search(len(edges), func(k int) bool { return edges[k] > u }), last)]
	}
	return nil
}

// repeated returns the first value that occurs a second time.
func repeated[T comparable](values []T) (twice T, ok bool) {
	seen := map[T]bool{}
	for _, v := range values {
		if seen[v] {
			return v, true
		}
		seen[v] = true
	}
	return twice, false
}

// span sets the values from a range.
func (x *Parameter) span(d definition) error {
	switch {
	case d.From == nil || d.To == nil:
		return errors.New("found one end of a range, expected from and to")
	case !finite(*d.From, *d.To) || *d.From >= *d.To:
		return fmt.Errorf("found from %v to %v, expected from < to", *d.From, *d.To)
	case d.Step == nil && d.Count == 0:
		return errors.New("found neither step nor count, expected one")
	case d.Step != nil && d.Count != 0:
		return errors.New("found step and count, expected one")
	case d.Step != nil && (!(*d.Step > 0) || math.IsInf(*d.Step, 0)):
		return fmt.Errorf("found the step %v, expected a step above 0", *d.Step)
	case d.Step == nil && d.Count < 2:
		return fmt.Errorf("found the count %d, expected a count from 2 on", d.Count)
	}
	from, to, count := rational(*d.From), rational(*d.To), d.Count
	width := new(big.Rat).Sub(to, from)
	if d.Step != nil {
		parts, _ := width.Quo(width, rational(*d.Step)).Float64()
		width = rational(*d.Step)
		count = int(min(math.Floor(float64(parts*(1+nearly))+nearly), mostValues)) + 1
	} else {
		width.Quo(width, new(big.Rat).SetInt64(int64(count-1)))
	}
	if count > mostValues {
		return fmt.Errorf("found %w, expected at most %d", errMany, mostValues)
	}
	points := newDecimals(from, width)
	for k := range count {
		x.points = append(x.points, points.at(k))
	}
	stride, _ := width.Float64()
	if missed := *d.To - x.points[count-1].(float64); missed < nearly*stride {
		x.points[count-1] = *d.To
	}
	return nil
}

// errMany reports a range with too many values.
var errMany = fmt.Errorf("%d values or more", mostValues+1)

// nearly is the fraction of a step by which a range may miss its end.
const nearly = 1e-9

func finite(list ...float64) bool {
	return !slices.ContainsFunc(list, func(x float64) bool {
		return math.IsNaN(x) || math.IsInf(x, 0)
	})
}

func (d *definition) distribution() (distribution, error) {
	switch {
	case d.Uniform != nil:
		if len(d.Uniform) != 2 || !finite(d.Uniform...) || d.Uniform[0] >= d.Uniform[1] {
			return distribution{},
				fmt.Errorf("found uniform: %v, expected uniform: [A, B] with A < B", d.Uniform)
		}
		return uniform(d.Uniform[0], d.Uniform[1]), nil
	case d.Normal != nil:
		if !finite(d.Normal.Mean, d.Normal.Deviation) || d.Normal.Deviation <= 0 {
			return distribution{},
				fmt.Errorf("found mean %v and deviation %v, expected a deviation above 0",
					d.Normal.Mean, d.Normal.Deviation)
		}
		return normal(d.Normal.Mean, d.Normal.Deviation), nil
	case d.Lognormal != nil:
		if !finite(d.Lognormal.Mean, d.Lognormal.Deviation) || d.Lognormal.Deviation <= 0 {
			return distribution{},
				fmt.Errorf("found mean %v and deviation %v, expected a deviation above 0",
					d.Lognormal.Mean, d.Lognormal.Deviation)
		}
		return lognormal(d.Lognormal.Mean, d.Lognormal.Deviation), nil
	case d.Triangular != nil:
		if d.Min == nil || d.Max == nil || !finite(*d.Min, *d.Max, d.Triangular.Mode) ||
			*d.Min >= *d.Max || d.Triangular.Mode < *d.Min || d.Triangular.Mode > *d.Max {
			return distribution{}, errors.New("expected min <= mode <= max, and min < max")
		}
		return triangular(*d.Min, d.Triangular.Mode, *d.Max), nil
	case d.Exponential != nil:
		if !finite(d.Exponential.Mean) || d.Exponential.Mean <= 0 {
			return distribution{}, fmt.Errorf("found mean %v, expected a mean above 0",
				d.Exponential.Mean)
		}
		return exponential(d.Exponential.Mean), nil
	case d.Poisson != nil:
		if !(d.Poisson.Mean > 0 && d.Poisson.Mean <= 500) {
			return distribution{}, fmt.Errorf("found mean %v, expected a mean above 0, up to 500",
				d.Poisson.Mean)
		}
		return poisson(d.Poisson.Mean), nil
	}
	return histogram(d.Histogram)
}

// cut truncates the distribution to the part between min and max.
func (x *Parameter) cut(y distribution, d definition) error {
	low, high := math.Inf(-1), math.Inf(1)
	x.limits.u, x.limits.v = 0, 1
	if d.Min != nil {
		low = *d.Min
	}
	if d.Max != nil {
		high = *d.Max
	}
	if !(low < high) {
		return fmt.Errorf("found min %v and max %v, expected min < max", low, high)
	}
	if d.Poisson != nil { // whole numbers starting at min
		low, high = math.Ceil(low), math.Floor(high)
	}
	if d.Min != nil {
		x.limits.u = y.below(low)
	}
	if d.Min != nil && d.Poisson != nil {
		x.limits.u = y.below(low - 1)
	}
	if d.Max != nil {
		x.limits.v = y.below(high)
	}
	if !(x.limits.v-x.limits.u > 1e-9) {
		return fmt.Errorf(
			"found nothing of the distribution between %v and %v, expected limits "+
				"around its values", low, high)
	}
	if middle := y.quantile((x.limits.u + x.limits.v) / 2); !finite(middle) {
		return fmt.Errorf(
			"found the median %v, expected values whose differences and products fit into a "+
				"float64", middle)
	}
	low, high = max(low, -math.MaxFloat64), min(high, math.MaxFloat64) // JSON has no infinity
	x.quantile = func(u float64) any { return cmp.Or(min(max(y.quantile(u), low), high), 0) }
	return nil
}
