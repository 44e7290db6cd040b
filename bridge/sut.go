package bridge

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gosmp/internal/fault"
	"gosmp/simapi"
)

// ErrMessage is the kind of errors about messages that the bridge does not carry.
var ErrMessage = errors.New("message not carried")

// Carrier moves bytes between a bridge and the system of the vehicle.
type Carrier interface {
	// Publish sends a message. It must not block: messages that cannot be sent at once are queued
	// or dropped by the carrier. The bytes belong to the carrier from then on.
	Publish(t *Topic, timeNs int64, bytes []byte) error
	// Close ends the carrier once it has sent all queued messages.
	Close() error
}

// Limits for messages from the system that are kept until a director fetches them.
const (
	QueueSize  = 1024     // messages
	QueueBytes = 16 << 20 // bytes of all messages together, and of a single one
	replyBytes = 4 << 20  // bytes fetched at once, unless a single message is longer
)

// SUT is the SUT side of the simulator support API, acting as a node of the vehicle's system:
// messages from a director are checked and published, and arriving messages are kept until the
// director fetches them. Embed it to add destinations and commands.
//
// A director that does not fetch never blocks anything: the oldest messages are dropped and
// counted, and [SUT.Warn] gets one line.
type SUT struct {
	simapi.BaseSUT
	Config *Config
	To     Carrier
	Warn   func(string) // called for each warning; may be nil

	mu      sync.Mutex
	queue   []*simapi.Message
	bytes   int // of the queue
	dropped uint64
	warned  bool
}

// SendMessages publishes messages from the director.
func (s *SUT) SendMessages(_ context.Context, list []*simapi.Message) error {
	for k, m := range list {
		t, err := s.carried(m, Down)
		if err != nil {
			return fmt.Errorf("message[%d]: %w", k, err)
		}
		if err := s.To.Publish(t, int64(m.GetTimeMs()*1e6), append([]byte(nil),
			m.GetCdr()...)); err != nil {
			return fmt.Errorf("publish %s: %w", t.Name, err)
		}
	}
	return nil
}

// carried checks topic, type and bytes.
func (s *SUT) carried(m *simapi.Message, d Direction) (*Topic, error) {
	t := s.Config.Topic(m.GetTopic(), d)
	if t == nil {
		return nil, fault.New(simapi.Code_INVALID, fault.At("topic"),
			fmt.Sprintf("topic %q", m.GetTopic()),
			fmt.Sprintf("a topic of the configuration with direction %s", d)).WithCause(ErrMessage)
	}
	if m.GetType() != t.Message.Name {
		return nil, fault.New(simapi.Code_INVALID, fault.At(t.Name), "type "+m.GetType(),
			t.Message.Name).WithCause(ErrMessage)
	}
	if err := s.Config.Definitions.Verify(t.Message, m.GetCdr()); err != nil {
		return nil, fault.Wrap(simapi.Code_INVALID, fault.At(t.Name), err)
	}
	return t, nil
}

// Receive accepts a message from the system. It can be called from any goroutine.
func (s *SUT) Receive(topic string, timeNs int64, bytes []byte) error {
	t := s.Config.Topic(topic, Up)
	if t == nil {
		return fault.New(ErrMessage, fault.At(topic), "",
			"a topic of the configuration with direction up")
	}
	if err := s.Config.Definitions.Verify(t.Message, bytes); err != nil {
		return fmt.Errorf("topic %s: %w", topic, err)
	}
	if len(bytes) > QueueBytes {
		return fault.New(ErrMessage, fault.At(topic), fmt.Sprintf("%d bytes", len(bytes)),
			fmt.Sprintf("at most %d", QueueBytes))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == QueueSize || s.bytes+len(bytes) > QueueBytes {
		s.pop()
		s.drop()
	}
	s.bytes += len(bytes)
	s.queue = append(s.queue, &simapi.Message{Topic: topic, Type: t.Message.Name, Cdr: bytes,
		TimeMs: float64(timeNs) / 1e6})
	return nil
}

// drop counts a lost message.
func (s *SUT) drop() {
	s.dropped++
	if !s.warned && s.Warn != nil {
		s.warned = true
		s.Warn(
			fmt.Sprintf(
				"messages arrive faster than they are fetched: more than %d of them, or %d MB, "+
					"are queued, and the oldest are dropped; "+
					"call get_messages more often", QueueSize,
				QueueBytes>>20))
	}
}

// pop removes the oldest message.
func (s *SUT) pop() *simapi.Message {
	m := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.bytes -= len(m.GetCdr())
	return m
}

// Take removes and returns the oldest message that has arrived, or nil if it has more than most
// bytes or there is none.
func (s *SUT) Take(most int) *simapi.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 || len(s.queue[0].GetCdr()) > most {
		return nil
	}
	return s.pop()
}

// Dropped counts the messages that were lost since the last call of Messages.
func (s *SUT) Dropped() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dropped
}

// Messages returns the messages that have arrived, oldest first. If they have more than a few
// megabytes, the rest comes with the next call.
func (s *SUT) Messages(context.Context) (list []*simapi.Message, dropped uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for size := 0; len(s.queue) > 0; {
		size += len(s.queue[0].GetCdr())
		if size > replyBytes && len(list) > 0 {
			break
		}
		list = append(list, s.pop())
	}
	dropped, s.dropped = s.dropped, 0
	return list, dropped, nil
}

// Loopback is a carrier without a system: a message published on a topic comes back on the upward
// topic of the same name. It is the self-test of a bridge: emit, publish, subscribe, return,
// compare.
type Loopback struct {
	To func(topic string, timeNs int64, bytes []byte) error
}

// Publish returns the message, if the configuration has the topic in both directions.
func (l *Loopback) Publish(t *Topic, timeNs int64, bytes []byte) error {
	if l.To == nil {
		return nil
	}
	if err := l.To(t.Name, timeNs, bytes); err != nil && !errors.Is(err, ErrMessage) {
		return err
	}
	return nil
}

// Close does nothing.
func (*Loopback) Close() error { return nil }
