package server

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gosmp/bridge"
	"gosmp/internal/gate"
	"gosmp/internal/pause"
)

// ErrClient is the kind of errors about data sent by a client.
var ErrClient = errors.New("message of a client refused")

// errRefused is the reason for which a client loses its connection after mostRefused messages.
var errRefused = errors.New("too many messages had to be refused")

// Options define how a server behaves.
type Options struct {
	// Receive is called for each message from a client, with the simulated time of its arrival,
	// from the goroutines of the connections. Its error goes to the client. If Receive is nil, all
	// messages are refused.
	Receive func(topic string, timeNs int64, bytes []byte) error
	// Warn is called once when a client loses messages, from the publishing goroutine; it may be
	// nil.
	Warn func(text string)
	// Name is the name shown by viewers; "gosmp" if it is empty.
	Name string
	// Farewell is the time that Close waits for clients to receive queued messages; 0 means 2 s.
	Farewell time.Duration
	// Queue is the number of messages that wait for a client before the oldest are dropped; 0 means
	// 1024.
	Queue int
	// Idle is the time that a TCP connection may be silent in both directions before it is closed;
	// 0 means 10 minutes. WebSocket clients are pinged instead.
	Idle time.Duration
	// Access determines which clients may connect; the zero value admits programs on this computer.
	Access gate.Rules
}

// Limits of the network.
const (
	mostClients  = 64
	largestInput = 1<<20 + 1<<10    // bytes of one client message, with its head
	patience     = 10 * time.Second // for a client that receives nothing
	farewell     = 2 * time.Second  // for waiting messages when the server closes
	goodbye      = 2 * time.Second  // for the answer to a close frame
	silence      = 10 * time.Minute // of a TCP client and of all topics that it wants
	headTime     = 5 * time.Second  // for the head of a request
	// for the next request of a connection that is not a WebSocket.
	idleTime = 30 * time.Second
	// Messages without one that is accepted between them, after which a client is disconnected.
	mostRefused = 1_000
	tooMany     = "too many clients" // the answer to clients beyond mostClients
)

// member is a connected client.
type member struct {
	name  string
	looks bool // the client may not send
	queue *queue
	wants func(topic int) bool
	end   func() // closes the connection at once; nil while there is none

	greeted bool // the client received the list of channels
}

// hub holds the clients of a server and their shared state.
type hub struct {
	config   *bridge.Config
	options  Options
	topics   []*bridge.Topic // each name once; the index is the channel number
	numbers  map[string]int
	now      atomic.Int64
	dropped  atomic.Uint64
	warn     sync.Once
	present  atomic.Int64  // number of members
	channels atomic.Int64  // number of channels, including offered ones
	waiting  atomic.Int64  // bytes in all queues and on their way to clients
	heavy    chan struct{} // has one element for each long message being received
	over     chan struct{} // closed when the server begins to close

	mu      sync.Mutex
	members map[*member]struct{}
	offers  []*offer
	refused map[string]bool // texts of reported refusals
	closed  bool
	work    sync.WaitGroup
}

func newHub(c *bridge.Config, o Options) *hub {
	if o.Queue <= 0 {
		o.Queue = defaultQueue
	}
	if o.Farewell <= 0 {
		o.Farewell = farewell
	}
	if o.Idle <= 0 {
		o.Idle = silence
	}
	if o.Name == "" {
		o.Name = "gosmp"
	}
	h := &hub{config: c, options: o, numbers: map[string]int{}, members: map[*member]struct{}{},
		refused: map[string]bool{}, heavy: make(chan struct{}, heavyNow), over: make(chan struct{})}
	for _, t := range c.Topics {
		if _, known := h.numbers[t.Name]; !known {
			h.numbers[t.Name] = len(h.topics)
			h.topics = append(h.topics, t)
		}
	}
	h.channels.Store(int64(len(h.topics)))
	h.options.Access.TurnedAway = h.turnAway
	return h
}

