package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"gosmp/bridge"
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
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen at %s: %w", address, err)
	}
	w := &WebSocket{hub: h, listener: l, served: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.http = &http.Server{Handler: http.HandlerFunc(w.serve), ReadHeaderTimeout: headTime, IdleTimeout: idleTime}
	go func() {
		defer close(w.served)
		_ = w.http.Serve(l) // until Close
	}()
	return w, nil
}

// Addr is where the server listens.
func (w *WebSocket) Addr() net.Addr { return w.listener.Addr() }

// Close sends what waits, for at most [Options].Farewell, and ends all connections.
func (w *WebSocket) Close() error {
	err := w.http.Close() // no new clients; those that are there have been taken over
	<-w.served
	w.finish()
	w.cancel()
	return err
}

// serve takes one client.
func (w *WebSocket) serve(to http.ResponseWriter, r *http.Request) {
	offered := strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ",")
	if !strings.Contains(offered, subprotocolSDK) && !strings.Contains(offered, subprotocolWeb) {
		http.Error(to, fmt.Sprintf("found subprotocols %q, expected %s or %s: connect with a viewer such as Lichtblick or Foxglove",
			offered, subprotocolSDK, subprotocolWeb), http.StatusBadRequest)
		return
	}
	s := newSession(w.hub, r.RemoteAddr)
	if !w.join(s.member) {
		http.Error(to, tooMany, http.StatusServiceUnavailable)
		return
	}
	defer w.leave(s.member)
	// Viewers run in browsers and have the origin of the page that they were loaded from.
	conn, err := websocket.Accept(to, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocolSDK, subprotocolWeb}, InsecureSkipVerify: true})
	if err != nil {
		return // the client has got the reason
	}
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	w.connected(s.member, cancel)
	conn.SetReadLimit(largestInput)
	written := make(chan struct{})
	go func() {
		defer close(written)
		defer cancel() // which ends the reader
		w.write(ctx, conn, s)
	}()
	for {
		kind, b, err := conn.Read(ctx)
		if err != nil {
			break
		}
		s.handle(kind == websocket.MessageBinary, b)
	}
	s.member.queue.close()
	cancel()
	<-written
	_ = conn.CloseNow()
}

// write sends what is queued until the queue is closed or the client is lost.
func (w *WebSocket) write(ctx context.Context, conn *websocket.Conn, s *session) {
	send := func(kind websocket.MessageType, b []byte) bool {
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return conn.Write(limited, kind, b) == nil
	}
	info, channels := w.greeting()
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
			if !send(websocket.MessageText, text(status{"status", levelWarning, "this client is too slow: the oldest messages are dropped"})) {
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
