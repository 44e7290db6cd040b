package server

import (
	"sync"
	"sync/atomic"
)

// Limits for the items waiting for one client.
const (
	defaultQueue = 1024
	portionSize  = 256 << 10 // bytes taken at once
)

// item waits for a client to take it: a message of a topic, or a note, which is the text of a
// status.
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
	taken   int           // bytes of the last portion, which is being sent
	waiting *atomic.Int64 // sum of bytes and taken over all queues
	clock   uint64        // time to send if it is new
	news    bool
	dropped uint64
	closed  bool
}

func newQueue(size int, waiting *atomic.Int64) *queue {
	q := &queue{items: make([]item, size), waiting: waiting}
	q.wake = sync.NewCond(&q.mu)
	return q
}

// put adds an item and returns the number of items dropped for it.
func (q *queue) put(i item) (dropped uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0
	}
	for q.count > 0 && (q.count == len(q.items) || q.full(len(i.data))) {
		q.add(-len(q.pop().data))
		dropped++
	}
	// there is room for them
	if others := q.waiting.Load() > int64(q.taken); others && q.full(len(i.data)) {
		q.dropped += dropped + 1
		return dropped + 1
	}
	q.items[(q.first+q.count)%len(q.items)] = i
	q.count++
	q.add(len(i.data))
	q.dropped += dropped
	q.wake.Signal()
	return dropped
}

// full reports whether there is no room for more bytes.
func (q *queue) full(more int) bool {
	return q.bytes+q.taken+more > ownWaiting && q.waiting.Load()+int64(more) > mostWaiting
}

func (q *queue) add(bytes int) {
	q.bytes += bytes
	q.waiting.Add(int64(bytes))
}

// pop removes the oldest item.
func (q *queue) pop() item {
	i := q.items[q.first]
	q.items[q.first] = item{}
	q.first = (q.first + 1) % len(q.items)
	q.count--
	return i
}

// advance sets the time. Only the newest time is sent.
func (q *queue) advance(now uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.clock, q.news = now, true
	q.wake.Signal()
}

// portion is the next batch for a client.
type portion struct {
	items   []item
	clock   uint64
	news    bool // there is a new time
	dropped uint64
}

// take waits, and moves the oldest items into p, about [portionSize] bytes. The previous portion
// counts as sent. It returns false when the queue is closed and empty.
func (q *queue) take(p *portion) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	clear(p.items)
	p.items = p.items[:0]
	q.arrive()
	for q.count == 0 && !q.news && !q.closed {
		q.wake.Wait()
	}
	for q.count > 0 && (q.taken == 0 || q.taken+len(q.items[q.first].data) <= portionSize) {
		i := q.pop()
		q.bytes -= len(i.data)
		q.taken += len(i.data)
		p.items = append(p.items, i)
	}
	p.clock, p.news, p.dropped = q.clock, q.news, q.dropped
	q.news = false
	return len(p.items) > 0 || p.news || !q.closed
}

// arrive marks the last portion as sent.
func (q *queue) arrive() {
	q.waiting.Add(-int64(q.taken))
	q.taken = 0
}

// drop drops all items of a client that is gone.
func (q *queue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.arrive()
	for q.count > 0 {
		q.add(-len(q.pop().data))
	}
}

// close makes take return false once the queue is empty.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake.Broadcast()
}
