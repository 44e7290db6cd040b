package examine

import (
	"slices"

	"gosmp/importer/worker/probe"
)

// step appends a step and the handling of the events that it requests. If the FMU refuses steps
// beyond events that it has announced, there is a step to each of them.
func (p *play) step(slot int, t, h float64) int {
	if p.s.fed && !p.sent[slot] {
		p.feed(slot, t)
	}
	p.sent[slot] = false
	end := t + h
	for _, event := range p.s.announced {
		if event > t && event < end && !due(event, t) && !due(event, end) {
			p.add(probe.Op{Code: "fmi3DoStep", Slot: slot, X: [4]float64{t, event - t}})
			p.update(slot)
			t, h = event, end-event
		}
	}
	k := p.add(probe.Op{Code: p.s.function("DoStep"), Slot: slot, X: [4]float64{t, h}})
	p.event(slot, end)
	return k
}

// event appends the handling of an event at time t, unless the FMU has neither requested nor
// announced one.
func (p *play) event(slot int, t float64) {
	if !p.s.events {
		return
	}
	if !slices.ContainsFunc(p.s.announced, func(event float64) bool { return due(event, t) }) {
		p.add(probe.Op{Code: probe.Unless, Slot: slot, Count: 3})
	}
	p.update(slot)
}

func (p *play) update(slot int) {
	p.call(slot, "EnterEventMode")
	p.add(probe.Op{Code: probe.Settle, Slot: slot})
	p.call(slot, "EnterStepMode")
}

// life describes the course of a life.
type life struct {
	slot      int
	flags     probe.Flag // of the instantiation
	aloud     bool       // logging is switched on for all categories after the instantiation
	stepFlags probe.Flag
	begin     begin
	n         int
	driven    bool // inputs change in each step
	single    bool // each variable is set in a separate call, in reverse order
	often     bool // inputs are first set to other values, then set twice
	blind     bool // nothing is read
	apart     bool // each variable is read in a separate call
	toggled   bool // logging is switched on and off between steps
	queried   bool // the status of each step is asked for
	end       bool // terminate and free
}

// live appends a life and returns its readings: one after initialization, and one after each step.
func (p *play) live(l life) (readings []reading) {
	p.instantiate(l.slot, l.flags)
	if l.aloud {
		p.add(p.logAll(l.slot))
	}
	readings = p.run(l)
	if l.end {
		p.end(l.slot)
	}
	return readings
}

// run appends a life, from the instantiated state to its last step.
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
	if l.toggled {
		debug := probe.Op{Code: p.s.function("SetDebugLogging"), Slot: l.slot}
		if k%2 == 0 {
			debug.Flags = probe.LoggingOn
		}
		p.add(debug)
	}
	t := p.s.sum(l.begin.start, k)
	o := p.step(l.slot, t, p.s.step)
	p.ops[o].Flags |= l.stepFlags
	if l.queried {
		p.query(l.slot)
	}
	if l.blind {
		return reading{}
	}
	return p.readAs(l, t+p.s.step)
}

// query appends queries of the status of the last step, which the FMU may refuse.
func (p *play) query(slot int) {
	for _, o := range statusQueries {
		o.Slot = slot
		p.add(o)
		p.may()
	}
}

// statusQueries are the functions of FMI 2.0 with the kind of status that each of them returns:
// DoStepStatus, PendingStatus, LastSuccessfulTime and Terminated. No kind is an Integer.
var statusQueries = []probe.Op{
	{Code: "fmi2GetStatus", Count: 0}, {Code: "fmi2GetStringStatus", Count: 1},
	{Code: "fmi2GetRealStatus", Count: 2}, {Code: "fmi2GetBooleanStatus", Count: 3},
}

// sum returns the time after k steps, accumulated as the strictest FMUs expect it.
func (s *subject) sum(t float64, k int) float64 {
	for range k {
		t += s.step
	}
	return t
}
