// Package recorded makes ROS and DDS messages in recordings readable. It uses the schema of their
// channel to convert them to JSON, which every readable trace format can represent.
//
//	source = recorded.NewSource(source)
//
// Types: [Source].
package recorded

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"gosmp/bridge"
	"gosmp/internal/fault"
	"gosmp/internal/quantity"
	"gosmp/trace"
)

// Source returns the messages of a trace. Messages in CDR or in ROS 1's serialization become JSON;
// others stay unchanged.
type Source struct {
	trace.Source
	// LeaveOut leaves out channels whose schema cannot be used and records them in Unusable,
	// provided that other channels have messages. Otherwise, Next fails.
	LeaveOut bool
	Unusable []error
	// Broken is called for each message that cannot be decoded, which is then left out. If it is
	// nil, the error ends the source.
	Broken func(error)

	some     bool // a message was read
	channels map[*trace.Channel]*channel
	message  trace.Message
	data     []byte
}

// channel is a channel whose messages become JSON.
type channel struct {
	as          trace.Channel
	definitions *bridge.Definitions
	of          *bridge.Message
	unusable    bool
}

// NewSource returns a source that reads s. Closing it also closes s.
func NewSource(s trace.Source) *Source {
	return &Source{Source: s, channels: map[*trace.Channel]*channel{}}
}

// serialized reports whether the messages of a channel become JSON.
func serialized(c *trace.Channel) bool { return c.Encoding == "cdr" || c.Encoding == "ros1" }

// Channels implements [trace.Source].
func (s *Source) Channels() []*trace.Channel {
	list := slices.Clone(s.Source.Channels())
	for k, c := range list {
		if serialized(c) {
			list[k] = &s.channel(c).as
		}
	}
	return list
}

func (s *Source) channel(c *trace.Channel) *channel {
	known := s.channels[c]
	if known == nil {
		known = &channel{as: *c}
		known.as.Encoding, known.as.SchemaEncoding = "json", "jsonschema"
		known.as.Schema = []byte(`{"type":"object"}`)
		s.channels[c] = known
	}
	return known
}

// Next implements [trace.Source]. It fails with [trace.ErrType] if the schema of a channel cannot
// be used, and with [trace.ErrContent] if a message does not fit it.
func (s *Source) Next() (*trace.Message, error) {
	for {
		m, err := s.Source.Next()
		if errors.Is(err, io.EOF) && !s.some && len(s.Unusable) > 0 {
			return nil, s.Unusable[0]
		}
		if err != nil || !serialized(m.Channel) {
			s.some = s.some || err == nil
			return m, err
		}
		c := s.channel(m.Channel)
		if c.unusable {
			continue
		}
		if err := c.read(m.Channel); err != nil {
			if !s.LeaveOut {
				return nil, err
			}
			c.unusable, s.Unusable = true, append(s.Unusable, err)
			continue
		}
		s.some = true
		decoded, err := s.decode(c, m)
		if err != nil && s.Broken != nil {
			s.Broken(err)
			continue
		}
		return decoded, err
	}
}

// read reads the schema of a channel, once.
func (c *channel) read(from *trace.Channel) (err error) {
	if c.of != nil {
		return nil
	}
	c.definitions, c.of, err = bridge.ReadSchema(from.SchemaEncoding, from.Type, from.Schema)
	if err == nil {
		return nil
	}
	return fault.New(trace.ErrType, fault.At("channel "+from.Topic),
		fmt.Sprintf("schema %q, which cannot be used", from.Type),
		"the definition of the messages").WithCause(err).
		WithHint("select the channels to use with --channel, or write " +
			"MCAP, which keeps all messages")
}

func (s *Source) decode(c *channel, m *trace.Message) (*trace.Message, error) {
	value, err := c.definitions.Decode(c.of, m.Data)
	if err != nil {
		return nil, fault.New(trace.ErrContent, fault.At(fmt.Sprintf("channel %s, %s s",
			m.Channel.Topic, trace.Seconds(m.Time))), quantity.Of(len(m.Data), "byte"),
			"a message of type "+m.Channel.Type).WithCause(err)
	}
	s.data = c.definitions.AppendJSON(s.data[:0], c.of, value)
	s.message = *m
	s.message.Channel, s.message.Data = &c.as, s.data
	return &s.message, nil
}
