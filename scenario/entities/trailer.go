package entities

import (
	"fmt"
	"math"

	"gosmp/frames"
	"gosmp/internal/fault"
	"gosmp/internal/portable"
	"gosmp/mocksim"
	"gosmp/scenario"
	"gosmp/scenario/position"
	"gosmp/scenario/storyboard"
)

// couple couples a trailer to a vehicle.
func (w *World) couple(tow, trailer *body) {
	tow.tows, trailer.towed = trailer, tow
	tow.look.Trailer = trailer.view.ID()
	w.align(tow)
}

// align lines up the trailers of a vehicle behind it.
func (w *World) align(tow *body) {
	for t := tow.tows; t != nil; tow, t = t, t.tows {
		yaw := tow.at.Direction.Yaw
		var at position.Place
		at.Position = tow.at.Position.Add(heading(yaw).Scale(tow.hitch - t.coupler))
		at.Direction.Yaw = yaw
		w.network.Locate(&at, &tow.at, position.Given{})
		t.speed = tow.speed
		w.put(t, &at)
	}
}

// uncouple leaves a trailer standing where it is.
func (w *World) uncouple(tow *body) {
	if t := tow.tows; t != nil {
		w.hold(t)
		tow.tows, t.towed, t.speed, tow.look.Trailer = nil, nil, 0, 0
		t.said, t.loose, t.astray = pose{}, false, false
	}
}

// pull makes the trailers of a vehicle follow it: the coupler of each trailer stays at the hitch in
// front, and its reference point moves only along its heading (a tractrix). A trailer that is
// driven by itself does not follow, and pulls its own trailers. from is where the vehicle was.
func (w *World) pull(tow *body, from frames.Vector) {
	for t := tow.tows; t != nil && !t.driven; tow, t = t, t.tows {
		pin := tow.at.Position.Add(heading(tow.at.Direction.Yaw).Scale(tow.hitch))
		before := t.at
		yaw, drawn := t.trails(pin, w.length)
		t.at.Position = pin.Sub(heading(yaw).Scale(t.coupler))
		if t.loose = t.said.given; t.loose {
			yaw = t.said.follow(t, yaw)
		}
		t.at.Position.Z, t.at.Direction.Yaw = before.Position.Z, yaw
		w.network.Locate(&t.at, &before, position.Given{})
		moved := t.at.Position.Sub(before.Position)
		t.traveled += portable.Hypot(moved.X, moved.Y)
		if t.speed = tow.speed; drawn && !t.said.given {
			t.speed *= slower(tow.at.Position.Sub(from), moved, heading(tow.at.Direction.Yaw),
				heading(yaw))
		}
		t.said = pose{} // for one step
		from = before.Position
	}
}

// trails returns the heading of a trailer when its coupler has moved to a place in a step of h
// seconds, straight from where it was. The angle θ between the trailer and the motion shrinks by
// dθ/ds = -sin θ / coupler. drawn is false if the vehicle was moved elsewhere: then the trailer
// is lined up behind it. A vehicle with a short coupler may well cover more than that in a step.
func (b *body) trails(pin frames.Vector, h float64) (yaw float64, drawn bool) {
	const slack = 0.5 // m that the hitch may move besides, for example sideways
	yaw = b.at.Direction.Yaw
	moved := pin.Sub(b.at.Position.Add(heading(yaw).Scale(b.coupler)))
	way := portable.Hypot(moved.X, moved.Y)
	fastest := max(math.Abs(b.speed), math.Abs(b.towed.speed))
	switch {
	case way < same:
		return yaw, true
	case way > max(math.Abs(b.coupler), float64(2*fastest*h)+slack):
		return b.towed.at.Direction.Yaw, false
	}
	along := portable.Atan2(moved.Y, moved.X)
	sin, cos := portable.Sincos((yaw - along) / 2)
	half := portable.Atan2(sin*portable.Exp(-way/b.coupler), cos)
	return frames.WrapAngle(along + float64(2*half)), true
}

