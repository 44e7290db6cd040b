package mocksim

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/portable"
)

// quintic is a polynomial in the fraction q of a distance, from 0 to 1. At its end, the value and
// the first two derivatives are 0.
type quintic [6]float64

// decay returns the quintic that starts with a value and its first two derivatives with respect to
// q.
func decay(value, first, second float64) quintic {
	half := second / 2
	return quintic{value, first, half,
		float64(-10*value) - float64(6*first) - float64(3*half),
		float64(15*value) + float64(8*first) + float64(3*half),
		float64(-6*value) - float64(3*first) - half}
}

// at returns the value and the first three derivatives with respect to q.
func (c *quintic) at(q float64) (v, d, dd, ddd float64) {
	for k := len(c) - 1; k >= 0; k-- {
		ddd = float64(ddd*q) + dd
		dd = float64(dd*q) + d
		d = float64(d*q) + v
		v = float64(v*q) + c[k]
	}
	return v, d, 2 * dd, 6 * ddd
}

func (c *quintic) value(q float64) float64 {
	v := c[len(c)-1]
	for k := len(c) - 2; k >= 0; k-- {
		v = float64(v*q) + c[k]
	}
	return v
}

// sidestep is the lateral movement of an actor to the middle of its lane, as a function of the
// distance along the rail: a lane change, the crossing of a gap between two lanes, or the return to
// the middle. It depends on distance rather than time, so that a standing actor does not move.
type sidestep struct {
	from, length float64 // u where it starts, and its length; length 0: none
	lead         float64 // u up to which the rail is extended to the rear
	changes      bool    // a lane change
	uneven       bool    // lift, pitch or roll is not 0
	aside        quintic // to the left of the rail, seen from above, m
	rise         float64 // distance over which lift, pitch and roll decay, m
	lift         quintic // above the rail or the bed, m
	pitch, roll  quintic // in addition to the rail's or the bed's, rad
	ground       bed
}

func (o *sidestep) active() bool { return o.length > 0 }

// share returns the completed fraction of the sidestep at u.
func (o *sidestep) share(u float64) float64 { return min(max((u-o.from)/o.length, 0), 1) }

// shareOfLift is like share for lift, pitch and roll.
func (o *sidestep) shareOfLift(u float64) float64 { return min(max((u-o.from)/o.rise, 0), 1) }

// risingAt returns the first two derivatives of the height with respect to u.
func (o *sidestep) risingAt(u float64, p *railPoint) (rise, rise1 float64) {
	rise, rise1 = p.d1.Z, p.d2.Z
	if o.ground.active() {
		_, rise, rise1 = o.ground.at(&o.ground.z, u)
	}
	if o.uneven {
		_, first, second, _ := o.lift.at(o.shareOfLift(u))
		rise, rise1 = rise+first/o.rise, rise1+second/(o.rise*o.rise)
	}
	return rise, rise1
}

// at returns the offset to the left at u and its first three derivatives with respect to u.
func (o *sidestep) at(u float64) (e, d, dd, ddd float64) {
	if o.length == 0 {
		return 0, 0, 0, 0
	}
	e, d, dd, ddd = o.aside.at(o.share(u))
	k := 1 / o.length
	return e, d * k, dd * k * k, ddd * k * k * k
}

// trail describes the path of an actor next to a rail, seen from above, at one place, with
// derivatives with respect to the distance u along the rail, in the axes along and across the rail.
// With T and n for these axes, c for the horizontal share of the rail's direction and k for its
// turn, the place is P + e n, so that its derivative is (c - k e) T + e' n.
type trail struct {
	e               float64
	along, across   float64 // first derivative
	along1, across1 float64 // second derivative, in the same axes
	pace, pace1     float64 // distance for each metre of u, and its derivative
	flat            float64 // the same, seen from above
	turn, turn1     float64 // angle of the body to the rail, its derivative
	curl, curl1     float64 // derivatives of the body's yaw
}

// trailAt computes the path at a place of the rail.
func (o *sidestep) trailAt(u float64, p *railPoint, t *trail) {
	e, d, dd, ddd := o.at(u)
	c := portable.Hypot(p.d1.X, p.d1.Y)
	c1 := (float64(p.d1.X*p.d2.X) + float64(p.d1.Y*p.d2.Y)) / c
	k, k1 := p.turn.Yaw, p.turn2.Yaw
	a, b := c-float64(k*e), d
	a1, b1 := c1-float64(k1*e)-float64(k*d), dd
	t.e = e
	t.along, t.across = a, b
	t.along1, t.across1 = a1-float64(k*b), b1+float64(k*a)
	square := float64(a*a) + float64(b*b)
	rise, rise1 := o.risingAt(u, p)
	t.flat = math.Sqrt(square)
	t.pace = math.Sqrt(square + float64(rise*rise))
	t.pace1 = (float64(a*a1) + float64(b*b1) + float64(rise*rise1)) / t.pace
	t.turn = portable.Atan2(b, a)
	bend := float64(a*b1) - float64(b*a1)
	t.turn1 = bend / square
	a2 := -float64(2*k1*d) - float64(k*dd)
	change := (float64(a*ddd)-float64(b*a2))/square -
		2*bend*(float64(a*a1)+float64(b*b1))/(square*square)
	t.curl, t.curl1 = k+t.turn1, k1+change
}

