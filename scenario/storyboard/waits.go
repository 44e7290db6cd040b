package storyboard

// Wait is an element that has not ended.
type Wait struct {
	Element    *Element
	Status     Status
	Conditions []*Condition // the conditions of its trigger that are not true
}

// Waits returns the innermost elements that are not complete: elements in standby with the
// conditions of their start trigger, and running actions. The storyboard itself comes last, with
// the conditions of its stop trigger. For a stopped storyboard, Waits returns the elements as they
// were just before the stop.
func (b *Board) Waits() (list []Wait) {
	if b.root.status == Complete {
		return b.left
	}
	for _, a := range b.actions {
		if a.init && a.status == Running {
			list = append(list, Wait{Element: a, Status: Running})
		}
	}
	for _, e := range b.elements {
		switch {
		case e.status == Standby:
			list = append(list, Wait{e, Standby, e.start.open()})
		case e.status == Running && e.Kind == ActionElement:
			list = append(list, Wait{Element: e, Status: Running})
		}
	}
	if open := b.root.stop.open(); len(open) > 0 {
		list = append(list, Wait{b.root, Running, open})
	}
	return list
}

// open returns the conditions that were not true at their last evaluation.
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
