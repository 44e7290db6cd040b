package participant

import (
	"gosmp/cosim"
	"gosmp/internal/state"
	"gosmp/mocksim/recording"
	"gosmp/mocksim/seat"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi"
)

// The names of the variables of seats, after that of the actor and a dot, and of the map.
const (
	ViewName   = "OSMPSensorViewOut"
	UpdateName = "OSMPTrafficUpdateIn"
	// CommandName is the output with a TrafficCommand in each step, which has no actions.
	CommandName = "OSMPTrafficCommandOut"
	InitName    = "OSMPGroundTruthInitOut"
	// RowsName is the output with what the sensors of the host vehicle have measured in a step.
	RowsName = "host.simsensorOut"

	configSuffix = "Config"
)

// more is a variable after those of actors.
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
	add := func(actor, what, message string, role cosim.Role) {
		name := what
		if actor != "" {
			name = actor + "." + what
		}
		p.more = append(p.more, more{actor, what})
		p.variables = append(p.variables, cosim.Variable{Name: name, Kind: cosim.Binary, Role: role,
			Size: 1, MIMEType: mime(message)})
	}
	add("", InitName, "GroundTruth", cosim.Calculated)
	for _, name := range p.scene.Seats {
		add(name, UpdateName, "TrafficUpdate", cosim.Input)
		add(name, CommandName, "TrafficCommand", cosim.Output)
		if name != p.scene.Truth.Host {
			add(name, ViewName, "SensorView", cosim.Output)
			add(name, ViewName+configSuffix, "SensorViewConfiguration", cosim.Calculated)
		}
	}
	p.more = append(p.more, more{"", RowsName})
	p.variables = append(p.variables, cosim.Variable{Name: RowsName, Kind: cosim.Binary,
		Role: cosim.Output, Size: 1, MIMEType: recording.MIMEType, Portions: true})
}

// messages makes the messages of a world: each kind by a maker of its own, so that each lives until
// the second next of its kind.
type messages struct {
	view, truth *truth.Maker
	others      map[string]*truth.Maker // by actors
	commands    map[string]*truth.Maker
}

func (m *messages) restart() {
	m.view.Restart()
	m.truth.Restart()
	for _, other := range m.others {
		other.Restart()
	}
}

// of makes the message of a variable of the host vehicle.
func (m *messages) of(variable int) ([]byte, error) {
	switch variable {
	case sensorView:
		return m.view.SensorView()
	case groundTruth:
		return m.truth.GroundTruth()
	}
	return m.view.Configuration(), nil
}

// chair is the seat of a driver, with the port by which it speaks.
type chair struct {
	*seat.Seat
	port int
}

// open prepares messages and seats of a new world.
func (p *Participant) open() error {
	o := p.scene.Truth
	m, err := truth.New(p.w, o)
	if err != nil {
		return err
	}
	p.messages = messages{view: m, truth: m.For(o.Host, o.SensorID, o.Range),
		others: map[string]*truth.Maker{}, commands: map[string]*truth.Maker{}}
	p.live = nil
	for _, port := range p.out.Ports {
		n := port.Variable - p.firstMore()
		if n >= 0 && p.more[n].what == RowsName {
			if p.live, err = recording.NewLive(p.w, recording.Options{Host: o.Host}); err != nil {
				return err
			}
		}
		if n >= 0 && p.more[n].actor != "" {
			name := p.more[n].actor
			if _, err := p.maker(name); err != nil {
				return err
			}
			p.messages.commands[name] = m.For(name, 0, 0)
		}
	}
	p.seats = nil
	for k, port := range p.in.Ports {
		n := port.Variable - p.firstMore()
		if n < 0 {
			continue
		}
		s, err := seat.New(p.w, m, seat.Options{Actor: p.more[n].actor, Range: o.Range,
			FromDriver: p.scene.FromDrivers})
		if err != nil {
			return err
		}
		p.seats = append(p.seats, chair{s, k})
	}
	return nil
}

// maker makes the SensorViews of an actor other than the host vehicle.
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

// listen hands what a driver has said to its seat.
func (p *Participant) listen(c *chair) error {
	made := p.in.Times[c.port]
	return c.Update(made, p.in.Blob(c.port, 0))
}

// fillMore writes a variable after those of actors.
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
	if !p.exists(x.actor) { // it is gone: no data
		p.out.SetBlob(port, 0, nil)
		return nil
	}
	m, err := p.maker(x.actor)
	if err != nil {
		return err
	}
	switch x.what {
	case CommandName:
		b, err := p.messages.commands[x.actor].TrafficCommand()
		p.out.SetBlob(port, 0, b)
		return err
	case ViewName + configSuffix:
		p.out.SetBlob(port, 0, m.Configuration())
		return nil
	}
	b, err := m.SensorView()
	p.out.SetBlob(port, 0, b)
	return err
}

func (p *Participant) exists(name string) bool {
	_, err := p.w.Actor(name)
	return err == nil
}

// appendState appends what messages and seats depend on.
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