// wide reports whether the sidestep leaves the middle of the lane.
func (o *sidestep) wide() bool {
	const width = 1e-6 // m
	for _, c := range o.aside {
		if math.Abs(c) > width {
			return true
		}
	}
	return false
}

// stance is the position and motion of a body, relative to any rail.
type stance struct {
	position         frames.Vector
	yaw, pitch, roll float64
	bend             float64 // second derivative of the offset, with which a new sidestep starts
	rest             float64 // remaining distance of the sidestep, m
	slope, bow       float64 // derivatives of the height by the distance, seen from above
	curvature        float64 // of the path, if curved: replaces bend
	curved           bool
}

// stanceAt returns the stance of an actor at u of its course.
func (w *World) stanceAt(a *actor, u float64, p *railPoint) stance {
	d := &a.driver
	s := stance{position: p.position, yaw: p.angles.Yaw, pitch: p.angles.Pitch,
		roll: p.angles.Roll}
	o := &d.offset
	if !o.active() {
		s.slope, s.bow = p.climbing()
		return s
	}
	e, first, second, _ := o.at(u)
	s.position = p.beside(e)
	along := portable.Hypot(p.d1.X, p.d1.Y) - float64(p.turn.Yaw*e)
	s.yaw += portable.Atan2(first, along)
	s.bend, s.rest = second, o.from+o.length-u
	rise, rise1 := o.risingAt(u, p)
	flat := portable.Hypot(along, first)
	s.slope, s.bow = rise/flat, rise1/(flat*flat)
	if b := &o.ground; b.active() {
		s.position.Z, _, _ = b.at(&b.z, u)
		s.pitch, _, _ = b.at(&b.pitch, u)
		s.roll, _, _ = b.at(&b.roll, u)
	}
	if o.uneven {
		q := o.shareOfLift(u)
		s.position.Z += o.lift.value(q)
		s.pitch += o.pitch.value(q)
		s.roll += o.roll.value(q)
	}
	return s
}

// climbing returns the first two derivatives of the height by the distance, seen from above.
func (p *railPoint) climbing() (slope, bow float64) {
	flat := p.flat()
	return p.d1.Z / flat, p.d2.Z / (flat * flat)
}

// beside returns the place that is e to the left of a rail, at the height of the rail.
func (p *railPoint) beside(e float64) frames.Vector {
	return frames.Vector{X: p.position.X - float64(e*p.sine), Y: p.position.Y +
		float64(e*p.cosine), Z: p.position.Z}
}

const (
	negligible = 1e-8 // m and rad: accuracy of rails
	bendLimit  = 0.1  // 1/m; largest curvature that a sidestep adds to a lane
	// The curvature that a sidestep may always add, even in the tightest curve.
	leastBend    = bendLimit / 10
	steepest     = 1.0 // rad; the largest angle of a body to its lane
	shortestStep = 2.0 // m of a sidestep
	sharpest     = 5.0 // m/s2 sideways, at an unexpected kink in a lane
	// The fraction of the lateral acceleration for which a sidestep is planned, because the speed
	// may increase.
	shareAside      = 0.72
	mostOfSteering  = 0.8 // of the largest curvature that an actor can steer
	bendOfOffset    = 5.773503
	bendOfKink      = 3.936
	settlingOfGap   = 12.0 // m of distance per metre of gap
	longestLift     = 60.0 // m of distance for a step in height
	mostBow         = 0.02 // 1/m, change of slope that continues after a kink in the ground
	mostRise        = 2.0  // m of climb over a sidestep; beyond it, the road is interrupted
	overshootOfKink = 1.76 // m; spreading kinks over this distance moves the body 0.3 m aside
)

// reachOf returns the distance over which a body removes an offset e and an angle to its lane, if
// the curvature may increase by bend.
func reachOf(e, angle, bend float64) float64 {
	return math.Sqrt(bendOfOffset*math.Abs(e)/bend) + bendOfKink*math.Abs(angle)/bend
}

// jointBend returns the curvature that drivers expect of the path across a gap of e and an angle
// between two lanes.
func jointBend(e, angle float64) float64 {
	bend := 0.0
	if angle = math.Abs(angle); angle > negligible {
		bend = min(bendOfKink*angle*angle/overshootOfKink, 2*bendLimit)
	}
	if e = math.Abs(e); e > negligible {
		way := float64(settlingOfGap*e) + shortestStep
		bend += bendOfOffset * e / (way * way)
	}
	return bend
}

