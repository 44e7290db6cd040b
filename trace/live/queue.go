package live

import (
	"sync/atomic"
	"time"

	"gosmp/trace"
)

const (
	// queueLength is how many messages wait at most to be written.
	queueLength = 1024
	// queueBytes is how many bytes of messages wait at most, unless one message has more than half
	// of them.
	queueBytes = 4 << 20
	// pageSize is at most the size of the pages in which the operating system hands out memory.
	pageSize = 4 << 10
	// lineSize is at least the size of the lines of the processor's caches.
	lineSize = 64
	// lookEvery is how often the reader looks for messages when nobody has called it.
	lookEvery = 5 * time.Millisecond
	// settled is how often it sees the same messages left before it takes them: in that time all
	// copies have reached the memory.
	settled = 40
)

// queue passes messages from one goroutine to another. Their bytes are copied into one arena, all
// of which is used before the first message comes, so that putting one in costs little more than
// the copy: no allocation, no page fault, and no call of the operating system unless half of the
// places or bytes are taken. Each goroutine writes to its own cache lines, and looks at the other's
// only when what it already knows does not suffice. Messages are put in with offer and are there
// for the reader after publish; the time between both is best used for other work, because publish
// waits until the copies have reached the memory.
type queue struct {
	entries [queueLength]entry
	arena   []byte

	// Of the writer.
	_      line
	puts   uint64 // messages that were put in; the place of the next one is puts % queueLength
	read   uint64 // at least so many were read; the rest may be in the queue
	fence  uint64 // messages before this one lie in an earlier arena
	end    int    // of the newest message in the arena
	called bool   // the reader has been called since the queue was half full

	// Shared.
	_      line
	put    atomic.Uint64 // messages that were published
	closed atomic.Bool
	// the writer wants to be woken when so many messages were read; 0: it does not wait
	enough atomic.Uint64
	call   chan struct{} // wakes the reader
	room   chan struct{} // wakes the writer
	_      line
	taken  atomic.Uint64 // messages that were read
	_      line
	left   atomic.Uint64 // messages that were put in, as leave has said

	// Of the reader.
	_       line
	there   uint64 // at least so many messages were put in
	looking *time.Timer
	seen    uint64 // messages that were left when it looked
	looks   int    // how often it has seen so many
}

// line keeps the fields before it and after it out of one cache line.
type line [lineSize]byte

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
	q.arena, q.end, q.fence = make([]byte, size), 0, q.puts
	for k := 0; k < len(q.arena); k += pageSize {
		q.arena[k] = 1
	}
}

// offer copies a message into the queue. It reports false if the queue is full. If half of the
// queue is used, the message is published, and the reader is called.
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

// publish lets the reader have what was put in.
func (q *queue) publish() {
	if q.put.Load() != q.puts {
		q.put.Store(q.puts)
	}
}

// leave says how many messages were put in, for the case that publish is never called: the program
// that makes them may hang. It costs no more than a store that nobody waits for.
func (q *queue) leave() { store(&q.left, q.puts) }

// look takes what has been left for long.
func (q *queue) look() {
	left := q.left.Load()
	if left != q.seen {
		q.seen, q.looks = left, 0
	} else if q.looks++; q.looks >= settled {
		q.there = max(q.there, left)
	}
}

// lines returns a number of bytes that fills whole cache lines.
func lines(size int) int { return (size + lineSize - 1) &^ (lineSize - 1) }

// place finds room for a message, and says whether half of the queue is used then, as far as the
// writer knows; -1 is no room.
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

// close ends the queue. What is in it can still be read.
func (q *queue) close() {
	q.publish()
	q.closed.Store(true)
	wake(q.call)
}

// next waits for a message, which is valid until release. It is nil when the queue has been closed
// and is empty. While it waits it calls idle every few milliseconds.
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
