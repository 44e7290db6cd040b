package entities

import (
	"errors"
	"fmt"
	"math"

	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/seat"
	"gosmp/scenario"
	"gosmp/scenario/motion"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// aside is an action that moves an entity across its road. It follows a lane of its own, which may
// differ from the lane under the entity during a lane change.
type aside struct {
	common
	rail   position.Place
	change motion.Transition // of the offset from the lane
	lapsed bool              // the lane has ended after the change
}

// Domains returns the lateral domain.
func (a *aside) Domains() storyboard.Domain { return storyboard.Lateral }

func (c *common) releaseAside(l lateral) {
	if c.b.lat == l {
		c.b.lat = nil
	}
}

// board starts following a lane of the road, with the heading along the road.
func (a *aside) board(lane *opendrive.Lane) {
	a.rail = a.b.at
	a.rail.Lane = lane
	a.rail.Offset = a.b.at.T - lane.Center(a.b.at.S)
	a.straighten()
}

// straighten aligns the heading with the road.
func (a *aside) straighten() {
	if a.rail.Turn = 0; !a.b.at.Forwards() {
		a.rail.Turn = math.Pi
	}
}

// again boards the lane at the new place after a teleport, where the rest of the change starts. It
// returns false if there is no lane.
func (a *aside) again(elapsed float64) bool {
	if !a.b.jumped {
		return true
	}
	if !a.b.at.OnRoad() {
		return false
	}
	lane := a.b.at.Road.SectionAt(a.b.at.S).Lane(a.rail.Lane.ID)
	if lane == nil {
		lane = a.b.at.Lane
	}
	if lane == nil {
		return false
	}
	a.board(lane)
	x := &a.change
	if left := x.To - x.At(elapsed); math.Abs(left) > same {
		x.From = x.To - float64((x.To-x.From)*(x.To-a.rail.Offset)/left)
	}
	return true
}

// lost ends an action after a teleport to a place without lanes, where the entity moves straight
// on.
func (a *aside) lost(l lateral, way float64) {
	a.done = true
	a.releaseAside(l)
	a.w.tell(a.b, "off road", "no lane to follow at its new place")
	a.w.keep(a.b, way)
}

// alight stops an action. The entity keeps its offset; after a teleport it stays where it is.
func (a *aside) alight(l lateral) {
	if a.b.lat != l {
		return
	}
	if !a.b.jumped {
		a.straighten()
		a.land()
	}
	a.releaseAside(l)
}

// shift moves the entity along the lane and to an offset, and aligns its heading with this motion.
func (a *aside) shift(way, along, offset float64) {
	w, b := a.w, a.b
	dn := offset - a.rail.Offset
	a.straighten()
	forwards := a.rail.Forwards()
	a.rail.Offset = offset
	a.rail.T = a.rail.Lane.Center(a.rail.S) + offset
	b.traveled += math.Abs(way)
	before, lane := b.at.Position, a.rail.Lane
	w.advance(b, &a.rail, math.Copysign(along, way)*w.network.Pace(&a.rail)*sign(forwards),
		math.Abs(way))
	turn := portable.Atan2(math.Copysign(1, way)*dn, along)
	if !forwards {
		turn = math.Pi - turn
	}
	if a.rail.Forwards() != forwards { // the rail is now on a road whose s runs the other way
		turn += math.Pi
		offset = -offset
		a.change.From, a.change.To = -a.change.From, -a.change.To
	}
	if a.rail.Lane != lane {
		a.rejoin(before, offset)
	}
	a.rail.Turn = position.Wrapped(turn)
	a.land()
}

// land places the entity at the rail.
func (a *aside) land() {
	a.w.network.Settle(&a.rail)
	a.b.at = a.rail
	a.w.network.Relane(&a.b.at)
}

func sign(positive bool) float64 {
	if positive {
		return 1
	}
	return -1
}

// ErrAbsent reports an action that needs an entity that does not exist at that time.
var ErrAbsent = errors.New("missing entity")

// present returns an error, with a place in the document, for an entity that does not exist.
func (b *body) present(at fault.Place) error {
	if b.exists {
		return nil
	}
	return fault.New(ErrAbsent, at, b.name+", which does not exist",
		"an entity with an action in Init or an AddEntityAction before")
}

// inLane returns an error, with a place in the document, for an entity that does not exist or is in
// no lane.
func (b *body) inLane(at fault.Place) error {
	if err := b.present(at); err != nil {
		return err
	}
	var found string
	switch p := &b.at; {
	case p.Road == nil:
		found = "is on no road"
	case p.Beyond:
		found = "is past the end of road " + p.Road.ID
	case p.Lane == nil:
		found = fmt.Sprintf("is in no lane of road %s at %.3f m", p.Road.ID, p.S)
	default:
		return nil
	}
	return fault.New(position.ErrPlace, at, b.name+" "+found, "an entity in a lane")
}

// against reports whether s at another entity runs against that at an entity, so that lanes on one
// side have ids of the other sign.
func (w *World) against(b, o *body) bool {
	_, _, turn, ok := w.network.ApartTurned(&b.at, &o.at)
	return ok && turn != 0
}

// laneChange is LaneChangeAction.
type laneChange struct {
	aside
	dynamics
	lane      int
	reference *body // nil: an absolute lane
	offset    float64
	target    *scenario.Element
	elapsed   float64
}

func newLaneChange(c common) (storyboard.Action, error) {
	a := &laneChange{aside: aside{common: c}, offset: position.Number(c.e, "targetLaneOffset", 0)}
	var err error
	if a.dynamics, err = readDynamics(c.e.Child("LaneChangeActionDynamics")); err != nil {
		return nil, err
	}
	if c.w.network.Plane() {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.Place(),
			"a change of lanes without a map", "a LogicFile")
	}
	target := c.e.Child("LaneChangeTarget")
	if a.target = target.Child("AbsoluteTargetLane"); a.target != nil {
		a.lane, err = laneID(a.target, "value")
		return a, err
	}
	a.target = target.Child("RelativeTargetLane")
	a.lane = int(position.Number(a.target, "value", 0))
	a.reference, err = c.other(a.target, "entityRef")
	return a, err
}

