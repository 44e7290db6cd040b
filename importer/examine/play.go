package examine

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/importer/worker/probe"
)

// play is a script of calls. It tracks the state of each instance to check every call against the
// table of legal calls.
type play struct {
	s       *subject
	ops     []probe.Op
	states  [8]fmi.State
	fresh   [8]bool  // values were set since the last step
	sent    [8]bool  // messages were sent since the last step
	illegal []string // calls that the table forbids, apart from calls by [play.wrongly]
	comment map[int]string
}

// newPlay returns a script that loads the library.
func (s *subject) newPlay() *play {
	p := &play{s: s, comment: map[int]string{}}
	p.add(probe.Op{Code: probe.Load, Data: zero(s.library)})
	return p
}

func zero(text string) []byte { return append([]byte(text), 0) }

// add appends an operation and returns its number.
func (p *play) add(o probe.Op) int {
	if strings.HasPrefix(o.Code, "fmi") && !legal(o.Code, p.states[o.Slot]) {
		p.illegal = append(p.illegal, fmt.Sprintf("%s in state %v", o.Code, p.states[o.Slot]))
	}
	p.follow(&o)
	p.ops = append(p.ops, o)
	if strings.HasPrefix(o.Code, "fmi") {
		p.states[o.Slot] = fmu.StateAfter(o.Code, p.states[o.Slot], fmi.OK, p.s.events)
	}
	return len(p.ops) - 1
}

// follow records which values were set between steps. Both standards (FMI 2.0.5, 4.2.4; FMI 3.0.2,
// 4.2.1) forbid reading values there before the next step.
func (p *play) follow(o *probe.Op) {
	name := o.Code
	switch name {
	case probe.Send:
		name = "fmi2SetInteger"
	case probe.Fetch:
		name = "fmi2GetInteger"
	}
	const verb = len("fmi2Get")
	if !strings.HasPrefix(name, "fmi") {
		return // an instruction
	}
	values := len(name) > verb && isTypeName(name[verb:])
	stepping := p.states[o.Slot] == fmi.StepComplete
	switch {
	case !values:
		p.fresh[o.Slot] = false
	case name[4:verb] == "Set":
		p.fresh[o.Slot] = stepping
	case stepping && p.fresh[o.Slot]:
		p.illegal = append(p.illegal, fmt.Sprintf("%s after a Set without a step between", o.Code))
	}
}

// wrongly appends a call that may be illegal; its status does not end the script.
func (p *play) wrongly(o probe.Op) int {
	o.Flags |= probe.MayFail
	p.ops = append(p.ops, o)
	return len(p.ops) - 1
}

// call appends a function of the FMU's standard that takes only an instance.
func (p *play) call(slot int, name string) {
	p.add(probe.Op{Code: p.s.function(name), Slot: slot})
}

// may lets the last operation fail.
func (p *play) may() { p.mayFrom(len(p.ops) - 1) }

// mayFrom lets an operation, and all after it, fail.
func (p *play) mayFrom(k int) {
	for ; k < len(p.ops); k++ {
		p.ops[k].Flags |= probe.MayFail
	}
}

// measure appends a measurement of the process.
func (p *play) measure() int { return p.add(probe.Op{Code: probe.Measure}) }

// placement determines where arguments are placed from here on.
func (p *play) placement(mode int) { p.add(probe.Op{Code: probe.Placement, Count: mode}) }

// instantiate appends an instantiation with the right arguments.
func (p *play) instantiate(slot int, flags probe.Flag) int {
	o := p.s.birth(slot)
	o.Flags |= flags
	return p.add(o)
}

// birth returns the operation that instantiates the FMU.
func (s *subject) birth(slot int) probe.Op {
	o := probe.Op{Slot: slot, Data: zero(fmt.Sprintf("instance%d", slot+1)),
		Data2: zero(s.model.InstantiationToken)}
	if s.resources != "" {
		o.Data3 = zero(s.resources)
	}
	if s.major == 2 {
		o.Code, o.Values = "fmi2Instantiate", 1
		return o
	}
	o.Code = "fmi3InstantiateCoSimulation"
	if s.events {
		o.Flags = probe.EventMode
	}
	return o
}

// begin describes how an initialization begins.
type begin struct {
	start, stop float64
	noStop      bool
	tolerance   bool
	parameters  bool   // set other values of parameters before
	texts       bool   // the same for texts
	undefined   bool   // an undefined tolerance has a value that no FMU may use
	inputs      int    // set these inputs in Initialization Mode: number of a sequence, 0: none
	afterEnter  func() // called in Initialization Mode
}

// usual returns the ordinary beginning.
func (s *subject) usual() begin {
	return begin{start: s.start, stop: s.stop, noStop: !s.hasStop}
}

// initialize appends everything from instantiated to the first communication point.
func (p *play) initialize(slot int, b begin) {
	p.enter(slot, b)
	p.leave(slot)
}

// enter appends the calls that lead to Initialization Mode, and the calls in it.
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
	o := probe.Op{Slot: slot, X: [4]float64{b.start, b.stop, 1e-6}}
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

// setOp returns the call that sets variables of one type; values has the bytes of all.
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

// setParameters sets other values of parameters that have bounds or are numbers.
func (p *play) setParameters(slot int) {
	p.set(slot, p.s.parameters(), p.s.different)
}

