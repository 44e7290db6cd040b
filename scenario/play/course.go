package play

import (
	"math"
	"strings"

	"gosmp/scenario/storyboard"
)

// course judges a quantity over time.
type course struct {
	requirement *Requirement
	entity      int
	others      []int
	read        func(p *Player, k int) (float64, bool) // for one of the other entities, or none
	apart       func(k int) bool                       // nil: the other entities always count
	count       int
	sum         float64
	worst       point // the deciding one
	broken      bool  // a requirement for all times is broken
	together    bool  // the entity and one of the others have existed at the same time
}

// point is a value and its time.
type point struct {
	value, time float64
	other       int // -1: none
	after       string
	is          bool
}

func (p *Player) newQuantity(r *Requirement, entity, other int) (judge, error) {
	c := &course{requirement: r, entity: entity}
	if !quantities[r.quantity].pair {
		c.others, c.read = []int{-1}, single(r.quantity, entity)
		return c, nil
	}
	c.others = p.others(entity, other)
	if w, is := p.world.(towing); is && other < 0 {
		list, err := p.newPartings(w, entity, c.others)
		if err != nil {
			return nil, err
		}
		c.apart = list.counts
	}
	if r.quantity == "pet" {
		c.read = p.encroachments(entity, c.others)
		return c, nil
	}
	var err error
	c.read, err = p.pair(r.quantity, entity, c.others)
	return c, err
}

// towing is a world with trailers. The nearest entity is never a part of the same train, and what
// hits a trailer hits its vehicle.
type towing interface {
	// Names returns the names of all entities, also of trailers described inside their vehicles.
	Names() []string
	// Trailers returns what a vehicle tows at any time: trailers from the start and by actions, and
	// the trailers of trailers.
	Trailers(vehicle storyboard.Entity) []storyboard.Entity
	// Coupled reports whether two entities are parts of one train, and Tows whether the second one
	// is a trailer of the first one, or a trailer of its trailers.
	Coupled(a, b storyboard.Entity) bool
	Tows(vehicle, trailer storyboard.Entity) bool
}

// single returns a function that reads a quantity of one entity.
func single(quantity string, entity int) func(*Player, int) (float64, bool) {
	of := map[string]func(*storyboard.State) float64{
		"speed":        func(s *storyboard.State) float64 { return s.Speed },
		"acceleration": func(s *storyboard.State) float64 { return s.Acceleration },
		"deceleration": func(s *storyboard.State) float64 { return 0 - s.Acceleration },
		"offset":       func(s *storyboard.State) float64 { return math.Abs(s.Offset) },
		"traveled":     func(s *storyboard.State) float64 { return s.Traveled },
		"overspeed":    func(s *storyboard.State) float64 { return s.Speed - s.Limit },
	}[quantity]
	if quantity == "jerk" {
		return jerk(entity)
	}
	return func(p *Player, _ int) (float64, bool) {
		s := p.world.State(storyboard.Entity(entity))
		if s == nil || quantity == "offset" && s.Road == "" ||
			quantity == "overspeed" && s.Limit == 0 {
			return 0, false
		}
		return of(s), true
	}
}

// jerk returns a function that reads the absolute rate of change of the acceleration between steps.
func jerk(entity int) func(*Player, int) (float64, bool) {
	var time, before float64
	known := false
	return func(p *Player, _ int) (float64, bool) {
		s := p.world.State(storyboard.Entity(entity))
		if s == nil {
			known = false
			return 0, false
		}
		now, was, had, a := p.board.Now(), time, known, before
		time, before, known = now, s.Acceleration, true
		if !had || now <= was {
			return 0, false
		}
		return math.Abs(s.Acceleration-a) / (now - was), true
	}
}

func (*course) happened(storyboard.Occurrence) {}

func (c *course) look(p *Player) {
	for k, other := range c.others {
		c.together = c.together || other >= 0 && p.together(c.entity, other)
		if c.apart != nil && !c.apart(k) {
			continue
		}
		x, ok := c.read(p, k)
		if !ok || math.IsNaN(x) {
			continue
		}
		c.count++
		c.sum += x
		if c.decides(x) {
			c.worst = point{x, p.board.Now(), other, p.after(), true}
		}
		c.broken = c.broken || !c.requirement.holds(x)
	}
}

// decides reports whether a value replaces the deciding value so far. Depending on the requirement,
// the smallest, the largest, the last or the first value decides, or the first one that breaks a
// requirement that applies at all times.
func (c *course) decides(x float64) bool {
	switch {
	case !c.worst.is:
		return true
	case c.requirement.aggregate == "min":
		return x < c.worst.value
	case c.requirement.aggregate == "max":
		return x > c.worst.value
	case c.requirement.aggregate == "final":
		return true
	case c.requirement.aggregate == "":
		return !c.broken && !c.requirement.holds(x)
	default:
		return false
	}
}

func (c *course) verdict(p *Player) Verdict {
	r, q := c.requirement, quantities[c.requirement.quantity]
	v := Verdict{Requirement: r.Text, Entity: p.names[c.entity]}
	if c.count == 0 {
		v.Passed = q.far && r.aggregate != "max" && (r.rule == ">" || r.rule == ">=") &&
			(c.together || len(c.others) == 0)
		if v.Undecided = !v.Passed; v.Undecided {
			v.Cause = r.quantity + " of " + v.Entity + " was never defined"
		}
		return v
	}
	value := c.worst.value
	if r.aggregate == "mean" {
		value = c.sum / float64(c.count)
	} else {
		at := c.worst.time
		v.Time = &at
	}
	v.Value = &value
	if c.worst.other >= 0 {
		v.Other = p.names[c.worst.other]
	}
	v.Passed = r.holds(value)
	if r.aggregate == "" {
		v.Passed = !c.broken
	}
	if !v.Passed {
		v.Cause, v.After = c.cause(&v, q.unit), c.worst.after
	}
	return v
}

func (c *course) cause(v *Verdict, unit string) string {
	text := strings.TrimSpace(c.requirement.aggregate + " " + c.requirement.quantity + " of " +
		v.Entity)
	if v.Other != "" {
		text += " to " + v.Other
	}
	text += " is " + number(*v.Value) + " " + unit
	if v.Time != nil {
		text += " at " + number(*v.Time) + " s"
	}
	return text + ", " + c.requirement.expected(unit)
}
