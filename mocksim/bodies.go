package mocksim

import (
	"math"

	"gosmp/internal/portable"
)

// The rights of way assume that vehicles are in the middle of their lanes. A vehicle that changes
// lanes, passes others in a circle of waiting vehicles, or swings out before a junction is not, so
// each driver also looks for the bodies of others that stand, or nearly stand, on its own path.

const (
	slowBody    = 1.0  // m/s, above which drivers rely on the rights of way alone
	bodySpace   = 0.05 // m around both bodies together
	bodySamples = 0.25 // m of the path
	// Bodies longer than this are not found by drivers whose path they reach into from aside, m.
	longestBody = 25.0
)

// slowOne is an actor that stands or nearly stands.
type slowOne struct {
	x, y  float64
	actor int32
}

// sweep collects the actors that stand or nearly stand, in the order of x, for [World.bodyAhead].
func (t *traffic) sweep(actors []*actor) {
	list := t.swept
	if len(list) != len(actors) {
		list = list[:0]
		for k := range actors {
			list = append(list, int32(k))
		}
		t.swept = list
	}
	t.slow = t.slow[:0]
	resort(list, func(a, b int32) bool {
		x, y := actors[a].state.Position.X, actors[b].state.Position.X
		return x < y || x == y && a < b
	})
	for _, k := range list {
		if a := actors[k]; a.state.Speed <= slowBody {
			t.slow = append(t.slow, slowOne{a.state.Position.X, a.state.Position.Y, k})
		}
	}
}

// bodyAhead returns the standing or nearly standing actor whose body an actor would touch next on
// its path, and the distance that it can drive before that. If there is none within the distance in
// which the actor can stop, it returns infinity and -1.
func (w *World) bodyAhead(self int32, a *actor) (gap float64, other int32) {
	d := &a.driver
	v := a.state.Speed
	reach := v*v/(2*d.Decel) + float64(v*reactBefore) + 1
	gap, other = inf, -1
	list := w.current().slow
	if len(list) == 0 {
		return gap, other
	}
	p := &a.state.Position
	far := reach + (a.shape.Length+longestBody)/2
	low, high := 0, len(list)
	for low < high {
		if half := (low + high) / 2; list[half].x < p.X-far {
			low = half + 1
		} else {
			high = half
		}
	}
	bend := -1.0
	for _, s := range list[low:] {
		if s.x > p.X+far {
			break
		}
		if s.actor == self || math.Abs(s.y-p.Y) > far {
			continue
		}
		if bend < 0 {
			bend = d.sharpestWithin(reach)
		}
		o := w.actors[s.actor]
		if !a.mayTouch(o, reach, bend) || w.inLine(a, o) {
			continue
		}
		if way := a.wayTo(o, min(reach, gap)); way < gap {
			gap, other = way, s.actor
		}
	}
	return gap, other
}

// sharpestWithin returns the largest curvature of the path within a distance.
func (d *controlled) sharpestWithin(reach float64) float64 {
	most := 0.0
	for way := 0.0; way < reach+binLength; way += binLength {
		most = max(most, d.curvatureAhead(min(way, reach)))
	}
	if d.offset.active() {
		most += bendLimit
	}
	return most
}

// mayTouch reports whether another body may be on the path of an actor, which bends by at most a
// curvature.
func (a *actor) mayTouch(o *actor, reach, bend float64) bool {
	dx, dy := o.state.Position.X-a.state.Position.X, o.state.Position.Y-a.state.Position.Y
	along := float64(dx*a.cosine) + float64(dy*a.sine)
	across := math.Abs(float64(dy*a.cosine) - float64(dx*a.sine))
	s := math.Abs(float64(a.cosine*o.sine) - float64(a.sine*o.cosine))
	c := math.Abs(float64(a.cosine*o.cosine) + float64(a.sine*o.sine))
	long := (a.shape.Length + float64(o.shape.Length*c) + float64(o.shape.Width*s)) / 2
	wide := (a.shape.Width + float64(o.shape.Length*s) + float64(o.shape.Width*c)) / 2
	const spare = 0.3 // m
	if math.Abs(a.state.Position.Z-o.state.Position.Z) > headroom {
		return false
	}
	if along < -long-spare || along > reach+long+spare {
		return false
	}
	span := min(reach, max(along, 0)+long) + a.shape.Length/2
	return across < wide+spare+float64(bend*span*span/2)
}

// inLine reports whether another actor is in the middle of a lane on the path of an actor, which
// therefore follows it in any case.
func (w *World) inLine(a, o *actor) bool {
	if !o.railed() || o.driver.offset.active() {
		return false
	}
	d, at := &a.driver, o.driver.course()
	g := d.path.legs[d.leg].courses
	for k, way := d.index, -d.u; k < len(g) && way < lookAside; k++ {
		if g[k].lane == at.lane {
			return g[k].forwards == at.forwards && (k > d.index || o.driver.u > d.u)
		}
		way += g[k].rail.length
	}
	return false
}

