package mocksim

import (
	"cmp"
	"math"
	"slices"

	"gosmp/mocksim/opendrive"
)

// On a small map, conflicts are found in advance. On a large map, most lanes are never used, and
// the conflicts of a movement are found when an actor first gets a path on it. This allocates
// memory, even during a step.

// largeMap is the length of all movements, in m, above which a map is large. The conflicts of
// 1 km take about 1 ms.
const largeMap = 200e3

// meet prepares the search for conflicts. It fails with [opendrive.ErrMap] if there would be too
// many, or if the lanes are too long.
func (w *World) meet() error {
	if w.crossings != nil {
		return nil
	}
	if err := w.tooLong(); err != nil {
		return err
	}
	w.measureAll()
	j := &junctions{}
	j.link(w)
	if err := w.crowded(j); err != nil {
		return err
	}
	w.crossings = j
	j.findRings(w)
	n := len(j.movements)
	j.visitors, j.conflicts = make([][]visitor, n), make([][]conflict, n)
	sum := 0.0
	for k := range j.movements {
		sum += j.movements[k].length
	}
	j.search = w.newSearch(j)
	if sum > largeMap {
		j.any = true
		return nil
	}
	for _, p := range w.near(j) {
		for _, c := range w.conflictsOf(j, &j.search.finders, p[0], p[1]) {
			j.any = true
			j.conflicts[p[0]] = append(j.conflicts[p[0]], c)
			j.conflicts[p[1]] = append(j.conflicts[p[1]], c.turned(p[0]))
		}
	}
	j.search = nil
	return nil
}

// search finds conflicts.
type search struct {
	finders   [len(bodies)]finder
	known     []bool                      // by movement number
	movements map[*opendrive.Road][]int32 // nil: not yet requested
}

func (w *World) newSearch(j *junctions) *search {
	s := &search{known: make([]bool, len(j.movements))}
	for b := range s.finders {
		s.finders[b] = finder{w: w, body: b, spots: make([][]spot, len(j.movements))}
	}
	return s
}

// turned returns a conflict as seen from the other movement.
func (c conflict) turned(other int32) conflict {
	c.other, c.rank, c.past = other, -c.rank, -c.past
	c.blind, c.blindOther = c.blindOther, c.blind
	for k := range c.zones {
		c.zones[k] = c.zones[k].turned()
	}
	return c
}

// conflictsOn returns the conflicts of a movement, in the order of the other movements' numbers.
// Only one goroutine may call it at a time.
func (w *World) conflictsOn(number int32) []conflict {
	j := w.crossings
	s := j.search
	if s == nil || s.known[number] {
		return j.conflicts[number]
	}
	s.known[number] = true
	var list []conflict
	for _, other := range w.around(j, number) {
		for _, c := range w.conflictsOf(j, &s.finders, min(number, other), max(number, other)) {
			if other >= number {
				list = append(list, c)
			}
			if other <= number {
				list = append(list, c.turned(other))
			}
		}
	}
	j.conflicts[number] = list
	return list
}

// nearSide is the side, in m, of the squares by which movements are compared. Movements are near
// each other if their squares, or those next to their squares, coincide.
const nearSide = 12.0

// squares visits the squares along a movement.
func (w *World) squares(m *movement, visit func(x, y int32)) {
	var p railPoint
	for u := 0.0; ; u += nearSide / 4 {
		w.at(m, min(u, m.length), &p)
		visit(int32(math.Floor(p.position.X/nearSide)), int32(math.Floor(p.position.Y/nearSide)))
		if u >= m.length {
			return
		}
	}
}

// near returns the pairs of movements that come close to each other, in the order of their numbers,
// and each movement with itself.
func (w *World) near(j *junctions) (pairs [][2]int32) {
	cells := map[[2]int32][]int32{}
	for number := range j.movements {
		w.squares(&j.movements[number], func(x, y int32) {
			for k := range int32(9) {
				cell := [2]int32{x + k%3 - 1, y + k/3 - 1}
				list := cells[cell]
				if n := len(list); n == 0 || list[n-1] != int32(number) {
					cells[cell] = append(list, int32(number))
				}
			}
		})
	}
	for k := range int32(len(j.movements)) {
		pairs = append(pairs, [2]int32{k, k})
	}
	seen := map[[2]int32]bool{}
	for _, list := range cells {
		for i, a := range list {
			for _, b := range list[i+1:] {
				if pair := [2]int32{min(a, b), max(a, b)}; a != b && !seen[pair] {
					seen[pair] = true
					pairs = append(pairs, pair)
				}
			}
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int32) int {
		return cmp.Or(cmp.Compare(a[0], b[0]),
			cmp.Compare(a[1], b[1]))
	})
	return pairs
}

// around returns the movements that are near a movement, in the order of their numbers, including
// itself.
func (w *World) around(j *junctions, number int32) (list []int32) {
	const reach = 5 * nearSide // more than two squares, because rails may leave a road at its gaps
	cells := map[[2]int32]bool{}
	low, high := [2]float64{inf, inf}, [2]float64{-inf, -inf}
	w.squares(&j.movements[number], func(x, y int32) {
		if cell := [2]int32{x, y}; !cells[cell] {
			cells[cell] = true
			low = [2]float64{min(low[0], float64(x)), min(low[1], float64(y))}
			high = [2]float64{max(high[0], float64(x)), max(high[1], float64(y))}
		}
	})
	for k := range low {
		low[k], high[k] = float64(low[k]*nearSide)-reach, float64((high[k]+1)*nearSide)+reach
	}
	for _, road := range w.m.RoadsIn(low, high) {
		for _, other := range j.on(road) {
			if other == number || w.touches(&j.movements[other], cells) {
				list = append(list, other)
			}
		}
	}
	slices.Sort(list)
	return list
}

// touches reports whether a movement is near some squares.
func (w *World) touches(m *movement, cells map[[2]int32]bool) (near bool) {
	last := [2]int32{math.MinInt32, math.MinInt32}
	w.squares(m, func(x, y int32) {
		if near || last == [2]int32{x, y} {
			return
		}
		last = [2]int32{x, y}
		for k := range int32(25) {
			near = near || cells[[2]int32{x + k%5 - 2, y + k/5 - 2}]
		}
	})
	return near
}

// on returns the movements on a road.
func (j *junctions) on(road *opendrive.Road) []int32 {
	s := j.search
	if s.movements == nil {
		s.movements = map[*opendrive.Road][]int32{}
		for k := range j.movements {
			r := j.movements[k].first().Lane.Section.Road
			s.movements[r] = append(s.movements[r], int32(k))
		}
	}
	return s.movements[road]
}
