package check

import (
	"slices"

	"gosmp/fmi"
)

// Kind is a kind of model that OSMP defines (OSMP 1.6.0, "Model types").
type Kind string

// The kinds of models.
const (
	SensorModel             Kind = "sensor model"
	LogicalModel            Kind = "logical model"
	EnvironmentalEffect     Kind = "environmental effect model"
	TrafficParticipant      Kind = "traffic participant model"
	StreamingUpdateConsumer Kind = "streaming update consumer model"
	Mixed                   Kind = "mixed model" // several kinds in one model
	Other                   Kind = "other model" // binary variables that do not match any kind
	NoKind                  Kind = "none"        // no binary inputs and outputs
)

// kinds lists the messages that identify each kind; an empty one is not required.
var kinds = []struct {
	kind          Kind
	input, output string
}{
	{SensorModel, "SensorView", "SensorData"},
	{LogicalModel, "SensorData", "SensorData"},
	{EnvironmentalEffect, "SensorView", "SensorView"},
	{TrafficParticipant, "SensorView", "TrafficUpdate"},
	{StreamingUpdateConsumer, "StreamingUpdate", ""},
}

// kind derives the kind of model from its inputs and outputs.
func (x *examiner) kind() {
	r := x.report
	binaries := false
	for _, n := range r.Variables {
		message := n.Message
		if message == "" {
			message = n.MIMEType
		}
		switch n.Causality {
		case fmi.Input:
			r.Inputs = append(r.Inputs, message)
		case fmi.Output:
			r.Outputs = append(r.Outputs, message)
		default:
			continue
		}
		binaries = true
	}
	slices.Sort(r.Inputs)
	slices.Sort(r.Outputs)
	r.Inputs, r.Outputs = slices.Compact(r.Inputs), slices.Compact(r.Outputs)
	r.Kinds = []Kind{}
	for _, k := range kinds {
		in := k.input == "" || slices.Contains(r.Inputs, k.input)
		if out := k.output == "" || slices.Contains(r.Outputs, k.output); in && out {
			r.Kinds = append(r.Kinds, k.kind)
		}
	}
	switch {
	case len(r.Kinds) > 1:
		r.Kind = Mixed
		return
	case len(r.Kinds) == 1:
		r.Kind = r.Kinds[0]
		return
	case binaries:
		r.Kind = Other
	default:
		r.Kind = NoKind
	}
	r.Kinds = append(r.Kinds, r.Kind)
}
