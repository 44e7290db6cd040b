package trial

import (
	"context"
	"fmt"
	"slices"

	"gosmp/cosim"
	"gosmp/mocksim"
	"gosmp/mocksim/recording"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/osmp"
	"gosmp/osmp/connect"
	"gosmp/timebase"
)

// The variables of a vehicle; those before pedals are outputs.
var (
	outputs = []struct {
		name, unit string
		of         func(mocksim.State) float64
	}{
		{"x", "m", func(s mocksim.State) float64 { return s.Position.X }},
		{"y", "m", func(s mocksim.State) float64 { return s.Position.Y }},
		{"yaw", "rad", func(s mocksim.State) float64 { return s.Orientation.Yaw }},
		{"speed", "m/s", func(s mocksim.State) float64 { return s.Speed }},
		{"acceleration", "m/s2", func(s mocksim.State) float64 { return s.Along }},
	}
	pedals = []string{"throttle", "brake", "steering"}
)

// views are the SensorViews of a sensor on a vehicle. The map does not change, and is large: view
// has it until the end of the first step, mapview always has the surroundings of the vehicle.
var views = []struct {
	name   string
	static truth.Static
	reach  float64 // m, 0 is everything
}{{"view", truth.FirstOnly, 0}, {"mapview", truth.Every, 200}}

// The variables of a vehicle in their order: outputs, pedals, views, configurations of views, the
// TrafficUpdate of a driver and the TrafficCommands to it, and what the vehicle's own sensors measure.
var (
	firstView   = len(outputs) + len(pedals)
	firstConfig = firstView + len(views)
	update      = firstConfig + len(views)
	command     = update + 1
	rows        = command + 1
	perVehicle  = rows + 1
)

// The names of what a driver sees, and of what it says.
const (
	driversView = "mapview"
	updateName  = "update"
	commandName = "command"
	rowsName    = "simsensor"
)

// world is the simulator as a participant: the vehicles of the description are its variables.
type world struct {
	*mocksim.World
	vehicles  []string // names, in the order of the description
	variables []cosim.Variable
	in, out   *cosim.Frame
	inputs    []int
	// of SensorViews that are read, by the names of their variables
	makers  map[string]*truth.Maker
	orders  map[string]*truth.Maker // of TrafficCommands
	live    map[int]*recording.Live // of vehicles whose own sensors are read, by their numbers
	start   timebase.Time
	pressed map[string]bool // vehicles that pedals move now
	// of vehicles that drive by themselves, made of a driver
	drivers map[string]mocksim.Controller
	seats   []chair         // of vehicles that participants drive
	changed bool            // by machines, since the last step
	events  []mocksim.Event // of the last step
	stage   Stage           // the scenario that moves the vehicles; nil without
}

// chair is the seat of a participant, with the port by which it speaks.
type chair struct {
	*seat.Seat
	port int
}

// driver is how a machine lets an actor drive.
type driver struct{ Speed, Accel, Decel float64 }

func (d driver) controller() mocksim.Controller {
	return mocksim.Controller{Driver: mocksim.Driver{Speed: d.Speed, Accel: d.Accel,
		Decel: d.Decel}}
}

// view holds the data on which the next SensorView of a vehicle depends.
type view struct{ truth.Memory }

const worldName = "world"

func newWorld(w *mocksim.World, vehicles []string) *world {
	p := &world{World: w, vehicles: vehicles, makers: map[string]*truth.Maker{},
		orders: map[string]*truth.Maker{}, pressed: map[string]bool{},
		drivers: map[string]mocksim.Controller{}}
	for _, name := range vehicles {
		p.variables = append(p.variables, variablesOf(name)...)
	}
	return p
}

