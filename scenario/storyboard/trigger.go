package storyboard

import (
	"strings"
)

// trigger is a list of condition groups. It fires if all conditions of one group are satisfied.
type trigger struct {
	owner  *Element
	groups [][]*Condition
	fired  []*Condition // the group that was satisfied when it last fired
}

// fires evaluates all conditions.
func (t *trigger) fires(b *Board) bool {
	t.fired = nil
	for _, group := range t.groups {
		satisfied := len(group) > 0
		for _, c := range group {
			satisfied = c.evaluate(b) && satisfied
		}
		if satisfied && t.fired == nil {
			t.fired = group
		}
	}
	return t.fired != nil
}

func (t *trigger) reset() {
	if t == nil {
		return
	}
	for _, group := range t.groups {
		for _, c := range group {
			c.reset()
		}
	}
}

// reason names the conditions that fired the trigger.
func (t *trigger) reason() string {
	if t == nil || t.fired == nil {
		return ""
	}
	names := make([]string, len(t.fired))
	for k, c := range t.fired {
		names[k] = c.Name
	}
	return strings.Join(names, " and ")
}

// triggering returns the entities that fired the trigger.
func (t *trigger) triggering() (mask uint64) {
	if t == nil {
		return 0
	}
	for _, c := range t.fired {
		mask |= c.triggering
	}
	return mask
}
