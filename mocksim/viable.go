package mocksim

import (
	"slices"

	"gosmp/mocksim/opendrive"
)

// courseSet identifies a set of courses, for vehicles that can follow a curvature.
type courseSet struct {
	most  float64
	stays bool
}

// viable determines the courses on which an actor can keep driving: it can steer along them, also
// while it returns to their middle after a kink between two roads, and they are followed by another
// such course. The edge of a map is not an obstacle. The result is indexed by course number.
func (w *World) viable(most float64) []bool {
	return w.prune(courseSet{most: most}, func(c opendrive.Course) bool {
		return w.rail(c.Lane).most+leastBend <= most
	})
}

// lasting determines the viable courses on which an actor can keep driving on the map.
func (w *World) lasting(most float64) []bool {
	viable := w.viable(most)
	return w.prune(courseSet{most, true}, func(c opendrive.Course) bool {
		return viable[courseNumber(c)]
	})
}

// prune returns the courses of a set that are followed by other ones of the set.
func (w *World) prune(set courseSet, has func(opendrive.Course) bool) []bool {
	if list, ok := w.wide[set]; ok {
		return list
	}
	list := make([]bool, 2*len(w.m.Lanes()))
	var all []opendrive.Course
	for _, l := range w.m.Lanes() {
		if !l.Drivable() {
			continue
		}
		for _, c := range l.Courses() {
			list[courseNumber(c)] = has(c)
			all = append(all, c)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, c := range all {
			k := courseNumber(c)
			if list[k] && !w.leadsOn(c, list, set.stays) {
				list[k], changed = false, true
			}
		}
	}
	if w.wide == nil {
		w.wide = map[courseSet][]bool{}
	}
	w.wide[set] = list
	return list
}

// leadsOn reports whether a course is followed by a course in the list or, unless stays is true,
// ends at the edge of the map. Where a lane ends inside the map, a lane next to it has to be in the
// list.
func (w *World) leadsOn(c opendrive.Course, list []bool, stays bool) bool {
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
		return !stays
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

// staying removes the courses from a list of ways that lead out of the map, or to a dead end, for
// an actor that does not leave the map, unless all of them do. Otherwise, all actors that never
// leave would sooner or later stand at the edges of the map.
func (w *World) staying(a *actor, ways []opendrive.Course) []opendrive.Course {
	if len(ways) < 2 || w.inflow != nil && a.passing {
		return ways
	}
	list := w.lasting(a.shape.steerable())
	if !slices.ContainsFunc(ways, func(c opendrive.Course) bool { return list[courseNumber(c)] }) {
		return ways
	}
	return slices.DeleteFunc(ways, func(c opendrive.Course) bool { return !list[courseNumber(c)] })
}
