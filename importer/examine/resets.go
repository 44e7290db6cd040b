package examine

import (
	"cmp"
	"time"

	"gosmp/importer/worker/probe"
)

// resetWay is a way to use an instance before it is reset.
type resetWay struct {
	// use makes calls starting in the instantiated state; n is the number of steps.
	use    func(p *play, n int)
	chosen bool // the FMU may refuse the values that are set
	plain  bool // the subsequent life has no inputs
	noStop bool // the subsequent life has no stop time
}

// resets checks that the life after a reset is like a fresh one, for resets in several states and
// after changes of parameters and inputs.
func resets(a *attempt) {
	kept := ""
	for _, w := range a.resetWays() {
		message, ok := a.resetAfter(&w)
		if !ok {
			return
		}
		kept = cmp.Or(kept, message)
	}
	a.remark("R6", kept)
}

// resetWays returns the ways to use an instance of this FMU before a reset.
func (a *attempt) resetWays() []resetWay {
	s, driven := a.s, a.x.isDriven()
	steps := func(p *play, b begin, n int) {
		p.run(life{begin: b, n: n, driven: driven, blind: true})
	}
	list := []resetWay{
		{use: func(p *play, n int) { steps(p, s.usual(), n) }},
		{plain: true, use: func(p *play, n int) {
			steps(p, s.usual(), n)
			p.call(0, "Terminate")
		}},
		{chosen: true, use: func(p *play, _ int) {
			b := s.usual()
			b.parameters = true
			steps(p, b, min(2, a.x.n))
		}},
		{plain: true, use: func(p *play, _ int) {
			b := s.usual()
			if driven {
				b.inputs = 2 // after which Booleans differ from their start values
			}
			p.enter(0, b)
		}},
		{use: func(p *play, _ int) {
			k := len(p.ops)
			p.setParameters(0)
			p.setOtherTexts(0)
			p.mayFrom(k)
		}},
		{plain: true, noStop: true, use: func(p *play, _ int) {
			b := s.usual()
			b.stop, b.noStop = s.start+s.step, false
			p.run(life{begin: b, n: 1, blind: true})
		}},
	}
	list = append(list, resetWay{use: func(p *play, _ int) {
		steps(p, s.usual(), 1)
		for range 3 {
			p.call(0, "Reset")
			steps(p, s.usual(), 1)
		}
	}})
	if len(s.structural()) > 0 {
		list = append(list, resetWay{plain: true, use: func(p *play, _ int) {
			p.call(0, "EnterConfigurationMode")
		}}, resetWay{chosen: true, use: func(p *play, _ int) {
			p.call(0, "EnterConfigurationMode")
			p.set(0, s.structural(), s.different)
			p.may()
			p.call(0, "ExitConfigurationMode")
		}})
	}
	return list
}

// resetAfter makes a life after a use and a reset and reports whether it is like a fresh one. kept
// describes a message that an output still has.
func (a *attempt) resetAfter(w *resetWay) (kept string, ok bool) {
	s := a.s
	after, as := a.x.reference(), a.x.driven
	if w.plain {
		after.driven, as = false, a.x.plain // earlier settings must have no effect
	}
	if w.noStop && !after.begin.noStop {
		after.begin.noStop = true
		p := s.newPlay()
		p.instantiate(0, probe.LoggingOn)
		as = a.play(p, p.run(after)...)
		if as.Stopped >= 0 || as.Crashed() {
			return "", true // for S1
		}
	}
	var p *play
	var r *run
	var readings []reading
	var outputs []int // before the first step
	for _, n := range []int{a.x.odd(), 1} {
		p = s.newPlay()
		p.instantiate(0, map[bool]probe.Flag{true: probe.LoggingOn}[w.plain]) // like the other life
		w.use(p, n)
		p.call(0, "Reset")
		readings = p.run(after)
		// what a binary output contains before the first step is meaningless
		outputs = readings[0].fetches
		readings[0].triples, readings[0].fetches = nil, nil
		p.end(0)
		if r = a.play(p, readings...); !r.ended() {
			break // else the FMU ended the simulation within n steps
		}
	}
	if w.chosen && r.Stopped >= 0 && r.Stopped < lastIndex(p, "Reset") {
		return "", true // the FMU refuses other values of parameters
	}
	if a.fine("R6", r) {
		return a.keptMessage(as, r, outputs), a.sameAs(as, "R6", r, readings)
	}
	if r.Last < lastIndex(p, "Reset") || r.Stopped >= 0 && r.Stopped < lastIndex(p, "Reset") {
		a.outcomes[len(a.outcomes)-1].unless = "S2" // not the reset, but a late step
	}
	return "", false
}

// keptMessage describes an output that has a message before the first step after a reset, but not
// before the first step of a fresh life, or returns "". fetches are the calls that have read the
// outputs. OSMP does not define them before the first step, so this does not count against an FMU.
func (a *attempt) keptMessage(fresh, r *run, fetches []int) string {
	has := func(r *run, at int) bool {
		rec := &r.Records[at]
		return rec.Runs > 0 && rec.Status <= warning && (rec.Y[0] != 0 || rec.Y[1] != 0) &&
			rec.Y[2] > 0
	}
	first := &fresh.readings[0]
	for k, at := range fetches {
		if k < len(first.fetches) && has(r, at) && !has(fresh, first.fetches[k]) {
			return "after a reset, " + first.triples[k].Name + " has a message before the first " +
				"step, unlike in a new instance"
		}
	}
	return ""
}

// odd returns an odd number of steps, after which Boolean inputs do not have their start values.
func (x *exam) odd() int {
	const most, few, limit = 25, 3, 500 * time.Millisecond
	n := x.s.steps(most, x.s.step)
	if time.Duration(n)*x.stepTime() > limit {
		n = min(n, few)
	}
	return (n-1)/2*2 + 1
}
