package simapi

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/internal/gate"
	"gosmp/internal/pause"
)

// Client makes the calls of one party, in this process or over TCP, with the same calls and the
// same checks. It makes one call at a time; a concurrent call fails with [Code_BUSY]. A reply is
// valid until the party's next call, so copy anything needed longer. In one process requests are
// passed unchanged.
type Client struct {
	via  caller
	name string
	info []string
	busy atomic.Bool
}

// caller makes calls to a server.
type caller interface {
	call(ctx context.Context, m Method, request proto.Message) (reply proto.Message, info []string,
		err error)
	close() error
}

// local makes calls within a process.
type local struct {
	server *Server
	party  *party
	reply  proto.Message // the reply to the call in progress
	keep   deliver       // keepReply, created once
	states statesReader
	step   StepReply
}

// Connect adds a party in this process.
func (v *Server) Connect(name string, role Role) (*Client, error) {
	p, err := v.join(&Hello{Api: API, Name: name, Role: role}, false)
	if err != nil {
		return nil, err
	}
	l := &local{server: v, party: p}
	l.keep = l.keepReply
	return &Client{via: l, name: v.config.Name}, nil
}

func (l *local) call(ctx context.Context, m Method, request proto.Message) (reply proto.Message,
	info []string, err error) {
	l.reply = nil
	info, err = l.server.call(ctx, l.party, m, request, l.keep)
	return l.reply, info, err
}

// keepReply copies states, because the next call by any party overwrites them.
func (l *local) keepReply(r proto.Message) error {
	l.reply = r
	switch r := r.(type) {
	case *GetActorsStatesReply:
		l.reply = l.states.copy(r)
	case *StepReply:
		l.step.SimTimeMs, l.step.Steps, l.step.Events = r.SimTimeMs, r.Steps, r.Events
		l.step.State = l.states.copy(&GetActorsStatesReply{State: r.State}).State
		l.reply = &l.step
	}
	return nil
}

func (l *local) close() error {
	l.server.leave(l.party)
	return nil
}

// remote makes calls over a connection.
type remote struct {
	conn   net.Conn
	frames *FrameReader
	id     uint64
	asked  Frame
	answer Frame
	body   []byte
	buffer []byte
	empty  Empty
	step   WaitStepReply
	states statesReader
	broken error

	limit       *pause.Repeated
	interrupted chan struct{} // receives when the end of a context has unblocked the connection
	ended       func()        // for the end of a context; created once
}

// grace is the additional time that a client waits for an answer, compared to the server.
const grace = 5 * time.Second

// Dial connects to a server at HOST:PORT, or TOKEN@HOST:PORT, and says hello. With the prefix
// "tls:" the connection uses TLS; SSL_CERT_FILE names additional certificates to trust.
func Dial(ctx context.Context, address, name string, role Role) (*Client, error) {
	conn, token, err := gate.Dial(ctx, address)
	_, address = gate.Cut(address)
	if err != nil {
		code := Code_PARTY_LOST
		if errors.Is(err, context.DeadlineExceeded) {
			code = Code_TIMEOUT // as for an answer to hello
		}
		return nil, fault.Wrap(code, fault.At(address), err).
			WithHint("start the simulator, or correct the address")
	}
	c, err := greet(ctx, conn, &Hello{Api: API, Name: name, Role: role, Token: token})
	if err != nil {
		_ = conn.Close() // it is unusable
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return c, nil
}

// NewClient says hello on a connection. Close closes it.
func NewClient(ctx context.Context, conn net.Conn, name string, role Role) (*Client, error) {
	return greet(ctx, conn, &Hello{Api: API, Name: name, Role: role})
}

func greet(ctx context.Context, conn net.Conn, hello *Hello) (*Client, error) {
	r := &remote{conn: conn, frames: NewFrameReader(bufio.NewReaderSize(conn, 32<<10)),
		interrupted: make(chan struct{}, 1)}
	r.limit = pause.NewRepeated(r.interrupt)
	r.ended = func() {
		r.interrupt()
		r.interrupted <- struct{}{}
	}
	reply, _, err := r.call(ctx, Method_HELLO, hello)
	if err != nil {
		return nil, err
	}
	h := reply.(*HelloReply)
	if !sameVersion(h.GetApi()) {
		return nil, fault.New(Code_VERSION, fault.At("hello"), quoted(h.GetApi()), quoted(API))
	}
	return &Client{via: r, name: h.GetName()}, nil
}

// bound returns how long an answer may take.
func bound(request proto.Message) time.Duration {
	var wait float64
	switch r := request.(type) {
	case *WaitStep:
		wait = r.GetMaxWaitMs()
	case *WaitStartSimulation:
		wait = r.GetMaxWaitMs()
	case *Step:
		wait = r.GetMaxWaitMs()
	default:
		return defaultWait + grace
	}
	limit, err := waitLimit(wait)
	if err != nil {
		limit = defaultWait
	}
	return limit + grace
}

func (r *remote) call(ctx context.Context, m Method, request proto.Message) (proto.Message,
	[]string, error) {
	if r.broken != nil {
		return nil, nil, fmt.Errorf("%s: the connection ended earlier: %w", m.Word(), r.broken)
	}
	reply, info, err := r.exchange(ctx, m, request)
	if err != nil && !isAnswer(err) {
		r.broken = err
		_ = r.conn.Close() // a late answer would be mistaken for the answer to a later call
	}
	return reply, info, err
}

// isAnswer reports whether the error is an answer of the server.
func isAnswer(err error) bool {
	var answered *RemoteError
	return errors.As(err, &answered)
}

func (r *remote) exchange(ctx context.Context, m Method, request proto.Message) (proto.Message,
	[]string, error) {
	body, err := proto.MarshalOptions{}.MarshalAppend(r.body[:0], request)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.Word(), err)
	}
	r.id++
	r.body, r.asked.Id, r.asked.Method, r.asked.Body = body, r.id, m, body
	if r.buffer, err = AppendFrame(r.buffer[:0], &r.asked); err != nil {
		return nil, nil, err
	}
	limit := bound(request)
	if err := r.conn.SetDeadline(time.Time{}); err != nil {
		return nil, nil, r.lost(m, limit, err)
	}
	r.limit.Start(limit)
	defer r.limit.Stop()
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, r.ended)
		defer func() {
			if !stop() { // the next call must not be interrupted
				<-r.interrupted
			}
		}()
	}
	_, err = r.conn.Write(r.buffer)
	if err == nil {
		err = r.frames.Next(&r.answer)
	}
	if err != nil {
		return nil, nil, r.lost(m, limit, cmp.Or(ctx.Err(), err))
	}
	return r.read(m, &r.answer)
}

