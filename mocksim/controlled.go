package mocksim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// controlled is the state of an actor that the simulator drives.
type controlled struct {
	Controller
	path   path
	leg    int
	index  int     // of the course in the leg
	u      float64 // from the start of the course
	offset sidestep
	spare  [][]float64 // of courses that were left behind

	indicating float64       // how long the indicator for the coming change has been on, s
	toSide     int           // of the coming change: +1 towards larger ids, -1; 0: none
	think      timebase.Time // when MOBIL is asked next
	changed    timebase.Time // when the last change began
	arrived    bool
	lost       bool // no way to the destination; the actor drives on as far as its lane goes
	random     rand.PCG
	now        railPoint // at u, from the last step
}

// sidestep is a lane change in progress: the actor is D (10 q^3 - 15 q^4 + 6 q^5) away from where
// it was, that is from D beside the new lane to its middle.
type sidestep struct {
	from              float64 // at the start, from the middle of the new lane, positive to the left of travel, m
	elapsed, duration float64 // s; duration 0: none
	lane              *opendrive.Lane
}

// at is the offset from the middle of the new lane and its first two derivatives by time.
func (o *sidestep) at() (e, de, dde float64) {
	if o.duration == 0 {
		return o.from, 0, 0
	}
	q := o.elapsed / o.duration
	way := float64(q * q * q * (10 - float64(q*(15-float64(6*q)))))
	d := 30 * q * q * (1 - float64(q*(2-q))) / o.duration
	dd := 60 * q * (1 - float64(q*(3-float64(2*q)))) / (o.duration * o.duration)
	return o.from * (1 - way), -o.from * d, -o.from * dd
}

// jerk is the third derivative of the offset.
func (o *sidestep) jerk() float64 {
	if o.duration == 0 {
		return 0
	}
	q := o.elapsed / o.duration
	return -o.from * 60 * (1 - float64(6*q*(1-q))) / (o.duration * o.duration * o.duration)
}

// railed reports whether an actor runs on rails.
func (a *actor) railed() bool { return a.mode == byController && !a.driver.Steering }

func (d *controlled) course() *course { return &d.path.legs[d.leg].courses[d.index] }

// SetController lets the simulator drive an actor from where it is, at the speed it has. It fails
// with [ErrPlace] if the actor or the target is not on a lane for cars, and with
// [opendrive.ErrNoRoute] if no way leads there.
func (w *World) SetController(name string, c Controller) error {
	const call = "set_external_controller"
	a := w.find(name)
	if a == nil {
		return w.unknown(call, name)
	}
	place := call + " " + name
	if err := c.check(place); err != nil {
		return err
	}
	if c.Steering && a.shape.Wheelbase == 0 {
		return invalid(place+".model", "steering", fmt.Sprintf("rails for a %s, which has no wheels", a.kind))
	}
	c.Driver = c.completed()
	from := w.locate(a, a.state.Position, true)
	if from.Lane == nil || !from.Lane.Drivable() {
		return &Error{Place: fault.At(place), Kind: ErrPlace, Found: describePlace(&from, a.state.Position),
			Expected: "the actor on a lane for cars", Hint: "move it there first"}
	}
	d := controlled{Controller: c, think: w.now, changed: w.now - changePause}
	d.random.Seed(w.stream(a, "way"))
	if a.mode == byController {
		d.random = a.driver.random
	}
	course := opendrive.Course{Lane: from.Lane, Forwards: w.heads(a, &from)}
	p, err := w.pathFor(&d, course, place)
	if err != nil {
		return err
	}
	if d.Target != nil {
		target := *d.Target
		d.Target = &target
	}
	a.place, a.mode = from, byController
	a.driver = d
	w.enterPath(a, p, course)
	w.refresh()
	return nil
}

func describePlace(p *Place, at frames.Vector) string {
	switch {
	case p.Road == nil:
		return fmt.Sprintf("(%.2f, %.2f), the map has no roads", at.X, at.Y)
	case p.Lane == nil:
		return fmt.Sprintf("(%.2f, %.2f), %.1f m beside road %s, s %.1f", at.X, at.Y, p.Distance, p.Road.ID, p.S)
	}
	return fmt.Sprintf("(%.2f, %.2f), %s of type %s", at.X, at.Y, p.Lane, p.Lane.Type)
}

