package snapshot

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/internal/option"
	"gosmp/internal/quantity"
	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/report/birdseye"
	"gosmp/timebase"
	"gosmp/trace"
)

// tracedSnapshot returns the snapshot of a message in a trace that package trace can read.
func (c *chooser) tracedSnapshot(in *input, until *timebase.Time) (*birdseye.Snapshot, error) {
	for _, wanted := range c.wanted() {
		if s, err := c.joined(in, until, wanted); s != nil || err != nil {
			return s, err
		}
		m, number, err := c.read(in, until, wanted)
		if err != nil {
			return nil, err
		}
		if m != nil {
			return c.traced(m, number)
		}
	}
	return nil, fault.New(ErrMessage, fault.In(c.name),
		"0 messages of "+strings.Join(slices.Concat(c.wanted()...), ", "),
		fmt.Sprintf("at least %d", max(1, c.Frame)))
}

// read returns the message to draw, and its number in its channel. It is nil if the trace has no
// message of the wanted channels or types.
func (c *chooser) read(in *input, until *timebase.Time,
	wanted []string) (*trace.Message, int, error) {
	o := trace.Options{Type: c.Type}
	topics, err := in.resolve(wanted, o)
	if err != nil {
		return nil, 0, err
	}
	o.Select.Topics = topics
	if len(c.Channels) > 0 {
		c.Channels = topics
	}
	source, err := trace.OpenAt(in.name, in.file, in.size, o)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = source.Close() }() // opened read-only
	m, number, err := c.pickTraced(source, until, topics)
	if m != nil {
		kept := *m
		kept.Data = slices.Clone(m.Data) // valid after the source is closed
		m = &kept
	}
	return m, number, err
}

// traced returns the snapshot of a message of a trace.
func (c *chooser) traced(m *trace.Message, number int) (*birdseye.Snapshot, error) {
	kind := strings.TrimPrefix(m.Channel.Type, "osi3.")
	if as := c.Type; !slices.Contains(drawable(), kind) || as != "" && as != kind {
		return nil, option.Unexpected("--channel",
			fmt.Sprintf("%s, which has messages of type %s", m.Channel.Topic, m.Channel.Type),
			"a channel of "+strings.Join(c.drawable(), ", "))
	}
	message := newMessage(kind)
	if err := trace.Unmarshal(m.Data, message); err != nil {
		return nil, err
	}
	picture, err := c.snapshotOf(message)
	if picture != nil {
		picture.Message = number
	}
	if picture != nil && m.Channel.Topic != kind { // .osi files have no channel names
		picture.Channel = m.Channel.Topic
	}
	return picture, err
}

// wanted returns the channels of --channel, or else the types that can be drawn. A list is used if
// the trace has no message of the ones before it.
func (c *chooser) wanted() [][]string {
	if len(c.Channels) > 0 {
		return [][]string{c.Channels}
	}
	if kind := c.Type; kind != "" {
		return [][]string{{kind}}
	}
	return [][]string{chosenFirst(), otherwise()[:2], otherwise()[2:]}
}

// isRead reports whether an input is MCAP, JSON Lines or protobuf text. Files of binary messages
// have other layouts, which messages.go reads. The error names recordings of other formats.
func isRead(in *input) (bool, error) {
	head := make([]byte, trace.HeadSize)
	n, _ := in.file.ReadAt(head, 0) // a short file has a short head
	format, err := trace.Recognize(in.name, head[:n], -1)
	return format.StatesTypes() || format.IsText(), err
}

// drawable returns the types of messages that can be drawn, in the order in which their fields are
// tried on a message of unknown type.
func drawable() []string { return append(chosenFirst(), otherwise()...) }

// chosenFirst returns the types that are drawn by default.
func chosenFirst() []string { return []string{"SensorView", "SensorData", "GroundTruth"} }

// otherwise returns the types that are drawn if a trace has none of the others.
func otherwise() []string { return []string{"TrafficUpdate", "StreamingUpdate", "HostVehicleData"} }

// newMessage returns an empty message of a type that can be drawn.
func newMessage(kind string) proto.Message {
	switch kind {
	case "SensorData":
		return &osi3.SensorData{}
	case "GroundTruth":
		return &osi3.GroundTruth{}
	case "TrafficUpdate":
		return &osi3.TrafficUpdate{}
	case "StreamingUpdate":
		return &osi3.StreamingUpdate{}
	case "HostVehicleData":
		return &osi3.HostVehicleData{}
	}
	return &osi3.SensorView{}
}

// drawable returns the types that this command may draw.
func (c *chooser) drawable() []string {
	if kind := c.Type; kind != "" {
		return []string{kind}
	}
	return drawable()
}

// pickTraced returns the message with the number --frame, or the last message that is not later
// than a time, or else the first message, and its number in its channel. Without any message, the
// result is nil.
func (c *chooser) pickTraced(s trace.Source, until *timebase.Time,
	wanted []string) (*trace.Message, int, error) {
	var found *trace.Message
	numbers, number := map[*trace.Channel]int{}, 0
	for n := 1; ; n++ {
		m, err := s.Next()
		if err == nil {
			numbers[m.Channel]++
		}
		switch {
		case errors.Is(err, io.EOF):
			if found != nil {
				return found, number, nil
			}
			if n == 1 {
				return nil, 0, c.known(s)
			}
			return nil, 0, fault.New(ErrMessage, fault.In(c.name), fmt.Sprintf("%s of %s",
				quantity.Of(n-1, "message"), strings.Join(wanted, ", ")),
				fmt.Sprintf("at least %d", max(1, c.Frame)))
		case err != nil:
			return nil, 0, err
		case until != nil && m.Time > *until:
			if found == nil {
				return nil, 0, fault.New(ErrMessage, fault.In(c.name),
					fmt.Sprintf("a first message at %v", m.Time),
					fmt.Sprintf("one at %v or before", *until))
			}
			return found, number, nil
		case until != nil:
			kept := *m
			kept.Data = slices.Clone(m.Data)
			found, number = &kept, numbers[m.Channel]
		case n >= c.Frame:
			return m, numbers[m.Channel], nil
		}
	}
}

// known returns an error if a source has none of the channels that the user named.
func (c *chooser) known(s trace.Source) error {
	chosen := trace.Selection{Topics: c.Channels}
	if err := chosen.Require(s.Channels()); err != nil {
		return option.Invalid("--channel", err)
	}
	return nil
}

// snapshotOf returns the snapshot of a message. It leaves out elements that cannot be drawn, and
// reports them.
func (c *chooser) snapshotOf(m proto.Message) (*birdseye.Snapshot, error) {
	c.warn(rules.DiscardUnusable(m))
	return birdseye.Of(m)
}

// warn reports elements that are left out.
func (c *chooser) warn(removed []rules.Unusable) {
	if c.Warn != nil && len(removed) > 0 {
		c.Warn(removed)
	}
}

// resolve returns the topics that names refer to.
func (in *input) resolve(names []string, o trace.Options) ([]string, error) {
	topics, err := trace.ResolveIn(func() (trace.Source, error) {
		return trace.OpenAt(in.name, in.file, in.size, o)
	}, names)
	if errors.Is(err, trace.ErrAmbiguous) {
		return nil, option.Invalid("--channel", err)
	}
	return topics, err
}
