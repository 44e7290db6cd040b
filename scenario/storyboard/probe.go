package storyboard

import (
	"strconv"
	"strings"

	"gosmp/scenario"
)

// timeProbe is a SimulationTimeCondition.
type timeProbe struct {
	rule  rule
	limit float64
	now   float64
}

func (p *timeProbe) holds(b *Board, _ *Condition) (bool, uint64) {
	p.now = b.now
	return p.rule.compare(p.now, p.limit), 0
}

func (p *timeProbe) describe() string {
	return "time " + short(p.now) + " s " + p.rule.String() + " " + short(p.limit) + " s"
}

// valueProbe compares a parameter, a variable, a user-defined value or the state of a signal.
type valueProbe struct {
	what    string
	name    string
	read    func() (comparand, bool) // false: not set yet
	rule    rule
	limit   comparand
	current comparand
	known   bool
}

func (p *valueProbe) holds(*Board, *Condition) (bool, uint64) {
	p.current, p.known = p.read()
	return p.known && p.rule.compareTexts(p.current, p.limit), 0
}

func (p *valueProbe) describe() string {
	value := "not set"
	if p.known {
		value = p.current.text
	}
	return p.what + " " + p.name + " " + value + " " + p.rule.String() + " " + p.limit.text
}

// dayProbe is a TimeOfDayCondition.
type dayProbe struct {
	rule  rule
	limit float64 // s since 1970
	now   float64
	known bool
}

func (p *dayProbe) holds(b *Board, _ *Condition) (bool, uint64) {
	p.now, p.known = b.clock.at(b.now)
	return p.known && p.rule.compare(p.now, p.limit), 0
}

func (p *dayProbe) describe() string {
	if !p.known {
		return "time of day not set " + p.rule.String() + " " + dayText(p.limit)
	}
	return "time of day " + dayText(p.now) + " " + p.rule.String() + " " + dayText(p.limit)
}

// stateProbe is a StoryboardElementStateCondition.
type stateProbe struct {
	element    *Element
	status     Status
	transition Transition // instead of a status
	current    Status
}

func (p *stateProbe) holds(b *Board, c *Condition) (bool, uint64) {
	p.current = p.element.status
	if p.transition != NoTransition {
		return c.sees(b, p.element.happened[p.transition]), 0
	}
	return p.current == p.status, 0
}

func (p *stateProbe) describe() string {
	awaited := p.status.String()
	if p.transition != NoTransition {
		awaited = p.transition.String()
	}
	return p.element.String() + " " + p.current.String() + ", awaited " + awaited
}

// entityProbe is a ByEntityCondition.
type entityProbe struct {
	what     string
	unit     string
	entities []watched
	all      bool
	rule     rule
	limit    float64
}

// watched is one of the triggering entities.
type watched struct {
	entity  Entity
	name    string
	measure Measure
	timer   *timer // only for conditions with a duration
	value   float64
	known   bool
	holds   bool
}

func (p *entityProbe) holds(b *Board, _ *Condition) (bool, uint64) {
	count, mask := 0, uint64(0)
	for k := range p.entities {
		w := &p.entities[k]
		if w.timer != nil {
			w.value, w.known = w.timer.lasting(b.now)
		} else {
			w.value, w.known = w.measure.Value()
		}
		if w.holds = w.known && p.rule.compare(w.value, p.limit); w.holds {
			count++
			mask |= 1 << w.entity
		}
	}
	if p.all {
		return count == len(p.entities) && count > 0, mask
	}
	return count > 0, mask
}

func (p *entityProbe) describe() string {
	texts := make([]string, len(p.entities))
	for k, w := range p.entities {
		value := "not defined"
		if w.known {
			value = short(w.value) + p.unit
		}
		texts[k] = w.name + " " + value
	}
	return p.what + " of " + strings.Join(texts, ", ") + ", " + p.rule.String() + " " +
		short(p.limit) + p.unit
}

// timer measures how long something has been true.
type timer struct {
	measure Measure
	is      func(x float64) bool
	since   float64
	running bool
}

// tick checks before and after each pass whether the condition is still true.
func (t *timer) tick(now float64) {
	x, ok := t.measure.Value()
	switch is := ok && t.is(x); {
	case !is:
		t.running = false
	case !t.running:
		t.running, t.since = true, now
	}
}

// lasting returns how long the condition has been true, in s; ok is false while it is not true.
// What has lasted until now counts during the whole pass, even if an action has just ended it.
func (t *timer) lasting(now float64) (duration float64, ok bool) {
	if !t.running {
		t.tick(now)
	}
	return now - t.since, t.running
}

func (b *Board) tick() {
	for _, t := range b.timers {
		t.tick(b.now)
	}
}

// short formats a number for readers, with at most six digits.
func short(x float64) string {
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// standing is the speed below which an entity counts as standing still, in m/s.
const standing = 1e-3

// quantities maps the measured conditions to their description, their unit, and their rule if the
// element has no attribute rule.
var quantities = map[string]struct {
	what, unit string
	rule       rule
	limit      string // the attribute; empty: 1
}{
	"SpeedCondition":             {"speed", " m/s", equalTo, "value"},
	"RelativeSpeedCondition":     {"relative speed", " m/s", equalTo, "value"},
	"AccelerationCondition":      {"acceleration", " m/s2", equalTo, "value"},
	"TraveledDistanceCondition":  {"traveled distance", " m", greaterOrEqual, "value"},
	"DistanceCondition":          {"distance", " m", equalTo, "value"},
	"RelativeDistanceCondition":  {"relative distance", " m", equalTo, "value"},
	"ReachPositionCondition":     {"distance to the position", " m", lessThan, "tolerance"},
	"TimeHeadwayCondition":       {"time headway", " s", equalTo, "value"},
	"TimeToCollisionCondition":   {"time to collision", " s", equalTo, "value"},
	"AngleCondition":             {"angle off by", " rad", lessOrEqual, "angleTolerance"},
	"RelativeAngleCondition":     {"angle off by", " rad", lessOrEqual, "angleTolerance"},
	"CollisionCondition":         {"collision", "", equalTo, ""},
	"RelativeClearanceCondition": {"clearance", "", equalTo, ""},
	"StandStillCondition":        {"standstill", " s", greaterOrEqual, "duration"},
	"EndOfRoadCondition":         {"end of road", " s", greaterOrEqual, "duration"},
	"OffroadCondition":           {"off road", " s", greaterOrEqual, "duration"},
}

// lasts returns the duration for which a condition must hold.
func lasts(leaf *scenario.Element) func(float64) bool {
	switch leaf.Type {
	case "StandStillCondition":
		return func(v float64) bool { return v < standing && v > -standing }
	case "EndOfRoadCondition", "OffroadCondition":
		return func(x float64) bool { return x != 0 }
	default:
		return nil
	}
}
