package foxglove

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/trace"
)

// Source returns the messages of a trace and, after each drawable message, the messages that draw
// it, with the same time.
type Source struct {
	trace.Source
	maker    Maker
	decoder  trace.Decoder
	channels map[string]*trace.Channel
	topics   []string // topics of created messages, in the order of their first messages
	waiting  []*trace.Message
}

// NewSource returns a source that draws the messages of s. Closing it also closes s.
func NewSource(s trace.Source) *Source {
	return &Source{Source: s, channels: map[string]*trace.Channel{}}
}

// Drawn returns the topics of the created messages, each with its type, in the order of their first
// messages.
func (s *Source) Drawn() (list []*trace.Channel) {
	for _, t := range s.topics {
		list = append(list, s.channels[t])
	}
	return list
}

// Next implements [trace.Source].
func (s *Source) Next() (*trace.Message, error) {
	if len(s.waiting) > 0 {
		m := s.waiting[0]
		s.waiting = s.waiting[1:]
		return m, nil
	}
	m, err := s.Source.Next()
	if err != nil || !m.Channel.IsOSI() || !Drawable(m.Channel.Type) {
		return m, err
	}
	for _, c := range s.Channels() {
		if c.IsOSI() && (c.Type == "osi3.SensorView" || c.Type == "osi3.GroundTruth") {
			s.maker.TruthElsewhere = true
		}
	}
	return m, s.draw(m)
}

// draw queues the messages that draw a message.
func (s *Source) draw(m *trace.Message) error {
	at := *m
	emit := func(topic string, drawn proto.Message) error {
		data, err := proto.MarshalOptions{Deterministic: true}.Marshal(drawn)
		if err != nil {
			return err
		}
		c, err := s.channel(topic, drawn)
		if err != nil {
			return err
		}
		s.waiting = append(s.waiting, &trace.Message{Channel: c, Time: at.Time, Publish: at.Publish,
			Sequence: at.Sequence, Data: data, Drive: at.Drive})
		return nil
	}
	decoded, err := s.decoder.Decode(m)
	if err != nil {
		return s.maker.Broken(m.Channel.Topic, m.Time, err, emit)
	}
	return s.maker.Add(m.Channel.Topic, m.Time, decoded, emit)
}

func (s *Source) channel(topic string, m proto.Message) (*trace.Channel, error) {
	if c := s.channels[topic]; c != nil {
		return c, nil
	}
	name := string(m.ProtoReflect().Descriptor().FullName())
	schema, err := trace.SchemaOf(name)
	if err != nil {
		return nil, err
	}
	c := &trace.Channel{Topic: topic, Type: name, Encoding: trace.Protobuf,
		SchemaEncoding: trace.Protobuf, Schema: schema}
	s.channels[topic] = c
	s.topics = append(s.topics, topic)
	return c, nil
}

// topicsOf returns the drawn topics of a type.
func topicsOf(drawn []*trace.Channel, message string) (list []string) {
	for _, c := range drawn {
		if strings.TrimPrefix(c.Type, "foxglove.") == message {
			list = append(list, c.Topic)
		}
	}
	return list
}
