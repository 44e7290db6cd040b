package run

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"gosmp/bridge"
	"gosmp/bridge/flow"
	"gosmp/cosim"
	"gosmp/internal/gate"
	"gosmp/osmp"
	"gosmp/run/usage"
)

// Access defines which clients may connect to a run's server. The zero value admits programs on
// this computer.
type Access = gate.Rules

// OpenBridge opens the bridge named by an option, and logs the addresses for its clients.
func OpenBridge(file string, a Access, say, warn func(text string)) (*flow.Flow, error) {
	config, err := bridge.ReadConfig(file)
	if err != nil {
		return nil, &inputError{err}
	}
	f, err := flow.Open(config, flow.Options{Name: "gosmp", Warn: warn, Say: say, Access: a})
	if errors.Is(err, gate.ErrRefused) {
		return nil, &inputError{fmt.Errorf("%s: %w", file, err)}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if address := f.Address(); address != "" {
		say("bridge at " + address)
	}
	return f, nil
}

// observeBridge connects the run of FMUs to a bridge. It logs each event of the bridge in a line.
func (r *Simulation) observeBridge() error {
	if r.Options.Bridge == "" {
		return nil
	}
	say := func(text string) { r.log.printed(text) }
	f, err := OpenBridge(r.Options.Bridge, r.Options.Access, say, r.log.warn)
	if err != nil {
		return err
	}
	r.bridge = f
	full := func(name string) (string, error) {
		if r.alias != nil {
			name = r.alias(name)
		}
		p, v, err := r.find("--bridge", name)
		if err != nil {
			return "", err
		}
		return p.Name + "." + v.Name, nil
	}
	o, err := f.Join(flow.Run{Warn: r.log.warn, Arrived: func(e flow.Event) { say(EventLine(e)) },
		Messages: r.messages,
		Watch: func(name string) (*cosim.Signal, error) {
			name, err := full(name)
			if err != nil {
				return nil, err
			}
			return r.Engine.Watch(name), nil
		},
		Drive: func(name string) (*cosim.Control, error) {
			name, err := full(name)
			if err != nil {
				return nil, err
			}
			return r.Engine.Drive(name), nil
		}})
	if err != nil {
		return errors.Join(variableError(err), f.Close())
	}
	r.Engine.Observe(o)
	return nil
}

// messages returns the outputs with OSI messages of a type. For a world, only the SensorView of its
// host vehicle counts, even if there are others.
func (r *Simulation) messages(kind string) (names []string) {
	for _, p := range r.System.Parts {
		for _, v := range p.Variables() {
			if carries(v, kind) && (!p.World || kind != "SensorView" ||
				v.Name == cmp.Or(r.hostView, ViewName)) {
				names = append(names, p.Name+"."+v.Name)
			}
		}
	}
	return names
}

// carries reports whether a variable is an output with OSI messages of a type.
func carries(v cosim.Variable, kind string) bool {
	_, parameters, _ := osmp.ParseMIMEType(v.MIMEType)
	return v.Kind == cosim.Binary && v.Role == cosim.Output && parameters["type"] == kind
}

// variableError gives errors about variables that a configuration names the exit code for invalid
// input.
func variableError(err error) error {
	if errors.Is(err, flow.ErrVariable) {
		return usage.Invalid("--bridge", err)
	}
	return err
}

// EventLine formats an event for a log.
func EventLine(e flow.Event) string {
	data, err := json.Marshal(e.Data)
	if err != nil { // a decoded message can always be encoded as JSON
		data = []byte(err.Error())
	}
	line := fmt.Sprintf("%v s: event %s %s", e.Time.Seconds(), e.Name, data)
	if len(line) > longestLine {
		line = fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(line[:longestLine], ""), len(line))
	}
	return line
}

// longestLine limits how much a client or a program can write to a log at once.
const longestLine = 4 << 10

// BridgeCounts returns the messages that the bridge of a run has sent and lost so far, or nil if
// the run has no bridge to a DDS domain. It may be called at any time.
func (r *Simulation) BridgeCounts() *flow.Counts {
	if r.bridge == nil {
		return nil
	}
	return r.bridge.Counts()
}