// heads reports whether an actor looks along s; where the lane has one direction only, that counts.
func (w *World) heads(a *actor, p *Place) bool {
	forwards, backwards := p.Lane.Directions()
	if forwards != backwards {
		return forwards
	}
	st, err := p.Road.Station(p.S)
	return err != nil || portable.Cos(a.state.Orientation.Yaw-st.Heading) >= 0
}

// pathFor is the way to the destination, or a piece of way at random.
func (w *World) pathFor(d *controlled, from opendrive.Course, place string) (path, error) {
	if d.Target == nil {
		return path{legs: []leg{{courses: []course{w.course(from)}}}, target: inf}, nil
	}
	if err := finite(place+".target", []string{"x", "y", "z"}, d.Target.X, d.Target.Y, d.Target.Z); err != nil {
		return path{}, err
	}
	to := w.m.Locate(*d.Target)
	if to.Lane == nil || !to.Lane.Drivable() {
		return path{}, &Error{Place: fault.At(place + ".target"), Kind: ErrPlace, Found: describePlace(&to, *d.Target),
			Expected: "a place on a lane for cars"}
	}
	return w.pathTo(from, &to, place)
}

// pathTo is the route to a place.
func (w *World) pathTo(from opendrive.Course, to *Place, place string) (path, error) {
	list, err := w.m.Route(from.Lane, to.Lane)
	if err != nil {
		return path{}, &Error{Place: fault.At(place), Kind: opendrive.ErrNoRoute, Cause: err}
	}
	return *w.route(list, to.S), nil
}

// enterPath begins a path on its first course at the actor's place.
func (w *World) enterPath(a *actor, p path, c opendrive.Course) {
	d := &a.driver
	d.path, d.leg, d.index = p, 0, 0
	first := d.path.legs[0].courses
	for k := range first {
		if first[k].lane == c.Lane {
			d.index = k
			break
		}
	}
	d.u = d.course().rail.way(a.place.S, c.Forwards)
	if len(d.path.legs) == 1 && d.path.last() == d.course() && d.path.target < d.u {
		w.goRound(d, c)
	}
	d.offset = sidestep{from: (a.place.T - c.Lane.Center(a.place.S)) * direction(c.Forwards)}
	if math.Abs(d.offset.from) < negligible {
		d.offset = sidestep{}
	} else {
		d.offset.duration = changeTime(d.offset.from, d.LateralAccel)
	}
	w.prolong(a)
	w.planLegs(d)
	d.course().rail.at(d.u, c.Forwards, &d.now)
}

// negligible is a way aside that is rounding only, in m.
const negligible = 1e-9

// goRound replaces a way whose end lies behind the actor by one that leaves the lane first; without
// one the actor has lost its way.
func (w *World) goRound(d *controlled, c opendrive.Course) {
	end, target := d.path.last(), d.path.target
	for _, next := range w.following(c) {
		list, err := w.m.Route(next.Lane, end.lane)
		if err == nil {
			d.path = *w.route(append([]opendrive.Course{c}, list...), end.rail.lane.Section.S)
			d.path.target = target
			return
		}
	}
	d.lost = true
	d.path.target = inf
}

func (w *World) planLegs(d *controlled) {
	for k := range d.path.legs {
		d.path.legs[k].plan(&d.Controller)
	}
}

