package reference

import (
	"cmp"
	"slices"

	"gosmp/sensor/objects"
)

// nearest is the number of boxes that can hide others.
const nearest = 1024

// hide tests every point of every candidate against every obstacle.
func (d *Detector) hide(f *frame) {
	var obstacles []*box
	for i := range f.boxes {
		if f.boxes[i].solid {
			obstacles = append(obstacles, &f.boxes[i])
		}
	}
	slices.SortStableFunc(obstacles, func(a, b *box) int {
		return cmp.Compare(a.distance, b.distance)
	})
	if len(obstacles) > nearest {
		d.note(objects.TooManyObstacles)
		obstacles = obstacles[:nearest]
	}
	for i := range f.boxes {
		if c := f.boxes[i].owner; c != nil {
			c.hidden = hidden(f, &f.boxes[i], obstacles)
		}
	}
}

func hidden(f *frame, b *box, obstacles []*box) bool {
	for _, point := range b.Targets() {
		seen := !slices.ContainsFunc(obstacles, func(o *box) bool {
			obstacle, _ := o.From(f.eye)
			return o != b && obstacle.Blocks(point)
		})
		if seen {
			return false
		}
	}
	return true
}
