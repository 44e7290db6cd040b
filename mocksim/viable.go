package mocksim

import "gosmp/mocksim/opendrive"

// viable determines the courses on which an actor can keep driving: it can steer along them, also
// while it returns to their middle after a kink between two roads, and they are followed by another
// such course. The edge of a map is not an obstacle. The result is indexed by course number.
func (w *World) viable(most float64) []bool {
	if list, ok := w.wide[most]; ok {
		return list
	}
	list := make([]bool, 2*len(w.m.Lanes()))
	var all []opendrive.Course
	for _, l := range w.m.Lanes() {
		if !l.Drivable() {
			continue
		}
		for _, c := range l.Courses() {
			list[courseNumber(c)] = w.rail(l).most+leastBend <= most
			all = append(all, c)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, c := range all {
			k := courseNumber(c)
			if list[k] && !w.leadsOn(c, list) {
				list[k], changed = false, true
			}
		}
	}
	if w.wide == nil {
		w.wide = map[float64][]bool{}
	}
	w.wide[most] = list
	return list
}

// leadsOn reports whether a course ends at the edge of the map, or is followed by a course in the
// list. Where a lane ends inside the map, a lane next to it has to be in the list.
func (w *World) leadsOn(c opendrive.Course, list []bool) bool {
	next := w.following(c)
	for _, n := range next {
		if list[courseNumber(n)] {
			return true
		}
	}
	if len(next) > 0 {
		return false
	}
	if w.edge(c, w.following) {
		return true
	}
	for _, side := range [...]int{1, -1} {
		to := c.Lane.ChangeTo(side)
		if to == nil || !to.Drivable() {
			continue
		}
		if forwards, backwards := to.Directions(); c.Forwards && !forwards ||
			!c.Forwards && !backwards {
			continue
		}
		beside := opendrive.Course{Lane: to, Forwards: c.Forwards}
		if list[courseNumber(beside)] && len(w.following(beside)) > 0 {
			return true
		}
	}
	return false
}

// ways returns the courses on which an actor can continue. If possible, these are only the ones
// that are open to the actor and along which it can steer.
func (w *World) ways(a *actor, c opendrive.Course, into []opendrive.Course) []opendrive.Course {
	next := w.following(c)
	if len(next) < 2 {
		return append(into, next...)
	}
	list := w.viable(a.shape.steerable())
	for _, strict := range [...]bool{true, false} {
		for _, n := range next {
			if a.kind.mayUse(n.Lane) && (list[courseNumber(n)] || !strict) {
				into = append(into, n)
			}
		}
		if len(into) > 0 {
			return into
		}
	}
	return append(into, next...)
}
