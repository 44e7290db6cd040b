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
	spare  [][]float64 // from courses that the actor has passed, for reuse

	hold       float64       // distance to the conflict before which it must stop, m
	block      block         // the next block it has no right to
	granted    block         // the last block it has a right to
	former     block         // the one before it, if the actor has not passed that yet
	cleared    float64       // the place on the leg up to which it may drive, m
	idle       bool          // it could not go even if all others yielded
	steerable  float64       // the largest curvature that the actor can follow, 1/m
	queued     bool          // another actor stands right ahead
	halted     int32         // number of the stop sign ahead at which it has stopped
	halting    bool          // it has to stop at a sign ahead
	stands     float64       // time for which it has stood at that sign, s
	waited     float64       // waiting time before a conflict, s
	indicating float64       // time since the indicator for the coming change was set, s
	toSide     int           // of the coming change: +1 towards larger ids, -1; 0: none
	think      timebase.Time // when MOBIL is asked next
	changed    timebase.Time // when the last change started
	arrived    bool
	reported   bool // its arrival
	ended      bool // no continuation of the path was found
	lost       bool // no path leads to the destination; the actor drives to the end of its lane
	random     rand.PCG
	now        railPoint // at u, from the last step
}

// loseRights discards the rights to conflicts ahead, because the actor has a new path.
func (d *controlled) loseRights() {
	d.block, d.granted, d.former, d.cleared = block{}, block{}, block{}, -inf
}

// railed reports whether an actor runs on rails.
func (a *actor) railed() bool { return a.mode == byController && !a.driver.Steering }

func (d *controlled) course() *course { return &d.path.legs[d.leg].courses[d.index] }

// SetController lets the simulator drive an actor, starting with its current position and speed. It
// fails with [ErrPlace] if the actor or the target is not on a lane for cars, and with
// [opendrive.ErrNoRoute] if no path leads there. On a map whose lanes are too many at one place, or
// too long, it fails with [opendrive.ErrMap].
func (w *World) SetController(name string, c Controller) error {
	const call = "set_external_controller"
	a := w.find(name)
	if a == nil {
		return w.unknown(call, name)
	}
	place := call + " " + name
	if err := c.Check(place); err != nil {
		return err
	}
	if c.Steering && a.shape.Wheelbase == 0 {
		return invalid(place+".model", "steering",
			fmt.Sprintf("rails for a %s, which has no wheels", a.kind))
	}
	c.Driver = c.completed()
	if gone, err := w.handController(a, &c); gone || err != nil {
		return err
	}
	if err := w.meet(); err != nil {
		return err
	}
	from := w.locate(a, a.state.Position, true)
	if from.Lane == nil || !from.Lane.Drivable() {
		return fault.New(ErrPlace, fault.At(place), describePlace(&from, a.state.Position),
			"the actor on a lane for cars").WithHint("move it there first")
	}
	d := controlled{Controller: c, hold: inf, cleared: -inf, steerable: a.shape.steerable(),
		think: w.now, changed: w.now - changePause}
	w.lasting(d.steerable) // now, rather than in a step
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
	unmoved := a.mode == standing && a.state.Speed != 0
	a.place, a.mode = from, byController
	a.driver = d
	w.enterPath(a, p, course)
	if unmoved {
		a.derive(0)
	}
	w.outdated = true
	return nil
}

func describePlace(p *Place, at frames.Vector) string {
	switch {
	case p.Road == nil:
		return fmt.Sprintf("(%.2f, %.2f), the map has no roads", at.X, at.Y)
	case p.Lane == nil:
		return fmt.Sprintf("(%.2f, %.2f), %.1f m beside road %s, s %.1f", at.X, at.Y, p.Distance,
			p.Road.ID, p.S)
	}
	return fmt.Sprintf("(%.2f, %.2f), %s of type %s", at.X, at.Y, p.Lane, p.Lane.Type)
}

// heads reports whether an actor faces along s. If the lane has only one direction, that direction
// applies.
func (w *World) heads(a *actor, p *Place) bool {
	forwards, backwards := p.Lane.Directions()
	if forwards != backwards {
		return forwards
	}
	st, err := p.Road.Station(p.S)
	return err != nil || portable.Cos(a.state.Orientation.Yaw-st.Heading) >= 0
}

