package participant

import (
	"slices"

	"gosmp/cosim"
	"gosmp/internal/state"
	"gosmp/mocksim/recording"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi"
	"gosmp/timebase"
)

// The names of the variables of seats, after the actor's name and a dot, and of the map's variable.
const (
	ViewName   = "OSMPSensorViewOut"
	UpdateName = "OSMPTrafficUpdateIn"
	// CommandName is the output with a TrafficCommand in each step. AnswerName is the input for
	// dismissed actions of these commands.
	CommandName = "OSMPTrafficCommandOut"
	AnswerName  = "OSMPTrafficCommandUpdateIn"
	// MotionName is the input for the MotionRequests of a planner.
	MotionName = "OSMPMotionRequestIn"
	// DataName is the output with HostVehicleData, StreamName with StreamingUpdates, and WheelsName
	// with the heights of the road under the wheels.
	DataName   = "OSMPHostVehicleDataOut"
	StreamName = "OSMPStreamingUpdateOut"
	WheelsName = "roadUnderWheels"
	InitName   = "OSMPGroundTruthInitOut"
	// RowsName is the output for the measurements of the host vehicle's sensors in a step.
	RowsName = "host.simsensorOut"

	configSuffix = "Config"
)

// SeatNames returns the names of a seat's variables, without the actor's name and the dot.
func SeatNames() []string {
	return []string{ViewName, UpdateName, CommandName, AnswerName, MotionName, DataName, StreamName,
		WheelsName}
}

// more is a variable that follows the actors' variables.
type more struct {
	actor string
	what  string // one of the names above, or ViewName with configSuffix
}

func mime(message string) string {
	return "application/x-open-simulation-interface; type=" + message + "; version=" + osi.Version
}

func (p *Participant) firstMore() int { return firstActor + len(p.names)*len(quantities) }

// declareMore declares the variables of the map and of seats.
func (p *Participant) declareMore() {
	add := func(actor, what string, v cosim.Variable) {
		if v.Name = what; actor != "" {
			v.Name = actor + "." + what
		}
		v.Size = max(v.Size, 1)
		p.more = append(p.more, more{actor, what})
		p.variables = append(p.variables, v)
	}
	message := func(actor, what, message string, role cosim.Role) {
		add(actor, what, cosim.Variable{Kind: cosim.Binary, Role: role, MIMEType: mime(message)})
	}
	message("", InitName, "GroundTruth", cosim.Calculated)
	for _, name := range p.scene.Seats {
		message(name, UpdateName, "TrafficUpdate", cosim.Input)
		message(name, CommandName, "TrafficCommand", cosim.Output)
		message(name, AnswerName, "TrafficCommandUpdate", cosim.Input)
		message(name, MotionName, "MotionRequest", cosim.Input)
		message(name, DataName, "HostVehicleData", cosim.Output)
		message(name, StreamName, "StreamingUpdate", cosim.Output)
		add(name, WheelsName, cosim.Variable{Kind: cosim.Float64, Role: cosim.Output, Size: 4,
			Continuous: true, Unit: "m"})
		if name != p.scene.Truth.Host {
			message(name, ViewName, "SensorView", cosim.Output)
			message(name, ViewName+configSuffix, "SensorViewConfiguration", cosim.Calculated)
		}
	}
	add("", RowsName, cosim.Variable{Kind: cosim.Binary, Role: cosim.Output,
		MIMEType: recording.MIMEType, Portions: true})
}

// messages creates the messages of a world. Each kind has its own maker, so that a message stays
// valid until the second message of its kind after it.
type messages struct {
	view, truth *truth.Maker
	others      map[string]*truth.Maker // by actor
}

func (m *messages) restart() {
	m.view.Restart()
	m.truth.Restart()
	for _, other := range m.others {
		other.Restart()
	}
}

// of creates the message for a variable of the host vehicle.
func (m *messages) of(variable int) ([]byte, error) {
	switch variable {
	case sensorView:
		return m.view.SensorView()
	case groundTruth:
		return m.truth.GroundTruth()
	}
	return m.view.Configuration(), nil
}

// desk exchanges messages between an actor in Scene.Seats and the models outside the world.
type desk struct {
	actor   string
	ports   map[string]int // the ports of inputs, by name
	driver  *seat.Seat     // nil: the actor has no driver
	planner *seat.Follower
	orders  *seat.Orders
	data    *truth.Maker
	stream  *truth.Stream
}

// open prepares messages and seats of a new world.
func (p *Participant) open() error {
	o := p.scene.Truth
	m, err := truth.New(p.w, o)
	if err != nil {
		return err
	}
	p.messages = messages{view: m, truth: m.For(o.Host, o.SensorID, o.Range),
		others: map[string]*truth.Maker{}}
	if p.live = nil; p.reads(RowsName) {
		if p.live, err = recording.NewLive(p.w, recording.Options{Host: o.Host}); err != nil {
			return err
		}
	}
	p.desks = nil
	for _, name := range p.scene.Seats {
		d, err := p.newDesk(name)
		if err != nil {
			return err
		}
		p.desks = append(p.desks, d)
	}
	return nil
}

// reads reports whether an output that belongs to no actor is bound.
func (p *Participant) reads(what string) bool {
	return slices.ContainsFunc(p.out.Ports, func(port cosim.Port) bool {
		n := port.Variable - p.firstMore()
		return n >= 0 && p.more[n].what == what
	})
}

