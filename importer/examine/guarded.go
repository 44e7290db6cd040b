package examine

import (
	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// guarded makes lives with arrays that end immediately before inaccessible memory, or begin
// immediately after it.
func guarded(a *attempt) {
	if a.guardedAt(probe.Guarded) && a.guardedAt(probe.Front) {
		a.proved("Q8")
		a.proved("Q9")
	}
}

// guardedAt is like guarded, with the given placement; it returns false if the trial is over.
func (a *attempt) guardedAt(placement int) bool {
	s, p := a.s, a.s.newPlay()
	p.placement(placement)
	l := a.x.reference()
	l.begin.afterEnter = func() { p.setTextsSingly() }
	p.instantiate(0, probe.LoggingOn)
	if c := s.categories(); len(c) > 0 {
		p.add(probe.Op{Code: s.function("SetDebugLogging"), Flags: probe.LoggingOn, Count: 1,
			Data: zero(c[0])})
		p.may()
	}
	readings := p.run(l)
	if s.canSerialize() {
		p.stateCall("Get", 0)
		p.stateCall("Serialize", 0)
		p.may() // covered by R10
	}
	// the last calls, because an FMU may refuse them
	for _, name := range s.typeNames() {
		p.add(probe.Op{Code: s.function("Get" + name), References: []uint32{}})
		p.may()
	}
	for _, v := range s.oneSettable(fmi.StepComplete) {
		p.add(probe.Op{Code: s.function("Set" + s.typeName(v.Type)), References: []uint32{}})
		p.may()
	}
	p.call(0, "FreeInstance")
	r := a.play(p, readings...)
	if !r.Crashed() && r.Stopped >= 0 && r.Stopped < firstIndex(p, "ExitInitializationMode") {
		a.untested("Q8", "%s", r.describe(r.Stopped))
		return false
	}
	switch {
	case r.Signal != "" && r.Fault == probe.ConstantArray:
		a.crash("Q9", r)
		return false
	case r.Signal != "" && (r.Fault == probe.BehindArray || r.Fault == probe.BeforeArray):
		a.crash("Q8", r)
		return false
	}
	return a.fine("Q8", r)
}
