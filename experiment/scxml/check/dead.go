package check

import (
	"fmt"

	"gosmp/experiment/scxml"
)

// shadowed finds transitions that can never be taken (SX21).
func (c *checker) shadowed() {
	constants, dead := c.chart.Constants(), map[*scxml.Transition]bool{}
	inside := c.takenInside(constants)
	for _, q := range c.chart.States {
		if q.Kind == scxml.History {
			continue
		}
		e := earlier{unconditional: taken{}}
		for _, t := range q.Transitions {
			holds, constant := constants.Holds(t.Cond)
			if constant && !holds {
				dead[t] = true
				c.dead(t, t.Cond.Position,
					"the cond is always false, so the transition is never taken",
					"correct the cond, or remove the transition")
				continue
			}
			if by := e.shadowing(t); by != nil {
				dead[t] = true
				c.dead(t, t.Position,
					fmt.Sprintf(
						"the transition is never taken: the transition in line "+
							"%d always takes precedence",
						by.Position.Line),
					"put it first, or add a cond to the other one")
			} else if by := inside[q].all(t); by != nil {
				dead[t] = true
				c.dead(t, t.Position, fmt.Sprintf("the transition is never taken: each state "+
					"inside has one that takes precedence, such as in line %d", by.Position.Line),
					"add a cond to the other ones, or remove them")
			}
			if t.Cond == nil || holds {
				e.add(t)
			}
		}
	}
	c.hidden(constants, inside, dead)
}

// dead warns of a transition that is never taken. A judge with such a transition decides without
// it, which matters unless it only leads to success.
func (c *checker) dead(t *scxml.Transition, at scxml.Position, message, remedy string) {
	if c.options.Evaluation && !toSuccess(t) {
		c.blind(SX21, at, message, remedy)
		return
	}
	c.warn(SX21, at, message, remedy)
}

// toSuccess reports whether a transition leads to the end of an evaluation in success.
func toSuccess(t *scxml.Transition) bool {
	return len(t.Targets) == 1 && t.Targets[0].Kind == scxml.Final && t.Targets[0].ID == "success"
}

// earlier holds the transitions of a state that come before the current one and have no condition,
// or one that always holds.
type earlier struct {
	eventless     *scxml.Transition
	unconditional taken
}

func (e *earlier) add(t *scxml.Transition) {
	if t.Eventless() && e.eventless == nil {
		e.eventless = t
	}
	for _, d := range t.Events {
		if e.unconditional[d] == nil {
			e.unconditional[d] = t
		}
	}
}

// shadowing returns the last of the earlier transitions that together match everything that t
// matches, or nil.
func (e *earlier) shadowing(t *scxml.Transition) (by *scxml.Transition) {
	if t.Eventless() {
		return e.eventless
	}
	return e.unconditional.all(t)
}
