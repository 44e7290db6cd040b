package mocksim

import (
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/timebase"
)

// contacts records which boxes overlap.
type contacts struct {
	order []span // sorted by low end, nearly in the order of the previous step
	boxes []bounds
	now   []contact
	last  []contact
}

// contact is a pair of overlapping boxes, the lower id first.
type contact struct{ a, b uint64 }

func (c contact) compare(o contact) int {
	if c.a != o.a {
		if c.a < o.a {
			return -1
		}
		return 1
	}
	switch {
	case c.b < o.b:
		return -1
	case c.b > o.b:
		return 1
	}
	return 0
}

// span is the extent of the box of an actor along the axis of the sweep.
type span struct {
	low, high float64
	actor     int32
}

// bounds encloses the box of an actor throughout its motion in a step.
type bounds struct{ x0, x1, y0, y1 float64 }

// forget drops the contacts of a removed actor.
func (c *contacts) forget(id uint64) {
	c.last = slices.DeleteFunc(c.last, func(x contact) bool { return x.a == id || x.b == id })
}

// box is an oriented rectangle.
type box struct{ x, y, cosine, sine, length, width float64 }

// overlap returns the depth of the overlap of two boxes on the axis with the smallest overlap,
// negative if they are apart, and that axis: 0 and 1 are along and across the first box, and 2 and
// 3 along and across the second.
func overlap(a, b *box) (depth float64, axis int) {
	dx, dy := b.x-a.x, b.y-a.y
	c := math.Abs(float64(a.cosine*b.cosine) + float64(a.sine*b.sine))
	s := math.Abs(float64(a.cosine*b.sine) - float64(a.sine*b.cosine))
	depth, axis = (a.length+float64(b.length*c)+float64(b.width*s))/2-math.Abs(float64(dx*a.cosine)+
		float64(dy*a.sine)), 0
	if d := (a.width+float64(b.length*s)+float64(b.width*c))/2 - math.Abs(
		float64(dy*a.cosine)-float64(dx*a.sine)); d < depth {
		depth, axis = d, 1
	}
	if d := (b.length+float64(a.length*c)+float64(a.width*s))/2 - math.Abs(float64(dx*b.cosine)+
		float64(dy*b.sine)); d < depth {
		depth, axis = d, 2
	}
	if d := (b.width+float64(a.length*s)+float64(a.width*c))/2 - math.Abs(
		float64(dy*b.cosine)-float64(dx*b.sine)); d < depth {
		depth, axis = d, 3
	}
	return depth, axis
}

// beside reports whether another box is apart from this one on the axis across it, which is one of
// the axes of overlap.
func (b *box) beside(o *box) bool {
	dx, dy := o.x-b.x, o.y-b.y
	c := math.Abs(float64(b.cosine*o.cosine) + float64(b.sine*o.sine))
	s := math.Abs(float64(b.cosine*o.sine) - float64(b.sine*o.cosine))
	return (b.width+float64(o.length*s)+float64(o.width*c))/2-math.Abs(
		float64(dy*b.cosine)-float64(dx*b.sine)) <= 0
}

// boxAt returns the box of an actor at a fraction of the step, interpolated between the previous
// and the current pose. It is the ground below the actor, seen from above: on a steep or banked
// road it is shorter or narrower than the actor.
func (a *actor) boxAt(share float64) (b box, z float64) {
	b.length, b.width = a.shape.Length, a.shape.Width
	if o := &a.state.Orientation; o.Pitch != 0 || o.Roll != 0 {
		b.length *= math.Abs(portable.Cos(o.Pitch))
		b.width *= math.Abs(portable.Cos(o.Roll))
	}
	p := &a.state.Position
	if share == 1 {
		b.x, b.y, b.cosine, b.sine = p.X, p.Y, a.cosine, a.sine
		return b, p.Z
	}
	o := &a.before
	b.x, b.y = o.x+float64(share*(p.X-o.x)), o.y+float64(share*(p.Y-o.y))
	turn := wrapFast(a.state.Orientation.Yaw - o.yaw)
	b.sine, b.cosine = portable.Sincos(o.yaw + float64(share*turn))
	return b, o.z + float64(share*(p.Z-o.z))
}