// slower returns how fast a trailer moves along its heading, as a share of the speed of its
// vehicle, if both have moved in a step. It is 1 if the vehicle moves mainly across its heading,
// because its speed does not tell then how fast its hitch moves.
func slower(vehicles, moved, ahead, trailing frames.Vector) float64 {
	way := vehicles.Dot(ahead)
	if math.Abs(way) < max(same, portable.Hypot(vehicles.X, vehicles.Y)/math.Sqrt2) {
		return 1
	}
	share := moved.Dot(trailing) / way
	const rounding = 1e-6
	if math.Abs(share-1) < rounding {
		return 1
	}
	return share
}

// Trailers returns what a vehicle tows at any time: trailers from the start and by actions, and the
// trailers of trailers.
func (w *World) Trailers(vehicle storyboard.Entity) (list []storyboard.Entity) {
	met := make([]bool, len(w.bodies))
	met[vehicle] = true
	for open := []*body{w.bodies[vehicle]}; len(open) > 0; {
		b := open[len(open)-1]
		open = open[:len(open)-1]
		for _, t := range b.mayTow {
			if !met[t.number] {
				met[t.number] = true
				open = append(open, t)
			}
		}
	}
	for _, b := range w.bodies {
		if met[b.number] && b.number != vehicle {
			list = append(list, b.number)
		}
	}
	return list
}

// Names returns the names of the entities and, after them, of trailers that are described inside
// their vehicles.
func (w *World) Names() []string { return w.reader.Entities }

// pose is a place for the middle of a trailer's box that a driver has sent.
type pose struct {
	given, turned bool
	x, y, yaw     float64
}

// follow places a trailer as its driver has said, and returns its yaw.
func (p *pose) follow(t *body, yaw float64) float64 {
	if p.turned {
		yaw = p.yaw
	}
	middle := frames.RotateZ(frames.Vector{X: t.center.X, Y: t.center.Y}, yaw)
	t.at.Position.X, t.at.Position.Y = p.x-middle.X, p.y-middle.Y
	return yaw
}

// LeadTrailer takes over where a trailer of an entity is at the end of the next step, from the
// driver of the entity. Without such a pose, the trailer follows the hitch. It returns false if no
// trailer of the entity has the id.
func (w *World) LeadTrailer(entity storyboard.Entity, id uint64, u *mocksim.Update) bool {
	for t := w.bodies[entity].tows; t != nil; t = t.tows {
		if t.view.ID() != id {
			continue
		}
		if t.driven { // it goes its own way
			return true
		}
		const xy = mocksim.PartX | mocksim.PartY
		t.said = pose{given: u.Given&xy == xy, turned: u.Given&mocksim.PartYaw != 0,
			x: u.Position.X, y: u.Position.Y, yaw: u.Orientation.Yaw}
		return true
	}
	return false
}

// pullAll lets the trailers follow whose vehicles are moved by the storyboard.
func (w *World) pullAll() {
	for _, b := range w.bodies {
		if b.exists && b.tows != nil && b.towed == nil && !b.driven {
			w.pull(b, b.before.Position)
		}
	}
}

// pullDriven lets the trailers follow whose vehicles are moved by their drivers. The simulation
// calls it in a step, when these vehicles have moved.
func (w *World) pullDriven() {
	if !w.last {
		return
	}
	for _, b := range w.bodies {
		if !b.exists || !b.driven || b.tows == nil {
			continue
		}
		from := b.at.Position
		w.read(b)
		w.pull(b, from)
		for t := b.tows; t != nil && !t.driven; t = t.tows {
			w.show(t, w.length)
			w.sim.Drag(t.view, &t.motion)
		}
	}
}

// drawn reports whether a trailer follows something that its driver moves.
func (b *body) drawn() bool {
	for tow := b.towed; tow != nil; tow = tow.towed {
		if tow.driven {
			return true
		}
	}
	return false
}

