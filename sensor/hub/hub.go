// Package hub replays recordings as a sensor hub does: simulated drivers publish the rows of their
// files to one event channel, in real time, faster, or as fast as possible.
//
//	drivers := []hub.Driver{{Driver: d, Name: "flight.csv"}}
//	h, err := hub.New(hub.Options{Drivers: drivers, Event: func(e hub.Event) error { ... }})
//	defer h.Close()
//	err = h.Run(ctx)
//	summary := h.Summary()
//
// A driver sets an alarm to the time of its next row, publishes all rows that are due when the
// alarm fires, and sets it again. The clock therefore decides whether a replay runs in real time or
// as fast as possible.
//
// Types: [Hub], [Options], [Driver], [Event], [Summary].
package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// ErrNoRows reports a driver for sensors that the file does not contain.
var ErrNoRows = errors.New("nothing to publish")

// Options describes a replay.
type Options struct {
	Drivers   []Driver
	Recording simsensor.Options // of all files: units, loops, warnings
	Speed     float64           // relative to real time; 0 is as fast as possible
	Until     timebase.Time     // the end of the replay; 0 means the end of the recordings
	// Event receives each measurement, in the order of time. An error ends the replay.
	Event func(Event) error
	// Instant is called after all events of an instant. It may be nil.
	Instant func() error
}

// Driver is a simulated driver and the recording that it publishes.
type Driver struct {
	simsensor.Driver
	Name    string // of the file
	Content []byte // of the file; if it is nil, the file is opened by its name
}

// open opens the recording.
func (d *Driver) open(o simsensor.Options) (*simsensor.Player, error) {
	if d.Content != nil {
		return simsensor.OpenBytes(d.Name, d.Content, o)
	}
	return simsensor.Open(d.Name, o)
}

// Event is a published measurement.
type Event struct {
	At     timebase.Time // since the start of the replay
	Driver string
	Row    simsensor.Row
}

// Values calls visit for every field that the row has.
func (e *Event) Values(visit func(f simsensor.Field, value int64)) {
	for k, f := range e.Row.Kind.Fields() {
		if e.Row.Kind == simsensor.GPS && k == simsensor.GPSUTC && !e.Row.HasUTC {
			continue
		}
		visit(f, e.Row.Fields[k])
	}
}

// Hub is a replay: drivers, and a module that passes the events of the channel on.
type Hub struct {
	o       Options
	node    *activity.Node
	events  *activity.Channel[Event]
	drivers []*driver

	err      error // the error that ended the replay
	finish   context.CancelFunc
	running  int             // drivers that still have rows
	lateness activity.Timing // in replay time; none if the replay is as fast as possible
}

// New opens the recordings. [Hub.Close] must follow, unless there is an error.
func New(o Options) (*Hub, error) {
	if o.Until == 0 {
		o.Until = timebase.EndOfTime
	}
	h := &Hub{o: o, node: activity.NewNode(activity.NodeSpec{}), finish: func() {}}
	h.events = activity.Open[Event](h.node, "events").Keep(0)
	m := h.node.Module("printer")
	reader := h.events.Reader(m, activity.ReaderSpec{All: true, Mode: activity.ReadAllData})
	m.Activity("print", activity.Spec{Trigger: reader, Work: func(c activity.Cycle) error {
		for d := range reader.All(c.Span.End) {
			h.fail(o.Event(d.Value))
		}
		if o.Instant != nil {
			h.fail(o.Instant())
		}
		return nil
	}}).SwitchOn(0)
	for _, d := range o.Drivers {
		if err := h.add(d); err != nil {
			h.Close()
			return nil, err
		}
	}
	return h, nil
}

// Run replays until the recordings end, the time of the options is reached, or the context ends.
func (h *Hub) Run(ctx context.Context) error {
	if h.o.Speed == 0 {
		return h.runVirtual(ctx)
	}
	return h.runWall(ctx)
}

// driver replays one file.
type driver struct {
	simsensor.Driver
	hub    *Hub
	file   string
	player *simsensor.Player
	alarm  *activity.AperiodicAlarm
	events *activity.EventWriter[Event]
	row    simsensor.Row
	counts map[simsensor.Kind]int
}

// add adds a driver. Drivers with the same name get numbers, because a channel identifies its
// writers by name. A driver without rows in the file is an error, because it would never publish
// anything.
func (h *Hub) add(d Driver) error {
	player, err := d.open(h.o.Recording)
	if err != nil {
		return err
	}
	if found, others, err := d.has(); err == nil && !found {
		_ = player.Close() // opened read-only
		return fault.New(ErrNoRows, fault.In(d.Name), "rows of "+listed(others),
			"rows of "+listed(d.Kinds)+" for "+d.Driver.Name).
			WithHint("name a driver for a sensor in the file")
	}
	m := h.node.Module(fmt.Sprintf("%02d %s", len(h.drivers)+1, d.Driver.Name))
	s := &driver{
		Driver: d.Driver, hub: h, file: d.Name, player: player, alarm: m.AperiodicAlarm("next row"),
		events: h.events.EventWriter(m, ""),
		counts: map[simsensor.Kind]int{},
	}
	h.drivers = append(h.drivers, s)
	h.running++
	m.Activity("publish", activity.Spec{Trigger: s.alarm, Work: s.publish}).SwitchOn(0)
	return s.alarm.Request(0)
}

