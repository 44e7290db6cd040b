package entities

import (
	"fmt"
	"math"

	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/scenario"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// longitudinalDistance is LongitudinalDistanceAction.
type longitudinalDistance struct {
	paced
	reference  *body
	distance   float64 // m; with gap: s
	gap        bool
	side       float64 // 1: the reference is in front, -1: behind, 0: as at the start
	now        float64 // the side in use
	freespace  bool
	system     system
	continuous bool
	rigid      bool
	limits     motion.Limits
	spring     motion.Spring
}

func newLongitudinalDistance(c common) (storyboard.Action, error) {
	a := &longitudinalDistance{paced: paced{c}, side: 1,
		freespace:  position.True(c.e, "freespace", false),
		continuous: position.True(c.e, "continuous", false)}
	var err error
	if a.reference, err = c.another(c.e, "entityRef"); err != nil {
		return nil, err
	}
	if a.system, err = readSystem(c.e); err != nil {
		return nil, err
	}
	if a.system > ofRoad {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.PlaceOf("coordinateSystem"),
			c.e.Value("coordinateSystem"), "entity, lane or road")
	}
	if c.e.Has("timeGap") == c.e.Has("distance") {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.Place(),
			"both or none of distance and timeGap", "one of them")
	}
	switch c.e.Value("displacement") {
	case "leadingReferencedEntity":
		a.side = -1
	case "any":
		a.side = 0
	}
	if a.gap = c.e.Has("timeGap"); a.gap {
		a.distance = position.Number(c.e, "timeGap", 0)
	} else {
		a.distance = position.Number(c.e, "distance", 0)
	}
	a.limits = constraints(c.e.Child("DynamicConstraints"))
	a.rigid = math.IsInf(a.limits.Acceleration, 1) && math.IsInf(a.limits.Deceleration, 1)
	a.limits = a.limits.Smaller(c.b.limits)
	return a, nil
}

// ahead returns how far ahead the reference is, how fast that shrinks, and how much faster it does
// so at the end of the step, due to the reference. In free space, the distance is that of the sides
// that face each other once the entity is on its side of the reference. It is not defined if no
// roads lead from one entity to the other.
func (a *longitudinalDistance) ahead() (d, closing, change float64, ok bool) {
	b, o := a.b, a.reference
	facing, own, others := 1.0, 0.0, o.at.Direction.Yaw-b.at.Direction.Yaw // in the axes used
	if a.system == ofRoad {
		var turn float64
		if d, _, turn, ok = a.w.network.ApartTurned(&b.at, &o.at); !ok {
			return 0, 0, 0, false
		}
		facing, own, others = b.at.Sign(), b.at.Turn, o.at.Turn+turn
	} else {
		d, _ = position.Ahead(&b.at, &o.at)
	}
	if a.freespace {
		one, two := b.box.Extent(own), o.box.Extent(others)
		if a.now*facing > 0 {
			d += float64(facing * (two.LowX - one.HighX))
		} else {
			d += float64(facing * (two.HighX - one.LowX))
		}
	}
	along := facing * portable.Cos(others)
	closing = float64(facing*b.speed*portable.Cos(own)) - float64(along*o.was)
	return d, closing, along * (o.was - o.speed), true
}

// Start begins keeping the distance.
func (a *longitudinalDistance) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, false
	a.spring.Start()
	a.now = a.side
	a.b.long = a
	if x, ok := a.apart(); ok && a.rigid {
		a.place(x.Excess, 0)
		a.b.jumped = true
		a.w.show(a.b, 0)
	}
	return nil
}

// choose chooses the side of the reference on which the entity is, once their distance is defined.
func (a *longitudinalDistance) choose() bool {
	d, _ := position.Ahead(&a.b.at, &a.reference.at)
	ok := true
	if a.system == ofRoad {
		d, _, ok = a.w.network.Apart(&a.b.at, &a.reference.at)
	}
	if ok {
		a.now = sign(d >= 0)
	}
	return ok
}

