package fmu

import (
	"errors"
	"fmt"
	"slices"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// The modes of FMI 3.0: Configuration Mode and Reconfiguration Mode for structural parameters,
// Event Mode for discrete variables and clocks, Intermediate Update Mode within a step.

// EnterConfigurationMode is fmi3EnterConfigurationMode.
func (i *Instance) EnterConfigurationMode() fmi.Status {
	return i.run(EnterConfigurationMode, func() error {
		next := fmi.ConfigurationMode
		if i.state == fmi.StepComplete {
			next = fmi.ReconfigurationMode
		}
		settable := func(v *Variable) bool {
			return v.Causality == fmi.StructuralParameter && v.settableIn(next)
		}
		switch {
		case slices.ContainsFunc(i.definition.Variables.All(), settable):
			i.state = next
			return nil
		case next == fmi.ReconfigurationMode:
			return fmt.Errorf("%w: there are no tunable structural parameters", ErrUnsupported)
		}
		return fmt.Errorf("%w: there are no structural parameters", ErrUnsupported)
	})
}

// ExitConfigurationMode is fmi3ExitConfigurationMode.
func (i *Instance) ExitConfigurationMode() fmi.Status {
	return i.run(ExitConfigurationMode, func() error {
		if i.state == fmi.ConfigurationMode {
			i.state = fmi.Instantiated
		} else {
			i.state = fmi.StepComplete
		}
		return nil
	})
}

// checkSizes refuses sizes in a restored state that no Set function could have set.
func (i *Instance) checkSizes() error {
	for _, v := range i.definition.Variables.OfType(fmi.UInt64) {
		if v.Causality != fmi.StructuralParameter {
			continue
		}
		if err := checkNumber(v, i.values.UInt64s[v.Index]); err != nil {
			return fault.New(ErrState, fault.At("state"), v.Name+": "+err.Error(),
				"a size within the limits")
		}
	}
	return nil
}

var errNoEventMode = errors.New("eventModeUsed is false")

// EnterEventMode is fmi3EnterEventMode: the discrete outputs get the values of the newest step, and
// clocks tick.
func (i *Instance) EnterEventMode() fmi.Status {
	return i.run(EnterEventMode, func() error {
		switch {
		case !i.definition.HasEventMode():
			return fmt.Errorf("%w: hasEventMode is false", ErrUnsupported)
		case !i.options.EventModeUsed:
			return fmt.Errorf("%w: %w", ErrUnsupported, errNoEventMode)
		}
		if d, ok := i.model.(Discrete); ok {
			d.Settle()
		}
		i.state = fmi.EventMode
		return nil
	})
}

// unsettled reports whether discrete outputs are waiting for Event Mode.
func (i *Instance) unsettled() bool {
	if !i.options.EventModeUsed {
		return false
	}
	d, ok := i.model.(Discrete)
	return ok && d.Unsettled()
}

// EnterStepMode is fmi3EnterStepMode.
func (i *Instance) EnterStepMode() fmi.Status {
	return i.run(EnterStepMode, func() error {
		clear(i.values.Clocks)
		i.state = fmi.StepComplete
		return nil
	})
}

// Update holds the results of fmi3UpdateDiscreteStates for a slave without continuous states.
type Update struct {
	TerminateSimulation bool
	NextEventDefined    bool
	NextEvent           float64 // s
}

// UpdateDiscreteStates is fmi3UpdateDiscreteStates, which ends the ticks of clocks. One update is
// always enough: the next step computes the effects of the inputs.
func (i *Instance) UpdateDiscreteStates() (u Update, status fmi.Status) {
	status = i.run(UpdateDiscreteStates, func() error {
		clear(i.values.Clocks)
		if t, ok := i.model.(Terminator); ok {
			u.TerminateSimulation = t.Terminated()
		}
		if next, known := i.nextEvent(i.now); known {
			u.NextEventDefined, u.NextEvent = true, next.Seconds()
		}
		return nil
	})
	return u, status
}

// GetClock is fmi3GetClock.
func (i *Instance) GetClock(refs []fmi.ValueReference, values []bool) fmi.Status {
	return get(i, access{GetClock, fmi.Clock, refs}, i.values.Clocks, values)
}

// SetClock is fmi3SetClock. All clocks are outputs.
func (i *Instance) SetClock(refs []fmi.ValueReference, values []bool) fmi.Status {
	return set(i, access{SetClock, fmi.Clock, refs}, i.values.Clocks, values, nil)
}

// Intermediate reports whether v can be read at intermediate updates: a continuous output.
func (d *Definition) Intermediate(v *Variable) bool {
	return d.Eventful && v.Causality == fmi.Output && v.Variability == fmi.Continuous
}

// readable returns the reason why a Get function refuses v at present, or nil.
func (i *Instance) readable(v *Variable, ref fmi.ValueReference) error {
	if i.state != fmi.IntermediateUpdateMode ||
		slices.Contains(i.options.IntermediateVariables, ref) {
		return nil
	}
	return fmt.Errorf("%w: %s is not one of requiredIntermediateVariables", ErrIllegalCall, v.Name)
}

// BeginIntermediateUpdate lets the environment read intermediate variables, until
// EndIntermediateUpdate, after a step that has returned early; it reports whether this is allowed.
func (i *Instance) BeginIntermediateUpdate() bool {
	if !i.options.IntermediateUpdate || i.state != fmi.StepComplete {
		return false
	}
	i.state = fmi.IntermediateUpdateMode
	return true
}

// EndIntermediateUpdate ends an intermediate update and reports whether the step can continue: no
// call has failed in the meantime.
func (i *Instance) EndIntermediateUpdate() bool {
	if i.state != fmi.IntermediateUpdateMode {
		return false
	}
	i.state = fmi.StepComplete
	return true
}

// nextEvent returns the model's next event.
func (i *Instance) nextEvent(t timebase.Time) (timebase.Time, bool) {
	e, ok := i.model.(Eventful)
	if !ok || !i.definition.Eventful {
		return 0, false
	}
	next, known := e.NextEvent(t)
	return next, known && next > t
}

// leastRest is the least time that must remain of a step that returns early: an environment with
// rounded times could not compute a shorter rest.
const leastRest = timebase.Microsecond

// cut shortens a step to end at its first event.
func (i *Instance) cut(span timebase.Span) (timebase.Span, bool) {
	if !i.options.EarlyReturnAllowed && !i.options.IntermediateUpdate {
		return span, false
	}
	next, known := i.nextEvent(span.Start)
	if !known || next > span.End-leastRest {
		return span, false
	}
	span.End = next
	return span, true
}
