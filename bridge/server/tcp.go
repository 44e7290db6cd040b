package server

import (
	"fmt"
	"net"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"gosmp/bridge"
	"gosmp/internal/fault"
	"gosmp/internal/gate"
	"gosmp/simapi"
)

// TCP is a carrier to programs of your own, which uses the frames of the simulator support API. A
// client receives the messages of all topics in get_messages frames, whose body is a
// GetMessagesReply. It can send a get_messages frame to select topics. It sends messages in
// send_messages frames and receives an answer to each. All methods can be called from any
// goroutine.
type TCP struct {
	*hub
	listener net.Listener
	accepted sync.WaitGroup
}

// ListenTCP serves the topics of a configuration at an address, such as 127.0.0.1:7790, until
// Close.
func ListenTCP(address string, c *bridge.Config, o Options) (*TCP, error) {
	h := newHub(c, o)
	l, err := h.options.Access.Listen(address)
	if err != nil {
		_, address = gate.Cut(address)
		return nil, fmt.Errorf("listen at %s: %w", address, err)
	}
	t := &TCP{hub: h, listener: l}
	t.accepted.Add(1)
	go func() {
		defer t.accepted.Done()
		for {
			conn, err := l.Accept()
			if err != nil { // the listener was closed; other errors do not end it
				return
			}
			t.accepted.Add(1)
			go func() {
				defer t.accepted.Done()
				t.serve(conn)
			}()
		}
	}()
	return t, nil
}

// Addr returns the address at which the server listens.
func (t *TCP) Addr() net.Addr { return t.listener.Addr() }

// Close sends waiting messages for at most [Options].Farewell and ends all connections.
func (t *TCP) Close() error {
	err := t.listener.Close()
	t.finish()
	t.accepted.Wait()
	return err
}

// stream is a client of a TCP server.
type stream struct {
	hub    *hub
	member *member
	mu     sync.Mutex
	chosen map[int]bool // by number of the topic; nil means all

	refused int // calls since the last that was accepted
	debt    int // price of the messages in the last call, beyond the first
}

func newStream(h *hub, name string) *stream {
	s := &stream{hub: h}
	s.member = &member{name: name, queue: newQueue(h.options.Queue, &h.waiting),
		wants: func(topic int) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.chosen == nil || s.chosen[topic]
		}}
	return s
}

func (t *TCP) serve(network net.Conn) {
	conn := gate.Idle(network, t.options.Idle, nil)
	defer func() { _ = conn.Close() }()
	if !t.admitted(conn) {
		return
	}
	s := newStream(t.hub, conn.RemoteAddr().String())
	if !t.join(s.member) {
		return
	}
	defer t.leave(s.member)
	t.connected(s.member, func() { abort(network) })
	written := make(chan struct{})
	go func() {
		defer close(written)
		defer func() { _ = conn.Close() }() // ends the reader
		s.write(conn)
	}()
	s.read(conn)
	s.member.queue.close()
	<-written
}

// admitted reads the hello of a client if the server has a token. Without a token, there is no
// hello.
func (t *TCP) admitted(conn net.Conn) bool {
	if t.options.Access.Token == "" {
		return true
	}
	late := gate.Reads(conn)
	late.Start(headTime)
	frames, frame, hello := simapi.NewFrameReader(conn), &simapi.Frame{}, &simapi.Hello{}
	frames.Limit(light, nil)
	err := frames.Next(frame)
	late.Stop()
	if err == nil {
		err = proto.Unmarshal(frame.GetBody(), hello)
	}
	known := err == nil && frame.GetMethod() == simapi.Method_HELLO &&
		t.options.Access.Knows(hello.GetToken())
	answer := &simapi.Frame{Id: frame.GetId(), Method: simapi.Method_HELLO,
		Status: &simapi.Status{}}
	if !known {
		err := fmt.Errorf(
			"%w: it needs the server's token: connect to TOKEN@HOST:PORT, or begin with a frame "+
				"hello that contains it", gate.ErrRefused)
		t.turnAway(err)
		answer.Status = &simapi.Status{Code: simapi.Code_INVALID, Message: err.Error()}
	}
	b, err := simapi.AppendFrame(nil, answer)
	return err == nil && send(conn, gate.Writes(conn), b) && known
}

// read handles frames until the connection ends.
func (s *stream) read(conn net.Conn) {
	frames, frame := simapi.NewFrameReader(conn), &simapi.Frame{}
	in, heavy, late := s.hub.paceIn(), false, gate.Reads(conn)
	frames.Limit(largestInput, func(length int) error {
		in.wait(length + costIn + s.debt)
		if s.hub.closing() { // nothing that arrives now can be used
			return net.ErrClosed
		}
		if heavy = length > light; !heavy {
			return nil
		}
		if !s.hub.admitHeavy() {
			heavy = false
			return net.ErrClosed
		}
		late.Start(patience)
		return nil
	})
	one := func() bool {
		frame.Reset()
		err := frames.Next(frame)
		if heavy {
			late.Stop()
			defer s.hub.leaveHeavy()
			frames.Release()
		}
		if err != nil {
			return false
		}
		if s.handle(frame); s.refused > mostRefused {
			s.hub.turnAway(errRefused)
			return false
		}
		if heavy {
			frame.Body = nil
		}
		return true
	}
	for one() {
		heavy = false
	}
}

// mostInCall limits the messages of a call. It is the number of messages that wait for a run, so
// that more could only displace each other. It also limits the topics of a call, unless the
// configuration has more.
const mostInCall = defaultQueue

// entries returns the number of fields of an encoded message, each of which may be a message or a
// topic. It reads at most one more than most.
func entries(body []byte, most int) (n int) {
	for ; len(body) > 0 && n <= most; n++ {
		_, _, size := protowire.ConsumeField(body)
		if size < 0 {
			break // decoding reports it
		}
		body = body[size:]
	}
	return n
}

