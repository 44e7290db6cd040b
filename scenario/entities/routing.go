package entities

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"gosmp/internal/fault"
	"gosmp/mocksim/seat"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// followTrajectory is FollowTrajectoryAction.
type followTrajectory struct {
	common
	trajectory *position.Trajectory
	turning    motion.Turning
	offset     float64 // s at which it starts
	timed      bool
	absolute   bool    // times are simulation times
	scale      float64 // of times
	shift      float64 // s, after scaling

	curve    motion.Curve
	s        float64
	time     float64 // since the start
	began    float64
	base     float64 // trajectory time at the starting point
	backward bool    // the heading is against the direction of the trajectory
	next     float64
	rest     float64 // distance beyond the end, m
	point    motion.Point
}

func newFollowTrajectory(c common) (storyboard.Action, error) {
	a := &followTrajectory{common: c, offset: position.Number(c.e, "initialDistanceOffset", 0)}
	var err error
	if a.trajectory, err = c.w.reader.Trajectory(c.e); err != nil {
		return nil, err
	}
	mode := c.e.Child("TrajectoryFollowingMode").Value("followingMode")
	if mode == "" {
		mode = c.e.Value("followingMode")
	}
	if mode == "follow" {
		a.turning = motion.Gradual
	}
	t := c.e.Path("TimeReference", "Timing")
	if t == nil {
		return a, nil
	}
	if a.trajectory.Back != nil {
		return nil, a.trajectory.Back
	}
	if !a.trajectory.Timed {
		return nil, fault.New(storyboard.ErrUnsupported, t.Place(), "a trajectory without times",
			"a time at its end at least").WithHint("with None in TimeReference, it needs no times")
	}
	a.timed, a.absolute = true, t.Value("domainAbsoluteRelative") == "absolute"
	a.scale, a.shift = position.Number(t, "scale", 1), position.Number(t, "offset", 0)
	return a, nil
}

// Domains returns both motions if the trajectory has times, or only the lateral motion otherwise.
func (a *followTrajectory) Domains() storyboard.Domain {
	if a.timed {
		return storyboard.Lateral | storyboard.Longitudinal
	}
	return storyboard.Lateral
}

// Start puts the entity on the trajectory.
func (a *followTrajectory) Start(now float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, false
	b := a.b
	c, err := a.trajectory.Curve(a.w, &b.at, a.turning)
	if err != nil {
		return err
	}
	a.curve, a.time, a.began, a.rest = c, 0, now, 0
	a.s = min(a.offset, c.Length())
	if p, ok := c.(*motion.Polyline); ok && a.timed && a.turning == motion.Gradual {
		p.Pace(math.Abs(b.speed))
	}
	if a.timed && b.has == both && b.orders != nil {
		a.done = b.order(both, a.commanded())
		return nil
	}
	var v motion.Point
	c.At(a.s, &v)
	if a.timed {
		if a.base = 0; a.offset > 0 && !a.absolute { // starts with the time at that point
			a.base = v.Time
		}
		a.s = max(a.s, c.AtTime(a.clock(0)))
		c.At(a.s, &v)
		b.long = a
	}
	// A reversing entity faces against the trajectory, unless the trajectory states a heading.
	a.backward = false
	if v.HasHeading {
		a.backward = math.Abs(position.Wrapped(v.Heading-v.Direction)) > math.Pi/2+1e-6
	} else if !a.timed {
		a.backward = b.speed < 0
	}
	b.lat = a
	if a.timed {
		b.speed = a.speedFrom(0, shortly)
	}
	a.land(nil)
	b.jumped = true
	a.w.show(b, 0)
	return nil
}

// commanded returns the trajectory as an order for a driver: a list of points along it.
func (a *followTrajectory) commanded() seat.Action {
	const most = 50
	order := seat.Action{Order: seat.OrderTrajectory}
	var v motion.Point
	var p position.Place
	for k := range most + 1 {
		s := a.s + (a.curve.Length()-a.s)*float64(k)/most
		a.w.network.OnCurve(a.curve, s, 0, nil, &v, &p)
		pose := a.b.posed(&p)
		at := (v.Time - a.shift) / a.scale
		if !a.absolute {
			at += a.began
		}
		pose.Time = timebase.Time(math.Round(at * float64(timebase.Second)))
		if n := len(order.Points); pose.Time >= 0 &&
			(n == 0 || pose.Time > order.Points[n-1].Time) {
			order.Points = append(order.Points, pose)
		}
	}
	return order
}

// clock returns the trajectory time that corresponds to a time since the start.
func (a *followTrajectory) clock(since float64) float64 {
	if a.absolute {
		since += a.began
	}
	return a.base + float64(a.scale*since) + a.shift
}

// direction returns 1 if the entity moves towards larger s at a positive speed, or -1 otherwise.
func (a *followTrajectory) direction() float64 { return sign(!a.backward) }

// land places the entity at its point on the trajectory.
func (a *followTrajectory) land(before *position.Place) {
	p := &a.b.at
	a.w.network.OnCurve(a.curve, a.s, 0, before, &a.point, p)
	if a.backward && !a.point.HasHeading {
		p.Direction.Yaw = position.Wrapped(p.Direction.Yaw + math.Pi)
		p.Turn = position.Wrapped(p.Turn + math.Pi)
	}
}

