package mcap

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"

	"gosmp/internal/fault"
)

// Parts are the optional parts of a file.
type Parts uint

// The optional parts.
const (
	Chunks Parts = 1 << iota
	MessageIndexes
	ChunkIndexes
	StatisticsRecord
	RepeatedSchemas  // in the summary
	RepeatedChannels // in the summary
	AttachmentIndexes
	MetadataIndexes
	SummaryOffsets
)

// Options control how a file is written. With the zero value, the file has uncompressed chunks of 4
// MiB and a complete index.
type Options struct {
	Profile, Library string
	Compression      Compression
	ChunkSize        int   // bytes after which a chunk is closed; 0: 4 MiB
	Omit             Parts // what to leave out
}

const defaultChunkSize = 4 << 20

// Writer writes a file. After an error, all later calls return that error.
type Writer struct {
	to      io.Writer
	options Options
	pack    *compressor
	err     error

	offset int64  // of the next byte
	crc    uint32 // of all bytes of the data section
	out    []byte // the records of one call, written in one go

	schemas  entries
	channels entries
	chunk    openChunk
	summary  summary
	padding  []byte // appended to the fields of records; only tests set it
}

// entry is a schema or a channel, and whether it has been written to the data section.
type entry struct {
	id, schema uint16
	body       []byte
	written    bool
}

// entries are schemas or channels in the order in which they were added, also by their ids.
type entries struct {
	list []*entry
	byID map[uint16]*entry
}

// openChunk collects records until the chunk is closed.
type openChunk struct {
	records    []byte
	start, end uint64
	messages   int
	index      map[uint16]*MessageIndex
}

// summary collects the content of the summary section.
type summary struct {
	statistics  Statistics
	chunks      []*ChunkIndex
	attachments []*AttachmentIndex
	metadata    []*MetadataIndex
}

// NewWriter returns a writer and writes the beginning of the file. The caller closes to, after
// [Writer.Close].
func NewWriter(to io.Writer, options Options) (*Writer, error) {
	return newWriter(to, options, nil)
}

func newWriter(to io.Writer, options Options, padding []byte) (*Writer, error) {
	if options.ChunkSize == 0 {
		options.ChunkSize = defaultChunkSize
	}
	pack, err := newCompressor(options.Compression)
	if err != nil {
		return nil, err
	}
	w := &Writer{to: to, options: options, pack: pack, padding: padding}
	w.chunk.index = map[uint16]*MessageIndex{}
	w.summary.statistics.ChannelMessageCounts = map[uint16]uint64{}
	w.out = append(w.out, Magic...)
	w.record(OpHeader, (&Header{options.Profile, options.Library}).appendTo)
	return w, w.send()
}

// record appends a record to the data to be sent next.
func (w *Writer) record(op Opcode, appendTo func([]byte) []byte) (offset, length uint64) {
	before := len(w.out)
	b, at := begin(w.out, op)
	b = appendTo(b)
	if op != OpChunk && op != OpFooter && op != OpDataEnd && op != OpMessage {
		b = append(b, w.padding...)
	}
	w.out = end(b, at)
	return uint64(w.offset) + uint64(before), uint64(len(w.out) - before)
}

// send passes the appended data to the underlying writer in one call.
func (w *Writer) send() error {
	if w.err != nil {
		return w.err
	}
	n, err := w.to.Write(w.out)
	if err == nil && n < len(w.out) {
		err = io.ErrShortWrite
	}
	w.err = err
	w.crc = crc32.Update(w.crc, crc32.IEEETable, w.out[:n])
	w.offset += int64(n)
	w.out = w.out[:0]
	return w.err
}

func (w *Writer) has(part Parts) bool { return w.options.Omit&part == 0 }

// AddSchema declares a schema. Adding the same schema again changes nothing; adding another one
// with the same id is an error.
func (w *Writer) AddSchema(s *Schema) error {
	if s.ID == 0 {
		return fault.New(ErrUsage, fault.Place{}, "a schema with id 0", "an id of at least 1")
	}
	return w.schemas.add(&entry{id: s.ID, body: s.appendTo(nil)}, "schema "+s.Name)
}

// AddChannel declares a channel, whose schema has been added before.
func (w *Writer) AddChannel(c *Channel) error {
	if c.SchemaID != 0 && w.schemas.byID[c.SchemaID] == nil {
		return fault.New(ErrUsage, fault.Place{}, fmt.Sprintf("channel %q of schema %d", c.Topic,
			c.SchemaID), "a schema that has been added")
	}
	return w.channels.add(&entry{id: c.ID, schema: c.SchemaID, body: c.appendTo(nil)},
		"channel "+c.Topic)
}

func (l *entries) add(e *entry, what string) error {
	switch known := l.byID[e.id]; {
	case known == nil:
		if l.byID == nil {
			l.byID = map[uint16]*entry{}
		}
		l.list, l.byID[e.id] = append(l.list, e), e
	case !bytes.Equal(known.body, e.body):
		return fault.New(ErrUsage, fault.Place{},
			fmt.Sprintf("%s with id %d, which is already in use", what, e.id),
			"ids that occur once")
	}
	return nil
}

// WriteMessage adds a message. It keeps no reference to m. The chunk is closed once it is full.
func (w *Writer) WriteMessage(m *Message) error {
	if w.err != nil {
		return w.err
	}
	c := w.channels.byID[m.ChannelID]
	if c == nil {
		return fault.New(ErrUsage, fault.Place{}, fmt.Sprintf("a message of channel %d",
			m.ChannelID), "a channel that has been added")
	}
	w.declare(c)
	w.count(m)
	if !w.has(Chunks) {
		w.record(OpMessage, m.appendTo)
		return w.send()
	}
	w.chunk.add(m)
	if len(w.chunk.records) >= w.options.ChunkSize {
		return w.Flush()
	}
	return nil
}

