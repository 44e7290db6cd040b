package examine

import (
	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

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

// setByPart sets the addresses of messages in separate calls, in all orders. The outputs must be
// the same as after a single call.
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
