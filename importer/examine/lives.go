package examine

import (
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// lifeTrials returns the trials of legal lives.
func lifeTrials() []trial {
	return []trial{
		{rules: []string{"R2"}, make: startValues},
		{rules: []string{"R2", "V20", "R16"}, make: laterLife},
		{rules: []string{"R3"}, make: freeEverywhere},
		{rules: []string{"R4"}, make: secondLife},
		{rules: []string{"R5"}, make: interleaved, lacks: func(x *exam) string {
			if why := compared(x); why != "" {
				return why
			}
			return manyInstances(x)
		}},
		{rules: []string{"R6"}, make: resets, lacks: compared},
		{rules: []string{"R6"}, make: resetLogging},
		{rules: []string{"G6"}, make: twoVoices, lacks: manyInstances},
		{rules: []string{"R4", "R6"}, make: otherStart, lacks: compared},
		{rules: []string{"R7"}, make: otherThread, lacks: compared},
		{rules: []string{"R15"}, make: unload},
		{rules: []string{"R17"}, make: takeBack, lacks: compared},
		{rules: []string{"R18"}, make: twoLibraries, lacks: compared},
		{rules: []string{"R19"}, make: readLate},
		{rules: []string{"G3"}, make: forgotten, lacks: compared},
		{rules: []string{"Q8", "Q9"}, make: guarded, lacks: compared},
		{rules: []string{"Q10"}, make: smallStack},
	}
}

// startValues sets all parameters and inputs to their start values, as most importers do.
func startValues(a *attempt) {
	s, p := a.s, a.s.newPlay()
	var all []*variable
	for k := range s.variables {
		v := &s.variables[k]
		if v.Causality == fmi.Parameter || v.Causality == fmi.Input {
			all = append(all, v)
		}
	}
	p.instantiate(0, probe.LoggingOn)
	p.set(0, all, s.startOf)
	b := s.usual()
	b.afterEnter = func() { p.set(0, all, s.startOf) }
	p.initialize(0, b)
	p.step(0, s.start, s.step)
	p.end(0)
	r := a.play(p)
	if !a.fine("R2", r) {
		a.outcomes[len(a.outcomes)-1].found += ", when all start values are set"
		return
	}
	a.proved("R2")
}

// freeEverywhere frees instances in each state in which this is legal.
func freeEverywhere(a *attempt) {
	s := a.s
	list := []func(p *play){
		func(*play) {},
		func(p *play) {
			if s.major == 2 {
				p.setup(0, s.usual())
			}
		},
		func(p *play) { p.enter(0, s.usual()) },
		func(p *play) { p.initialize(0, s.usual()) },
		func(p *play) {
			p.initialize(0, s.usual())
			p.step(0, s.start, s.step)
		},
	}
	if len(s.structural()) > 0 {
		list = append(list, func(p *play) { p.call(0, "EnterConfigurationMode") })
	}
	for _, until := range list {
		p := s.newPlay()
		p.instantiate(0, 0)
		until(p)
		p.call(0, "FreeInstance")
		if r := a.play(p); !a.fine("R3", r) {
			return
		}
	}
	p := s.newPlay()
	p.wrongly(probe.Op{Code: s.function("FreeInstance"), Flags: probe.NoInstance})
	if r := a.play(p); r.Crashed() {
		a.refuted("R3", r, r.Last, "that the call is ignored",
			"%s, called with NULL for the instance", r.end()).as(finding.Warning)
		return
	}
	a.proved("R3")
}

func lastIndex(p *play, name string) int {
	for k := len(p.ops) - 1; k >= 0; k-- {
		if p.ops[k].Code == p.s.function(name) {
			return k
		}
	}
	return -1
}

// secondLife makes two lives one after the other; an FMU that does not support this must declare
// it.
func secondLife(a *attempt) {
	s := a.s
	p := s.newPlay()
	p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: min(2, a.x.n), end: true})
	second := p.instantiate(1, probe.LoggingOn)
	if s.once() {
		p.may()
		r := a.play(p)
		switch {
		case r.Crashed():
			a.crash("R4", r)
		case r.Records[second].Status == probe.StatusNull && !r.speaks(second):
			a.refuted("R4", r, second, "NULL and a message, since the FMU declares "+
				"canBeInstantiatedOnlyOncePerProcess", "%s, and there is no message",
				r.describe(second)).as(finding.Warning)
		case r.Records[second].Status == probe.StatusNull || r.Records[second].Status == 0:
			a.proved("R4")
		}
		return
	}
	p.run(life{slot: 1, begin: s.usual(), n: min(2, a.x.n)})
	p.end(1)
	r := a.play(p)
	if !a.fine("R4", r) {
		return
	}
	a.proved("R4")
}