// Start finds the lane.
func (a *laneChange) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done, a.elapsed = report, false, 0
	b, id := a.b, a.lane
	if r := a.reference; r != nil {
		if err := r.inLane(a.target.PlaceOf("entityRef")); err != nil {
			return err
		}
		if id = r.at.Lane.ID; a.lane != 0 {
			id = position.Beside(id, a.lane*int(r.at.Sign()))
		}
		if a.w.against(b, r) {
			id = -id
		}
	}
	if err := b.inLane(a.target.PlaceOf("value")); err != nil {
		return err
	}
	lane := b.at.Road.SectionAt(b.at.S).Lane(id)
	if lane == nil {
		return fault.New(position.ErrPlace, a.target.PlaceOf("value"),
			fmt.Sprintf("no lane %d of road %s at %.3f m", id, b.at.Road.ID, b.at.S),
			"a lane of the road on which "+b.name+" is")
	}
	if lanes := lanesTo(b.at.Lane.ID, id) * int(b.at.Sign()); lanes != 0 {
		wide := lane.Center(b.at.S) - b.at.Lane.Center(b.at.S)
		if a.done = b.order(storyboard.Lateral, a.extent(seat.Action{Order: seat.OrderLanes,
			Lanes: lanes}, wide)); a.done {
			return nil
		}
	}
	a.board(lane)
	x := &a.change
	*x = motion.Transition{Shape: a.shape, From: a.rail.Offset, To: a.offset}
	x.Duration = a.duration(x.To - x.From)
	if math.Abs(x.From-x.To) < same {
		a.done = true
		a.rail.Offset = x.To
		a.land()
		return nil
	}
	b.lat = a
	return nil
}

// move continues the change. An entity that covers no distance does not move sideways.
func (a *laneChange) move(way, h float64) {
	if !a.again(a.elapsed) {
		a.lost(a, way)
		return
	}
	if way == 0 {
		return
	}
	offset, along := a.step(math.Abs(way), h)
	a.shift(way, along, offset)
	x := &a.change
	if late := math.Abs(a.rail.Offset - x.To); late < same ||
		a.elapsed >= x.Duration-instant && late < 1e-6 {
		a.rail.Offset = x.To
		a.straighten()
		a.land()
		a.done = true
		a.releaseAside(a)
	}
}

// step returns the next offset and the distance along the lane, which is the part of the motion
// that is not sideways.
func (a *laneChange) step(way, h float64) (offset, along float64) {
	x := &a.change
	if x.Shape == motion.Step || x.Duration < 1e-6 {
		a.elapsed = x.Duration
		return x.To, way
	}
	now := a.rail.Offset
	if a.dimension == byDistance {
		along = way
		for range 4 { // the distance along the lane depends on the slope over it
			slope := (x.At(a.elapsed+along) - now) / along
			along = way / math.Sqrt(1+float64(slope*slope))
		}
		a.elapsed += along
		return x.At(a.elapsed), along
	}
	a.elapsed += h
	dn := x.At(a.elapsed) - now
	if math.Abs(dn) < way {
		return now + dn, math.Sqrt(float64(way*way) - float64(dn*dn))
	}
	// The entity is too slow for the shape, so it moves straight sideways until it catches up.
	return now + math.Copysign(way, dn), 0
}

// Stop ends the change; the entity keeps its current offset.
func (a *laneChange) Stop() { a.alight(a) }
