package trial

import (
	"errors"
	"slices"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/portable"
	"gosmp/mocksim"
)

// zone is a circle that actors enter and leave.
type zone struct {
	name         string
	x, y, radius float64
	inside       []string // actors, sorted
}

// watchZone watches a circle. A circle that is already watched starts over, so that machines
// watching the same circle receive each event only once.
func (t *Trial) watchZone(a *action) error {
	if _, err := t.simulated("watch.zone"); err != nil {
		return err
	}
	if a.X == nil || a.Y == nil {
		return impossible("watch.zone", "no circle", "name, x, y and a radius above 0")
	}
	for _, z := range t.zones {
		// another machine watches it, or this one watches it again
		if z.name == a.Name && z.x == *a.X && z.y == *a.Y && z.radius == a.Radius {
			z.inside = nil
			return nil
		}
	}
	t.zones = append(t.zones, &zone{name: a.Name, x: *a.X, y: *a.Y, radius: a.Radius})
	return nil
}

// readVariables reads the variables that machines see.
func (t *Trial) readVariables() {
	for _, r := range t.readings {
		r.look()
	}
}

// happened lists the events of the step that just ended, in the order of the rules.
func (t *Trial) happened() (list []scxml.Event) {
	t.readVariables()
	t.countUndefined()
	if t.world != nil {
		events, scripted := t.world.happened()
		for _, e := range events {
			if name := eventName(e.Kind); name != "" {
				list = append(list, event(name, map[string]any{"actor": e.Actor, "other": e.Other,
					"value": e.Value, "side": e.Axis, "text": e.Text, "time": e.Time.Seconds()}))
			}
		}
		for _, e := range scripted {
			list = append(list, event(e.Name, e.Data))
			if e.Name == scenarioOver {
				t.scripted, _ = e.Data["reason"].(string)
			}
		}
		for _, z := range t.zones {
			list = append(list, t.crossings(z)...)
		}
	}
	list = append(list, t.compared()...)
	for _, d := range t.data {
		if d.seen != d.reading.version {
			d.seen = d.reading.version
			list = append(list,
				event(dataEvent+d.channel,
					defined(map[string]any{"value": d.reading.value(), "time": t.seconds()})))
		}
	}
	return list
}

// The names of a scenario's events begin with scenarioEvent; scenarioOver is the event at the end.
const (
	scenarioEvent = "scenario."
	scenarioOver  = scenarioEvent + "over"
)

// eventKinds holds the kinds of simulator events that machines receive.
var eventKinds = []mocksim.EventKind{mocksim.Collision, mocksim.CollisionEnd, mocksim.Arrived,
	mocksim.OffRoad, mocksim.LaneChange, mocksim.Silent, mocksim.NotOwner, mocksim.Dismissed,
	mocksim.NotPending, mocksim.UnknownActor, mocksim.BodyVelocity, mocksim.Jump}

// eventName returns the name of a simulator event for machines, or "" if they do not receive it.
// Dots separate its words, as in all names of events.
func eventName(k mocksim.EventKind) string {
	if !slices.Contains(eventKinds, k) {
		return ""
	}
	return strings.ReplaceAll(k.String(), "_", ".")
}

// crossings lists events for the actors that entered or left a zone.
func (t *Trial) crossings(z *zone) (list []scxml.Event) {
	var inside []string
	for k := range t.world.Len() {
		v := t.world.At(k)
		if p := v.State().Position; portable.Hypot(p.X-z.x, p.Y-z.y) <= z.radius {
			inside = append(inside, v.Name())
		}
	}
	for _, name := range inside {
		if !slices.Contains(z.inside, name) {
			list = append(list,
				event("zone.entered", map[string]any{"zone": z.name, "actor": name}))
		}
	}
	for _, name := range z.inside {
		if !slices.Contains(inside, name) {
			list = append(list, event("zone.left", map[string]any{"zone": z.name, "actor": name}))
		}
	}
	z.inside = inside
	return list
}

