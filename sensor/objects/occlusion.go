package objects

import (
	"cmp"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/sensor/objects/internal/sightline"
)

// maxObstacles bounds the work of occlusion for scenes of any size by considering only the nearest
// boxes.
const maxObstacles = 1024

// obstacles holds the boxes of a view and the targets among them.
type obstacles struct {
	boxes   []sightline.Box
	places  []place
	nearest []*place // the places in order of distance
	targets []target
}

// place is an obstacle as seen by the eye: a disc in the sky.
type place struct {
	box      int // in obstacles.boxes
	distance float64
	disc     disc
}

// target is an object in view.
type target struct {
	kind  Kind
	found int // in Detector.found
	box   int // in obstacles.boxes
}

func (o *obstacles) clear() {
	o.boxes, o.places, o.targets = o.boxes[:0], o.places[:0], o.targets[:0]
}

// disc is the direction to the center of a sphere, with the sine and cosine of the angle between
// center and rim.
type disc struct {
	direction frames.Vector
	sin, cos  float64
}

// around returns the disc that a sphere covers. A sphere around the eye covers half the sky, so
// that it touches everything that could be behind it.
func around(arm frames.Vector, distance, radius float64) disc {
	sin := radius / distance
	if !(sin < 1) {
		return disc{sin: 1}
	}
	return disc{arm.Scale(1 / distance), sin, math.Sqrt(1 - float64(sin*sin))}
}

// touches returns false only when the two discs have no point in common. The margin is far above
// the rounding errors.
func (a *disc) touches(b *disc) bool {
	const margin = 1e-9
	if a.sin == 1 || b.sin == 1 {
		return true
	}
	return a.direction.Dot(b.direction) >= float64(a.cos*b.cos)-float64(a.sin*b.sin)-margin
}

// obstruct records the box of an object that is in view or can hide others. It returns false when a
// part is malformed.
func (d *Detector) obstruct(o *object, position frames.Vector, distance float64, inView bool) bool {
	size, _, ok1 := o.vector(fieldDimension)
	angles, _, ok2 := o.vector(fieldOrientation)
	if !ok1 || !ok2 {
		return false
	}
	if !validSize(size) {
		size = frames.Vector{}
	}
	if !angles.Finite() {
		angles = frames.Vector{}
	}
	box := sightline.Box{Center: position, Attitude: orientation(angles).Rotation(),
		Half: size.Scale(0.5)}
	_, solid := box.From(d.sight.eye)
	inReach := solid && distance-box.Radius() < d.reach
	if !inReach && !inView {
		return true
	}
	s := &d.obstacles
	index := len(s.boxes)
	s.boxes = append(s.boxes, box)
	if inReach {
		s.places = append(s.places, place{index, distance, around(position.Sub(d.sight.eye),
			distance, box.Radius())})
	}
	if inView {
		s.targets = append(s.targets, target{o.kind, len(d.found[o.kind]) - 1, index})
	}
	return true
}

// hide marks the objects in view that are behind a box.
func (d *Detector) hide() {
	s := &d.obstacles
	s.nearest = s.nearest[:0]
	for i := range s.places {
		s.nearest = append(s.nearest, &s.places[i])
	}
	slices.SortStableFunc(s.nearest, func(a, b *place) int {
		return cmp.Compare(a.distance, b.distance)
	})
	if len(s.nearest) > maxObstacles {
		s.nearest = s.nearest[:maxObstacles]
		d.noteHost(TooManyObstacles, 0)
	}
	for _, t := range s.targets {
		d.found[t.kind][t.found].hidden = s.hides(t.box, d.sight.eye)
	}
}

// hides reports whether none of the target's points is visible.
func (o *obstacles) hides(box int, eye frames.Vector) bool {
	b := &o.boxes[box]
	arm := b.Center.Sub(eye)
	rim := around(arm, arm.Length(), b.Radius())
	points := b.Targets()
	unseen := 0 // points before this one are known to be hidden
	for _, p := range o.nearest {
		if p.box == box || !p.disc.touches(&rim) {
			continue
		}
		blocker, _ := o.boxes[p.box].From(eye)
		for k := unseen; k < len(points); k++ {
			if blocker.Blocks(points[k]) {
				points[k], points[unseen] = points[unseen], points[k]
				unseen++
			}
		}
		if unseen == len(points) {
			return true
		}
	}
	return false
}
