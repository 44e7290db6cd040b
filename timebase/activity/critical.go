package activity

import "gosmp/timebase"

// SwitchWork lets a critical activity work from the instant at, and clears the error of a failed
// one. In a callback it takes effect at the end of the round. The activity must be switched on as
// well.
func (a *Activity) SwitchWork(at timebase.Time) {
	a.change(&switching{act: a, on: true, at: at, mode: true})
}

// SwitchSafe makes a critical activity use its safe callback from the instant at, where spans are
// cut. In a callback it takes effect at the end of the round.
func (a *Activity) SwitchSafe(at timebase.Time) { a.change(&switching{act: a, at: at, mode: true}) }

// SwitchSafe makes all critical activities of the node use their safe callbacks from the instant
// at.
func (n *Node) SwitchSafe(at timebase.Time) {
	for _, a := range n.acts {
		if a.spec.Critical {
			a.SwitchSafe(at)
		}
	}
}

// choose cuts the cycle of a critical activity where it is switched between work and safe, and sets
// which callback runs first.
func (a *Activity) choose(c *Cycle) {
	c.Safe = true
	for i := range a.working {
		w := &a.working[i]
		if part, inside := w.cut(c.Span); !inside {
			continue
		} else if part.Start > c.Span.Start { // safe until the work begins
			c.Last = false
			c.Span.End = part.Start
		} else {
			c.First, c.Last = c.First || !w.begun, c.Last && part.End == c.Span.End ||
				part.End == w.span.End
			c.Span, c.Safe, w.begun = part, false, true
		}
		return
	}
}
