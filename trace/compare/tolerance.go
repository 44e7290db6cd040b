package compare

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// ErrTolerance reports a tolerance that cannot be used.
var ErrTolerance = errors.New("unusable tolerance")

// Tolerance describes how much the numbers in a field may differ.
type Tolerance struct {
	// Field is one or more consecutive names of a dotted path without indices: "position" stands
	// for each field with that name in its path, such as moving_object.base.position.x. Empty
	// stands for every floating-point field.
	Field string
	// the larger one applies; Relative is a fraction of the expected number
	Absolute, Relative float64
	Ignore             bool // the field is not compared
}

// standard allows for rounding differences between compilers or processors.
var standard = Tolerance{Absolute: 1e-9, Relative: 1e-9}

// String returns the tolerance as written on command lines: "base.position: 0.1".
func (t Tolerance) String() string {
	switch {
	case t.Ignore:
		return "ignored"
	case t.Relative == 0:
		return fmt.Sprint(t.Absolute)
	case t.Absolute == 0:
		return fmt.Sprintf("%v %%", 100*t.Relative)
	}
	return fmt.Sprintf("%v or %v %%", t.Absolute, 100*t.Relative)
}

// Check returns an error if a number cannot be a tolerance.
func (t Tolerance) Check() error {
	for _, x := range []float64{t.Absolute, t.Relative} {
		if !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("%w: %s: found %v, expected a non-negative number", ErrTolerance,
				t.Field, x)
		}
	}
	return nil
}

// allows reports whether two numbers count as equal. NaN equals NaN, and infinities equal
// themselves.
func (t Tolerance) allows(expected, found float64) bool {
	if expected == found || math.IsNaN(expected) && math.IsNaN(found) {
		return true
	}
	distance := math.Abs(expected - found)
	return distance <= max(t.Absolute, t.Relative*math.Abs(expected)) && !math.IsInf(distance, 0)
}

// covers reports whether a path without indices contains the names of a pattern consecutively.
func covers(pattern string, path []string) bool {
	names := strings.Split(pattern, ".")
	for from := 0; from+len(names) <= len(path); from++ {
		same := true
		for k, name := range names {
			same = same && path[from+k] == name
		}
		if same {
			return true
		}
	}
	return false
}

// tolerances finds and caches the tolerance for each path.
type tolerances struct {
	list  []Tolerance
	known map[string]verdict
}

// verdict is the tolerance for a path; named means that it was given for this field.
type verdict struct {
	Tolerance
	named bool
}

// of returns the tolerance for a path: the last in the list that covers the path.
func (t *tolerances) of(path []string) verdict {
	key := strings.Join(path, ".")
	if v, found := t.known[key]; found {
		return v
	}
	v := verdict{Tolerance: standard}
	for _, given := range t.list {
		if given.Field == "" && !v.named {
			v.Tolerance = given
		} else if given.Field != "" && covers(given.Field, path) {
			v = verdict{given, true}
		}
	}
	if t.known == nil {
		t.known = map[string]verdict{}
	}
	t.known[key] = v
	return v
}
