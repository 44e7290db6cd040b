package archive

import (
	"slices"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// flag is the name and default of a capability, as defined by a version of FMI.
type flag struct {
	name  string
	value any // bool or int64; float64 stands for a number without a default
}

// noDefault marks a number without a default: it stays unset if the document omits it.
var noDefault any = float64(0)

// flags that several interfaces share, in the order of the schemas.
var (
	flags1 = []flag{
		{"canHandleVariableCommunicationStepSize", false}, {"canHandleEvents", false},
		{"canRejectSteps", false},
		{"canInterpolateInputs", false}, {"maxOutputDerivativeOrder", int64(0)},
		{"canRunAsynchronuously", false},
		{"canSignalEvents", false}, {"canBeInstantiatedOnlyOncePerProcess", false},
		{"canNotUseMemoryManagementFunctions", false},
	}
	flags2State = []flag{
		{"canBeInstantiatedOnlyOncePerProcess", false}, {"canNotUseMemoryManagementFunctions",
			false},
		{"canGetAndSetFMUstate", false}, {"canSerializeFMUstate", false},
		{"providesDirectionalDerivative", false},
	}
	flags3All = []flag{
		{"needsExecutionTool", false}, {"canBeInstantiatedOnlyOncePerProcess", false},
		{"canGetAndSetFMUState", false},
		{"canSerializeFMUState", false}, {"providesDirectionalDerivatives", false},
		{"providesAdjointDerivatives", false},
		{"providesPerElementDependencies", false},
	}
)

// flagsOf returns the capabilities that a version of FMI defines for a kind of interface.
func flagsOf(major fmi.Version, kind fmi.InterfaceType) []flag {
	switch {
	case major == 1 && kind == fmi.CoSimulation:
		return append([]flag{{"needsExecutionTool", false}}, flags1...)
	case major == 2 && kind == fmi.ModelExchange:
		return append([]flag{{"needsExecutionTool", false}, {"completedIntegratorStepNotNeeded",
			false}}, flags2State...)
	case major == 2 && kind == fmi.CoSimulation:
		return append([]flag{
			{"needsExecutionTool", false}, {"canHandleVariableCommunicationStepSize", false},
			{"canInterpolateInputs", false},
			{"maxOutputDerivativeOrder", int64(0)}, {"canRunAsynchronuously", false},
		}, flags2State...)
	case major == 3 && kind == fmi.ModelExchange:
		return append(slices.Clip(flags3All), flag{"needsCompletedIntegratorStep", false},
			flag{"providesEvaluateDiscreteStates", false})
	case major == 3 && kind == fmi.CoSimulation:
		return append(slices.Clip(flags3All),
			flag{"canHandleVariableCommunicationStepSize", false}, flag{"fixedInternalStepSize",
				noDefault},
			flag{"maxOutputDerivativeOrder", int64(0)},
			flag{"recommendedIntermediateInputSmoothness", int64(0)},
			flag{"providesIntermediateUpdate", false}, flag{"mightReturnEarlyFromDoStep", false},
			flag{"canReturnEarlyAfterIntermediateUpdate", false}, flag{"hasEventMode", false},
			flag{"providesEvaluateDiscreteStates", false})
	case major == 3:
		return flags3All
	}
	return nil
}

// interfaces reads the interfaces of the model.
func (p *parser) interfaces() []Interface {
	if p.major == fmi.FMI1 {
		return p.interfaces1()
	}
	list := []Interface{}
	for _, kind := range fmi.InterfaceTypes(fmi.FMI3) {
		nodes := p.root.Children(string(kind))
		if len(nodes) == 0 {
			continue
		}
		n := nodes[0]
		i := Interface{Kind: kind, ModelIdentifier: n.Value("modelIdentifier"),
			SourceFiles: []string{}}
		i.Capabilities = p.capabilities(n, kind)
		for _, file := range n.Child("SourceFiles").Children("File") {
			i.SourceFiles = append(i.SourceFiles, file.Value("name"))
		}
		list = append(list, i)
	}
	return list
}

// interfaces1 reads the interface of an FMI 1.0 model, which is for co-simulation if the document
// describes an implementation, and for model exchange otherwise.
func (p *parser) interfaces1() []Interface {
	identifier := p.root.Value("modelIdentifier")
	for _, n := range p.root.Child("Implementation").Children("CoSimulation_StandAlone",
		"CoSimulation_Tool") {
		i := Interface{Kind: fmi.CoSimulation, ModelIdentifier: identifier, SourceFiles: []string{}}
		i.Capabilities = p.capabilities(n.Child("Capabilities"), fmi.CoSimulation)
		i.Capabilities[0] = Capability{"needsExecutionTool", n.Name == "CoSimulation_Tool",
			true}
		return []Interface{i}
	}
	return []Interface{{Kind: fmi.ModelExchange, ModelIdentifier: identifier,
		Capabilities: Capabilities{}, SourceFiles: []string{}}}
}

// capabilities reads the stated flags and adds the defaults of all other capabilities.
func (p *parser) capabilities(n *xmldoc.Node, kind fmi.InterfaceType) Capabilities {
	list := Capabilities{}
	known := flagsOf(p.major, kind)
	for _, f := range known {
		c := Capability{Name: f.name, Value: f.value}
		text, stated := n.Attribute(f.name)
		switch value := f.value.(type) {
		case bool:
			c.Value = p.boolean(n, f.name, value)
		case int64:
			c.Value = p.integer(n, f.name, value)
		case float64:
			c.Value = nil
			if x := p.number(n, f.name); x != nil {
				c.Value = *x
			}
		}
		if c.Stated = stated; stated && !p.valid {
			c.Value = text
		}
		list = append(list, c)
	}
	return list
}
