package examine

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

const (
	leak     = 24 // bytes that a life may keep: less than the smallest block of malloc
	fewLives = 20 // in fewer, a block that is allocated now and then would look like a leak
	// In fewer, a helper of the last life that is about to end would look like a leak.
	fewHelpers = 5
)

// manyLives repeats lives and checks whether the resources of the process grow with each life.
func manyLives(a *attempt) {
	state := a.serializedState()
	for _, reset := range []bool{true, false} {
		if a.livesLeave(reset, state) || state != nil && a.livesLeave(reset, nil) {
			break
		}
	}
	last := len(a.outcomes) - 1
	for _, rule := range []string{"Q2", "Q3", "Q4"} {
		judged := func(o outcome) bool { return o.rule == rule }
		if last >= 0 && !slices.ContainsFunc(a.outcomes, judged) {
			o := &a.outcomes[last]
			a.untested(rule, "many lives do not work: %s", cmp.Or(o.found, o.why))
		}
	}
}

// lives repeats a life n times, or as often as possible within a time in seconds. It returns the
// operation that ends the loop. state is a serialized state of the FMU, if there is one.
func (p *play) lives(n int, seconds float64, reset bool, state []byte) (next int) {
	s := p.s
	p.add(probe.Op{Code: probe.Loop, Count: n, X: [4]float64{seconds, patient * seconds}})
	p.instantiate(0, probe.LoggingOn) // messages may keep memory, too
	p.initialize(0, s.usual())
	p.step(0, s.start, s.step)
	p.read(0, s.start+s.step) // texts are often copied for each call
	if s.canSave() {
		for range 8 {
			p.stateCall("Get", 0) // into the same state handle
		}
		p.stateCall("Set", 0)
		if s.canSerialize() {
			k := len(p.ops)
			p.stateCall("Size", 0)
			p.stateCall("Serialize", 0)
			if len(state) > 0 {
				p.ops[p.stateCall("Deserialize", 1)].Data = state
				p.stateCall("Free", 1)
			}
			p.mayFrom(k) // covered by R10
		}
		p.stateCall("Free", 0)
	}
	p.add(probe.Op{Code: s.function("SetDebugLogging")})
	p.may()
	p.drive(0, 2)
	if reset {
		p.call(0, "Reset")
		b := s.usual()
		b.afterEnter = func() { p.setTexts() }
		p.initialize(0, b)
		p.step(0, s.start, s.step)
	}
	p.end(0)
	return p.add(probe.Op{Code: probe.Next})
}

// patient is how many times longer a loop may take to complete a few lives.
const patient = 5

// settle lets threads of the FMU end before a measurement, for as long as they need on a busy
// machine.
func (p *play) settle() { p.add(probe.Op{Code: probe.Sleep, X: [4]float64{0.02}}) }

// serializedState returns the bytes of a state; nil if the FMU does not serialize states.
func (a *attempt) serializedState() []byte {
	if !a.s.canSerialize() {
		return nil
	}
	p := a.s.newPlay()
	p.live(life{begin: a.s.usual(), n: 1})
	p.stateCall("Get", 0)
	out := p.stateCall("Serialize", 0)
	p.end(0)
	r := a.play(p)
	if r.Crashed() || r.Stopped >= 0 {
		return nil // for R10
	}
	return r.Records[out].Out
}

// livesLeave is like lives, with or without a reset between lives and a serialized state; it
// returns false if the FMU cannot be reset, or refuses the state.
func (a *attempt) livesLeave(reset bool, state []byte) bool {
	s, p := a.s, a.s.newPlay()
	const warm, usual, parts = 20, 180, 3
	rounds, seconds := max(1, a.x.o.Lives/parts), 0.0
	if a.x.o.Lives == 0 || a.x.o.Lives == usual {
		rounds, seconds = usual/parts, 1 // as many lives as possible
	}
	var at, loops []int
	p.lives(warm, 2, reset, state)
	p.settle()
	at = append(at, p.measure())
	for range parts {
		loops = append(loops, p.lives(rounds, seconds, reset, state))
		p.settle()
		at = append(at, p.measure())
	}
	r := a.playWith(p, probe.Options{Linger: time.Second})
	switch {
	case (reset || state != nil) && (r.Crashed() || r.Stopped >= 0):
		return false
	case !a.reaches("Q1", r, at[len(at)-1]):
		return true
	case r.failsAt() >= 0 && isOfStates(&p.ops[r.failsAt()]):
		a.untested("Q1", "%s fails, which is for R8", p.ops[r.failsAt()].Code)
		return true
	case r.Stopped > 0 && p.ops[r.Stopped-1].Code == s.function("SetDebugLogging") &&
		r.Records[r.Stopped-1].Status > warning:
		a.untested("Q1", "%s fails, which is for R24", p.ops[r.Stopped-1].Code)
		return true
	case !a.fine("Q1", r):
		return true
	}
	heap := growth{at, loops, "heap", leak, fewLives, "bytes of memory"}
	if a.grows("Q1", r, heap) && !s.hasRuntime() {
		// memory not from malloc; counted in whole pages or areas, which include fragments
		pages := growth{at, loops, "resident", 16 << 10, fewLives, "bytes of memory"}
		areas := growth{at, loops, "mapped", 64 << 10, fewLives, "bytes of mapped memory"}
		if a.grows("Q1", r, pages) {
			a.grows("Q1", r, areas)
		}
	}
	a.grows("Q1", r, growth{at, loops, "keys", 0.2, 0, threadKeys})
	a.grows("Q2", r, growth{at, loops, "descriptors", 0.2, 0, "descriptors"})
	a.grows("Q3", r, growth{at, loops, "threads", 0.2, fewHelpers, "threads"})
	a.grows("Q4", r, growth{at, loops, "children", 0.2, fewHelpers, "child processes"})
	if r.Children > 0 {
		a.refuted("Q4", r, r.Last, "none", "processes that the FMU has started live on after "+
			"its end")
	}
	return true
}

