package trial

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/timebase"
)

// Bridge carries events of machines to a system under test, and its messages back as events. None
// of its methods may block.
type Bridge interface {
	// Emit receives a machine's bridge.NAME event, with the fields of its message. An error raises
	// error.communication in the machine.
	Emit(now timebase.Time, name string, data map[string]any) error
	// Arrived returns the messages that have arrived since the last call, oldest first. Machines
	// receive them as bridge.NAME.
	Arrived() ([]Arrival, error)
	// Handled is called once the machines have received the messages that Arrived returned.
	Handled()
}

// Carried describes the events that a bridge carries.
type Carried struct {
	// Down has an entry for each event to the system under test. It returns an error if a message
	// cannot contain the fields; those with the value nil may have any value.
	Down map[string]func(fields map[string]any) error
	Up   map[string][]string // the fields of the data, by event
}

// Arrival is a message that arrived over a bridge.
type Arrival struct {
	Name string
	Data map[string]any // values that JSON can represent
}

// bridgeEvent is the prefix of the names of events that pass over a bridge.
const bridgeEvent = "bridge."

// Events returns the names, sorted, of the events that the machines wait for and that a user can
// post. Events that come with data, from the simulation, a bridge or a machine itself, are left
// out.
func (s *Simulation) Events() (names []string) {
	for _, chart := range s.trial.parsed {
		for _, state := range chart.States {
			for _, x := range state.Transitions {
				for _, name := range x.Events {
					if !comesWithData(name) {
						names = append(names, name)
					}
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func comesWithData(name string) bool {
	return slices.ContainsFunc(append([]string{"*", "done.*", "error.*"},
		experiment.Events...), func(known string) bool {
		group, is := strings.CutSuffix(known, ".*")
		return name == known || is && (name == group || strings.HasPrefix(name, group+"."))
	})
}

// emit sends an event to the bridge.
func (t *Trial) emit(name string, data scxml.Value) error {
	if t.options.Bridge == nil {
		return impossible(bridgeEvent+name, "an experiment without a bridge",
			"gosmp run --bridge, or Options.Bridge")
	}
	fields := map[string]any{}
	if !data.IsUndefined() {
		d := json.NewDecoder(bytes.NewReader([]byte(data.Text())))
		d.UseNumber() // 64-bit integers stay exact
		if err := d.Decode(&fields); err != nil {
			return impossible(bridgeEvent+name, "data that cannot be used: "+err.Error(),
				"an object with the fields of the message")
		}
	}
	return t.options.Bridge.Emit(t.Now(), name, fields)
}

// arrived adds user events and events from the bridge to the events of a step.
func (t *Trial) arrived(events []scxml.Event) ([]scxml.Event, error) {
	if t.options.Posted != nil {
		events = append(events, t.options.Posted()...)
	}
	if t.options.Bridge == nil {
		return events, nil
	}
	list, err := t.options.Bridge.Arrived()
	if err != nil {
		return events, fmt.Errorf("bridge: %w", err)
	}
	for _, a := range list {
		events = append(events, event(bridgeEvent+a.Name, a.Data))
	}
	return events, nil
}
