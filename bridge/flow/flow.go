package flow

import (
	"errors"
	"fmt"
	"math"
	"time"

	"gosmp/bridge"
	"gosmp/bridge/dds"
	"gosmp/bridge/foxglove"
	"gosmp/bridge/server"
	"gosmp/internal/fault"
	"gosmp/internal/gate"
	"gosmp/internal/quantity"
	"gosmp/timebase"
)

// ErrEvent is the kind of errors about events that are not in the configuration.
var ErrEvent = errors.New("event not carried")

// Options define how a flow behaves.
type Options struct {
	Warn func(text string) // called for each warning, maybe from other goroutines; may be nil
	Say  func(text string) // called with the counts of a DDS participant; may be nil
	Name string            // the name shown by viewers

	Access gate.Rules // who may connect
}

// Flow is a bridge in a run. It must be used by one goroutine at a time.
type Flow struct {
	config  *bridge.Config
	sut     bridge.SUT // its queue holds messages that have come up
	carrier bridge.Carrier
	say     func(text string)
	buffer  []byte
	modern  *bridge.Definitions // for ROS 2, once a flow of ROS 1 has published sensor data
	closed  bool
	budget  budget
	begun   *error          // error from starting the recording, once started
	offset  *timebase.Time  // offset of stamps, once the first one is created
	maker   *foxglove.Maker // of scenes for viewers; nil before the first message
	drawn   map[string]bool // topics with a drawn message

	// Fields for the run joined by the flow.
	sinks map[*bridge.Topic][]sink
	warn  func(text string)
	sunk  map[string]bool // inputs for which a warning was given
}

// Event is an incoming message.
type Event struct {
	Name  string
	Topic string
	Time  timebase.Time  // when it arrived, in simulated time
	Data  map[string]any // see [bridge.Definitions.Decode]; NaN and infinity become nil
}

// Open opens the transport of a configuration.
func Open(c *bridge.Config, o Options) (*Flow, error) {
	f := &Flow{config: c, budget: budget{now: time.Now, unlimited: c.Transport.Kind == "loopback"}}
	f.sut = bridge.SUT{Config: c, Warn: o.Warn}
	receive := f.sut.Receive
	if c.Transport.Kind == "loopback" { // topics that only go down have no way back
		receive = func(topic string, timeNs int64, b []byte) error {
			if c.Topic(topic, bridge.Up) == nil {
				return nil
			}
			return f.sut.Receive(topic, timeNs, b)
		}
	}
	carrier, err := server.Open(c, server.Options{
		Name: o.Name, Receive: receive, Warn: o.Warn, Access: o.Access,
	})
	if err != nil {
		return nil, err
	}
	f.carrier, f.say = carrier, o.Say
	return f, nil
}

// Config returns the configuration with which the flow was opened.
func (f *Flow) Config() *bridge.Config { return f.config }

// Address returns the address for clients, or "" if the transport has none.
func (f *Flow) Address() string {
	switch c := f.carrier.(type) {
	case *server.WebSocket:
		return "ws://" + c.Addr().String()
	case *server.TCP:
		return c.Addr().String()
	case *dds.Carrier:
		return c.Where()
	}
	return ""
}

// Counts contains the numbers of messages that a DDS participant sent, received and lost.
type Counts = dds.Counts

// Counts returns the counts of a DDS participant, or nil with other transports.
func (f *Flow) Counts() *Counts {
	c, is := f.carrier.(*dds.Carrier)
	if !is {
		return nil
	}
	counts := c.Counts()
	return &counts
}

// Advance sets the simulated time. The first call begins the recording of a transport that is a
// file; its error is returned with the first message, or by Close.
func (f *Flow) Advance(now timebase.Time) {
	if c, has := f.carrier.(interface{ Begin() error }); has && f.begun == nil {
		err := c.Begin()
		f.begun = &err
	}
	if c, has := f.carrier.(interface{ Advance(timeNs int64) }); has {
		c.Advance(int64(now))
	}
}

// stamped returns the time for a message's stamps: the simulated time plus the configured offset.
func (f *Flow) stamped(now timebase.Time) timebase.Time {
	if f.offset == nil {
		o := timebase.Time(math.Round(f.config.TimeOffset.Seconds * 1e9))
		if f.config.TimeOffset.Wall {
			o = timebase.Time(time.Now().UnixNano()) - now
		}
		f.offset = &o
	}
	return now + *f.offset
}

// Emit publishes an event that goes down, with the fields of its message. Missing fields are 0.
func (f *Flow) Emit(now timebase.Time, name string, data map[string]any) error {
	for _, t := range f.config.Topics {
		if t.Event != name || t.Direction != bridge.Down {
			continue
		}
		b, err := f.config.Definitions.Encode(t.Message, data, false)
		if err != nil {
			return fmt.Errorf("event %s: %w", name, err)
		}
		return f.carrier.Publish(t, int64(now), b)
	}
	return fault.New(ErrEvent, fault.At("event "+name), "",
		"an event of the bridge's configuration with direction down")
}

// Arrived returns the messages received since the last call, oldest first, and starts the clock for
// handling them: see [Flow.Handled]. Messages for which there is no time are returned later. In a
// joined run, it also sets the inputs named by the topics; the newest message is used.
func (f *Flow) Arrived() (events []Event, err error) {
	f.budget.begin()
	for {
		m := f.sut.Take(f.budget.room())
		if m == nil {
			return events, nil
		}
		f.budget.bytes += len(m.GetCdr())
		t := f.config.Topic(m.GetTopic(), bridge.Up)
		data, err := f.config.Definitions.Decode(t.Message, m.GetCdr()) // checked on arrival
		if err != nil {
			return events, err
		}
		f.set(t, data)
		bridge.Finite(data)
		at := timebase.Time(math.Round(m.GetTimeMs() * 1e6))
		events = append(events, Event{t.Event, t.Name, at, data})
	}
}

// Handled ends the time measured for handling events. Without this call, only their decoding
// counts.
func (f *Flow) Handled() { f.budget.settle() }

// Close sends waiting messages and ends the transport. A second call does nothing.
func (f *Flow) Close() error {
	if f.closed {
		return nil
	}
	f.closed = true
	if n := f.sut.Dropped(); n > 0 && f.sut.Warn != nil {
		f.sut.Warn("dropped because the run could not take them in time: " + quantity.Of(n,
			"message") + " of clients")
	}
	err := f.carrier.Close()
	if c := f.Counts(); c != nil && f.say != nil {
		f.say("bridge: " + c.String())
	}
	if f.begun != nil {
		err = errors.Join(*f.begun, err)
	}
	return err
}
