package server

import (
	"sync"
	"sync/atomic"
	"time"
)

// The shares of the clients. A simulation that is watched has most of the computer for itself,
// whatever the clients do: all of them together get these rates, each one an equal part.
const (
	rateIn      = 16 << 20                  // bytes a second from all clients
	rateOut     = 256 << 20                 // bytes a second to all clients
	costIn      = 2 << 10                   // of a message, in bytes, besides its own
	costOut     = 16 << 10                  // the same for a message to a client
	burst       = time.Second               // how much of its share a client may save
	mostWaiting = 32 << 20                  // bytes that wait for all clients
	ownWaiting  = mostWaiting / mostClients // bytes that may wait for a client whatever waits for others
)

// Messages of clients that are longer than light bytes are received one or two at a time: it takes
// many times their length to read them.
const (
	light    = 64 << 10
	heavyNow = 2
)

// pace slows one client down to its share.
type pace struct {
	rate    float64       // of all clients
	members *atomic.Int64 // how many share it
	over    <-chan struct{}

	mu   sync.Mutex
	next time.Time // when what was admitted is paid for
}

// wait sleeps until the share of the client allows for a number of bytes, or the server closes.
func (p *pace) wait(bytes int) {
	if d := p.admit(time.Now(), bytes); d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-p.over:
		}
	}
}

// admit counts the bytes, and returns how long they have to wait.
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

// admitHeavy waits for a turn to receive a long message; the caller has to call leaveHeavy unless
// the server closes.
func (h *hub) admitHeavy() bool {
	select {
	case h.heavy <- struct{}{}:
		return true
	case <-h.over:
		return false
	}
}

func (h *hub) leaveHeavy() { <-h.heavy }

// paceIn and paceOut are the paces of a new client.
func (h *hub) paceIn() *pace  { return &pace{rate: rateIn, members: &h.present, over: h.over} }
func (h *hub) paceOut() *pace { return &pace{rate: rateOut, members: &h.present, over: h.over} }