// declare writes a channel and its schema where they are first needed.
func (w *Writer) declare(c *entry) {
	if c.written {
		return
	}
	if s := w.schemas.byID[c.schema]; s != nil && !s.written {
		s.written = true
		w.inData(OpSchema, s.body)
	}
	c.written = true
	w.inData(OpChannel, c.body)
}

// inData appends a record to the open chunk, or to the data section if the file has no chunks.
func (w *Writer) inData(op Opcode, body []byte) {
	if !w.has(Chunks) {
		w.record(op, func(b []byte) []byte { return append(b, body...) })
		return
	}
	b, at := begin(w.chunk.records, op)
	w.chunk.records = end(append(b, body...), at)
}

func (w *Writer) count(m *Message) {
	s := &w.summary.statistics
	if s.MessageCount == 0 {
		s.MessageStart, s.MessageEnd = m.LogTime, m.LogTime
	}
	s.MessageStart, s.MessageEnd = min(s.MessageStart, m.LogTime), max(s.MessageEnd, m.LogTime)
	s.MessageCount++
	s.ChannelMessageCounts[m.ChannelID]++
}

func (c *openChunk) add(m *Message) {
	offset := uint64(len(c.records))
	b, at := begin(c.records, OpMessage)
	c.records = end(m.appendTo(b), at)
	if c.messages == 0 {
		c.start, c.end = m.LogTime, m.LogTime
	}
	c.start, c.end = min(c.start, m.LogTime), max(c.end, m.LogTime)
	c.messages++
	index := c.index[m.ChannelID]
	if index == nil {
		index = &MessageIndex{ChannelID: m.ChannelID}
		c.index[m.ChannelID] = index
	}
	index.Entries = append(index.Entries, IndexEntry{m.LogTime, offset})
}

// Flush closes the open chunk and writes it with its indexes in one call of the underlying writer.
// It does nothing if no messages were added since the last call.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.chunk.records) == 0 {
		return w.err
	}
	index, err := w.recordChunk()
	if err != nil {
		w.err = err
		return err
	}
	w.summary.chunks = append(w.summary.chunks, index)
	w.summary.statistics.ChunkCount++
	w.chunk.reset()
	return w.send()
}

// recordChunk appends the open chunk and its indexes in their current state.
func (w *Writer) recordChunk() (*ChunkIndex, error) {
	packed, err := w.pack.pack(w.chunk.records)
	if err != nil {
		return nil, err
	}
	chunk := Chunk{Start: w.chunk.start, End: w.chunk.end,
		UncompressedSize: uint64(len(w.chunk.records)),
		UncompressedCRC:  crc32.ChecksumIEEE(w.chunk.records),
		Compression:      string(w.options.Compression), Records: packed}
	index := &ChunkIndex{Start: chunk.Start, End: chunk.End,
		MessageIndexOffsets: map[uint16]uint64{}, Compression: chunk.Compression,
		CompressedSize: uint64(len(packed)), UncompressedSize: chunk.UncompressedSize}
	index.ChunkStart, index.ChunkLength = w.record(OpChunk, chunk.appendTo)
	if w.has(MessageIndexes) {
		for _, id := range slices.Sorted(maps.Keys(w.chunk.index)) {
			if entries := w.chunk.index[id]; len(entries.Entries) > 0 {
				offset, length := w.record(OpMessageIndex, entries.appendTo)
				index.MessageIndexOffsets[id] = offset
				index.MessageIndexLength += length
			}
		}
	}
	return index, nil
}

// Preview writes a copy of the open chunk in its current state, in case the program ends before the
// chunk is closed. The closed chunk then replaces the copy, so that the bytes of a finished file do
// not depend on it. Preview does nothing if the underlying writer is not an [io.WriterAt] or
// refuses with [errors.ErrUnsupported].
func (w *Writer) Preview() error {
	to, able := w.to.(io.WriterAt)
	if w.err != nil || !able || len(w.chunk.records) == 0 {
		return w.err
	}
	_, w.err = w.recordChunk()
	if w.err == nil {
		_, w.err = to.WriteAt(w.out, w.offset)
	}
	w.out = w.out[:0]
	if errors.Is(w.err, errors.ErrUnsupported) {
		w.err = nil
	}
	return w.err
}

// reset empties the chunk and keeps its memory for the next one.
func (c *openChunk) reset() {
	c.records, c.messages, c.start, c.end = c.records[:0], 0, 0, 0
	for _, index := range c.index {
		index.Entries = index.Entries[:0]
	}
}

// WriteAttachment writes an attachment at once and computes its checksum.
func (w *Writer) WriteAttachment(a *Attachment) error {
	if w.err != nil {
		return w.err
	}
	offset, length := w.record(OpAttachment, a.appendTo)
	w.summary.attachments = append(w.summary.attachments, &AttachmentIndex{offset, length,
		a.LogTime, a.CreateTime, uint64(len(a.Data)), a.Name, a.MediaType})
	w.summary.statistics.AttachmentCount++
	return w.send()
}

// WriteMetadata writes a metadata record at once.
func (w *Writer) WriteMetadata(m *Metadata) error {
	if w.err != nil {
		return w.err
	}
	offset, length := w.record(OpMetadata, m.appendTo)
	w.summary.metadata = append(w.summary.metadata, &MetadataIndex{offset, length, m.Name})
	w.summary.statistics.MetadataCount++
	return w.send()
}

func (e *entry) append(b []byte) []byte { return append(b, e.body...) }
