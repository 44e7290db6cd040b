package opendrive

import (
	"container/heap"
	"fmt"

	"gosmp/internal/fault"
)

// LaneChangeCost is the cost of a lane change on a route, expressed as a distance in m.
const LaneChangeCost = 25

// Route returns a car's shortest path from one lane to another: the courses in order, including
// both ends. Two consecutive courses in one section mean a lane change. Among paths of equal cost,
// file order decides. It fails with [ErrNoRoute], and the error names the last reachable lane.
func (m *Map) Route(from, to *Lane) ([]Course, error) {
	s := search{m: m, best: map[Course]visit{}}
	for _, c := range from.Courses() {
		s.reach(c, Course{}, c.Lane.Section.Length(), 0)
	}
	var last Course
	for len(s.open) > 0 {
		v := heap.Pop(&s.open).(visit)
		if s.best[v.course].cost < v.cost {
			continue
		}
		last = v.course
		if last.Lane == to {
			return s.way(last), nil
		}
		s.expand(v)
	}
	e := fault.New(ErrNoRoute, fault.In(m.Name), "no way from "+from.String()+" to "+
		to.String(), "").WithHint(
		"choose a destination that can be reached along lanes in driving direction")
	if last.Lane != nil {
		e.Found += ", the last lane reached is " + last.Lane.String()
	}
	return nil, e
}

// String names a lane: "road 5, section 0, lane -1".
func (l *Lane) String() string {
	return fmt.Sprintf("road %s, section %d, lane %d", l.Section.Road.ID, l.Section.Index, l.ID)
}

// visit is a course that is reachable at a cost.
type visit struct {
	course, before Course
	cost           float64
	steps          int
}

type search struct {
	m    *Map
	best map[Course]visit
	open frontier
}

func (s *search) reach(c, before Course, cost float64, steps int) {
	if !c.Lane.Drivable() {
		return
	}
	if known, ok := s.best[c]; ok && known.cost <= cost {
		return
	}
	v := visit{c, before, cost, steps}
	s.best[c] = v
	heap.Push(&s.open, v)
}

func (s *search) expand(v visit) {
	for _, next := range s.m.Next(v.course) {
		s.reach(next, v.course, v.cost+next.Lane.Section.Length(), v.steps+1)
	}
	for _, side := range [...]int{+1, -1} {
		if other := v.course.Lane.changeTo(side); other != nil {
			forwards, backwards := other.Directions()
			if v.course.Forwards && forwards || !v.course.Forwards && backwards {
				s.reach(Course{other, v.course.Forwards}, v.course, v.cost+LaneChangeCost,
					v.steps+1)
			}
		}
	}
}

// way collects the courses backwards from the destination.
func (s *search) way(last Course) []Course {
	v := s.best[last]
	list := make([]Course, v.steps+1)
	for k := v.steps; k >= 0; k-- {
		list[k] = v.course
		v = s.best[v.before]
	}
	return list
}

// changeTo returns the neighbour on the side of larger (+1) or smaller ids (-1) if a lane change to
// it is allowed, or else nil.
func (l *Lane) changeTo(side int) *Lane {
	other := l.Neighbour(side)
	if other == nil || !l.border(other).allows(side) {
		return nil
	}
	return other
}

// border returns the lane whose outer border lies between two neighbours: the inner one, or lane 0.
func (l *Lane) border(other *Lane) *Lane {
	switch {
	case (l.ID > 0) != (other.ID > 0):
		return l.Section.Lanes[l.Section.center]
	case l.ID > 0 == (l.ID < other.ID):
		return l
	}
	return other
}

// allows reports whether the marks on the outer border allow a change to larger (+1) or smaller ids
// somewhere in the section.
func (l *Lane) allows(side int) bool {
	if len(l.Marks) == 0 {
		return true
	}
	for _, mark := range l.Marks {
		if mark.Change == "both" || mark.Change == "increase" && side > 0 ||
			mark.Change == "decrease" && side < 0 {
			return true
		}
	}
	return false
}

// frontier is a heap ordered by cost. Equal costs are ordered by file order, with the forward
// direction first.
type frontier []visit

func (f frontier) Len() int { return len(f) }
func (f frontier) Less(i, j int) bool {
	a, b := &f[i], &f[j]
	switch {
	case a.cost != b.cost:
		return a.cost < b.cost
	case a.course.Lane != b.course.Lane:
		return a.course.Lane.index < b.course.Lane.index
	}
	return a.course.Forwards && !b.course.Forwards
}
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }

// Push implements heap.Interface.
func (f *frontier) Push(v any) { *f = append(*f, v.(visit)) }

// Pop implements heap.Interface.
func (f *frontier) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}