// depthAt returns how deeply two actors overlap at a fraction of the step.
func depthAt(a, b *actor, share float64) (depth float64, axis int) {
	x, zx := a.boxAt(share)
	y, zy := b.boxAt(share)
	if zx >= zy+b.shape.Height || zy >= zx+a.shape.Height {
		return -1, 0
	}
	return overlap(&x, &y)
}

// collide finds the pairs that touch by sweeping over x or y, and reports the starts and ends of
// contacts.
func (w *World) collide(h timebase.Time) {
	c := &w.contacts
	n := len(w.actors)
	if len(c.order) != n {
		c.order = c.order[:0]
		for k := range n {
			c.order = append(c.order, span{actor: int32(k)})
		}
	}
	if cap(c.boxes) < n {
		c.boxes = make([]bounds, n, 2*n)
	}
	c.boxes = c.boxes[:n]
	for k, a := range w.actors {
		c.boxes[k] = a.bounds()
	}
	overY := c.sort()
	c.now = c.now[:0]
	for i := range c.order {
		one := &c.order[i]
		b := &c.boxes[one.actor]
		for k := i + 1; k < n && c.order[k].low <= one.high; k++ {
			m := c.order[k].actor
			o := &c.boxes[m]
			if overY && o.x0 <= b.x1 && o.x1 >= b.x0 || !overY && o.y0 <= b.y1 && o.y1 >= b.y0 {
				w.touch(w.actors[min(one.actor, m)], w.actors[max(one.actor, m)], h)
			}
		}
	}
	slices.SortFunc(c.now, contact.compare)
	for _, x := range c.last {
		if _, still := slices.BinarySearchFunc(c.now, x, contact.compare); !still {
			w.parted(x)
		}
	}
	c.last = append(c.last[:0], c.now...)
}

// parted reports that a contact has ended.
func (w *World) parted(x contact) {
	e := Event{Time: w.now, Kind: CollisionEnd}
	for _, a := range w.actors {
		if a.id == x.a || a.id == x.b {
			if e.Actor == "" {
				e.Actor = a.name
			} else {
				e.Other = a.name
			}
		}
	}
	w.events = append(w.events, e)
}

func (a *actor) bounds() bounds {
	c, s := math.Abs(a.cosine), math.Abs(a.sine)
	hx := (float64(a.shape.Length*c) + float64(a.shape.Width*s)) / 2
	hy := (float64(a.shape.Length*s) + float64(a.shape.Width*c)) / 2
	p := &a.state.Position
	// while the actor turns, the box extends as far as its diagonal
	if a.before.yaw != a.state.Orientation.Yaw {
		reach := math.Sqrt(float64(a.shape.Length*a.shape.Length)+
			float64(a.shape.Width*a.shape.Width)) / 2
		hx, hy = reach, reach
	}
	return bounds{min(p.X, a.before.x) - hx, max(p.X, a.before.x) + hx, min(p.Y, a.before.y) - hy,
		max(p.Y, a.before.y) + hy}
}

// sort orders the spans along x, or along y if the boxes are spread more than twice as far in that
// direction.
func (c *contacts) sort() (overY bool) {
	all := bounds{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}
	for k := range c.boxes {
		b := &c.boxes[k]
		all.x0, all.x1 = min(all.x0, b.x0), max(all.x1, b.x1)
		all.y0, all.y1 = min(all.y0, b.y0), max(all.y1, b.y1)
	}
	// changing the axis requires a new sort, so similar extents do not cause a change
	overY = all.y1-all.y0 > 2*(all.x1-all.x0)
	for i := range c.order {
		s := &c.order[i]
		b := &c.boxes[s.actor]
		if s.low, s.high = b.x0, b.x1; overY {
			s.low, s.high = b.y0, b.y1
		}
	}
	resort(c.order, func(a, b span) bool {
		return a.low < b.low || a.low == b.low && a.actor < b.actor
	})
	return overY
}