// publish publishes the rows that are due and sets the alarm to the next one.
func (s *driver) publish(c activity.Cycle) error {
	now := c.Span.Start
	for {
		at, ok, err := s.player.Next(now, &s.row)
		if err != nil {
			s.hub.fail(err)
			return nil
		}
		if !ok {
			break
		}
		if !s.Publishes(s.row.Kind) {
			continue
		}
		s.counts[s.row.Kind]++
		if err := s.events.Write(at, Event{At: at, Driver: s.Name, Row: s.row}); err != nil {
			s.hub.fail(err)
			return nil
		}
	}
	at, ok, err := s.player.Due()
	switch {
	case err != nil:
		s.hub.fail(err)
	case ok:
		s.hub.fail(s.alarm.Request(at))
	default:
		s.hub.end()
	}
	return nil
}

// fail ends the replay with an error.
func (h *Hub) fail(err error) {
	if err != nil && h.err == nil {
		h.err = err
		h.finish()
	}
}

// end is called by each driver that has no more rows. The last driver ends the replay.
func (h *Hub) end() {
	h.running--
	if h.running == 0 {
		h.finish()
	}
}

// runVirtual replays as fast as possible, from one alarm to the next.
func (h *Hub) runVirtual(ctx context.Context) error {
	clock, err := activity.NewVirtualClock(h.node, 0)
	if err != nil {
		return err
	}
	for ctx.Err() == nil && h.err == nil {
		next := clock.NextDue()
		if next >= h.o.Until {
			break
		}
		if err := clock.AdvanceTo(next + 1); err != nil {
			return err
		}
	}
	return h.err
}

// runWall replays in real time, or faster by the factor [Options].Speed.
func (h *Hub) runWall(ctx context.Context) error {
	clock, err := activity.NewWallClock(h.node, activity.WallSpec{Speed: h.o.Speed})
	if err != nil {
		return err
	}
	running, finish := context.WithCancel(ctx)
	defer finish()
	h.finish = finish
	err = clock.Run(running, h.o.Until)
	if h.err == nil && running.Err() != nil {
		// The clock stops after the callback that ended the replay. Events of that instant have not
		// been printed yet.
		err = clock.Run(context.WithoutCancel(ctx), h.node.Now())
	}
	h.lateness = clock.Lateness()
	if errors.Is(err, context.Canceled) { // caused by an error that is reported instead
		err = nil
	}
	return errors.Join(h.err, err)
}

// Summary states what the drivers have published.
type Summary struct {
	Published []Published
	// Lateness is the delay relative to the plan, in replay time. It is empty if the replay is as
	// fast as possible.
	Lateness activity.Timing
	Speed    float64 // see [Options]
}

// Published states what a driver has published of one sensor.
type Published struct {
	Driver   string
	Kind     simsensor.Kind
	Events   int
	Rejected int64 // rows of the file
	Rounds   int64 // through the file, including the current one
	File     string
}

// Summary returns what the drivers have published so far.
func (h *Hub) Summary() *Summary {
	s := &Summary{Lateness: h.lateness, Speed: h.o.Speed}
	for _, d := range h.drivers {
		c := d.player.Counters()
		for _, k := range d.Kinds {
			s.Published = append(s.Published, Published{Driver: d.Name, Kind: k,
				Events: d.counts[k], Rejected: c.Rejected, Rounds: c.Loops + 1, File: d.file})
		}
	}
	return s
}

// Close closes the recordings.
func (h *Hub) Close() {
	for _, s := range h.drivers {
		_ = s.player.Close() // opened read-only
	}
}

// has reports whether the recording contains a row of one of the driver's sensors. If not, it
// returns the sensors that the recording does contain.
func (d *Driver) has() (found bool, others []simsensor.Kind, err error) {
	p, err := d.open(simsensor.Options{})
	if err != nil {
		return false, nil, err
	}
	defer func() { _ = p.Close() }() // opened read-only
	var row simsensor.Row
	for {
		_, ok, err := p.Next(1<<63-1, &row)
		switch {
		case err != nil:
			return false, others, err
		case !ok:
			return false, others, nil
		case slices.Contains(d.Kinds, row.Kind):
			return true, nil, nil
		case !slices.Contains(others, row.Kind):
			others = append(others, row.Kind)
		}
	}
}

// listed formats sensors as "a, b and c".
func listed(kinds []simsensor.Kind) string {
	words := make([]string, len(kinds))
	for k, x := range kinds {
		words[k] = x.String()
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
