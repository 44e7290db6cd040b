package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"gosmp/bridge"
	"gosmp/internal/gate"
	"gosmp/internal/pause"
)

// WebSocket is a carrier to viewers and scripts. All methods can be called from any goroutine.
type WebSocket struct {
	*hub
	listener net.Listener
	http     *http.Server
	ctx      context.Context
	cancel   context.CancelFunc
	served   chan struct{}
}

// ListenWebSocket serves the topics of a configuration at an address, such as 127.0.0.1:8765, until
// Close.
func ListenWebSocket(address string, c *bridge.Config, o Options) (*WebSocket, error) {
	h := newHub(c, o)
	l, err := h.options.Access.Listen(address)
	if err != nil {
		_, address = gate.Cut(address)
		return nil, fmt.Errorf("listen at %s: %w", address, err)
	}
	return serveWebSocket(h, l), nil
}

func serveWebSocket(h *hub, l net.Listener) *WebSocket {
	w := &WebSocket{hub: h, listener: l, served: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	// ReadTimeout also applies to the body of a refused request; WebSockets have no deadline.
	w.http = &http.Server{Handler: http.HandlerFunc(w.serve), ReadTimeout: headTime,
		WriteTimeout: patience, IdleTimeout: idleTime, ConnContext: withConnection}
	go func() {
		defer close(w.served)
		_ = w.http.Serve(l) // until Close
	}()
	return w
}

// Addr returns where the server listens.
func (w *WebSocket) Addr() net.Addr { return w.listener.Addr() }

// Close sends what waits, for at most [Options].Farewell, and ends all connections.
func (w *WebSocket) Close() error {
	err := w.http.Close() // no new clients; existing connections have been hijacked
	<-w.served
	w.finish()
	w.cancel()
	return err
}

// serve takes one client.
func (w *WebSocket) serve(to http.ResponseWriter, r *http.Request) {
	offered := strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ",")
	if !strings.Contains(offered, subprotocolSDK) && !strings.Contains(offered, subprotocolWeb) {
		http.Error(to,
			fmt.Sprintf(
				"found subprotocols %q, expected %s or %s: connect with a viewer such as "+
					"Lichtblick or Foxglove",
				offered, subprotocolSDK, subprotocolWeb), http.StatusBadRequest)
		return
	}
	right, err := w.options.Access.Right(r)
	if err != nil {
		w.turnAway(err)
		http.Error(to, err.Error(), http.StatusForbidden)
		return
	}
	s := newSession(w.hub, r.RemoteAddr)
	s.member.looks = right < gate.Drive
	if !w.join(s.member) {
		http.Error(to, tooMany, http.StatusServiceUnavailable)
		return
	}
	defer w.leave(s.member)
	// The origin has been checked already: viewers have the origin of the page that they were
	// loaded from.
	late := make(chan struct{})
	in := receiver{hub: w.hub, session: s, pace: w.paceIn()}
	in.pace.late = late
	accepted, err := websocket.Accept(hijacker{to, in.pace}, r,
		&websocket.AcceptOptions{Subprotocols: []string{subprotocolSDK, subprotocolWeb},
			InsecureSkipVerify: true})
	if err != nil {
		return // the client has been told the reason
	}
	conn := socket{accepted, r.Context().Value(connection{}).(net.Conn), sync.OnceFunc(func() {
		pause.Limit(goodbye, func() { close(late) })
	})}
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, conn.hurry)()
	w.connected(s.member, func() {
		abort(conn.network)
		cancel()
	})
	conn.SetReadLimit(largestInput)
	written := make(chan struct{})
	go func() {
		defer close(written)
		defer cancel() // which ends the reader
		w.write(ctx, conn, s, cancel)
	}()
	go w.ask(ctx, conn, cancel)
	in.conn, in.end = conn, cancel
	for in.next(ctx) {
	}
	s.member.queue.close()
	cancel()
	<-written
	_ = conn.CloseNow()
}

// connection is the key of the network connection in the context of a request.
type connection struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connection{}, c)
}

// socket is a WebSocket that closes in a bounded time. Before the library reads the answer to its
// close frame, it reads the rest of the current frame, which may be endless, without a limit.
type socket struct {
	*websocket.Conn
	network net.Conn
	wake    func() // ends the waiting for a share when the time is over
}

// hurry bounds the time of everything that follows on the connection.
func (s socket) hurry() {
	_ = s.network.SetDeadline(time.Now().Add(goodbye))
	s.wake()
}

// Close sends a close frame and waits for the answer.
func (s socket) Close(code websocket.StatusCode, reason string) error {
	s.hurry()
	return s.Conn.Close(code, reason)
}