// settleOn starts a sidestep from a body's position to the middle of the actor's course. It starts
// near u. Up to lead, the rail of the course is extended to the rear.
func (w *World) settleOn(a *actor, s *stance, u, lead float64) {
	d := &a.driver
	var p railPoint
	c := d.course()
	u, lead = c.project(s.position, u, lead, &p)
	d.u = u
	d.offset = sidestep{from: u, lead: lead}
	e := float64((s.position.Y-p.position.Y)*p.cosine) - float64((s.position.X-p.position.X)*p.sine)
	angle := min(max(wrapFast(s.yaw-p.angles.Yaw), -steepest), steepest)
	along := portable.Hypot(p.d1.X, p.d1.Y) - float64(p.turn.Yaw*e)
	first := portable.Tan(angle) * along
	if s.curved {
		// The body continues to turn as before: c = (along bend - first along')/flat^3 + turn/flat.
		square := float64(along*along) + float64(first*first)
		flat := math.Sqrt(square)
		change := -float64(p.turn2.Yaw*e) - float64(p.turn.Yaw*first)
		s.bend = (float64((float64(s.curvature*flat)-p.turn.Yaw)*square) +
			float64(first*change)) / along
	}
	inLine := math.Abs(e) < negligible && math.Abs(angle) < kinkOfMaps && s.bend == 0
	v := a.state.Speed
	bend := max(d.bendOver(v, 5*v), min(jointBend(0, angle), sharpest/max(v*v, 1e-6),
		mostOfSteering*d.steerable))
	o := &d.offset
	o.length = max(reachOf(e, angle, bend), s.rest, shortestStep)
	o.aside = decay(e, first*o.length, s.bend*o.length*o.length)
	w.layBed(d, u)
	if rest := d.restOf(s, &p); rest.even() {
		if inLine {
			d.offset = sidestep{}
		}
		return
	} else if length := max(5, min(40*math.Abs(rest.lift), longestLift)); length > o.length {
		o.length = length
		o.aside = decay(e, first*length, s.bend*length*length)
		w.layBed(d, u)
	}
	d.raise(d.restOf(s, &p), portable.Hypot(along, first))
}

// restOfLift is the difference in height, slope and attitude between a body and the start of its
// sidestep.
type restOfLift struct{ lift, climb, bow, pitch, roll float64 }

func (r restOfLift) even() bool {
	return math.Abs(r.lift) < negligible && math.Abs(r.climb) < kinkOfMaps &&
		math.Abs(r.pitch) < kinkOfMaps && math.Abs(r.roll) < kinkOfMaps
}

// restOf compares a body with the start of its sidestep at a place on the rail.
func (d *controlled) restOf(s *stance, p *railPoint) restOfLift {
	o := &d.offset
	e, first, _, _ := o.at(d.u)
	along := portable.Hypot(p.d1.X, p.d1.Y) - float64(p.turn.Yaw*e)
	rise, rise1 := o.risingAt(d.u, p)
	flat := portable.Hypot(along, first)
	z, pitch, roll := p.position.Z, p.angles.Pitch, p.angles.Roll
	if b := &o.ground; b.active() {
		z, _, _ = b.at(&b.z, d.u)
		pitch, _, _ = b.at(&b.pitch, d.u)
		roll, _, _ = b.at(&b.roll, d.u)
	}
	return restOfLift{lift: s.position.Z - z, climb: s.slope - rise/flat,
		bow:   min(max(s.bow, -mostBow), mostBow) - min(max(rise1/(flat*flat), -mostBow), mostBow),
		pitch: wrapFast(s.pitch - pitch),
		roll:  wrapFast(s.roll - roll)}
}

// raise lets the rest of a height and attitude decay over a sidestep whose horizontal distance is
// flat for each metre of u. Steep kinks take a shorter distance, so that the body does not rise
// much.
func (d *controlled) raise(r restOfLift, flat float64) {
	o := &d.offset
	climb, bow := r.climb*flat, r.bow*flat*flat
	o.uneven, o.rise = true, min(o.length, mostRise/max(math.Abs(climb), 1e-9),
		math.Sqrt(mostRise/max(math.Abs(bow), 1e-9)))
	o.lift = decay(r.lift, climb*o.rise, bow*o.rise*o.rise)
	o.pitch, o.roll = decay(r.pitch, 0, 0), decay(r.roll, 0, 0)
}

// bendFor returns the curvature that a sidestep may add at a speed, if the lane itself has the
// given curvature.
func (d *controlled) bendFor(v, curvature float64) float64 {
	square := v * v
	room := max(float64(shareAside*d.LateralAccel)-float64(math.Abs(curvature)*square),
		d.LateralAccel/2)
	sharp := max(float64(mostOfSteering*d.steerable)-math.Abs(curvature), leastBend)
	return min(room/max(square, 1e-6), bendLimit, sharp)
}
