package participant

import (
	"fmt"
	"slices"

	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/mocksim"
	"gosmp/mocksim/recording"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/osmp/connect"
	"gosmp/scenario/entities"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// seating is the seat of an entity: the driver and the sensors of that entity.
type seating struct {
	p       *Participant
	entity  int
	update  int            // port for the driver's TrafficUpdates; -1: none
	numbers map[string]int // ports of requests and controls, by name
	pedals  bool           // throttle, brake and steering wheel move the vehicle
	motion  int            // port for MotionRequests of a planner; -1: none
	engage  int            // port where the driver reports being ready; -1: always ready
	ready   bool           // it has reported being ready

	view, drivers, data *truth.Maker
	stream              *truth.Stream
	orders              *seat.Orders      // from the first step with a driver
	answer              int               // port for the driver's answers; -1: none
	has                 storyboard.Domain // motions of the driver
	quiet               bool              // it had motions and stopped sending
	driver              *seat.Seat        // for the driver's updates, while it has motions
	planner             *seat.Follower    // for the planner's requests, while it has motions
	live                *recording.Live   // since the entity's first step
}

func newSeating(p *Participant, entity int) *seating {
	return &seating{p: p, entity: entity, update: -1, answer: -1, motion: -1, engage: -1}
}

// bind determines which inputs are connected.
func (x *seating) bind() error {
	p := x.p
	x.numbers = map[string]int{}
	for port := range p.in.Ports {
		switch v := &p.about[p.in.Ports[port].Variable]; {
		case v.entity != x.entity:
		case v.what == Update:
			x.update = port
		case v.what == Answer:
			x.answer = port
		case v.what == Motion:
			x.motion = port
		case v.what == Engaged:
			x.engage = port
		default:
			x.numbers[v.what] = port
		}
	}
	for _, name := range pedals {
		_, is := x.numbers[name]
		x.pedals = x.pedals || is
	}
	if ways := number(x.update >= 0) + number(x.motion >= 0) +
		number(len(x.numbers) > 0); ways > 1 {
		return x.wrong("two of TrafficUpdates, MotionRequests and controls", "one way to drive")
	}
	if commanded := slices.ContainsFunc(p.out.Ports, func(port cosim.Port) bool {
		v := &p.about[port.Variable]
		return v.entity == x.entity && v.what == Command
	}); commanded {
		p.world.SetOrders(storyboard.Entity(x.entity), x.order)
	}
	if x.update >= 0 || x.motion >= 0 || len(x.numbers) > 0 {
		p.world.SetDriver(storyboard.Entity(x.entity), x.hand,
			x.update < 0 && x.motion < 0 && !x.pedals)
		if x.pedals {
			p.world.Presses(storyboard.Entity(x.entity))
		}
		if x.engage >= 0 {
			return p.world.Await(storyboard.Entity(x.entity))
		}
	}
	return nil
}

// engaged reports whether the driver is ready. Until then, the storyboard controls the entity.
func (x *seating) engaged() (bool, error) {
	if x.engage < 0 {
		return true, nil
	}
	e, on := storyboard.Entity(x.entity), x.p.in.Integer(x.engage, 0) != 0
	switch {
	case on == x.ready:
		return on, nil
	case on:
		x.ready = true
		return true, x.p.world.HandOver(e)
	}
	x.ready = false
	return false, x.p.world.Await(e)
}

func (x *seating) wrong(found, expected string) error {
	return fault.New(ErrSeat, fault.At("the driver of "+x.p.names[x.entity]), found, expected)
}

// both motions together move an actor.
const both = storyboard.Longitudinal | storyboard.Lateral

// hand takes motions over or gives them back. A restarting driver must start where the entity is.
func (x *seating) hand(has storyboard.Domain) error {
	x.has, x.driver, x.planner = has, nil, nil
	x.quiet = x.quiet && has == 0
	switch {
	case has == 0:
		return nil
	case (x.pedals || x.motion >= 0) && has != both:
		return x.wrong(
			"an action that gives a driver of a vehicle model only a part of the motion",
			"both lateral and longitudinal")
	case x.pedals:
		return x.press()
	case x.motion >= 0:
		return x.plan()
	case x.update < 0:
		return nil
	}
	var err error
	x.driver, err = seat.New(x.p.world.Simulation(), x.p.maker, seat.Options{
		Actor: x.p.names[x.entity], FromDriver: x.p.o.FromDrivers, Apart: has != both,
		Trailer: func(id uint64, u *mocksim.Update) bool {
			return x.p.world.LeadTrailer(storyboard.Entity(x.entity), id, u)
		}})
	return err
}

// plan lets the vehicle follow a planner. Until the planner sends something, the vehicle coasts.
func (x *seating) plan() (err error) {
	w, name := x.p.world.Simulation(), x.p.names[x.entity]
	if x.planner, err = seat.NewFollower(w, name); err != nil {
		return err
	}
	return w.SetPedals(name, mocksim.Controls{Gear: 1})
}

// listen passes the driver's messages to the world before a step that ends at end.
func (x *seating) listen(end timebase.Time) error {
	if !x.p.exists(x.entity) {
		return nil
	}
	if err := x.track(); err != nil {
		return err
	}
	if ready, err := x.engaged(); !ready || err != nil {
		return err
	}
	switch {
	case x.update >= 0:
		return x.hear(end)
	case x.planner != nil:
		return x.planner.Update(x.p.in.Times[x.motion], x.p.in.Blob(x.motion, 0), end)
	case x.pedals && x.has == both:
		return x.press()
	case len(x.numbers) > 0:
		return x.request()
	}
	return nil
}

// order starts an action of the driver. Before the first step with a driver it is ignored.
func (x *seating) order(a *seat.Action) {
	if x.prepare() == nil {
		x.orders.Begin(a)
	}
}

// prepare creates the orders once the entity exists.
func (x *seating) prepare() (err error) {
	if x.orders == nil && x.p.maker != nil {
		x.orders, err = seat.NewOrders(x.p.world.Simulation(), x.p.maker, x.p.names[x.entity])
	}
	return err
}

// track records how far the driver has stepped and which actions it has dismissed.
func (x *seating) track() error {
	if x.orders == nil {
		return nil
	}
	in := x.p.in
	if port := max(x.update, x.motion); port >= 0 {
		x.orders.Heard(in.Times[port])
	}
	if x.answer < 0 {
		return nil
	}
	return x.orders.Update(in.Times[x.answer], in.Blob(x.answer, 0))
}

// hear passes on a TrafficUpdate before a step that ends at end. A driver that stopped sending gets
// its motions back when it sends again.
func (x *seating) hear(end timebase.Time) error {
	p, e := x.p, storyboard.Entity(x.entity)
	message, made := p.in.Blob(x.update, 0), p.in.Times[x.update]
	if x.quiet && x.speaks(message) {
		if err := p.world.HandOver(e); err != nil {
			return err
		}
	}
	if x.driver == nil {
		return nil
	}
	if err := x.driver.Update(made, message); err != nil {
		return err
	}
	if x.driver.Silent() {
		x.quiet = true
		p.world.Tell(e, "silent", "its driver is silent; the storyboard continues")
		return p.world.HandBack(e)
	}
	if u := x.driver.Said(end); u != nil {
		p.world.Lead(e, u)
	}
	return nil
}

// speaks reports whether a message is about the entity.
func (x *seating) speaks(message []byte) bool {
	v, err := x.p.world.Simulation().Actor(x.p.names[x.entity])
	return err == nil && len(message) > 0 && seat.About(message, v.ID())
}

// number returns the value of a control, or 0 if it is not connected.
func (x *seating) number(name string) (float64, error) {
	port, is := x.numbers[name]
	if !is {
		return 0, nil
	}
	v, limit := x.p.in.Float(port, 0), limits[name]
	if !(v >= limit.Least && v <= limit.Most) {
		return 0, fault.New(ErrSeat, fault.At(x.p.names[x.entity]+"."+name), fmt.Sprint(v),
			fmt.Sprintf("%g to %g", limit.Least, limit.Most))
	}
	return v, nil
}

// request passes on the requests of a driving function.
func (x *seating) request() error {
	var r entities.Request
	var err error
	if r.Brake, err = x.number(Brake); err != nil {
		return err
	}
	if r.Acceleration, err = x.number(Acceleration); err != nil {
		return err
	}
	_, r.Accelerates = x.numbers[Acceleration]
	x.p.world.Request(storyboard.Entity(x.entity), r)
	return nil
}

// press passes on the controls of a vehicle.
func (x *seating) press() error {
	c := mocksim.Controls{Gear: 1}
	var target, angle float64
	for k, to := range [...]*float64{&c.Throttle, &c.Brake, &c.SteeringWheel, &target, &angle} {
		var err error
		if *to, err = x.number(pedals[k]); err != nil {
			return err
		}
	}
	if _, is := x.numbers[Tire]; is {
		c.SteeringWheel = mocksim.SteeringRatio * angle
	}
	if err := x.reach(&c, target); err != nil {
		return err
	}
	x.p.world.Overridden(storyboard.Entity(x.entity), &c)
	request, err := x.number(Brake)
	if err != nil {
		return err
	}
	w, name := x.p.world.Simulation(), x.p.names[x.entity]
	if err := w.Assist(name, request); err != nil {
		return err
	}
	return w.SetPedals(name, c)
}

// reach operates the pedals to reach the target speed, if there is one.
func (x *seating) reach(c *mocksim.Controls, target float64) error {
	if _, is := x.numbers[Target]; !is {
		return nil
	}
	v, err := x.p.world.Simulation().Actor(x.p.names[x.entity])
	if err == nil {
		c.Throttle, c.Brake = v.PedalsTo(target)
	}
	return err
}

// fill writes a message of the seat.
func (x *seating) fill(port int, what string) (err error) {
	var b []byte
	drives := x.has != 0 || x.quiet
	switch {
	case what == View+connect.ConfigSuffix, what == DriversView+connect.ConfigSuffix:
		b = x.view.Configuration()
	case !x.p.exists(x.entity):
	case what == Rows:
		b, err = x.measure()
	case what == View:
		b, err = x.view.SensorView()
	case what == DriversView && drives:
		b, err = x.drivers.SensorView()
	case what == Command && drives:
		if err = x.prepare(); err == nil {
			b, err = x.orders.Message()
		}
	case what == Data:
		b, err = x.data.HostVehicleData()
	case what == Stream:
		b, err = x.stream.Next()
	}
	x.p.out.SetBlob(port, 0, b)
	return err
}

// measure returns the measurements of the entity's own sensors in a step. The initial measurements
// are returned with the entity's first step.
func (x *seating) measure() (rows []byte, err error) {
	if x.live == nil {
		o := recording.Options{Host: x.p.names[x.entity]}
		x.live, err = recording.NewLive(x.p.world.Simulation(), o)
		return nil, err
	}
	if err := x.live.Sample(); err != nil {
		return nil, err
	}
	return x.live.Next(), nil
}
