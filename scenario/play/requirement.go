package play

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/fault"
	"gosmp/internal/similar"
)

// ErrRequirement is the kind of error for requirements that cannot be understood.
var ErrRequirement = errors.New("bad requirement")

// Error is an error with a place.
type Error = fault.Error

// Requirement is something that a run has to satisfy.
type Requirement struct {
	Text  string
	Place fault.Place // the line in a file; zero for an option

	kind      string // collision, dismissal, quantity, element, monitor, impact, reaction
	negative  bool   // not, no
	aggregate string // min, max, mean, final, initial; empty: at all times
	quantity  string
	entity    string // empty: the ego vehicle
	other     string // empty: any
	rule      string // < <= > >= = !=
	limit     float64
	element   string // kind of an element
	name      string
	state     string
}

// quantity is a quantity that requirements can limit.
type quantity struct {
	unit   string
	pair   bool // of two entities
	far    bool // if it was never defined, > is satisfied: no other entity was ahead
	signed bool // may be negative
}

var quantities = map[string]quantity{
	"speed": {unit: "m/s", signed: true}, "acceleration": {unit: "m/s2", signed: true},
	"deceleration": {unit: "m/s2", signed: true}, "overspeed": {unit: "m/s", signed: true},
	"jerk": {unit: "m/s3"}, "offset": {unit: "m"}, "traveled": {unit: "m"},
	"distance": {unit: "m", pair: true}, "ttc": {unit: "s", pair: true, far: true},
	"headway": {unit: "s", pair: true, far: true}, "pet": {unit: "s", pair: true, far: true},
}

// factors maps the target unit of a number to its possible units and their conversion factors.
var factors = map[string]map[string]float64{
	"m/s": {"m/s": 1, "km/h": 1 / 3.6, "mph": 0.44704}, "m": {"m": 1, "km": 1000},
	"s": {"s": 1, "ms": 0.001}, "m/s2": {"m/s2": 1, "g": 9.80665}, "m/s3": {"m/s3": 1},
}

var (
	aggregates = []string{"min", "max", "mean", "final", "initial"}
	ruleSigns  = []string{"<", "<=", ">", ">=", "=", "!="}
	kinds      = []string{"story", "act", "maneuverGroup", "maneuver", "event", "action"}
	states     = []string{"started", "ended", "complete", "stopped", "skipped"}
)

// ParseRequirement reads a requirement. A requirement that no run can violate, or none can meet, is
// an error.
func ParseRequirement(text string) (Requirement, error) {
	r, err := parseRequirement(text)
	if err == nil {
		err = r.pointless()
	}
	return r, err
}

func parseRequirement(text string) (Requirement, error) {
	r := Requirement{Text: strings.Join(strings.Fields(text), " ")}
	words := &words{list: strings.Fields(text)}
	err := r.parse(words)
	if err == nil && words.next() != "" {
		words.k--
		err = words.bad("the end of the requirement", nil)
	}
	if e := (*Error)(nil); errors.As(err, &e) {
		e.Place.Object = strconv.Quote(r.Text)
	}
	return r, err
}

// ReadRequirements reads one requirement from each line. It ignores empty lines, and everything
// after a #.
func ReadRequirements(name string, from io.Reader) (list []Requirement, err error) {
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "\ufeff"), "#")
		if strings.TrimSpace(text) == "" {
			continue
		}
		r, err := ParseRequirement(text)
		r.Place = fault.Place{File: name, Line: n}
		if e := (*Error)(nil); errors.As(err, &e) {
			e.Place.File, e.Place.Line = name, n
		}
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(list) == 0 { // it would require nothing, and everything would meet it
		return nil, fault.New(ErrRequirement, fault.Place{File: name}, "no requirement",
			"at least one, each on a line of its own, such as: no collision")
	}
	return list, nil
}

// words are the words of a requirement.
type words struct {
	list []string
	k    int
}

func (w *words) next() string {
	w.k++
	if w.k > len(w.list) {
		return ""
	}
	return w.list[w.k-1]
}

func (w *words) peek() string {
	if w.k >= len(w.list) {
		return ""
	}
	return w.list[w.k]
}

// bad returns the error for an unexpected next word.
func (w *words) bad(expected string, known []string) error {
	found := "the end"
	if word := w.peek(); word != "" {
		found = strconv.Quote(word)
	}
	return fault.New(ErrRequirement, fault.Place{}, found, expected).
		WithHint(similar.Hint(w.peek(), known))
}

// one reads the next word, which must be one of a list.
func (w *words) one(list []string) (string, error) {
	if !slices.Contains(list, w.peek()) {
		return "", w.bad(strings.Join(list, ", "), list)
	}
	return w.next(), nil
}

