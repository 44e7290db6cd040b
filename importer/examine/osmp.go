package examine

import (
	"bytes"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/osmp/check"
)

// port is a notional binary variable, of either standard.
type port struct {
	check.Variable
	references []uint32  // in FMI 2.0: low half, high half, size
	v          *variable // in FMI 3.0
	number     int       // of its triple
}

// ports returns the notional binary variables with a causality and, unless it is empty, a message.
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

// osmpTrials returns the trials of OSMP messages.
func osmpTrials() []trial {
	inputs := unless(func(s *subject) bool { return len(s.messageInputs()) > 0 },
		"there is no input for OSI messages")
	pointers := func(x *exam) string {
		if x.s.major == 3 {
			return "messages are passed by value in FMI 3.0"
		}
		return inputs(x)
	}
	outputs := unless(func(s *subject) bool { return len(s.messageOutputs()) > 0 },
		"there is no output with a message of OSI")
	both := func(x *exam) string {
		if x.s.major == 3 {
			return "messages are passed by value in FMI 3.0"
		}
		return outputs(x)
	}
	request := unless(func(s *subject) bool {
		return len(s.ports(fmi.CalculatedParameter, configuration3)) > 0
	}, "there is no configuration request")
	return []trial{
		{rules: []string{"OSMP-P6", "OSMP-D5", "OSMP-D6"}, make: unconnected},
		{rules: []string{"OSMP-B8"}, make: noData, lacks: inputs},
		{rules: []string{"OSMP-V8"}, make: writtenInput, lacks: pointers},
		{rules: []string{"OSMP-V5"}, make: manyMessages, lacks: inputs},
		{rules: []string{"OSMP-V7", "OSMP-D7"}, make: lateRead, lacks: pointers},
		{rules: []string{"OSMP-D5", "OSMP-D6", "OSMP-A2", "OSMP-T1", "OSMP-O1"}, make: connected,
			lacks: outputs},
		{rules: []string{"OSMP-D7"}, make: lifetimes, lacks: both},
		{rules: []string{"OSMP-D8"}, make: chained, lacks: func(x *exam) string {
			if why := outputs(x); why != "" {
				return why
			}
			return manyInstances(x)
		}},
		{rules: []string{"OSMP-D9"}, make: partByPart, lacks: both},
		{rules: []string{"OSMP-C6", "OSMP-C7"}, make: negotiation, lacks: request},
		{rules: []string{"OSMP-G3"}, make: brokenMessages, lacks: inputs},
	}
}

// send appends operations that pass a message to an input: in FMI 2.0 they place it into a buffer
// that ends at a page without access, and pass the address.
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

// unconnected makes a life without any input.
func unconnected(a *attempt) {
	if a.s.fed {
		return // the ordinary life has refuted it
	}
	p := a.s.newPlay()
	readings := p.live(life{begin: a.s.usual(), n: a.x.n, end: true})
	r := a.play(p, readings...)
	if !a.fine("OSMP-P6", r) {
		return
	}
	a.proved("OSMP-P6")
	j := &judge{a: a, r: r}
	for _, out := range a.s.messageOutputs() {
		for k := range readings {
			j.withoutData(out, &readings[k])
		}
	}
}

// noData sends addresses and sizes that mean no data.
func noData(a *attempt) {
	s := a.s
	kinds := []int{probe.SendNothing, probe.SendNoBase, probe.SendNoSize, probe.SendNegative}
	for _, in := range s.messageInputs() {
		for _, kind := range kinds {
			p := s.newPlay()
			p.instantiate(0, 0)
			p.initialize(0, s.usual())
			message := example(in.Message, s.start, newest, 1)
			if s.major == 3 {
				message = nil
			}
			p.send(in, message, 0)
			if s.major == 2 {
				p.ops[len(p.ops)-1].Count = kind
			}
			p.step(0, s.start, s.step)
			p.read(0, s.start+s.step)
			p.end(0)
			if r := a.play(p); !a.fine("OSMP-B8", r) {
				a.explained("OSMP-P6", 0)
				return
			}
			if s.major == 3 {
				break
			}
		}
	}
	a.proved("OSMP-B8")
}

// manyMessages sends messages of all releases, messages with unknown fields, empty messages and
// large ones.
func manyMessages(a *attempt) {
	s := a.s
	const large, bulk = 500, 4 << 20
	for _, in := range s.messageInputs() {
		var list [][]byte
		for minor := uint32(0); minor <= newest.minor; minor++ {
			list = append(list, example(in.Message, s.start, release{3, minor, 0}, 2))
		}
		unknown := append(example(in.Message, s.start, newest, 1), 0x9a, 0x06, 3, 1, 2, 3)
		list = append(list, unknown, example(in.Message, s.start, newest, 0),
			example(in.Message, s.start, newest, large),
			padded(example(in.Message, s.start, newest, 1), bulk))
		p := s.newPlay()
		for _, message := range list {
			p.instantiate(0, probe.LoggingOn)
			p.initialize(0, s.usual())
			p.send(in, message, 0)
			p.step(0, s.start, s.step)
			p.end(0)
		}
		r := a.play(p)
		if !a.fine("OSMP-V5", r) {
			return
		}
		for k, rec := range r.Records {
			if rec.Status == warning && p.ops[k].Code == s.function("DoStep") {
				a.remark("OSMP-V5", "warnings about the examiner's messages: "+r.describe(k))
				return
			}
		}
	}
	a.proved("OSMP-V5")
}

