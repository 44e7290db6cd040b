package flow

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/bridge"
	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/osmp"
	"gosmp/timebase"
)

// ErrVariable is the kind of errors about variables that do not exist in a run or do not fit their
// fields.
var ErrVariable = errors.New("unusable variable")

// Run provides what a [Flow] needs from a run before it starts. Its functions find variables by the
// names in the configuration.
type Run struct {
	Watch   func(name string) (*cosim.Signal, error)
	Drive   func(name string) (*cosim.Control, error)
	Warn    func(text string)
	Arrived func(Event) // called for messages that come up; nil if others call [Flow.Arrived]
	// Messages lists the outputs with OSI messages of a type, among which [bridge.FromAuto]
	// chooses; nil: there are none.
	Messages func(messageType string) []string
}

// Observer joins a run to a flow: it publishes the topics that have a source, and passes on
// messages that come up. It implements an observer of [cosim.Engine].
type Observer struct {
	flow  *Flow
	run   Run
	feeds []*feed
}

// feed is a topic whose messages are created from variables.
type feed struct {
	topic  *bridge.Topic
	warned bool
	clock  bool // only the time is published

	signal *cosim.Signal // with OSI messages; nil if links are the source
	kind   string        // SensorView or SensorData
	last   []byte        // last message; a message held by its sender is published once
	scene  string        // the variable whose messages are drawn; "" if they are for a topic

	links []source
	value map[string]any // of the message
	stamp map[string]any // of its header; nil without one, or if it has sources
}

// source is a variable and the field that it fills.
type source struct {
	signal *cosim.Signal
	within map[string]any // the message that contains the field
	name   string
}

// sink is an input and the field from which its values come.
type sink struct {
	control *cosim.Control
	link    bridge.Link
	on      bool // the newest value of a Boolean
}

// Join finds the variables of all topics in a run and returns the observer that connects them.
func (f *Flow) Join(r Run) (*Observer, error) {
	o := f.observer(r)
	for _, t := range f.config.Topics {
		err := o.topic(t)
		if err != nil && t.At.Line > 0 {
			return nil, fmt.Errorf("%s: %w", t.At, err)
		}
		if err != nil {
			return nil, err
		}
	}
	return o, o.scenes()
}

func (f *Flow) observer(r Run) *Observer {
	f.sinks, f.warn, f.sunk = map[*bridge.Topic][]sink{}, r.Warn, map[string]bool{}
	return &Observer{flow: f, run: r}
}

// Fit reports the topics of a configuration that [Flow.Join] would refuse. It opens no transport.
func Fit(c *bridge.Config, r Run, refused func(*bridge.Topic, error)) {
	o := (&Flow{config: c}).observer(r)
	for _, t := range c.Topics {
		if err := o.topic(t); err != nil {
			refused(t, err)
		}
	}
}

// topic connects a topic to the variables that it names.
func (o *Observer) topic(t *bridge.Topic) (err error) {
	switch {
	case t.From != "":
		err = o.message(t)
	case t.Sources != nil:
		err = o.fields(t)
	}
	for _, link := range t.Sinks {
		if err == nil {
			err = o.flow.sink(t, link, o.run.Drive)
		}
	}
	return err
}

// scenes watches all outputs with messages that viewers can draw.
func (o *Observer) scenes() error {
	if !o.flow.Scenes() || o.run.Messages == nil {
		return nil
	}
	for _, kind := range []string{"SensorView", "SensorData"} {
		for _, name := range o.run.Messages(kind) {
			signal, err := o.run.Watch(name)
			if err != nil {
				return err
			}
			o.feeds = append(o.feeds, &feed{signal: signal, kind: kind, scene: name})
		}
	}
	return nil
}

func unusable(t *bridge.Topic, name, found, expected string) error {
	return fault.New(ErrVariable, fault.At("topic "+t.Name+": "+name), found, expected)
}

// message connects a topic to a variable with OSI messages.
func (o *Observer) message(t *bridge.Topic) error {
	if t.Message.Name == bridge.TypeClock {
		o.feeds = append(o.feeds, &feed{topic: t, clock: true})
		return nil
	}
	name, err := o.source(t)
	if err != nil {
		return err
	}
	signal, err := o.run.Watch(name)
	if err != nil {
		return err
	}
	if signal.Variable.Kind != cosim.Binary {
		return unusable(t, t.From, "type "+signal.Variable.Kind.String(),
			"a binary variable with OSI messages")
	}
	_, parameters, _ := osmp.ParseMIMEType(signal.Variable.MIMEType)
	o.feeds = append(o.feeds, &feed{topic: t, signal: signal, kind: parameters["type"]})
	return nil
}

