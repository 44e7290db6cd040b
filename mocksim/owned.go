package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/timebase"
)

// owned is the motion of an actor that an owner outside the world moves.
type owned struct {
	// The motion at the last update, or when the actor was taken. The actor continues from it.
	time  timebase.Time
	state State
	// of FieldZ, FieldPitch and FieldRoll: values that do not come from the road
	given Fields
	goes  frames.Vector // the acceleration that continues, m/s2
	way   approach      // to an update that is later than the end of the step
	plan  []Planned     // of the point on the ground, after time

	next    Update // applied before the step, if due
	due     bool
	extra   Extra
	told    bool       // a velocity in body axes was reported
	resumes bool       // after the owner, before resumes control
	before  Controller // for World.Release
}

// base lets the motion continue from the current state.
func (a *actor) base(now timebase.Time) {
	a.owned.time, a.owned.state, a.owned.plan = now, a.state, a.owned.plan[:0]
	a.owned.goes = a.state.Acceleration
	p := &a.state.Position
	a.samples.add(now, p.X, p.Y, p.Z, a.state.Orientation.Yaw)
}

// own moves an owner's actor to the end of a step of h.
func (w *World) own(a *actor, h timebase.Time) {
	o := &a.owned
	if o.due {
		o.due = false
		o.way = approach{from: w.now - h, start: a.state}
		w.accept(a)
	}
	begun := o.way.begun
	o.way.begun = o.time > w.now && !o.way.leapt
	switch {
	case o.way.begun:
		w.approach(a)
	case o.time < w.now:
		w.reckon(a, w.now)
	case begun:
		a.state = o.state
		w.lay(a, a.state.Position, o.given)
	}
	a.sine, a.cosine = portable.Sincos(a.state.Orientation.Yaw)
}

// reckon continues an actor's motion from its last update: along its plan, or by dead reckoning.
func (w *World) reckon(a *actor, to timebase.Time) {
	o := &a.owned
	a.state = o.state
	if w.pursue(a, to) {
		return
	}
	a.state.Acceleration = o.goes
	a.state.coast((to - o.time).Seconds(), a.kind)
	w.lay(a, a.state.Position, o.given)
}

// lay places an actor whose yaw and velocity are set. Values that are not given come from the road.
func (w *World) lay(a *actor, at frames.Vector, given Fields) {
	s := &a.state
	a.sine, a.cosine = portable.Sincos(s.Orientation.Yaw)
	a.place = w.locate(a, at, given&FieldZ != 0)
	w.ground(a, at, given|FieldYaw)
	w.follow(a, given)
	s.Speed = float64(s.Velocity.X*a.cosine) + float64(s.Velocity.Y*a.sine)
	s.Along = float64(s.Acceleration.X*a.cosine) + float64(s.Acceleration.Y*a.sine)
}

// accept applies an update, which is the motion at its time.
func (w *World) accept(a *actor) {
	o := &a.owned
	u := &o.next
	last := o.state
	gone := (u.Time - o.time).Seconds()
	if gone > 0 {
		w.reckon(a, u.Time) // missing values continue
	} else {
		a.state = o.state
	}
	at := w.posed(a, u, &last)
	jumped := u.Placed || w.leap(a, at, &last, gone)
	if jumped {
		a.samples.restart()
		a.place.Road, a.place.Lane = nil, nil
	}
	given := u.fields()
	a.samples.add(u.Time, at.X, at.Y, at.Z, a.state.Orientation.Yaw)
	w.moved(a, u, &last, gone, jumped)
	w.lay(a, at, given)
	if given&FieldZ == 0 { // the height determined by the road
		a.samples.z[a.samples.n-1] = a.state.Position.Z
	}
	if u.Given&PartSteering != 0 {
		a.state.Steering = u.Steering
	}
	a.state.Throttle, a.state.Brake = 0, 0
	if u.Given&PartControls != 0 {
		a.state.operate(&u.Controls)
	}
	a.state.Estimated = (FieldZ|FieldRoll|FieldPitch|FieldYaw)&^given | u.estimated()
	o.given, o.time, o.state = given, u.Time, a.state
	o.way.leapt, o.goes = jumped, a.state.Acceleration
	if u.estimated()&FieldAcceleration != 0 {
		o.goes = a.state.lasting()
	}
	a.keepPlan(u)
	o.extra.keep(&u.Extra)
	u.Extra = Extra{Lights: u.Extra.Lights[:0], Wheels: u.Extra.Wheels[:0],
		Internal: u.Extra.Internal[:0]}
	u.Plan = u.Plan[:0]
}