func event(name string, data map[string]any) scxml.Event {
	v, err := scxml.ValueOf(data) // a map is written in the order of its keys
	if err != nil {
		v = scxml.String(err.Error())
	}
	return scxml.Event{Name: name, Data: v}
}

// actorFields holds the fields of an actor in a step event.
var actorFields = [...]string{"kind", "x", "y", "yaw", "speed", "acceleration", "length", "width"}

// actors returns the simulator state that machines see in a step event.
func (t *Trial) actors() map[string]any {
	all := map[string]any{}
	if t.world == nil {
		return all
	}
	for k := range t.world.Len() {
		v := t.world.At(k)
		s := v.State()
		values := [len(actorFields)]any{v.Kind().String(), s.Position.X, s.Position.Y,
			s.Orientation.Yaw, s.Speed, s.Along, v.Shape().Length, v.Shape().Width}
		actor := make(map[string]any, len(values))
		for k, field := range actorFields {
			actor[field] = values[k]
		}
		all[v.Name()] = actor
	}
	return all
}

// channels implements the topics of registerEvent and Message (X33), which are variables written as
// participant.variable.
type channels struct {
	t    *Trial
	list []*subscription
}

type subscription struct {
	topic   string
	reading *reading
	deliver func(scxml.Value) error
	seen    int // version of the reading
}

var errTopic = errors.New("the full name of this variable occurs in no chart of the experiment")

// Subscribe implements scxml.Channels.
func (c *channels) Subscribe(topic, _ string, deliver func(scxml.Value) error) (func(), error) {
	s := c.t.signals[topic]
	if s == nil {
		return nil, errTopic
	}
	sub := &subscription{topic: topic, reading: s, deliver: deliver}
	c.list = append(c.list, sub)
	return func() {
		c.list = slices.DeleteFunc(c.list, func(x *subscription) bool { return x == sub })
	}, nil
}

// Publish implements scxml.Channels: the data is a number, or an object with a field data or value.
func (c *channels) Publish(topic, _ string, data scxml.Value) error {
	v, err := datum(data)
	if err != nil {
		return err
	}
	return c.t.set(&action{Variable: topic, Value: &v})
}

func datum(data scxml.Value) (v float64, err error) {
	if data.Decode(&v) == nil && !data.IsUndefined() {
		return v, nil
	}
	var o struct{ Data, Value *float64 }
	if err := data.Decode(&o); err != nil {
		return 0, err
	}
	switch {
	case o.Data != nil:
		return *o.Data, nil
	case o.Value != nil:
		return *o.Value, nil
	}
	return 0, impossible("Message", data.Display(), "a number, or an object with data or value")
}

// services maps the services of experiment.Services to the equivalent simulator events.
var services = map[string]string{"spawn": "create", "delete": "destroy", "set_pose": "move"}

// Call implements scxml.Channels: spawn, delete and set_pose act on the simulator.
func (c *channels) Call(service, _ string, request scxml.Value) (scxml.Value, error) {
	name := services[service]
	if name == "" {
		return scxml.Value{}, impossible("ServiceRequest", "service "+service,
			"spawn, delete or set_pose")
	}
	if err := c.t.act(scxml.Message{Event: scxml.Event{Name: name, Data: request}}); err != nil {
		return scxml.Value{}, err
	}
	v, _ := scxml.JSON(`{"success":true}`)
	return v, nil
}

// deliver posts the values that have changed.
func (c *channels) deliver() error {
	for _, s := range slices.Clone(c.list) {
		if s.seen == s.reading.version {
			continue
		}
		s.seen = s.reading.version
		data, err := s.reading.data()
		if err != nil {
			return err
		}
		if err := s.deliver(data); err != nil && !errors.Is(err, scxml.ErrEnded) {
			return err
		}
	}
	return nil
}
