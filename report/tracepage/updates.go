package tracepage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gosmp/proto/osi3"
	"gosmp/proto/rules"
	"gosmp/timebase"
	"gosmp/trace"
)

// updates joins the objects of all channels of TrafficUpdates and StreamingUpdates, for a trace
// without a ground truth: each traffic participant may have a channel of its own.
type updates struct {
	channels []*updated
	at       timebase.Time // of messages that are not yet in the scene
	waiting  bool
}

// updated is a channel with its newest message.
type updated struct {
	topic  string
	last   timebase.Time // of its last message, after which its objects are gone
	at     timebase.Time
	newest trace.Message
	data   []byte
}

// of returns the channel of a message, or nil if it has no updates that are shown.
func (u *updates) of(m *trace.Message) *updated {
	k := slices.IndexFunc(u.channels, func(c *updated) bool { return c.topic == m.Channel.Topic })
	if k < 0 {
		return nil
	}
	return u.channels[k]
}

// update keeps a message until the messages of the other channels at the same time are known.
func (s *scene) update(c *updated, m *trace.Message, decoder *trace.Decoder) {
	if s.updates.waiting && m.Time != s.updates.at {
		s.join(decoder)
	}
	s.updates.at, s.updates.waiting = m.Time, true
	c.data = append(c.data[:0], m.Data...) // valid until the next message
	c.at, c.newest = m.Time, *m
	c.newest.Data = c.data
}

// join adds a moment, if one is due, with the newest objects of each channel that goes on. Of an
// object in several channels, the newest counts.
func (s *scene) join(decoder *trace.Decoder) {
	t := s.updates.at
	if !s.updates.waiting || t < s.next || len(s.Frames) > s.most {
		s.skipped = s.skipped || s.updates.waiting && len(s.Frames) > 0
		return
	}
	s.updates.waiting = false
	order := slices.Clone(s.updates.channels)
	slices.SortStableFunc(order, func(a, b *updated) int { return cmp.Compare(b.at, a.at) })
	joined, known := &osi3.GroundTruth{}, map[uint64]bool{}
	for _, c := range order {
		if c.newest.Channel == nil || t > c.last {
			continue
		}
		decoded, err := decoder.Decode(&c.newest)
		if err != nil {
			continue // the check has reported it
		}
		rules.DiscardUnusable(decoded)
		var objects []*osi3.MovingObject
		switch d := decoded.(type) {
		case *osi3.TrafficUpdate:
			objects = d.GetUpdate()
		case *osi3.StreamingUpdate:
			objects = d.GetMovingObjectUpdate()
			joined.StationaryObject = append(joined.StationaryObject,
				d.GetStationaryObjectUpdate()...)
			joined.TrafficSign = append(joined.TrafficSign, d.GetTrafficSignUpdate()...)
			joined.TrafficLight = append(joined.TrafficLight, d.GetTrafficLightUpdate()...)
		}
		for _, o := range objects {
			if id := o.GetId().GetValue(); !known[id] {
				known[id] = true
				joined.MovingObject = append(joined.MovingObject, o)
			}
		}
	}
	s.truth(t, joined)
}

// text names the channels.
func (u *updates) text() string {
	const most = 8
	var names []string
	for _, c := range u.channels[:min(most, len(u.channels))] {
		names = append(names, c.topic)
	}
	text := "Objects of channel " + names[0]
	if len(names) > 1 {
		text = "Objects of channels " + strings.Join(names, ", ")
	}
	if n := len(u.channels) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
