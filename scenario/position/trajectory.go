package position

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/scenario"
	"gosmp/scenario/motion"
)

// Trajectory is a trajectory in a document.
type Trajectory struct {
	Name   string
	Closed bool
	Timed  bool // it states its end time
	// Back is an error about the first time that is before an earlier one, or nil. Such times can
	// be ignored, but not followed.
	Back   error
	build  func(scene Scene, self *Place, turning motion.Turning) (motion.Curve, error)
	fixed  bool
	cached [2]motion.Curve // by turning mode; only for fixed trajectories
	place  *scenario.Element
}

// Curve computes the curve for the current state of the scene, for an entity at self that follows
// the trajectory.
func (t *Trajectory) Curve(scene Scene, self *Place, turning motion.Turning) (motion.Curve, error) {
	if c := t.cached[turning]; c != nil {
		return c, nil
	}
	c, err := t.build(scene, self, turning)
	if err != nil {
		if e := (*scenario.Error)(nil); errors.As(err, &e) {
			return nil, err
		}
		return nil, fault.New(ErrPlace, t.place.Place(), err.Error(), "a trajectory with a length")
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
		return nil, fault.New(ErrUnsupported, e.Place(), "no trajectory",
			"a Trajectory with a Shape")
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
		return nil, fault.New(ErrUnsupported, shape.Place(), "no shape",
			"Polyline, Clothoid or Nurbs")
	}
	if t.fixed {
		if _, err := t.Curve(nil, nil, motion.Corners); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// entryOf returns the catalog entry that a child refers to.
func entryOf(e *scenario.Element) *scenario.Element {
	if c := e.Child("CatalogReference"); c != nil {
		return c.Entry
	}
	return nil
}

// series reads the times that the parts of a trajectory state, like [Trajectory.stated]. Without a
// time, the first part begins at 0.
func (t *Trajectory) series(attribute string, list []*scenario.Element) float64 {
	last := math.Inf(-1)
	if len(list) > 0 && !list[0].Has(attribute) {
		last = 0
	}
	return t.stated(last, attribute, list...)
}

// stated reads the times that elements state, in order, and notes the first one before an earlier
// one. It returns the greatest one; last is the greatest one before the elements.
func (t *Trajectory) stated(last float64, attribute string, list ...*scenario.Element) float64 {
	for _, e := range list {
		switch x, ok := e.Number(attribute); {
		case ok && x < last && t.Back == nil:
			t.Back = fault.New(ErrUnsupported, e.PlaceOf(attribute),
				fmt.Sprintf("%v s after %v s", x, last), "times that do not go back")
		case ok:
			last = max(last, x)
		}
	}
	return last
}

// vertices reads the positions and times of vertices. The trajectory has times if the last vertex
// has one. In that case, the default time of the first vertex is 0.
func (r *Reader) vertices(t *Trajectory, list []*scenario.Element) (at []*Position,
	times []float64, err error) {
	t.fixed, t.Timed = true, len(list) > 0 && list[len(list)-1].Has("time")
	t.series("time", list)
	for k, v := range list {
		p, err := r.Position(v.Child("Position"))
		if err != nil {
			return nil, nil, err
		}
		t.fixed = t.fixed && p.fixed
		time := math.NaN()
		if k == 0 && t.Timed {
			time = 0
		}
		at, times = append(at, p), append(times, Number(v, "time", time))
	}
	return at, times, nil
}

// point converts a place to a trajectory vertex. Anything that the document does not state is left
// open.
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
	t.stated(t.stated(math.Inf(-1), "startTime", e), "stopTime", e)
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
	from   *Position // nil: where the previous segment ends
}

func (r *Reader) clothoids(t *Trajectory, e *scenario.Element) error {
	var parts []part
	list := e.All("ClothoidSplineSegment")
	times := timesOf(e, list)
	t.stated(t.series("timeStart", list), "timeEnd", e)
	t.fixed, t.Timed = true, true
	for k, c := range list {
		p := part{turn: Number(c, "hOffset", 0), spiral: motion.Spiral{
			Curvature: Number(c, "curvatureStart", 0), Length: Number(c, "length", 0),
			Begin: times[k], End: times[k+1]}}
		p.spiral.Change = (Number(c, "curvatureEnd", 0) - p.spiral.Curvature) / p.spiral.Length
		t.Timed = t.Timed && p.spiral.End > p.spiral.Begin
		if start := c.Child("PositionStart"); start != nil {
			var err error
			if p.from, err = r.Position(start); err != nil {
				return err
			}
			t.fixed = t.fixed && p.from.fixed
		} else if k == 0 {
			t.fixed = false // it starts where the entity is
		}
		parts = append(parts, p)
	}
	t.build = func(scene Scene, self *Place, _ motion.Turning) (motion.Curve, error) {
		return joined(parts, scene, self)
	}
	return nil
}

// timesOf returns the times at which the segments of a spline begin, and the time at which the last
// one ends. They are NaN if the spline does not state its end time.
func timesOf(e *scenario.Element, segments []*scenario.Element) []float64 {
	var times, lengths []float64
	length := 0.0
	for k, c := range segments {
		begin := math.NaN()
		if k == 0 {
			begin = 0
		}
		times = append(times, Number(c, "timeStart", begin))
		lengths = append(lengths, length)
		length += Number(c, "length", 0)
	}
	times = append(times, Number(e, "timeEnd", math.NaN()))
	motion.Interpolate(times, append(lengths, length))
	return times
}

// joined appends the segments to each other.
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
	t.Timed = t.Timed && !slices.ContainsFunc(times, math.IsNaN)
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
		var v motion.Point
		r.Network.OnCurve(c, s, aside, nil, &v, out)
		o.turn(r.Network, out)
		return nil
	}
	return nil
}

// OnCurve computes the point v at s along a trajectory, and the place at the distance aside to its
// left. before is the entity's previous place, and may be nil.
func (n *Network) OnCurve(c motion.Curve, s, aside float64, before *Place, v *motion.Point,
	out *Place) {
	c.At(s, v)
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
