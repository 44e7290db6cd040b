package mocksim

import (
	"hash/fnv"

	"gosmp/internal/state"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

const magic = "gosmp mocksim 13\n"

// fingerprint returns a hash that distinguishes maps.
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

// AppendState appends everything that changes in a world. If it is restored into a world with the
// same map and options, that world continues exactly like this one.
func (w *World) AppendState(b []byte) []byte {
	start := len(b)
	b = append(b, magic...)
	b = state.AppendUint64(b, w.fingerprint())
	for _, t := range [...]timebase.Time{w.now, w.step, w.midnight} {
		b = state.AppendUint64(b, uint64(t))
	}
	b = state.AppendUint64(b, w.nextID)
	v := &w.weather
	for _, x := range [...]float64{v.Pressure, v.Temperature, v.Humidity, v.Visibility,
		v.Precipitation, v.Cloudiness, v.Snow, v.WindSpeed, v.WindYaw, v.Sun.Azimuth,
		v.Sun.Elevation, v.Sun.Illuminance} {
		b = state.AppendFloat64(b, x)
	}
	b = state.AppendBool(b, v.Sun.Known)
	b = state.AppendBool(state.AppendUint64(b, uint64(w.date)), w.dated)
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
	return state.Seal(w.appendFlow(b), start)
}

func appendEvent(b []byte, e *Event) []byte {
	b = state.AppendUint64(b, uint64(e.Time))
	b = append(b, byte(e.Kind))
	b = state.AppendString(state.AppendString(b, e.Actor), e.Other)
	return state.AppendString(state.AppendString(state.AppendFloat64(b, e.Value), e.Axis), e.Text)
}

func appendFloats(b []byte, list ...float64) []byte {
	for _, x := range list {
		b = state.AppendFloat64(b, x)
	}
	return b
}

func (a *actor) append(b []byte) []byte {
	a.resolve()
	b = state.AppendUint64(b, a.id)
	b = state.AppendString(b, a.name)
	b = append(b, byte(a.kind), byte(a.mode))
	b = appendFloats(b, a.shape.list()...)
	b = state.AppendUint64(b, uint64(len(a.properties)))
	for _, p := range a.properties {
		b = state.AppendString(state.AppendString(b, p.Name), p.Value)
	}
	b = a.state.append(b)
	b = appendFloats(b, a.side, a.cosine, a.sine, a.before.x, a.before.y, a.before.z, a.before.yaw,
		a.acceleration, a.assist)
	b = state.AppendBool(state.AppendBool(b, a.off), a.passing)
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
	case byOwner:
		b = a.samples.append(a.owned.append(b))
	}
	return b
}

func (s *State) append(b []byte) []byte {
	b = appendFloats(b, s.list()...)
	b = state.AppendUint64(b, uint64(s.Gear))
	b = append(b, byte(s.Indicator))
	return state.AppendUint64(state.AppendUint64(b, uint64(s.Lights)), uint64(s.Estimated))
}

func (o *owned) append(b []byte) []byte {
	b = state.AppendUint64(state.AppendUint64(b, uint64(o.time)), uint64(o.given))
	b = appendPlan(o.extra.append(o.state.append(b)), o.plan)
	b = appendFloats(b, o.goes.X, o.goes.Y, o.goes.Z)
	b = state.AppendBool(state.AppendBool(b, o.way.leapt), o.way.begun)
	if o.way.begun {
		b = o.way.start.append(state.AppendUint64(b, uint64(o.way.from)))
	}
	b = state.AppendBool(state.AppendBool(state.AppendBool(b, o.told), o.due), o.resumes)
	if o.due {
		b = o.next.append(b)
	}
	if o.resumes {
		b = o.before.append(b)
	}
	return b
}

func (e *Extra) append(b []byte) []byte {
	for _, part := range [...][]byte{e.Lights, e.Wheels, e.Internal} {
		b = state.AppendBytes(b, part)
	}
	return b
}