// interrupt unblocks the connection.
func (r *remote) interrupt() {
	_ = r.conn.SetDeadline(time.Unix(1, 0)) // a closed connection fails anyway
}

// refusal returns the error for an answer. It names the call, which may be missing in the text of a
// simulator that does not use our server.
func refusal(m Method, status *Status) error {
	e := &RemoteError{proto.CloneOf(status)}
	if text := e.Error(); !strings.HasPrefix(text, m.Word()) {
		e.Status.Message = m.Word() + ": " + text
	}
	return e
}

// read decodes an answer.
func (r *remote) read(m Method, frame *Frame) (proto.Message, []string, error) {
	status := frame.GetStatus()
	switch {
	case status.GetCode() != Code_OK && frame.GetId() != r.id && frame.GetId() != 0,
		frame.GetId() != r.id && status.GetCode() == Code_OK:
		return nil, nil, fault.New(Code_INTERNAL, fault.At(m.Word()),
			fmt.Sprintf("an answer to call %d", frame.GetId()), fmt.Sprintf("one to call %d", r.id))
	case status.GetCode() != Code_OK:
		return nil, status.GetInfo(), refusal(m, status)
	}
	reply := r.replyTo(m)
	var err error
	if m == Method_GET_ACTORS_STATES {
		reply, err = r.states.read(frame.GetBody())
	} else {
		err = proto.Unmarshal(frame.GetBody(), reply)
	}
	if err != nil {
		return nil, nil, fault.New(Code_INTERNAL, fault.At(m.Word()), "a body that is not a "+
			string(reply.ProtoReflect().Descriptor().Name()), "").WithCause(err)
	}
	return reply, status.GetInfo(), nil
}

// replyTo returns the message for the answer to a call; the calls of a step share theirs.
func (r *remote) replyTo(m Method) proto.Message {
	switch {
	case !m.known(): // hello
		return &HelloReply{}
	case m == Method_WAIT_STEP:
		return &r.step
	case m == Method_GET_ACTORS_STATES:
		return &r.states.reply
	case table[m].reply == empty:
		return &r.empty
	}
	return replyFor(m)
}

// lost returns the error for a connection that did not answer.
func (r *remote) lost(m Method, limit time.Duration, err error) error {
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(Code_TIMEOUT, fault.At(m.Word()), err)
	case errors.As(err, &timeout) && timeout.Timeout():
		return fault.New(Code_TIMEOUT, fault.At(m.Word()),
			fmt.Sprintf("no answer in %.0f s", limit.Seconds()), "")
	case errors.Is(err, io.EOF):
		return fault.New(Code_PARTY_LOST, fault.At(m.Word()), "the end of the connection",
			"an answer")
	}
	return fault.Wrap(Code_PARTY_LOST, fault.At(m.Word()), err)
}

func (r *remote) close() error { return r.conn.Close() }

// Simulator returns the name of the simulator with its version.
func (c *Client) Simulator() string { return c.name }

// Warnings returns the simulator's warnings about the last call, which succeeded nevertheless.
func (c *Client) Warnings() []string { return c.info }

// Close ends the connection. Waits of other parties that need this one also end.
func (c *Client) Close() error { return c.via.close() }

// Call makes any call. The typed methods are more convenient.
func (c *Client) Call(ctx context.Context, m Method, request proto.Message) (proto.Message, error) {
	if !c.busy.CompareAndSwap(false, true) {
		return nil, fault.New(Code_BUSY, fault.At(m.Word()), "another call in progress", "")
	}
	defer c.busy.Store(false)
	reply, info, err := c.via.call(ctx, m, request)
	c.info = info
	return reply, err
}

// ask makes a call and returns its reply in its own type.
func ask[R proto.Message](ctx context.Context, c *Client, m Method, request proto.Message) (r R,
	err error) {
	reply, err := c.Call(ctx, m, request)
	if err != nil {
		return r, err
	}
	return reply.(R), nil
}

func do(ctx context.Context, c *Client, m Method, request proto.Message) error {
	_, err := c.Call(ctx, m, request)
	return err
}