// ask pings a client and ends its connection if it no longer answers.
func (w *WebSocket) ask(ctx context.Context, conn socket, end func()) {
	late := pause.NewRepeated(end)
	for pause.For(idleTime, ctx.Done()) {
		late.Start(patience)
		err := conn.Ping(ctx)
		late.Stop()
		if err != nil {
			end()
			return
		}
	}
}

// receiver reads the messages of a client.
type receiver struct {
	hub     *hub
	conn    socket
	session *session
	pace    *pace
	end     func()
	start   [light]byte
	refused int // messages since the last that was accepted
}

// next handles one message and waits until the next one is due. It returns false at the end of the
// connection.
func (r *receiver) next(ctx context.Context) bool {
	n, ok := r.one(ctx)
	if ok {
		r.pace.wait(n) // framed takes the price of its frames
	}
	return ok
}

// one handles one message, and returns its length.
func (r *receiver) one(ctx context.Context) (n int, ok bool) {
	kind, from, err := r.conn.Reader(ctx)
	if err != nil {
		r.broken(ctx, err)
		return 0, false
	}
	n, err = io.ReadFull(from, r.start[:])
	b := r.start[:n]
	switch {
	case err == nil:
		if !r.hub.admitHeavy() {
			return 0, false
		}
		defer r.hub.leaveHeavy()
		if b, err = r.rest(from); err != nil {
			r.broken(ctx, err)
			return 0, false
		}
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		b = bytes.Clone(b) // because queues keep it
	default:
		r.broken(ctx, err)
		return 0, false
	}
	if kind == websocket.MessageText && !utf8.Valid(b) {
		_ = r.conn.Close(websocket.StatusInvalidFramePayloadData, "the text is not UTF-8")
		return 0, false
	}
	if r.session.handle(kind == websocket.MessageBinary, b) {
		r.refused = 0
	} else if r.refused++; r.refused > mostRefused {
		r.hub.turnAway(errRefused)
		_ = r.conn.Close(websocket.StatusPolicyViolation, errRefused.Error())
		return 0, false
	}
	return len(b), true
}

// broken closes the connection of a client that has violated RFC 6455 or floods the server. The
// library has sent a close frame for most violations, but not for all. Nothing is sent to a client
// that closed the connection or was lost.
func (r *receiver) broken(ctx context.Context, err error) {
	var lost net.Error
	if ctx.Err() != nil || websocket.CloseStatus(err) != -1 || errors.As(err, &lost) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) {
		return
	}
	if errors.Is(err, errFlood) {
		r.hub.turnAway(errFlood)
		_ = r.conn.Close(websocket.StatusPolicyViolation, errFlood.Error())
		return
	}
	_ = r.conn.Close(websocket.StatusProtocolError, "a frame that RFC 6455 does not permit")
}

// rest reads a long message, whose start has been read, in a bounded time.
func (r *receiver) rest(from io.Reader) ([]byte, error) {
	defer pause.Limit(patience, r.end)()
	all := bytes.NewBuffer(make([]byte, 0, 4*light))
	all.Write(r.start[:])
	if _, err := all.ReadFrom(from); err != nil {
		return nil, err
	}
	return slices.Clip(bytes.Clone(all.Bytes())), nil
}

// write sends queued items until the queue is closed or the client is lost. It calls end for a
// client that does not read.
func (w *WebSocket) write(ctx context.Context, conn socket, s *session, end func()) {
	pace, late := w.paceOut(), pause.NewRepeated(end)
	send := func(kind websocket.MessageType, b []byte) bool {
		pace.wait(len(b) + costOut)
		late.Start(patience)
		defer late.Stop()
		return conn.Write(ctx, kind, b) == nil
	}
	info, channels := w.greet(s.member)
	if !send(websocket.MessageText, info) || !send(websocket.MessageText, channels) {
		return
	}
	var p portion
	var frame []byte
	warned := false
	for s.member.queue.take(&p) {
		if p.news && !send(websocket.MessageBinary, appendTime(frame[:0], p.clock)) {
			return
		}
		if p.dropped > 0 && !warned {
			warned = true
			if !send(websocket.MessageText, text(status{"status", levelWarning,
				"this client is too slow: the oldest messages are dropped"})) {
				return
			}
		}
		for _, i := range p.items {
			if i.topic < 0 {
				if !send(websocket.MessageText, i.data) {
					return
				}
				continue
			}
			id, still := s.subscription(i.topic)
			if !still {
				continue
			}
			frame = appendData(frame[:0], id, i.time, i.data)
			if !send(websocket.MessageBinary, frame) {
				return
			}
		}
	}
	_ = conn.Close(websocket.StatusGoingAway, "the simulation has ended")
}