func (u *Update) append(b []byte) []byte {
	b = state.AppendUint64(state.AppendUint64(b, uint64(u.Time)), uint64(u.Given))
	b = appendFloats(b, u.Position.X, u.Position.Y, u.Position.Z, u.Orientation.Roll,
		u.Orientation.Pitch, u.Orientation.Yaw, u.Velocity.X, u.Velocity.Y, u.Velocity.Z,
		u.Acceleration.X, u.Acceleration.Y, u.Acceleration.Z, u.Rate.Roll, u.Rate.Pitch,
		u.Rate.Yaw, u.Steering)
	b = u.Controls.append(b)
	return appendPlan(u.Extra.append(state.AppendBool(b, u.Placed)), u.Plan)
}

func appendPlan(b []byte, plan []Planned) []byte {
	b = state.AppendUint64(b, uint64(len(plan)))
	for _, p := range plan {
		b = state.AppendUint64(state.AppendUint64(b, uint64(p.Time)), uint64(p.Given))
		b = appendFloats(b, p.Position.X, p.Position.Y, p.Position.Z, p.Orientation.Roll,
			p.Orientation.Pitch, p.Orientation.Yaw)
	}
	return b
}

func (c *Controller) append(b []byte) []byte {
	r := &c.Driver
	b = appendFloats(b, r.Speed, r.MaxSpeed, r.TimeGap, r.MinGap, r.Accel, r.Decel, r.LateralAccel,
		r.Politeness)
	b = append(b, byte(r.LaneChange))
	b = state.AppendBool(state.AppendBool(b, r.Steering), c.Target != nil)
	if c.Target != nil {
		b = appendFloats(b, c.Target.X, c.Target.Y, c.Target.Z)
	}
	return b
}

func (s *Shape) list() []float64 {
	return []float64{s.Length, s.Width, s.Height, s.Wheelbase, s.Acceleration, s.Brake, s.Mass,
		s.Power}
}

func (s *State) list() []float64 {
	return []float64{s.Position.X, s.Position.Y, s.Position.Z, s.Velocity.X, s.Velocity.Y,
		s.Velocity.Z,
		s.Acceleration.X, s.Acceleration.Y, s.Acceleration.Z, s.Orientation.Roll,
		s.Orientation.Pitch, s.Orientation.Yaw,
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
		b = c.append(b)
	}
	return b
}

func (c *Controls) append(b []byte) []byte {
	b = appendFloats(b, c.Throttle, c.Brake, c.SteeringWheel)
	b = append(state.AppendUint64(b, uint64(c.Gear)), byte(c.Indicator))
	return state.AppendUint64(b, uint64(c.Lights))
}

func (d *controlled) append(b []byte) []byte {
	b = d.Controller.append(b)
	b = state.AppendUint64(b, uint64(len(d.path.legs)))
	for k := range d.path.legs {
		list := d.path.legs[k].courses
		b = state.AppendUint64(b, uint64(len(list)))
		for i := range list {
			c := &list[i]
			b = state.AppendUint64(b, uint64(c.lane.Number()))
			b = state.AppendBool(b, c.forwards)
			b = state.AppendUint64(b, uint64(c.cross))
			b = state.AppendFloat64(b, c.start)
		}
	}
	o := &d.offset
	b = appendFloats(b, d.path.target, d.u, d.indicating, d.waited, o.from, o.length, o.lead,
		o.rise, o.ground.from, o.ground.to, d.cleared, d.hold, d.stands)
	for _, c := range [...]*block{&d.block, &d.granted, &d.former} {
		b = state.AppendUint64(appendFloats(b, c.from, c.to, c.limit), uint64(c.since))
		for _, x := range [...]bool{c.known, c.full, c.hurry, c.part} {
			b = state.AppendBool(b, x)
		}
	}
	for _, c := range [...]*quintic{&o.aside, &o.lift, &o.pitch, &o.roll} {
		b = appendFloats(b, c[:]...)
	}
	for _, n := range [...]int64{int64(d.leg), int64(d.index), int64(d.toSide),
		int64(d.think), int64(d.changed), int64(d.halted)} {
		b = state.AppendUint64(b, uint64(n))
	}
	for _, x := range [...]bool{d.queued, d.halting, d.idle, d.ended, o.changes, o.uneven,
		d.arrived, d.reported, d.lost} {
		b = state.AppendBool(b, x)
	}
	random, _ := d.random.AppendBinary(nil) // never fails
	return state.AppendBytes(b, random)
}
