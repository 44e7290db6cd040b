package position

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
	"gosmp/scenario"
	"gosmp/scenario/motion"
)

// Trajectory is a trajectory of a document.
type Trajectory struct {
	Name   string
	Closed bool
	Timed  bool // the vertices have times
	build  func(scene Scene, self *Place, turning motion.Turning) (motion.Curve, error)
	fixed  bool
	cached [2]motion.Curve // by turning, of a fixed one
	place  *scenario.Element
}

// Curve computes the course as things are now, for an entity that follows it from its own place.
func (t *Trajectory) Curve(scene Scene, self *Place, turning motion.Turning) (motion.Curve, error) {
	if c := t.cached[turning]; c != nil {
		return c, nil
	}
	c, err := t.build(scene, self, turning)
	if err != nil {
		if e := (*scenario.Error)(nil); errors.As(err, &e) {
			return nil, err
		}
		return nil, fail(t.place, "", ErrPlace, err.Error(), "a trajectory with a length")
	}
	if t.fixed {
		t.cached[turning] = c
	}
	return c, nil
}

// Trajectory reads the child of an element that is a Trajectory, a reference to one, or a
// TrajectoryRef.
func (r *Reader) Trajectory(e *scenario.Element) (*Trajectory, error) {
	if ref := e.Child("TrajectoryRef"); ref != nil {
		e = ref
	}
	x := e.Child("Trajectory")
	if x == nil {
		x = entryOf(e)
	}
	shape := x.Child("Shape")
	if shape == nil {
		return nil, fail(e, "", ErrUnsupported, "no trajectory", "a Trajectory with a Shape")
	}
	t := &Trajectory{Name: x.Value("name"), Closed: True(x, "closed", false), place: x}
	var err error
	for _, c := range shape.Children {
		switch c.Name {
		case "Polyline":
			err = r.polyline(t, c)
		case "Clothoid":
			err = r.clothoid(t, c)
		case "ClothoidSpline":
			err = r.clothoids(t, c)
		case "Nurbs":
			err = r.nurbs(t, c)
		}
	}
	if err != nil {
		return nil, err
	}
	if t.build == nil {
		return nil, fail(shape, "", ErrUnsupported, "no shape", "Polyline, Clothoid or Nurbs")
	}
	if t.fixed {
		if _, err := t.Curve(nil, nil, motion.Corners); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// entryOf is the entry of the catalog that a child refers to.
func entryOf(e *scenario.Element) *scenario.Element {
	if c := e.Child("CatalogReference"); c != nil {
		return c.Entry
	}
	return nil
}

// vertices reads positions with times.
func (r *Reader) vertices(t *Trajectory, list []*scenario.Element) (at []*Position,
	times []float64, err error) {
	t.fixed, t.Timed = true, true
	for _, v := range list {
		p, err := r.Position(v.Child("Position"))
		if err != nil {
			return nil, nil, err
		}
		t.fixed = t.fixed && p.fixed
		t.Timed = t.Timed && v.Has("time")
		at, times = append(at, p), append(times, Number(v, "time", math.NaN()))
	}
	return at, times, nil
}

// point is a place as a vertex of a trajectory: what the document does not say is left open.
func (p *Position) point(scene Scene, time float64) (out motion.Point, err error) {
	var at Place
	if err := p.Resolve(scene, &at); err != nil {
		return out, err
	}
	d := &at.Direction
	return motion.Point{X: at.Position.X, Y: at.Position.Y, Z: at.Position.Z, Heading: d.Yaw,
		Pitch: d.Pitch, Roll: d.Roll, HasZ: p.given.Height, HasHeading: p.heading,
		HasPitch: p.given.Pitch, HasRoll: p.given.Roll, Time: time}, nil
}

func (r *Reader) polyline(t *Trajectory, e *scenario.Element) error {
	at, times, err := r.vertices(t, e.All("Vertex"))
	if err != nil {
		return err
	}
	t.build = func(scene Scene, _ *Place, turning motion.Turning) (motion.Curve, error) {
		points := make([]motion.Point, len(at), len(at)+1)
		for k := range at {
			if points[k], err = at[k].point(scene, times[k]); err != nil {
				return nil, err
			}
		}
		if first, last := &points[0], &points[len(points)-1]; t.Closed &&
			portable.Hypot(first.X-last.X, first.Y-last.Y) > 1e-6 {
			closing := *first
			closing.Time = math.NaN()
			points = append(points, closing)
		}
		return motion.NewPolyline(points, turning)
	}
	return nil
}

func (r *Reader) clothoid(t *Trajectory, e *scenario.Element) error {
	p, err := r.Position(e.Child("Position"))
	if err != nil {
		return err
	}
	t.fixed, t.Timed = p.fixed, e.Has("startTime") && e.Has("stopTime")
	s := motion.Spiral{Curvature: Number(e, "curvature", 0),
		Change: Number(e, "curvaturePrime", Number(e, "curvatureDot", 0)),
		Length: Number(e, "length", 0),
		Begin:  Number(e, "startTime", math.NaN()), End: Number(e, "stopTime", math.NaN())}
	t.build = func(scene Scene, _ *Place, _ motion.Turning) (motion.Curve, error) {
		v, err := p.point(scene, 0)
		if err != nil {
			return nil, err
		}
		s.X, s.Y, s.Heading = v.X, v.Y, v.Heading
		return motion.NewClothoids([]motion.Spiral{s})
	}
	return nil
}

// part is a segment of a spline of clothoids.
type part struct {
	spiral motion.Spiral
	turn   float64
	from   *Position // nil: where the one before ends
}

func (r *Reader) clothoids(t *Trajectory, e *scenario.Element) error {
	var parts []part
	t.fixed = true
	list := e.All("ClothoidSplineSegment")
	for k, c := range list {
		p := part{turn: Number(c, "hOffset", 0), spiral: motion.Spiral{
			Curvature: Number(c, "curvatureStart", 0), Length: Number(c, "length", 0),
			Begin: Number(c, "timeStart", math.NaN())}}
		p.spiral.Change = (Number(c, "curvatureEnd", 0) - p.spiral.Curvature) / p.spiral.Length
		p.spiral.End = Number(e, "timeEnd", math.NaN())
		if k+1 < len(list) {
			p.spiral.End = Number(list[k+1], "timeStart", math.NaN())
		}
		t.Timed = p.spiral.End > p.spiral.Begin && (k == 0 || t.Timed)
		if start := c.Child("PositionStart"); start != nil {
			var err error
			if p.from, err = r.Position(start); err != nil {
				return err
			}
			t.fixed = t.fixed && p.from.fixed
		} else if k == 0 {
			t.fixed = false // it begins where the entity is
		}
		parts = append(parts, p)
	}
	t.build = func(scene Scene, self *Place, _ motion.Turning) (motion.Curve, error) {
		return joined(parts, scene, self)
	}
	return nil
}

// joined places the segments one behind the other.
func joined(parts []part, scene Scene, self *Place) (motion.Curve, error) {
	spirals := make([]motion.Spiral, 0, len(parts))
	for k := range parts {
		s := parts[k].spiral
		switch {
		case parts[k].from != nil:
			v, err := parts[k].from.point(scene, 0)
			if err != nil {
				return nil, err
			}
			s.X, s.Y, s.Heading = v.X, v.Y, v.Heading
		case k > 0:
			s.X, s.Y, s.Heading = spirals[k-1].Finish()
		case self != nil:
			s.X, s.Y, s.Heading = self.Position.X, self.Position.Y, self.Direction.Yaw
		default:
			return nil, errors.New("a ClothoidSpline without a start, and without an entity")
		}
		s.Heading += parts[k].turn
		spirals = append(spirals, s)
	}
	return motion.NewClothoids(spirals)
}

func (r *Reader) nurbs(t *Trajectory, e *scenario.Element) error {
	controls := e.All("ControlPoint")
	at, times, err := r.vertices(t, controls)
	if err != nil {
		return err
	}
	var knots []float64
	for _, k := range e.All("Knot") {
		knots = append(knots, Number(k, "value", 0))
	}
	order := int(Number(e, "order", 0))
	t.build = func(scene Scene, _ *Place, _ motion.Turning) (motion.Curve, error) {
		points := make([]motion.ControlPoint, len(at))
		for k := range at {
			v, err := at[k].point(scene, times[k])
			if err != nil {
				return nil, err
			}
			points[k] = motion.ControlPoint{Point: v, Weight: Number(controls[k], "weight", 1)}
		}
		c, err := motion.NewNURBS(points, knots, order)
		if err != nil {
			return nil, fmt.Errorf("a NURBS of order %d with %d control points and %d knots",
				order, len(points), len(knots))
		}
		return c, nil
	}
	return nil
}

// trajectory reads TrajectoryPosition.
func (r *Reader) trajectory(e *scenario.Element, p *Position) error {
	t, err := r.Trajectory(e)
	if err != nil {
		return err
	}
	s, aside := Number(e, "s", 0), Number(e, "t", 0)
	o := r.orientation(e)
	p.fixed, p.heading, p.Trajectory, p.Along = t.fixed, o.h, t.Name, s
	p.resolve = func(scene Scene, out *Place) error {
		c, err := t.Curve(scene, nil, motion.Corners)
		if err != nil {
			return err
		}
		r.Network.OnCurve(c, s, aside, nil, out)
		o.turn(r.Network, out)
		return nil
	}
	return nil
}

// OnCurve is the place at s of a trajectory, and aside of it to the left. Before is where its entity
// was a moment ago, which may be nil.
func (n *Network) OnCurve(c motion.Curve, s, aside float64, before *Place, out *Place) {
	var v motion.Point
	c.At(s, &v)
	at := Place{}
	at.Position.X, at.Position.Y, at.Position.Z = v.X, v.Y, v.Z
	if aside != 0 {
		sin, cos := portable.Sincos(v.Direction)
		at.Position.X -= float64(aside * sin)
		at.Position.Y += float64(aside * cos)
	}
	if !v.HasZ && before != nil {
		at.Position.Z = before.Position.Z
	}
	at.Direction.Yaw, at.Direction.Pitch, at.Direction.Roll = Wrapped(v.Heading), v.Pitch, v.Roll
	n.Locate(&at, before, Given{v.HasZ, v.HasZ || v.HasPitch, v.HasRoll})
	*out = at
}

// Route reads the child of an element that is a Route or a reference to one.
func (r *Reader) Route(e *scenario.Element) (*RouteOf, error) {
	x := e.Child("Route")
	if x == nil {
		x = entryOf(e)
	}
	if x == nil {
		return nil, fail(e, "", ErrUnsupported, "no route", "a Route")
	}
	out := &RouteOf{network: r.Network, element: x, closed: True(x, "closed", false), fixed: true}
	for _, w := range x.All("Waypoint") {
		p, err := r.Position(w.Child("Position"))
		if err != nil {
			return nil, err
		}
		strategy, ok := map[string]Strategy{"shortest": Shortest, "fastest": Fastest,
			"leastIntersections": LeastIntersections}[w.Value("routeStrategy")]
		if !ok {
			return nil, fail(w, "routeStrategy", ErrUnsupported, w.Value("routeStrategy"),
				"shortest, fastest or leastIntersections")
		}
		out.fixed = out.fixed && p.fixed
		out.waypoints = append(out.waypoints, p)
		out.strategies = append(out.strategies, strategy)
	}
	if out.fixed {
		if _, err := out.Resolve(nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// RouteOf is a route of a document.
type RouteOf struct {
	network    *Network
	element    *scenario.Element
	waypoints  []*Position
	strategies []Strategy
	closed     bool
	fixed      bool
	cached     *Route
}

// Resolve finds the way as things are now.
func (x *RouteOf) Resolve(scene Scene) (*Route, error) {
	if x.cached != nil {
		return x.cached, nil
	}
	places := make([]Place, len(x.waypoints))
	for k, w := range x.waypoints {
		if err := w.Resolve(scene, &places[k]); err != nil {
			return nil, err
		}
	}
	r, err := x.network.NewRoute(places, x.strategies, x.closed)
	if err != nil {
		return nil, fail(x.element, "", ErrPlace, err.Error(), "a way along the roads of the map")
	}
	if x.fixed {
		x.cached = r
	}
	return r, nil
}

// route reads RoutePosition. Its t is to the left of the route, wherever s of the road points to.
func (r *Reader) route(e *scenario.Element, p *Position) error {
	in := e.Child("InRoutePosition")
	o := r.orientation(e)
	p.heading = o.h
	if c := in.Child("FromCurrentEntity"); c != nil {
		entity, err := r.Entity(c, "entityRef")
		if err != nil {
			return err
		}
		p.Reference = entity
		p.resolve = func(scene Scene, out *Place) error {
			at, err := of(scene, entity, r.Entities[entity])
			if err == nil {
				*out = *at
				o.turn(r.Network, out)
			}
			return err
		}
		return nil
	}
	route, err := r.Route(e.Child("RouteRef"))
	if err != nil {
		return err
	}
	p.fixed = route.fixed
	c, lane := in.Child("FromRoadCoordinates"), 0
	if c == nil {
		c = in.Child("FromLaneCoordinates")
		if lane, err = strconv.Atoi(strings.TrimSpace(c.Value("laneId"))); err != nil {
			return fail(c, "laneId", ErrPlace, c.Value("laneId"), "the id of a lane")
		}
	}
	way, t := Number(c, "pathS", 0), Number(c, "t", Number(c, "laneOffset", 0))
	p.resolve = func(scene Scene, out *Place) error {
		found, err := route.Resolve(scene)
		if err != nil {
			return err
		}
		road, s, forwards := found.At(way)
		if lane != 0 {
			*out, err = r.Network.laneOnRoute(road, s, lane, t, forwards)
		} else {
			*out, err = r.Network.onRoute(road, s, t, forwards)
		}
		if err == nil {
			o.turn(r.Network, out)
		}
		return err
	}
	return nil
}

// laneOnRoute is a place in a lane of a route. Against s, authors mean by its id that of the road, or
// that which it would have if s went along the route: the lane in which traffic goes along the route
// is meant.
func (n *Network) laneOnRoute(road *opendrive.Road, s float64, lane int, offset float64,
	forwards bool) (Place, error) {
	if forwards {
		return n.OnLane(road.ID, lane, s, offset)
	}
	p, err := n.OnLane(road.ID, -lane, s, -offset)
	if q, ownErr := n.OnLane(road.ID, lane, s, offset); ownErr == nil &&
		(err != nil || p.Forwards() && !q.Forwards()) {
		return q, nil
	}
	return p, err
}

// onRoute is a place beside a route, which looks along it.
func (n *Network) onRoute(road *opendrive.Road, s, t float64, forwards bool) (Place, error) {
	p, err := n.OnRoad(road.ID, s, t*sign(forwards))
	if err == nil && !forwards {
		p.Turn = math.Pi
		n.Settle(&p)
	}
	return p, err
}