// prolong keeps enough way ahead of an actor without destination, and forgets what lies behind.
func (w *World) prolong(a *actor) {
	const enough = 250.0
	d := &a.driver
	if !math.IsInf(d.path.target, 1) || d.leg != len(d.path.legs)-1 {
		return
	}
	g := &d.path.legs[d.leg]
	rest := g.courses[d.index].rail.length - d.u
	for k := d.index + 1; k < len(g.courses); k++ {
		rest += g.courses[k].rail.length
	}
	if rest >= enough {
		return
	}
	if drop := d.index - 1; drop > 0 {
		for k := range drop {
			d.spare = append(d.spare, g.courses[k].allowed)
		}
		n := copy(g.courses, g.courses[drop:])
		g.courses = g.courses[:n]
		d.index -= drop
	}
	added := false
	for steps := 0; rest < enough && steps < 1000; steps++ {
		tail := &g.courses[len(g.courses)-1]
		list := w.open(a.kind, w.following(opendrive.Course{Lane: tail.lane,
			Forwards: tail.forwards}))
		if len(list) == 0 {
			break
		}
		next := w.course(list[d.choose(len(list))])
		if n := len(d.spare); n > 0 {
			next.allowed, d.spare = d.spare[n-1], d.spare[:n-1]
		}
		g.courses = append(g.courses, next)
		rest += next.rail.length
		added = true
	}
	if added {
		g.plan(&d.Controller)
	}
}

// choose returns a random number below n.
func (d *controlled) choose(n int) int {
	if n == 1 {
		return 0
	}
	return int(d.random.Uint64() % uint64(n))
}

// accelerate decides the acceleration of the coming step from the present states.
func (w *World) accelerate(self int32, a *actor) {
	d := &a.driver
	v := a.state.Speed
	c := d.course()
	v0 := c.speedAt(d.u, d.Decel)
	if d.arrived {
		a.acceleration = -hardest
		return
	}
	l := leader{gap: inf}
	w.look(self, a, &l)
	a.acceleration = d.idm(v, v0, l.gap, v-l.speed)
	if a.assist > 0 {
		a.acceleration = min(a.acceleration, -a.assist*a.shape.Brake)
	}
}

// look finds what is nearest ahead on the way: an actor, a red light, the end of the lane or the
// destination.
func (w *World) look(self int32, a *actor, l *leader) {
	d := &a.driver
	g := d.path.legs[d.leg].courses
	half := a.shape.Length / 2
	s, stretch := d.now.s, 1/max(math.Abs(d.now.ds), 1e-6)
	final := d.leg == len(d.path.legs)-1
	way := -d.u // to the start of the course
	for k := d.index; k < len(g) && way < lookAhead; k++ {
		c := &g[k]
		if k > d.index {
			stretch = c.rail.length / max(c.lane.Section.Length(), 1e-9)
			s = startOf(opendrive.Course{Lane: c.lane, Forwards: c.forwards})
			w.ahead(l, c.lane, c.forwards, s-float64(direction(c.forwards)*1e-9), stretch, self, half-way)
		} else {
			w.ahead(l, c.lane, c.forwards, s, stretch, self, half)
		}
		w.stopAtLights(l, a, c, max(way, 0), s, stretch, half)
		way += c.rail.length
		if final && k == len(g)-1 && !math.IsInf(d.path.target, 1) {
			l.nearer(way-c.rail.length+d.path.target+d.MinGap, 0)
		}
	}
	if way < lookAhead && (!final || math.IsInf(d.path.target, 1)) {
		l.nearer(way-half, 0)
	}
	if other := d.offset.lane; other != nil {
		if e, _, _ := d.offset.at(); math.Abs(e) > math.Abs(d.offset.from)/2 {
			w.ahead(l, other, d.course().forwards, d.now.s, 1/max(math.Abs(d.now.ds), 1e-6), self, half)
		}
	}
}

// stopAtLights stops before lights that are red, or yellow where that is still possible.
func (w *World) stopAtLights(l *leader, a *actor, c *course, way, s, stretch, half float64) {
	for _, p := range w.stops[c.lane.Number()] {
		rest := float64((p.s-s)*direction(c.forwards)*stretch) + way - half
		if rest < 0 || p.light.colour < LightYellow {
			continue
		}
		v := a.state.Speed
		if p.light.colour == LightYellow && v*v/(2*a.driver.Decel) > rest {
			continue
		}
		l.nearer(rest, 0)
	}
}

// changeTime is how long a lane change over d takes.
func changeTime(d, lateral float64) float64 { return math.Sqrt(5.773503 * math.Abs(d) / lateral) }
