package check

import (
	"slices"

	"gosmp/fmi"
)

// Kind is a kind of model that OSMP knows (OSMP 1.6.0, "Model types").
type Kind string

// The kinds of models.
const (
	SensorModel             Kind = "sensor model"
	LogicalModel            Kind = "logical model"
	EnvironmentalEffect     Kind = "environmental effect model"
	TrafficParticipant      Kind = "traffic participant model"
	StreamingUpdateConsumer Kind = "streaming update consumer model"
	Mixed                   Kind = "mixed model" // several of them in one
	Other                   Kind = "other model" // binary variables that make none of them
	NoKind                  Kind = "none"        // no binary inputs and outputs
)

// kinds say which messages make a kind; an empty one is not asked for. A SensorView input of a traffic participant is not
// asked for, so that one is recognised whose perception is inside.
var kinds = []struct {
	kind          Kind
	input, output string
}{
	{SensorModel, "SensorView", "SensorData"},
	{LogicalModel, "SensorData", "SensorData"},
	{EnvironmentalEffect, "SensorView", "SensorView"},
	{TrafficParticipant, "", "TrafficUpdate"},
	{StreamingUpdateConsumer, "StreamingUpdate", ""},
}

// kind names the kind of model by what goes in and out.
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
