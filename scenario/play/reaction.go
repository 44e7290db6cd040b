package play

import (
	"gosmp/scenario/storyboard"
)

// braking is the minimum deceleration that counts as a reaction, in m/s2.
const braking = 1.0

// reaction judges how long after the start of an element an entity brakes.
type reaction struct {
	requirement *Requirement
	entity      int
	element     *storyboard.Element
	begun, done *float64 // s
}

func (p *Player) newReaction(r *Requirement, entity int) (judge, error) {
	found, err := p.newElement(r)
	if err != nil {
		return nil, err
	}
	return &reaction{requirement: r, entity: entity, element: found.(*element).element}, nil
}

func (j *reaction) happened(o storyboard.Occurrence) {
	if o.Element == j.element && o.Transition == storyboard.StartTransition && j.begun == nil {
		at := o.Time
		j.begun = &at
	}
}

func (j *reaction) look(p *Player) {
	if j.begun == nil || j.done != nil {
		return
	}
	if s := p.world.State(storyboard.Entity(j.entity)); s != nil && -s.Acceleration >= braking {
		now := p.board.Now()
		j.done = &now
	}
}

func (j *reaction) verdict(p *Player) Verdict {
	r := j.requirement
	v := Verdict{Requirement: r.Text, Entity: p.names[j.entity], Time: j.done}
	switch {
	case j.begun == nil:
		v.Undecided, v.Cause = true, j.element.String()+" has not started"
	case j.done == nil:
		v.Passed = r.rule == ">" || r.rule == ">="
		if !v.Passed {
			v.Cause = v.Entity + " does not brake after the start of " + j.element.String() +
				" at " +
				number(*j.begun) + " s"
		}
	default:
		x := *j.done - *j.begun
		v.Value, v.Passed = &x, r.holds(x)
		if !v.Passed {
			v.Cause = v.Entity + " brakes " + number(x) + " s after the start of " +
				j.element.String() + ", " + r.expected("s")
		}
	}
	return v
}