// variablesOf are the variables of a vehicle.
func variablesOf(name string) (list []cosim.Variable) {
	for _, o := range outputs {
		list = append(list, cosim.Variable{Name: name + "." + o.name, Kind: cosim.Float64,
			Role: cosim.Output, Size: 1, Unit: o.unit, Continuous: true})
	}
	for _, pedal := range pedals {
		list = append(list, cosim.Variable{Name: name + "." + pedal, Kind: cosim.Float64,
			Role: cosim.Input, Size: 1})
	}
	for _, v := range views {
		list = append(list, cosim.Variable{Name: name + "." + v.name, Kind: cosim.Binary,
			Role: cosim.Output, Size: 1, MIMEType: osmp.MIMEType("SensorView")})
	}
	for _, v := range views {
		list = append(list, cosim.Variable{Name: name + "." + v.name + connect.ConfigSuffix,
			Kind: cosim.Binary, Role: cosim.Calculated, Size: 1,
			MIMEType: osmp.MIMEType("SensorViewConfiguration")})
	}
	return append(list, cosim.Variable{Name: name + "." + updateName, Kind: cosim.Binary,
		Role: cosim.Input, Size: 1, MIMEType: osmp.MIMEType(osmp.TrafficUpdateOut.Message)},
		cosim.Variable{Name: name + "." + commandName, Kind: cosim.Binary, Role: cosim.Output,
			Size: 1, MIMEType: osmp.MIMEType(osmp.TrafficCommandIn.Message)},
		cosim.Variable{Name: name + "." + rowsName, Kind: cosim.Binary, Role: cosim.Output, Size: 1,
			MIMEType: recording.MIMEType, Portions: true})
}

func (p *world) Variables() []cosim.Variable { return p.variables }
func (p *world) Traits() cosim.Traits {
	return cosim.Traits{VariableSteps: true, Keeps: !p.Joined()}
}

// Bind lays out the frames.
func (p *world) Bind(inputs, out []int) (*cosim.Frame, *cosim.Frame, error) {
	p.inputs = inputs
	p.in, p.out = cosim.NewFrame(p.variables, inputs), cosim.NewFrame(p.variables, out)
	p.in.Times = make([]timebase.Time, len(p.in.Ports))
	return p.in, p.out, nil
}

// Depends implements [cosim.Depender]: nothing moves before the first step.
func (p *world) Depends(int) (inputs []int, known bool) { return nil, true }

// take gives the vehicles of participants to them.
func (p *world) take() error {
	p.seats = nil
	for k, port := range p.in.Ports {
		if port.Variable%perVehicle != update {
			continue
		}
		name := p.vehicles[port.Variable/perVehicle]
		m, err := truth.New(p.World, truth.Options{Host: name})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s, err := seat.New(p.World, m, seat.Options{Actor: name})
		if err != nil {
			return err
		}
		p.seats = append(p.seats, chair{s, k})
	}
	return nil
}

// show lets drivers see what machines have changed at the time of the last step.
func (p *world) show() error {
	if p == nil || !p.changed || len(p.seats) == 0 {
		return nil
	}
	p.changed = false
	return p.publish()
}

// seat is that of the participant who drives a vehicle, nil without.
func (p *world) seat(name string) *seat.Seat {
	for _, c := range p.seats {
		if c.Actor() == name {
			return c.Seat
		}
	}
	return nil
}

// Enter shows the state at the start.
func (p *world) Enter(_ context.Context, s cosim.Setup) error {
	p.start = s.Start
	if err := p.Begin(); err != nil {
		return err
	}
	if err := p.take(); err != nil {
		return err
	}
	if err := p.measure(); err != nil {
		return err
	}
	return p.publish()
}

// measure begins with what the own sensors of vehicles measure, if it is read.
func (p *world) measure() (err error) {
	p.live = map[int]*recording.Live{}
	for _, port := range p.out.Ports {
		if port.Variable%perVehicle != rows {
			continue
		}
		k := port.Variable / perVehicle
		o := recording.Options{Host: p.vehicles[k]}
		if p.live[k], err = recording.NewLive(p.World, o); err != nil {
			return err
		}
	}
	return nil
}

func (p *world) Exchange(context.Context) error { return p.publish() }
func (p *world) Leave(context.Context) error    { return p.publish() }

// Step moves all actors.
func (p *world) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if err := p.control(); err != nil {
		return cosim.Advance{}, err
	}
	events, err := p.World.Step(s.End - s.Start)
	if err != nil {
		return cosim.Advance{}, err
	}
	p.events = append(p.events[:0], events...)
	for _, l := range p.live {
		if err := l.Sample(); err != nil {
			return cosim.Advance{}, err
		}
		l.Next()
	}
	if s.Start == p.start {
		p.showMap()
	}
	return cosim.Advance{Reached: s.End}, p.publish()
}

func (p *world) Stop(context.Context) error { return nil }

func (p *world) Close() error {
	p.World.Close()
	return nil
}