// lift returns the height of an update's point above the ground.
func (u *Update) lift(a *actor) float64 {
	if u.Ground {
		return 0
	}
	return a.shape.Height / 2
}

// fields returns the parts of the pose that do not come from the road.
func (u *Update) fields() (f Fields) {
	for _, p := range [...]struct {
		part  Parts
		field Fields
	}{{PartZ, FieldZ}, {PartRoll, FieldRoll}, {PartPitch, FieldPitch}, {PartYaw, FieldYaw}} {
		if u.Given&p.part != 0 {
			f |= p.field
		}
	}
	return f
}

// estimated returns the parts of the motion for which no component is given.
func (u *Update) estimated() (f Fields) {
	if u.Given&partsVelocity == 0 {
		f |= FieldVelocity
	}
	if u.Given&(PartAccelerationX|PartAccelerationY|PartAccelerationZ) == 0 {
		f |= FieldAcceleration
	}
	if u.Given&(PartRollRate|PartPitchRate|PartYawRate) == 0 {
		f |= FieldRates
	}
	return f
}

// posed sets the angles of an actor that has moved, and returns its position on the ground. The
// position in an update is the middle of the box, which a slope shifts sideways.
func (w *World) posed(a *actor, u *Update, last *State) frames.Vector {
	s := &a.state
	for _, p := range [...]struct {
		part Parts
		to   *float64
		from float64
	}{{PartRoll, &s.Orientation.Roll, u.Orientation.Roll},
		{PartPitch, &s.Orientation.Pitch, u.Orientation.Pitch},
		{PartYaw, &s.Orientation.Yaw, wrapFast(u.Orientation.Yaw)}} {
		if u.Given&p.part != 0 {
			*p.to = p.from
		}
	}
	if u.Given&(partsAside|PartZ) == 0 {
		return s.Position
	}
	up := func(s *State) frames.Vector {
		rotation := s.Orientation.Rotation()
		return rotation.Apply(frames.Vector{Z: u.lift(a)})
	}
	now, before := s.Position.Add(up(s)), last.Position.Add(up(last))
	if u.Given&partsAside != 0 {
		now.X, now.Y = before.X, before.Y
	}
	for _, p := range [...]struct {
		part Parts
		to   *float64
		from float64
	}{{PartX, &now.X, u.Position.X}, {PartY, &now.Y, u.Position.Y}, {PartZ, &now.Z, u.Position.Z}} {
		if u.Given&p.part != 0 {
			*p.to = p.from
		}
	}
	at := now.Sub(up(s))
	if u.Given&(PartPitch|PartRoll) != PartPitch|PartRoll {
		given := u.fields()
		for range 2 { // the attitude is that of the road under the box
			a.place = w.locate(a, at, given&FieldZ != 0)
			w.ground(a, at, given|FieldYaw)
			at = now.Sub(up(s))
		}
	}
	return at
}

// leap reports whether an actor was teleported rather than driven.
func (w *World) leap(a *actor, at frames.Vector, last *State, gone float64) bool {
	way := square(at.X-last.Position.X) + square(at.Y-last.Position.Y) +
		square(at.Z-last.Position.Z)
	if way <= square(jumpSpeed*max(gone, 1e-3)) {
		return false
	}
	a.happened.set(Jump, math.Sqrt(way))
	return true
}

// axesMiss is the smallest difference, in m/s, between a velocity and the motion of the poses at
// which the velocity counts as given in the wrong axes.
const axesMiss = 0.5