// connectedLife makes a life in which every input gets a message for each step. It calls before and
// after around each DoStep, with the number of the buffer of each message.
func (a *attempt) connectedLife(start float64, before, after func(p *play, buffer int)) *run {
	return a.steppedLife(start, a.s.step, 0, a.x.n, before, after)
}

// steppedLife is like connectedLife, with n steps of length h and messages whose time stamps are
// late by that many seconds.
func (a *attempt) steppedLife(start, h, late float64, n int, before,
	after func(p *play, buffer int),
) *run {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	b := s.usual()
	b.start, b.stop = start, start+s.stop-s.start
	p.initialize(0, b)
	inputs := s.messageInputs()
	inputs = inputs[:min(len(inputs), 4)]
	var readings []reading
	t := start
	for k := range n {
		for n, in := range inputs {
			buffer := 2*n + k%2
			p.send(in, example(in.Message, t-late, newest, 1+k), buffer)
			before(p, buffer)
		}
		p.step(0, t, h)
		for n := range inputs {
			after(p, 2*n+k%2)
		}
		t += h
		readings = append(readings, p.read(0, t))
	}
	p.end(0)
	return a.play(p, readings...)
}

func nothing(*play, int) {}

func protect(mode int) func(p *play, buffer int) {
	return func(p *play, buffer int) {
		p.add(probe.Op{Code: probe.Protect, Slot: buffer, Count: mode})
	}
}

// Modes of [probe.Protect].
const (
	noAccess = iota
	readOnly
)

// lateRead makes each message inaccessible when the step that may read it has returned.
func lateRead(a *attempt) {
	r := a.connectedLife(a.s.start, nothing, protect(noAccess))
	if !a.fine("OSMP-V7", r) {
		return
	}
	a.proved("OSMP-V7")
	for k := range r.readings {
		list, _ := r.readings[k].cells(r.Result)
		for _, c := range list {
			if _, ok := payload(c.bytes); c.v == nil && !ok && isUnreadable(c.bytes) {
				a.refuted("OSMP-D7", r, c.op, "memory of the FMU",
					"%s is in the memory of an input, which becomes invalid after the step", c.name)
				return
			}
		}
	}
}

// writtenInput makes messages read-only.
func writtenInput(a *attempt) {
	r := a.connectedLife(a.s.start, protect(readOnly), nothing)
	if a.fine("OSMP-V8", r) {
		a.proved("OSMP-V8")
	}
}

// held returns the place in which the address of output n is kept from step k to the next: above
// the places that [play.read] uses, one for each variable.
func held(n, k int) int { return 32 + n%14*2 + k%2 }

// lifetimes reads each output again: after getters, after other use of stack and heap, and after
// the next step.
func lifetimes(a *attempt) {
	s, p := a.s, a.s.newPlay()
	type look struct{ fetched, used, late int }
	var looks []look
	var names []string
	inputs, outputs := s.messageInputs(), s.messageOutputs()
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	pending := map[int]int{} // by output: its reading to repeat after the next step
	for k := range max(3, a.x.n) {
		t := s.sum(s.start, k)
		if t+s.step > s.stop*(1+1e-9) && k > 0 {
			break
		}
		for n, in := range inputs {
			p.send(in, example(in.Message, t, newest, 1+k), 2*min(n, 7)+k%2)
		}
		p.step(0, t, s.step)
		for n, out := range outputs {
			if at, waits := pending[n]; waits {
				looks[at].late = p.add(probe.Op{Code: probe.Peek, State: held(n, k+1)})
			}
			l := look{fetched: p.add(probe.Op{Code: probe.Fetch, State: held(n, k), Count: oneCall,
				References: out.references}), late: -1}
			p.read(0, t+s.step)
			p.add(probe.Op{Code: probe.Dirty, Count: 16 << 10, State: 256})
			l.used = p.add(probe.Op{Code: probe.Peek, State: held(n, k)})
			pending[n] = len(looks)
			looks = append(looks, l)
			names = append(names, out.Name)
		}
	}
	p.end(0)
	r := a.play(p)
	if !a.fine("OSMP-D7", r) || !a.afterEnd("Terminate") || !a.afterEnd("Reset") {
		return
	}
	for k, l := range looks {
		first := string(r.Records[l.fetched].Out)
		switch {
		case r.Records[l.used].Runs > 0 && string(r.Records[l.used].Out) != first:
			a.refuted("OSMP-D7", r, l.used, "the same bytes",
				"the bytes of %s change before the next step, when values "+
					"are read and memory is used", names[k])
			return
		case l.late >= 0 && r.Records[l.late].Runs > 0 && string(r.Records[l.late].Out) != first:
			a.refuted("OSMP-D7", r, l.late, "the same bytes until the step after the next begins",
				"the bytes of %s change in the next step", names[k])
			return
		}
	}
	a.proved("OSMP-D7")
}