// join adds a client. It returns false if there are too many or the server is closed. After
// joining, the caller must call leave.
func (h *hub) join(m *member) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.members) >= mostClients {
		return false
	}
	h.members[m] = struct{}{}
	h.present.Add(1)
	h.work.Add(1)
	m.queue.advance(uint64(h.now.Load()))
	return true
}

// connected records how to end the connection of a member. If the server is closed, the connection
// ends at once.
func (h *hub) connected(m *member, end func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m.end = end; h.closed {
		m.queue.close()
	}
}

func (h *hub) leave(m *member) {
	h.mu.Lock()
	delete(h.members, m)
	h.present.Add(-1)
	h.mu.Unlock()
	m.queue.close()
	m.queue.drop()
	h.work.Done()
}

// Publish queues a message for all clients that want it. It never blocks.
func (h *hub) Publish(t *bridge.Topic, timeNs int64, b []byte) error {
	number, known := h.numbers[t.Name]
	if !known {
		return fmt.Errorf("%w: topic %s is not in the configuration", bridge.ErrMessage, t.Name)
	}
	h.Advance(timeNs)
	h.spread(nil, item{number, uint64(timeNs), b})
	return nil
}

// spread queues an item for all clients except one.
func (h *hub) spread(except *member, i item) {
	slow := ""
	h.mu.Lock()
	for m := range h.members { // each has its own queue, so the order does not matter
		if m == except || !m.wants(i.topic) {
			continue
		}
		if n := m.queue.put(i); n > 0 {
			h.dropped.Add(n)
			slow = m.name
		}
	}
	h.mu.Unlock()
	if slow != "" {
		h.warnOnce(slow)
	}
}

func (h *hub) warnOnce(name string) {
	h.warn.Do(func() {
		if h.options.Warn != nil {
			h.options.Warn(fmt.Sprintf(
				"client %s is too slow: more than %d messages waited for it, or %d MB "+
					"for all clients, and the oldest were dropped; the simulation continues, and "+
					"further drops are only counted",
				name, h.options.Queue, mostWaiting>>20))
		}
	})
}

// turnAway reports a client that is not allowed to connect, once for each reason.
func (h *hub) turnAway(err error) {
	const most = 100 // kept reasons; limited because clients choose them
	h.mu.Lock()
	before := h.refused[err.Error()] || len(h.refused) >= most
	if !before {
		h.refused[err.Error()] = true
	}
	h.mu.Unlock()
	if !before && h.options.Warn != nil {
		h.options.Warn("client turned away: " + err.Error())
	}
}

// Advance sets the simulated time. Clients receive the newest time, and their messages are stamped
// with it.
func (h *hub) Advance(timeNs int64) {
	if h.now.Swap(timeNs) == timeNs {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for m := range h.members {
		m.queue.advance(uint64(timeNs))
	}
}

// Dropped returns the number of messages dropped because clients were too slow.
func (h *hub) Dropped() uint64 { return h.dropped.Load() }

// receive accepts a message from a client.
func (h *hub) receive(from *member, topic string, b []byte) error {
	if h.options.Receive == nil || from.looks {
		return fmt.Errorf("%w: this server accepts no messages", ErrClient)
	}
	now := h.now.Load()
	if err := h.options.Receive(topic, now, b); err != nil {
		return err
	}
	h.spread(from, item{h.numbers[topic], uint64(now), b})
	return nil
}

// finish closes all queues and gives the clients [Options].Farewell to take the queued messages.
func (h *hub) finish() {
	h.mu.Lock()
	if !h.closed {
		close(h.over)
	}
	h.closed = true
	for m := range h.members {
		m.queue.close()
	}
	h.mu.Unlock()
	done := make(chan struct{})
	go func() {
		h.work.Wait()
		close(done)
	}()
	late, stop := pause.Late(h.options.Farewell)
	defer stop()
	select {
	case <-done:
		return
	case <-late:
	}
	h.mu.Lock()
	for m := range h.members {
		if m.end != nil {
			m.end()
		}
	}
	h.mu.Unlock()
	<-done
}