// inBody reports whether a given velocity contradicts the actor's displacement, but matches it when
// rotated by the yaw.
func (a *actor) inBody(u *Update, at, last frames.Vector, gone float64) bool {
	if u.Given&(PartVelocityX|PartVelocityY) == 0 || gone <= 0 || u.Given&partsAside == 0 {
		return false
	}
	dx, dy := (at.X-last.X)/gone, (at.Y-last.Y)/gone
	v := u.Velocity
	sin, cos := portable.Sincos(a.state.Orientation.Yaw)
	x, y := float64(v.X*cos)-float64(v.Y*sin), float64(v.X*sin)+float64(v.Y*cos)
	return portable.Hypot(v.X-dx, v.Y-dy) > axesMiss && portable.Hypot(x-dx, y-dy) < axesMiss
}

// moved sets velocity, acceleration and rates at an update: the given values, or values derived
// from the poses. The given values refer to the middle of the box, about which it turns, whereas
// the state refers to the point on the ground below.
func (w *World) moved(a *actor, u *Update, last *State, gone float64, jumped bool) {
	s, known := &a.state, u.Given
	k := &a.samples
	at := frames.Vector{X: k.x[k.n-1], Y: k.y[k.n-1]}
	if !jumped && a.inBody(u, at, last.Position, gone) {
		known &^= partsVelocity
		if !a.owned.told {
			a.owned.told = true
			a.happened.set(BodyVelocity, portable.Hypot(u.Velocity.X, u.Velocity.Y))
		}
	}
	var v, acc frames.Vector
	var spin, spinRate float64
	v.X, acc.X = k.last(&k.x)
	v.Y, acc.Y = k.last(&k.y)
	v.Z, acc.Z = k.last(&k.z)
	spin, spinRate = k.last(&k.yaw)
	if jumped && known&partsVelocity == 0 {
		v = last.Velocity
	}
	if curve, turning, ok := k.curved(spin); ok {
		v.X, v.Y, acc.X, acc.Y = curve.X, curve.Y, turning.X, turning.Y
	}
	pick := func(to *float64, part Parts, given, other float64) {
		if *to = other; known&part != 0 {
			*to = given
		}
	}
	pick(&s.Rate.Yaw, PartYawRate, u.Rate.Yaw, spin)
	pick(&s.Rate.Pitch, PartPitchRate, u.Rate.Pitch, 0)
	pick(&s.Rate.Roll, PartRollRate, u.Rate.Roll, 0)
	s.Turning = frames.Orientation{Yaw: spinRate}
	if known&PartYawRate != 0 {
		s.Turning.Yaw = rise(s.Rate.Yaw, last.Rate.Yaw, gone, jumped)
	}
	rotation := s.Orientation.Rotation()
	up := rotation.Apply(frames.Vector{Z: u.lift(a)})
	swing := rotation.AngularVelocity(s.Rate).Cross(up)
	pick(&s.Velocity.X, PartVelocityX, u.Velocity.X-swing.X, v.X)
	pick(&s.Velocity.Y, PartVelocityY, u.Velocity.Y-swing.Y, v.Y)
	pick(&s.Velocity.Z, PartVelocityZ, u.Velocity.Z-swing.Z, v.Z)
	if known&(PartVelocityX|PartVelocityY) != 0 {
		risen := frames.Vector{}
		if !jumped && gone > 0 {
			risen = s.rise(last, at, u.Given&partsAside != 0, gone)
		}
		if known&PartVelocityX != 0 {
			acc.X = risen.X
		}
		if known&PartVelocityY != 0 {
			acc.Y = risen.Y
		}
	}
	pick(&s.Acceleration.X, PartAccelerationX, u.Acceleration.X, acc.X)
	pick(&s.Acceleration.Y, PartAccelerationY, u.Acceleration.Y, acc.Y)
	pick(&s.Acceleration.Z, PartAccelerationZ, u.Acceleration.Z, acc.Z)
}

// rise returns the rate at which a value changed, or 0 if it jumped.
func rise(now, before, gone float64, jumped bool) float64 {
	if jumped || gone <= 0 {
		return 0
	}
	return (now - before) / gone
}