// publish copies the states of the vehicles into the frame. A vehicle that a machine has destroyed
// keeps its last values.
func (p *world) publish() error {
	if p.Time() == p.start { // what is published again replaces what nobody has read
		p.showMap()
	}
	for port := range p.out.Ports {
		number := p.out.Ports[port].Variable
		name := p.vehicles[number/perVehicle]
		v, err := p.Actor(name)
		switch {
		case number%perVehicle == rows:
			p.out.SetBlob(port, 0, p.live[number/perVehicle].Newest())
		case number%perVehicle == command:
			if err := p.order(port, number, err == nil); err != nil {
				return err
			}
		case number%perVehicle >= firstConfig:
			if err := p.configure(port, number); err != nil {
				return err
			}
		case number%perVehicle >= firstView:
			if err := p.look(port, number, err == nil); err != nil {
				return err
			}
		case err == nil && number%perVehicle < len(outputs):
			p.out.SetFloat(port, 0, outputs[number%perVehicle].of(v.State()))
		}
	}
	return nil
}

// look publishes a view of a vehicle, and no data if the vehicle is not there.
func (p *world) look(port, number int, there bool) error {
	if !there {
		p.out.SetBlob(port, 0, nil)
		return nil
	}
	name := p.variables[number].Name
	maker, err := p.maker(number)
	if err != nil {
		return err
	}
	message, err := maker.SensorView()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	p.out.SetBlob(port, 0, message)
	return nil
}

// order publishes the TrafficCommand of a step, which has no actions, and no data if the vehicle is
// not there.
func (p *world) order(port, number int, there bool) error {
	if !there {
		p.out.SetBlob(port, 0, nil)
		return nil
	}
	name := p.variables[number].Name
	m := p.orders[name]
	if m == nil {
		var err error
		host := p.vehicles[number/perVehicle]
		if m, err = truth.New(p.World, truth.Options{Host: host}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		p.orders[name] = m
	}
	b, err := m.TrafficCommand()
	p.out.SetBlob(port, 0, b)
	return err
}

// configure publishes once what the SensorViews of a view follow, as it never changes.
func (p *world) configure(port, number int) error {
	if p.out.Blob(port, 0) != nil {
		return nil
	}
	maker, err := p.maker(number - len(views))
	if err != nil {
		return err
	}
	p.out.SetBlob(port, 0, maker.Configuration())
	return nil
}

// showMap lets the next message of each view have the map.
func (p *world) showMap() {
	for _, m := range p.makers {
		m.Restart()
	}
}

// maker makes the messages of the variable of that number.
func (p *world) maker(number int) (*truth.Maker, error) {
	name := p.variables[number].Name
	if m := p.makers[name]; m != nil {
		return m, nil
	}
	v := views[number%perVehicle-firstView]
	m, err := truth.New(p.World, truth.Options{Host: p.vehicles[number/perVehicle],
		Static: v.static, Range: v.reach})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p.makers[name] = m
	return m, nil
}

// control applies the pedals. A vehicle whose pedals are all 0 again drives by itself as before.
func (p *world) control() error {
	for _, c := range p.seats {
		if err := c.Update(p.in.Times[c.port], p.in.Blob(c.port, 0)); err != nil {
			return err
		}
	}
	for _, name := range p.vehicles {
		k := slices.Index(p.vehicles, name)
		var values [3]float64
		connected := false
		for port := range p.in.Ports {
			if number := p.in.Ports[port].Variable; number/perVehicle == k &&
				number%perVehicle != update {
				values[number%perVehicle-len(outputs)] = p.in.Float(port, 0)
				connected = true
			}
		}
		if !connected {
			continue
		}
		if err := p.pedals(name, values); err != nil {
			return err
		}
	}
	return nil
}

func (p *world) pedals(name string, values [3]float64) error {
	press := values != [3]float64{}
	switch driver, drives := p.drivers[name]; {
	case press:
		c := mocksim.Controls{Throttle: values[0], Brake: values[1], SteeringWheel: values[2],
			Gear: 1}
		if _, err := p.SetControls(name, mocksim.Drive{Start: p.Time(), Controls: []mocksim.Controls{c}}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	case p.pressed[name] && drives:
		if err := p.SetController(name, driver); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	case p.pressed[name]:
		if _, err := p.SetControls(name, mocksim.Drive{Start: p.Time(), Controls: []mocksim.Controls{{Gear: 1}}}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	p.pressed[name] = press
	return nil
}