// source returns the variable from which a topic is created.
func (o *Observer) source(t *bridge.Topic) (string, error) {
	if t.From != bridge.FromAuto {
		return t.From, nil
	}
	kind := "SensorView"
	if slices.Contains([]string{"sensor_msgs/PointCloud2", "sensor_msgs/LaserScan"},
		t.Message.Name) { // the measurements of sensors
		kind = "SensorData"
	}
	var names []string
	if o.run.Messages != nil {
		names = o.run.Messages(kind)
	}
	if len(names) == 1 {
		return names[0], nil
	}
	found := "no output with a " + kind
	if len(names) > 1 {
		found = "several outputs with a " + kind + ": " + strings.Join(names, ", ")
	}
	return "", unusable(t, t.From, found, "one, or its name as the value of from")
}

// fields connects a topic to plain variables.
func (o *Observer) fields(t *bridge.Topic) error {
	d := &feed{topic: t, value: map[string]any{}}
	for _, link := range t.Sources {
		signal, err := o.run.Watch(link.Variable)
		if err != nil {
			return err
		}
		if v := signal.Variable; !fits(v.Kind, link.Kind, true) || v.Size != 1 {
			return unusable(t, link.Variable, described(v), "one value for field "+link.Path()+
				" of type "+link.Kind.String())
		}
		within := d.value
		for _, name := range link.Field[:len(link.Field)-1] {
			inner, is := within[name].(map[string]any)
			if !is {
				inner = map[string]any{}
				within[name] = inner
			}
			within = inner
		}
		d.links = append(d.links, source{signal, within, link.Field[len(link.Field)-1]})
	}
	if header := t.Message.Field("header"); header != nil &&
		header.Type.Name == "std_msgs/Header" && header.Type.Many == bridge.One &&
		d.value["header"] == nil {
		d.stamp = map[string]any{}
		d.value["header"] = map[string]any{"stamp": d.stamp}
	}
	o.feeds = append(o.feeds, d)
	return nil
}

// described returns a description of the type of a variable.
func described(v cosim.Variable) string {
	if v.Size != 1 {
		return fmt.Sprintf("type %s with %d elements", v.Kind, v.Size)
	}
	return "type " + v.Kind.String()
}

// fits reports whether values of a variable and a field convert: integers become floating point,
// but not the reverse.
func fits(v cosim.Kind, f bridge.Kind, toField bool) bool {
	switch {
	case f == bridge.Bool:
		return v == cosim.Boolean
	case f == bridge.String:
		return v == cosim.String
	case v.IsBlob() || v == cosim.Boolean || v == cosim.Clock:
		return false
	case f == bridge.Float32 || f == bridge.Float64:
		return toField || v.IsFloat()
	default:
		return !toField || !v.IsFloat()
	}
}

// Begin does nothing.
func (*Observer) Begin(*cosim.Result) error { return nil }

// Row publishes new messages and takes those that have come up.
func (o *Observer) Row(t timebase.Time, _ cosim.Row) error {
	o.flow.Advance(t)
	for _, d := range o.feeds {
		err := o.publish(d, t)
		if lacks := errors.Is(err, ErrData) || errors.Is(err, bridge.ErrValue); lacks && !d.warned {
			d.warned = true
			o.run.Warn(fmt.Sprintf("%v s: %v", t.Seconds(), err))
		} else if err != nil && !lacks {
			return err
		}
	}
	if o.run.Arrived == nil {
		return nil
	}
	events, err := o.flow.Arrived()
	for _, e := range events {
		o.run.Arrived(e)
	}
	o.flow.Handled()
	return err
}

func (o *Observer) publish(d *feed, t timebase.Time) error {
	if d.clock {
		return o.flow.Sense(d.topic, t, "", nil)
	}
	if d.signal == nil {
		return o.assemble(d, t)
	}
	_, b := d.signal.First()
	if len(b) == 0 || bytes.Equal(b, d.last) {
		return nil
	}
	d.last = append(d.last[:0], b...)
	if d.scene != "" {
		return o.flow.Draw(d.scene, t, d.kind, b)
	}
	return o.flow.Sense(d.topic, t, d.kind, b)
}

// assemble publishes a message assembled from plain variables.
func (o *Observer) assemble(d *feed, t timebase.Time) error {
	for _, s := range d.links {
		cell, blob := s.signal.First()
		s.within[s.name] = fieldValue(s.signal.Variable.Kind, cell, blob)
	}
	if d.stamp != nil {
		at := o.flow.stamped(t)
		d.stamp["sec"], d.stamp["nanosec"] = int64(at/timebase.Second), int64(at%timebase.Second)
	}
	b, err := o.flow.config.Definitions.Encode(d.topic.Message, d.value, false)
	if err != nil {
		return fmt.Errorf("topic %s: %w", d.topic.Name, err)
	}
	return o.flow.carrier.Publish(d.topic, int64(t), b)
}

// End sends waiting messages and ends the transport.
func (o *Observer) End(*cosim.Result) error { return o.flow.Close() }
