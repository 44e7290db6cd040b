package examine

import (
	"slices"

	"gosmp/importer/worker/probe"
)

// chained runs two instances in one process, like two models in a chain. One instance steps while a
// receiver still holds the message of the other, in both orders. Their messages differ because the
// second instance has taken more steps. The difference is odd in one case and even in another,
// since buffers may alternate.
func chained(a *attempt) {
	if a.x.n < 2 {
		a.untested("OSMP-D8", "the experiment has room for only one step")
		return
	}
	for _, how := range []manner{inTurn, fetchedSoon, sentFirst} {
		if how == fetchedSoon && a.s.major == 3 {
			continue // FMI 3.0 copies messages
		}
		for _, ahead := range []int{1, 2} {
			if ahead < a.x.n && !a.chainedBy(ahead, how) {
				return
			}
		}
	}
	a.proved("OSMP-D8")
}

// chainedBy compares the messages of instances that run together with the messages of each instance
// alone.
func (a *attempt) chainedBy(ahead int, how manner) bool {
	alone := [2][]string{}
	for slot := range alone {
		r, fetches := a.chain([]int{slot}, ahead, inTurn)
		if !a.fine("OSMP-D8", r) {
			return false
		}
		for _, f := range fetches {
			alone[slot] = append(alone[slot], string(r.Records[f.at].Out))
		}
	}
	for _, order := range [][]int{{0, 1}, {1, 0}} {
		r, fetches := a.chain(order, ahead, how)
		if !a.fine("OSMP-D8", r) {
			return false
		}
		next := [2]int{}
		for _, f := range fetches {
			want := alone[f.slot][next[f.slot]]
			next[f.slot]++
			if a.s.volatile[f.name] || r.Records[f.at].Runs == 0 ||
				string(r.Records[f.at].Out) == want {
				continue
			}
			a.refuted("OSMP-D8", r, f.at, "the message of an instance running alone",
				"%s has different bytes if another instance steps in between", f.name)
			return false
		}
	}
	return true
}

// fetched is a reading of an output of one instance.
type fetched struct {
	name     string
	slot, at int
}

// look appends calls that read outputs: if late is true, the bytes at addresses that are known.
func (p *play) look(looks []fetched, outputs []port, late bool) []fetched {
	for n := range looks {
		l := &looks[n]
		if late {
			l.at = p.add(probe.Op{Code: probe.Peek, State: 32 + 8*l.slot + n%len(outputs)})
		} else {
			l.at = p.askOf(l.slot, outputs[n%len(outputs)])
		}
	}
	return looks
}

// withdraw makes the messages of step k of an instance inaccessible, because the step has ended.
func (p *play) withdraw(slot, k, inputs int) {
	for n := range min(inputs, 4) {
		if p.s.major == 2 {
			p.add(probe.Op{Code: probe.Protect, Slot: 8*slot + 2*n + k%2, Count: noAccess})
		}
	}
}

// manner is how a host handles the messages of several instances.
type manner int

const (
	inTurn      manner = iota
	sentFirst          // all instances get their messages before any of them steps
	fetchedSoon        // the addresses of outputs are read directly after the instance's own step
)

// chain steps instances in the given order and reads their outputs after all of them have stepped.
func (a *attempt) chain(order []int, ahead int, how manner) (*run, []fetched) {
	s, p := a.s, a.s.newPlay()
	late := how == fetchedSoon
	inputs, outputs := s.messageInputs(), s.messageOutputs()
	outputs = outputs[:min(len(outputs), 4)]
	for _, slot := range order {
		p.instantiate(slot, 0)
		p.initialize(slot, s.usual())
	}
	var list []fetched
	send := func(slot, k int) {
		t := s.sum(s.start, k)
		for n, in := range inputs[:min(len(inputs), 4)] {
			p.sendTo(slot, in, example(in.Message, t, newest, 1+k+3*slot), 8*slot+2*n+k%2)
		}
	}
	step := func(slot, k int) { p.step(slot, s.sum(s.start, k), s.step) }
	if slices.Contains(order, 1) {
		for k := range ahead {
			send(1, k)
			step(1, k)
		}
	}
	for k := range min(3, a.x.n-ahead) {
		var looks []fetched
		turns := slices.Clone(order)
		if how == sentFirst { // the last message is the first that ends
			for _, slot := range order {
				send(slot, k+ahead*slot)
			}
			slices.Reverse(turns)
		}
		for _, slot := range turns {
			if how != sentFirst {
				send(slot, k+ahead*slot)
			}
			step(slot, k+ahead*slot)
			if how == sentFirst {
				p.withdraw(slot, k+ahead*slot, len(inputs))
			}
			for n, out := range outputs {
				place := 32 + 8*slot + n
				if late {
					p.add(probe.Op{Code: probe.Fetch, Slot: slot, State: place, Count: oneCall,
						References: out.references})
				}
				looks = append(looks, fetched{name: out.Name, slot: slot})
			}
		}
		list = append(list, p.look(looks, outputs, late)...)
	}
	for _, slot := range order {
		p.end(slot)
	}
	return a.play(p), list
}
