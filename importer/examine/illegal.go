package examine

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// illegalTrials returns the trials of calls that the standard forbids; each call runs in a process
// of its own.
func illegalTrials(s *subject) []trial {
	list := []trial{
		{rules: []string{"I4", "G4"}, make: wrongInstantiations, alone: true},
		{rules: []string{"I8"}, make: nullAndPaths, alone: true},
		{rules: []string{"I5"}, make: wrongReferences, alone: true},
		{rules: []string{"I2"}, make: wrongSteps},
		{rules: []string{"I3"}, make: beyondStop},
		{rules: []string{"I6"}, make: wrongCounts},
		{rules: []string{"I7"}, make: afterError},
	}
	for _, state := range prefixes(s) {
		list = append(list, trial{rules: []string{"I1", "I7"}, make: func(a *attempt) {
			a.illegalIn(state)
		}})
	}
	return list
}

// prefix is a sequence of calls that leads to a state.
type prefix struct {
	state fmi.State
	make  func(p *play)
}

// prefixes returns the prefixes that lead to the states in which illegal calls are made.
func prefixes(s *subject) []prefix {
	list := []prefix{
		{fmi.Instantiated, func(p *play) { p.instantiate(0, probe.LoggingOn) }},
		{fmi.InitializationMode, func(p *play) {
			p.instantiate(0, probe.LoggingOn)
			p.enter(0, s.usual())
		}},
		{fmi.StepComplete, func(p *play) {
			p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: 1})
		}},
		{fmi.Terminated, func(p *play) {
			p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: 1})
			p.call(0, "Terminate")
		}},
	}
	list = append(list, prefix{fmi.Erroneous, func(p *play) {
		p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: 1})
		p.wrongly(s.unknownGet())
		p.states[0] = fmi.Erroneous
	}})
	if s.major == 3 && len(s.structural()) > 0 {
		list = append(list, prefix{fmi.ConfigurationMode, func(p *play) {
			p.instantiate(0, probe.LoggingOn)
			p.call(0, "EnterConfigurationMode")
		}})
	}
	if s.major == 3 && s.events {
		list = append(list, prefix{fmi.EventMode, func(p *play) {
			p.live(life{flags: probe.LoggingOn, begin: s.usual(), n: 1})
			p.call(0, "EnterEventMode")
		}})
	}
	return list
}

// doubtful lists calls that the table forbids but that importers make, or for which interpretations
// of the standards differ. They are not tried.
var doubtful = map[string][]fmi.State{
	// most importers read start values in this state
	"fmi2Get": {fmi.Instantiated},
	// an FMU whose steps end before returning has nothing to cancel
	"fmi2CancelStep": {fmi.Instantiated, fmi.InitializationMode, fmi.StepComplete,
		fmi.Terminated},
	"fmi3EvaluateDiscreteStates": {fmi.InitializationMode},
	// Event Mode allows this in Model Exchange
	"fmi3EnterConfigurationMode": {fmi.EventMode},
}

// tolerated are calls that FMI 3.0.2 (2.3) does not allow in a state although even the Reference
// FMUs accept them there. They are tried. If the FMU accepts them, this is reported but does not
// count as a fault, because importers that rely on them will encounter FMUs that refuse them.
var tolerated = map[string][]fmi.State{
	// to leave Initialization Mode
	"fmi3EnterStepMode": {fmi.InitializationMode},
	"fmi3Get":           {fmi.ConfigurationMode},
	"fmi3Set":           {fmi.Terminated},
	"fmi3UpdateDiscreteStates": {fmi.Instantiated, fmi.InitializationMode, fmi.StepComplete,
		fmi.Terminated, fmi.ConfigurationMode},
}

// forbidden lists the functions that are illegal in a state.
func (s *subject) forbidden(state fmi.State) (list []string) {
	for _, name := range callable(s.major) {
		if !legal(typical(name), state) && !slices.Contains(doubtful[name], state) &&
			!ofClocks(name) && !strings.Contains(name, "Instantiate") {
			list = append(list, name)
		}
	}
	return list
}

// ofClocks reports whether a function concerns clocks. FMUs without clocks may answer OK, because
// such a call is then for no variable.
func ofClocks(name string) bool {
	return strings.HasSuffix(name, "Clock") || strings.Contains(name, "Interval") ||
		strings.Contains(name, "Shift")
}

// arguments returns a call of a function, or of Get and Set for a type that occurs in the FMU, with
// arguments that would be valid in other states. ok is false if the FMU lacks something that the
// call needs.
func (s *subject) arguments(function string, in fmi.State) (o probe.Op, ok bool) {
	o = probe.Op{Code: function}
	switch function[4:] {
	case "Get", "Set":
		var pick *variable
		for k := range s.variables {
			v := &s.variables[k]
			settable := v.Causality == fmi.Input || v.Causality == fmi.Parameter
			if v.size > 0 && !v.partial && !v.clocked && (function[4:] == "Get" || settable &&
				s.startOf(v) != nil) {
				pick = v
				break
			}
		}
		if pick == nil {
			return o, false
		}
		g := group{s.typeName(pick.Type), pick.size, []*variable{pick}}
		if function[4:] == "Get" {
			return s.getOp(0, &g), true
		}
		return s.setOp(0, g, s.startOf(pick)), true
	case "DoStep":
		o.X = [4]float64{s.start, s.step}
		if in == fmi.EventMode || in == fmi.Terminated { // after a step
			o.X[0] += s.step
		}
	case "SetupExperiment", "EnterInitializationMode":
		o.X = [4]float64{s.start, s.stop}
	case "GetDirectionalDerivative", "GetAdjointDerivative", "GetOutputDerivatives",
		"GetRealOutputDerivatives", "SetRealInputDerivatives", "SerializeFMUState",
		"SerializeFMUstate", "GetNumberOfVariableDependencies", "GetVariableDependencies":
		return o, false // they need features that only some FMUs have
	}
	return o, true
}

// illegalIn tries every function that is illegal in a state.
func (a *attempt) illegalIn(from prefix) {
	s := a.s
	var accepted, told []string
	var shows *run
	at, tried := 0, 0
	for _, function := range s.forbidden(from.state) {
		o, ok := s.arguments(function, from.state)
		if !ok {
			continue
		}
		p := s.newPlay()
		from.make(p)
		ready := len(p.ops) - 1
		k := p.wrongly(o)
		p.ops = append(p.ops, probe.Op{Code: s.function("FreeInstance")})
		r := a.play(p)
		if r.Stopped >= 0 && r.Stopped <= ready || r.Last < k && r.Crashed() {
			break // other rules report that the state cannot be reached
		}
		tried++
		switch {
		case r.Crashed() && r.Last > k:
			a.crash("I7", r).as(finding.Error) // the instance cannot be freed after an error
			return
		case r.Crashed() && r.Last == k:
			a.crash("I1", r).as(finding.Error)
			return
		case r.Records[k].Status > warning:
		case from.state == fmi.Erroneous: // an FMU that can go on does no harm
		case slices.Contains(tolerated[function], from.state):
			told = append(told, o.Code)
		default:
			accepted = append(accepted, o.Code)
			if shows == nil {
				shows, at = r, k
			}
		}
	}
	switch {
	case len(accepted) > 0:
		o := a.refuted("I1", shows, at, "Error", "in the state %q the FMU accepts %s", from.state,
			listed(accepted))
		if s.major == 3 {
			o.as(finding.Error)
		}
	case len(told) > 0:
		a.remark("I1", fmt.Sprintf("%s in the state %q", listed(told), from.state))
	case tried > 0:
		a.proved("I1")
	}
}
