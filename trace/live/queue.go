package live

import (
	"sync/atomic"
	"time"

	"gosmp/trace"
)

const (
	// queueLength is the maximum number of messages waiting to be written.
	queueLength = 1024
	// queueBytes is the maximum number of message bytes waiting, unless one message is larger than
	// half of that.
	queueBytes = 4 << 20
	// pageSize is a lower bound on the size of memory pages.
	pageSize = 4 << 10
	// lineSize is an upper bound on the size of cache lines.
	lineSize = 64
	// lookEvery is the interval at which the reader looks for messages when it has not been woken.
	lookEvery = 5 * time.Millisecond
	// settled is how many times in a row the reader must see the same count of left messages before
	// it takes them. By then, all copies have reached memory.
	settled = 40
)

// queue passes messages from one goroutine to another. Their bytes are copied into one arena, all
// of which is touched before the first message arrives. Adding a message therefore takes little
// more than the copy: no allocation, no page fault, and no system call unless half of the slots or
// bytes are taken. Each goroutine writes to its own cache lines, and reads the other's only when
// what it already knows is not enough. Messages are added with offer and become visible to the
// reader with publish. The time between the two is best used for other work, because publish waits
// until the copies have reached memory.
type queue struct {
	entries [queueLength]entry
	arena   []byte

	// Fields of the writer.
	_      line
	puts   uint64 // messages added; the slot of the next one is puts % queueLength
	read   uint64 // at least this many were read; the others may be in the queue
	fence  uint64 // messages before this one are in an earlier arena
	end    int    // of the newest message in the arena
	called bool   // the reader has been woken since the queue was half full

	// Shared fields.
	_      line
	put    atomic.Uint64 // messages that were published
	closed atomic.Bool
	// the writer waits until this many messages have been read; 0: it does not wait
	enough atomic.Uint64
	call   chan struct{} // wakes the reader
	room   chan struct{} // wakes the writer
	_      line
	taken  atomic.Uint64 // messages that were read
	_      line
	left   atomic.Uint64 // messages added, as reported by leave

	// Fields of the reader.
	_       line
	there   uint64 // at least this many messages were added
	looking *time.Timer
	seen    uint64 // value of left when the reader last checked
	looks   int    // how many times in a row it saw that value
}

// line keeps the fields before and after it in different cache lines.
type line [lineSize]byte

// entry is a message in the queue.
type entry struct {
	message trace.Message
	at      int // its place in the arena
}

// newQueue returns a queue for the given number of bytes, or for two of the largest messages if
// that is more.
func newQueue(size int) *queue {
	q := &queue{call: make(chan struct{}, 1), room: make(chan struct{}, 1),
		looking: time.NewTimer(lookEvery)}
	q.renew(size)
	for k := range q.entries {
		q.entries[k].at = -1 // touches its memory, too
	}
	return q
}

// renew allocates an arena of the given size. Messages already in the queue stay in their own.
func (q *queue) renew(size int) {
	q.arena, q.end, q.fence = make([]byte, size), 0, q.puts
	for k := 0; k < len(q.arena); k += pageSize {
		q.arena[k] = 1
	}
}

// offer copies a message into the queue. It returns false if the queue is full. If half of the
// queue is used, it publishes the message and wakes the reader.
func (q *queue) offer(m trace.Message) bool {
	if len(m.Data) > len(q.arena)/2 {
		q.renew(lines(2 * len(m.Data)))
	}
	at, half := q.place(len(m.Data))
	if half && q.read != q.taken.Load() {
		q.read = q.taken.Load()
		at, half = q.place(len(m.Data))
	}
	if at < 0 {
		return false
	}
	q.end = at + lines(len(m.Data))
	data := q.arena[at : at+len(m.Data) : at+len(m.Data)]
	deposit(data, m.Data)
	m.Data = data
	q.entries[q.puts%queueLength] = entry{m, at}
	q.puts++
	if half && !q.called {
		q.publish()
		wake(q.call)
	}
	q.called = half
	return true
}

// publish makes the added messages visible to the reader.
func (q *queue) publish() {
	if q.put.Load() != q.puts {
		q.put.Store(q.puts)
	}
}

// leave stores how many messages were added, in case publish is never called because the program
// that creates messages hangs. It takes no longer than a store that nothing waits for.
func (q *queue) leave() { store(&q.left, q.puts) }

// look takes messages that have been left for long enough.
func (q *queue) look() {
	left := q.left.Load()
	if left != q.seen {
		q.seen, q.looks = left, 0
	} else if q.looks++; q.looks >= settled {
		q.there = max(q.there, left)
	}
}

// lines rounds a number of bytes up to whole cache lines.
func lines(size int) int { return (size + lineSize - 1) &^ (lineSize - 1) }

// place finds room for a message and reports whether half of the queue will then be used, as far as
// the writer knows. It returns -1 if there is no room.
func (q *queue) place(size int) (at int, half bool) {
	size = lines(size)
	waiting := q.puts - q.read
	oldest := max(q.read, q.fence)
	if waiting == queueLength {
		return -1, true
	}
	used := size
	if oldest < q.puts {
		begin := q.entries[oldest%queueLength].at
		switch {
		case q.end > begin && q.end+size <= len(q.arena):
			at, used = q.end, q.end-begin+size
		case q.end > begin && size <= begin:
			at, used = 0, len(q.arena)-begin+size
		case q.end <= begin && q.end+size <= begin:
			at, used = q.end, len(q.arena)-begin+q.end+size
		default:
			return -1, true
		}
	}
	return at, waiting >= queueLength/2 || used >= len(q.arena)/2
}

// wait returns when half of the messages in a full queue have been read.
func (q *queue) wait() {
	q.publish()
	taken := q.taken.Load()
	enough := taken + (q.puts-taken+1)/2
	q.enough.Store(enough)
	wake(q.call)
	for q.taken.Load() < enough {
		<-q.room
	}
}

// close closes the queue. Messages in it can still be read.
func (q *queue) close() {
	q.publish()
	q.closed.Store(true)
	wake(q.call)
}

// next waits for a message, which is valid until release. It returns nil once the queue is closed
// and empty. While waiting, it calls idle every few milliseconds.
func (q *queue) next(idle func()) *trace.Message {
	for {
		taken := q.taken.Load()
		if taken < q.there {
			return &q.entries[taken%queueLength].message
		}
		closed := q.closed.Load()
		if q.there = max(q.there, q.put.Load()); taken < q.there {
			continue
		}
		if closed {
			return nil
		}
		idle()
		q.looking.Reset(lookEvery)
		select {
		case <-q.call:
		case <-q.looking.C:
			q.look()
		}
	}
}

// release gives back the message that next has returned.
func (q *queue) release() {
	taken := q.taken.Add(1)
	if enough := q.enough.Load(); enough != 0 && taken >= enough {
		q.enough.Store(0)
		wake(q.room)
	}
}

// wake wakes a goroutine that is waiting or will wait.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