// interleaved runs two instances at the same time; the compared instance has the inputs of the
// reference life, while the other one has different inputs and is freed before the last step.
func interleaved(a *attempt) {
	s := a.s
	l := a.x.reference()
	p := s.newPlay()
	p.instantiate(0, 0)
	p.instantiate(1, 0)
	first, second := l, l
	second.begin = a.otherBegin()
	first.begin.inputs, second.begin.inputs = 0, 0
	if l.driven {
		first.begin.inputs, second.begin.inputs = 1, 9
	}
	p.initialize(1, second.begin)
	p.initialize(0, first.begin)
	readings := []reading{p.read(0, l.begin.start)}
	for k := range l.n {
		t := s.sum(l.begin.start, k)
		if l.driven {
			p.drive(0, k+2)
			p.drive(1, k+9)
		}
		p.step(1, t, s.step)
		if k == l.n-1 {
			p.end(1)
		}
		p.step(0, t, s.step)
		readings = append(readings, p.read(0, t+s.step))
	}
	p.end(0)
	r := a.play(p, readings...)
	if a.fine("R5", r) && a.same("R5", r, readings) {
		a.proved("R5")
	}
}

// otherBegin returns the ordinary beginning with other parameter values that the FMU accepts:
// numbers and texts, numbers only, or none.
func (a *attempt) otherBegin() begin {
	b := a.s.usual()
	for _, texts := range []bool{true, false} {
		b.parameters, b.texts = true, texts
		p := a.s.newPlay()
		p.live(life{begin: b, n: min(1, a.x.n)})
		if r := a.play(p); r.Stopped < 0 && !r.Crashed() {
			return b
		}
	}
	return a.s.usual()
}

// otherThread takes steps, and then makes all calls after the instantiation, in threads other than
// the one that instantiated the FMU.
func otherThread(a *attempt) {
	for _, all := range []bool{false, true} {
		p := a.s.newPlay()
		l := a.x.reference()
		l.stepFlags, l.end = probe.OtherThread, true
		readings := p.live(l)
		for k := firstIndex(p, a.s.birthName()) + 1; all && k < len(p.ops); k++ {
			if strings.HasPrefix(p.ops[k].Code, "fmi") {
				p.ops[k].Flags |= probe.OtherThread
			}
		}
		r := a.play(p, readings...)
		if !a.fine("R7", r) || !a.same("R7", r, readings) {
			return
		}
	}
	a.proved("R7")
}

// unload ends a life, unloads the library, waits for threads that may outlive it, and loads it
// again.
func unload(a *attempt) {
	s := a.s
	p := s.newPlay()
	p.live(life{begin: s.usual(), n: min(2, a.x.n), end: true})
	p.add(probe.Op{Code: probe.Unload})
	p.add(probe.Op{Code: probe.Sleep, X: [4]float64{0.05}})
	p.add(probe.Op{Code: probe.Load, Data: zero(s.library)})
	p.add(probe.Op{Code: s.function("GetVersion")})
	p.add(probe.Op{Code: probe.Unload})
	p.add(probe.Op{Code: probe.Sleep, X: [4]float64{0.05}})
	const stack = 8 << 20
	for _, own := range []int{0, stack} { // one of its threads ends after the library is gone
		if r := a.playWith(p, probe.Options{Stack: own}); !a.fine("R15", r) {
			return
		}
	}
	a.proved("R15")
}

