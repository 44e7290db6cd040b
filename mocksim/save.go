package mocksim

import (
	"fmt"
	"hash/fnv"
	"math"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

const magic = "gosmp mocksim 2\n"

// fingerprint tells maps apart.
func (w *World) fingerprint() uint64 {
	h := fnv.New64a()
	var b []byte
	for _, r := range w.m.Roads {
		b = state.AppendString(b[:0], r.ID)
		b = state.AppendFloat64(b, r.Length)
		b = state.AppendUint64(b, uint64(len(r.Sections)))
		_, _ = h.Write(b)
	}
	return h.Sum64()
}

// AppendState appends everything that changes in a world. Restored into a world of the same map and options, it goes on
// exactly as this one.
func (w *World) AppendState(b []byte) []byte {
	start := len(b)
	b = append(b, magic...)
	b = state.AppendUint64(b, w.fingerprint())
	for _, t := range [...]timebase.Time{w.now, w.step, w.midnight} {
		b = state.AppendUint64(b, uint64(t))
	}
	b = state.AppendUint64(b, w.nextID)
	v := &w.weather
	for _, x := range [...]float64{v.Pressure, v.Temperature, v.Humidity, v.Visibility, v.Precipitation, v.Cloudiness} {
		b = state.AppendFloat64(b, x)
	}
	b = state.AppendUint64(b, uint64(len(w.lights)))
	for _, l := range w.lights {
		b = state.AppendBool(append(b, byte(l.colour)), l.manual)
	}
	b = state.AppendUint64(b, uint64(len(w.destroyed)))
	for _, name := range w.destroyed {
		b = state.AppendString(b, name)
	}
	b = state.AppendUint64(b, uint64(len(w.contacts.last)))
	for _, c := range w.contacts.last {
		b = state.AppendUint64(state.AppendUint64(b, c.a), c.b)
	}
	b = state.AppendUint64(b, uint64(len(w.pending)))
	for k := range w.pending {
		b = appendEvent(b, &w.pending[k])
	}
	b = state.AppendUint64(b, uint64(len(w.actors)))
	for _, a := range w.actors {
		b = a.append(b)
	}
	return state.Seal(b, start)
}

func appendEvent(b []byte, e *Event) []byte {
	b = state.AppendUint64(b, uint64(e.Time))
	b = append(b, byte(e.Kind))
	b = state.AppendString(state.AppendString(b, e.Actor), e.Other)
	return state.AppendString(state.AppendFloat64(b, e.Value), e.Axis)
}

func appendFloats(b []byte, list ...float64) []byte {
	for _, x := range list {
		b = state.AppendFloat64(b, x)
	}
	return b
}

func (a *actor) append(b []byte) []byte {
	b = state.AppendUint64(b, a.id)
	b = state.AppendString(b, a.name)
	b = append(b, byte(a.kind), byte(a.mode))
	b = appendFloats(b, a.shape.list()...)
	b = state.AppendUint64(b, uint64(len(a.properties)))
	for _, p := range a.properties {
		b = state.AppendString(state.AppendString(b, p.Name), p.Value)
	}
	s := &a.state
	b = appendFloats(b, s.list()...)
	b = state.AppendUint64(b, uint64(s.Gear))
	b = append(b, byte(s.Indicator))
	b = state.AppendUint64(b, uint64(s.Lights))
	b = state.AppendUint64(b, uint64(s.Estimated))
	b = appendFloats(b, a.side, a.cosine, a.sine, a.before.x, a.before.y, a.before.z, a.before.yaw, a.acceleration, a.assist)
	b = state.AppendBool(b, a.off)
	b = appendPlace(b, &a.place)
	switch a.mode {
	case byTrajectory:
		b = a.track.append(b)
		b = a.samples.append(b)
	case byControls:
		b = a.driving.append(b)
	case byController:
		b = a.driver.append(b)
		b = a.driving.append(b)
	}
	return b
}

func (s *Shape) list() []float64 {
	return []float64{s.Length, s.Width, s.Height, s.Wheelbase, s.Acceleration, s.Brake, s.Mass, s.Power}
}

func (s *State) list() []float64 {
	return []float64{s.Position.X, s.Position.Y, s.Position.Z, s.Velocity.X, s.Velocity.Y, s.Velocity.Z,
		s.Acceleration.X, s.Acceleration.Y, s.Acceleration.Z, s.Orientation.Roll, s.Orientation.Pitch, s.Orientation.Yaw,
		s.Rate.Roll, s.Rate.Pitch, s.Rate.Yaw, s.Turning.Roll, s.Turning.Pitch, s.Turning.Yaw,
		s.Speed, s.Along, s.Steering, s.Throttle, s.Brake}
}

func appendPlace(b []byte, p *opendrive.Place) []byte {
	road, lane := -1, -1
	if p.Road != nil {
		road = p.Road.Index
	}
	if p.Lane != nil {
		lane = p.Lane.Number()
	}
	b = state.AppendUint64(state.AppendUint64(b, uint64(road)), uint64(lane))
	return appendFloats(b, p.S, p.T, p.H, p.Distance)
}

func (t *track) append(b []byte) []byte {
	b = state.AppendBool(state.AppendBool(b, t.cubic), t.done)
	b = state.AppendUint64(b, uint64(len(t.times)))
	for k, at := range t.times {
		p := &t.points[k]
		b = state.AppendUint64(b, uint64(at))
		b = appendFloats(b, p.X, p.Y, p.Z, p.Roll, p.Pitch, p.Yaw)
		b = state.AppendUint64(b, uint64(p.Given))
	}
	return b
}

func (s *samples) append(b []byte) []byte {
	b = state.AppendUint64(b, uint64(s.n))
	for k := range s.n {
		b = state.AppendUint64(b, uint64(s.times[k]))
		b = appendFloats(b, s.x[k], s.y[k], s.z[k], s.yaw[k])
	}
	return b
}

func (d *driving) append(b []byte) []byte {
	b = state.AppendUint64(state.AppendUint64(b, uint64(d.start)), uint64(d.step))
	b = state.AppendBool(state.AppendBool(b, d.dynamic), d.cut)
	b = appendFloats(b, d.lateral, d.yawRate)
	b = state.AppendUint64(b, uint64(len(d.controls)))
	for _, c := range d.controls {
		b = appendFloats(b, c.Throttle, c.Brake, c.SteeringWheel)
		b = state.AppendUint64(b, uint64(c.Gear))
		b = append(b, byte(c.Indicator))
		b = state.AppendUint64(b, uint64(c.Lights))
	}
	return b
}

func (d *controlled) append(b []byte) []byte {
	r := &d.Driver
	b = appendFloats(b, r.Speed, r.MaxSpeed, r.TimeGap, r.MinGap, r.Accel, r.Decel, r.LateralAccel, r.Politeness)
	b = append(b, byte(r.LaneChange))
	b = state.AppendBool(b, r.Steering)
	b = state.AppendBool(b, d.Target != nil)
	if d.Target != nil {
		b = appendFloats(b, d.Target.X, d.Target.Y, d.Target.Z)
	}
	b = state.AppendUint64(b, uint64(len(d.path.legs)))
	for k := range d.path.legs {
		list := d.path.legs[k].courses
		b = state.AppendUint64(b, uint64(len(list)))
		for i := range list {
			c := &list[i]
			b = state.AppendUint64(b, uint64(c.lane.Number()))
			b = state.AppendBool(b, c.forwards)
			b = state.AppendUint64(b, uint64(c.cross))
		}
	}
	o := &d.offset
	lane := -1
	if o.lane != nil {
		lane = o.lane.Number()
	}
	b = appendFloats(b, d.path.target, d.u, o.from, o.elapsed, o.duration, d.indicating)
	for _, n := range [...]int64{int64(d.leg), int64(d.index), int64(lane), int64(d.toSide), int64(d.think), int64(d.changed)} {
		b = state.AppendUint64(b, uint64(n))
	}
	b = state.AppendBool(state.AppendBool(b, d.arrived), d.lost)
	random, _ := d.random.AppendBinary(nil) // never fails
	return state.AppendBytes(b, random)
}

// Restore brings a world back to a state of [World.AppendState]. It fails with [ErrState], and changes nothing, if the bytes are
// damaged or belong to another map.
func (w *World) Restore(b []byte) error {
	d, err := state.Open(magic, b)
	if err != nil {
		return &Error{Place: fault.At("state"), Kind: ErrState, Cause: err}
	}
	r := reader{Decoder: d, w: w}
	if d.Uint64() != w.fingerprint() {
		return &Error{Place: fault.At("state"), Kind: ErrState, Found: "the state of another map", Expected: w.m.Name}
	}
	fresh := *w
	r.world(&fresh)
	if err := d.Done(); err != nil {
		return &Error{Place: fault.At("state"), Kind: ErrState, Cause: err}
	}
	if r.bad != "" {
		return &Error{Place: fault.At("state"), Kind: ErrState, Found: r.bad}
	}
	for k, l := range w.lights {
		l.colour, l.manual = r.colours[k], r.manual[k]
	}
	fresh.traffic.order, fresh.contacts.order = fresh.traffic.order[:0], fresh.contacts.order[:0]
	*w = fresh
	w.refresh()
	return nil
}

// reader takes a state apart.
type reader struct {
	*state.Decoder
	w       *World
	bad     string
	colours []Light
	manual  []bool
}

// count reads how many parts follow, of which each takes at least size bytes.
func (r *reader) count(size int) int {
	n := r.Uint64()
	if n > uint64(len(r.Data)/size) {
		if r.bad == "" {
			r.bad = fmt.Sprintf("%d parts in %d bytes", n, len(r.Data))
		}
		return 0
	}
	return int(n)
}

func (r *reader) floats(list ...*float64) {
	for _, x := range list {
		*x = r.Float64()
	}
}

func (r *reader) time() timebase.Time { return timebase.Time(r.Uint64()) }

func (r *reader) world(w *World) {
	w.now, w.step, w.midnight, w.nextID = r.time(), r.time(), r.time(), r.Uint64()
	v := &w.weather
	r.floats(&v.Pressure, &v.Temperature, &v.Humidity, &v.Visibility, &v.Precipitation, &v.Cloudiness)
	if n := r.count(2); n != len(w.lights) && r.bad == "" {
		r.bad = "the state of other traffic lights"
	}
	for range w.lights {
		r.colours, r.manual = append(r.colours, Light(r.Byte())), append(r.manual, r.Bool())
	}
	w.destroyed = nil
	for range r.count(8) {
		w.destroyed = append(w.destroyed, r.String())
	}
	w.contacts.last = nil
	for range r.count(16) {
		w.contacts.last = append(w.contacts.last, contact{r.Uint64(), r.Uint64()})
	}
	w.pending, w.events = nil, nil
	for range r.count(41) {
		w.pending = append(w.pending, Event{Time: r.time(), Kind: EventKind(r.Byte()), Actor: r.String(), Other: r.String(),
			Value: r.Float64(), Axis: r.String()})
	}
	w.actors = nil
	for range r.count(100) {
		w.actors = append(w.actors, r.actor())
	}
}

func (r *reader) actor() *actor {
	a := &actor{id: r.Uint64(), name: r.String(), kind: Kind(r.Byte()), mode: mode(r.Byte())}
	h := &a.shape
	r.floats(&h.Length, &h.Width, &h.Height, &h.Wheelbase, &h.Acceleration, &h.Brake, &h.Mass, &h.Power)
	for range r.count(16) {
		a.properties = append(a.properties, Property{r.String(), r.String()})
	}
	s := &a.state
	for _, v := range [...]*frames.Vector{&s.Position, &s.Velocity, &s.Acceleration} {
		r.floats(&v.X, &v.Y, &v.Z)
	}
	for _, o := range [...]*frames.Orientation{&s.Orientation, &s.Rate, &s.Turning} {
		r.floats(&o.Roll, &o.Pitch, &o.Yaw)
	}
	r.floats(&s.Speed, &s.Along, &s.Steering, &s.Throttle, &s.Brake)
	s.Gear, s.Indicator, s.Lights, s.Estimated = int(int64(r.Uint64())), Indicator(r.Byte()), Lights(r.Uint64()), Fields(r.Uint64())
	r.floats(&a.side, &a.cosine, &a.sine, &a.before.x, &a.before.y, &a.before.z, &a.before.yaw, &a.acceleration, &a.assist)
	a.off = r.Bool()
	r.place(&a.place)
	switch a.mode {
	case byTrajectory:
		r.track(&a.track)
		r.samples(&a.samples)
	case byControls:
		r.driving(&a.driving)
	case byController:
		r.controlled(a)
		r.driving(&a.driving)
	}
	return a
}

// lane is the lane of a number; -1 is none.
func (r *reader) lane(n uint64, needed bool) *opendrive.Lane {
	lanes := r.w.m.Lanes()
	if n < uint64(len(lanes)) {
		return lanes[n]
	}
	if (needed || n != math.MaxUint64) && r.bad == "" {
		r.bad = fmt.Sprintf("lane number %d of %d", n, len(lanes))
	}
	return nil
}

func (r *reader) place(p *opendrive.Place) {
	if n := r.Uint64(); n < uint64(len(r.w.m.Roads)) {
		p.Road = r.w.m.Roads[n]
	}
	p.Lane = r.lane(r.Uint64(), false)
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
		t.points = append(t.points, p)
	}
	if n == 0 && r.bad == "" {
		r.bad = "a trajectory without points"
	}
}