// apart returns how the actual distance differs from the wanted one, if both are defined.
func (a *longitudinalDistance) apart() (x motion.Apart, ok bool) {
	if !a.reference.exists || a.now == 0 && !a.choose() {
		return x, false
	}
	if x.Excess, x.Closing, x.Change, ok = a.ahead(); !ok {
		return x, false
	}
	wanted := a.distance
	if a.gap {
		v := a.b.speed
		if a.rigid { // take over the speed of the reference
			v = a.reference.speed
		}
		x.Gap = math.Copysign(a.now*wanted, a.now*v)
		wanted *= math.Abs(v)
	}
	x.Excess -= float64(a.now * wanted)
	return x, true
}

func (a *longitudinalDistance) depends() bool { return true }

// reached is the tolerance for the wanted distance at which an action ends, in m.
const reached = 0.1

func (a *longitudinalDistance) pace(h float64) float64 {
	b := a.b
	x, ok := a.apart()
	if !ok {
		return b.speed * h
	}
	if a.rigid {
		return a.place(x.Excess, h)
	}
	if a.done = !a.continuous && math.Abs(x.Excess) < reached; a.done {
		a.release(a)
	}
	v := b.speed + float64(a.spring.Next(x, h, a.limits)*h)
	top := max(a.limits.Speed, math.Abs(b.speed)-float64(a.limits.Deceleration*h))
	b.speed = min(max(v, -top), top)
	return (b.was + b.speed) / 2 * h
}

// place puts the entity where it must be, with the speed of the reference.
func (a *longitudinalDistance) place(excess, h float64) float64 {
	b, o := a.b, a.reference
	if b.at.Road != nil {
		a.w.network.Move(&b.at, excess*b.at.Sign(), b.route)
	} else {
		b.at.Position = b.at.Position.Add(heading(b.at.Direction.Yaw).Scale(excess))
	}
	if math.Abs(excess) > reached {
		b.jumped = true
	}
	b.speed = o.speed
	if a.done = !a.continuous; a.done {
		a.release(a)
	}
	if o.way != 0 {
		return o.way
	}
	return b.speed * h
}

// Stop stops keeping the distance.
func (a *longitudinalDistance) Stop() { a.release(a) }

// synchronize is SynchronizeAction.
type synchronize struct {
	paced
	master           *body
	own, masters     *position.Position
	tolerance, early float64 // of both places, m
	final            float64
	relative, factor bool // relative to the master's speed
	steadyTime       float64
	steadyDistance   float64
	meeting          motion.Meeting
	target, meet     position.Place
	way, mastersWay  approach
	acceleration     float64 // in the step before, m/s2
	limited          bool    // which has been reported
}

func newSynchronize(c common) (storyboard.Action, error) {
	a := &synchronize{paced: paced{c}, early: position.Number(c.e, "targetToleranceMaster", 0),
		tolerance: position.Number(c.e, "targetTolerance", 0)}
	var err error
	if a.master, err = c.another(c.e, "masterEntityRef"); err != nil {
		return nil, err
	}
	if a.masters, err = c.w.reader.Position(c.e.Child("TargetPositionMaster")); err != nil {
		return nil, err
	}
	if a.own, err = c.w.reader.Position(c.e.Child("TargetPosition")); err != nil {
		return nil, err
	}
	a.readFinal(c.e.Child("FinalSpeed"))
	return a, nil
}

func (a *synchronize) readFinal(e *scenario.Element) {
	if e == nil {
		return
	}
	a.meeting.HasFinal = true
	x := e.Child("AbsoluteSpeed")
	if x == nil {
		x, a.relative = e.Child("RelativeSpeedToMaster"), true
		a.factor = x.Value("speedTargetValueType") == "factor"
	}
	a.final = position.Number(x, "value", 0)
	if s := x.Child("TargetDistanceSteadyState"); s != nil {
		a.steadyDistance = position.Number(s, "distance", 0)
	}
	if s := x.Child("TargetTimeSteadyState"); s != nil {
		a.steadyTime = position.Number(s, "time", 0)
	}
}

