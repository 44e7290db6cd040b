package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"gosmp/bridge"
	"gosmp/bridge/flow"
	"gosmp/cosim"
	"gosmp/experiment/trial"
	"gosmp/osmp"
	"gosmp/timebase"
)

// openBridge opens the bridge that a flag names, and says where its clients connect.
func openBridge(file string, say, warn func(text string)) (*flow.Flow, error) {
	config, err := bridge.ReadConfig(file)
	if err != nil {
		return nil, bridgeError(err)
	}
	f, err := flow.Open(config, flow.Options{Name: "gosmp", Warn: warn})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if address := f.Address(); address != "" {
		say("bridge at " + address)
	}
	return f, nil
}

// bridgeObserver publishes what a run has for the topics with a source.
type bridgeObserver struct {
	flow    *flow.Flow
	warn    func(text string)
	arrived func(flow.Event) // nil: somebody else takes what comes up
	feeds   []*sensed
}

// sensed is a variable with OSI messages, and the topic that is made of it.
type sensed struct {
	topic  *bridge.Topic
	signal *cosim.Signal
	kind   string // SensorView or SensorData
	last   []byte // a message that its sender holds is published once
	warned bool
}

// newBridgeObserver watches the sources of all topics; find returns nil for one that is not there.
func newBridgeObserver(f *flow.Flow, warn func(string), find func(name string) (*cosim.Signal, error)) (*bridgeObserver, error) {
	o := &bridgeObserver{flow: f, warn: warn}
	for _, t := range f.Config().Topics {
		if t.From == "" {
			continue
		}
		signal, err := find(t.From)
		if err != nil {
			return nil, err
		}
		if signal.Variable.Kind != cosim.Binary {
			return nil, unexpected("--bridge", t.From+" of type "+signal.Variable.Kind.String(), "a binary variable with OSI messages, for topic "+t.Name)
		}
		_, parameters, _ := osmp.ParseMIMEType(signal.Variable.MIMEType)
		o.feeds = append(o.feeds, &sensed{topic: t, signal: signal, kind: parameters["type"]})
	}
	return o, nil
}

// Begin has nothing to do.
func (*bridgeObserver) Begin(*cosim.Result) error { return nil }

// Row publishes what is new.
func (o *bridgeObserver) Row(t timebase.Time, _ cosim.Row) error {
	o.flow.Advance(t)
	for _, f := range o.feeds {
		_, b := f.signal.First()
		if len(b) == 0 || bytes.Equal(b, f.last) {
			continue
		}
		f.last = append(f.last[:0], b...)
		err := o.flow.Sense(f.topic, t, f.kind, b)
		if errors.Is(err, flow.ErrData) && !f.warned {
			f.warned = true
			o.warn(err.Error())
		}
		if err != nil && !errors.Is(err, flow.ErrData) {
			return err
		}
	}
	if o.arrived == nil {
		return nil
	}
	events, err := o.flow.Arrived()
	for _, e := range events {
		o.arrived(e)
	}
	return err
}

// End sends what waits.
func (o *bridgeObserver) End(*cosim.Result) error { return o.flow.Close() }

// observeBridge joins the run of FMUs to a bridge. What comes up is logged, one line for each
// event.
func (r *fmuRun) observeBridge() error {
	if r.command.Bridge == "" {
		return nil
	}
	say := func(text string) { r.console.printed("", text) }
	f, err := openBridge(r.command.Bridge, say, r.console.warn)
	if err != nil {
		return err
	}
	o, err := newBridgeObserver(f, r.console.warn, func(name string) (*cosim.Signal, error) {
		p, v, err := r.find("--bridge", name)
		if err != nil {
			return nil, err
		}
		return r.engine.Watch(p.Name + "." + v.Name), nil
	})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	o.arrived = func(e flow.Event) {
		data, err := json.Marshal(e.Data)
		if err == nil {
			say(fmt.Sprintf("%v s: event %s %s", e.Time.Seconds(), e.Name, data))
		}
	}
	r.engine.Observe(o)
	return nil
}

// experimentBridge is a bridge of an experiment.
type experimentBridge struct{ *flow.Flow }

// Arrived returns what has come up.
func (b experimentBridge) Arrived() (list []trial.Arrival, err error) {
	events, err := b.Flow.Arrived()
	for _, e := range events {
		list = append(list, trial.Arrival{Name: e.Name, Data: e.Data})
	}
	return list, err
}

// joinBridge joins an experiment to a bridge.
func joinBridge(file string, o *trial.Options) (*flow.Flow, error) {
	say := func(text string) { fmt.Fprintln(os.Stderr, text) }
	warn := func(text string) { say("gosmp: warning: " + text) }
	f, err := openBridge(file, say, warn)
	if err != nil {
		return nil, err
	}
	o.Bridge = experimentBridge{f}
	o.Observe = func(e *cosim.Engine, full func(string) string) error {
		observer, err := newBridgeObserver(f, warn, func(name string) (*cosim.Signal, error) {
			s := e.Watch(full(name))
			if s.Variable.Name == "" {
				return nil, unexpected("--bridge", fmt.Sprintf("%q", name), "a variable of the experiment, as participant.variable")
			}
			return s, nil
		})
		if err == nil {
			e.Observe(observer)
		}
		return err
	}
	return f, nil
}
