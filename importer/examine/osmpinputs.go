package examine

import (
	"cmp"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// unconnected makes a life without any input.
func unconnected(a *attempt) {
	if a.s.fed {
		return // the ordinary life has already refuted it
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

// noData sends addresses and sizes that represent no data.
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
			read := p.step(0, s.start, s.step) + 1
			p.read(0, s.start+s.step)
			p.end(0)
			r := a.play(p)
			if !a.fine("OSMP-B8", r) {
				a.explained("OSMP-P6", 0)
				return
			}
			if !a.reaches("OSMP-B8", r, read) {
				return
			}
			if s.major == 3 {
				break
			}
		}
		if s.major == 2 && !a.noMoreData(in) {
			return
		}
	}
	a.proved("OSMP-B8")
}

// noMoreData takes a step with a message, takes the message away, and takes a step with no data.
func (a *attempt) noMoreData(in port) bool {
	s, p := a.s, a.s.newPlay()
	message := example(in.Message, s.start, newest, 1)
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	p.send(in, message, 0)
	p.step(0, s.start, s.step)
	first := len(p.ops)
	protect(noAccess)(p, 0)
	p.send(in, message, 1)
	p.ops[len(p.ops)-1].Count = probe.SendNothing
	last := p.step(0, s.start+s.step, s.step)
	p.end(0)
	r := a.play(p)
	if !a.reaches("OSMP-B8", r, last+1) {
		return false
	}
	if at := r.failsAt(); at >= 0 && at < first {
		a.untested("OSMP-B8", "%s fails before that", p.ops[at].Code)
		return false
	}
	if a.fine("OSMP-B8", r) {
		return true
	}
	a.outcomes[len(a.outcomes)-1].found += ", after a step with a message"
	return false
}

// manyMessages sends messages of all releases, messages with unknown fields, empty messages and
// large ones.
func manyMessages(a *attempt) {
	s := a.s
	const large, bulk = 500, 10 << 20 // more than the stack of a main thread
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
		if !a.fine("OSMP-V5", r) || !a.shrinking(in, list) {
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

// shrinking sends messages to one instance, beginning with the large ones; it returns false if this
// fails.
func (a *attempt) shrinking(in port, list [][]byte) bool {
	s, p := a.s, a.s.newPlay()
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	for k := range s.steps(len(list), s.step) {
		p.send(in, list[k], k%2)
		p.step(0, s.sum(s.start, k), s.step)
	}
	p.end(0)
	r := a.play(p)
	return a.fine("OSMP-V5", r)
}

// connectedLife makes a life in which every input receives a message for each step. It calls before
// and after around each DoStep, passing the number of the buffer of each message.
func (a *attempt) connectedLife(start float64, before, after func(p *play, buffer int)) *run {
	return a.steppedLife(start, a.s.step, 0, a.x.n, before, after)
}

// steppedLife is like connectedLife, with n steps of length h and messages whose time stamps lag by
// late seconds.
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
	series := make([][][]byte, len(inputs))
	for k := range inputs {
		series[k] = growing(inputs[k].Message, start-late, h, n)
	}
	t := start
	for k := range n {
		for n, in := range inputs {
			buffer := 2*n + k%2
			p.send(in, series[n][k], buffer)
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

// growing returns messages for n steps of length h. They grow, but two in a row have the same size,
// whatever the step: an FMU must not take one of them for the other. How many bytes a time takes
// depends on the time, so where this would change the size, the second message of such a pair has
// the time stamp of the first, as the messages of a slower producer do.
func growing(name string, t, h float64, n int) (list [][]byte) {
	for k := range n {
		objects, second := 1+(k+1)/2, k > 0 && k%2 == 0
		if n == 2 {
			objects, second = 1, k == 1
		}
		message := example(name, t, newest, objects)
		if second && len(message) != len(list[k-1]) {
			message = example(name, t-h, newest, objects)
		}
		list, t = append(list, message), t+h
	}
	return list
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

// lateRead makes each message inaccessible as soon as the step that may read it has returned.
func lateRead(a *attempt) {
	r := a.connectedLife(a.s.start, nothing, protect(noAccess))
	if !a.fine("OSMP-V7", r) {
		return
	}
	if a.x.n > 1 {
		a.proved("OSMP-V7")
	} else {
		a.remark("OSMP-V7", "the life has only one step: that no address is kept from one step to "+
			"the next was not tested")
	}
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

// brokenMessages sends bytes that are not valid messages, to inputs and as configurations.
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
	for _, config := range s.ports(fmi.Parameter, configuration3) {
		p := s.newPlay()
		for _, message := range damaged(example(config.Message, s.start, newest, 0)) {
			p.instantiate(0, 0)
			p.enter(0, s.usual())
			p.send(config, message, 0)
			p.may()
			p.leave(0)
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
