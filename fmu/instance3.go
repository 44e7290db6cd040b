package fmu

import (
	"fmt"

	"gosmp/fmi"
)

// Functions that FMI 3.0 has instead of, or in addition to, those of FMI 2.0.

// Initialize is fmi3EnterInitializationMode, which also does the work of fmi2SetupExperiment.
func (i *Instance) Initialize(e ExperimentSetup) fmi.Status {
	return i.run(EnterInitializationMode, func() error {
		err := i.setUp(e)
		if err == nil {
			i.state = fmi.InitializationMode
		}
		return err
	})
}

// Options3 are the arguments of fmi3InstantiateCoSimulation that FMI 2.0 does not have, or that
// have a different meaning there.
type Options3 struct {
	LoggingOn          bool
	EventModeUsed      bool
	EarlyReturnAllowed bool

	// IntermediateUpdate says that there is a callback: a step then also returns at each event.
	IntermediateUpdate    bool
	IntermediateVariables []fmi.ValueReference // the required ones
}

func (o Options3) check(d *Definition) error {
	if o.EventModeUsed && !d.HasEventMode() {
		return wrongArgument("eventModeUsed", true, "false: hasEventMode is false")
	}
	if len(o.IntermediateVariables) > 0 && !d.Eventful {
		return wrongArgument("requiredIntermediateVariables", len(o.IntermediateVariables),
			"none: providesIntermediateUpdate is false")
	}
	for _, ref := range o.IntermediateVariables {
		if list := d.Variables.All(); int64(ref) >= int64(len(list)) || !d.Intermediate(list[ref]) {
			return wrongArgument("requiredIntermediateVariables", ref,
				"the reference of a variable with intermediateUpdate")
		}
	}
	return nil
}

// Outcome holds the results of a step of FMI 3.0 besides its status.
type Outcome struct {
	EventHandlingNeeded bool
	TerminateSimulation bool // the model has nothing more to compute
	EarlyReturn         bool
	LastSuccessfulTime  float64 // s
}

// Advance is fmi3DoStep: [Instance.DoStep] with its outcome. A step returns early at the first
// event that the model knows, if the environment allows that or wants intermediate updates.
func (i *Instance) Advance(t, h float64) (o Outcome, status fmi.Status) {
	status = i.DoStep(t, h)
	o.LastSuccessfulTime = i.reached
	if status > fmi.Warning {
		return o, status
	}
	o.EarlyReturn, o.EventHandlingNeeded = i.early, i.unsettled()
	if terminator, ok := i.model.(Terminator); ok {
		o.TerminateSimulation = terminator.Terminated()
	}
	return o, status
}

// lacking maps functions to the capabilities that they need and that the model description denies.
var lacking = map[Function]string{
	GetNumberOfVariableDependencies: "providesPerElementDependencies is false",
	GetVariableDependencies:         "providesPerElementDependencies is false",
	GetDirectionalDerivative:        "providesDirectionalDerivatives is false",
	GetAdjointDerivative:            "providesAdjointDerivatives is false",
	EvaluateDiscreteStates:          "providesEvaluateDiscreteStates is false",
}

// Unsupported completes a call of a function that needs a capability or an interface that the FMU
// does not have.
func (i *Instance) Unsupported(f Function) fmi.Status {
	return i.run(f, func() error {
		reason, known := lacking[f]
		if !known {
			reason = "no clock of this FMU has an interval"
		}
		return fmt.Errorf("%w: %s", ErrUnsupported, reason)
	})
}

// OutputDerivatives is fmi3GetOutputDerivatives: [Instance.RealOutputDerivatives] for single
// values, of which there is one for each reference.
func (i *Instance) OutputDerivatives(refs []fmi.ValueReference, orders []int32,
	values []float64) fmi.Status {
	if len(values) != len(refs) {
		return i.Rejected(GetRealOutputDerivatives, "nValues", len(values),
			fmt.Sprintf("%d, one for each variable", len(refs)))
	}
	return i.RealOutputDerivatives(refs, orders, values)
}

// PublishedBinary returns the address of the value of a Binary variable in the memory of the host
// if the model has published it there, and 0 otherwise.
func (i *Instance) PublishedBinary(ref fmi.ValueReference) uint64 {
	return i.values.Published(i.referenced(fmi.Binary)[ref].Index)
}
