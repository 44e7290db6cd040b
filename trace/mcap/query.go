package mcap

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
)

// Query selects messages. The zero value selects all.
type Query struct {
	// log times in ns, from Start (inclusive) to End (exclusive); End 0: no end
	Start, End uint64
	Channel    func(*Channel) bool // nil: every channel

	// places in the file, from From (inclusive) to Before (exclusive); nil: no limit
	From, Before *Place
}

// stands reports whether a place is selected.
func (q *Query) stands(p Place) bool {
	return (q.From == nil || p.compare(*q.From) >= 0) &&
		(q.Before == nil || p.compare(*q.Before) < 0)
}

// reaches reports whether a chunk may contain selected places.
func (q *Query) reaches(c *ChunkIndex) bool {
	return (q.From == nil || c.ChunkStart >= q.From.Chunk) &&
		(q.Before == nil || c.ChunkStart <= q.Before.Chunk)
}

func (q *Query) end() uint64 {
	if q.End == 0 {
		return ^uint64(0)
	}
	return q.End
}

// Messages yields messages in the order of log times; messages with equal times come in file order.
// A message is valid until the next one. Messages requires chunk indexes; for a file without them,
// use a [Scanner]. An error ends the sequence.
func (f *File) Messages(q Query) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		it := f.Select(q)
		for {
			message, err := it.Next()
			if errors.Is(err, io.EOF) || !yield(message, err) || err != nil {
				return
			}
		}
	}
}

// Select is like [File.Messages], but returns an iterator that returns one message at a time. It
// reads nothing yet and starts no goroutine.
func (f *File) Select(q Query) *Iterator {
	return &Iterator{merger{file: f, query: q, waiting: f.chunksFor(&q)}}
}

// Iterator returns the messages of a [Query]. Several iterators of one file may be used
// alternately.
type Iterator struct{ merger merger }

// Next returns the next message, valid until the next call. The error is io.EOF after the last
// message; after any other error there are no more messages.
func (it *Iterator) Next() (*Message, error) {
	message, err := it.merger.next()
	if message == nil && err == nil {
		return nil, io.EOF
	}
	return message, err
}

// chunksFor returns the chunks that may contain messages of a query, sorted by their least time.
func (f *File) chunksFor(q *Query) (list []*ChunkIndex) {
	for _, c := range f.Chunks {
		if c.End < q.Start || c.Start >= q.end() || !q.reaches(c) || !f.wanted(c, q) {
			continue
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b *ChunkIndex) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ChunkStart, b.ChunkStart))
	})
	return list
}

// wanted reports whether a chunk may contain messages of the selected channels, according to its
// index.
func (f *File) wanted(c *ChunkIndex, q *Query) bool {
	if q.Channel == nil || len(c.MessageIndexOffsets) == 0 {
		return true
	}
	for id := range c.MessageIndexOffsets {
		if channel := f.Channels[id]; channel == nil || q.Channel(channel) {
			return true
		}
	}
	return false
}

// merger holds the open chunks, which overlap in time.
type merger struct {
	file    *File
	query   Query
	waiting []*ChunkIndex
	open    cursors
	held    uint64 // bytes of the open chunks
	all     expansion
	free    [][]byte // memory of chunks that have been read
	message Message
}

// cursor is an open chunk and its next message.
type cursor struct {
	start   uint64 // of the chunk in the file
	skipped uint64 // bytes before the records, which were not read
	records []byte
	places  []uint32 // offsets of the remaining messages, sorted by time
}

// time returns the log time of the message at an offset.
func (c *cursor) time(offset uint32) uint64 { return le.Uint64(c.records[offset+9+6:]) }

// next returns the time of the next message.
func (c *cursor) next() uint64 { return c.time(c.places[0]) }

func (m *merger) next() (*Message, error) {
	for len(m.waiting) > 0 && (len(m.open) == 0 ||
		m.waiting[0].Start <= m.open[0].next()) {
		c := m.waiting[0]
		m.waiting = m.waiting[1:]
		if err := m.load(c); err != nil {
			return nil, err
		}
	}
	if len(m.open) == 0 {
		return nil, nil
	}
	c := m.open[0]
	record, err := parse(OpMessage, body9(c.records[c.places[0]:]), int64(c.start))
	if err != nil {
		return nil, err
	}
	m.message = *record.(*Message)
	if c.places = c.places[1:]; len(c.places) == 0 {
		heap.Pop(&m.open)
		m.held -= uint64(len(c.records))
		m.free = append(m.free, c.records)
	} else {
		heap.Fix(&m.open, 0)
	}
	return &m.message, nil
}

// body9 returns the body of a record that has already been checked.
func body9(b []byte) []byte { return b[9 : 9+le.Uint64(b[1:])] }

