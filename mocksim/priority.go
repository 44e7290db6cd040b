package mocksim

import (
	"math"
	"slices"

	"gosmp/mocksim/opendrive"
)

// Right of way, in this order: the junction's own priorities, signs (stop and give way), then the
// general rules of the road (Vienna Convention on Road Traffic, article 18: traffic from the right
// goes first or, where traffic keeps left, traffic from the left; traffic that turns across
// oncoming traffic gives way).

// rank returns 1 if actors on a go before actors on b, -1 if it is the other way around, and 0 if
// the actor that arrives first goes first. It also reports whether priorities or signs say so.
func (w *World) rank(a, b *movement) (rank int8, signed bool) {
	on, other := a.first(), b.first()
	ra, rb := w.incoming(on), w.incoming(other)
	if j := w.m.Junction(on.Lane.Section.Road.Junction); j != nil && ra != nil && rb != nil &&
		ra != rb {
		for _, p := range j.Priorities {
			if p.High == on.Lane.Section.Road.ID && p.Low == other.Lane.Section.Road.ID ||
				p.High == ra.ID && p.Low == rb.ID {
				return 1, true
			}
			if p.Low == on.Lane.Section.Road.ID && p.High == other.Lane.Section.Road.ID ||
				p.Low == ra.ID && p.High == rb.ID {
				return -1, true
			}
		}
	}
	if d := w.signed(on) - w.signed(other); d != 0 {
		return int8(min(max(d, -1), 1)), true
	}
	if w.allStop(on) {
		return 0, false
	}
	return w.rightBeforeLeft(a, b), false
}

// incoming returns the road from which a course of a junction comes.
func (w *World) incoming(c opendrive.Course) *opendrive.Road {
	for _, p := range w.preceding(c) {
		return p.Lane.Section.Road
	}
	return nil
}

// signed returns -1 for a course with a stop or give-way sign before it, 1 for a course on a
// priority road, and 0 otherwise.
func (w *World) signed(c opendrive.Course) int {
	if found := signOn(c, 0, inf); found != 0 {
		return found
	}
	const before = 40.0 // m from the junction
	for _, p := range w.preceding(c) {
		length := p.Lane.Section.Length()
		if found := signOn(p, length-before, length); found != 0 {
			return found
		}
	}
	return 0
}

// signOn looks for a priority sign on a course, between two distances from its start.
func signOn(c opendrive.Course, from, to float64) int {
	found := 0
	for _, s := range c.Lane.Section.Road.Signals {
		way := (s.S - startOf(c)) * direction(c.Forwards)
		if way < from || way > min(to, c.Lane.Section.Length()) ||
			s.Orientation == "+" && !c.Forwards || s.Orientation == "-" && c.Forwards {
			continue
		}
		if rank, _ := priorityOf(s); rank != 0 {
			found = rank
		}
	}
	return found
}

// priorityOf returns -1 for a stop or give-way sign, 1 for a sign that gives priority, and 0 for
// other signals. Traffic has to stop at a stop sign.
func priorityOf(s *opendrive.Signal) (rank int, halt bool) {
	if s.Dynamic {
		return 0, false
	}
	switch s.MainSign() {
	case "GIVE_WAY":
		return -1, false
	case "STOP":
		return -1, true
	case "RIGHT_OF_WAY_NEXT_INTERSECTION", "RIGHT_OF_WAY_BEGIN":
		return 1, false
	}
	return 0, false
}

// allStop reports whether all traffic that enters the junction of a course has to stop at signs. It
// then continues in the order of its arrival.
func (w *World) allStop(c opendrive.Course) bool {
	j := w.m.Junction(c.Lane.Section.Road.Junction)
	if j == nil || !w.halts {
		return false
	}
	for k := range j.Connections {
		r := w.m.Road(j.Connections[k].Incoming)
		if r == nil || !w.haltsBefore(r, j.ID) {
			return false
		}
	}
	return len(j.Connections) > 0
}

// haltsBefore reports whether traffic on all lanes of a road that lead into a junction has to stop
// at signs.
func (w *World) haltsBefore(r *opendrive.Road, junction string) bool {
	leads := false
	for _, section := range r.Sections {
		for _, l := range section.Lanes {
			for _, c := range l.Courses() {
				if !l.Drivable() || !w.entersJunction(c, junction) {
					continue
				}
				if leads = true; !slices.ContainsFunc(w.stops[l.Number()],
					func(p stop) bool { return p.halt && p.unless == nil }) {
					return false
				}
			}
		}
	}
	return leads
}

// entersJunction reports whether a course leads into a junction.
func (w *World) entersJunction(c opendrive.Course, junction string) bool {
	return slices.ContainsFunc(w.following(c), func(n opendrive.Course) bool {
		return n.Lane.Section.Road.Junction == junction
	})
}

// rightBeforeLeft returns the rank according to the directions in which two courses start and end.
func (w *World) rightBeforeLeft(a, b *movement) int8 {
	const aside, ahead, bend = math.Pi / 6, math.Pi * 5 / 6, 0.5 // rad
	inA, inB := w.directionAt(a, 0), w.directionAt(b, 0)
	outA, outB := w.directionAt(a, a.length), w.directionAt(b, b.length)
	left := 1.0
	if a.first().Lane.Section.Road.LeftHand {
		left = -1
	}
	turnA, turnB := left*wrapFast(outA-inA), left*wrapFast(outB-inB)
	switch between := left * wrapFast(inB-inA); {
	case between > aside && between < ahead: // b comes from the right
		return -1
	case between < -aside && between > -ahead:
		return 1
	// one turns across the path of the other
	case math.Abs(between) >= ahead && (turnA > bend) != (turnB > bend):
		if turnA > bend {
			return -1
		}
		return 1
	case math.Abs(math.Abs(turnA)-math.Abs(turnB)) > bend: // straight on goes first
		if math.Abs(turnA) > math.Abs(turnB) {
			return -1
		}
		return 1
	}
	return 0
}
