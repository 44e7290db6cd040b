package mocksim

// passedBy returns the actor that passes another one, which stands in a conflict without the right
// to continue, or -1. Until that one has passed, the actor does not move up.
func (w *World) passedBy(self int32, a *actor) int32 {
	d := &a.driver
	if a.state.Speed > standstill || d.cleared > d.pos()+stopBefore {
		return -1
	}
	g := d.path.legs[d.leg].courses
	pos := d.pos()
	for k := d.nextMeeting(d.index, pos); k >= 0; k = d.nextMeeting(k+1, pos) {
		c := &g[k]
		mine := w.crossings.visitor(c.movement, self)
		for i := range c.conflicts {
			if x := &c.conflicts[i]; mine != nil && x.meeting.yields() {
				if other := w.passedIn(self, a, x, mine); other >= 0 {
					return other
				}
			}
		}
	}
	return -1
}

// holds reports whether a visitor is in a conflict without the right to continue.
func (v *visitor) holds(z *zone) bool {
	return v.u > z.enter && v.u < z.leave && v.cleared <= v.u+stopBefore
}

// beginsToPass is the distance, in m, before a conflict at which a moving vehicle passes another
// one in the conflict: it has decided that it has room.
const beginsToPass = 1.0

// passedIn is like passedBy for one conflict. An actor that has stopped there itself passes nobody.
func (w *World) passedIn(self int32, a *actor, x *conflict, mine *visitor) int32 {
	for i := range w.crossings.visitors[x.other] {
		v := &w.crossings.visitors[x.other][i]
		if v.actor == self {
			continue
		}
		o := w.actors[v.actor]
		z := x.zones[max(bodyOf(&a.shape), bodyOf(&o.shape))].turned()
		last := o.mode == byController && o.squeezes()
		if last && v.cleared > z.from {
			z = z.until(v.cleared)
		}
		if !mine.holds(&z) || v.u > z.to || v.cleared < z.to {
			continue
		}
		moves := o.state.Speed > standstill && v.u > z.from-beginsToPass
		starts := !v.idle && o.mode == byController && !o.driver.queued
		if moves || starts && w.passes(o, x.other, &z, v.u, mine, last) {
			return v.actor
		}
	}
	return -1
}