func (r *Requirement) parse(w *words) (err error) {
	if word := w.peek(); word == "no" || word == "not" {
		r.negative = true
		w.next()
	}
	switch word := w.peek(); {
	case word == "collision":
		w.next()
		r.kind = "collision"
		return r.entities(w, "with")
	case word == "dismissal" && r.negative:
		w.next()
		r.kind = "dismissal"
		return r.entities(w, "")
	case word == "monitor":
		w.next()
		r.kind = "monitor"
		if r.name = w.next(); r.name == "" {
			return w.bad("the name of a monitor", nil)
		}
		return nil
	case slices.Contains(kinds, word):
		r.kind, r.element = "element", w.next()
		if r.name = w.next(); r.name == "" {
			return w.bad("the name of the "+r.element, nil)
		}
		r.state, err = w.one(states)
		return err
	case r.negative:
		return w.bad("collision, dismissal, monitor, or the kind of an element",
			append([]string{"collision", "dismissal", "monitor"}, kinds...))
	case word == "impact":
		return r.impact(w)
	case word == "reaction":
		return r.reaction(w)
	}
	return r.comparison(w)
}

// impact reads "impact speed RULE NUMBER".
func (r *Requirement) impact(w *words) error {
	w.next()
	if _, err := w.one([]string{"speed"}); err != nil {
		return err
	}
	r.kind = "impact"
	return r.bound(w, "m/s")
}

// reaction reads "reaction [of ENTITY] to KIND NAME RULE NUMBER [UNIT]".
func (r *Requirement) reaction(w *words) (err error) {
	w.next()
	r.kind = "reaction"
	if err := r.entities(w, ""); err != nil {
		return err
	}
	if _, err := w.one([]string{"to"}); err != nil {
		return err
	}
	if r.element, err = w.one(kinds); err != nil {
		return err
	}
	if r.name = w.next(); r.name == "" {
		return w.bad("the name of the "+r.element, nil)
	}
	return r.bound(w, "s")
}

// comparison reads "[AGGREGATE] QUANTITY [of ENTITY] [to ENTITY] RULE NUMBER [UNIT]".
func (r *Requirement) comparison(w *words) (err error) {
	r.kind = "quantity"
	if slices.Contains(aggregates, w.peek()) {
		r.aggregate = w.next()
	}
	names := slices.Sorted(maps.Keys(quantities))
	if r.quantity, err = w.one(names); err != nil {
		if r.aggregate != "" {
			return err
		}
		return w.bad("no collision, a quantity ("+strings.Join(names, ", ")+
			"), min, max, mean, final, initial, impact speed, reaction, monitor, or the "+
			"kind of an element",
			append(names, aggregates...))
	}
	if err := r.entities(w, "to"); err != nil {
		return err
	}
	if r.other != "" && !quantities[r.quantity].pair {
		w.k -= 2
		return w.bad("a rule, because "+r.quantity+" is of one entity", nil)
	}
	return r.bound(w, quantities[r.quantity].unit)
}

// entities reads "[of ENTITY] [with ENTITY]".
func (r *Requirement) entities(w *words, second string) error {
	for _, x := range []struct {
		word string
		to   *string
	}{{"of", &r.entity}, {second, &r.other}} {
		if w.peek() != x.word || x.word == "" {
			continue
		}
		w.next()
		if w.peek() == "" {
			return w.bad("the name of an entity", nil)
		}
		*x.to = w.next()
	}
	return nil
}

// bound reads "RULE NUMBER [UNIT]".
func (r *Requirement) bound(w *words, unit string) (err error) {
	if r.rule, err = w.one(ruleSigns); err != nil {
		return err
	}
	text := w.peek()
	x, err := decimal.Number(text)
	if err != nil {
		return w.bad("a number in "+unit, nil)
	}
	w.next()
	r.limit = x
	if w.peek() == "" {
		return nil
	}
	factor, known := factors[unit][w.peek()]
	if !known {
		var names []string
		for name := range factors[unit] {
			names = append(names, name)
		}
		slices.Sort(names)
		return w.bad(strings.Join(names, ", "), names)
	}
	w.next()
	r.limit = x * factor
	return nil
}

// holds compares a value with the bound. A tolerance allows for rounding in sums of steps.
func (r *Requirement) holds(x float64) bool {
	const tolerance = 1e-9
	switch r.rule {
	case "<":
		return x < r.limit-tolerance
	case "<=":
		return x <= r.limit+tolerance
	case ">":
		return x > r.limit+tolerance
	case ">=":
		return x >= r.limit-tolerance
	case "!=":
		return x < r.limit-tolerance || x > r.limit+tolerance
	default:
		return x >= r.limit-tolerance && x <= r.limit+tolerance
	}
}

// pointless returns an error for a bound that a quantity which is never negative always keeps, or
// never.
func (r *Requirement) pointless() error {
	if r.rule == "" || r.kind == "quantity" && quantities[r.quantity].signed {
		return nil
	}
	var what string
	switch least := r.holds(0); {
	case (r.rule == ">" || r.rule == ">=") && least,
		r.rule == "!=" && r.limit < 0 && least && r.kind != "reaction": // without one, it fails
		what = "violate"
	case (r.rule == "<" || r.rule == "<=") && !least, r.rule == "=" && r.limit < 0 && !least:
		what = "meet"
	default:
		return nil
	}
	return fault.New(ErrRequirement, fault.At(strconv.Quote(r.Text)),
		"a bound that no run can "+what, "a bound above the smallest possible value, 0")
}

// expected describes the bound in words.
func (r *Requirement) expected(unit string) string {
	return fmt.Sprintf("expected %s %s %s", r.rule, number(r.limit), unit)
}
