package activity

import "gosmp/internal/fault"

// SetTrigger gives the activity another trigger; in a callback it takes effect at the end of the
// round. Work scheduled by the old trigger stays scheduled; spans held back by its combinations are
// lost to this activity. An unusable trigger is rejected with [ErrSpec] and changes nothing. Like
// building, the call is a mistake inside a callback of a parallel node.
func (a *Activity) SetTrigger(t Trigger) error {
	p := partOf(t)
	if err := a.checkTrigger(p); err != nil {
		return err
	}
	if err := a.node.build(a.String()); err != nil {
		return err
	}
	old := a.trigger
	a.spec.Trigger, a.trigger = t, p
	a.node.release(old)
	return nil
}

// checkTrigger returns an error if a trigger is unusable.
func (a *Activity) checkTrigger(t part) error {
	switch {
	case t == nil:
		return fault.New(ErrSpec, fault.At(a.String()), "no Trigger",
			"an alarm, a reader or a combination")
	case unwired(t) != "":
		return fault.New(ErrSpec, fault.At(a.String()), unwired(t), "at least one part")
	case t.trigger().node != nil && t.trigger().node != a.node:
		return fault.New(ErrSpec, fault.At(a.String()), "a trigger of another node",
			"one of this node")
	}
	return nil
}

// release empties the combinations of a trigger that are no longer used, so that they start over if
// they are used again.
func (n *Node) release(t part) {
	if t == nil {
		return
	}
	for _, a := range n.acts {
		if involves(a.trigger, t.trigger()) || a.guard != nil && involves(a.guard.on, t.trigger()) {
			return
		}
	}
	if c, ok := t.(interface{ reset() }); ok {
		c.reset()
	}
	t.trigger().targets = nil
	for _, in := range t.trigger().inputs {
		if len(in.trigger().inputs) > 0 {
			n.release(in)
		}
	}
}
