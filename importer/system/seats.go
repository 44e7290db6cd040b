package system

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/osmp"
	"gosmp/osmp/connect"
)

// Seat is the place of a model in a world: at an actor, whose SensorViews it receives.
type Seat struct {
	World *Part
	View  string // the output of the world for the SensorViews
	// Update is the input of the world for the TrafficUpdates of a driver; empty for a sensor.
	Update string
	// Motion is the input of the world for the MotionRequests of a planner that has no
	// TrafficUpdates; empty for a sensor.
	Motion string
	// Command is the output of the world with TrafficCommands for a driver, and Answer the input
	// for its TrafficCommandUpdates; both are empty for a sensor.
	Command, Answer string
	// Data and Stream are the outputs with HostVehicleData and StreamingUpdates.
	Data, Stream string
}

// Place connects a model with its seat. Inputs that are already connected keep their connections.
// Place fails for a model without an input for SensorViews and for a driver without exactly one
// output for TrafficUpdates.
func (s *System) Place(model *Part, at Seat) error {
	refuse := func(found, expected, hint string) error {
		return fault.New(cosim.ErrConnection, fault.At(model.Name), found, expected).WithHint(hint)
	}
	views := model.Carriers(cosim.Input, osmp.SensorViewIn.Message)
	updates, update := model.Carriers(cosim.Output, osmp.TrafficUpdateOut.Message), at.Update
	if len(updates) == 0 && at.Motion != "" {
		updates, update = model.Carriers(cosim.Output, osmp.MotionRequestOut.Message), at.Motion
	}
	switch {
	case at.Update != "" && len(updates) == 0:
		return refuse("a model without an output for TrafficUpdates",
			osmp.TrafficUpdateOut.Prefix+", which a traffic participant has, or "+
				osmp.MotionRequestOut.Prefix, "")
	case at.Update != "" && len(updates) > 1:
		return refuse(fmt.Sprintf("%d outputs for %ss", len(updates),
			connect.MessageOf(updates[0])), "one",
			"connect each of them by --connect, to the "+update+" of its actor")
	case len(views) == 0 && at.Update == "" && !s.reads(model, at):
		return refuse("a model without an input for SensorViews", osmp.SensorViewIn.Prefix, "")
	}
	s.feed(model, at)
	if at.Update == "" {
		return nil
	}
	for _, name := range []string{at.Update, at.Motion} {
		to := port{part: at.World, variable: cosim.Variable{Name: name}}
		if name != "" && s.connected(to) {
			return refuse("a second driver of "+to.name(), "one for each actor", "")
		}
	}
	s.connectFree(port{part: model, variable: updates[0]},
		port{part: at.World, variable: cosim.Variable{Name: update}})
	s.answer(model, at)
	return nil
}

// Serve connects the inputs that a driver needs from its seat if its TrafficUpdates or
// MotionRequests are already connected to the seat.
func (s *System) Serve(model *Part, at Seat) {
	s.feed(model, at)
	s.answer(model, at)
}

// answer connects a driver's TrafficCommandUpdates.
func (s *System) answer(model *Part, at Seat) {
	answers := model.Carriers(cosim.Output, osmp.TrafficCommandUpdateOut.Message)
	if at.Answer != "" && len(answers) == 1 {
		s.connectFree(port{part: model, variable: answers[0]},
			port{part: at.World, variable: cosim.Variable{Name: at.Answer}})
	}
}

// DriverOf returns the model whose only output for TrafficUpdates, or for MotionRequests, is
// connected to an input of a world; nil if there is none.
func (s *System) DriverOf(world *Part, input string) *Part {
	to := port{part: world, variable: cosim.Variable{Name: input}}.name()
	for _, p := range s.Parts {
		for _, message := range [...]string{osmp.TrafficUpdateOut.Message,
			osmp.MotionRequestOut.Message} {
			list := p.Carriers(cosim.Output, message)
			if len(list) == 1 && slices.ContainsFunc(s.Connections, func(c cosim.Connection) bool {
				return c.To == to && c.From == port{part: p, variable: list[0]}.name()
			}) {
				return p
			}
		}
	}
	return nil
}

// reads reports whether a model has an input for seat messages other than SensorViews.
func (s *System) reads(model *Part, at Seat) bool {
	return at.Data != "" && len(model.Carriers(cosim.Input, osmp.HostVehicleDataIn.Message)) > 0 ||
		at.Stream != "" && len(model.Carriers(cosim.Input, osmp.StreamingUpdateIn.Message)) > 0
}

