package mocksim

import "gosmp/mocksim/opendrive"

// roomToSwing reports whether a lane change disturbs nobody else. In a short change, the front of
// the actor extends beyond the lane to which it changes, and its rear beyond its own.
func (w *World) roomToSwing(self int32, a *actor, to *opendrive.Lane) bool {
	d := &a.driver
	c := d.course()
	aside := c.lane.Center(d.now.s) - to.Center(d.now.s)
	if w.changeLength(a, aside, c, d.u) >= a.slender(aside) {
		return true
	}
	side := sideOf(c.lane, to)
	return w.mayExtend(self, a, to.Neighbour(side)) && w.mayExtend(self, a, c.lane.Neighbour(-side))
}

// mayExtend reports whether an end of the actor can extend into a lane during a change without
// forcing anybody there to brake hard. The lane may be nil.
func (w *World) mayExtend(self int32, a *actor, far *opendrive.Lane) bool {
	if far == nil || !far.Drivable() {
		return true
	}
	c := a.driver.course()
	forwards, backwards := far.Directions()
	if c.forwards && !forwards || !c.forwards && !backwards {
		return !w.oncoming(self, a, far)
	}
	return w.bearable(self, a, far)
}

// oncoming reports whether a vehicle on a lane of the other direction may reach the place of a
// change during the change.
func (w *World) oncoming(self int32, a *actor, far *opendrive.Lane) bool {
	const slow, farthest = 2.0, 150.0 // m/s, m
	d := &a.driver
	forwards := d.course().forwards
	reach := 2*a.shape.Length + a.driver.MinGap // of the change and of the vehicle
	rear := d.now.s - float64(direction(forwards)*a.shape.Length/2)
	from := outlook{far, w.rail(far), forwards, rear, w.rail(far).way(d.now.s, forwards)}
	for way := -from.u; way < farthest; {
		if e := w.nextOn(&from, self); e != nil {
			gap := way + w.wayOf(e, from.rail, from.forwards) - e.half
			speed := max(-e.along*direction(from.forwards), 0)
			return gap < reach+float64(speed*2*a.shape.Length)/max(a.state.Speed, slow)
		}
		way += from.rail.length
		list := w.preceding(opendrive.Course{Lane: from.lane, Forwards: !from.forwards})
		if len(list) != 1 {
			return false
		}
		c := opendrive.Course{Lane: list[0].Lane, Forwards: !list[0].Forwards}
		from = fromStart(c, w.rail(c.Lane))
	}
	return false
}

// bearable reports whether the actor's follower on a lane does not have to brake hard if the actor
// extends into that lane.
func (w *World) bearable(self int32, a *actor, to *opendrive.Lane) bool {
	d := &a.driver
	v := a.state.Speed
	gap, f := w.behind(opendrive.Course{Lane: to, Forwards: d.course().forwards}, d.now.s,
		a.shape.Length/2, self)
	if f < 0 {
		return true
	}
	follower := w.actors[f]
	if gap < 1 {
		return false
	}
	other := Driver{}.completed()
	if follower.mode == byController {
		other = follower.driver.Driver
	}
	u := follower.state.Speed
	return other.idm(u, max(u, 0.1), gap, u-v) >= safe
}
