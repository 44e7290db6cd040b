package entities

import (
	"math"

	"gosmp/internal/fault"
	"gosmp/scenario"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// gap describes how a condition measures a distance (rules of RelativeDistanceType,
// coordinateSystem and freespace).
type gap struct {
	w         *World
	kind      gapKind
	system    system
	freespace bool
	onward    *onwards // along the way of the entity; nil: by the strategy
	strategy  position.Strategy
}

type gapKind uint8

const (
	euclidean gapKind = iota
	longitudinalGap
	lateralGap
)

func (w *World) readGap(e *scenario.Element) (g gap, err error) {
	g = gap{w: w, freespace: position.True(e, "freespace", false)}
	switch kind := e.Value("relativeDistanceType"); kind {
	case "", "euclidianDistance", "cartesianDistance", "euclideanDistance":
	case "longitudinal":
		g.kind = longitudinalGap
	case "lateral":
		g.kind = lateralGap
	default:
		return g, fault.New(storyboard.ErrUnsupported, e.PlaceOf("relativeDistanceType"), kind,
			"longitudinal, lateral or euclidianDistance")
	}
	if g.system, err = readSystem(e); err != nil {
		return g, err
	}
	if position.True(e, "alongRoute", false) {
		if !e.Has("coordinateSystem") {
			g.system = ofRoad
		}
		if !e.Has("relativeDistanceType") {
			g.kind = longitudinalGap
		}
	}
	switch name := e.Value("routingAlgorithm"); name {
	case "", "undefined", "shortest":
	case "fastest":
		g.strategy = position.Fastest
	case "leastIntersections":
		g.strategy = position.LeastIntersections
	case "assignedRoute":
		g.onward = &onwards{}
	default:
		return g, fault.New(storyboard.ErrUnsupported, e.PlaceOf("routingAlgorithm"), name,
			"assignedRoute, fastest, leastIntersections, shortest or undefined")
	}
	if g.kind == lateralGap && e.Value("coordinateSystem") == "lane" {
		return g, fault.New(storyboard.ErrUnsupported, e.PlaceOf("coordinateSystem"),
			"lane, of a lateral distance", "entity or road")
	}
	return g, nil
}

// abreast is the distance along the axis of an entity up to which another place is beside it, not
// ahead of it, m. It forgives rounding only.
const abreast = 1e-9

// between returns the distance to a place, and whether the place lies ahead. box is nil for a place
// without a size; then only the box of the entity itself counts.
func (g *gap) between(b *body, box *position.Box, at *position.Place) (d float64, ahead, ok bool) {
	if g.kind == euclidean {
		dx, _ := position.Ahead(&b.at, at)
		if g.freespace {
			if box == nil {
				box = &position.Box{}
			}
			return position.Free(&b.box, &b.at, box, at), dx > abreast, true
		}
		return position.Straight(&b.at, at), dx > abreast, true
	}
	along, aside, ok := g.parts(b, box, at)
	if g.kind == lateralGap {
		return math.Abs(aside), true, ok
	}
	return math.Abs(along), along > abreast || g.freespace && along >= 0, ok
}

// parts returns the signed distances along and across in the coordinate system of the condition.
func (g *gap) parts(b *body, box *position.Box, at *position.Place) (along, aside float64,
	ok bool) {
	if box == nil {
		box = &position.Box{}
	}
	switch {
	case g.system == ofRoad:
		return g.onRoad(b, box, at)
	case g.system == ofTrajectory:
		return g.onTrajectory(b, box, at)
	case g.system == ofWorld:
		d := at.Position.Sub(b.at.Position)
		if g.freespace {
			one, two := b.box.Extent(b.at.Direction.Yaw), box.Extent(at.Direction.Yaw)
			d.X, d.Y = one.Gaps(&two, d.X, d.Y)
		}
		return d.X, d.Y, true
	case g.freespace:
		along, aside = position.Gaps(&b.box, &b.at, box, at)
		return along, aside, true
	}
	along, aside = position.Ahead(&b.at, at)
	return along, aside, true
}

// onRoad measures along the roads. Boxes extend as far as they do at their headings, as if the road
// were straight next to them.
func (g *gap) onRoad(b *body, box *position.Box, at *position.Place) (along, aside float64,
	ok bool) {
	along, aside, turn, ok := g.apart(b, at)
	if !g.freespace || !ok {
		return along, aside, ok
	}
	// The axes are those of the road at the entity, positive along s and to its left.
	along = float64(along * b.at.Sign())
	one, two := b.box.Extent(b.at.Turn), box.Extent(at.Turn+turn)
	along, aside = one.Gaps(&two, along, aside)
	return along * b.at.Sign(), aside, true
}

// onTrajectory measures along the trajectory that the entity follows.
func (g *gap) onTrajectory(b *body, box *position.Box, at *position.Place) (along, aside float64,
	ok bool) {
	f, is := b.lat.(*followTrajectory)
	if !is {
		return 0, 0, false
	}
	s, t := motion.Closest(f.curve, at.Position.X, at.Position.Y)
	along, aside = s-f.s, t
	if g.freespace {
		var here, there motion.Point
		f.curve.At(f.s, &here)
		f.curve.At(s, &there)
		one := b.box.Extent(b.at.Direction.Yaw - here.Direction)
		two := box.Extent(at.Direction.Yaw - there.Direction)
		along, aside = one.Gaps(&two, along, aside)
	}
	return along * f.direction(), aside, true
}

func distanceTo(w *World, e *scenario.Element, b *body) (quantity, error) {
	g, err := w.readGap(e)
	if err != nil {
		return nil, err
	}
	p, err := w.reader.Position(e.Child("Position"))
	if err != nil {
		return nil, err
	}
	return func() (float64, bool) {
		var at position.Place
		if p.Resolve(w, &at) != nil {
			return 0, false
		}
		d, _, ok := g.between(b, nil, &at)
		return d, ok
	}, nil
}

func relativeDistance(w *World, e *scenario.Element, b *body) (quantity, error) {
	g, err := w.readGap(e)
	if err != nil {
		return nil, err
	}
	o, err := w.other(e)
	return func() (float64, bool) {
		if !o.exists {
			return 0, false
		}
		d, _, ok := g.between(b, &o.box, &o.at)
		return d, ok
	}, err
}

func timeHeadway(w *World, e *scenario.Element, b *body) (quantity, error) {
	g, err := w.readGap(e)
	if err != nil {
		return nil, err
	}
	o, err := w.other(e)
	return func() (float64, bool) {
		if !o.exists || b.speed <= 0 {
			return 0, false
		}
		d, ahead, ok := g.between(b, &o.box, &o.at)
		return d / b.speed, ok && ahead
	}, err
}

func timeToCollision(w *World, e *scenario.Element, b *body) (quantity, error) {
	g, err := w.readGap(e)
	if err != nil {
		return nil, err
	}
	target := e.Child("TimeToCollisionConditionTarget")
	if target == nil {
		target = e
	}
	if r := target.Child("EntityRef"); r != nil {
		o, err := w.other(r)
		return func() (float64, bool) {
			if !o.exists {
				return 0, false
			}
			return g.collision(b, &o.box, &o.at, o)
		}, err
	}
	p, err := w.reader.Position(target.Child("Position"))
	if err != nil {
		return nil, err
	}
	return func() (float64, bool) {
		var at position.Place
		if p.Resolve(w, &at) != nil {
			return 0, false
		}
		return g.collision(b, nil, &at, nil)
	}, nil
}

// collision returns the time until a distance reaches 0 at its current rate of decrease.
func (g *gap) collision(b *body, box *position.Box, at *position.Place, o *body) (float64, bool) {
	d, _, ok := g.between(b, box, at)
	closing := g.closing(b, at, o)
	if !ok || closing <= 0 {
		return 0, false
	}
	return d / closing, true
}

// closing returns how fast the distance shrinks.
func (g *gap) closing(b *body, at *position.Place, o *body) float64 {
	v := b.moving()
	if o != nil {
		v = v.Sub(o.moving())
	}
	d := at.Position.Sub(b.at.Position)
	switch {
	case g.kind == euclidean:
		if l := d.Length(); l > 0 {
			return v.Dot(d) / l
		}
		return 0
	case g.system == ofRoad:
		return g.closingOnRoad(b, at, o)
	}
	ahead := heading(b.at.Direction.Yaw)
	if g.kind == lateralGap {
		ahead.X, ahead.Y = -ahead.Y, ahead.X
	}
	return v.Dot(ahead) * sign(d.Dot(ahead) >= 0)
}

// closingOnRoad returns how fast the distance shrinks in road coordinates.
func (g *gap) closingOnRoad(b *body, at *position.Place, o *body) float64 {
	along, aside, turn, ok := g.apart(b, at)
	if !ok {
		return 0
	}
	if g.kind == lateralGap {
		v := b.onRoad(g.w).Y
		if o != nil {
			v -= o.onRoad(g.w).Y * sign(turn == 0)
		}
		return v * sign(aside >= 0)
	}
	own := b.onRoad(g.w).X * g.w.network.Pace(&b.at)
	if o != nil { // turn is 0 or pi
		own -= o.onRoad(g.w).X * g.w.network.Pace(&o.at) * sign(turn == 0)
	}
	return own * b.at.Sign() * sign(along >= 0)
}

// onRoad is a velocity in road coordinates.
type onRoad struct{ X, Y float64 }

// onRoad returns the velocity along s and t.
func (b *body) onRoad(w *World) onRoad {
	v, along := b.moving(), heading(w.network.Along(&b.at))
	return onRoad{v.Dot(along), float64(v.Y*along.X) - float64(v.X*along.Y)}
}
