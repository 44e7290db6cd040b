package examine

import "math"

// otherStart makes lives that start at different times, one after the other: in a new instance, and
// after a reset. The second life must be like one that is alone in its process.
func otherStart(a *attempt) {
	s := a.s
	b := s.usual()
	b.noStop = true
	b.start += float64(s.step * max(1, math.Round((s.stop-s.start)/2/s.step)))
	p := s.newPlay()
	p.instantiate(0, 0)
	alone := a.play(p, p.run(life{begin: b, n: min(2, a.x.n)})...)
	if alone.Crashed() || alone.Stopped >= 0 {
		return // covered by S1
	}
	u := s.usual()
	q := s.newPlay()
	q.instantiate(0, 0)
	usual := a.play(q, q.run(life{begin: u, n: min(2, a.x.n)})...)
	for _, rule := range []string{"R4", "R6"} {
		if rule == "R4" && s.once() {
			continue
		}
		if !a.startsAgain(rule, u, b, alone) || !usual.Crashed() && usual.Stopped < 0 &&
			!a.startsAgain(rule, b, u, usual) {
			return
		}
	}
}

// startsAgain makes a life, and after it one that begins at another time, b, and proves or refutes
// a rule by comparing the second one with a life alone. If two lives at the same time differ as
// well, as with random numbers, the difference is not due to the start time.
func (a *attempt) startsAgain(rule string, first, b begin, alone *run) bool {
	r, readings := a.twoLives(rule, first, b)
	if !a.fine(rule, r) {
		a.outcomes[len(a.outcomes)-1].found += startedBefore
		return false
	}
	if a.s.compare(alone.Result, alone.readings, r.Result, readings, 0) != nil {
		same, again := a.twoLives(rule, b, b)
		if a.s.compare(alone.Result, alone.readings, same.Result, again, 0) != nil {
			return true // covered by R5 and R6
		}
		a.sameAs(alone, rule, r, readings)
		a.outcomes[len(a.outcomes)-1].found += startedBefore
		return false
	}
	a.proved(rule)
	return true
}

const startedBefore = "; an earlier life had another start time"

// twoLives makes two lives with these beginnings, the second one in a new instance (R4) or after a
// reset (R6), and returns the readings of the second one.
func (a *attempt) twoLives(rule string, first, second begin) (*run, []reading) {
	p := a.s.newPlay()
	n := min(2, a.x.n)
	p.live(life{begin: first, n: n, blind: true})
	if rule == "R4" {
		p.end(0)
		readings := p.live(life{slot: 1, begin: second, n: n, end: true})
		return a.play(p, readings...), readings
	}
	p.call(0, "Reset")
	readings := p.run(life{begin: second, n: n})
	readings[0].triples, readings[0].fetches = nil, nil // without a meaning before the first step
	return a.play(p, readings...), readings
}
