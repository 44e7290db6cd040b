package examine

import (
	"cmp"
	"fmt"
	"slices"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
)

// begin describes how an initialization begins.
type begin struct {
	start, stop float64
	noStop      bool
	tolerance   bool
	relative    float64 // value of the tolerance; 0: 1e-6
	parameters  bool    // first set other values of parameters
	texts       bool    // the same for text parameters
	undefined   bool    // an undefined tolerance has a value no FMU may use
	inputs      int     // set these inputs in Initialization Mode: index in a sequence; 0: none
	afterEnter  func()  // called in Initialization Mode
}

// usual returns the ordinary beginning.
func (s *subject) usual() begin {
	return begin{start: s.start, stop: s.stop, noStop: !s.hasStop, tolerance: s.tolerant}
}

// initialize appends all calls from the instantiated state to the first communication point.
func (p *play) initialize(slot int, b begin) {
	p.enter(slot, b)
	p.leave(slot)
}

// enter appends the calls that lead to Initialization Mode and the calls in this mode.
func (p *play) enter(slot int, b begin) {
	if b.parameters {
		p.setParameters(slot)
	}
	if b.texts {
		p.setOtherTexts(slot)
	}
	p.setup(slot, b)
	if p.s.major == 2 {
		p.call(slot, "EnterInitializationMode")
	}
	if b.inputs > 0 {
		p.drive(slot, b.inputs)
	}
	if b.afterEnter != nil {
		b.afterEnter()
	}
}

// setup appends the call that defines the experiment, which in FMI 3.0 enters Initialization Mode.
func (p *play) setup(slot int, b begin) {
	o := probe.Op{Slot: slot, X: [4]float64{b.start, b.stop, cmp.Or(b.relative, 1e-6)}}
	if !b.noStop {
		o.Flags |= probe.HasStop
	}
	if b.tolerance {
		o.Flags |= probe.HasTolerance
	} else if b.undefined {
		o.X[2] = -1
	}
	o.Code = "fmi3EnterInitializationMode"
	if p.s.major == 2 {
		o.Code = "fmi2SetupExperiment"
	}
	p.add(o)
}

// leave appends the end of Initialization Mode.
func (p *play) leave(slot int) {
	p.call(slot, "ExitInitializationMode")
	if p.s.events {
		p.add(probe.Op{Code: probe.Settle, Slot: slot})
		p.call(slot, "EnterStepMode")
	}
}

// setOp returns the call that sets variables of one type; values has the bytes of all values.
func (s *subject) setOp(slot int, g group, values []byte) probe.Op {
	return probe.Op{Code: s.function("Set" + g.typeName), Slot: slot, References: g.references(),
		Data: values, Values: g.values()}
}

// set appends calls that set variables to the values that value returns; a variable is omitted if
// its value is nil.
func (p *play) set(slot int, list []*variable, value func(v *variable) []byte) {
	var chosen []*variable
	for _, v := range list {
		if p.s.settable(v, p.states[slot]) && value(v) != nil {
			chosen = append(chosen, v)
		}
	}
	for _, g := range p.s.grouped(chosen) {
		const most = 32 // of a call
		for k := 0; k < len(g.variables); k += most {
			part := group{g.typeName, g.size, g.variables[k:min(k+most, len(g.variables))]}
			var values []byte
			for _, v := range part.variables {
				values = append(values, value(v)...)
			}
			p.add(p.s.setOp(slot, part, values))
		}
	}
}

// setParameters sets all parameters with harmless values to other ones.
func (p *play) setParameters(slot int) {
	p.set(slot, p.s.parameters(), p.s.different)
}

// setOtherTexts sets text parameters to a text other than the start value.
func (p *play) setOtherTexts(slot int) {
	list := slices.DeleteFunc(p.s.texts(), func(v *variable) bool {
		return v.Type != fmi.String || v.Causality != fmi.Parameter
	})
	p.set(slot, list, func(v *variable) (all []byte) {
		for k := range v.n {
			text := "another text"
			if k > 0 {
				text += fmt.Sprint(" ", k+1)
			}
			all = append(all, p.s.encode(v, text)...)
		}
		return all
	})
}

// parameters returns the parameters with other values that are known to be harmless: numbers with
// both bounds, Booleans, items of enumerations, and numbers that [attempt.loosen] has tried.
func (s *subject) parameters() (list []*variable) {
	for k := range s.variables {
		v := &s.variables[k]
		if v.Causality != fmi.Parameter {
			continue
		}
		finite := v.isNumber() && (v.isBounded() || v.Type == fmi.Enumeration)
		if finite || v.Type == fmi.Boolean || s.loose[v.Name] {
			list = append(list, v)
		}
	}
	return list
}

func (v *variable) isNumber() bool { return v.Type.IsFloat() || v.Type.IsInteger() }

// isBounded reports whether a variable has a minimum and a maximum.
func (v *variable) isBounded() bool {
	_, low := v.bound(v.Min)
	_, high := v.bound(v.Max)
	return low && high
}

// loosen tries which numbers without both bounds may be changed a little: if lives work with all
// values that trials use, and lead to the same values in two processes. Any number is legal for
// these parameters, but models often have bounds that they do not declare.
func (a *attempt) loosen() {
	const most = 16 // parameters that are tried individually
	s := a.s
	var list []*variable
	for k := range s.variables {
		v := &s.variables[k]
		if v.Causality == fmi.Parameter && v.isNumber() && !v.isBounded() &&
			v.Type != fmi.Enumeration && s.settable(v, fmi.Instantiated) &&
			s.different(v) != nil {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return
	}
	all := a.worksWith(list)
	for k, v := range list {
		s.loose[v.Name] = all || k < most && a.worksWith(list[k:k+1])
	}
}

// worksWith reports whether lives in two processes work, and lead to the same values, if parameters
// have the values that [readBack] sets before the initialization, in it and after a step.
func (a *attempt) worksWith(list []*variable) bool {
	s := a.s
	live := func() *run {
		p := s.newPlay()
		set := func(values ...int) {
			for _, k := range values {
				p.set(0, list, func(v *variable) []byte { return s.other(v, k) })
			}
			p.set(0, list, s.different)
		}
		p.instantiate(0, 0)
		set(1)
		b := s.usual()
		b.afterEnter = func() { set(2) }
		p.initialize(0, b)
		var readings []reading
		for k := range a.x.n {
			if k == 1 {
				set(4)
			}
			p.step(0, s.sum(s.start, k), s.step)
			readings = append(readings, p.read(0, s.sum(s.start, k+1)))
		}
		p.end(0)
		return a.play(p, readings...)
	}
	works := func(r *run) bool { return !r.Crashed() && (r.Stopped < 0 || r.ended()) }
	one := live()
	if !works(one) {
		return false
	}
	two := live()
	return works(two) &&
		s.compare(one.Result, one.readings, two.Result, two.readings, 0) == nil
}

// drive sets all inputs to the k-th values of their sequences.
func (p *play) drive(slot, k int) {
	p.set(slot, p.s.inputs(), func(v *variable) []byte { return p.s.other(v, k) })
}

// driveSingly is like drive, with a separate call for each variable, in reverse order.
func (p *play) driveSingly(slot, k int) {
	list := p.s.inputs()
	if len(list) > mostSingle {
		p.drive(slot, k)
		return
	}
	for _, v := range slices.Backward(list) {
		p.set(slot, []*variable{v}, func(v *variable) []byte { return p.s.other(v, k) })
	}
}