// setOtherTexts sets text parameters to a text that is not their start value.
func (p *play) setOtherTexts(slot int) {
	list := slices.DeleteFunc(p.s.texts(), func(v *variable) bool {
		return v.Type != fmi.String || v.n != 1 || v.Causality != fmi.Parameter
	})
	p.set(slot, list, func(v *variable) []byte { return p.s.encode(v, "another text") })
}

// parameters returns the parameters with other values that are known to be harmless: numbers with
// both bounds, Booleans, and items of enumerations.
func (s *subject) parameters() (list []*variable) {
	for k := range s.variables {
		v := &s.variables[k]
		_, low := v.bound(v.Min)
		_, high := v.bound(v.Max)
		numeric := v.Type.IsFloat() || v.Type.IsInteger()
		finite := numeric && (low && high || v.Type == fmi.Enumeration) || v.Type == fmi.Boolean
		if v.Causality == fmi.Parameter && finite {
			list = append(list, v)
		}
	}
	return list
}

// drive sets all inputs to values number k of their sequences.
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

// step appends a step, and the handling of the events that it requests.
func (p *play) step(slot int, t, h float64) int {
	if p.s.fed && !p.sent[slot] {
		p.feed(slot, t)
	}
	p.sent[slot] = false
	k := p.add(probe.Op{Code: p.s.function("DoStep"), Slot: slot, X: [4]float64{t, h}})
	p.event(slot)
	return k
}

func (p *play) event(slot int) {
	if p.s.events {
		p.add(probe.Op{Code: probe.Unless, Slot: slot, Count: 3})
		p.call(slot, "EnterEventMode")
		p.add(probe.Op{Code: probe.Settle, Slot: slot})
		p.call(slot, "EnterStepMode")
	}
}

// reading is a point in a script at which all variables are read.
type reading struct {
	t       float64
	groups  []group
	ops     []int // of groups
	triples []triple
	fetches []int // of triples
}

// read appends calls that read all variables that may be read.
func (p *play) read(slot int, t float64) (r reading) {
	r.t, r.groups = t, p.s.grouped(p.readable(slot))
	for k := range r.groups {
		r.ops = append(r.ops, p.add(p.s.getOp(slot, &r.groups[k])))
	}
	for k, v := range p.s.triples {
		if v.Causality == fmi.Output {
			r.triples = append(r.triples, v)
			r.fetches = append(r.fetches,
				p.add(probe.Op{Code: probe.Fetch, Slot: slot, State: k % 32,
					Count: oneCall, References: v.references}))
		}
	}
	return r
}

const oneCall = 6 // order of a Fetch: the three in one call

func (s *subject) getOp(slot int, g *group) probe.Op {
	return probe.Op{Code: s.function("Get" + g.typeName), Slot: slot, References: g.references(),
		Values: g.values()}
}

// life describes the course of a life.
type life struct {
	slot      int
	flags     probe.Flag // of the instantiation
	stepFlags probe.Flag
	begin     begin
	n         int
	driven    bool // inputs change in each step
	single    bool // each variable is set in a call of its own, in reverse order
	often     bool // inputs are set to other values before, and twice
	blind     bool // nothing is read
	apart     bool // each variable is read in a call of its own
	end       bool // terminate and free
}

// live appends a life and returns its readings: one after initialization, and one after each step.
func (p *play) live(l life) (readings []reading) {
	p.instantiate(l.slot, l.flags)
	readings = p.run(l)
	if l.end {
		p.end(l.slot)
	}
	return readings
}

// run appends a life from the state instantiated to its last step.
func (p *play) run(l life) (readings []reading) {
	if l.driven {
		l.begin.inputs = 1
	}
	p.initialize(l.slot, l.begin)
	if !l.blind {
		readings = append(readings, p.readAs(l, l.begin.start))
	}
	for k := range l.n {
		if reading := p.stepAndRead(l, k); !l.blind {
			readings = append(readings, reading)
		}
	}
	return readings
}

// stepAndRead appends step k of a life.
func (p *play) stepAndRead(l life, k int) reading {
	if l.driven && l.often {
		p.drive(l.slot, k+9)
		p.drive(l.slot, k+2)
	}
	switch {
	case l.driven && l.single:
		p.driveSingly(l.slot, k+2)
	case l.driven:
		p.drive(l.slot, k+2)
	}
	t := p.s.sum(l.begin.start, k)
	o := p.step(l.slot, t, p.s.step)
	p.ops[o].Flags |= l.stepFlags
	if l.blind {
		return reading{}
	}
	return p.readAs(l, t+p.s.step)
}

// readAs reads all variables in the way that a life specifies.
func (p *play) readAs(l life, t float64) reading {
	if !l.apart {
		return p.read(l.slot, t)
	}
	r := reading{t: t}
	for _, g := range p.s.grouped(p.readable(l.slot)) {
		for _, v := range g.variables {
			r.groups = append(r.groups, p.s.single(v))
		}
	}
	for k := range r.groups {
		r.ops = append(r.ops, p.add(p.s.getOp(l.slot, &r.groups[k])))
	}
	return r
}

// readable returns the variables that may be read now.
func (p *play) readable(slot int) (list []*variable) {
	for k := range p.s.variables {
		if v := &p.s.variables[k]; p.s.readable(v, p.states[slot]) {
			list = append(list, v)
		}
	}
	return list
}

// sum returns the time after k steps, accumulated as the strictest FMUs expect.
func (s *subject) sum(t float64, k int) float64 {
	for range k {
		t += s.step
	}
	return t
}

// end appends Terminate and FreeInstance.
func (p *play) end(slot int) {
	p.call(slot, "Terminate")
	p.call(slot, "FreeInstance")
}
