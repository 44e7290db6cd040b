package mcap

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
)

// Loss says what could not be recovered of a damaged file.
type Loss struct {
	Messages uint64   // recovered
	Orphans  uint64   // messages without a channel, left out
	Damaged  int      // chunks and attachments that were damaged; of chunks, messages may have been recovered all the same
	Skipped  int64    // bytes that belong to no record
	Unknown  int      // records of kinds that only their writers know, left out
	Ended    bool     // the file has an end, so that nothing is missing behind its last record
	Places   []string // what was found where, the first hundred
}

// Whole says that nothing was lost.
func (l *Loss) Whole() bool {
	return l.Orphans == 0 && l.Damaged == 0 && l.Skipped == 0 && l.Unknown == 0 && l.Ended
}

func (l *Loss) note(at int64, format string, arguments ...any) {
	const most = 100
	if len(l.Places) < most {
		l.Places = append(l.Places, fmt.Sprintf("byte %d: ", at)+fmt.Sprintf(format, arguments...))
	}
}

// Recover reads what is left of a file, from front to back, and writes it. Damage costs the record
// in which it lies; behind it, reading goes on at the next bytes that look like a record. Of a
// chunk that is cut or damaged, those messages are kept that can still be unpacked as a whole. An
// error is one of reading or writing; what was lost is not an error.
func Recover(from io.ReaderAt, size int64, to *Writer) (*Loss, error) {
	r := recovery{from: from, size: size, to: to, loss: &Loss{}, schemas: map[uint16]*Schema{}, channels: map[uint16]*Channel{}}
	at := int64(0)
	if string(r.bytes(0, int64(len(Magic)))) == Magic {
		at = int64(len(Magic))
	} else {
		r.loss.note(0, "no magic")
	}
	for at < size && r.err == nil && !r.loss.Ended {
		at = r.record(at)
	}
	if !r.loss.Ended {
		r.loss.note(size, "the file has no end")
	}
	return r.loss, r.err
}

type recovery struct {
	from     io.ReaderAt
	size     int64
	to       *Writer
	loss     *Loss
	err      error // of reading or writing
	schemas  map[uint16]*Schema
	channels map[uint16]*Channel
	unpack   unpacker
	skipping bool
	footer   bool // one was found, so that the magic behind it is the end
}

// bytes reads up to length bytes.
func (r *recovery) bytes(at, length int64) []byte {
	b := make([]byte, max(0, min(length, r.size-at)))
	if _, err := r.from.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		r.err = err
		return nil
	}
	return b
}

// skip goes on one byte farther.
func (r *recovery) skip(at int64) int64 {
	if !r.skipping {
		r.loss.note(at, "no record; skipped up to the next one")
	}
	r.skipping = true
	r.loss.Skipped++
	return at + 1
}

// record takes the record at a place, and says where to go on.
func (r *recovery) record(at int64) (next int64) {
	head := r.bytes(at, 9)
	if len(head) < 9 {
		if string(head) == Magic {
			r.loss.Ended = r.footer
			return r.size
		}
		return r.skip(at)
	}
	op, length := Opcode(head[0]), le.Uint64(head[1:])
	rest := r.size - at - 9
	if !r.plausible(op, length, rest) {
		return r.skip(at)
	}
	if op == OpChunk {
		length = r.chunkLength(at+9, length, rest)
	}
	body := r.bytes(at+9, int64(min(length, uint64(rest))))
	if op != OpChunk {
		body = r.shorten(op, body, at)
	}
	if r.err != nil || !r.take(op, body, at) {
		return r.skip(at)
	}
	r.skipping = false
	return at + 9 + int64(len(body))
}

// shorten leaves of a body what its fields fill, if no record follows where the body ends, but one
// does behind its fields: its length is damaged, and would cost what follows.
func (r *recovery) shorten(op Opcode, content []byte, at int64) []byte {
	fields := newBody(op, content)
	fields.record(content)
	used := len(content) - len(fields.data)
	if fields.short || len(fields.data) == 0 || op == OpMessage || used == 0 || r.follows(at+9+int64(len(content))) || !r.follows(at+9+int64(used)) {
		return content
	}
	r.loss.Damaged++
	r.loss.note(at, "a %s record that states %d bytes and has %d", op, len(content), used)
	return content[:used]
}

// follows says whether a record, or the end of the file, may be at a place.
func (r *recovery) follows(at int64) bool {
	head := r.bytes(at, 9)
	if len(head) < 9 {
		return len(head) == 0 || string(head) == Magic
	}
	return r.plausible(Opcode(head[0]), le.Uint64(head[1:]), r.size-at-9)
}

// plausible says whether a record may begin with this opcode and length. A chunk may be cut: it is
// what a recorder that was killed leaves last.
func (r *recovery) plausible(op Opcode, length uint64, rest int64) bool {
	switch {
	case op == 0 || op > OpDataEnd && op < 0x80:
		return false
	case op >= 0x80 && r.skipping: // any text looks like a private record
		return false
	case op == OpChunk && length <= maxChunk:
		return true
	}
	return length <= uint64(rest)
}

