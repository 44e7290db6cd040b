package examine

import (
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/osmp/check"
)

// port is a notional binary variable of either standard.
type port struct {
	check.Variable
	references []uint32  // in FMI 2.0: low half, high half, size
	v          *variable // in FMI 3.0
	number     int       // of its triple
}

// ports returns the notional binary variables with the given causality and, unless it is empty, the
// given message.
func (s *subject) ports(causality fmi.Causality, message string) (list []port) {
	for k, t := range s.triples {
		list = append(list, port{t.Variable, t.references, nil, k})
	}
	for _, o := range s.osmp.Variables {
		for k := range s.variables {
			v := &s.variables[k]
			full := o.ValueReferences.Full
			if s.major == 3 && full != nil && v.ValueReference == *full && !v.clocked {
				list = append(list, port{o, nil, v, 0})
			}
		}
	}
	return slices.DeleteFunc(list, func(p port) bool {
		return p.Causality != causality || message != "" && p.Message != message
	})
}

const configuration3 = "SensorViewConfiguration"

// messageInputs returns the inputs for which there are example messages.
func (s *subject) messageInputs() []port {
	return slices.DeleteFunc(s.ports(fmi.Input, ""), func(p port) bool {
		return newMessage(p.Message) == nil
	})
}

// messageOutputs returns the outputs whose messages are known.
func (s *subject) messageOutputs() []port {
	return slices.DeleteFunc(s.ports(fmi.Output, ""), func(p port) bool {
		return newMessage(p.Message) == nil
	})
}

// send appends operations that pass a message to an input: in FMI 2.0, they place the message in a
// buffer that ends at an inaccessible page, and pass its address.
func (p *play) send(in port, message []byte, buffer int) { p.sendTo(0, in, message, buffer) }

// sendTo is like send, for any instance.
func (p *play) sendTo(slot int, in port, message []byte, buffer int) {
	p.sent[slot] = p.sent[slot] || in.Causality == fmi.Input
	if p.s.major == 3 {
		p.add(p.s.setOp(slot, p.s.single(in.v), blob(message)))
		return
	}
	p.add(probe.Op{Code: probe.Place, Slot: buffer, Data: message})
	p.add(probe.Op{Code: probe.Send, Slot: slot, State: buffer, References: in.references})
}

// feed sends a message to each input.
func (p *play) feed(slot int, t float64) {
	for n, in := range p.s.messageInputs() {
		p.sendTo(slot, in, example(in.Message, t, newest, 2), 2*min(n, 3)+slot%2)
	}
}

// ask appends a call that reads a notional binary variable.
func (p *play) ask(from port) int { return p.askOf(0, from) }

// askOf is like ask, for any instance.
func (p *play) askOf(slot int, from port) int {
	if p.s.major == 3 {
		g := p.s.single(from.v)
		return p.add(p.s.getOp(slot, &g))
	}
	return p.add(probe.Op{Code: probe.Fetch, Slot: slot, Count: oneCall, State: 14,
		References: from.references})
}
