package entities

import (
	"math"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// lateralDistance is LateralDistanceAction.
type lateralDistance struct {
	aside
	reference  *body
	distance   float64
	side       float64 // 1: left of the reference, -1: right of it, 0: as at the start
	now        float64
	freespace  bool
	system     system
	continuous bool
	rigid      bool
	limits     motion.Limits
	spring     motion.Spring
	speed      float64 // to the left of s, or of the entity without a road
	left, span float64 // the change that was left after the last step, and its length; or 0
	flat       bool    // without a road, the entity moves along its heading at the start
	base       float64 // that heading
}

func newLateralDistance(c common) (storyboard.Action, error) {
	a := &lateralDistance{aside: aside{common: c},
		distance:   position.Number(c.e, "distance", 0),
		freespace:  position.True(c.e, "freespace", false),
		continuous: position.True(c.e, "continuous", false),
		limits:     constraints(c.e.Child("DynamicConstraints"))}
	var err error
	if a.reference, err = c.another(c.e, "entityRef"); err != nil {
		return nil, err
	}
	if a.system, err = readSystem(c.e); err != nil || a.system > ofRoad {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.PlaceOf("coordinateSystem"),
			c.e.Value("coordinateSystem"), "entity, lane or road")
	}
	if a.system != ofEntity && c.w.network.Plane() {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.PlaceOf("coordinateSystem"),
			c.e.Value("coordinateSystem")+" without a map", "entity, or a LogicFile")
	}
	switch c.e.Value("displacement") {
	case "leftToReferencedEntity":
		a.side = 1
	case "rightToReferencedEntity":
		a.side = -1
	}
	a.rigid = math.IsInf(a.limits.Acceleration, 1) && math.IsInf(a.limits.Speed, 1)
	return a, nil
}

// need returns the wanted change of t at this time. It is not defined if the reference does not
// exist, if the entity moves across its axis, or if no roads lead from one to the other.
func (a *lateralDistance) need() (dt float64, ok bool) {
	b, r := a.b, a.reference
	if !r.exists {
		return 0, false
	}
	d := a.distance
	if a.freespace {
		d += (b.box.Width + r.box.Width) / 2
	}
	if a.system == ofEntity { // along the axis of the reference to its left
		const slightest = 0.1 // a change of t must have an effect
		yaw := a.base
		if !a.flat {
			st, err := b.at.Road.Station(b.at.S)
			if err != nil {
				return 0, false
			}
			yaw = st.Heading
		}
		share := portable.Cos(yaw - r.at.Direction.Yaw)
		if math.Abs(share) < slightest {
			return 0, false
		}
		_, left := position.Ahead(&r.at, &b.at)
		return (float64(a.sideOf(left)*d) - left) / share, true
	}
	_, dt, turn, ok := a.w.network.ApartTurned(&b.at, &r.at)
	if !ok {
		return 0, false
	}
	facing := r.at.Sign() * sign(turn == 0)
	return dt + float64(facing*a.sideOf(-dt*facing)*d), true
}

// sideOf returns the side of the reference on which the entity must be. Either side is suitable if
// none is wanted: the one on which the entity is when the distance is first defined.
func (a *lateralDistance) sideOf(left float64) float64 {
	if a.now == 0 {
		a.now = sign(left >= 0)
	}
	return a.now
}

// Start begins keeping the distance.
func (a *lateralDistance) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done, a.speed, a.span = report, false, 0, 0
	b := a.b
	off := b.inLane(a.e.PlaceOf("coordinateSystem"))
	a.flat, a.base = off != nil && a.system == ofEntity, b.at.Direction.Yaw
	if off != nil && !a.flat {
		return off
	}
	a.spring.Start()
	a.now = a.side
	if !a.flat {
		a.board(b.at.Lane)
	}
	b.lat = a
	return nil
}

// glide moves the entity by way, along its road or heading for the given part of it, and dn to the
// left.
func (a *lateralDistance) glide(way, along, dn float64) {
	if !a.flat {
		a.shift(way, along, a.rail.Offset+dn)
		return
	}
	b := a.b
	b.traveled += math.Abs(way)
	ahead := heading(a.base)
	left := frames.Vector{X: -ahead.Y, Y: ahead.X}
	b.at.Position = b.at.Position.Add(ahead.Scale(math.Copysign(along, way))).Add(left.Scale(dn))
	b.at.Direction.Yaw = frames.WrapAngle(a.base + portable.Atan2(math.Copysign(1, way)*dn, along))
	if b.at.Road != nil {
		a.w.network.Locate(&b.at, nil, position.Given{})
	}
}

// move moves the entity towards the wanted distance.
func (a *lateralDistance) move(way, h float64) {
	switch {
	case a.flat && a.b.jumped:
		a.base = a.b.at.Direction.Yaw
	case !a.flat && !a.again(0):
		a.lost(a, way)
		return
	}
	if way == 0 {
		return
	}
	need, ok := a.need()
	if !ok {
		a.speed, a.span = 0, 0
		a.glide(way, math.Abs(way), 0)
		return
	}
	if a.rigid {
		a.glide(way, math.Abs(way), need)
		a.end(true)
		return
	}
	const small = 1e-6
	most := max(min(a.limits.Speed, math.Abs(way)/h)-small, 0)
	var dn float64
	if math.IsInf(a.limits.Acceleration, 1) {
		a.speed = min(max(need/h, -most), most)
		dn = a.speed * h
	} else {
		l := a.limits
		l.Deceleration = l.Acceleration
		l.DecelerationRate = l.AccelerationRate
		was := a.speed
		a.speed += float64(a.spring.Next(motion.Apart{Excess: need,
			Closing: was - a.drift(need)}, h, l) * h)
		a.speed = min(max(a.speed, -most), most)
		dn = min(max((was+a.speed)/2, -most), most) * h
	}
	a.left, a.span = need-dn, h
	a.glide(way, math.Sqrt(max(float64(way*way)-float64(dn*dn), 0)), dn)
	a.end(math.Abs(need-dn) < 0.01)
}

// drift returns how fast the wanted change grew in the last step by anything except this action, in
// m/s: the motion of the reference across its axis or of the entity along a heading of its own.
func (a *lateralDistance) drift(need float64) float64 {
	if a.span == 0 || a.b.jumped || a.reference.jumped {
		return 0
	}
	return (need - a.left) / a.span
}

// end ends an action that is not continuous once it has reached the distance.
func (a *lateralDistance) end(reached bool) {
	if reached && !a.continuous {
		a.done = true
		a.Stop()
	}
}

// Stop stops keeping the distance. The entity faces along its road, or as at the start.
func (a *lateralDistance) Stop() {
	switch {
	case !a.flat:
		a.alight(a)
	case a.b.lat == a:
		if !a.b.jumped {
			a.b.at.Direction.Yaw = a.base
		}
		a.releaseAside(a)
	}
}