// newDesk prepares the desk of an actor with the parts whose variables are bound.
func (p *Participant) newDesk(name string) (d *desk, err error) {
	m, o := p.messages.view, p.scene.Truth
	d = &desk{actor: name, ports: map[string]int{}, data: m.For(name, 0, 0),
		stream: m.For(name, 0, 0).Stream()}
	for k, port := range p.in.Ports {
		if n := port.Variable - p.firstMore(); n >= 0 && p.more[n].actor == name {
			d.ports[p.more[n].what] = k
		}
	}
	if _, drives := d.ports[UpdateName]; drives {
		if d.driver, err = seat.New(p.w, m, seat.Options{Actor: name, Range: o.Range,
			FromDriver: p.scene.FromDrivers}); err != nil {
			return nil, err
		}
	}
	if _, plans := d.ports[MotionName]; plans {
		if d.planner, err = seat.NewFollower(p.w, name); err != nil {
			return nil, err
		}
	}
	if d.orders, err = seat.NewOrders(p.w, m, name); err != nil {
		return nil, err
	}
	if _, err := p.maker(name); err != nil {
		return nil, err
	}
	return d, nil
}

// maker returns the maker for the SensorViews of an actor other than the host vehicle.
func (p *Participant) maker(name string) (*truth.Maker, error) {
	if m := p.messages.others[name]; m != nil {
		return m, nil
	}
	v, err := p.w.Actor(name)
	if err != nil {
		return nil, err
	}
	const first = 10000 // of the host vehicle
	m := p.messages.view.For(name, first+v.ID(), p.scene.Truth.Range)
	p.messages.others[name] = m
	return m, nil
}

// listen passes the models' messages to the world before a step that ends at end.
func (d *desk) listen(in *cosim.Frame, end timebase.Time) error {
	if k, is := d.ports[UpdateName]; is {
		d.orders.Heard(in.Times[k])
		if err := d.driver.Update(in.Times[k], in.Blob(k, 0)); err != nil {
			return err
		}
	}
	if k, is := d.ports[AnswerName]; is {
		if err := d.orders.Update(in.Times[k], in.Blob(k, 0)); err != nil {
			return err
		}
	}
	if k, is := d.ports[MotionName]; is {
		return d.planner.Update(in.Times[k], in.Blob(k, 0), end)
	}
	return nil
}

// desk returns the desk of an actor.
func (p *Participant) desk(actor string) *desk {
	return p.desks[slices.Index(p.scene.Seats, actor)]
}

// fillMore writes a variable that follows the actors' variables.
func (p *Participant) fillMore(port, n int) error {
	x := &p.more[n]
	switch x.what {
	case InitName:
		if p.out.Blob(port, 0) == nil { // it never changes
			p.out.SetBlob(port, 0, p.messages.view.Static())
		}
		return nil
	case RowsName:
		p.out.SetBlob(port, 0, p.live.Newest())
		return nil
	}
	v, err := p.w.Actor(x.actor)
	if err == nil && x.what == WheelsName {
		for k, z := range p.w.RoadUnderWheels(v) {
			p.out.SetFloat(port, k, z)
		}
		return nil
	}
	if x.what == WheelsName {
		return nil // the actor is gone; its last values are kept
	}
	var b []byte
	if err == nil { // otherwise there is no data
		b, err = p.messageOf(x)
	} else {
		err = nil
	}
	p.out.SetBlob(port, 0, b)
	return err
}

// messageOf creates a message for an existing actor.
func (p *Participant) messageOf(x *more) ([]byte, error) {
	d := p.desk(x.actor)
	switch x.what {
	case CommandName:
		return d.orders.Message()
	case DataName:
		return d.data.HostVehicleData()
	case StreamName:
		return d.stream.Next()
	}
	m, err := p.maker(x.actor)
	if err != nil {
		return nil, err
	}
	if x.what == ViewName+configSuffix {
		return m.Configuration(), nil
	}
	return m.SensorView()
}

// Orders returns the orders for an actor in Scene.Seats, through which a director orders actions
// from the actor's driver. It returns nil for other actors and before Enter.
func (p *Participant) Orders(actor string) *seat.Orders {
	if k := slices.Index(p.scene.Seats, actor); k >= 0 && k < len(p.desks) {
		return p.desks[k].orders
	}
	return nil
}

// appendState appends the state on which messages and seats depend.
func (m *messages) appendState(b []byte, names []string) []byte {
	b = appendMemory(appendMemory(b, m.view), m.truth)
	for _, name := range names {
		if other := m.others[name]; other != nil {
			b = appendMemory(b, other)
		}
	}
	return b
}

func (m *messages) restoreState(d *state.Decoder, names []string) {
	recall(d, m.view)
	recall(d, m.truth)
	for _, name := range names {
		if other := m.others[name]; other != nil {
			recall(d, other)
		}
	}
}

func appendMemory(b []byte, m *truth.Maker) []byte {
	memory := m.Memory()
	b = state.AppendBool(b, memory.Sent)
	for _, v := range [...]float64{memory.Center.X, memory.Center.Y, memory.Center.Z} {
		b = state.AppendFloat64(b, v)
	}
	return b
}

func recall(d *state.Decoder, m *truth.Maker) {
	memory := truth.Memory{Sent: d.Bool()}
	memory.Center.X, memory.Center.Y, memory.Center.Z = d.Float64(), d.Float64(), d.Float64()
	m.Recall(memory)
}

// keeper is anything with a state other than the world.
type keeper interface {
	AppendState(b []byte) []byte
	RestoreState(d *state.Decoder) error
}

// keepers returns the parts of a desk with a state, in a fixed order.
func (d *desk) keepers() []keeper {
	list := []keeper{d.orders, d.stream}
	if d.driver != nil {
		list = append(list, d.driver)
	}
	if d.planner != nil {
		list = append(list, d.planner)
	}
	return list
}
