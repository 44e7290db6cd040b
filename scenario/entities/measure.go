package entities

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/scenario"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// quantity is a value of one entity.
type quantity func() (x float64, ok bool)

// measure is a quantity of an entity, which must exist.
type measure struct {
	b     *body
	value quantity
}

// Value returns the current value of the quantity.
func (m *measure) Value() (float64, bool) {
	if !m.b.exists {
		return 0, false
	}
	return m.value()
}

// measuring prepares one kind of condition.
type measuring func(w *World, e *scenario.Element, b *body) (quantity, error)

// measurings maps the types of conditions to their measurements.
var measurings = map[string]measuring{
	"SpeedCondition":             speedOf,
	"RelativeSpeedCondition":     relativeSpeed,
	"AccelerationCondition":      accelerationOf,
	"StandStillCondition":        standStill,
	"TraveledDistanceCondition":  traveled,
	"DistanceCondition":          distanceTo,
	"RelativeDistanceCondition":  relativeDistance,
	"ReachPositionCondition":     reachPosition,
	"TimeHeadwayCondition":       timeHeadway,
	"TimeToCollisionCondition":   timeToCollision,
	"AngleCondition":             angleOf,
	"RelativeAngleCondition":     relativeAngle,
	"CollisionCondition":         collisionWith,
	"EndOfRoadCondition":         endOfRoad,
	"OffroadCondition":           offroad,
	"RelativeClearanceCondition": relativeClearance,
}

// Measure prepares the quantity that a condition reads.
func (w *World) Measure(e *scenario.Element, entity storyboard.Entity) (storyboard.Measure, error) {
	kind := e.Type
	if kind == "" {
		kind = e.Name
	}
	prepare, ok := measurings[kind]
	if !ok {
		return nil, fault.New(storyboard.ErrUnsupported, e.Place(), kind,
			"a condition about entities, such as SpeedCondition")
	}
	b := w.bodies[entity]
	for _, c := range e.Children { // a value to compare with may be any number
		if err := measurable(c); err != nil {
			return nil, err
		}
	}
	value, err := prepare(w, e, b)
	if err != nil {
		return nil, unsupported(err)
	}
	return &measure{b, value}, nil
}

// other returns the entity that the attribute entityRef names.
func (w *World) other(e *scenario.Element) (*body, error) {
	k, err := w.reader.Entity(e, "entityRef")
	if err != nil {
		return nil, err
	}
	return w.bodies[k], nil
}

// axis is the direction of a condition in the frame of the triggering entity.
type axis uint8

const (
	noAxis axis = iota
	longitudinalAxis
	lateralAxis
	verticalAxis
)

func readAxis(e *scenario.Element) axis {
	switch e.Value("direction") {
	case "longitudinal":
		return longitudinalAxis
	case "lateral":
		return lateralAxis
	case "vertical":
		return verticalAxis
	}
	return noAxis
}

// part returns the component of a vector along an axis of an entity.
func (b *body) part(v frames.Vector, a axis) float64 {
	rotation := b.at.Direction.Rotation()
	local := rotation.Into(v)
	switch a {
	case longitudinalAxis:
		return local.X
	case lateralAxis:
		return local.Y
	case verticalAxis:
		return local.Z
	}
	return v.Length()
}

// moving returns the velocity, including a speed set at this very moment.
func (b *body) moving() frames.Vector {
	ahead := heading(b.at.Direction.Yaw)
	along := b.velocity.Dot(ahead)
	return b.velocity.Add(ahead.Scale(b.speed - along))
}

func speedOf(_ *World, e *scenario.Element, b *body) (quantity, error) {
	a := readAxis(e)
	return func() (float64, bool) {
		if a == noAxis {
			return b.speed, true
		}
		return b.part(b.moving(), a), true
	}, nil
}

func relativeSpeed(w *World, e *scenario.Element, b *body) (quantity, error) {
	o, err := w.other(e)
	if err != nil {
		return nil, err
	}
	a := readAxis(e)
	return func() (float64, bool) {
		if a == noAxis {
			return b.speed - o.speed, o.exists
		}
		return b.part(b.moving().Sub(o.moving()), a), o.exists
	}, nil
}

func accelerationOf(_ *World, e *scenario.Element, b *body) (quantity, error) {
	a := readAxis(e)
	return func() (float64, bool) { return b.part(b.accelerated, a), true }, nil
}

func standStill(_ *World, _ *scenario.Element, b *body) (quantity, error) {
	return func() (float64, bool) { return math.Abs(b.speed), true }, nil
}

func traveled(_ *World, _ *scenario.Element, b *body) (quantity, error) {
	return func() (float64, bool) { return b.traveled, true }, nil
}

