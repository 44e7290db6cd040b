package server

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// The shares of the clients. A watched simulation keeps most of the computer for itself, whatever
// the clients do: all clients together have these rates, divided equally among them.
const (
	rateIn      = 16 << 20                  // bytes a second from all clients
	rateOut     = 256 << 20                 // bytes a second to all clients
	costIn      = 2 << 10                   // overhead of a frame from a client, in bytes
	costOut     = 16 << 10                  // overhead of a message to a client, in bytes
	burst       = time.Second               // unused share that a client may save up
	mostWaiting = 32 << 20                  // bytes waiting for all clients
	ownWaiting  = mostWaiting / mostClients // bytes that may wait for a client in any case
)

// Client messages longer than light bytes are received one or two at a time, because reading them
// takes many times their length in memory.
const (
	light    = 64 << 10
	heavyNow = 2
)

// pace slows a client down to its share.
type pace struct {
	rate    float64       // of all clients
	members *atomic.Int64 // number of clients sharing it
	over    <-chan struct{}
	late    <-chan struct{} // closed when the connection must end; nil if nothing closes it

	mu   sync.Mutex
	next time.Time // time until which admitted bytes use up the share
}

// wait sleeps until the share of the client allows for a number of bytes, or the server or the
// connection closes.
func (p *pace) wait(bytes int) {
	if d := p.admit(time.Now(), bytes); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-p.over:
		case <-p.late:
		}
	}
}

// admit counts bytes and returns how long they must wait.
func (p *pace) admit(now time.Time, bytes int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if saved := now.Add(-burst); p.next.Before(saved) {
		p.next = saved
	}
	share := p.rate / float64(max(p.members.Load(), 1))
	p.next = p.next.Add(time.Duration(float64(bytes) / share * float64(time.Second)))
	return p.next.Sub(now)
}

// abort closes a connection without waiting: TLS otherwise waits up to 5 s to say that it ends.
func abort(conn net.Conn) {
	if secured, is := conn.(*tls.Conn); is {
		conn = secured.NetConn()
	}
	_ = conn.Close()
}

// admitHeavy waits for a turn to receive a long message; the caller must call leaveHeavy unless the
// server closes.
func (h *hub) admitHeavy() bool {
	select {
	case h.heavy <- struct{}{}:
		return true
	case <-h.over:
		return false
	}
}

// closing reports whether the server has begun to close.
func (h *hub) closing() bool {
	select {
	case <-h.over:
		return true
	default:
		return false
	}
}

func (h *hub) leaveHeavy() { <-h.heavy }

// paceIn and paceOut return the paces of a new client.
func (h *hub) paceIn() *pace  { return &pace{rate: rateIn, members: &h.present, over: h.over} }
func (h *hub) paceOut() *pace { return &pace{rate: rateOut, members: &h.present, over: h.over} }
