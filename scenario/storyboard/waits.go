package storyboard

// Wait is an element that has not come to its end.
type Wait struct {
	Element    *Element
	Conditions []*Condition // of its trigger, that are not true
}

// Waits are the innermost elements that are not complete: those in standby with the conditions of
// their start trigger, and actions that run. Last comes the storyboard with those of its stop
// trigger, unless it has stopped. After a stop, ask before the last evaluation.
func (b *Board) Waits() (list []Wait) {
	for _, a := range b.actions {
		if a.init && a.status == Running {
			list = append(list, Wait{Element: a})
		}
	}
	for _, e := range b.elements {
		switch {
		case e.status == Standby:
			list = append(list, Wait{e, e.start.open()})
		case e.status == Running && e.Kind == ActionElement:
			list = append(list, Wait{Element: e})
		}
	}
	if b.root.status == Running {
		list = append(list, Wait{b.root, b.root.stop.open()})
	}
	return list
}

// open are the conditions that are not true.
func (t *trigger) open() (list []*Condition) {
	if t == nil {
		return nil
	}
	for _, group := range t.groups {
		for _, c := range group {
			if !c.result {
				list = append(list, c)
			}
		}
	}
	return list
}