// pathFor returns the path to the destination, or a piece of a random path.
func (w *World) pathFor(d *controlled, from opendrive.Course, place string) (path, error) {
	if d.Target == nil {
		return path{legs: []leg{{courses: []course{w.course(from)}}}, target: inf}, nil
	}
	if err := finite(place+".target", []string{"x", "y", "z"}, d.Target.X, d.Target.Y,
		d.Target.Z); err != nil {
		return path{}, err
	}
	to := w.m.Locate(*d.Target)
	if to.Lane == nil || !to.Lane.Drivable() {
		return path{}, fault.New(ErrPlace, fault.At(place+".target"),
			describePlace(&to, *d.Target), "a place on a lane for cars")
	}
	return w.pathTo(from, &to, place)
}

// pathTo returns the route to a place.
func (w *World) pathTo(from opendrive.Course, to *Place, place string) (path, error) {
	list, err := w.m.Route(from.Lane, to.Lane)
	if err != nil {
		return path{}, fault.Wrap(opendrive.ErrNoRoute, fault.At(place), err)
	}
	return *w.route(list, to.S), nil
}

// enterPath starts a path on its first course, at the actor's place.
func (w *World) enterPath(a *actor, p path, c opendrive.Course) {
	d := &a.driver
	d.path, d.leg, d.index = p, 0, 0
	d.loseRights()
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
	w.prolong(a)
	w.planLegs(d)
	s := a.stance()
	d.course().rail.at(d.u, c.Forwards, &d.now)
	_, s.bow = d.now.climbing()
	s.slope = a.state.climb(&d.now)
	w.settleOn(a, &s, d.u, 0)
	d.course().at(d.u, d.offset.lead, &d.now)
}

// goRound replaces a path whose end lies behind the actor with a path that leaves the lane first.
// If there is none, the actor has lost its way.
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

// prolong keeps enough path ahead of an actor without a destination, and drops the part behind it.
func (w *World) prolong(a *actor) {
	const enough = 250.0
	w.prolongTo(a, enough)
}

// mostAhead is the maximum number of courses ahead on a path without a destination. Ways on real
// maps have fewer, but 1000 m of a ring of tiny roads would have billions.
const mostAhead = 2500

// prolongTo is like prolong for a given path length in m.
func (w *World) prolongTo(a *actor, enough float64) {
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
	drop := d.index
	for behind := d.u; drop > 0 && behind < keepBehind; {
		drop--
		behind += g.courses[drop].rail.length
	}
	if drop > 0 {
		for k := range drop {
			d.spare = append(d.spare, g.courses[k].allowed)
		}
		n := copy(g.courses, g.courses[drop:])
		g.courses = g.courses[:n]
		d.index -= drop
	}
	added := false
	var choices [16]opendrive.Course
	for rest < enough && len(g.courses)-d.index < mostAhead {
		tail := &g.courses[len(g.courses)-1]
		list := w.staying(a, w.ways(a, opendrive.Course{Lane: tail.lane, Forwards: tail.forwards},
			choices[:0]))
		if len(list) == 0 {
			w.changeBefore(a)
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

// changeBefore plans a lane change for an actor without a destination whose lane ends, towards the
// nearest lane that continues.
func (w *World) changeBefore(a *actor) {
	d := &a.driver
	if d.ended {
		return
	}
	d.ended = true
	g := &d.path.legs[d.leg]
	tail := &g.courses[len(g.courses)-1]
	course := opendrive.Course{Lane: tail.lane, Forwards: tail.forwards}
	var to *opendrive.Lane
	fewest := 0
	for _, side := range [...]int{1, -1} {
		beside := w.neighbour(a, tail, side)
		if _, n := w.continues(course, side); beside != nil && n > 0 && (to == nil || n < fewest) {
			to, fewest = beside, n
		}
	}
	if to == nil {
		return
	}
	var list []opendrive.Course
	for k := d.index; k < len(g.courses); k++ {
		c := &g.courses[k]
		list = append(list, opendrive.Course{Lane: c.lane, Forwards: c.forwards})
	}
	list = append(list, opendrive.Course{Lane: to, Forwards: tail.forwards})
	u, start := d.u, d.course().start
	d.path = *w.route(list, to.Section.S)
	d.path.legs[0].courses[0].start = start // rights to blocks are measured from there
	d.path.target, d.leg, d.index, d.u = inf, 0, 0, u
	w.planLegs(d)
}

// choose returns a random number below n.
func (d *controlled) choose(n int) int {
	if n == 1 {
		return 0
	}
	return int(d.random.Uint64() % uint64(n))
}
