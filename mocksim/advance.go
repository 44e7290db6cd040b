package mocksim

import "gosmp/mocksim/opendrive"

// A vehicle that turns across oncoming traffic waits for a gap inside the junction and not at its
// beginning (Vienna Convention on Road Traffic, article 16): it obtains the right to the beginning
// of its block, up to the first conflict with traffic that may come.

// advance gives an actor the right to the beginning of a block, where it obstructs nobody who may
// drive now. The room behind the block remains reserved for it, see [World.goingBefore].
func (w *World) advance(self int32, a *actor, b *block) bool {
	const least, short = 3.0, 0.01 // m
	d := &a.driver
	if b.full || b.from < d.pos() || b.from <= d.cleared {
		return false
	}
	cut := *b
	cut.to = min(cut.to, w.waitingPlace(a, b)-short)
	if cut.to < cut.from+least || w.mayEnter(self, a, &cut, nil) >= 0 ||
		w.locks(self, a, cut.to) {
		return false
	}
	cut.part = true
	d.block = cut
	w.clear(self, a, &d.block)
	return true
}

// locks reports whether an actor that waits at a place inside a junction would stand in the way of
// another one that also waits inside it: each could wait for the other.
func (w *World) locks(self int32, a *actor, place float64) bool {
	d := &a.driver
	size := bodyOf(&a.shape)
	g := d.path.legs[d.leg].courses
	for k := d.nextMeeting(d.index, place); k >= 0; k = d.nextMeeting(k+1, place) {
		at := place - g[k].begin()
		for i := range g[k].conflicts {
			x := &g[k].conflicts[i]
			if !x.meeting.yields() {
				continue
			}
			for _, v := range w.crossings.visitors[x.other] {
				o := w.actors[v.actor]
				z := &x.zones[max(size, bodyOf(&o.shape))]
				if v.actor != self && at > z.from && at < z.to && v.u < z.enter &&
					o.mode == byController && o.driver.granted.part {
					return true
				}
			}
		}
	}
	return false
}

// waitingPlace returns the start of the first conflict in a block with others that neither give way
// to an actor nor stand at a light.
func (w *World) waitingPlace(a *actor, b *block) float64 {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	place := inf
	for k := d.nextMeeting(d.index, b.to); k >= 0; k = d.nextMeeting(k+1, b.to) {
		c := &g[k]
		for i := range c.conflicts {
			x := &c.conflicts[i]
			z := &x.zones[len(bodies)-1]
			from := c.begin() + z.from
			if x.meeting.yields() && z.to >= z.from && c.begin()+z.to > d.pos() && from < place &&
				from < b.to && (x.rank <= 0 || !x.signed) && !w.stopped(x.other) {
				place = from
			}
		}
	}
	return place
}

// stopped reports whether all traffic that may enter a movement has to stop at a light.
func (w *World) stopped(number int32) bool {
	first := w.crossings.movements[number].first()
	if w.redOn(first) {
		return true
	}
	before := w.preceding(first)
	for _, c := range before {
		if !w.redOn(c) {
			return false
		}
	}
	return len(before) > 0
}

// redOn reports whether a light on a course is red.
func (w *World) redOn(c opendrive.Course) bool {
	for _, p := range w.stops[c.Lane.Number()] {
		if p.light != nil && p.light.colour == LightRed {
			return true
		}
	}
	return false
}