func (r *reader) samples(s *samples) {
	s.n = r.count(40)
	if s.n > len(s.times) {
		s.n, r.bad = 0, "too many samples"
	}
	for k := range s.n {
		s.times[k] = r.time()
		r.floats(&s.x[k], &s.y[k], &s.z[k], &s.yaw[k])
	}
}

func (r *reader) driving(d *driving) {
	d.start, d.step, d.dynamic, d.cut = r.time(), r.time(), r.Bool(), r.Bool()
	r.floats(&d.lateral, &d.yawRate)
	for range r.count(41) {
		var c Controls
		r.floats(&c.Throttle, &c.Brake, &c.SteeringWheel)
		c.Gear, c.Indicator, c.Lights = int(int64(r.Uint64())), Indicator(r.Byte()), Lights(r.Uint64())
		d.controls = append(d.controls, c)
	}
}

func (r *reader) controlled(a *actor) {
	d := &a.driver
	v := &d.Driver
	r.floats(&v.Speed, &v.MaxSpeed, &v.TimeGap, &v.MinGap, &v.Accel, &v.Decel, &v.LateralAccel, &v.Politeness)
	v.LaneChange, v.Steering = LaneChanges(r.Byte()), r.Bool()
	if r.Bool() {
		d.Target = &frames.Vector{}
		r.floats(&d.Target.X, &d.Target.Y, &d.Target.Z)
	}
	for range r.count(8) {
		var g leg
		for range r.count(17) {
			lane, forwards, cross := r.lane(r.Uint64(), true), r.Bool(), int32(r.Uint64())
			if lane != nil {
				c := r.w.course(opendrive.Course{Lane: lane, Forwards: forwards})
				c.cross = cross
				g.courses = append(g.courses, c)
			}
		}
		d.path.legs = append(d.path.legs, g)
	}
	o := &d.offset
	r.floats(&d.path.target, &d.u, &o.from, &o.elapsed, &o.duration, &d.indicating)
	d.leg, d.index = int(int64(r.Uint64())), int(int64(r.Uint64()))
	o.lane = r.lane(r.Uint64(), false)
	d.toSide, d.think, d.changed = int(int64(r.Uint64())), r.time(), r.time()
	d.arrived, d.lost = r.Bool(), r.Bool()
	if err := d.random.UnmarshalBinary(r.Bytes()); err != nil && r.bad == "" {
		r.bad = "a random number generator that is none"
	}
	if d.leg < 0 || d.leg >= len(d.path.legs) || d.index < 0 || d.index >= len(d.path.legs[d.leg].courses) {
		if r.bad == "" {
			r.bad = "a place beyond the way"
		}
		return
	}
	r.w.planLegs(d)
	c := d.course()
	c.rail.at(d.u, c.forwards, &d.now)
}
