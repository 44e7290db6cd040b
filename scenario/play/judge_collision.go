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
	for k, m := range c.measures {
		x, ok := m.Value()
		now := ok && x != 0
		if now && !c.touching[k] {
			if len(c.found) == 0 {
				c.after = p.after()
			}
			c.found = append(c.found, Collision{p.board.Now(), p.names[c.entity],
				p.names[c.others[k]], p.speed(c.entity), p.speed(c.others[k])})
		}
		c.touching[k] = now
	}
	if c.report {
		p.result.Collisions = append(p.result.Collisions[:0], c.found...)
	}
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
