package examine

import "gosmp/fmi"

// osmpTrials returns the trials of OSMP messages.
func osmpTrials() []trial {
	inputs := unless(func(s *subject) bool { return len(s.messageInputs()) > 0 },
		"there is no input for OSI messages")
	pointers := func(x *exam) string {
		if x.s.major == 3 {
			return "messages are passed by value in FMI 3.0"
		}
		return inputs(x)
	}
	outputs := unless(func(s *subject) bool { return len(s.messageOutputs()) > 0 },
		"there is no output with a message of OSI")
	both := func(x *exam) string {
		if x.s.major == 3 {
			return "messages are passed by value in FMI 3.0"
		}
		return outputs(x)
	}
	request := unless(func(s *subject) bool {
		return len(s.ports(fmi.CalculatedParameter, configuration3)) > 0
	}, "there is no configuration request")
	return []trial{
		{rules: []string{"OSMP-P6", "OSMP-D5", "OSMP-D6"}, make: unconnected},
		{rules: []string{"OSMP-B8"}, make: noData, lacks: inputs},
		{rules: []string{"OSMP-V8"}, make: writtenInput, lacks: pointers},
		{rules: []string{"OSMP-V5"}, make: manyMessages, lacks: inputs},
		{rules: []string{"OSMP-V7", "OSMP-D7"}, make: lateRead, lacks: pointers},
		{rules: []string{"OSMP-D5", "OSMP-D6", "OSMP-A2", "OSMP-T1", "OSMP-O1"}, make: connected,
			lacks: outputs},
		{rules: []string{"OSMP-D7"}, make: lifetimes, lacks: both},
		{rules: []string{"OSMP-D8"}, make: chained, lacks: func(x *exam) string {
			if why := outputs(x); why != "" {
				return why
			}
			return manyInstances(x)
		}},
		{rules: []string{"OSMP-D9"}, make: partByPart, lacks: both},
		{rules: []string{"OSMP-C6", "OSMP-C7"}, make: negotiation, lacks: request},
		{rules: []string{"OSMP-G3"}, make: brokenMessages, lacks: inputs},
	}
}
