package examine

import (
	"fmt"
	"strings"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/importer/worker/probe"
)

// play is a script of calls. It tracks the state of each instance and checks every call against the
// table of legal calls.
type play struct {
	s       *subject
	ops     []probe.Op
	states  [8]fmi.State
	fresh   [8]bool      // values were set after the last step
	sent    [8]bool      // messages were sent after the last step
	illegal []string     // calls that the table forbids, except calls by [play.wrongly]
	wrong   map[int]bool // calls of [play.wrongly]
}

// newPlay returns a script that first loads the library.
func (s *subject) newPlay() *play {
	p := &play{s: s, wrong: map[int]bool{}}
	p.add(probe.Op{Code: probe.Load, Data: zero(s.library)})
	return p
}

func zero(text string) []byte { return append([]byte(text), 0) }

// add appends an operation and returns its index.
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

// follow records whether values were set between steps. Both standards (FMI 2.0.5, 4.2.4; FMI
// 3.0.2, 4.2.1) then forbid reading values before the next step.
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
	p.wrong[len(p.ops)-1] = true
	return len(p.ops) - 1
}

// call appends a function of the FMU's standard that takes only an instance.
func (p *play) call(slot int, name string) {
	p.add(probe.Op{Code: p.s.function(name), Slot: slot})
}

// may allows the last operation to fail.
func (p *play) may() { p.mayFrom(len(p.ops) - 1) }

// mayFrom allows an operation and all later ones to fail.
func (p *play) mayFrom(k int) {
	for ; k < len(p.ops); k++ {
		p.ops[k].Flags |= probe.MayFail
	}
}

// measure appends a measurement of the process.
func (p *play) measure() int { return p.add(probe.Op{Code: probe.Measure}) }

// placement determines how later arguments are placed in memory.
func (p *play) placement(mode int) { p.add(probe.Op{Code: probe.Placement, Count: mode}) }

// instantiate appends an instantiation with valid arguments.
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
	o.Code = s.function(s.birthName())
	if s.major == 2 {
		o.Values = 1
		return o
	}
	if s.events {
		o.Flags = probe.EventMode
	}
	return o
}

// birthName returns the name of the function that instantiates the FMU, without its prefix.
func (s *subject) birthName() string {
	return map[int]string{2: "Instantiate", 3: "InstantiateCoSimulation"}[s.major]
}

// end appends Terminate and FreeInstance.
func (p *play) end(slot int) {
	p.call(slot, "Terminate")
	p.call(slot, "FreeInstance")
}
