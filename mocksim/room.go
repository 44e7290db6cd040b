package mocksim

// Room behind a block.

// noRoom returns the actor that leaves no room behind a block, which ends at end, or -1 if there is
// room. No actor may stop in a conflict.
func (w *World) noRoom(self int32, a *actor, end float64) int32 {
	d := &a.driver
	g := row(d.path.legs[d.leg].courses)
	pos := d.pos()
	needed := a.shape.Length/2 + d.MinGap
	for k := d.index; k < len(g); k++ {
		c := &g[k]
		way := c.start - pos
		if way >= end+needed {
			break
		}
		if way+c.rail.length < end {
			continue
		}
		if u := max(end-way, 0); k == d.index || way > end || g.begins(k, d.index) {
			needed += w.goingBefore(self, a, c, c.ahead+u)
		}
		l := leader{gap: inf}
		var p railPoint
		u := max(end-way, 0)
		c.rail.at(u, c.forwards, &p)
		from := outlook{c.lane, c.rail, c.forwards, p.s - float64(direction(c.forwards)*1e-9), u}
		if w.ahead(&l, &from, self, 0) {
			if way+u+l.gap+l.speed*l.speed/(2*d.Decel)+float64(2*l.speed) > end+needed {
				return -1
			}
			return w.nextOn(&from, self).actor
		}
	}
	return -1
}

// goingBefore returns the room for the actors that have the right to enter a movement and have not
// yet passed a place on it.
func (w *World) goingBefore(self int32, a *actor, c *course, u float64) (room float64) {
	if c.movement < 0 {
		return 0
	}
	for _, v := range w.crossings.visitors[c.movement] {
		o := w.actors[v.actor]
		inside := o.mode == byController && o.driver.granted.part
		if v.actor != self && v.u < u && (v.cleared > 0 || inside) {
			room += o.shape.Length + a.driver.MinGap
		}
	}
	return room
}
