package examine

import (
	"bytes"
	"strings"

	"gosmp/importer/worker/probe"
)

// held returns the place in which the address of output n is kept from step k to the next one. It
// lies above the places that [play.read] uses, one for each variable.
func held(n, k int) int { return 32 + n%14*2 + k%2 }

// lifetimes reads each output again: after getter calls, after other use of the stack and the heap,
// and after the next step.
func lifetimes(a *attempt) {
	s, p := a.s, a.s.newPlay()
	type look struct{ fetched, used, late int }
	var looks []look
	var names []string
	inputs, outputs := s.messageInputs(), s.messageOutputs()
	p.instantiate(0, 0)
	p.initialize(0, s.usual())
	pending := map[int]int{} // for each output: its reading to repeat after the next step
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
	if !a.fine("OSMP-D7", r) || !a.afterEnd("Terminate") || !a.afterEnd("Reset") ||
		s.canSave() && !a.afterEnd(map[int]string{2: "FreeFMUstate", 3: "FreeFMUState"}[s.major]) {
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

// afterEnd reads outputs again after a call that ends the simulation, because hosts then read and
// display the last message, or after one that frees a state.
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
	frees := strings.HasPrefix(call, "Free")
	if frees {
		p.stateCall("Get", 0)
	}
	outputs := s.messageOutputs()
	for n, out := range outputs {
		looks = append(looks, pair{before: p.add(probe.Op{Code: probe.Fetch, State: held(n, 0),
			Count: oneCall, References: out.references})})
	}
	if frees {
		p.stateCall("Free", 0)
	} else {
		p.call(0, call)
	}
	p.add(probe.Op{Code: probe.Dirty, Count: 16 << 10, State: 256})
	for n := range outputs {
		looks[n].after = p.add(probe.Op{Code: probe.Peek, State: held(n, 0)})
	}
	p.call(0, "FreeInstance")
	r := a.play(p)
	if r.Crashed() || r.Stopped >= 0 {
		return true // covered by R3 and R6
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
