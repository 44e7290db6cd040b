package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"gosmp/bridge"
	"gosmp/internal/fault"
)

// session holds the subscriptions and channels of a viewer. It does no I/O, so that tests and fuzz
// targets need no connection.
type session struct {
	hub    *hub
	member *member

	// written by the reader; read by the writer and by publishers
	mu            sync.Mutex
	subscriptions map[uint32]uint32 // by server channel
	advertised    map[uint32]channel
	fresh         []uint32 // channels of the newest subscriptions
}

func newSession(h *hub, name string) *session {
	s := &session{hub: h, subscriptions: map[uint32]uint32{}, advertised: map[uint32]channel{}}
	s.member = &member{name: name, queue: newQueue(h.options.Queue, &h.waiting),
		wants: func(topic int) bool {
			_, is := s.subscription(topic)
			return is
		}}
	return s
}

func (s *session) subscription(topic int) (uint32, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, is := s.subscriptions[uint32(topic)]
	return id, is
}

// note queues a status for the client.
func (s *session) note(level int, message string) {
	s.member.queue.put(item{topic: -1, data: text(status{"status", level, message})})
}

// handle processes a message of the client. It queues a status for its error, if there is one, and
// returns whether there was none.
func (s *session) handle(binary bool, b []byte) bool {
	var err error
	if binary {
		err = s.data(b)
	} else {
		err = s.request(b)
		s.mu.Lock()
		fresh := s.fresh
		s.fresh = nil
		s.mu.Unlock()
		s.hub.newest(s.member, fresh)
	}
	if err != nil {
		s.note(levelError, err.Error())
	}
	return err == nil
}

// request carries out a text message.
func (s *session) request(b []byte) error {
	if err := checkNesting(b); err != nil {
		return err
	}
	var r request
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&r); err != nil {
		return fault.New(ErrClient, fault.At(fmt.Sprintf("byte %d", d.InputOffset())),
			"text that cannot be parsed", "a JSON object with op").WithCause(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(ErrClient, fault.At(fmt.Sprintf("byte %d", d.InputOffset())), "more text",
			"one JSON object")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Op {
	case "subscribe":
		return s.subscribe(&r)
	case "unsubscribe":
		return s.unsubscribe(&r)
	case "advertise":
		return s.advertise(&r)
	case "unadvertise":
		for _, id := range r.ChannelIDs {
			if _, known := s.advertised[id]; !known {
				return fault.New(ErrClient, fault.At("unadvertise"), fmt.Sprintf("channel %d", id),
					"a channel advertised by this client")
			}
			delete(s.advertised, id)
		}
		return nil
	}
	return fault.New(ErrClient, fault.At("op"), fmt.Sprintf("%q", shorten(r.Op)),
		"subscribe, unsubscribe, advertise or unadvertise, which this server can do")
}

// shorten shortens client text that is quoted in an answer.
func shorten(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}

func (s *session) subscribe(r *request) error {
	for _, one := range r.Subscriptions {
		place := fmt.Sprintf("subscription %d", one.ID)
		if n := s.hub.channels.Load(); int64(one.ChannelID) >= n {
			return fault.New(ErrClient, fault.At(place), fmt.Sprintf("channel %d", one.ChannelID),
				fmt.Sprintf("one of the %d channels advertised by the server", n))
		}
		if _, twice := s.subscriptions[one.ChannelID]; twice {
			return fault.New(ErrClient, fault.At(place),
				fmt.Sprintf("a second subscription of channel %d", one.ChannelID),
				"one for each channel")
		}
		for _, id := range s.subscriptions {
			if id == one.ID {
				return fault.New(ErrClient, fault.At(place), "an id that is already in use",
					"a different id for each subscription")
			}
		}
		s.subscriptions[one.ChannelID] = one.ID
		s.fresh = append(s.fresh, one.ChannelID)
	}
	return nil
}

func (s *session) unsubscribe(r *request) error {
	for _, id := range r.SubscriptionIDs {
		found := false
		for channel, known := range s.subscriptions {
			if known == id {
				delete(s.subscriptions, channel)
				found = true
			}
		}
		if !found {
			return fault.New(ErrClient, fault.At("unsubscribe"), fmt.Sprintf("subscription %d", id),
				"a channel of this client")
		}
	}
	return nil
}

// advertise registers channels on which the client will send. Their topics must go up.
func (s *session) advertise(r *request) error {
	for _, c := range r.Channels {
		place := fmt.Sprintf("channel %d", c.ID)
		t := s.hub.config.Topic(c.Topic, bridge.Up)
		_, twice := s.advertised[c.ID]
		system := s.hub.config.System
		switch {
		case s.member.looks:
			return fault.New(ErrClient, fault.At(place), "a channel to send on",
				"none: a web page may only receive, unless --allow-driving-from allows its origin")
		case s.hub.options.Receive == nil:
			return fault.New(ErrClient, fault.At(place), "a channel to send on",
				"none: this server accepts no messages")
		case twice:
			return fault.New(ErrClient, fault.At(place), "an id that is already in use",
				"a different id for each channel")
		case len(s.advertised) >= mostAdvertised:
			return fault.New(ErrClient, fault.At(place),
				fmt.Sprintf("more than %d channels", mostAdvertised), "fewer")
		case t == nil:
			return fault.New(ErrClient, fault.At(place), fmt.Sprintf("topic %q", shorten(c.Topic)),
				"one that the configuration has with direction up")
		case c.Encoding != system.Encoding() && c.Encoding != encodingJSON:
			return fault.New(ErrClient, fault.At(place),
				fmt.Sprintf("encoding %q", shorten(c.Encoding)),
				system.Encoding()+" or "+encodingJSON)
		case !slices.Contains([]string{t.Message.Name, system.SchemaName(t.Message)}, c.SchemaName):
			return fault.New(ErrClient, fault.At(place),
				fmt.Sprintf("type %q", shorten(c.SchemaName)),
				system.SchemaName(t.Message)+", which the topic has")
		}
		c.Schema = ""
		s.advertised[c.ID] = c
	}
	return nil
}

// data processes a message that the client sends.
func (s *session) data(b []byte) error {
	id, payload, err := clientData(b)
	if err != nil {
		return err
	}
	s.mu.Lock()
	c, known := s.advertised[id]
	s.mu.Unlock()
	if !known {
		return fault.New(ErrClient, fault.At("byte 1"), fmt.Sprintf("channel %d", id),
			"a channel advertised by this client")
	}
	if c.Encoding == encodingJSON {
		if payload, err = s.fromJSON(c.Topic, payload); err != nil {
			return err
		}
	}
	return s.hub.receive(s.member, c.Topic, payload)
}

// fromJSON encodes a message that a script sent as JSON.
func (s *session) fromJSON(topic string, payload []byte) ([]byte, error) {
	if err := checkNesting(payload); err != nil {
		return nil, fmt.Errorf("topic %s: %w", topic, err)
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber() // 64-bit integers stay exact
	var value map[string]any
	if err := d.Decode(&value); err != nil {
		return nil, fault.New(ErrClient, fault.At(topic), "data that cannot be parsed",
			"a JSON object with the fields of the message").WithCause(err)
	}
	b, err := s.hub.config.Definitions.Encode(s.hub.config.Topic(topic, bridge.Up).Message, value,
		false)
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", topic, err)
	}
	return b, nil
}
