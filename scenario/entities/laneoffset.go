package entities

import (
	"math"

	"gosmp/internal/fault"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// laneOffset is LaneOffsetAction.
type laneOffset struct {
	aside
	shape      motion.Shape
	limit      float64 // of the lateral acceleration
	value      float64
	reference  *body
	continuous bool
	elapsed    float64
}

func newLaneOffset(c common) (storyboard.Action, error) {
	a := &laneOffset{aside: aside{common: c}, continuous: position.True(c.e, "continuous", false)}
	d := c.e.Child("LaneOffsetActionDynamics")
	var ok bool
	if a.shape, ok = motion.ParseShape(d.Value("dynamicsShape")); !ok {
		return nil, fault.New(storyboard.ErrUnsupported, d.PlaceOf("dynamicsShape"),
			d.Value("dynamicsShape"), "linear, cubic, sinusoidal or step")
	}
	if c.w.network.Plane() {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.Place(),
			"an offset from a lane without a map", "a LogicFile")
	}
	a.limit = position.Number(d, "maxLateralAcc", math.Inf(1))
	target := c.e.Child("LaneOffsetTarget")
	if x := target.Child("AbsoluteTargetLaneOffset"); x != nil {
		a.value = position.Number(x, "value", 0)
		return a, nil
	}
	x := target.Child("RelativeTargetLaneOffset")
	a.value = position.Number(x, "value", 0)
	var err error
	a.reference, err = c.other(x, "entityRef")
	return a, err
}

// target returns the wanted offset from the followed lane at this time. It is not defined if no
// roads lead to the reference.
func (a *laneOffset) target() (offset float64, ok bool) {
	r := a.reference
	if r == nil {
		return a.value, true
	}
	if r.at.Lane == nil {
		return 0, false
	}
	_, dt, turn, ok := a.w.network.ApartTurned(&a.b.at, &r.at)
	aside := float64(a.value * r.at.Sign() * sign(turn == 0))
	return a.b.at.T + dt + aside - a.rail.Lane.Center(a.rail.S), ok
}

// Start starts the sideways motion.
func (a *laneOffset) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done, a.elapsed = report, false, 0
	b := a.b
	if err := b.inLane(a.e.PlaceOf("continuous")); err != nil {
		return err
	}
	if r := a.reference; r != nil {
		target := a.e.Path("LaneOffsetTarget", "RelativeTargetLaneOffset")
		if err := r.inLane(target.PlaceOf("entityRef")); err != nil {
			return err
		}
	}
	a.board(b.at.Lane)
	x := &a.change
	var ok bool
	if x.To, ok = a.target(); !ok {
		return fault.New(position.ErrPlace,
			a.e.Path("LaneOffsetTarget", "RelativeTargetLaneOffset").PlaceOf("entityRef"),
			"no roads from "+b.name+" to "+a.reference.name, "entities on connected roads")
	}
	if a.depart(); x.Duration == 0 {
		a.rail.Offset = x.To
		a.land()
		if a.done = !a.continuous; a.done {
			return nil
		}
	}
	b.lat = a
	return nil
}

// depart begins the change from the present offset.
func (a *laneOffset) depart() {
	x := &a.change
	x.Shape, x.From, a.elapsed, a.lapsed = a.shape, a.rail.Offset, 0, false
	x.Duration = motion.BendDuration(x.Shape, x.To-x.From, a.limit)
}

// move continues the sideways motion; the distance along the lane is the whole distance, and that
// to the side is not longer.
func (a *laneOffset) move(way, h float64) {
	if !a.again(a.elapsed) {
		a.lost(a, way)
		return
	}
	if way == 0 {
		return
	}
	x := &a.change
	if a.elapsed += h; a.continuous && a.reference != nil && a.reference != a.b {
		if to, ok := a.target(); ok {
			x.To = to
		}
	}
	late := x.At(a.elapsed) - a.rail.Offset
	dn := math.Copysign(min(math.Abs(late), math.Abs(way)), late)
	a.shift(way, math.Abs(way), a.rail.Offset+dn)
	if a.lapsed {
		a.depart()
	}
	if a.elapsed < x.Duration-instant || math.Abs(late-dn) > 1e-6 {
		return
	}
	if a.straighten(); !a.continuous {
		a.rail.Offset = x.To
		a.done = true
		a.releaseAside(a)
	}
	a.land()
}

// Stop ends the sideways motion; the entity keeps its current offset.
func (a *laneOffset) Stop() { a.alight(a) }
