package live

import (
	"sync/atomic"
	"time"

	"gosmp/trace"
)

const (
	// queueLength is how many messages wait at most to be written.
	queueLength = 1024
	// queueBytes is how many bytes of messages wait at most, unless one message has more than half of them.
	queueBytes = 4 << 20
	// pageSize is at most the size of the pages in which the operating system hands out memory.
	pageSize = 4 << 10
	// lookEvery is how often the reader looks for messages when nobody has called it.
	lookEvery = 5 * time.Millisecond
)

// queue passes messages from one goroutine to another. Their bytes are copied into one arena, all of
// which is used before the first message comes, so that putting one in costs little more than the
// copy: no allocation, no page fault, and no call of the operating system unless half of the places
// or bytes are taken. When all messages have been read, the next one is put at the beginning, which
// the processor still has in its caches.
type queue struct {
	entries [queueLength]entry
	arena   []byte
	put     atomic.Uint64 // messages that were put in; the place of the next one is put % queueLength
	taken   atomic.Uint64 // messages that were read; put - taken are in the queue
	fence   uint64        // messages before this one lie in an earlier arena
	end     int           // of the newest message in the arena
	called  bool          // the reader has been called since the queue was half full

	closed  atomic.Bool
	call    chan struct{} // wakes the reader
	room    chan struct{} // wakes the writer
	enough  atomic.Uint64 // the writer wants to be woken when so many messages were read; 0: it does not wait
	looking *time.Timer
}

// entry is a message in the queue.
type entry struct {
	message trace.Message
	at      int // its place in the arena
}

// newQueue makes a queue for so many bytes, or two of the largest messages.
func newQueue(size int) *queue {
	q := &queue{call: make(chan struct{}, 1), room: make(chan struct{}, 1), looking: time.NewTimer(lookEvery)}
	q.renew(size)
	for k := range q.entries {
		q.entries[k].at = -1 // to have its memory, too
	}
	return q
}

// renew takes an arena of a size. What is in the queue keeps its own.
func (q *queue) renew(size int) {
	q.arena, q.end, q.fence = make([]byte, size), 0, q.put.Load()
	for k := 0; k < len(q.arena); k += pageSize {
		q.arena[k] = 1
	}
}

// offer copies a message into the queue. It reports false if the queue is full.
func (q *queue) offer(m trace.Message) bool {
	put := q.put.Load()
	waiting := put - q.taken.Load()
	if waiting == queueLength {
		return false
	}
	if len(m.Data) > len(q.arena)/2 {
		q.renew(2 * len(m.Data))
	}
	at, used := q.place(put, waiting, len(m.Data))
	if at < 0 {
		return false
	}
	q.end = at + len(m.Data)
	data := q.arena[at:q.end:q.end]
	copy(data, m.Data)
	m.Data = data
	q.entries[put%queueLength] = entry{m, at}
	q.put.Store(put + 1)
	if half := waiting >= queueLength/2 || used >= len(q.arena)/2; half && !q.called {
		wake(q.call)
		q.called = true
	} else if !half {
		q.called = false
	}
	return true
}

// place finds room for a message, and says how many bytes are used with it; -1 is no room.
func (q *queue) place(put, waiting uint64, size int) (at, used int) {
	oldest := max(put-waiting, q.fence)
	if oldest == put {
		return 0, size
	}
	begin := q.entries[oldest%queueLength].at
	switch {
	case q.end > begin && q.end+size <= len(q.arena):
		return q.end, q.end - begin + size
	case q.end > begin && size <= begin:
		return 0, len(q.arena) - begin + size
	case q.end <= begin && q.end+size <= begin:
		return q.end, len(q.arena) - begin + q.end + size
	}
	return -1, 0
}

// wait returns when half of the messages in a full queue have been read.
func (q *queue) wait() {
	put, taken := q.put.Load(), q.taken.Load()
	enough := taken + (put-taken+1)/2
	q.enough.Store(enough)
	wake(q.call)
	for q.taken.Load() < enough {
		<-q.room
	}
}

// close ends the queue. What is in it can still be read.
func (q *queue) close() {
	q.closed.Store(true)
	wake(q.call)
}

// next waits for a message, which is valid until release. It is nil when the queue has been closed
// and is empty.
func (q *queue) next() *trace.Message {
	for {
		closed := q.closed.Load()
		if taken := q.taken.Load(); taken < q.put.Load() {
			return &q.entries[taken%queueLength].message
		}
		if closed {
			return nil
		}
		q.looking.Reset(lookEvery)
		select {
		case <-q.call:
		case <-q.looking.C:
		}
	}
}

// release gives the message back that next has returned.
func (q *queue) release() {
	taken := q.taken.Add(1)
	if enough := q.enough.Load(); enough != 0 && taken >= enough {
		q.enough.Store(0)
		wake(q.room)
	}
}

// wake wakes whoever waits, or will.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
