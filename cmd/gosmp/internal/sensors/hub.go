package sensors

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/fault"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
	"gosmp/timebase/activity"
)

// errNoRows reports a driver for sensors that the file does not contain.
var errNoRows = errors.New("nothing to publish")

// hub is the sensor hub: simulated drivers that publish to one event channel, and a module that
// prints the events of the channel.
//
// A driver sets an alarm to the time of its next row, publishes all rows that are due when the
// alarm fires, and sets it again. The clock therefore decides whether a replay runs in real time or
// as fast as possible.
type hub struct {
	node    *activity.Node
	events  *activity.Channel[event]
	drivers []*driver
	printed func() error // called when the events of an instant have been printed; may be nil

	err      error // the error that ended the replay
	finish   context.CancelFunc
	running  int             // drivers that still have rows
	lateness activity.Timing // in replay time; none if the replay is as fast as possible
	speed    float64
}

// driver replays one file.
type driver struct {
	simsensor.Driver
	hub    *hub
	file   string
	player *simsensor.Player
	alarm  *activity.AperiodicAlarm
	events *activity.EventWriter[event]
	row    simsensor.Row
	counts map[simsensor.Kind]int
}

func newHub(printer func(event) error) *hub {
	h := &hub{node: activity.NewNode(activity.NodeSpec{}), finish: func() {}}
	h.events = activity.Open[event](h.node, "events").Keep(0)
	m := h.node.Module("printer")
	reader := h.events.Reader(m, activity.ReaderSpec{All: true, Mode: activity.ReadAllData})
	m.Activity("print", activity.Spec{Trigger: reader, Work: func(c activity.Cycle) error {
		for d := range reader.All(c.Span.End) {
			h.fail(printer(d.Value))
		}
		if h.printed != nil {
			h.fail(h.printed())
		}
		return nil
	}}).SwitchOn(0)
	return h
}

// add adds a driver. Drivers with the same name get numbers, because a channel identifies its
// writers by name. A driver without rows in the file is an error, because it would never publish
// anything.
func (h *hub) add(d simsensor.Driver, in *inputfile.File, options simsensor.Options) error {
	player, err := in.Play(options)
	if err != nil {
		return err
	}
	if found, others, err := in.Has(d.Kinds); err == nil && !found {
		_ = player.Close() // opened read-only
		return fault.New(errNoRows, fault.In(in.Name), "rows of "+inputfile.Listed(others),
			"rows of "+inputfile.Listed(d.Kinds)+" for "+d.Name).
			WithHint("name a driver for a sensor in the file")
	}
	m := h.node.Module(fmt.Sprintf("%02d %s", len(h.drivers)+1, d.Name))
	s := &driver{
		Driver: d, hub: h, file: in.Name, player: player, alarm: m.AperiodicAlarm("next row"),
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
		if err := s.events.Write(at, event{at: at, driver: s.Name, row: s.row}); err != nil {
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
func (h *hub) fail(err error) {
	if err != nil && h.err == nil {
		h.err = err
		h.finish()
	}
}

// end is called by each driver that has no more rows. The last driver ends the replay.
func (h *hub) end() {
	h.running--
	if h.running == 0 {
		h.finish()
	}
}

// runVirtual replays as fast as possible, from one alarm to the next.
func (h *hub) runVirtual(ctx context.Context, until timebase.Time) error {
	clock, err := activity.NewVirtualClock(h.node, 0)
	if err != nil {
		return err
	}
	for ctx.Err() == nil && h.err == nil {
		next := clock.NextDue()
		if next >= until {
			break
		}
		if err := clock.AdvanceTo(next + 1); err != nil {
			return err
		}
	}
	return h.err
}

// runWall replays in real time, or faster by the factor speed.
func (h *hub) runWall(ctx context.Context, until timebase.Time, speed float64) error {
	clock, err := activity.NewWallClock(h.node, activity.WallSpec{Speed: speed})
	if err != nil {
		return err
	}
	running, finish := context.WithCancel(ctx)
	defer finish()
	h.finish = finish
	err = clock.Run(running, until)
	if h.err == nil && running.Err() != nil {
		// The clock stops after the callback that ended the replay. Events of that instant have not
		// been printed yet.
		err = clock.Run(context.WithoutCancel(ctx), h.node.Now())
	}
	h.lateness, h.speed = clock.Lateness(), speed
	if errors.Is(err, context.Canceled) { // caused by an error that is reported instead
		err = nil
	}
	return errors.Join(h.err, err)
}

// writeSummary writes what each driver published, and how late.
func (h *hub) writeSummary(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range h.drivers {
		for _, k := range s.Kinds {
			c := s.player.Counters()
			fmt.Fprintf(w, "%s\t%v\t%d events\t%d rejected\t%d rounds\t%s\n", s.Name, k,
				s.counts[k], c.Rejected, c.Loops+1, s.file)
		}
	}
	if l := &h.lateness; l.Count > 0 {
		seconds := func(d timebase.Duration) float64 { return d.Seconds() / h.speed }
		fmt.Fprintf(w, "lateness\tmean %.6f s\t99 %% below %.6f s\tlongest %.6f s\n",
			seconds(l.Mean()), seconds(l.Quantile(0.99)), seconds(l.Max))
	}
	return w.Flush()
}

func (h *hub) close() {
	for _, s := range h.drivers {
		_ = s.player.Close() // opened read-only
	}
}