// feed connects the inputs of a model with the messages of its seat.
func (s *System) feed(model *Part, at Seat) {
	for _, f := range [...]struct{ output, message string }{
		{at.View, osmp.SensorViewIn.Message}, {at.Command, osmp.TrafficCommandIn.Message},
		{at.Data, osmp.HostVehicleDataIn.Message}, {at.Stream, osmp.StreamingUpdateIn.Message}} {
		if f.output == "" {
			continue
		}
		for _, v := range model.Carriers(cosim.Input, f.message) {
			s.connectFree(port{part: at.World, variable: cosim.Variable{Name: f.output}},
				port{part: model, variable: v})
		}
	}
}

// Carriers returns the variables with this role that carry an OSI message.
func (p *Part) Carriers(role cosim.Role, message string) (list []cosim.Variable) {
	for _, v := range p.Variables() {
		if v.Role == role && connect.MessageOf(v) == message {
			list = append(list, v)
		}
	}
	return list
}

// ConnectInits connects each OSMPGroundTruthInit to the output of the only world that describes all
// static objects. A value set by a user takes precedence.
func (s *System) ConnectInits(output string) {
	var worlds []*Part
	for _, p := range s.Parts {
		if p.World {
			worlds = append(worlds, p)
		}
	}
	if len(worlds) != 1 {
		return
	}
	from := port{part: worlds[0], variable: cosim.Variable{Name: output}}
	for _, p := range s.Parts {
		for _, v := range p.Carriers(cosim.Parameter, osmp.GroundTruthInit.Message) {
			if osmp.BaseName(v.Name) == osmp.GroundTruthInit.Prefix {
				s.connectFree(from, port{part: p, variable: v})
			}
		}
	}
}

// ConnectPortions connects an output that provides data about the host vehicle in each step to
// inputs with the same MIME type if only one world has such an output. It does so for models that
// see the world through the given view of its host vehicle, or not at all. Inputs of excepted parts
// are skipped with a warning.
func (s *System) ConnectPortions(output, view string, except func(*Part) bool) {
	from, found := s.onlyOutput(output)
	if !found {
		return
	}
	host := port{part: from.part, variable: cosim.Variable{Name: view}}
	for _, p := range s.Parts {
		for _, v := range p.Variables() {
			to := port{part: p, variable: v}
			switch {
			case v.Role != cosim.Input || v.MIMEType != from.variable.MIMEType || !s.sees(p, host):
			case except(p) && !s.connected(to):
				s.Warnings = append(s.Warnings, fmt.Sprintf("%s is not connected to %s, because "+
					"%s has a different step and would miss data", to.name(), from.name(), p.Name))
			default:
				s.connectFree(from, to)
			}
		}
	}
}

// onlyOutput returns the output with this name, if exactly one world has it.
func (s *System) onlyOutput(name string) (only port, found bool) {
	for _, p := range s.Parts {
		for _, v := range p.Variables() {
			if p.World && v.Name == name && v.Role == cosim.Output {
				if found {
					return port{}, false
				}
				only, found = port{part: p, variable: v}, true
			}
		}
	}
	return only, found
}

// sees reports whether a part's inputs for SensorViews, if it has any, receive the given view.
func (s *System) sees(p *Part, view port) bool {
	for _, v := range p.Carriers(cosim.Input, osmp.SensorViewIn.Message) {
		to := port{part: p, variable: v}
		if !slices.ContainsFunc(s.Connections, func(c cosim.Connection) bool {
			return c.To == to.name() && c.From == view.name()
		}) {
			return false
		}
	}
	return true
}

// FreeDrivers returns the parts whose outputs for TrafficUpdates are all unconnected.
func (s *System) FreeDrivers() (list []*Part) {
	for _, p := range s.Parts {
		free := false
		for _, v := range p.Carriers(cosim.Output, osmp.TrafficUpdateOut.Message) {
			free = true
			for _, c := range s.Connections {
				if c.From == (port{part: p, variable: v}).name() {
					free = false
				}
			}
			if !free {
				break
			}
		}
		if free {
			list = append(list, p)
		}
	}
	return list
}

// hosts returns the producers that belong to no world, or to the host vehicle of one: a world may
// have further producers for other actors.
func hosts(producers []port) (list []port) {
	for _, p := range producers {
		if !p.part.World || !strings.Contains(p.variable.Name, ".") {
			list = append(list, p)
		}
	}
	return list
}
