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
	courses := make([]opendrive.Course, len(list))
	for _, l := range w.m.Lanes() {
		if !l.Drivable() {
			continue
		}
		for _, c := range l.Courses() {
			k := courseNumber(c)
			list[k], courses[k] = has(c), c
		}
	}
	keepLeading(list, func(k int, into []int) []int {
		return w.onward(courses[k], set.stays, into)
	})
	if w.wide == nil {
		w.wide = map[courseSet][]bool{}
	}
	w.wide[set] = list
	return list
}

// keepLeading removes the courses from a list that lead to none in the list, until all that remain
// lead to another one. It asks once for the courses to which a course leads.
func keepLeading(list []bool, onward func(k int, into []int) []int) {
	from, left := make([][]int, len(list)), make([]int, len(list))
	var removed, next []int
	for k := range list {
		if !list[k] {
			continue
		}
		next = onward(k, next[:0])
		for _, n := range next {
			if list[n] {
				from[n] = append(from[n], k)
				left[k]++
			}
		}
		if left[k] == 0 {
			removed = append(removed, k)
		}
	}
	for len(removed) > 0 {
		k := removed[len(removed)-1]
		removed = removed[:len(removed)-1]
		list[k] = false
		for _, before := range from[k] {
			if left[before]--; left[before] == 0 {
				removed = append(removed, before)
			}
		}
	}
}

// onward returns the numbers of the courses to which a course leads: the following ones or, where
// its lane ends inside the map, the nearest courses on both sides that continue. A course that ends
// at the edge of the map needs no other one unless stays is true: it leads to itself.
func (w *World) onward(c opendrive.Course, stays bool, into []int) []int {
	next := w.following(c)
	for _, n := range next {
		into = append(into, courseNumber(n))
	}
	if len(next) > 0 {
		return into
	}
	if w.edge(c, w.following) {
		if !stays && w.leadsOut(c) {
			into = append(into, courseNumber(c))
		}
		return into
	}
	for _, side := range [...]int{1, -1} {
		if beside, changes := w.continues(c, side); changes > 0 {
			into = append(into, courseNumber(beside))
		}
	}
	return into
}

// continues returns the nearest course on a side of another one that continues, and the number of
// changes to it, or 0 if marks, directions or lanes between them do not allow these changes, or if
// it begins so near to the end of the other one that no vehicle can change to it.
func (w *World) continues(c opendrive.Course, side int) (beside opendrive.Course, changes int) {
	beside, changes = w.nearest(c, side, (*opendrive.Lane).ChangeTo)
	if changes > 0 && !w.runsBeside(beside, c) {
		return beside, 0
	}
	return beside, changes
}

// runsBeside reports whether a course is open next to another one before the end that both have in
// common, from the beginning of the other one or for some metres.
func (w *World) runsBeside(beside, c opendrive.Course) bool {
	const least, step = 6.0, 0.5 // m
	road, way := c.Lane.Section.Road, 0.0
	for {
		sec := c.Lane.Section
		for at := 0.0; at < sec.Length(); at += step {
			s := sec.S + at
			if c.Forwards {
				s = sec.End - at
			}
			if beside.Lane.Width(s) < closedLane && way+at > 0 {
				return false
			}
			if way+at >= least {
				return true
			}
		}
		way += sec.Length()
		from := w.preceding(c)
		if len(from) != 1 || from[0].Lane.Section.Road != road {
			return true
		}
		k := slices.IndexFunc(w.preceding(beside), func(o opendrive.Course) bool {
			return o.Lane.Section == from[0].Lane.Section && o.Forwards == c.Forwards
		})
		if k < 0 {
			return way >= least
		}
		c, beside = from[0], w.preceding(beside)[k]
	}
}

// nearest is like continues for a function that returns the next lane on a side.
func (w *World) nearest(c opendrive.Course, side int,
	next func(l *opendrive.Lane, side int) *opendrive.Lane) (beside opendrive.Course, changes int) {
	for to := next(c.Lane, side); to != nil && to.Drivable(); to = next(to, side) {
		if forwards, backwards := to.Directions(); c.Forwards && !forwards ||
			!c.Forwards && !backwards {
			break
		}
		changes++
		beside = opendrive.Course{Lane: to, Forwards: c.Forwards}
		if len(w.following(beside)) > 0 {
			return beside, changes
		}
	}
	return beside, 0
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

// staying removes the ways that only lead out of the map, or to a dead end, from a list for an
// actor that does not leave the map, unless all of them do. Otherwise, all actors that never leave
// would sooner or later stand at the edges of the map.
func (w *World) staying(a *actor, ways []opendrive.Course) []opendrive.Course {
	if len(ways) < 2 || w.mayLeave(a) {
		return ways
	}
	list := w.lasting(a.shape.steerable())
	if !slices.ContainsFunc(ways, func(c opendrive.Course) bool { return list[courseNumber(c)] }) {
		return ways
	}
	return slices.DeleteFunc(ways, func(c opendrive.Course) bool { return !list[courseNumber(c)] })
}

// mayLeave reports whether an actor leaves the map where it reaches the edge.
func (w *World) mayLeave(a *actor) bool { return w.inflow != nil && a.passing }
