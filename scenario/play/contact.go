package play

import (
	"math"

	"gosmp/internal/portable"
	"gosmp/scenario/storyboard"
)

// stride is the motion of an entity in the last step. It contains where the entity was, and how
// fast, at any moment of the step, so that a contact has its own time and speed rather than the
// values at the end of the step.
type stride struct {
	from, to stance
	box      storyboard.Box
	whole    bool // the entity existed at both ends of the step and has not been moved elsewhere
	steady   bool // its speed changed at a constant rate
}

// stance is the state of an entity at one moment.
type stance struct {
	is                       bool
	x, y, h, speed, traveled float64
}

// set writes the numbers one by one: a processor that copies a structure whose fields were just
// written has to wait for those writes.
func (s *stance) set(is bool, x, y, h, speed, traveled float64) {
	s.is, s.x, s.y, s.h, s.speed, s.traveled = is, x, y, h, speed, traveled
}

// slack is how far an entity may move beyond twice the distance that it travels, for example
// sideways, without having been moved elsewhere, in m.
const slack = 0.5

// follow takes up the state at the end of a step that took h seconds.
func (s *stride) follow(state *storyboard.State, h float64) {
	s.from.set(s.to.is, s.to.x, s.to.y, s.to.h, s.to.speed, s.to.traveled)
	if state == nil {
		s.to = stance{}
		s.whole = false
		return
	}
	if s.box != state.Box {
		s.box = state.Box
	}
	s.to.set(true, state.X, state.Y, state.H, state.Speed, state.Traveled)
	way := math.Abs(s.to.traveled - s.from.traveled)
	s.whole = s.from.is && h > 0 &&
		math.Abs(s.to.x-s.from.x)+math.Abs(s.to.y-s.from.y) <=
			float64(2*math.Sqrt2*way)+slack
	s.steady = s.from.speed*s.to.speed >= 0 &&
		math.Abs(float64(math.Abs(s.from.speed+s.to.speed)/2*h)-way) <= 1e-6
}

// at returns the state at a share of the step.
func (s *stride) at(share float64) stance {
	a, b := &s.from, &s.to
	if share == 1 {
		return *b
	}
	change := b.speed - a.speed
	speed := a.speed + float64(share*change)
	if mean := (a.speed + b.speed) / 2; s.steady && mean != 0 {
		share *= (a.speed + float64(share*change)/2) / mean
	}
	return stance{true, a.x + float64(share*(b.x-a.x)), a.y + float64(share*(b.y-a.y)),
		a.h + float64(share*math.Remainder(b.h-a.h, 2*math.Pi)), speed, 0}
}

// reach returns the radius of a circle around the reference point that contains the box.
func (s *stride) reach() float64 {
	return math.Abs(s.box.X) + s.box.Length/2 + math.Abs(s.box.Y) + s.box.Width/2
}

// contact returns the share of the step at which two entities first touch. If they do not touch at
// the end of the step, ok reports whether they touch in between.
func contact(a, b *stride, atEnd bool) (share float64, ok bool) {
	if !a.whole || !b.whole {
		return 1, atEnd
	}
	before, first := 0.0, 1.0
	if !atEnd {
		if before, first, ok = passed(a, b); !ok {
			return 1, false
		}
	}
	if touch(a, b, before) {
		return before, true
	}
	for range 40 { // far below the resolution of any time
		if half := (before + first) / 2; touch(a, b, half) {
			first = half
		} else {
			before = half
		}
	}
	return first, true
}

// passed looks for a contact that begins and ends within a step, at enough moments to miss none
// that is deeper than a quarter of the narrowest side.
func passed(a, b *stride) (before, first float64, ok bool) {
	const most = 64
	x, y := a.to.x-b.to.x, a.to.y-b.to.y
	dx, dy := x-(a.from.x-b.from.x), y-(a.from.y-b.from.y)
	way := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	if near := a.reach() + b.reach() + way; float64(x*x)+float64(y*y) > near*near {
		return 0, 0, false
	}
	narrow := min(a.box.Length, a.box.Width, b.box.Length, b.box.Width) / 2
	n := min(math.Ceil(way/max(narrow, 1e-3)), most)
	for k := 1.0; k < n; k++ {
		if touch(a, b, k/n) {
			return (k - 1) / n, k / n, true
		}
	}
	return 0, 0, false
}

// touch reports whether the boxes of two entities overlap at a share of the step.
func touch(a, b *stride, share float64) bool {
	p, q := a.at(share), b.at(share)
	sinA, cosA := portable.Sincos(p.h)
	sinB, cosB := portable.Sincos(q.h)
	dx := q.x - p.x + middle(b.box.X, b.box.Y, cosB, sinB) - middle(a.box.X, a.box.Y, cosA, sinA)
	dy := q.y - p.y + middle(b.box.Y, b.box.X, cosB, -sinB) - middle(a.box.Y, a.box.X, cosA, -sinA)
	c := math.Abs(float64(cosA*cosB) + float64(sinA*sinB))
	s := math.Abs(float64(cosA*sinB) - float64(sinA*cosB))
	apart := func(x, own, length, width float64) bool {
		return math.Abs(x) > (own+float64(length)+float64(width))/2
	}
	return !apart(float64(dx*cosA)+float64(dy*sinA), a.box.Length, b.box.Length*c, b.box.Width*s) &&
		!apart(float64(dy*cosA)-float64(dx*sinA), a.box.Width, b.box.Length*s, b.box.Width*c) &&
		!apart(float64(dx*cosB)+float64(dy*sinB), b.box.Length, a.box.Length*c, a.box.Width*s) &&
		!apart(float64(dy*cosB)-float64(dx*sinB), b.box.Width, a.box.Length*s, a.box.Width*c)
}

// middle returns a coordinate of the center of a box.
func middle(along, across, cos, sin float64) float64 {
	return float64(along*cos) - float64(across*sin)
}