// takeBack makes texts and binaries unreadable as soon as the call that set them has returned.
func takeBack(a *attempt) {
	s := a.s
	texts := len(s.texts()) > 0
	p := s.newPlay()
	l := a.x.reference()
	p.instantiate(0, 0)
	p.placement(probe.TakeBack)
	p.setTexts()
	l.begin.afterEnter = func() { p.setTexts() }
	readings := p.run(l)
	p.end(0)
	if !texts {
		a.untested("R17", "no text or binary can be set")
		return
	}
	r := a.play(p, readings...)
	if r.Stopped >= 0 && r.Stopped < firstIndex(p, "ExitInitializationMode") {
		a.untested("R17", "%s", r.describe(r.Stopped))
		return
	}
	if a.fine("R17", r) && a.same("R17", r, readings) {
		a.proved("R17")
	}
}

func firstIndex(p *play, name string) int {
	for k := range p.ops {
		if p.ops[k].Code == p.s.function(name) {
			return k
		}
	}
	return len(p.ops)
}

// twoLibraries loads the library twice, the second time under another name.
func twoLibraries(a *attempt) {
	s := a.s
	copied, err := s.copyLibrary(a.x)
	if err != nil {
		a.untested("R18", "the library cannot be copied: %v", err)
		return
	}
	p := s.newPlay()
	p.add(probe.Op{Code: probe.Load, Slot: 1, Data: zero(copied)})
	l := a.x.reference()
	p.instantiate(0, 0)
	o := s.birth(1)
	o.State = 1
	p.add(o)
	p.initialize(1, s.usual())
	readings := p.run(l)
	p.step(1, s.start, s.step)
	p.end(1)
	p.end(0)
	r := a.play(p, readings...)
	if a.fine("R18", r) && a.same("R18", r, readings) {
		a.proved("R18")
	}
}

// readLate reads before and after Terminate, when the values of the last step can still be read.
func readLate(a *attempt) {
	s, p := a.s, a.s.newPlay()
	l := life{begin: s.usual(), n: min(2, a.x.n), driven: a.x.driven != nil && a.x.isDriven()}
	readings := p.live(l)
	before := readings[len(readings)-1:]
	p.call(0, "Terminate")
	after := []reading{p.read(0, before[0].t)}
	p.call(0, "FreeInstance")
	r := a.play(p, readings...)
	if !a.fine("R19", r) {
		return
	}
	if d := s.compare(r.Result, before, r.Result, after, 0); d != nil {
		o := a.refuted("R19", r, d.op, d.left+" as before", "%s is %s after Terminate", d.name,
			d.right)
		o.unless = "R21" // R21: values change whenever they are read
		return
	}
	a.proved("R19")
}

// forgotten makes the arguments of an instantiation inaccessible after the call.
func forgotten(a *attempt) {
	p := a.s.newPlay()
	l := a.x.reference()
	l.flags, l.end = probe.Forget|probe.LoggingOn, true
	readings := p.live(l)
	r := a.play(p, readings...)
	if !a.fine("G3", r) {
		return
	}
	ref := a.x.driven
	if a.s.compare(ref.Result, ref.readings, r.Result, readings, 0) == nil {
		a.proved("G3")
		return
	}
	q := a.s.newPlay()
	l.flags = probe.LoggingOn // R24 covers values that change because of logging alone
	logged := q.live(l)
	if a.sameAs(a.play(q, logged...), "G3", r, readings) {
		a.proved("G3")
	}
}

// smallStack makes a life in a thread whose stack leaves 64 KiB for the FMU.
func smallStack(a *attempt) {
	const stack = 64<<10 + 12<<10 // plus what the C library and the probe themselves use
	p := a.s.newPlay()
	p.live(life{begin: a.s.usual(), n: min(2, a.x.n), end: true})
	r := a.playWith(p, probe.Options{Stack: stack})
	if a.fine("Q10", r) {
		a.proved("Q10")
	}
	for k := range a.outcomes {
		a.outcomes[k].severity = min(a.outcomes[k].severity, finding.Warning)
	}
}
