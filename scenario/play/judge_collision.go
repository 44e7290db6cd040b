package play

import (
	"fmt"

	"gosmp/scenario/storyboard"
)

// collisions judges whether and how fast an entity hits others.
type collisions struct {
	requirement *Requirement
	report      bool // into the result
	entity      int
	others      []int
	measures    []storyboard.Measure
	touching    []bool
	time        float64 // of the last evaluation
	found       []Collision
	after       string
}

func (p *Player) newCollisions(entity, other int) (*collisions, error) {
	c := &collisions{entity: entity}
	for _, k := range p.others(entity, other) {
		e := with(condition("CollisionCondition"), condition("EntityRef", "entityRef", p.names[k]))
		m, err := p.measure(e, entity)
		if err != nil {
			return nil, err
		}
		c.others, c.measures = append(c.others, k), append(c.measures, m)
	}
	c.touching = make([]bool, len(c.others))
	return c, nil
}

func (c *collisions) happened(storyboard.Occurrence) {}

func (c *collisions) look(p *Player) {
	h := p.board.Now() - c.time
	own := &p.strides[c.entity]
	for k, m := range c.measures {
		other := &p.strides[c.others[k]]
		x, ok := m.Value()
		now := ok && x != 0
		if ok && !c.touching[k] { // a vehicle does not collide with its trailer
			if share, hit := contact(own, other, now); hit {
				c.hit(p, k, share, c.time+float64(share*h))
			}
		}
		c.touching[k] = now || !ok && own.to.is // a trailer that is uncoupled touches already
	}
	c.time = p.board.Now()
	if c.report {
		p.result.Collisions = append(p.result.Collisions[:0], c.found...)
	}
}

// hit adds a collision at a share of the step.
func (c *collisions) hit(p *Player, k int, share, time float64) {
	if len(c.found) == 0 {
		c.after = p.after()
	}
	own, other := &p.strides[c.entity], &p.strides[c.others[k]]
	c.found = append(c.found, Collision{time, p.names[c.entity], p.names[c.others[k]],
		own.at(share).speed, other.at(share).speed})
}

func (c *collisions) verdict(p *Player) Verdict {
	v := Verdict{Entity: p.names[c.entity]}
	if c.requirement == nil {
		return v
	}
	r := c.requirement
	v.Requirement = r.Text
	if r.kind == "impact" {
		return c.impact(v)
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
		v.Cause, v.After = "impact speed "+number(worst.ImpactSpeed)+" m/s, "+
			c.requirement.expected("m/s"), c.after
	}
	return v
}
