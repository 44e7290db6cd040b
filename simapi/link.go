package simapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"gosmp/internal/fault"
	"gosmp/internal/gate"
)

// link is one TCP connection of a server.
type link struct {
	server  *Server
	conn    net.Conn
	address string      // of the other side, without the port
	reads   *gate.Limit // limits the time for a hello or a long frame
	writes  *gate.Limit // limits the time for an answer; guarded by write
	busy    atomic.Bool
	write   sync.Mutex
	buffer  []byte
	body    []byte
	keep    deliver // encode, created once
	reply   Frame   // guarded by write
	ok      Status

	// The requests for a step, which are read into the same memory each time.
	startStep StartStep
	waitStep  WaitStep
	getStates GetActorsStates

	replying *share // the room of a long reply
}

// Serve accepts connections until the listener or the server is closed; then it returns nil. Their
// number is limited. An error on one connection, such as too many open files, does not end the
// others.
func (v *Server) Serve(l net.Listener) error {
	l = gate.Bound(l)
	stop := context.AfterFunc(v.ctx, func() { _ = l.Close() }) // Accept reports it
	defer stop()
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil
		case err != nil:
			return fmt.Errorf("accept connections: %w", err)
		}
		k := &link{server: v, address: gate.HostOf(conn)}
		k.conn = gate.Idle(conn, v.idle(), k.busy.Load)
		k.reads, k.writes = gate.Reads(k.conn), gate.Writes(k.conn)
		k.keep = k.encode
		if v.hold(k) {
			go k.serve()
		}
	}
}

// silence is the longest time without a call from a party, unless the configuration says otherwise.
// A call in progress may take longer.
const silence = 15 * time.Minute

func (v *Server) idle() time.Duration { return cmp.Or(v.config.Idle, silence) }

// hold records a connection, to close it together with the server.
func (v *Server) hold(k *link) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closing {
		k.close()
		return false
	}
	v.links[k] = true
	return true
}

func (k *link) close() { _ = k.conn.Close() } // nothing is left to write

// breakOff ends the frame that is being received, and stopWriting the one that is being sent.
// Without deadlines, which only closed connections refuse, the connection could not go on.
func (k *link) breakOff()    { _ = k.conn.SetReadDeadline(time.Unix(1, 0)) }
func (k *link) stopWriting() { _ = k.conn.SetWriteDeadline(time.Unix(1, 0)) }

// serve reads frames. An error on a connection ends only that connection.
func (k *link) serve() {
	defer func() {
		k.close()
		k.server.mu.Lock()
		delete(k.server.links, k)
		k.server.mu.Unlock()
	}()
	frames := k.newIntake(k.server.ctx)
	k.reads.Start(defaultWait)
	p, err := k.hello(frames)
	k.reads.Stop()
	if err != nil {
		k.refuse(err)
		return
	}
	frames.open()
	k.talk(frames, p)
}

// refuse informs the other side of the reason why its connection ends.
func (k *link) refuse(err error) {
	if !errors.Is(err, io.EOF) {
		k.answer(&Frame{}, nil, nil, err)
	}
}

// hello reads the first call.
func (k *link) hello(frames *intake) (*party, error) {
	var frame Frame
	if err := frames.Next(&frame); err != nil {
		return nil, err
	}
	var h Hello
	if frame.GetMethod() != Method_HELLO {
		return nil, fault.New(Code_WRONG_STATE, fault.At(frame.GetMethod().Word()),
			"the first call of a connection", "hello (SA22)")
	}
	if err := proto.Unmarshal(frame.GetBody(), &h); err != nil {
		return nil, fault.Wrap(Code_INVALID, fault.At("hello"), err)
	}
	p, err := k.server.join(&h, true)
	if err != nil {
		return nil, err
	}
	if err := k.encode(&HelloReply{Api: API, Name: k.server.config.Name}); err != nil {
		return nil, err
	}
	k.answer(&frame, k.body, nil, nil)
	return p, nil
}

// encode encodes the body of an answer. It must not wait for room, because the simulator does.
func (k *link) encode(reply proto.Message) error {
	size := proto.Size(reply)
	if size > LargestFrame { // others would give way in vain
		return fault.New(Code_INVALID, fault.At("the server"),
			fmt.Sprintf("a reply of %d bytes", size), fmt.Sprintf("at most %d", LargestFrame))
	}
	if size > shortReply {
		taken := k.server.replies.has(k.address, size, k.stopWriting)
		if taken == nil {
			return fault.New(Code_BUSY, fault.At("the server"),
				fmt.Sprintf("no memory for a reply of %d bytes", size),
				"parties that read long replies")
		}
		k.replying = taken
	}
	b, err := proto.MarshalOptions{}.MarshalAppend(k.body[:0], reply)
	k.body = b
	return err
}

