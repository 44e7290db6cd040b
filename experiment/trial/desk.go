package trial

import (
	"fmt"

	"gosmp/cosim"
	"gosmp/internal/state"
	"gosmp/mocksim"
	"gosmp/mocksim/recording"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/timebase"
)

// desk holds the messages that participants exchange about a vehicle in addition to its views.
type desk struct {
	vehicle string
	inputs  map[int]int // ports by their index in besides
	driver  *seat.Seat  // nil if no participant drives it
	planner *seat.Follower
	orders  *seat.Orders
	data    *truth.Maker
	stream  *truth.Stream
	live    *recording.Live // nil if its own sensors are not read
}

// seat creates a desk for each vehicle that has bound variables: inputs that drive it, or outputs
// that others read.
func (p *world) seat() error {
	p.desks = nil
	for k, name := range p.vehicles {
		d := &desk{vehicle: name, inputs: map[int]int{}}
		bound, measures := false, false
		for port := range p.in.Ports {
			if n := p.in.Ports[port].Variable; n/perVehicle == k && n%perVehicle >= firstBeside {
				d.inputs[n%perVehicle-firstBeside], bound = port, true
			}
		}
		for port := range p.out.Ports {
			if n := p.out.Ports[port].Variable; n/perVehicle == k && n%perVehicle >= firstBeside {
				bound, measures = true, measures || n%perVehicle-firstBeside == rows
			}
		}
		if !bound {
			continue
		}
		if err := d.open(p.World, measures); err != nil {
			return err
		}
		p.desks = append(p.desks, d)
	}
	return nil
}

// open creates the parts that the bound variables need.
func (d *desk) open(w *mocksim.World, measures bool) error {
	m, err := truth.New(w, truth.Options{Host: d.vehicle})
	if err != nil {
		return fmt.Errorf("%s: %w", d.vehicle, err)
	}
	d.data, d.stream = m, m.Stream()
	if _, drives := d.inputs[update]; drives {
		if d.driver, err = seat.New(w, m, seat.Options{Actor: d.vehicle}); err != nil {
			return err
		}
	}
	if _, plans := d.inputs[motion]; plans {
		if d.planner, err = seat.NewFollower(w, d.vehicle); err != nil {
			return err
		}
	}
	if measures {
		if d.live, err = recording.NewLive(w, recording.Options{Host: d.vehicle}); err != nil {
			return err
		}
	}
	d.orders, err = seat.NewOrders(w, m, d.vehicle)
	return err
}

// desk returns the desk of a vehicle that has bound variables, and nil for other vehicles.
func (p *world) desk(name string) *desk {
	for _, d := range p.desks {
		if d.vehicle == name {
			return d
		}
	}
	return nil
}

// listen passes the messages of participants to the world, before a step that ends at end.
func (d *desk) listen(in *cosim.Frame, end timebase.Time) error {
	if k, is := d.inputs[update]; is {
		d.orders.Heard(in.Times[k])
		if err := d.driver.Update(in.Times[k], in.Blob(k, 0)); err != nil {
			return err
		}
	}
	if k, is := d.inputs[answer]; is {
		if err := d.orders.Update(in.Times[k], in.Blob(k, 0)); err != nil {
			return err
		}
	}
	if k, is := d.inputs[motion]; is {
		return d.planner.Update(in.Times[k], in.Blob(k, 0), end)
	}
	return nil
}

// sample reads the measurements of the vehicle's own sensors in a step.
func (d *desk) sample() error {
	if d.live == nil {
		return nil
	}
	if err := d.live.Sample(); err != nil {
		return err
	}
	d.live.Next()
	return nil
}

// driven reports whether a participant drives the vehicle or plans its motion.
func (d *desk) driven() bool { return d != nil && (d.driver != nil || d.planner != nil) }

// take returns the vehicle to its participant.
func (d *desk) take() error {
	if d.planner != nil {
		d.planner.Take()
	}
	if d.driver != nil {
		return d.driver.Take()
	}
	return nil
}

// yield leaves the vehicle to a machine.
func (p *world) yield(name string) {
	if d := p.desk(name); d != nil && d.planner != nil {
		d.planner.Yield()
	}
}

// beside publishes one of the variables in besides, without data if the vehicle does not exist.
func (p *world) beside(port, number int, v mocksim.View, there bool) (err error) {
	d, what := p.desk(p.vehicles[number/perVehicle]), number%perVehicle-firstBeside
	var b []byte
	switch {
	case what == rows:
		b = d.live.Newest()
	case what == wheels:
		if there {
			for k, z := range p.RoadUnderWheels(v) {
				p.out.SetFloat(port, k, z)
			}
		}
		return nil
	case !there:
	case what == command:
		b, err = d.orders.Message()
	case what == hostData:
		b, err = d.data.HostVehicleData()
	case what == streaming:
		b, err = d.stream.Next()
	}
	p.out.SetBlob(port, 0, b)
	if err != nil {
		return fmt.Errorf("%s: %w", p.variables[number].Name, err)
	}
	return nil
}

// keeper is a part with a state in addition to the state of the world.
type keeper interface {
	AppendState(b []byte) []byte
	RestoreState(d *state.Decoder) error
}

// keepers returns the parts with a state of all desks, in a fixed order.
func (p *world) keepers() (list []keeper) {
	for _, d := range p.desks {
		list = append(list, d.orders, d.stream)
		if d.driver != nil {
			list = append(list, d.driver)
		}
		if d.planner != nil {
			list = append(list, d.planner)
		}
		if d.live != nil {
			list = append(list, d.live)
		}
	}
	return list
}
