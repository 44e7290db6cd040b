package trial

import (
	"context"
	"fmt"
	"slices"

	"gosmp/cosim"
	"gosmp/mocksim"
	"gosmp/mocksim/recording"
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

// views holds the SensorViews of a sensor on a vehicle. The map does not change and is large, so
// view contains it only until the end of the first step, while mapview always contains the
// vehicle's surroundings.
var views = []struct {
	name   string
	static truth.Static
	reach  float64 // m, 0 means everything
}{{"view", truth.FirstOnly, 0}, {"mapview", truth.Every, 200}}

// besides holds the variables of a vehicle other than motion, pedals and views: messages from a
// driver or a planner, commands and the driver's dismissals, measurements of the vehicle's own
// sensors, data of the vehicle, and the heights of the road under its wheels.
var besides = [...]cosim.Variable{
	update:    message("update", "TrafficUpdate", cosim.Input),
	answer:    message("commandUpdate", "TrafficCommandUpdate", cosim.Input),
	motion:    message("motion", "MotionRequest", cosim.Input),
	command:   message("command", "TrafficCommand", cosim.Output),
	hostData:  message("hostdata", "HostVehicleData", cosim.Output),
	streaming: message("streaming", "StreamingUpdate", cosim.Output),
	rows: {Name: "simsensor", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
		MIMEType: recording.MIMEType, Portions: true},
	wheels: {Name: "road", Kind: cosim.Float64, Role: cosim.Output, Size: 4, Unit: "m",
		Continuous: true},
}

// The indices of besides.
const (
	update = iota
	answer
	motion
	command
	hostData
	streaming
	rows
	wheels
)

func message(name, kind string, role cosim.Role) cosim.Variable {
	return cosim.Variable{Name: name, Kind: cosim.Binary, Role: role, Size: 1,
		MIMEType: osmp.MIMEType(kind)}
}

// The groups of a vehicle's variables in their order: outputs, pedals, views, configurations of
// views, and besides.
var (
	firstView   = len(outputs) + len(pedals)
	firstConfig = firstView + len(views)
	firstBeside = firstConfig + len(views)
	perVehicle  = firstBeside + len(besides)
)

// driversView is the view for a driver.
const driversView = "mapview"

// world is the simulator as a participant, whose variables are the described vehicles.
type world struct {
	*mocksim.World
	vehicles  []string // names, in the order of the description
	variables []cosim.Variable
	in, out   *cosim.Frame
	inputs    []int
	// makers of the SensorViews that are read, by the names of their variables
	makers  map[string]*truth.Maker
	desks   []*desk // by vehicle, in their order; nil if no variable of besides is connected
	start   timebase.Time
	pressed map[string]bool // vehicles that pedals are currently moving
	// controllers of self-driving vehicles, created from a driver
	drivers map[string]mocksim.Controller
	changed bool            // by machines, since the last step
	events  []mocksim.Event // of the last step
	stage   Stage           // the scenario that moves the vehicles, or nil
}

// driver holds the values with which a machine lets an actor drive.
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
		pressed: map[string]bool{}, drivers: map[string]mocksim.Controller{}}
	for _, name := range vehicles {
		p.variables = append(p.variables, variablesOf(name)...)
	}
	return p
}

// variablesOf returns the variables of a vehicle.
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
	for _, v := range besides {
		v.Name = name + "." + v.Name
		list = append(list, v)
	}
	return list
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

// show publishes the changes that machines made at the time of the last step, so that drivers see
// them.
func (p *world) show() error {
	if p == nil || !p.changed || len(p.desks) == 0 {
		return nil
	}
	p.changed = false
	return p.publish()
}

// Enter publishes the state at the start.
func (p *world) Enter(_ context.Context, s cosim.Setup) error {
	p.start = s.Start
	if err := p.Begin(); err != nil {
		return err
	}
	if err := p.seat(); err != nil {
		return err
	}
	return p.publish()
}

func (p *world) Exchange(context.Context) error { return p.publish() }
func (p *world) Leave(context.Context) error    { return p.publish() }

// Step moves all actors.
func (p *world) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if err := p.control(s.End); err != nil {
		return cosim.Advance{}, err
	}
	events, err := p.World.Step(s.End - s.Start)
	if err != nil {
		return cosim.Advance{}, err
	}
	p.events = append(p.events[:0], events...)
	for _, d := range p.desks {
		if err := d.sample(); err != nil {
			return cosim.Advance{}, err
		}
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

// publish copies the states of the vehicles into the frame. A vehicle destroyed by a machine keeps
// its last values.
func (p *world) publish() error {
	if p.Time() == p.start { // the new values replace unread values
		p.showMap()
	}
	for port := range p.out.Ports {
		number := p.out.Ports[port].Variable
		name := p.vehicles[number/perVehicle]
		v, err := p.Actor(name)
		switch {
		case number%perVehicle >= firstBeside:
			if err := p.beside(port, number, v, err == nil); err != nil {
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

// look publishes a view of a vehicle, or no data if the vehicle does not exist.
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

// configure publishes the configuration of a view's SensorViews, only once because it never
// changes.
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

// showMap makes the next message of each view contain the map.
func (p *world) showMap() {
	for _, m := range p.makers {
		m.Restart()
	}
}

// maker returns the maker of the messages for the variable with that index.
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

// control applies the pedals. When all pedals of a vehicle are 0 again, it resumes driving by
// itself.
func (p *world) control(end timebase.Time) error {
	for _, d := range p.desks {
		if err := d.listen(p.in, end); err != nil {
			return err
		}
	}
	for _, name := range p.vehicles {
		k := slices.Index(p.vehicles, name)
		var values [3]float64
		connected := false
		for port := range p.in.Ports {
			if number := p.in.Ports[port].Variable; number/perVehicle == k &&
				number%perVehicle < firstView {
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
		if _, err := p.SetControls(name,
			mocksim.Drive{Start: p.Time(), Controls: []mocksim.Controls{c}}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	case p.pressed[name] && drives:
		if err := p.SetController(name, driver); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	case p.pressed[name]:
		if _, err := p.SetControls(name,
			mocksim.Drive{Start: p.Time(), Controls: []mocksim.Controls{{Gear: 1}}}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	p.pressed[name] = press
	return nil
}
