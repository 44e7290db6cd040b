package mcap

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"slices"
)

// File is a file that is read by its index. It may be used by one goroutine at a time.
type File struct {
	Header      Header
	Footer      Footer
	Schemas     map[uint16]*Schema
	Channels    map[uint16]*Channel
	Statistics  *Statistics // nil without a record
	Chunks      []*ChunkIndex
	Attachments []*AttachmentIndex
	Metadata    []*MetadataIndex
	Offsets     []*SummaryOffset

	from   io.ReaderAt
	size   int64
	unpack unpacker
}

const footerSize = 9 + 20 + int64(len(Magic))

// Open reads the summary of a file of size bytes. It fails with [ErrFormat] when the file has no
// whole end, as after a recorder that was killed; [Recover] and [Scanner] read such files.
func Open(from io.ReaderAt, size int64) (*File, error) {
	f := &File{from: from, size: size, Schemas: map[uint16]*Schema{}, Channels: map[uint16]*Channel{}}
	if err := f.readHeader(); err != nil {
		return nil, err
	}
	if err := f.readFooter(); err != nil {
		return nil, err
	}
	if f.Footer.SummaryStart == 0 {
		return f, nil
	}
	return f, f.readSummary()
}

func (f *File) bytes(offset int64, length uint64) ([]byte, error) {
	if offset < 0 || offset > f.size || length > uint64(f.size-offset) {
		return nil, damaged(offset, fmt.Sprintf("%d bytes in a file of %d", length, f.size), "a place inside the file")
	}
	b := make([]byte, length)
	if _, err := f.from.ReadAt(b, offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// recordAt reads the record at an offset.
func (f *File) recordAt(offset uint64) (any, error) {
	if offset > uint64(f.size) {
		return nil, damaged(f.size, fmt.Sprintf("offset %d in a file of %d bytes", offset, f.size), "a place inside the file")
	}
	head, err := f.bytes(int64(offset), 9)
	if err != nil {
		return nil, err
	}
	body, err := f.bytes(int64(offset)+9, le.Uint64(head[1:]))
	if err != nil {
		return nil, err
	}
	return parse(Opcode(head[0]), body, int64(offset))
}

func (f *File) readHeader() error {
	b, err := f.bytes(0, min(uint64(len(Magic)), uint64(f.size)))
	if err != nil {
		return err
	}
	if string(b) != Magic {
		return damaged(0, fmt.Sprintf("%q", b), fmt.Sprintf("%q at the beginning of an MCAP file", Magic))
	}
	record, err := f.recordAt(uint64(len(Magic)))
	if err != nil {
		return err
	}
	h, is := record.(*Header)
	if !is {
		return damaged(int64(len(Magic)), fmt.Sprintf("%T", record), "a Header record")
	}
	f.Header = *h
	return nil
}

func (f *File) readFooter() error {
	at := f.size - footerSize
	b, err := f.bytes(at, uint64(footerSize))
	if err != nil || string(b[footerSize-int64(len(Magic)):]) != Magic || Opcode(b[0]) != OpFooter || le.Uint64(b[1:]) != 20 {
		return &UnfinishedError{Size: f.size}
	}
	record, err := parse(OpFooter, b[9:29], at)
	if err != nil {
		return err
	}
	f.Footer = *record.(*Footer)
	return nil
}

// UnfinishedError reports a file without an end: its recorder was killed, or the file was cut.
type UnfinishedError struct{ Size int64 }

// Error says what to do.
func (u *UnfinishedError) Error() string {
	return fmt.Sprintf("%v: %d bytes without a Footer and the magic at the end: the recorder was killed or the file was cut", ErrFormat, u.Size)
}

// Unwrap is the kind.
func (u *UnfinishedError) Unwrap() error { return ErrFormat }

func (f *File) readSummary() error {
	start, end := f.Footer.SummaryStart, uint64(f.size-footerSize)
	if start > end {
		return damaged(int64(end), fmt.Sprintf("a summary at %d", start), fmt.Sprintf("at most %d", end))
	}
	b, err := f.bytes(int64(start), uint64(f.size)-start)
	if err != nil {
		return err
	}
	covered := b[:len(b)-len(Magic)-4]
	if sum := crc32.ChecksumIEEE(covered); f.Footer.SummaryCRC != 0 && sum != f.Footer.SummaryCRC {
		return damaged(int64(start), fmt.Sprintf("a summary with checksum %08x", sum), fmt.Sprintf("%08x", f.Footer.SummaryCRC))
	}
	for b = b[:end-start]; len(b) > 0; {
		at := int64(end) - int64(len(b))
		op, body, rest, err := split(b, at)
		if err != nil {
			return err
		}
		record, err := parse(op, body, at)
		if err != nil {
			return err
		}
		f.keep(record)
		b = rest
	}
	return nil
}

func (f *File) keep(record any) {
	switch r := record.(type) {
	case *Schema:
		f.Schemas[r.ID] = r
	case *Channel:
		f.Channels[r.ID] = r
	case *Statistics:
		f.Statistics = r
	case *ChunkIndex:
		f.Chunks = append(f.Chunks, r)
	case *AttachmentIndex:
		f.Attachments = append(f.Attachments, r)
	case *MetadataIndex:
		f.Metadata = append(f.Metadata, r)
	case *SummaryOffset:
		f.Offsets = append(f.Offsets, r)
	}
}

// ReadAttachment reads an attachment.
func (f *File) ReadAttachment(a *AttachmentIndex) (*Attachment, error) {
	return at[*Attachment](f, a.Offset)
}

// ReadMetadata reads a metadata record.
func (f *File) ReadMetadata(m *MetadataIndex) (*Metadata, error) { return at[*Metadata](f, m.Offset) }

func at[T any](f *File, offset uint64) (none T, err error) {
	record, err := f.recordAt(offset)
	if err != nil {
		return none, err
	}
	if r, is := record.(T); is {
		return r, nil
	}
	return none, damaged(int64(offset), fmt.Sprintf("%T", record), fmt.Sprintf("a %T, as the index says", none))
}

// Query selects messages. The zero value selects all.
type Query struct {
	Start, End uint64              // log times, ns: from Start up to and without End; End 0 is no end
	Channel    func(*Channel) bool // nil is every channel
}

func (q *Query) end() uint64 {
	if q.End == 0 {
		return ^uint64(0)
	}
	return q.End
}

// Messages yields messages in the order of log times, those of equal times in the order of the
// file. A message is valid until the next one. It needs chunk indexes; of a file without them use a
// [Scanner]. An error ends the sequence.
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

// Select is [File.Messages] for those who ask for one message at a time. It reads nothing yet and
// starts no goroutine.
func (f *File) Select(q Query) *Iterator {
	return &Iterator{merger{file: f, query: q, waiting: f.chunksFor(&q)}}
}

// Iterator gives the messages of a [Query]. Several of one file may be used in turn.
type Iterator struct{ merger merger }

// Next is the next message, valid until the next call. The error is io.EOF behind the last one;
// after any other there is no more.
func (it *Iterator) Next() (*Message, error) {
	message, err := it.merger.next()
	if message == nil && err == nil {
		return nil, io.EOF
	}
	return message, err
}

// chunksFor are the chunks that may hold messages of a query, by their least time.
func (f *File) chunksFor(q *Query) (list []*ChunkIndex) {
	for _, c := range f.Chunks {
		if c.End < q.Start || c.Start >= q.end() || !f.wanted(c, q) {
			continue
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b *ChunkIndex) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ChunkStart, b.ChunkStart))
	})
	return list
}

