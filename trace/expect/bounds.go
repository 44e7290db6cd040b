package expect

import (
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Bounds limit a number, both ends included. Nil means no limit.
type Bounds struct{ Min, Max *float64 }

// UnmarshalYAML reads a number or a mapping.
func (b *Bounds) UnmarshalYAML(n *yaml.Node) error {
	type mapping struct {
		Min *float64 `yaml:"min"`
		Max *float64 `yaml:"max"`
	}
	var m mapping
	if n.Kind == yaml.ScalarNode {
		var x float64
		if err := n.Decode(&x); err != nil {
			return fmt.Errorf("line %d: found %q, expected a number or {min: A, max: B}", n.Line,
				n.Value)
		}
		m = mapping{&x, &x}
	} else {
		if err := known(n, m); err != nil {
			return err
		}
		if err := n.Decode(&m); err != nil {
			return err
		}
	}
	if m.Min == nil && m.Max == nil || m.Min != nil && m.Max != nil && *m.Min > *m.Max ||
		!finite(m.Min) || !finite(m.Max) {
		return fmt.Errorf(
			"line %d: found bounds that nothing can break or keep, expected {min: A, max: "+
				"B} with A <= B", n.Line)
	}
	*b = Bounds(m)
	return nil
}

func isNaN(x *float64) bool { return x != nil && math.IsNaN(*x) }

// finite reports whether a bound, if there is one, is a number that values may exceed.
func finite(x *float64) bool { return x == nil || !math.IsNaN(*x) && !math.IsInf(*x, 0) }

// holds reports whether a number is within the bounds. NaN never is.
func (b *Bounds) holds(x float64) bool {
	return !math.IsNaN(x) && (b.Min == nil || x >= *b.Min) && (b.Max == nil || x <= *b.Max)
}

// pointless returns an error if all values from least to greatest are within the bounds, or none.
// Counts are whole numbers.
func (b *Bounds) pointless(key string, least, greatest float64, whole bool) error {
	if b == nil {
		return nil
	}
	low, high := math.Inf(-1), math.Inf(1)
	if b.Min != nil {
		low = *b.Min
	}
	if b.Max != nil {
		high = *b.Max
	}
	kind := "numbers"
	if whole {
		low, high, kind = math.Ceil(low), math.Floor(high), "integers"
	}
	if (low > least || high < greatest) && max(low, least) <= min(high, greatest) {
		return nil
	}
	possible := fmt.Sprintf("the possible values are %s from %s", kind, figure(least))
	switch {
	case math.IsInf(least, 0):
		possible = "all " + kind + " are possible"
	case !math.IsInf(greatest, 0):
		possible += " to " + figure(greatest)
	}
	return fmt.Errorf("found bounds that nothing can break or keep, %s %v, because %s; expected "+
		"bounds that some of them break and some keep", key, b, possible)
}

func figure(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// String returns the bounds in words: "1 to 20", "at least 1", "at most 20" or "20".
func (b *Bounds) String() string {
	switch {
	case b.Min == nil:
		return "at most " + figure(*b.Max)
	case b.Max == nil:
		return "at least " + figure(*b.Min)
	case *b.Min == *b.Max:
		return figure(*b.Min)
	}
	return figure(*b.Min) + " to " + figure(*b.Max)
}