// wayTo returns how far an actor can drive on its path before it touches another body, or comes
// closer to it if the two touch already; infinity if that is farther than a limit.
func (a *actor) wayTo(o *actor, limit float64) float64 {
	const share = 0.6 // of the distance between the bodies; ends move faster than the middle
	body, _ := o.boxAt(1)
	depth, before := 0.0, 0.0
	for way := 0.0; way <= limit; {
		mine := a.boxAhead(way)
		deeper, _ := overlap(&mine, &body)
		if deeper > depth && way > 0 {
			return before
		}
		depth, before = max(deeper, 0), way
		way += max(bodySamples, -share*deeper)
	}
	return inf
}

// boxAhead returns the box of an actor on rails at a distance ahead, with half of bodySpace around
// it. A sidestep continues as it does on the current course.
func (a *actor) boxAhead(way float64) box {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	u, k := d.u+way, d.index
	for ; k+1 < len(g) && u > g[k].rail.length; k++ {
		u -= g[k].rail.length
	}
	var p railPoint
	if lead := d.offset.lead; k == d.index && d.offset.active() {
		g[k].at(u, lead, &p)
	} else {
		g[k].rail.at(u, g[k].forwards, &p)
	}
	b := box{p.position.X, p.position.Y, p.cosine, p.sine, a.shape.Length + bodySpace,
		a.shape.Width + bodySpace}
	if !d.offset.active() {
		return b
	}
	e, first, _, _ := d.offset.at(d.u + way)
	b.x, b.y = b.x-float64(e*p.sine), b.y+float64(e*p.cosine)
	turn := portable.Atan2(first, 1-float64(p.turn.Yaw*e))
	sine, cosine := portable.Sincos(turn)
	b.cosine, b.sine = float64(p.cosine*cosine)-float64(p.sine*sine),
		float64(p.sine*cosine)+float64(p.cosine*sine)
	return b
}

// beforeSwing returns how far a small actor drives towards a red light: it stops before the space
// that a long vehicle needs to turn into its road, if it would touch the actor at the line.
// Otherwise, that vehicle could not turn as long as the light is red, while all behind it wait.
// Actors that have already reached that space stay there.
func (w *World) beforeSwing(a *actor, rest float64) float64 {
	const farthest, large = 15.0, len(bodies) - 1
	d := &a.driver
	v := a.state.Speed
	if bodyOf(&a.shape) == large {
		return rest // its own conflicts keep it out
	}
	pos, least, room := d.pos(), max(v*v/(2*d.Decel), rest-farthest, 0), rest
	var mine box // at the light, once it is needed
	g := d.path.legs[d.leg].courses
	for k := d.nextMeeting(d.index, pos+rest); k >= 0; k = d.nextMeeting(k+1, pos+rest) {
		begin := g[k].begin()
		for i := range g[k].conflicts {
			x := &g[k].conflicts[i]
			z := &x.zones[large]
			before := begin + z.from - stopBefore - pos
			if x.meeting != crossing || before < least || before >= room || begin+z.to <= pos {
				continue
			}
			if mine.length == 0 {
				mine = a.boxAhead(rest)
			}
			if w.sweepsOver(a, &mine, x.other, z) {
				room = before
			}
		}
	}
	return room
}

// sweepsOver reports whether a long vehicle that comes on a movement would touch an actor in a
// conflict if the actor stood in a box ahead.
func (w *World) sweepsOver(a *actor, mine *box, number int32, z *zone) bool {
	const spacing, margin = 0.5, 0.4 // m
	m := &w.crossings.movements[number]
	for _, v := range w.crossings.visitors[number] {
		o := w.actors[v.actor]
		if bodyOf(&o.shape) < len(bodies)-1 || v.u > z.leave || o == a {
			continue
		}
		var p railPoint
		for at := max(v.u, z.enter); at <= min(z.leave, m.length); at += spacing {
			w.at(m, at, &p)
			other := box{p.position.X, p.position.Y, p.cosine, p.sine, o.shape.Length + margin,
				o.shape.Width + margin}
			if depth, _ := overlap(mine, &other); depth > 0 {
				return true
			}
		}
	}
	return false
}

// creeps returns how far a standing actor may still move up, which is at most a given distance: not
// beyond the place where it stops before a red light or a taken crosswalk.
func (w *World) creeps(o *actor, most float64) float64 {
	d := &o.driver
	if most <= 0 || !o.railed() || o.state.Speed > standstill {
		return most
	}
	g, pos := d.path.legs[d.leg].courses, d.pos()
	for k := d.index; k < len(g) && g[k].start < pos+o.shape.Length/2+most; k++ {
		l := leader{gap: inf}
		if len(w.stops[g[k].lane.Number()]) > 0 && w.stopAtLights(o, &g[k], g[k].start-pos, &l) {
			most = min(most, max(l.gap-d.MinGap, 0))
		}
	}
	return most
}