// afterEnd reads outputs again after a call that ends the simulation: hosts then read and display
// the last message.
func (a *attempt) afterEnd(call string) bool {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	for k := range min(2, a.x.n) {
		for n, in := range s.messageInputs() {
			p.send(in, example(in.Message, s.start, newest, 1), 2*min(n, 7)+k%2)
		}
		p.step(0, s.sum(s.start, k), s.step)
	}
	type pair struct{ before, after int }
	var looks []pair
	outputs := s.messageOutputs()
	for n, out := range outputs {
		looks = append(looks, pair{before: p.add(probe.Op{Code: probe.Fetch, State: held(n, 0),
			Count: oneCall, References: out.references})})
	}
	p.call(0, call)
	p.add(probe.Op{Code: probe.Dirty, Count: 16 << 10, State: 256})
	for n := range outputs {
		looks[n].after = p.add(probe.Op{Code: probe.Peek, State: held(n, 0)})
	}
	p.call(0, "FreeInstance")
	r := a.play(p)
	if r.Crashed() || r.Stopped >= 0 {
		return true // for R3 and R6
	}
	for n, l := range looks {
		if !bytes.Equal(r.Records[l.before].Out, r.Records[l.after].Out) {
			a.refuted("OSMP-D7", r, l.after, "the same bytes", "the bytes of %s change in %s",
				outputs[n].Name, s.function(call))
			return false
		}
	}
	return true
}

// partByPart reads triples in one call, and in separate calls in all orders.
func partByPart(a *attempt) {
	s, p := a.s, a.s.newPlay()
	p.instantiate(0, 0)
	var list [][]int
	var names []string
	look := func(ports []port) {
		for _, out := range ports {
			fetches := []int{}
			for order := range oneCall + 1 {
				fetches = append(fetches, p.add(probe.Op{Code: probe.Fetch, Count: order,
					State: 15, References: out.references}))
			}
			list = append(list, fetches)
			names = append(names, out.Name)
		}
	}
	b := s.usual()
	b.afterEnter = func() { look(s.ports(fmi.CalculatedParameter, "")) }
	p.initialize(0, b)
	p.step(0, s.start, s.step)
	look(s.ports(fmi.Output, ""))
	p.end(0)
	r := a.play(p)
	if !a.fine("OSMP-D9", r) {
		return
	}
	for k, fetches := range list {
		together := r.Records[fetches[oneCall]]
		for _, at := range fetches {
			if rec := r.Records[at]; rec.Runs > 0 && rec.Y != together.Y {
				a.refuted("OSMP-D9", r, at, "the same address and size in every order",
					"%s is %.0f, %.0f, %.0f read part by part, and %.0f, %.0f, %.0f in one call",
					names[k], rec.Y[0], rec.Y[1], rec.Y[2], together.Y[0], together.Y[1],
					together.Y[2])
				return
			}
		}
	}
	if a.setByPart() {
		a.proved("OSMP-D9")
	}
}

// setByPart sets the addresses of messages in separate calls in all orders; the outputs must be the
// same as after a single call.
func (a *attempt) setByPart() bool {
	s := a.s
	inputs := s.messageInputs()
	inputs = inputs[:min(len(inputs), 4)]
	live := func(kind int) *run {
		p := s.newPlay()
		p.instantiate(0, 0)
		p.initialize(0, s.usual())
		for n, in := range inputs {
			p.send(in, example(in.Message, s.start, newest, 2), n)
			p.ops[len(p.ops)-1].Count = kind
		}
		p.step(0, s.start, s.step)
		reading := p.read(0, s.start+s.step)
		p.end(0)
		return a.play(p, reading)
	}
	if len(inputs) == 0 {
		return true
	}
	whole := live(probe.SendBuffer)
	for order := range oneCall {
		r := live(probe.SendParts + order)
		if !a.fine("OSMP-D9", r) {
			return false
		}
		if d := s.compare(whole.Result, whole.readings, r.Result, r.readings, 0); d != nil {
			a.refuted("OSMP-D9", r, d.op, d.left+", as when all are set in one call",
				"%s is %s when the parts of an input are set one by one", d.name, d.right)
			return false
		}
	}
	return true
}

// brokenMessages sends bytes that are not a message.
func brokenMessages(a *attempt) {
	s := a.s
	for _, in := range s.messageInputs() {
		p := s.newPlay()
		for _, message := range damaged(example(in.Message, s.start, newest, 3)) {
			p.instantiate(0, 0)
			p.initialize(0, s.usual())
			p.send(in, message, 0)
			p.may()
			p.step(0, s.start, s.step)
			p.may()
			p.call(0, "FreeInstance")
		}
		if r := a.play(p); r.Crashed() {
			a.crash("OSMP-G3", r)
			return
		}
	}
	a.proved("OSMP-G3")
}
