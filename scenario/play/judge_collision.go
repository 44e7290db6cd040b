package play

import (
	"cmp"
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/scenario/storyboard"
)

// collisions judges whether and how fast an entity or its trailers hit others.
type collisions struct {
	requirement *Requirement
	report      bool // into the result
	entity      int
	other       int // -1: anything
	pairs       []encounter
	time        float64 // of the last evaluation
	found       []Collision
	after       string
	together    bool // both entities of a pair have existed at the same time
}

// encounter is a pair of entities that may collide.
type encounter struct {
	own, other int
	measure    storyboard.Measure
	touching   bool
}

// mostTrailers is the maximum number of trailers of a vehicle whose collisions are judged: each of
// them is compared with each other entity in each step.
const mostTrailers = 100

func (p *Player) newCollisions(entity, other int) (*collisions, error) {
	c := &collisions{entity: entity, other: other}
	for _, vehicle := range []int{entity, other} {
		if vehicle < 0 {
			continue
		}
		if n := len(p.train(vehicle)) - 1; n > mostTrailers {
			return nil, fault.New(storyboard.ErrUnsupported, fault.At(p.names[vehicle]),
				fmt.Sprintf("%d trailers", n), fmt.Sprintf("at most %d", mostTrailers))
		}
	}
	for _, own := range p.train(entity) {
		others := p.others(entity, other)
		if other >= 0 {
			others = p.train(other)
		}
		for _, k := range others {
			if k == own {
				continue
			}
			e := with(condition("CollisionCondition"), condition("EntityRef", "entityRef",
				p.names[k]))
			m, err := p.measure(e, own)
			if err != nil {
				return nil, err
			}
			c.pairs = append(c.pairs, encounter{own: own, other: k, measure: m})
		}
	}
	return c, nil
}

// train returns an entity and everything that it may tow in the run.
func (p *Player) train(entity int) []int {
	list := []int{entity}
	if w, is := p.world.(towing); is {
		for _, t := range w.Trailers(storyboard.Entity(entity)) {
			list = append(list, int(t))
		}
	}
	return list
}

// tows reports whether an entity is a part of another one: itself, or a trailer at this time.
func (p *Player) tows(entity, part int) bool {
	if entity == part {
		return true
	}
	w, is := p.world.(towing)
	return is && w.Tows(storyboard.Entity(entity), storyboard.Entity(part))
}

func (c *collisions) happened(storyboard.Occurrence) {}

func (c *collisions) look(p *Player) {
	h, before := p.board.Now()-c.time, len(c.found)
	for k := range c.pairs {
		x := &c.pairs[k]
		own, other := &p.strides[x.own], &p.strides[x.other]
		c.together = c.together || p.together(x.own, x.other)
		value, ok := x.measure.Value()
		now := ok && value != 0
		if ok && !x.touching && c.counts(p, x) { // a vehicle does not collide with its trailer
			if share, hit := contact(own, other, now); hit {
				c.hit(p, x, share, c.time+float64(share*h))
			}
		}
		x.touching = now || !ok && own.to.is // a trailer that is uncoupled touches already
	}
	slices.SortStableFunc(c.found[before:], func(a, b Collision) int {
		return cmp.Compare(a.Time, b.Time)
	})
	c.time = p.board.Now()
	if c.report {
		p.result.Collisions = append(p.result.Collisions[:0], c.found...)
	}
}

// together reports whether two entities exist at the end of a step.
func (p *Player) together(a, b int) bool { return p.strides[a].to.is && p.strides[b].to.is }

// counts reports whether both entities of a pair are, at this time, the ones that are judged or
// their trailers.
func (c *collisions) counts(p *Player, x *encounter) bool {
	return p.tows(c.entity, x.own) && (c.other < 0 || p.tows(c.other, x.other))
}

// hit adds a collision at a share of the step.
func (c *collisions) hit(p *Player, x *encounter, share, time float64) {
	if len(c.found) == 0 {
		c.after = p.after()
	}
	c.found = append(c.found, Collision{time, p.names[x.own], p.names[x.other],
		p.strides[x.own].at(share).speed, p.strides[x.other].at(share).speed})
}

func (c *collisions) verdict(p *Player) Verdict {
	v := Verdict{Entity: p.names[c.entity]}
	if c.requirement == nil {
		return v
	}
	r := c.requirement
	v.Requirement = r.Text
	if r.kind == "impact" {
		return c.possible(p, c.impact(v))
	}
	v.Passed = (len(c.found) == 0) == r.negative
	switch {
	case len(c.found) > 0:
		first := c.found[0]
		v.Time, v.Value, v.Other = &first.Time, &first.ImpactSpeed, first.Other
		if !v.Passed {
			v.Cause = fmt.Sprintf("%s collides with %s at %s s, impact speed %s m/s", first.Entity,
				first.Other, number(first.Time), number(first.ImpactSpeed))
			v.After = c.after
		}
	case !v.Passed:
		v.Cause = v.Entity + " does not collide"
	}
	return c.possible(p, v)
}

// possible returns the verdict on a run in which the entities could collide. If they were never
// there at the same time, for instance because no action placed them, nothing was judged. A
// scenario with a single entity is meant to have no collision.
func (c *collisions) possible(p *Player, v Verdict) Verdict {
	if !v.Passed || c.together || len(c.pairs) == 0 {
		return v
	}
	other := "any other entity"
	if c.other >= 0 {
		other = p.names[c.other]
	}
	v.Passed, v.Undecided, v.Value = false, true, nil
	v.Cause = v.Entity + " and " + other + " were never in the simulation at the same time"
	return v
}

func (c *collisions) impact(v Verdict) Verdict {
	worst := Collision{}
	for _, x := range c.found {
		if x.ImpactSpeed >= worst.ImpactSpeed {
			worst = x
		}
	}
	v.Value, v.Passed = &worst.ImpactSpeed, c.requirement.holds(worst.ImpactSpeed)
	if len(c.found) > 0 {
		v.Time, v.Other = &worst.Time, worst.Other
	}
	if !v.Passed {
		of := ""
		if len(c.found) > 0 && worst.Entity != v.Entity { // its trailer
			of = "of " + worst.Entity + " "
		}
		v.Cause, v.After = "impact speed "+of+number(worst.ImpactSpeed)+" m/s, "+
			c.requirement.expected("m/s"), c.after
	}
	return v
}