// load unpacks a chunk and sorts its messages.
func (m *merger) load(index *ChunkIndex) error {
	part, skipped := m.query.part(index)
	records, err := m.records(part)
	if err != nil {
		return err
	}
	if err := m.file.expand(&m.all, index, uint64(len(records))); err != nil {
		return err
	}
	c := &cursor{start: index.ChunkStart, skipped: skipped, records: records}
	if err := m.sort(c); err != nil {
		return err
	}
	if len(c.places) == 0 {
		m.free = append(m.free, records)
		return nil
	}
	if m.held += uint64(len(records)); len(m.open) > 0 && m.held > memory() {
		return tooLarge(int64(index.ChunkStart), len(m.open)+1, m.held)
	}
	heap.Push(&m.open, c)
	return nil
}

// part returns the part of a chunk that contains the selected places, and the number of bytes
// before it. Only records outside of chunks can be read in part. Their definitions are known, and a
// file may have very many drives in them.
func (q *Query) part(c *ChunkIndex) (part *ChunkIndex, skipped uint64) {
	if !c.loose {
		return c, 0
	}
	begin, end := uint64(0), c.ChunkLength
	if q.From != nil && q.From.Chunk == c.ChunkStart {
		begin = min(q.From.Offset, end)
	}
	if q.Before != nil && q.Before.Chunk == c.ChunkStart {
		end = max(begin, min(q.Before.Offset, end))
	}
	part = &ChunkIndex{ChunkStart: c.ChunkStart + begin, ChunkLength: end - begin, loose: true}
	return part, begin
}

// records returns the records of a chunk, unpacked.
func (m *merger) records(index *ChunkIndex) ([]byte, error) {
	var memory []byte
	if n := len(m.free); n > 0 {
		memory, m.free = m.free[n-1], m.free[:n-1]
	}
	return m.file.records(index, memory)
}

// records returns the records of a chunk, unpacked. It uses the given memory if that is enough.
func (f *File) records(index *ChunkIndex, memory []byte) ([]byte, error) {
	if index.loose {
		return f.bytesInto(memory, int64(index.ChunkStart), index.ChunkLength)
	}
	chunk, err := into[*Chunk](f, &f.packed, index.ChunkStart)
	if err != nil {
		return nil, err
	}
	return unpackChecked(&f.unpack, chunk, int64(index.ChunkStart), memory[:0])
}

// sort finds a chunk's messages for the query and sorts them by time.
func (m *merger) sort(c *cursor) error {
	at := int64(c.start)
	count, err := messagesIn(c.records, at)
	if err != nil {
		return err
	}
	c.places = make([]uint32, 0, count)
	for rest := c.records; len(rest) > 0; {
		offset := uint64(len(c.records) - len(rest))
		var op Opcode
		var body []byte
		if op, body, rest, err = split(rest, at); err != nil {
			return err
		}
		if op != OpMessage {
			if err := m.declared(op, body, at); err != nil {
				return err
			}
			continue
		}
		channel := m.file.Channels[le.Uint16(body)]
		time := le.Uint64(body[6:])
		if time >= m.query.Start && time < m.query.end() &&
			m.query.stands(Place{uint64(at), c.skipped + offset}) && (m.query.Channel == nil ||
			channel != nil && m.query.Channel(channel)) {
			c.places = append(c.places, uint32(offset))
		}
	}
	byTime := func(a, b uint32) int { return cmp.Compare(c.time(a), c.time(b)) }
	if !slices.IsSortedFunc(c.places, byTime) {
		slices.SortStableFunc(c.places, byTime)
	}
	return nil
}

// messagesIn counts the messages in the records of a chunk.
func messagesIn(records []byte, at int64) (n int, err error) {
	for len(records) > 0 {
		var op Opcode
		var body []byte
		if op, body, records, err = split(records, at); err != nil {
			return 0, err
		}
		if op != OpMessage {
			continue
		}
		if n++; len(body) < 22 {
			return 0, damaged(at, "a message of "+fmt.Sprint(len(body))+" bytes", "at least 22")
		}
	}
	return n, nil
}

// declared stores schemas and channels that the summary does not repeat.
func (m *merger) declared(op Opcode, body []byte, at int64) error {
	if op != OpSchema && op != OpChannel {
		return nil
	}
	record, err := parse(op, slices.Clone(body), at)
	if err != nil {
		return err
	}
	switch r := record.(type) {
	case *Schema:
		if m.file.Schemas[r.ID] == nil {
			m.file.Schemas[r.ID] = r
		}
	case *Channel:
		if m.file.Channels[r.ID] == nil {
			m.file.Channels[r.ID] = r
		}
	}
	return nil
}

// cursors is a heap ordered by the time of the next message, then by place in the file.
type cursors []*cursor

func (c cursors) Len() int { return len(c) }
func (c cursors) Less(i, j int) bool {
	a, b := c[i], c[j]
	if a.next() != b.next() {
		return a.next() < b.next()
	}
	return a.start < b.start
}
func (c cursors) Swap(i, j int) { c[i], c[j] = c[j], c[i] }

// Push implements [heap.Interface].
func (c *cursors) Push(v any) { *c = append(*c, v.(*cursor)) }

// Pop implements [heap.Interface].
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
