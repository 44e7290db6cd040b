package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
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

// tolerances finds the tolerance for each place.
type tolerances struct {
	list []Tolerance
	top  place // a whole message
}

// verdict is the tolerance for a place; named means that it was given for this field.
type verdict struct {
	Tolerance
	named bool
}

// place is where a field is: the names from the top, without indices. Each place exists once.
type place struct {
	path  []string
	inner map[protoreflect.Name]*place
	known bool
	verdict
}

// field returns the place of a field inside this one.
func (p *place) field(f protoreflect.FieldDescriptor) *place {
	name := f.Name()
	if inner := p.inner[name]; inner != nil {
		return inner
	}
	if p.inner == nil {
		p.inner = map[protoreflect.Name]*place{}
	}
	inner := &place{path: slices.Concat(p.path, []string{string(name)})}
	p.inner[name] = inner
	return inner
}

// of returns the tolerance for a place: the last in the list that covers its path.
func (t *tolerances) of(p *place) verdict {
	if p.known {
		return p.verdict
	}
	v := verdict{Tolerance: standard}
	for _, given := range t.list {
		if given.Field == "" && !v.named {
			v.Tolerance = given
		} else if given.Field != "" && covers(given.Field, p.path) {
			v = verdict{given, true}
		}
	}
	p.known, p.verdict = true, v
	return v
}
