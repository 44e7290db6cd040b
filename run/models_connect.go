package run

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/importer/system"
	"gosmp/mocksim/recording"
	"gosmp/osmp"
	"gosmp/run/usage"
	"gosmp/scenario/participant"
)

// seat connects a model to its entity.
func (c *crew) seat(m *model) error {
	at := func(name string) string { return c.world.Name + "." + m.entity + "." + name }
	declared := c.declared(m, at)
	message, update := "TrafficUpdate", at(participant.Update)
	drivers := m.carrying(message)
	if len(drivers) == 0 {
		message, update = osmp.MotionRequestOut.Message, at(participant.Motion)
		drivers = m.carrying(message)
	}
	for _, p := range m.parts {
		view := participant.View
		if slices.Contains(drivers, p) {
			view = participant.DriversView
		}
		c.feed(p, "SensorView", at(view))
		c.feed(p, "TrafficCommand", at(participant.Command))
		c.feed(p, "HostVehicleData", at(participant.Data))
		c.feed(p, "StreamingUpdate", at(participant.Stream))
		c.feedRows(p, at(participant.Rows))
		if data := c.sensors(m); len(data) == 1 {
			c.feed(p, "SensorData", data[0])
		}
	}
	if m.role == "senses" {
		return nil
	}
	if len(drivers) > 1 {
		return usage.Unexpected(m.option, fmt.Sprintf("%s with %d outputs for %ss", m.file,
			len(drivers), message), "one, or --connect MODEL.OUTPUT="+update)
	}
	if len(drivers) > 0 && c.takenByAnother(m, at(participant.Update), at(participant.Motion)) {
		return c.second(m)
	}
	for _, p := range drivers {
		for _, v := range p.Carriers(cosim.Output, message) {
			if !c.System.Fed(update) {
				c.link(p.Name+"."+v.Name, update)
			}
		}
	}
	for _, p := range drivers {
		answers := p.Carriers(cosim.Output, "TrafficCommandUpdate")
		if len(answers) == 1 && !c.System.Fed(at(participant.Answer)) {
			c.link(p.Name+"."+answers[0].Name, at(participant.Answer))
		}
	}
	if len(drivers) == 0 && !declared {
		if err := c.control(m, at); err != nil {
			return err
		}
	}
	return c.moves(m, at)
}

// carrying returns the parts of a model with an output for a message.
func (m *model) carrying(message string) (list []*system.Part) {
	for _, p := range m.parts {
		if len(p.Carriers(cosim.Output, message)) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// feed connects the unconnected inputs of a part for a message.
func (c *crew) feed(p *system.Part, message, from string) {
	for _, v := range p.Carriers(cosim.Input, message) {
		if to := p.Name + "." + v.Name; !c.System.Fed(to) && !strings.HasPrefix(from, p.Name+".") {
			c.link(from, to)
		}
	}
}

// feedRows connects the unconnected inputs of a part for measurements of the entity's own sensors.
func (c *crew) feedRows(p *system.Part, from string) {
	for _, v := range p.Variables() {
		if to := p.Name + "." + v.Name; v.Role == cosim.Input &&
			v.MIMEType == recording.MIMEType && !c.System.Fed(to) {
			c.link(from, to)
		}
	}
}

// sensors returns the outputs with SensorData of the models at the same entity.
func (c *crew) sensors(m *model) (list []string) {
	for _, other := range c.models {
		if other.entity != m.entity {
			continue
		}
		for _, p := range other.parts {
			for _, v := range p.Carriers(cosim.Output, "SensorData") {
				list = append(list, p.Name+"."+v.Name)
			}
		}
	}
	return list
}

// control connects the numeric outputs of a model to the controls of the entity by name:
// brake.request, BrakeRequest and brake_request all match brakeRequest.
func (c *crew) control(m *model, at func(string) string) error {
	for _, name := range participant.Controls() {
		var found []string
		for _, p := range m.parts {
			for _, v := range p.Variables() {
				if v.Role == cosim.Output && v.Size == 1 && v.Kind.IsFloat() &&
					bare(v.Name) == bare(name) {
					found = append(found, p.Name+"."+v.Name)
				}
			}
		}
		if len(found) != 1 || c.System.Fed(at(name)) {
			continue
		}
		if err := c.System.Link(found[0], at(name)); err != nil {
			return err
		}
	}
	return nil
}

// bare returns a name without word separators and case.
func bare(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("._- ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// moves refuses a model under test that does not move anything.
func (c *crew) moves(m *model, at func(string) string) error {
	var inputs []string
	for _, x := range c.System.Connections {
		if strings.HasPrefix(x.To, at("")) && x.To != at(participant.Answer) {
			if m.owns(x.From) {
				return nil
			}
			inputs = append(inputs, x.To)
		}
	}
	if c.takenByAnother(m, inputs...) {
		return c.second(m)
	}
	return usage.Unexpected(m.option, m.file+", which does not move "+m.entity,
		"an output for TrafficUpdates or MotionRequests, or one of a name such as "+
			participant.Brake+", "+
			participant.Acceleration+" or brake; or --connect MODEL.OUTPUT="+at(participant.Brake))
}

// takenByAnother reports whether another model is connected to one of these inputs.
func (c *crew) takenByAnother(m *model, inputs ...string) bool {
	return slices.ContainsFunc(c.System.Connections, func(x cosim.Connection) bool {
		return slices.Contains(inputs, x.To) && !m.owns(x.From)
	})
}

// second refuses a model whose entity is already moved by another one.
func (c *crew) second(m *model) error {
	return usage.Unexpected(m.option, m.file+" as a second model that moves "+m.entity,
		"one model for each input of an entity")
}

// owns reports whether a variable belongs to the model.
func (m *model) owns(variable string) bool {
	return slices.ContainsFunc(m.parts,
		func(p *system.Part) bool { return strings.HasPrefix(variable, p.Name+".") })
}

func (c *crew) link(from, to string) {
	c.System.Connections = append(c.System.Connections, cosim.Connection{From: from, To: to})
}

func (c *crew) feeds(from string) bool {
	return slices.ContainsFunc(c.System.Connections,
		func(x cosim.Connection) bool { return x.From == from })
}
