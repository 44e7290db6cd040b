package server

import "sync"

// Limits of what waits for one client.
const (
	defaultQueue = 1024
	largestQueue = 64 << 20 // bytes
)

// item is what waits for a client: a message of a topic, or a note, which is the text of a status.
type item struct {
	topic int // number of the channel; -1 for a note
	time  uint64
	data  []byte
}

// queue holds the messages for one client. put never blocks: it drops the oldest items instead.
type queue struct {
	mu      sync.Mutex
	wake    *sync.Cond
	items   []item
	first   int
	count   int
	bytes   int
	clock   uint64 // to be sent when it is news
	news    bool
	dropped uint64
	closed  bool
}

func newQueue(size int) *queue {
	q := &queue{items: make([]item, size)}
	q.wake = sync.NewCond(&q.mu)
	return q
}

// put adds an item, and returns how many were dropped for it.
func (q *queue) put(i item) (dropped uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0
	}
	for q.count > 0 && (q.count == len(q.items) || q.bytes+len(i.data) > largestQueue) {
		q.bytes -= len(q.items[q.first].data)
		q.items[q.first] = item{}
		q.first = (q.first + 1) % len(q.items)
		q.count--
		dropped++
	}
	q.items[(q.first+q.count)%len(q.items)] = i
	q.count++
	q.bytes += len(i.data)
	q.dropped += dropped
	q.wake.Signal()
	return dropped
}

// advance sets the time. Only the newest time is sent.
func (q *queue) advance(now uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.clock, q.news = now, true
	q.wake.Signal()
}

// portion is what a client gets next.
type portion struct {
	items   []item
	clock   uint64
	news    bool // there is a new time
	dropped uint64
}

// take waits, and moves all that is there into p. It returns false when the queue is closed and
// empty.
func (q *queue) take(p *portion) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.count == 0 && !q.news && !q.closed {
		q.wake.Wait()
	}
	clear(p.items)
	p.items = p.items[:0]
	for ; q.count > 0; q.count-- {
		p.items = append(p.items, q.items[q.first])
		q.items[q.first] = item{}
		q.first = (q.first + 1) % len(q.items)
	}
	p.clock, p.news, p.dropped = q.clock, q.news, q.dropped
	q.bytes, q.news = 0, false
	return len(p.items) > 0 || p.news || !q.closed
}

// close lets take return false when all is taken.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake.Broadcast()
}
