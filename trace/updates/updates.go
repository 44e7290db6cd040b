// Package updates joins the objects of all channels of TrafficUpdates and StreamingUpdates of a
// trace: each traffic participant may have a channel of its own.
//
// An object exists from the first to the last message of its channel. Of an object in several
// channels, the newest counts. A moment has all updates of one time:
//
//	if last := j.Complete(m); last != nil {
//		objects, err := j.At(last.Time)
//		...
//	}
//	isUpdate := j.Put(m)
//
// Types: [Join], [Channel].
package updates

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/timebase"
	"gosmp/trace"
)

// Channel is a channel with updates of objects.
type Channel struct {
	Topic string
	Last  timebase.Time // of its last message, after which its objects are gone
}

// Join joins the newest messages of channels.
type Join struct {
	// Removed receives what cannot be used, once for each message that is joined. It may be nil.
	Removed func(topic string, list []rules.Unusable) error
	// Broken receives messages that cannot be decoded. It may be nil.
	Broken func(topic string, err error) error

	channels []*channel
	decoder  trace.Decoder
	pending  *trace.Message // the newest update, without data; nil if its moment is complete
}

// channel is a channel with its newest message.
type channel struct {
	Channel
	at     timebase.Time
	newest trace.Message
	data   []byte
	truth  *osi3.GroundTruth // decoded; nil before that
}

// New returns a join of channels, in the order in which their objects are listed.
func New(channels []Channel) *Join {
	j := &Join{}
	for _, c := range channels {
		j.channels = append(j.channels, &channel{Channel: c})
	}
	return j
}

// Is reports whether messages of a type, such as osi3.TrafficUpdate, are updates of objects.
func Is(messageType string) bool {
	switch strings.TrimPrefix(messageType, "osi3.") {
	case "TrafficUpdate", "StreamingUpdate":
		return true
	}
	return false
}

// Decides reports whether messages of a type contain the objects of a trace, so that its updates
// are not shown.
func Decides(messageType string) bool {
	switch strings.TrimPrefix(messageType, "osi3.") {
	case "GroundTruth", "SensorView", "SensorData":
		return true
	}
	return false
}

// Find reads a source and returns its channels with updates, sorted by topic. The result is empty
// if another channel contains the objects. Damage ends the search without an error.
func Find(s trace.Source) (list []Channel, err error) {
	for {
		m, err := s.Next()
		switch {
		case errors.Is(err, io.EOF), trace.IsDamage(err):
			slices.SortFunc(list, func(a, b Channel) int { return cmp.Compare(a.Topic, b.Topic) })
			return list, nil
		case err != nil:
			return nil, err
		case !m.Channel.IsOSI():
			continue
		case Decides(m.Channel.Type):
			return nil, nil
		case !Is(m.Channel.Type):
			continue
		}
		k := slices.IndexFunc(list, func(c Channel) bool { return c.Topic == m.Channel.Topic })
		if k < 0 {
			list = append(list, Channel{m.Channel.Topic, m.Time})
			continue
		}
		list[k].Last = max(list[k].Last, m.Time)
	}
}

// Len returns the number of channels.
func (j *Join) Len() int { return len(j.channels) }

// Put keeps a message as the newest one of its channel. It reports whether the channel is joined.
func (j *Join) Put(m *trace.Message) bool {
	k := slices.IndexFunc(j.channels, func(c *channel) bool { return c.Topic == m.Channel.Topic })
	if k < 0 || !m.Channel.IsOSI() {
		return false
	}
	c := j.channels[k]
	c.data = append(c.data[:0], m.Data...) // valid until the next message
	c.at, c.newest, c.truth = m.Time, *m, nil
	c.newest.Data = c.data
	j.pending = new(trace.Message)
	*j.pending = *m
	j.pending.Data = nil
	return true
}

// Complete reports whether all updates of a moment are known: whether the next message of the
// trace, or its end if next is nil, is not at the time of the updates so far. It then returns the
// last update of the moment, without data, and otherwise nil. Each moment is complete once. Call
// Complete before [Join.Put], with all messages of the trace, also of other channels.
func (j *Join) Complete(next *trace.Message) *trace.Message {
	last := j.pending
	if last == nil || next != nil && next.Time == last.Time {
		return nil
	}
	j.pending = nil
	return last
}

// At returns the newest objects of each channel that goes on at a time.
func (j *Join) At(t timebase.Time) (*osi3.GroundTruth, error) {
	order := slices.Clone(j.channels)
	slices.SortStableFunc(order, func(a, b *channel) int { return cmp.Compare(b.at, a.at) })
	joined, known := &osi3.GroundTruth{}, map[uint64]bool{}
	for _, c := range order {
		if c.newest.Channel == nil || t > c.Last {
			continue
		}
		if err := j.decode(c); err != nil {
			return nil, err
		}
		for _, o := range c.truth.GetMovingObject() {
			if id := o.GetId().GetValue(); !known[id] {
				known[id] = true
				joined.MovingObject = append(joined.MovingObject, o)
			}
		}
		joined.StationaryObject = append(joined.StationaryObject,
			c.truth.GetStationaryObject()...)
		joined.TrafficSign = append(joined.TrafficSign, c.truth.GetTrafficSign()...)
		joined.TrafficLight = append(joined.TrafficLight, c.truth.GetTrafficLight()...)
	}
	return joined, nil
}

// decode decodes the newest message of a channel. One that cannot be decoded has no objects.
func (j *Join) decode(c *channel) error {
	if c.truth != nil {
		return nil
	}
	c.truth = &osi3.GroundTruth{}
	decoded, err := j.decoder.Decode(&c.newest)
	if err != nil {
		if j.Broken == nil {
			return nil
		}
		return j.Broken(c.Topic, err)
	}
	removed := rules.DiscardUnusable(decoded)
	if truth := Objects(decoded); truth != nil {
		c.truth = truth
	}
	if j.Removed == nil || len(removed) == 0 {
		return nil
	}
	return j.Removed(c.Topic, removed)
}

// Objects returns the objects of a TrafficUpdate or StreamingUpdate as a ground truth, or nil for a
// message of another type.
func Objects(m proto.Message) *osi3.GroundTruth {
	switch m := m.(type) {
	case *osi3.TrafficUpdate:
		return &osi3.GroundTruth{MovingObject: m.GetUpdate()}
	case *osi3.StreamingUpdate:
		return &osi3.GroundTruth{MovingObject: m.GetMovingObjectUpdate(),
			StationaryObject: m.GetStationaryObjectUpdate(),
			TrafficSign:      m.GetTrafficSignUpdate(), TrafficLight: m.GetTrafficLightUpdate()}
	}
	return nil
}

// Names returns the topics as text, shortened if there are many.
func (j *Join) Names() string {
	const most = 8
	var names []string
	for _, c := range j.channels[:min(most, len(j.channels))] {
		names = append(names, c.Topic)
	}
	text := strings.Join(names, ", ")
	if n := len(j.channels) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
