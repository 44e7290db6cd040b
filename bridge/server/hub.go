package server

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gosmp/bridge"
	"gosmp/internal/gate"
)

// ErrClient is the kind of errors about what a client has sent.
var ErrClient = errors.New("message of a client refused")

// Options define how a server behaves.
type Options struct {
	// Receive takes what clients send, with the simulated time at which it came. It is called from
	// the goroutines of the connections; its error goes to the client. Nil refuses all messages.
	Receive func(topic string, timeNs int64, bytes []byte) error
	// Warn is called once when a client has lost messages, from the goroutine that publishes; it
	// may be nil.
	Warn func(text string)
	// Name is the name that viewers show; "gosmp" if it is empty.
	Name string
	// Farewell is how long Close waits for clients to take what is queued; 2 s if it is 0.
	Farewell time.Duration
	// Queue is how many messages wait for a client before the oldest are dropped; 1024 if it is 0.
	Queue int
	// Idle is how long nothing may come or go over a connection by TCP before it is closed; 10
	// minutes if it is 0. Clients by WebSocket are asked whether they are there.
	Idle time.Duration
	// Access says who may connect; the zero value admits what runs on this machine.
	Access gate.Rules
}

// Limits of the network.
const (
	mostClients  = 64
	largestInput = 1<<20 + 1<<10      // bytes of one message of a client, with its head
	patience     = 10 * time.Second   // for a client that takes nothing
	farewell     = 2 * time.Second    // for what waits when the server closes
	silence      = 10 * time.Minute   // of a client by TCP and of all topics that it wants
	headTime     = 5 * time.Second    // for the head of a request
	idleTime     = 30 * time.Second   // for the next request of a connection that is not a WebSocket
	tooMany      = "too many clients" // the answer to one more than mostClients
)

// member is a connected client.
type member struct {
	name  string
	looks bool // it may not send
	queue *queue
	wants func(topic int) bool
	end   func() // closes the connection at once; nil while there is none

	greeted bool // it has got the list of channels
}

// hub holds the clients of a server and what they have in common.
type hub struct {
	config   *bridge.Config
	options  Options
	topics   []*bridge.Topic // each name once; the place is the number of the channel
	numbers  map[string]int
	now      atomic.Int64
	dropped  atomic.Uint64
	warn     sync.Once
	present  atomic.Int64  // how many members there are
	channels atomic.Int64  // how many there are, with those that are offered
	waiting  atomic.Int64  // bytes in all queues, and on their way from them
	heavy    chan struct{} // has an element for each long message that is being received
	over     chan struct{} // closed when the server begins to close

	mu      sync.Mutex
	members map[*member]struct{}
	offers  []*offer
	refused map[string]bool // texts of refusals that have been reported
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
	return h
}

// join adds a client; false if there are too many or the server is closed. The caller of join has
// to call leave.
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

// Publish hands a message to all clients that want it. It never blocks.
func (h *hub) Publish(t *bridge.Topic, timeNs int64, b []byte) error {
	number, known := h.numbers[t.Name]
	if !known {
		return fmt.Errorf("%w: topic %s is not in the configuration", bridge.ErrMessage, t.Name)
	}
	h.Advance(timeNs)
	h.spread(nil, item{number, uint64(timeNs), b})
	return nil
}

// spread hands an item to all clients but one.
func (h *hub) spread(except *member, i item) {
	slow := ""
	h.mu.Lock()
	for m := range h.members { // each has its own queue: the order does not matter
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
			h.options.Warn(fmt.Sprintf("client %s is too slow: more than %d messages waited for it, or %d MB "+
				"for all clients, and the oldest were dropped; the simulation continues, and further drops are only counted",
				name, h.options.Queue, mostWaiting>>20))
		}
	})
}

// turnAway reports a client that may not connect, each reason once.
func (h *hub) turnAway(err error) {
	const most = 100 // reasons that are kept: clients choose them
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

// Advance sets the simulated time. Clients get the newest time, and messages of clients are stamped
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

// Dropped counts the messages that clients were too slow for.
func (h *hub) Dropped() uint64 { return h.dropped.Load() }

// receive takes a message of a client.
func (h *hub) receive(from *member, topic string, b []byte) error {
	if h.options.Receive == nil || from.looks {
		return fmt.Errorf("%w: this server takes no messages", ErrClient)
	}
	now := h.now.Load()
	if err := h.options.Receive(topic, now, b); err != nil {
		return err
	}
	h.spread(from, item{h.numbers[topic], uint64(now), b})
	return nil
}

// finish closes all queues and gives the clients [Options].Farewell to take what is in them.
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
	timer := time.NewTimer(h.options.Farewell)
	defer timer.Stop()
	select {
	case <-done:
		return
	case <-timer.C:
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
