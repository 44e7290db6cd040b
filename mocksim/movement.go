package mocksim

import (
	"sort"

	"gosmp/mocksim/opendrive"
)

// movement is a sequence of courses on one road without a choice in between: drivers see them as
// one lane, regardless of the number of sections in the file.
type movement struct {
	parts  []opendrive.Course
	from   []float64 // the start of each part
	length float64
	// drop is the place before which vehicles must have changed to the next lane, because this one
	// ends; infinite if it continues.
	drop float64
}

func (m *movement) first() opendrive.Course { return m.parts[0] }
func (m *movement) last() opendrive.Course  { return m.parts[len(m.parts)-1] }

// at computes the place at u, which may lie beyond the ends.
func (w *World) at(m *movement, u float64, p *railPoint) {
	k := max(sort.Search(len(m.from), func(k int) bool { return m.from[k] > u })-1, 0)
	c := m.parts[k]
	w.rail(c.Lane).at(u-m.from[k], c.Forwards, p)
}

// directionAt returns the direction of a movement at u.
func (w *World) directionAt(m *movement, u float64) float64 {
	var p railPoint
	w.at(m, u, &p)
	return p.angles.Yaw
}

// link divides the lanes of a map into movements.
func (j *junctions) link(w *World) {
	n := 2 * len(w.m.Lanes())
	j.of, j.offset = make([]int32, n), make([]float64, n)
	for k := range j.of {
		j.of[k] = -1
	}
	for _, l := range w.m.Lanes() {
		if !l.Drivable() || l.Section.Length() <= 0 {
			continue
		}
		for _, c := range l.Courses() {
			if j.of[courseNumber(c)] < 0 {
				j.add(w, w.beginOf(c))
			}
		}
	}
}

// beginOf returns the first course of the movement of a course.
func (w *World) beginOf(c opendrive.Course) opendrive.Course {
	for first := c; ; {
		list := w.preceding(c)
		if len(list) != 1 || list[0] == first || !w.single(list[0], c) {
			return c
		}
		c = list[0]
	}
}

// single reports whether a course leads only to one other course, on the same road.
func (w *World) single(a, b opendrive.Course) bool {
	next := w.following(a)
	return len(next) == 1 && next[0] == b && a.Lane.Section.Road == b.Lane.Section.Road &&
		len(w.preceding(b)) == 1
}

// add creates the movement that starts with a course.
func (j *junctions) add(w *World, c opendrive.Course) {
	m := movement{drop: inf}
	for j.of[courseNumber(c)] < 0 {
		k := courseNumber(c)
		j.of[k], j.offset[k] = int32(len(j.movements)), m.length
		m.parts, m.from = append(m.parts, c), append(m.from, m.length)
		m.length += w.rail(c.Lane).length
		next := w.following(c)
		if len(next) != 1 || !w.single(c, next[0]) {
			break
		}
		c = next[0]
	}
	j.movements = append(j.movements, m)
}