// failures repeats instantiations that are refused and calls that return Error, and checks whether
// memory is leaked.
func failures(a *attempt) {
	s, p := a.s, a.s.newPlay()
	const warm, rounds, parts = 20, 60, 3
	lives := func(n int) (next int) {
		p.add(probe.Op{Code: probe.Loop, Count: n, X: [4]float64{1, patient}})
		o := s.birth(1)
		o.Data2 = zero(differing(s.model.InstantiationToken))
		p.wrongly(o)
		p.instantiate(0, 0)
		p.initialize(0, s.usual())
		p.wrongly(s.unknownGet())
		p.states[0] = fmi.Erroneous
		p.call(0, "FreeInstance")
		return p.add(probe.Op{Code: probe.Next})
	}
	lives(warm)
	at := []int{p.measure()}
	var loops []int
	for range parts {
		loops = append(loops, lives(rounds))
		at = append(at, p.measure())
	}
	r := a.play(p)
	refused := r.Records[slices.IndexFunc(p.ops, func(o probe.Op) bool { return o.Slot == 1 })]
	if r.Crashed() || r.Stopped >= 0 || refused.Status != probe.StatusNull {
		return // covered by I4, I5 and I7
	}
	if !a.grows("Q1", r, growth{at, loops, "heap", leak, fewLives, "bytes of memory"}) {
		o := &a.outcomes[len(a.outcomes)-1]
		o.found += " in which an instantiation is refused and a call answers Error"
	}
}

const threadKeys = "thread-specific data keys"

// growth is a measurement of the process before, between and after loops of lives.
type growth struct {
	at, loops []int   // the measurements; the ends of the loops between them
	name      string  // of the measurement
	slack     float64 // per life
	fewest    int     // the slack of a loop is for at least this number of lives
	what      string  // what is measured, for display
}

// least returns the smallest growth per life of all loops, the number of lives, and whether the
// measurement grows in every loop. at returns the position of an operation in the script of the
// run.
func (g *growth) least(r *run, at func(k int) int) (least float64, lives int, grows bool) {
	grows = true
	for k, loop := range g.loops {
		n := max(1, r.Records[at(loop)].Runs)
		grown := count(measures(r, at(g.at[k+1])), g.name) - count(measures(r, at(g.at[k])), g.name)
		if each := float64(grown) / float64(n); k == 0 || each < least {
			least = each
		}
		grows = grows && float64(grown) > g.slack*float64(max(n, g.fewest))
		lives += n
	}
	return least, lives, grows
}

// text describes the growth per life.
func (g *growth) text(each float64) string {
	amount := fmt.Sprintf("%.4g", each)
	if each >= 1e4 {
		amount = fmt.Sprintf("%.0f", each)
	}
	what := g.what
	if amount == "1" {
		what = cmp.Or(map[string]string{"descriptors": "descriptor", "threads": "thread",
			"child processes": "child process", threadKeys: "thread-specific data key"}[what], what)
	}
	return "each life keeps " + amount + " " + what
}

// grows proves or refutes a rule. It is refuted if a measurement grows in each loop; grows then
// returns false.
func (a *attempt) grows(rule string, r *run, g growth) bool {
	least, lives, grows := g.least(r, func(k int) int { return k })
	if !grows {
		a.proved(rule)
		return true
	}
	o := a.refuted(rule, r, g.at[len(g.at)-1], "none", "%s, in %d lives", g.text(least), lives)
	o.evidence = &evidence{keep: slices.Concat(g.at, g.loops),
		shown: func(r *run, at func(k int) int) (string, bool) {
			each, _, grows := g.least(r, at)
			return g.text(each), !r.Crashed() && r.Stopped < 0 && grows && each > least/2
		}}
	return false
}