func endOfRoad(_ *World, _ *scenario.Element, b *body) (quantity, error) {
	return func() (float64, bool) { return one(b.ended), true }, nil
}

func offroad(w *World, _ *scenario.Element, b *body) (quantity, error) {
	return func() (float64, bool) { return one(!b.at.OnLane && !w.network.Plane()), true }, nil
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func reachPosition(w *World, e *scenario.Element, b *body) (quantity, error) {
	p, err := w.reader.Position(e.Child("Position"))
	if err != nil {
		return nil, err
	}
	return func() (float64, bool) {
		var at position.Place
		if p.Resolve(w, &at) != nil {
			return 0, false
		}
		d := at.Position.Sub(b.at.Position)
		return portable.Hypot(d.X, d.Y), true
	}, nil
}

// angled returns the angle of an entity relative to a coordinate system.
func (w *World) angled(e *scenario.Element, b *body) (quantity, error) {
	kind := e.Value("angleType")
	pick := func(o frames.Orientation) float64 {
		switch kind {
		case "pitch":
			return o.Pitch
		case "roll":
			return o.Roll
		}
		return o.Yaw
	}
	switch name := e.Value("coordinateSystem"); name {
	case "", "world", "entity":
		return func() (float64, bool) { return pick(b.at.Direction), true }, nil
	case "road", "lane":
		return func() (float64, bool) {
			if b.at.Road == nil {
				return 0, false
			}
			st, err := b.at.Road.Station(b.at.S)
			if err != nil {
				return 0, false
			}
			along := st.Heading
			if name == "lane" {
				along = w.network.Along(&b.at)
			}
			d, road := b.at.Direction, st.Attitude(b.at.Direction.Yaw)
			return pick(frames.Orientation{Yaw: d.Yaw - along, Pitch: d.Pitch - road.Pitch,
				Roll: d.Roll - road.Roll}), true
		}, nil
	case "trajectory":
		return func() (float64, bool) {
			f, is := b.lat.(*followTrajectory)
			if !is {
				return 0, false
			}
			var here motion.Point
			f.curve.At(f.s, &here)
			d := b.at.Direction
			d.Yaw -= here.Direction
			return pick(d), true
		}, nil
	default:
		return nil, fault.New(storyboard.ErrUnsupported, e.PlaceOf("coordinateSystem"), name,
			"world, road, lane or trajectory")
	}
}

func angleOf(w *World, e *scenario.Element, b *body) (quantity, error) {
	value, err := w.angled(e, b)
	wanted := position.Number(e, "angle", 0)
	return func() (float64, bool) {
		x, ok := value()
		return math.Abs(frames.WrapAngle(x - wanted)), ok
	}, err
}

func relativeAngle(w *World, e *scenario.Element, b *body) (quantity, error) {
	o, err := w.other(e)
	if err != nil {
		return nil, err
	}
	own, err := w.angled(e, b)
	if err != nil {
		return nil, err
	}
	others, err := w.angled(e, o)
	wanted := position.Number(e, "angle", 0)
	return func() (float64, bool) {
		x, ok := own()
		y, fine := others()
		return math.Abs(frames.WrapAngle(x - y - wanted)), ok && fine && o.exists
	}, err
}

// tallest is the largest difference in height at which two entities can collide, in m.
const tallest = 2.5

// touches reports whether the boxes of two entities overlap.
func (b *body) touches(o *body) bool {
	if b == o || !o.exists || math.Abs(b.at.Position.Z-o.at.Position.Z) > tallest {
		return false
	}
	dx, dy := b.at.Position.X-o.at.Position.X, b.at.Position.Y-o.at.Position.Y
	reach := b.reach() + o.reach()
	if float64(dx*dx)+float64(dy*dy) > reach*reach {
		return false
	}
	return position.Overlap(&b.box, &b.at, &o.box, &o.at)
}

// reach returns the radius of a circle around the reference point that contains the box.
func (b *body) reach() float64 {
	x := math.Abs(b.box.X) + b.box.Length/2
	y := math.Abs(b.box.Y) + b.box.Width/2
	return x + y
}

func collisionWith(w *World, e *scenario.Element, b *body) (quantity, error) {
	if r := e.Child("EntityRef"); r != nil {
		o, err := w.other(r)
		return func() (float64, bool) {
			touch, may := w.collides(b, o)
			return one(touch), may
		}, err
	}
	class := e.Child("ByType").Value("type")
	if class == "" {
		return nil, fault.New(storyboard.ErrUnsupported, e.Place(), "a collision with nothing",
			"EntityRef or ByType")
	}
	return func() (float64, bool) {
		for _, o := range w.bodies {
			if o.class != class {
				continue
			}
			if touch, may := w.collides(b, o); touch && may {
				return 1, true
			}
		}
		return 0, true
	}, nil
}