// talk passes calls to a goroutine that makes them, so that the end of a connection is noticed
// during a wait.
func (k *link) talk(frames *intake, p *party) {
	ctx, cancel := context.WithCancel(k.server.ctx)
	calls := make(chan received)
	var worker sync.WaitGroup
	worker.Go(func() {
		for r := range calls {
			k.call(ctx, p, r)
		}
	})
	var err error
	spare, working := &Frame{}, &Frame{}
	for {
		var taken *share
		if taken, err = frames.next(spare); err != nil {
			taken.give()
			break
		}
		if !k.busy.CompareAndSwap(false, true) {
			(&received{spare, taken}).release()
			k.answer(spare, nil, nil, fault.New(Code_BUSY, fault.At(spare.GetMethod().Word()),
				"another call in progress", "one call at a time on each connection"))
			continue
		}
		calls <- received{spare, taken} // when the previous call is done
		spare, working = working, spare
	}
	k.server.leave(p)
	k.refuse(lateFrame(err))
	cancel()
	close(calls)
	worker.Wait()
}

// received is a request, with the room that it takes.
type received struct {
	frame *Frame
	taken *share
}

// release releases the memory of a long request, and returns its room.
func (r *received) release() {
	if r.taken != nil {
		r.frame.Body = nil
		r.taken.give()
		r.taken = nil
	}
}

// call makes a call and answers it.
func (k *link) call(ctx context.Context, p *party, r received) {
	m := r.frame.GetMethod()
	info, err := k.make(ctx, p, m, r)
	k.busy.Store(false)
	k.answer(r.frame, k.body, info, err)
	k.written()
	if cap(k.body) > light {
		k.body = nil
	}
}

// written gives back the room of a long reply. If others took it when the reply had been written
// already, the connection goes on.
func (k *link) written() {
	if taken := k.replying; taken != nil {
		if !taken.keep() {
			_ = k.conn.SetWriteDeadline(time.Time{}) // refused if the reply was not written
		}
		taken.give()
		k.replying = nil
	}
}

// make makes a call from the bytes of its request, and leaves the bytes of the reply in body.
func (k *link) make(ctx context.Context, p *party, m Method, r received) (info []string,
	err error) {
	defer r.release()
	if !m.known() {
		return nil, fault.New(Code_NOT_SUPPORTED, fault.At(fmt.Sprintf("method %d", int32(m))), "",
			"")
	}
	if err := k.server.admits(p, m); err != nil {
		return nil, err
	}
	request := k.requestFor(m)
	taken, err := k.decode(ctx, m, r.frame.GetBody(), request)
	defer func() {
		if taken != nil {
			k.getStates.Reset() // used again, but not at this length
		}
		taken.give()
	}()
	r.release() // the request does not refer to these bytes
	if err != nil {
		return nil, err
	}
	return k.server.call(ctx, p, m, request, k.keep)
}

// requestFor returns a message for the request of a known method.
func (k *link) requestFor(m Method) proto.Message {
	switch m {
	case Method_START_STEP:
		return &k.startStep
	case Method_WAIT_STEP:
		return &k.waitStep
	case Method_GET_ACTORS_STATES:
		return &k.getStates
	}
	return table[m].request.ProtoReflect().New().Interface()
}

// answer writes a frame. A connection that does not accept the frame is closed, which the reader
// notices.
func (k *link) answer(to *Frame, body []byte, info []string, err error) {
	if err != nil {
		body = nil
	}
	k.write.Lock()
	defer k.write.Unlock()
	r := &k.reply
	r.Id, r.Method, r.Body, r.Status = to.GetId(), to.GetMethod(), body, &k.ok
	if err != nil || len(info) > 0 {
		r.Status = statusOf(err, info)
	}
	b, rest, tooLong := appendParts(k.buffer[:0], r)
	if tooLong != nil {
		// this one is short
		b, _ = AppendFrame(b[:0], &Frame{Id: to.GetId(), Method: to.GetMethod(),
			Status: statusOf(tooLong, nil)})
	}
	if k.buffer = b; cap(b) > light {
		k.buffer = nil
	}
	k.writes.Start(defaultWait)
	_, err = k.conn.Write(b)
	if err == nil && len(rest) > 0 {
		_, err = k.conn.Write(rest)
	}
	k.writes.Stop()
	r.Body = nil // the memory of a long one is free
	if err != nil {
		k.close()
	}
}

// statusOf returns the status in the answer of a server.
func statusOf(err error, info []string) *Status {
	if err == nil {
		return &Status{Info: info}
	}
	return &Status{Code: CodeOf(err), Message: err.Error(), Info: info, Late: Late(err)}
}