// Start resolves both places in the current state.
func (a *synchronize) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, false
	if err := a.master.present(a.e.PlaceOf("masterEntityRef")); err != nil {
		return err
	}
	if err := a.masters.Resolve(a.w, &a.meet); err != nil {
		return err
	}
	if err := a.own.Resolve(a.w, &a.target); err != nil {
		return err
	}
	a.meeting.Start()
	a.way, a.mastersWay, a.limited = approach{}, approach{}, false
	a.acceleration = 0
	a.b.long = a
	return nil
}

func (a *synchronize) depends() bool { return true }

// finalSpeed returns the speed that the entity must have at its place.
func (a *synchronize) finalSpeed() float64 {
	switch {
	case !a.relative:
		return a.final
	case a.factor:
		return a.final * a.master.speed
	}
	return a.final + a.master.speed
}

func (a *synchronize) pace(h float64) float64 {
	b, w := a.b, a.w
	way, _, away := a.way.left(w, b, a.own, &a.target)
	masters, behind, mastersAway := a.mastersWay.left(w, a.master, a.masters, &a.meet)
	a.done = way < a.tolerance+1e-6 || masters < a.early+1e-6 || away || mastersAway
	way, masters = max(way-a.tolerance, 1e-6), max(masters-a.early, 1e-6)
	remaining := a.remaining(masters, behind, h)
	a.meeting.Final = a.finalSpeed()
	a.meeting.Steady = a.steadyDistance + float64(a.steadyTime*a.meeting.Final)
	switch arrives := remaining < h; {
	case a.meeting.HasFinal && (a.done || arrives):
		b.speed = a.possible(a.meeting.Final)
	case a.done:
	case a.meeting.HasFinal || math.IsInf(remaining, 1):
		b.speed = a.possible(a.meeting.Speed(b.speed, way, remaining, h))
	default:
		if a.done = arrives; arrives {
			a.release(a)
		}
		return a.steadily(way, remaining, h)
	}
	if a.done = a.done || remaining < h; a.done {
		a.release(a)
	}
	return b.speed * h
}

// remaining returns the time that the master needs for a distance to its place, which may be behind
// it, or +Inf if it stands or moves away. Without a final speed, its speed changes in this step, so
// that the meeting is exact as it comes close.
func (a *synchronize) remaining(way float64, behind bool, h float64) float64 {
	first, last := a.master.was, a.master.was
	if !a.meeting.HasFinal {
		last = a.master.speed
	}
	if behind {
		first, last = -first, -last
	}
	mean := (first + last) / 2
	switch {
	case mean > 1e-6 && (way < mean*h || first == last):
		return way / mean
	case last > 1e-6:
		return h + (way-float64(mean*h))/last
	}
	return math.Inf(1)
}

// steadily moves the entity without a final speed, with a constant acceleration until it arrives,
// and returns its way in a step. If it arrives in this step, it keeps the acceleration of the step
// before, within its limits: the time that remains is so short that a small change of the master's
// speed would demand any other one.
func (a *synchronize) steadily(way, remaining, h float64) float64 {
	b, part := a.b, min(h, remaining)
	before := b.speed
	if remaining < h {
		rate := min(max(a.acceleration, -b.limits.Deceleration), b.limits.Acceleration)
		to := before + float64(rate*part)
		if before >= 0 { // it does not start to reverse
			to = max(to, 0)
		}
		b.speed = a.possible(to)
	} else {
		b.speed = a.possible(a.meeting.Speed(before, way, remaining, h))
		a.acceleration = (b.speed - before) / h
	}
	return float64((before+b.speed)/2*part) + float64(b.speed*(h-part))
}

// possible returns a speed within the limit of the entity, and reports once that it is limited.
func (a *synchronize) possible(v float64) float64 {
	to := a.b.limited(v)
	if to != v && !a.limited {
		a.limited = true
		a.w.tell(a.b, "limited", fmt.Sprintf("speed %.4g m/s to %.4g m/s: it arrives late", v, to))
	}
	return to
}

// Stop ends the synchronization.
func (a *synchronize) Stop() { a.release(a) }