// handle processes a frame and queues the answer.
func (s *stream) handle(frame *simapi.Frame) {
	topics := max(mostInCall, len(s.hub.topics))
	n := entries(frame.GetBody(), topics)
	s.debt = costIn * max(0, n-1)
	var err error
	switch m := frame.GetMethod(); {
	case m == simapi.Method_SEND_MESSAGES && n > mostInCall:
		err = fault.New(ErrClient, fault.At(m.Word()),
			fmt.Sprintf("more than %d messages in a call", mostInCall),
			"several calls, each with fewer")
	case m == simapi.Method_GET_MESSAGES && n > topics:
		err = fault.New(ErrClient, fault.At(m.Word()),
			fmt.Sprintf("more than %d topics in a call", topics), "each topic once")
	case m == simapi.Method_SEND_MESSAGES:
		err = s.take(frame.GetBody())
	case m == simapi.Method_GET_MESSAGES:
		err = s.choose(frame.GetBody())
	default:
		err = fault.New(ErrClient, fault.At(frame.GetMethod().Word()),
			"a call that a bridge does not support", "send_messages or get_messages")
	}
	answer := &simapi.Frame{Id: frame.GetId(), Method: frame.GetMethod(), Status: &simapi.Status{}}
	s.refused++
	if err == nil {
		s.refused = 0
	} else {
		answer.Status = &simapi.Status{Code: simapi.Code_INVALID, Message: err.Error()}
	}
	b, err := simapi.AppendFrame(nil, answer)
	if err == nil { // answers are never too long
		s.member.queue.put(item{topic: -1, data: b})
	}
}

// take processes messages that the client sends, up to the first invalid one.
func (s *stream) take(body []byte) error {
	var list simapi.SendMessages
	if err := proto.Unmarshal(body, &list); err != nil {
		return fault.New(ErrClient, fault.At("send_messages"), "", "a SendMessages").WithCause(err)
	}
	for k, m := range list.GetMessage() {
		t := s.hub.config.Topic(m.GetTopic(), bridge.Up)
		place := fmt.Sprintf("message[%d]", k)
		switch {
		case t == nil:
			return fault.New(ErrClient, fault.At(place),
				fmt.Sprintf("topic %q", shorten(m.GetTopic())),
				"one that the configuration has with direction up")
		case m.GetType() != t.Message.Name:
			return fault.New(ErrClient, fault.At(place),
				fmt.Sprintf("type %q", shorten(m.GetType())), t.Message.Name+
					", which the topic has")
		}
		if err := s.hub.receive(s.member, t.Name, m.GetCdr()); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	return nil
}

// choose limits the topics that the client receives.
func (s *stream) choose(body []byte) error {
	var list simapi.GetMessages
	if err := proto.Unmarshal(body, &list); err != nil {
		return fault.New(ErrClient, fault.At("get_messages"), "", "a GetMessages").WithCause(err)
	}
	var chosen map[int]bool
	for _, name := range list.GetTopic() {
		number, known := s.hub.numbers[name]
		if !known {
			return fault.New(ErrClient, fault.At("get_messages"),
				fmt.Sprintf("topic %q", shorten(name)), "one of the configuration")
		}
		if chosen == nil {
			chosen = map[int]bool{}
		}
		chosen[number] = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chosen = chosen
	return nil
}

// mostTogether bounds the messages in one frame by count and by bytes.
const (
	mostTogether  = 256
	bytesTogether = portionSize
)

// write sends queued items until the queue is closed or the client is lost.
func (s *stream) write(conn net.Conn) {
	var p portion
	reported, lost := uint64(0), uint64(0) // lost because these messages fit in no frame
	pace, late := s.hub.paceOut(), gate.Writes(conn)
	for s.member.queue.take(&p) {
		var out []byte
		reply := &simapi.GetMessagesReply{Dropped: p.dropped - reported}
		reported = p.dropped
		size := 0
		flush := func() bool {
			reply.Dropped += lost
			lost = 0
			if len(reply.GetMessage()) == 0 && reply.GetDropped() == 0 {
				return true
			}
			body, err := proto.Marshal(reply)
			if err != nil {
				return false
			}
			if out, err = simapi.AppendFrame(out[:0],
				&simapi.Frame{Method: simapi.Method_GET_MESSAGES, Body: body,
					Status: &simapi.Status{}}); err != nil {
				lost = reply.GetDropped() + uint64(len(reply.GetMessage()))
				reply, size = &simapi.GetMessagesReply{}, 0
				return true
			}
			reply, size = &simapi.GetMessagesReply{}, 0
			pace.wait(len(out) + costOut)
			return send(conn, late, out)
		}
		for _, i := range p.items {
			if i.topic < 0 {
				if !flush() {
					return
				}
				if pace.wait(len(i.data) + costOut); !send(conn, late, i.data) {
					return
				}
				continue
			}
			if n := len(reply.GetMessage()); n == mostTogether || n > 0 && size+
				len(i.data) > bytesTogether {
				if !flush() {
					return
				}
			}
			t := s.hub.topics[i.topic]
			reply.Message = append(reply.Message, &simapi.Message{Topic: t.Name,
				Type: t.Message.Name, Cdr: i.data, TimeMs: float64(i.time) / 1e6})
			size += len(i.data)
		}
		if !flush() || lost > 0 && !flush() {
			return
		}
	}
}

// send writes b within a bounded time.
func send(conn net.Conn, late *gate.Limit, b []byte) bool {
	late.Start(patience)
	_, err := conn.Write(b)
	late.Stop()
	return err == nil
}
