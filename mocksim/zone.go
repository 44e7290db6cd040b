package mocksim

import "slices"

// zone is the extent of a conflict for bodies of a size, on this course and on the other one; empty
// if to is below from.
type zone struct{ from, to, enter, leave float64 }

func (z *zone) turned() zone { return zone{z.enter, z.leave, z.from, z.to} }

// fitted returns a zone for the lengths of two actors, the first one on this course. Zones are
// known for bodies that are at least as long, so that shorter ones do not touch yet at their ends.
// On curves, that is true of only most of the difference.
func (z *zone) fitted(a, o *actor) zone {
	const share = 0.8 // of the difference
	length := bodies[max(bodyOf(&a.shape), bodyOf(&o.shape))].length
	mine := float64(share / 2 * max(length-a.shape.Length, 0))
	other := float64(share / 2 * max(length-o.shape.Length, 0))
	mine, other = min(mine, (z.to-z.from)/4), min(other, (z.leave-z.enter)/4)
	return zone{z.from + mine, z.to - mine, z.enter + other, z.leave - other}
}

// until returns the part of a zone up to a place on this course.
func (z *zone) until(to float64) zone {
	part := *z
	part.to = min(part.to, to)
	return part
}

// nowhere is a zone for bodies that never touch.
var nowhere = zone{from: inf, to: -inf, enter: inf, leave: -inf}

// gather merges a place with all zones that are close to it.
func gather(list []zone, z zone) []zone {
	for before := -1; before != len(list); {
		before = len(list)
		list = slices.DeleteFunc(list, func(o zone) bool {
			near := o.meets(&z, placesApart)
			if near {
				z.include(&o)
			}
			return near
		})
	}
	return append(list, z)
}

// meets reports whether two zones are at most the given distance apart on both movements.
func (z *zone) meets(o *zone, apart float64) bool {
	return z.from <= o.to+apart && o.from <= z.to+apart && z.enter <= o.leave+apart &&
		o.enter <= z.leave+apart
}

// include extends a zone to include another one.
func (z *zone) include(o *zone) {
	z.from, z.to = min(z.from, o.from), max(z.to, o.to)
	z.enter, z.leave = min(z.enter, o.enter), max(z.leave, o.leave)
}
