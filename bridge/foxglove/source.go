package foxglove

import (
	"strings"

	"google.golang.org/protobuf/proto"

	"gosmp/trace"
	"gosmp/trace/updates"
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
	updates  *updates.Join // nil if there is nothing to join
	ended    error         // of the source, after the messages that wait
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

// Join draws the objects of channels with updates, joined, on [TopicUpdates]. See [updates.Find].
func (s *Source) Join(channels []updates.Channel) {
	if len(channels) > 0 {
		s.updates = updates.New(channels)
	}
}

// Next implements [trace.Source].
func (s *Source) Next() (*trace.Message, error) {
	if len(s.waiting) > 0 {
		m := s.waiting[0]
		s.waiting = s.waiting[1:]
		return m, nil
	}
	if s.ended != nil {
		err := s.ended
		s.ended = nil
		return nil, err
	}
	m, err := s.Source.Next()
	if last := s.completed(m, err); last != nil {
		if e := s.maker.join(s.updates, last.Time, s.emit(last)); e != nil {
			return nil, e
		}
		if err != nil {
			s.ended = err
			return s.Next()
		}
		s.waiting = append(s.waiting, m)
		if err := s.add(m); err != nil {
			return nil, err
		}
		return s.Next()
	}
	if err != nil {
		return m, err
	}
	return m, s.add(m)
}

// completed returns the last update of the moment that a message, or the end of the source,
// completes.
func (s *Source) completed(m *trace.Message, err error) *trace.Message {
	if s.updates == nil {
		return nil
	}
	if err != nil {
		m = nil
	}
	return s.updates.Complete(m)
}

// add draws a message, or keeps it until all updates of its time are known.
func (s *Source) add(m *trace.Message) error {
	if s.updates != nil && s.updates.Put(m) {
		return nil
	}
	if !m.Channel.IsOSI() || !Drawable(m.Channel.Type) {
		return nil
	}
	for _, c := range s.Channels() {
		if c.IsOSI() && (c.Type == "osi3.SensorView" || c.Type == "osi3.GroundTruth") {
			s.maker.TruthElsewhere = true
		}
	}
	return s.draw(m)
}

// draw queues the messages that draw a message.
func (s *Source) draw(m *trace.Message) error {
	emit := s.emit(m)
	decoded, err := s.decoder.Decode(m)
	if err != nil {
		return s.maker.Broken(m.Channel.Topic, m.Time, err, emit)
	}
	return s.maker.Add(m.Channel.Topic, m.Time, decoded, emit)
}

// emit returns a function that queues messages with the times of a message.
func (s *Source) emit(m *trace.Message) Emit {
	at := *m
	return func(topic string, drawn proto.Message) error {
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