// readCouplings finds the trailers that are coupled at the start. They are entities, or they are
// described inside their vehicles and then are not entities of the storyboard.
func (w *World) readCouplings(objects []*scenario.Element) error {
	for k, e := range objects {
		if err := w.readCoupling(w.bodies[k], thing(e)); err != nil {
			return err
		}
	}
	for k, e := range objects {
		b := w.bodies[k]
		for t, n := b.first, 0; t != nil && n < len(w.bodies); t, n = t.first, n+1 {
			if t == b {
				r := thing(e).Path("Trailer", "TrailerRef")
				return fault.New(storyboard.ErrUnsupported, r.PlaceOf("entityRef"),
					b.first.name+", which tows "+b.name+" itself", "a trailer that follows it")
			}
		}
	}
	return nil
}

func (w *World) readCoupling(b *body, x *scenario.Element) error {
	t := x.Child("Trailer")
	if t == nil {
		return nil
	}
	if r := t.Child("TrailerRef"); r != nil {
		if r.Value("entityRef") == "" {
			return nil
		}
		o, err := w.other(r)
		if err != nil {
			return err
		}
		for _, other := range w.bodies {
			if other.first == o {
				return fault.New(storyboard.ErrUnsupported, r.PlaceOf("entityRef"),
					o.name+", which "+other.name+" tows", "a trailer that no other vehicle tows").
					WithHint("ConnectTrailerAction couples it later")
			}
		}
		b.first, b.mayTow = o, append(b.mayTow, o)
		return nil
	}
	described := t.Child("Trailer")
	if described == nil {
		return nil
	}
	trailer, err := w.newBody(described, b.name+"."+described.Value("name"))
	if err != nil {
		return err
	}
	b.first, b.mayTow = trailer, append(b.mayTow, trailer)
	w.add(trailer)
	return w.readCoupling(trailer, thing(described))
}

// connectTrailer is ConnectTrailerAction.
type connectTrailer struct {
	common
	trailer *body
}

func newConnectTrailer(c common) (storyboard.Action, error) {
	t, err := c.other(c.e, "trailerRef")
	if err != nil {
		return nil, err
	}
	if t == c.b {
		return nil, fault.New(storyboard.ErrUnsupported, c.e.PlaceOf("trailerRef"),
			"the entity itself", "another entity")
	}
	c.b.mayTow = append(c.b.mayTow, t)
	return &connectTrailer{common: c, trailer: t}, nil
}

// Start couples the trailer.
func (a *connectTrailer) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, true
	if a.trailer.towed != nil || a.b.tows != nil {
		a.w.tell(a.b, "trailer", fmt.Sprintf("%s or %s is coupled already", a.b.name,
			a.trailer.name))
		return nil
	}
	for t := a.trailer.tows; t != nil; t = t.tows {
		if t == a.b {
			a.w.tell(a.b, "trailer", fmt.Sprintf("%s is not coupled, because it tows %s",
				a.trailer.name, a.b.name))
			return nil
		}
	}
	if a.b.exists && a.trailer.exists {
		a.w.couple(a.b, a.trailer)
	}
	return nil
}

// disconnectTrailer is DisconnectTrailerAction.
type disconnectTrailer struct{ common }

func newDisconnectTrailer(c common) (storyboard.Action, error) { return &disconnectTrailer{c}, nil }

// Start uncouples the trailer.
func (a *disconnectTrailer) Start(_ float64, report func(storyboard.Note)) error {
	a.w.report, a.done = report, true
	if a.b.tows == nil {
		a.w.tell(a.b, "trailer", "has no trailer to disconnect")
	}
	a.w.uncouple(a.b)
	return nil
}

// couplers reads the positions of a vehicle's hitch and coupler. By default they are at the ends of
// the box.
func (b *body) couplers(x *scenario.Element) {
	b.hitch = b.center.X - b.shape.Length/2
	b.coupler = b.center.X + b.shape.Length/2
	if h := x.Child("TrailerHitch"); h != nil {
		b.hitch = position.Number(h, "dx", b.hitch)
	}
	if c := x.Child("TrailerCoupler"); c != nil {
		b.coupler = position.Number(c, "dx", b.coupler)
	}
	if math.Abs(b.coupler) < 1e-3 { // a lever arm; without it, a trailer has no direction
		b.coupler = 1e-3
	}
}