// wanted says whether a chunk may hold messages of the selected channels, as far as its index says.
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

// merger holds the chunks that overlap at the present time.
type merger struct {
	file    *File
	query   Query
	waiting []*ChunkIndex
	open    cursors
	free    [][]byte // memory of chunks that are done
	message Message
}

// cursor is an open chunk and its next message.
type cursor struct {
	start   uint64 // of the chunk in the file
	records []byte
	places  []IndexEntry // by time, what is left
}

func (m *merger) next() (*Message, error) {
	for len(m.waiting) > 0 && (len(m.open) == 0 || m.waiting[0].Start <= m.open[0].places[0].LogTime) {
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
	record, err := parse(OpMessage, body9(c.records[c.places[0].Offset:]), int64(c.start))
	if err != nil {
		return nil, err
	}
	m.message = *record.(*Message)
	if c.places = c.places[1:]; len(c.places) == 0 {
		heap.Pop(&m.open)
		m.free = append(m.free, c.records)
	} else {
		heap.Fix(&m.open, 0)
	}
	return &m.message, nil
}

// body9 is the body of a record that has been checked before.
func body9(b []byte) []byte { return b[9 : 9+le.Uint64(b[1:])] }

// load unpacks a chunk and sorts its messages.
func (m *merger) load(index *ChunkIndex) error {
	chunk, err := at[*Chunk](m.file, index.ChunkStart)
	if err != nil {
		return err
	}
	var memory []byte
	if n := len(m.free); n > 0 {
		memory, m.free = m.free[n-1], m.free[:n-1]
	}
	records, err := unpackChecked(&m.file.unpack, chunk, int64(index.ChunkStart), memory[:0])
	if err != nil {
		return err
	}
	places, err := m.places(records, int64(index.ChunkStart))
	if err != nil || len(places) == 0 {
		return err
	}
	heap.Push(&m.open, &cursor{index.ChunkStart, records, places})
	return nil
}

// places finds the messages of the query in a chunk, by time.
func (m *merger) places(records []byte, at int64) (list []IndexEntry, err error) {
	for rest := records; len(rest) > 0; {
		offset := uint64(len(records) - len(rest))
		var op Opcode
		var body []byte
		if op, body, rest, err = split(rest, at); err != nil {
			return nil, err
		}
		if op != OpMessage {
			if err := m.declared(op, body, at); err != nil {
				return nil, err
			}
			continue
		}
		if len(body) < 22 {
			return nil, damaged(at, "a message of "+fmt.Sprint(len(body))+" bytes", "at least 22")
		}
		channel := m.file.Channels[le.Uint16(body)]
		time := le.Uint64(body[6:])
		if time >= m.query.Start && time < m.query.end() && (m.query.Channel == nil || channel != nil && m.query.Channel(channel)) {
			list = append(list, IndexEntry{time, offset})
		}
	}
	slices.SortStableFunc(list, func(a, b IndexEntry) int { return cmp.Compare(a.LogTime, b.LogTime) })
	return list, nil
}

// declared keeps schemas and channels that the summary does not repeat.
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

// cursors is a heap by the time of the next message, then by place in the file.
type cursors []*cursor

func (c cursors) Len() int { return len(c) }
func (c cursors) Less(i, j int) bool {
	a, b := c[i], c[j]
	if a.places[0].LogTime != b.places[0].LogTime {
		return a.places[0].LogTime < b.places[0].LogTime
	}
	return a.start < b.start
}
func (c cursors) Swap(i, j int) { c[i], c[j] = c[j], c[i] }

// Push is for container/heap.
func (c *cursors) Push(v any) { *c = append(*c, v.(*cursor)) }

// Pop is for container/heap.
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}
