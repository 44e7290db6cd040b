package mocksim

import (
	"fmt"
	"math"
)

// check refuses states that a world cannot reach, with numbers that are not finite or far too
// large.
func (r *reader) check(what string, values ...float64) {
	for _, v := range values {
		if !(math.Abs(v) <= largest) {
			r.refuse(fmt.Sprintf("%s of %g", what, v))
		}
	}
}

// checkActor refuses states that cannot result from [World.Create] and the moves.
func (r *reader) checkActor(a *actor) {
	if a.kind >= kinds || a.mode > byGuide {
		r.refuse(fmt.Sprintf("the kind %d in the mode %d", a.kind, a.mode))
		return
	}
	if err := a.shape.limits("actor " + a.name); err != nil {
		r.refuse(err.Error())
	}
	if s := &a.shape; s.Length == 0 || s.Width == 0 || s.Height == 0 || s.Mass == 0 {
		r.refuse("a size of 0")
	}
	r.check("a state", a.state.list()...)
	r.check("a state", a.side, a.cosine, a.sine, a.before.x, a.before.y, a.before.z, a.before.yaw,
		a.acceleration)
	r.check("a place", a.place.S, a.place.T, a.place.H)
	if math.Abs(a.state.Speed) > fastest {
		r.refuse(fmt.Sprintf("a speed of %g m/s", a.state.Speed))
	}
	if !(a.assist >= 0 && a.assist <= 1) {
		r.refuse(fmt.Sprintf("an assistance of %g", a.assist))
	}
	if road := a.place.Road; road != nil && !(a.place.S >= 0 && a.place.S <= road.Length) {
		r.refuse(fmt.Sprintf("a place at %g m of a road of %g m", a.place.S, road.Length))
	}
}

// fastest is a speed that no vehicle reaches, in m/s.
const fastest = 1e4

// checkDriver refuses drivers that [World.SetController] refuses, and places beyond the path.
func (r *reader) checkDriver(a *actor) {
	d := &a.driver
	if err := d.Check("driver"); err != nil {
		r.refuse(err.Error())
	}
	if v := &d.Driver; v.TimeGap == 0 || v.MinGap == 0 || v.Accel == 0 || v.Decel == 0 ||
		v.LateralAccel == 0 || v.LaneChange > ChangeWithMOBIL {
		r.refuse("a driver without defaults")
	}
	if d.Steering && a.shape.Wheelbase == 0 {
		r.refuse("a driver that steers an actor without wheels")
	}
	if a.place.Lane == nil && !d.Steering && !a.off { // a steering actor may miss the lane
		r.refuse("an actor on rails that is not on a lane")
	}
	if t := d.Target; t != nil {
		r.check("a target", t.X, t.Y, t.Z)
	}
	if d.leg < 0 || d.leg >= len(d.path.legs) || d.index < 0 ||
		d.index >= len(d.path.legs[d.leg].courses) {
		r.refuse("a position beyond the path")
		return
	}
	last := d.path.legs[len(d.path.legs)-1].courses
	if len(last) == 0 || !(math.IsInf(d.path.target, 1) ||
		d.path.target >= 0 && d.path.target <= largest) {
		r.refuse("a path without an end")
		return
	}
	o := &d.offset
	r.check("a way", o.from, o.lead, o.ground.from, o.ground.to, d.indicating, d.waited)
	for _, c := range [...]*quintic{&o.aside, &o.lift, &o.pitch, &o.roll} {
		r.check("a way", c[:]...)
	}
	if !(d.u >= -farAway && d.u <= d.course().rail.length+farAway) {
		r.refuse(fmt.Sprintf("a place at %g m of a way of %g m", d.u, d.course().rail.length))
	}
	if !(d.hold >= 0) {
		r.refuse(fmt.Sprintf("a place to stop %g m ahead", d.hold))
	}
	if !(o.length == 0 || o.length >= shortestStep && o.length <= largest) {
		r.refuse(fmt.Sprintf("a lane change over %g m", o.length))
	}
	if o.uneven && !(o.rise > 0 && o.rise <= largest) {
		r.refuse(fmt.Sprintf("a change of height over %g m", o.rise))
	}
}

// farAway exceeds the distance that actors can get beyond the ends of their lanes, in m.
const farAway = 1e5

// turns checks the targets of a path's lane changes.
func (r *reader) turns(d *controlled) {
	if d.toSide < -1 || d.toSide > 1 {
		r.refuse(fmt.Sprintf("a change to the side %d", d.toSide))
	}
	for k := range d.path.legs {
		next := 0
		if k+1 < len(d.path.legs) {
			next = len(d.path.legs[k+1].courses)
		}
		for _, c := range d.path.legs[k].courses {
			if c.cross < -1 || int(c.cross) >= next {
				r.refuse(fmt.Sprintf("a change to part %d of %d", c.cross, next))
			}
		}
	}
}