// chunkLength is the length of a chunk: what its record says if that can be, else what its
// compressed size says.
func (r *recovery) chunkLength(at int64, stated uint64, rest int64) uint64 {
	const fixed = 8 + 8 + 8 + 4 + 4 + 8
	b := newBody(OpChunk, r.bytes(at, fixed+maxCompressionName))
	b.take(8 + 8 + 8 + 4)
	name := b.text()
	size := b.u64()
	inner := fixed + uint64(len(name)) + size
	if b.short || size > uint64(rest) || inner > uint64(rest) || stated >= inner && stated <= uint64(rest) {
		return stated
	}
	return inner
}

// maxCompressionName is longer than any name of a compression.
const maxCompressionName = 32

// take keeps a record; false says that it was none.
func (r *recovery) take(op Opcode, body []byte, at int64) bool {
	if op == OpChunk {
		return r.takeChunk(body, at)
	}
	if op > OpDataEnd {
		r.unknown(op, at)
		return true
	}
	record, err := parse(op, body, at)
	if err != nil && op == OpAttachment && !r.skipping {
		r.loss.Damaged++
		r.loss.note(at, "%v", err)
		return true
	}
	if err != nil {
		return false
	}
	switch record := record.(type) {
	case *DataEnd:
		r.compare(record, at)
	case *Footer:
		r.footer = true
	default:
		r.keep(record)
	}
	return true
}

// compare checks the data section against its checksum. It shows damages that nothing else does, as
// in chunks without a checksum.
func (r *recovery) compare(d *DataEnd, at int64) {
	if d.CRC == 0 || r.loss.Damaged > 0 || r.loss.Skipped > 0 {
		return
	}
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(r.from, 0, at)); err != nil {
		r.err = err
		return
	}
	if sum.Sum32() != d.CRC {
		r.loss.Damaged++
		r.loss.note(at, "a data section with checksum %08x, expected %08x: a message may be wrong", sum.Sum32(), d.CRC)
	}
}

// unknown counts a record that cannot be kept: the places that it may name would be wrong.
func (r *recovery) unknown(op Opcode, at int64) {
	r.loss.Unknown++
	r.loss.note(at, "a %s record is left out", op)
}

// keep writes what belongs into the data section; the rest is made anew.
func (r *recovery) keep(record any) {
	var err error
	switch record := record.(type) {
	case *Schema:
		err = r.schema(record)
	case *Channel:
		err = r.channel(record)
	case *Message:
		err = r.message(record)
	case *Attachment:
		err = r.to.WriteAttachment(record)
	case *Metadata:
		err = r.to.WriteMetadata(record)
	}
	if err != nil && r.err == nil {
		r.err = err
	}
}

// schema adds a schema; a second one of the same id with another content is damaged and left out.
func (r *recovery) schema(s *Schema) error {
	if s.ID == 0 || r.schemas[s.ID] != nil {
		return nil
	}
	s.Data = slices.Clone(s.Data)
	r.schemas[s.ID] = s
	return r.to.AddSchema(s)
}

func (r *recovery) channel(c *Channel) error {
	if r.channels[c.ID] != nil || c.SchemaID != 0 && r.schemas[c.SchemaID] == nil {
		return nil
	}
	r.channels[c.ID] = c
	return r.to.AddChannel(c)
}

func (r *recovery) message(m *Message) error {
	if r.channels[m.ChannelID] == nil {
		r.loss.Orphans++
		return nil
	}
	r.loss.Messages++
	return r.to.WriteMessage(m)
}

// takeChunk keeps the records of a chunk as far as they can be unpacked.
func (r *recovery) takeChunk(body []byte, at int64) bool {
	c, ok := cutChunk(body)
	if !ok {
		return false
	}
	records, err := r.unpack.unpack(c, nil)
	if sum := crc32.ChecksumIEEE(records); err == nil && c.UncompressedCRC != 0 && sum != c.UncompressedCRC {
		err = fmt.Errorf("checksum %08x, expected %08x", sum, c.UncompressedCRC)
	}
	if err != nil && len(records) == 0 && r.skipping {
		return false // most likely no chunk at all
	}
	kept := r.loss.Messages
	if inside := r.unrolled(records, at); err == nil {
		err = inside
	}
	if err != nil {
		r.loss.Damaged++
		r.loss.note(at, "damaged chunk: %v; messages recovered from it: %d", err, r.loss.Messages-kept)
	}
	return true
}

// cutChunk reads a chunk whose records may be cut.
func cutChunk(body []byte) (*Chunk, bool) {
	if record, err := parse(OpChunk, body, 0); err == nil {
		return record.(*Chunk), true
	}
	b := newBody(OpChunk, body)
	c := &Chunk{Start: b.u64(), End: b.u64(), UncompressedSize: b.u64(), UncompressedCRC: b.u32(), Compression: b.text()}
	b.u64()
	c.Records = b.data
	return c, !b.short && c.UncompressedSize <= maxChunk
}

func newBody(op Opcode, data []byte) *body { return &body{data: data, op: op} }

// unrolled keeps the records of a chunk up to the first one that is damaged, which is the error.
func (r *recovery) unrolled(records []byte, at int64) error {
	for len(records) > 0 && r.err == nil {
		op, body, rest, err := split(records, at)
		if err != nil {
			return err
		}
		records = rest
		if op > OpDataEnd {
			r.unknown(op, at)
			continue
		}
		if op != OpSchema && op != OpChannel && op != OpMessage {
			return fmt.Errorf("a %s record inside", op)
		}
		record, err := parse(op, body, at)
		if err != nil {
			return err
		}
		r.keep(record)
	}
	return nil
}
