package mocksim

import (
	"fmt"
	"math"
	"slices"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// Restore returns a world to a state from [World.AppendState]. If the bytes are damaged or belong
// to another map, it fails with [ErrState] and changes nothing.
func (w *World) Restore(b []byte) error {
	d, err := state.Open(magic, b)
	if err != nil {
		return fault.Wrap(ErrState, fault.At("state"), err)
	}
	r := reader{Decoder: d, w: w}
	if d.Uint64() != w.fingerprint() {
		return fault.New(ErrState, fault.At("state"), "the state of a different map", w.m.Name)
	}
	fresh := *w
	r.world(&fresh)
	if d.Err() == nil && r.bad != "" { // reading may have ended there
		return fault.New(ErrState, fault.At("state"), r.bad, "")
	}
	if err := d.Done(); err != nil {
		return fault.Wrap(ErrState, fault.At("state"), err)
	}
	for k, l := range w.lights {
		l.colour, l.manual = r.colours[k], r.manual[k]
	}
	fresh.traffic.order, fresh.contacts.order = fresh.traffic.order[:0], fresh.contacts.order[:0]
	fresh.crossings, fresh.wide = w.crossings, w.wide
	*w = fresh
	w.refresh()
	return nil
}

// reader decodes a state.
type reader struct {
	*state.Decoder
	w       *World
	now     timebase.Time // the time of the state
	bad     string
	colours []Light
	manual  []bool
}

// count reads the number of parts that follow; each of them takes at least size bytes.
func (r *reader) count(size int) int {
	n := r.Uint64()
	if n > uint64(len(r.Data)/size) {
		r.refuse(fmt.Sprintf("%d parts in %d bytes", n, len(r.Data)))
		return 0
	}
	return int(n)
}

func (r *reader) floats(list ...*float64) {
	for _, x := range list {
		*x = r.Float64()
	}
}

// farthest is far beyond any simulation time, but small enough for sums and differences.
const farthest = timebase.Time(1) << 60

func (r *reader) time() timebase.Time {
	t := timebase.Time(r.Uint64())
	if t < -farthest || t > farthest {
		r.refuse(fmt.Sprintf("the time %d ns", int64(t)))
		return 0
	}
	return t
}

func (r *reader) world(w *World) {
	w.now, w.step, w.midnight, w.nextID = r.time(), r.time(), r.time(), r.Uint64()
	r.now = w.now
	if w.step < 0 {
		r.refuse("a negative step")
	}
	v := &w.weather
	r.floats(&v.Pressure, &v.Temperature, &v.Humidity, &v.Visibility, &v.Precipitation,
		&v.Cloudiness, &v.Snow, &v.WindSpeed, &v.WindYaw, &v.Sun.Azimuth, &v.Sun.Elevation,
		&v.Sun.Illuminance)
	v.Sun.Known = r.Bool()
	r.check("the weather", v.Pressure, v.Temperature, v.Humidity, v.Visibility, v.Precipitation,
		v.Cloudiness, v.Snow, v.WindSpeed, v.WindYaw, v.Sun.Azimuth, v.Sun.Elevation,
		v.Sun.Illuminance)
	w.date, w.dated = int64(r.Uint64()), r.Bool()
	if r.count(2) != len(w.lights) {
		r.refuse("the state of different traffic lights")
		return
	}
	for range w.lights {
		r.colours, r.manual = append(r.colours, Light(r.Byte())), append(r.manual, r.Bool())
	}
	if slices.ContainsFunc(r.colours, func(l Light) bool { return l > LightRed }) {
		r.refuse("a traffic light of an unknown colour")
	}
	w.destroyed = nil
	for range r.count(8) {
		w.destroyed = append(w.destroyed, r.String())
	}
	w.contacts.last = nil
	for range r.count(16) {
		w.contacts.last = append(w.contacts.last, contact{r.Uint64(), r.Uint64()})
	}
	if !slices.IsSortedFunc(w.contacts.last, contact.compare) {
		r.refuse("contacts that are not sorted")
	}
	w.pending, w.events = nil, nil
	for range r.count(49) {
		w.pending = append(w.pending, Event{Time: r.time(), Kind: EventKind(r.Byte()),
			Actor: r.String(), Other: r.String(),
			Value: r.Float64(), Axis: r.String(), Text: r.String()})
	}
	w.actors = nil
	for range r.count(100) {
		a := r.actor()
		if n := len(w.actors); n > 0 && a.name <= w.actors[n-1].name {
			r.refuse(fmt.Sprintf("the actor %q after %q", a.name, w.actors[n-1].name))
		}
		if w.actors = append(w.actors, a); r.bad != "" {
			return
		}
	}
	r.flow(w)
}

// refuse records the first reason why a state is unusable.
func (r *reader) refuse(found string) {
	if r.bad == "" {
		r.bad = found
	}
}

func (r *reader) actor() *actor {
	a := &actor{id: r.Uint64(), name: r.String(), kind: Kind(r.Byte()), mode: mode(r.Byte())}
	h := &a.shape
	r.floats(&h.Length, &h.Width, &h.Height, &h.Wheelbase, &h.Acceleration, &h.Brake, &h.Mass,
		&h.Power)
	for range r.count(16) {
		a.properties = append(a.properties, Property{r.String(), r.String()})
	}
	r.state(&a.state)
	r.floats(&a.side, &a.cosine, &a.sine, &a.before.x, &a.before.y, &a.before.z, &a.before.yaw,
		&a.acceleration, &a.assist)
	a.off, a.passing = r.Bool(), r.Bool()
	r.place(&a.place)
	r.checkActor(a)
	switch a.mode {
	case byTrajectory:
		r.track(&a.track)
		r.samples(&a.samples, r.now)
	case byControls:
		r.driving(&a.driving)
	case byController:
		r.controlled(a)
		r.driving(&a.driving)
	case byOwner:
		r.owned(&a.owned)
		r.samples(&a.samples, max(r.now, a.owned.time))
	}
	return a
}

func (r *reader) state(s *State) {
	for _, v := range [...]*frames.Vector{&s.Position, &s.Velocity, &s.Acceleration} {
		r.floats(&v.X, &v.Y, &v.Z)
	}
	for _, o := range [...]*frames.Orientation{&s.Orientation, &s.Rate, &s.Turning} {
		r.floats(&o.Roll, &o.Pitch, &o.Yaw)
	}
	r.floats(&s.Speed, &s.Along, &s.Steering, &s.Throttle, &s.Brake)
	s.Gear, s.Indicator, s.Lights, s.Estimated = int(int64(r.Uint64())), Indicator(r.Byte()),
		Lights(r.Uint64()), Fields(r.Uint64())
}

func (r *reader) owned(o *owned) {
	o.time, o.given = r.time(), Fields(r.Uint64())
	r.state(&o.state)
	r.check("an update", o.state.list()...)
	r.extra(&o.extra)
	o.plan = r.plan()
	r.floats(&o.goes.X, &o.goes.Y, &o.goes.Z)
	r.check("an acceleration", o.goes.X, o.goes.Y, o.goes.Z)
	if o.way.leapt, o.way.begun = r.Bool(), r.Bool(); o.way.begun {
		o.way.from = r.time()
		r.state(&o.way.start)
		r.check("a motion", o.way.start.list()...)
		if o.way.from > r.now || o.way.from >= o.time {
			r.refuse("an approach that begins after now")
		}
	}
	if o.time > r.now && !o.way.begun && !o.way.leapt {
		r.refuse("an update after now")
	}
	o.told, o.due, o.resumes = r.Bool(), r.Bool(), r.Bool()
	if o.due {
		r.update(&o.next)
	}
	if o.resumes {
		r.controller(&o.before)
		if err := o.before.Check("driver"); err != nil {
			r.refuse(err.Error())
		}
	}
}

func (r *reader) extra(e *Extra) {
	for _, part := range [...]*[]byte{&e.Lights, &e.Wheels, &e.Internal} {
		*part = slices.Clone(r.Bytes())
	}
}

func (r *reader) update(u *Update) {
	u.Time, u.Given = r.time(), Parts(r.Uint64())
	r.floats(&u.Position.X, &u.Position.Y, &u.Position.Z, &u.Orientation.Roll,
		&u.Orientation.Pitch, &u.Orientation.Yaw, &u.Velocity.X, &u.Velocity.Y, &u.Velocity.Z,
		&u.Acceleration.X, &u.Acceleration.Y, &u.Acceleration.Z, &u.Rate.Roll, &u.Rate.Pitch,
		&u.Rate.Yaw, &u.Steering)
	r.controls(&u.Controls)
	u.Placed = r.Bool()
	r.extra(&u.Extra)
	u.Plan = r.plan()
	if err := u.Check("update"); err != nil {
		r.refuse(err.Error())
	}
}

// plan reads planned poses, of which [Update.Check] checks the rest.
func (r *reader) plan() (plan []Planned) {
	for range r.count(64) {
		p := Planned{Time: r.time(), Given: Parts(r.Uint64())}
		r.floats(&p.Position.X, &p.Position.Y, &p.Position.Z, &p.Orientation.Roll,
			&p.Orientation.Pitch, &p.Orientation.Yaw)
		plan = append(plan, p)
	}
	u := Update{Plan: plan}
	if err := u.checkPlan("plan"); err != nil {
		r.refuse(err.Error())
	}
	return plan
}

func (r *reader) controller(c *Controller) {
	v := &c.Driver
	r.floats(&v.Speed, &v.MaxSpeed, &v.TimeGap, &v.MinGap, &v.Accel, &v.Decel, &v.LateralAccel,
		&v.Politeness)
	v.LaneChange, v.Steering = LaneChanges(r.Byte()), r.Bool()
	if r.Bool() {
		c.Target = &frames.Vector{}
		r.floats(&c.Target.X, &c.Target.Y, &c.Target.Z)
	}
}

// lane returns the lane with a number; -1 means none.
func (r *reader) lane(n uint64, needed bool) *opendrive.Lane {
	lanes := r.w.m.Lanes()
	if n < uint64(len(lanes)) {
		return lanes[n]
	}
	if needed || n != math.MaxUint64 {
		r.refuse(fmt.Sprintf("lane number %d of %d", n, len(lanes)))
	}
	return nil
}

func (r *reader) place(p *opendrive.Place) {
	if n := r.Uint64(); n < uint64(len(r.w.m.Roads)) {
		p.Road = r.w.m.Roads[n]
	}
	if p.Lane = r.lane(r.Uint64(), false); p.Lane != nil && p.Lane.Section.Road != p.Road {
		r.refuse("a place on a lane of another road")
	}
	r.floats(&p.S, &p.T, &p.H, &p.Distance)
}

func (r *reader) track(t *track) {
	t.cubic, t.done = r.Bool(), r.Bool()
	n := r.count(64)
	for range n {
		t.times = append(t.times, r.time())
		var p Point
		r.floats(&p.X, &p.Y, &p.Z, &p.Roll, &p.Pitch, &p.Yaw)
		p.Given = Fields(r.Uint64())
		r.check("a point", p.X, p.Y, p.Z, p.Roll, p.Pitch, p.Yaw)
		if n := len(t.times); n > 1 && t.times[n-1] < t.times[n-2] {
			r.refuse("times of a trajectory that go back")
		}
		t.points = append(t.points, p)
	}
	if n == 0 {
		r.refuse("a trajectory without points")
	}
}

// samples reads the samples of an actor, of which the latest one may be from until.
func (r *reader) samples(s *samples, until timebase.Time) {
	s.n = r.count(40)
	if s.n > len(s.times) {
		s.n = 0
		r.refuse("too many samples")
	}
	for k := range s.n {
		s.times[k] = r.time()
		r.floats(&s.x[k], &s.y[k], &s.z[k], &s.yaw[k])
		r.check("a sample", s.x[k], s.y[k], s.z[k], s.yaw[k])
		if s.times[k] > until || k > 0 && s.times[k] <= s.times[k-1] {
			r.refuse("samples whose times do not increase up to now")
		}
	}
}

func (r *reader) driving(d *driving) {
	d.start, d.step, d.dynamic, d.cut = r.time(), r.time(), r.Bool(), r.Bool()
	r.floats(&d.lateral, &d.yawRate)
	for range r.count(41) {
		var c Controls
		r.controls(&c)
		if err := c.Check("controls"); err != nil {
			r.refuse(err.Error())
		}
		d.controls = append(d.controls, c)
	}
	r.check("a slip", d.lateral, d.yawRate)
	if d.step < 0 {
		r.refuse("controls with a negative step")
	}
}

func (r *reader) controls(c *Controls) {
	r.floats(&c.Throttle, &c.Brake, &c.SteeringWheel)
	c.Gear, c.Indicator, c.Lights = int(int64(r.Uint64())), Indicator(r.Byte()), Lights(r.Uint64())
}

func (r *reader) controlled(a *actor) {
	if err := r.w.meet(); err != nil {
		r.refuse(err.Error())
		return
	}
	d := &a.driver
	d.steerable = a.shape.steerable()
	r.controller(&d.Controller)
	for range r.count(8) {
		var g leg
		for range r.count(25) {
			lane, forwards := r.lane(r.Uint64(), true), r.Bool()
			cross, start := int32(r.Uint64()), r.Float64()
			if lane != nil {
				c := r.w.course(opendrive.Course{Lane: lane, Forwards: forwards})
				c.cross, c.start = cross, start
				g.courses = append(g.courses, c)
			}
		}
		if d.path.legs = append(d.path.legs, g); r.bad != "" {
			return
		}
	}
	o := &d.offset
	r.floats(&d.path.target, &d.u, &d.indicating, &d.waited, &o.from, &o.length,
		&o.lead, &o.rise, &o.ground.from, &o.ground.to, &d.cleared, &d.hold, &d.stands)
	for _, c := range [...]*block{&d.block, &d.granted, &d.former} {
		r.floats(&c.from, &c.to, &c.limit)
		c.since = r.time()
		for _, x := range [...]*bool{&c.known, &c.full, &c.hurry, &c.part} {
			*x = r.Bool()
		}
	}
	for _, c := range [...]*quintic{&o.aside, &o.lift, &o.pitch, &o.roll} {
		for k := range c {
			r.floats(&c[k])
		}
	}
	d.leg, d.index = int(int64(r.Uint64())), int(int64(r.Uint64()))
	d.toSide, d.think, d.changed = int(int64(r.Uint64())), r.time(), r.time()
	d.halted = int32(r.Uint64())
	for _, x := range [...]*bool{&d.queued, &d.halting, &d.idle, &d.ended, &o.changes, &o.uneven,
		&d.arrived, &d.reported, &d.lost} {
		*x = r.Bool()
	}
	if err := d.random.UnmarshalBinary(r.Bytes()); err != nil {
		r.refuse("a random number generator that cannot be read")
	}
	r.checkDriver(a)
	r.turns(d)
	if r.bad != "" {
		return
	}
	r.w.planLegs(d)
	r.w.measureBed(d, &o.ground)
	d.course().at(d.u, o.lead, &d.now)
}
