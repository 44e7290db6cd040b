package examine

import "math"

// otherStart makes lives that start at different times, one after the other: in a new instance, and
// after a reset. The second life must be like one that is alone in its process.
func otherStart(a *attempt) {
	s := a.s
	b := s.usual()
	b.noStop = true
	b.start += float64(s.step * max(1, math.Round((s.stop-s.start)/2/s.step)))
	second := life{begin: b, n: min(2, a.x.n)}
	p := s.newPlay()
	p.instantiate(0, 0)
	alone := a.play(p, p.run(second)...)
	if alone.Crashed() || alone.Stopped >= 0 {
		return // covered by S1
	}
	first := life{begin: s.usual(), n: min(2, a.x.n), blind: true}
	if !s.once() {
		p = s.newPlay()
		p.live(first)
		p.end(0)
		second.slot = 1
		if !a.startsAgain("R4", p, alone, p.live(second)) {
			return
		}
	}
	p = s.newPlay()
	p.live(first)
	p.call(0, "Reset")
	second.slot = 0
	readings := p.run(second)
	readings[0].triples, readings[0].fetches = nil, nil // without a meaning before the first step
	a.startsAgain("R6", p, alone, readings)
}

// startsAgain plays two lives and proves or refutes a rule by comparing the second one with a life
// alone.
func (a *attempt) startsAgain(rule string, p *play, alone *run, readings []reading) bool {
	r := a.play(p, readings...)
	if a.fine(rule, r) && a.sameAs(alone, rule, r, readings) {
		a.proved(rule)
		return true
	}
	a.outcomes[len(a.outcomes)-1].found += "; an earlier life had another start time"
	return false
}
