package mocksim

import "math"

// Estimates of when vehicles reach and leave conflicts.

// afterwards reports whether an actor reaches a conflict after another one, which has the right to
// drive through it without a stop, has left it. Until then, the actor can stop before it. A long
// vehicle has to wait until the other one has left, because small vehicles ahead of that one may
// wait for the long vehicle.
func (a *actor) afterwards(o *actor, c *course, x *conflict, z *zone, u float64,
	v *visitor) bool {
	const rounding = 1e-3 // m
	if bodyOf(&a.shape) > 0 || x.meeting != crossing || x.rank == 0 || x.rank < 0 && x.signed ||
		o.mode != byController || o.driver.queued || u >= z.from || v.stop < z.leave ||
		o.acceleration <= -1 || v.cleared < z.leave-rounding {
		return false
	}
	f := z.fitted(a, o)
	return o.leavesAfter(&f, v)+clearance/2 < a.timeFor(f.from-u, c, a.driver.Accel)
}

// leavesAfter returns the time after which an actor has left a conflict to which it has the right.
func (a *actor) leavesAfter(z *zone, v *visitor) float64 {
	const slow = 0.5 // m/s
	d := &a.driver
	if a.mode != byController || v.stop < z.leave || a.acceleration < d.Accel/2 &&
		a.state.Speed > standstill {
		return (z.leave - v.u) / max(a.state.Speed, slow)
	}
	accel := d.Accel
	if d.granted.hurry {
		accel = a.hurried()
	}
	return a.timeFor(z.leave-v.u, d.course(), accel)
}

// hurried returns the acceleration with which an actor leaves a block to which others come.
func (a *actor) hurried() float64 {
	const factor = 2.0
	return max(min(factor*a.driver.Accel, a.shape.Acceleration), a.driver.Accel)
}

// hurries reports whether an actor leaves a stop sign, or drives through a block to which others
// come.
func (d *controlled) hurries() bool {
	const before = 25.0 // m
	if d.halted != 0 && !d.halting {
		return true
	}
	pos := d.pos()
	return d.granted.hurry && d.cleared > pos && pos < d.granted.to &&
		pos > d.granted.from-before
}

// timeFor returns the time that an actor needs for a distance with an acceleration, up to the speed
// that a course allows.
func (a *actor) timeFor(way float64, c *course, accel float64) float64 {
	d := &a.driver
	if way <= 0 {
		return 0
	}
	v, top := a.state.Speed, max(c.speedAt(c.rail.length/2, d.Decel), a.state.Speed, 1)
	rush := (float64(top*top) - float64(v*v)) / (2 * accel)
	if rush >= way {
		return (math.Sqrt(float64(v*v)+float64(2*accel*way)) - v) / accel
	}
	return (top-v)/accel + (way-rush)/top
}