// touch decides about a pair whose bounds overlap.
func (w *World) touch(a, b *actor, h timebase.Time) {
	pair := contact{min(a.id, b.id), max(a.id, b.id)}
	depth, axis := depthAt(a, b, 1)
	_, known := slices.BinarySearchFunc(w.contacts.last, pair, contact.compare)
	if depth > 0 && known {
		w.contacts.now = append(w.contacts.now, pair)
		return
	}
	before, first := 0.0, 1.0
	if depth <= 0 {
		var ok bool
		if before, first, axis, ok = passed(a, b); !ok {
			return
		}
	}
	// Find the moment of contact by bisection.
	if d, _ := depthAt(a, b, 0); d > 0 && before == 0 {
		first = 0
	}
	for range 40 {
		if (first-before)*h.Seconds() < 1e-7 {
			break
		}
		half := (before + first) / 2
		if d, which := depthAt(a, b, half); d > 0 {
			first, axis = half, which
		} else {
			before = half
		}
	}
	w.report(a, b, pair, depth > 0, first, axis, h)
}

// passed looks for a contact that begins and ends within a step. It checks enough moments to miss
// none.
func passed(a, b *actor) (before, first float64, axis int, ok bool) {
	const most = 64
	dx := (a.state.Position.X - a.before.x) - (b.state.Position.X - b.before.x)
	dy := (a.state.Position.Y - a.before.y) - (b.state.Position.Y - b.before.y)
	narrow := min(a.shape.Width, a.shape.Length, b.shape.Width, b.shape.Length) / 2
	n := min(math.Ceil(math.Sqrt(float64(dx*dx)+float64(dy*dy))/max(narrow, 1e-3)), most)
	for k := 1.0; k < n; k++ {
		if d, which := depthAt(a, b, k/n); d > 0 {
			return (k - 1) / n, k / n, which, true
		}
	}
	return 0, 0, 0, false
}

func (w *World) report(a, b *actor, pair contact, lasting bool, share float64, axis int,
	h timebase.Time) {
	if lasting {
		w.contacts.now = append(w.contacts.now, pair)
	}
	x, _ := a.boxAt(share)
	y, _ := b.boxAt(share)
	dx, dy := y.x-x.x, y.y-x.y
	rest := (1 - share) * h.Seconds()
	v := a.velocityBefore(rest).Sub(b.velocityBefore(rest))
	if w.o.Freeze {
		w.stale = true
		defer func() { a.freeze(); b.freeze() }()
	}
	closing := 0.0
	if distance := math.Sqrt(float64(dx*dx) + float64(dy*dy)); distance > 0 {
		closing = max((float64(v.X*dx)+float64(v.Y*dy))/distance, 0)
	}
	when := w.now - h + timebase.Time(math.Round(share*float64(h)/1000)*1000)
	w.events = append(w.events, Event{Time: min(when, w.now), Kind: Collision, Actor: a.name,
		Other: b.name,
		Value: closing, Axis: hitSide(&x, dx, dy, axis)})
	if !lasting {
		w.events = append(w.events, Event{Time: w.now, Kind: CollisionEnd, Actor: a.name,
			Other: b.name})
	}
}

// velocityBefore returns the velocity some time before the end of a step.
func (a *actor) velocityBefore(rest float64) frames.Vector {
	return a.state.Velocity.Sub(a.state.Acceleration.Scale(rest))
}

// hitSide returns the side of a box that faces something at (dx, dy) from its center.
func hitSide(b *box, dx, dy float64, axis int) string {
	along, across := float64(dx*b.cosine)+float64(dy*b.sine),
		float64(dy*b.cosine)-float64(dx*b.sine)
	lengthwise := axis == 0 || axis >= 2 && math.Abs(along)*b.width > math.Abs(across)*b.length
	switch {
	case lengthwise && along > 0:
		return "front"
	case lengthwise:
		return "rear"
	case across > 0:
		return "left"
	}
	return "right"
}

// freeze makes an actor stand still where it is.
func (a *actor) freeze() {
	s := &a.state
	if a.mode != standing {
		a.place = View{a}.Place()
		a.mode = standing
	}
	s.Speed, s.Along = 0, 0
	s.Velocity, s.Acceleration = s.Velocity.Scale(0), s.Acceleration.Scale(0)
	s.Rate.Roll, s.Rate.Pitch, s.Rate.Yaw = 0, 0, 0
	s.Turning.Roll, s.Turning.Pitch, s.Turning.Yaw = 0, 0, 0
}
