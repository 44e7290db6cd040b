package mocksim

// passed reports whether an actor stands in a conflict without the right to continue while another
// one passes it. Until that one has passed, the actor does not move up.
func (w *World) passed(self int32, a *actor) bool {
	d := &a.driver
	if a.state.Speed > standstill || d.cleared > d.pos()+stopBefore {
		return false
	}
	g := row(d.path.legs[d.leg].courses)
	pos := d.pos()
	for k := d.index; k < len(g) && g[k].begin()-sticksOut <= pos; k++ {
		c := &g[k]
		if len(c.conflicts) == 0 || !g.begins(k, d.index) {
			continue
		}
		mine := w.crossings.visitor(c.movement, self)
		for i := range c.conflicts {
			if x := &c.conflicts[i]; mine != nil && x.meeting == crossing &&
				w.passedIn(self, a, x, mine) {
				return true
			}
		}
	}
	return false
}

// holds reports whether a visitor is in a conflict without the right to continue.
func (v *visitor) holds(z *zone) bool {
	return v.u > z.enter && v.u < z.leave && v.cleared <= v.u+stopBefore
}

// beginsToPass is the distance, in m, before a conflict at which a moving vehicle passes another
// one in the conflict: it has decided that it has room.
const beginsToPass = 1.0

// passedIn is like passed for one conflict.
func (w *World) passedIn(self int32, a *actor, x *conflict, mine *visitor) bool {
	for i := range w.crossings.visitors[x.other] {
		v := &w.crossings.visitors[x.other][i]
		o := w.actors[v.actor]
		z := x.zones[max(bodyOf(&a.shape), bodyOf(&o.shape))].turned()
		if v.actor == self || !mine.holds(&z) || v.u > z.to || v.cleared < z.to {
			continue
		}
		moves := o.state.Speed > standstill && v.u > z.from-beginsToPass
		if moves || w.passes(o, x.other, &z, v.u, mine) {
			return true
		}
	}
	return false
}
