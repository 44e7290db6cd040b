package examine

import (
	"strings"

	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// stateTrials returns the trials of saved states.
func stateTrials() []trial {
	saves := func(x *exam) string {
		if !x.s.canSave() {
			return "canGetAndSetFMUstate is not true"
		}
		return compared(x)
	}
	serializes := func(x *exam) string {
		if why := saves(x); why != "" {
			return why
		}
		return unless((*subject).canSerialize, "canSerializeFMUstate is not true")(x)
	}
	return []trial{
		{rules: []string{"R8"}, make: statesLive, lacks: saves},
		{rules: []string{"R9", "R8"}, make: restored, lacks: saves},
		{rules: []string{"R10"}, make: serialized, lacks: serializes},
		{rules: []string{"I9"}, make: damagedState, lacks: serializes},
	}
}

// stateCall appends a call of a function for saved states, whose name differs between the
// standards.
func (p *play) stateCall(verb string, state int) int {
	name := map[int]map[string]string{
		2: {"Get": "GetFMUstate", "Set": "SetFMUstate", "Free": "FreeFMUstate",
			"Size": "SerializedFMUstateSize", "Serialize": "SerializeFMUstate",
			"Deserialize": "DeSerializeFMUstate"},
		3: {"Get": "GetFMUState", "Set": "SetFMUState", "Free": "FreeFMUState",
			"Size": "SerializedFMUStateSize", "Serialize": "SerializeFMUState",
			"Deserialize": "DeserializeFMUState"},
	}[p.s.major][verb]
	return p.add(probe.Op{Code: p.s.function(name), State: state})
}

// isOfStates reports whether an operation calls a saved-state function.
func isOfStates(o *probe.Op) bool {
	return strings.HasSuffix(strings.ToLower(o.Code), "fmustate")
}

// statesLive saves states, reuses a state handle, and frees the states.
func statesLive(a *attempt) {
	p := a.s.newPlay()
	p.live(life{begin: a.s.usual(), n: 1})
	first := p.stateCall("Get", 0)
	p.stateCall("Get", 0)
	p.stateCall("Get", 1)
	p.stateCall("Set", 1)
	freed := p.stateCall("Free", 0)
	p.stateCall("Free", 1)
	p.stateCall("Free", 2) // NULL
	p.end(0)
	r := a.play(p)
	if !a.fine("R8", r) || !a.reaches("R8", r, freed) {
		return
	}
	switch {
	case r.Records[first].Y[0] == 0:
		a.refuted("R8", r, first, "a state", "%s answers OK and leaves NULL", p.ops[first].Code)
	case r.Records[freed].Y[0] != 0:
		a.refuted("R8", r, freed, "NULL", "%s answers OK and does not set the state to NULL",
			p.ops[freed].Code)
	case a.statesEarly() && a.statesLate():
		a.proved("R8")
	}
}

// statesEarly saves and restores a state before and during initialization, and in the modes for
// structural parameters and events.
func (a *attempt) statesEarly() bool {
	s := a.s
	p := s.newPlay()
	turn := func() {
		p.stateCall("Get", 0)
		p.stateCall("Set", 0)
		p.stateCall("Free", 0)
	}
	p.instantiate(0, 0)
	turn()
	if len(s.structural()) > 0 {
		p.call(0, "EnterConfigurationMode")
		turn()
		p.call(0, "ExitConfigurationMode")
	}
	b := s.usual()
	b.afterEnter = turn
	p.initialize(0, b)
	p.step(0, s.start, s.step)
	if s.events {
		p.call(0, "EnterEventMode")
		turn()
		p.add(probe.Op{Code: probe.Settle})
		p.call(0, "EnterStepMode")
	}
	p.end(0)
	return a.rarely(p)
}

// statesLate saves a state after Terminate, and frees states in that state and after Reset.
func (a *attempt) statesLate() bool {
	p := a.s.newPlay()
	p.live(life{begin: a.s.usual(), n: 1})
	p.stateCall("Get", 0)
	p.stateCall("Get", 1)
	p.call(0, "Terminate")
	p.stateCall("Get", 2)
	p.stateCall("Free", 0)
	p.stateCall("Free", 2)
	p.call(0, "Reset")
	p.stateCall("Free", 1)
	p.call(0, "FreeInstance")
	return a.rarely(p)
}

// rarely makes saved-state calls that are rare among importers: refusals are warnings.
func (a *attempt) rarely(p *play) bool {
	r := a.play(p)
	if a.fine("R8", r) {
		return true
	}
	if o := &a.outcomes[len(a.outcomes)-1]; !r.Crashed() {
		o.severity = finding.Warning
	}
	return false
}