func (a *followTrajectory) depends() bool { return false }

// shortly is a time in which the speed along a trajectory hardly changes, in s.
const shortly = 1e-4

// speedFrom returns the speed that the times of the trajectory demand between a time since the
// start and dt later or, if dt is negative, earlier.
func (a *followTrajectory) speedFrom(since, dt float64) float64 {
	ds := a.curve.AtTime(a.clock(since+dt)) - a.curve.AtTime(a.clock(since))
	return ds / dt * a.direction()
}

// pace follows the times of the trajectory.
func (a *followTrajectory) pace(h float64) float64 {
	b := a.b
	a.time += h
	t := a.clock(a.time)
	_, last, _ := a.curve.Times()
	a.next = a.curve.AtTime(t)
	way := (a.next - a.s) * a.direction()
	if t < last+1e-6 {
		b.speed = a.speedFrom(a.time, -min(shortly, h))
	}
	if t >= last-1e-6 {
		a.rest = (t - last) * b.speed
		a.done = true
	}
	return way
}

// move moves the entity along the trajectory.
func (a *followTrajectory) move(way, _ float64) {
	b := a.b
	if a.timed {
		a.s = a.next
		b.traveled += math.Abs(way)
	} else {
		if way == 0 {
			return
		}
		a.drive(way)
	}
	a.land(&b.at)
	if a.done {
		a.leave()
	}
}

// drive moves the entity by the distance that its speed covers.
func (a *followTrajectory) drive(way float64) {
	length := a.curve.Length()
	to := a.s + float64(way*a.direction())
	a.b.traveled += math.Abs(way)
	if a.trajectory.Closed {
		a.s = math.Mod(math.Mod(to, length)+length, length)
		return
	}
	a.s = min(max(to, 0), length)
	if ahead := to - a.s; to >= length-same && way*a.direction() > 0 ||
		to <= same && way*a.direction() < 0 {
		a.rest = math.Copysign(math.Abs(ahead), way)
		a.b.traveled -= math.Abs(a.rest)
		a.done = true
	}
}

// leave ends the action at the end of the trajectory. The entity covers the remaining distance
// straight ahead.
func (a *followTrajectory) leave() {
	b := a.b
	a.Stop()
	if a.rest == 0 {
		return
	}
	at := b.at
	at.Position = at.Position.Add(heading(at.Direction.Yaw).Scale(a.rest))
	b.traveled += math.Abs(a.rest)
	a.w.network.Locate(&at, &b.at, position.Given{})
	b.at = at
}

// Stop leaves the trajectory.
func (a *followTrajectory) Stop() {
	a.release(a)
	a.releaseAside(a)
}

// assignRoute is AssignRouteAction and AcquirePositionAction.
type assignRoute struct {
	common
	route *position.RouteOf
	to    *position.Position
}

func newAssignRoute(c common) (storyboard.Action, error) {
	if err := c.needsMap(); err != nil {
		return nil, err
	}
	r, err := c.w.reader.Route(c.e)
	return &assignRoute{common: c, route: r}, err
}

func newAcquirePosition(c common) (storyboard.Action, error) {
	if err := c.needsMap(); err != nil {
		return nil, err
	}
	p, err := c.w.reader.Position(c.e.Child("Position"))
	return &assignRoute{common: c, to: p}, err
}

// needsMap returns an error for an action that needs roads, without a map.
func (c *common) needsMap() error {
	if c.w.network.Plane() {
		return fault.New(storyboard.ErrUnsupported, c.e.Place(), "a route without a map",
			"a LogicFile")
	}
	return nil
}

// Start sets the route, which does not move the entity by itself.
func (a *assignRoute) Start(_ float64, report func(storyboard.Note)) (err error) {
	a.w.report, a.done = report, true
	b := a.b
	if a.route != nil {
		b.route, err = a.route.Resolve(a.w)
		return err
	}
	ends := []position.Place{b.at, {}}
	if err := a.to.Resolve(a.w, &ends[1]); err != nil {
		return err
	}
	// Along the road, regardless of the exact heading.
	if ends[0].Turn = 0; !b.at.Forwards() {
		ends[0].Turn = math.Pi
	}
	r, err := a.w.network.NewRoute(ends, make([]position.Strategy, 2), false)
	if err != nil {
		return fault.New(position.ErrPlace, a.e.Place(), err.Error(), "a way from "+b.name+
			" to the position")
	}
	b.route = r
	b.order(both, seat.Action{Order: seat.OrderPosition, Place: b.posed(&ends[1])})
	return nil
}

// randomRoute is RandomRouteAction.
type randomRoute struct {
	common
	random *rand.Rand
}

func newRandomRoute(c common) (storyboard.Action, error) {
	if err := c.needsMap(); err != nil {
		return nil, err
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(c.b.name))
	return &randomRoute{c, rand.New(rand.NewPCG(c.w.options.Seed, h.Sum64()))}, nil
}

// Start chooses a road at each junction ahead.
func (a *randomRoute) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, true
	a.b.route = a.w.network.RandomRoute(&a.b.at, a.random.IntN)
	return nil
}
