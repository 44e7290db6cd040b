package run

import (
	"fmt"
	"path/filepath"
	"strings"

	"gosmp/bridge"
	"gosmp/bridge/flow"
	"gosmp/cosim"
	"gosmp/experiment/trial"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/similar"
)

// experimentBridge adapts a bridge to an experiment.
type experimentBridge struct{ *flow.Flow }

// Arrived returns the events since the last call.
func (b experimentBridge) Arrived() (list []trial.Arrival, err error) {
	events, err := b.Flow.Arrived()
	for _, e := range events {
		list = append(list, trial.Arrival{Name: e.Name, Data: e.Data})
	}
	return list, err
}

// joinBridge connects an experiment to a bridge.
func joinBridge(file string, a Access, o *trial.Options, log *logger) (*flow.Flow, error) {
	warn := log.warn
	f, err := OpenBridge(file, a, log.printed, warn)
	if err != nil {
		return nil, err
	}
	o.Inputs = append(o.Inputs, trial.Input{File: filepath.Base(file), SHA256: hashOf(file)})
	o.Bridge, o.Carried = experimentBridge{f}, carried(f.Config())
	o.Observe = func(x *trial.Simulation) error {
		ends := endsOf(x)
		ends.Warn = warn
		observer, err := f.Join(ends)
		if err == nil {
			x.Engine.Observe(observer)
		}
		return variableError(err)
	}
	return f, nil
}

// endsOf finds the variables of an experiment for a bridge.
func endsOf(x *trial.Simulation) flow.Run {
	unknown := func(name string) error {
		names := make([]string, len(x.Variables))
		for k, v := range x.Variables {
			names[k] = v.Name
		}
		return fault.New(flow.ErrVariable, fault.Place{}, fmt.Sprintf("%q", name),
			"a variable of the experiment, as participant.variable").
			WithHint(similar.Hint(name, names))
	}
	return flow.Run{
		Messages: func(kind string) (names []string) {
			for _, v := range x.Variables {
				if carries(v.Variable, kind) {
					names = append(names, v.Name)
				}
			}
			return names
		},
		Watch: func(name string) (*cosim.Signal, error) {
			s := x.Engine.Watch(x.Full(name))
			if s.Variable.Name == "" {
				return nil, unknown(name)
			}
			return s, nil
		},
		Drive: func(name string) (*cosim.Control, error) {
			for _, v := range x.Variables {
				switch {
				case v.Name != name:
				case v.Role != cosim.Input:
					return nil, fault.New(flow.ErrVariable, fault.At(name),
						"a variable that is not an input", "an input")
				case v.Fed:
					return nil, fault.New(flow.ErrVariable, fault.At(name),
						"an input with a connection", "an input without one")
				}
			}
			c := x.Engine.Drive(x.Full(name))
			if c.Variable.Name == "" {
				return nil, unknown(name)
			}
			return c, nil
		}}
}

// carried returns the events of a bridge.
func carried(c *bridge.Config) *trial.Carried {
	all := &trial.Carried{Down: map[string]func(map[string]any) error{}, Up: map[string][]string{}}
	for _, t := range c.Topics {
		if t.Direction == bridge.Down {
			all.Down[t.Event] = func(fields map[string]any) error {
				_, err := c.Definitions.Encode(t.Message, fields, false)
				return err
			}
			continue
		}
		names := []string{}
		for _, f := range t.Message.Fields {
			names = append(names, f.Name)
		}
		all.Up[t.Event] = names
	}
	return all
}

// fitting returns an observer that reports the topics of a bridge that do not match the variables
// of an experiment.
func fitting(c *bridge.Config, refused *finding.List) func(*trial.Simulation) error {
	return func(x *trial.Simulation) error {
		flow.Fit(c, endsOf(x), func(t *bridge.Topic, err error) {
			_, remedy := fault.Reason(err)
			text, topic := strings.TrimSuffix(err.Error(), "; "+remedy), "topic "+t.Name+": "
			*refused = append(*refused, finding.Finding{ID: "BR03", Severity: finding.Error,
				Place: t.At, Message: topic + strings.TrimPrefix(text, topic), Remedy: remedy})
		})
		return nil
	}
}
