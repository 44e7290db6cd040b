package mocksim

import "slices"

// ring is a group of movements that lead back to themselves after a short distance, such as a
// roundabout. If all of it is occupied, no vehicle in it can move, because each one waits for the
// next one. Vehicles therefore do not enter a ring that is nearly full.
type ring struct {
	room float64 // m of vehicles with their gaps, up to which more may enter
	used float64 // m, by vehicles in the ring or with the right to enter it
}

const (
	longestRing = 200.0 // m, the way round
	ringShare   = 0.5   // of the length of the lanes of a ring
)

// findRings finds the rings of a map: the shortest ways, of at most longestRing, from movements
// back to themselves. Ways that share movements form one ring, unless they already belong to two.
func (j *junctions) findRings(w *World) {
	n := len(j.movements)
	j.ringOf = make([]int32, n)
	next := make([][]int32, n)
	for k := range j.movements {
		j.ringOf[k] = -1
		for _, c := range w.following(j.movements[k].last()) {
			if to := j.of[courseNumber(c)]; to >= 0 {
				next[k] = append(next[k], to)
			}
		}
	}
	for k := range next {
		if j.ringOf[k] < 0 {
			j.addRing(next, int32(k))
		}
	}
}

// addRing makes the movements on all short ways round through one of them a ring, or part of a ring
// that they share.
func (j *junctions) addRing(next [][]int32, from int32) {
	parts := j.wayRound(next, from)
	if len(parts) == 0 {
		return
	}
	number := int32(len(j.rings))
	for _, k := range parts {
		if j.ringOf[k] >= 0 {
			number = j.ringOf[k]
			break
		}
	}
	if int(number) == len(j.rings) {
		j.rings = append(j.rings, ring{})
	}
	for _, k := range parts {
		if j.ringOf[k] < 0 {
			j.ringOf[k] = number
			j.rings[number].room += float64(ringShare * j.movements[k].length)
		}
	}
}

// wayRound returns the movements on the shortest way from a movement back to it; none if it is too
// long.
func (j *junctions) wayRound(next [][]int32, from int32) (parts []int32) {
	ways := map[int32]float64{from: j.movements[from].length}
	before := map[int32]int32{}
	best, last := inf, int32(-1)
	for list := []int32{from}; len(list) > 0; list = list[1:] {
		k := list[0]
		for _, to := range next[k] {
			if to == from {
				if ways[k] < best {
					best, last = ways[k], k
				}
				continue
			}
			sum := ways[k] + j.movements[to].length
			if way, known := ways[to]; sum <= longestRing && (!known || sum < way) {
				ways[to], before[to] = sum, k
				list = append(list, to)
			}
		}
	}
	if best > longestRing {
		return nil
	}
	for k := last; k != from; k = before[k] {
		parts = append(parts, k)
	}
	parts = append(parts, from)
	slices.Reverse(parts)
	return parts
}

// countRings measures how much of the rings is in use.
func (w *World) countRings(j *junctions) {
	for k := range j.rings {
		j.rings[k].used = 0
	}
	if len(j.rings) == 0 {
		return
	}
	for _, a := range w.actors {
		if r := w.ringUsed(j, a); r >= 0 {
			j.rings[r].used += a.roomInRing()
		}
	}
}

// ringUsed returns the ring in which an actor is, or which it has the right to enter, or -1.
func (w *World) ringUsed(j *junctions, a *actor) int32 {
	if a.mode != byController {
		return -1
	}
	d := &a.driver
	g := d.path.legs[d.leg].courses
	for k := d.index; k < len(g) && (k == d.index || g[k].start < d.cleared); k++ {
		if m := g[k].movement; m >= 0 && j.ringOf[m] >= 0 {
			return j.ringOf[m]
		}
	}
	return -1
}

// roomInRing returns the length of a ring that an actor needs.
func (a *actor) roomInRing() float64 { return a.shape.Length + a.driver.MinGap }

// ringAhead returns the ring that an actor enters in a block, or -1. An actor that is in a ring, or
// has the right to enter it, stays in it.
func (w *World) ringAhead(a *actor, b *block) int32 {
	j := w.crossings
	if len(j.rings) == 0 || w.ringUsed(j, a) >= 0 {
		return -1
	}
	d := &a.driver
	g := d.path.legs[d.leg].courses
	for k := d.index; k < len(g) && g[k].start < b.to; k++ {
		if m := g[k].movement; m >= 0 && j.ringOf[m] >= 0 {
			return j.ringOf[m]
		}
	}
	return -1
}

// ringFull reports whether a block leads into a ring that has no room for the actor.
func (w *World) ringFull(a *actor, b *block) bool {
	k := w.ringAhead(a, b)
	if k < 0 {
		return false
	}
	r := &w.crossings.rings[k]
	return r.used > 0 && r.used+a.roomInRing() > r.room
}

// standsInRing returns the first actor that stands in the ring which an actor would enter, or -1.
func (w *World) standsInRing(a *actor, b *block) int32 {
	k := w.ringAhead(a, b)
	for number, o := range w.actors {
		if o.state.Speed < standstill && w.ringUsed(w.crossings, o) == k {
			return int32(number)
		}
	}
	return -1
}
