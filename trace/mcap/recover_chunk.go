package mcap

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
)

// trust is how far the contents of a record can be trusted.
type trust int

const (
	intact    trust = iota // the checksum is right or missing
	unchecked              // the chunk is cut, so that its checksum cannot be compared
	altered                // the chunk is damaged
)

// takeChunk keeps the records of a chunk that can be unpacked.
func (r *recovery) takeChunk(body []byte, at int64, cut bool) bool {
	c, ok := cutChunk(body)
	if named := withKnownCompression(body); named != nil &&
		(!ok || c.Compression != named.Compression) {
		r.loss.Damaged++
		r.loss.note(at, "a chunk whose compression is damaged; its other fields fit %q",
			named.Compression)
		c, ok = named, true
	}
	if !ok {
		return false
	}
	return r.takeRecords(c, body[chunkFields+len(c.Compression):], at, cut)
}

// takeRecords is like takeChunk, for a chunk that has been parsed. Its records may extend to the
// end of wider. It returns false if the bytes were not a chunk.
func (r *recovery) takeRecords(c *Chunk, wider []byte, at int64, cut bool) bool {
	r.chunked = true
	records, err := r.unpack.unpack(c, r.records[:0])
	r.records = records
	if errors.Is(err, ErrMemory) && r.unpack.hasAll(c) { // no damage
		r.err = tooLarge(at, 1, c.UncompressedSize)
		return true
	}
	if err := r.all.add(at, uint64(len(records)), r.size); err != nil {
		r.err = err
		return true
	}
	if sum := crc32.ChecksumIEEE(records); err == nil && c.UncompressedCRC != 0 &&
		sum != c.UncompressedCRC {
		err = fmt.Errorf("checksum %08x, expected %08x", sum, c.UncompressedCRC)
	}
	if after := len(wider) - len(c.Records); err == nil && c.UncompressedCRC == 0 && after > 0 &&
		chained(wider[len(c.Records):]) {
		err = fmt.Errorf("%d bytes of records beyond the stated size", after)
	}
	right := err == nil
	if err != nil {
		var more []byte
		if more, right = r.lenient.salvage(c, wider); right || len(more) > len(records) {
			records = more
		}
	}
	if err != nil && len(records) == 0 && r.skipping {
		return false // most likely no chunk at all
	}
	level := intact
	switch {
	case right && c.UncompressedCRC != 0: // at most a field of the chunk is damaged
	case cut:
		level = unchecked
	case !right:
		level = altered
	}
	kept, doubtful := r.loss.Messages, r.loss.Altered
	r.covered = c.UncompressedCRC != 0
	defer func() { r.covered = false }()
	if inside := r.unrolled(records, at, level); err == nil {
		err = inside
	}
	if err != nil {
		r.loss.Damaged++
		r.loss.note(at, "damaged chunk: %v; messages recovered from it: %d, messages that may be "+
			"altered: %d", err, r.loss.Messages-kept, r.loss.Altered-doubtful)
	}
	return true
}

// cutChunk reads a chunk whose records may be truncated.
func cutChunk(body []byte) (*Chunk, bool) {
	if record, err := parse(OpChunk, body, 0); err == nil {
		return record.(*Chunk), true
	}
	b := newBody(OpChunk, body)
	c := &Chunk{Start: b.u64(), End: b.u64(), UncompressedSize: b.u64(), UncompressedCRC: b.u32(),
		Compression: b.text()}
	b.u64()
	c.Records = b.data
	return c, !b.short && c.UncompressedSize <= memory()
}

// withKnownCompression reads a whole chunk whose compression is damaged, or the length of its name.
// It returns nil if its other fields do not fit any compression.
func withKnownCompression(body []byte) *Chunk {
	for _, kind := range []Compression{None, LZ4, Zstd} {
		fields := chunkFields + len(kind)
		if len(body) < fields || le.Uint64(body[fields-8:]) != uint64(len(body)-fields) {
			continue
		}
		b := newBody(OpChunk, body)
		return &Chunk{Start: b.u64(), End: b.u64(), UncompressedSize: b.u64(),
			UncompressedCRC: b.u32(), Compression: string(kind), Records: body[fields:]}
	}
	return nil
}

func newBody(op Opcode, data []byte) *body { return &body{data: data, op: op} }

// unrolled keeps the records of a chunk. The error reports the first damaged record. It searches
// for further records only in chunks that are known to be damaged or that have no checksum.
func (r *recovery) unrolled(records []byte, at int64, level trust) (first error) {
	for len(records) > 0 && r.err == nil {
		rest, err := r.unrollOne(records, at, level)
		if err != nil {
			first = cmp.Or(first, err)
			if level == intact && !r.covered {
				level = altered
			}
			if level != altered {
				return first
			}
			rest = resumed(records[1:])
			r.unrollFragment(records[:len(records)-len(rest)], at)
		}
		records = rest
	}
	return first
}

// unrollOne keeps the first record of a chunk.
func (r *recovery) unrollOne(records []byte, at int64, level trust) (rest []byte, err error) {
	op, body, rest, err := split(records, at)
	if level == altered && (err != nil || !chained(rest)) {
		if used := definition(records); used > 0 { // its length is damaged
			op, body, rest, err = Opcode(records[0]), records[9:used], records[used:], nil
		}
	}
	switch {
	case err != nil:
		return nil, err
	case level == altered && !chained(rest) && len(resumed(records[1:])) > len(rest):
		return nil, fmt.Errorf("a %s record that holds other records", op)
	case op > OpDataEnd:
		r.unknown(op, at)
		return rest, nil
	case op != OpSchema && op != OpChannel && op != OpMessage:
		return nil, fmt.Errorf("a %s record inside", op)
	}
	record, err := parse(op, body, at)
	if err != nil {
		return nil, err
	}
	r.keep(record, level)
	return rest, nil
}

// definition returns the length of the record of a schema or a channel, judging by its fields
// alone, or 0 if it is neither.
func definition(records []byte) int {
	if len(records) < 9 || Opcode(records[0]) != OpSchema && Opcode(records[0]) != OpChannel {
		return 0
	}
	fields := newBody(Opcode(records[0]), records[9:])
	fields.record(records[9:])
	if fields.short {
		return 0
	}
	return len(records) - len(fields.data)
}

// resumed skips bytes up to the next records.
func resumed(records []byte) []byte {
	for len(records) > 0 && !chained(records) {
		records = records[1:]
	}
	return records
}

// least is the length of the shortest record of a kind.
var least = map[Opcode]int{OpSchema: 2 + 4 + 4 + 4, OpChannel: 2 + 2 + 4 + 4 + 4,
	OpMessage: messageHead}

// chained reports whether bytes are empty or begin with chunk records, judging by the first three.
func chained(records []byte) bool {
	for range 3 {
		if len(records) == 0 {
			return true
		}
		op, body, rest, err := split(records, 0)
		if err != nil || op < OpSchema || op > OpMessage || len(body) < least[op] {
			return false
		}
		records = rest
	}
	return true
}

// indexedAt returns the chunk that begins at an offset according to an intact index. If there is
// none, limit is the start of the next chunk or the end of the file; no other record extends beyond
// it.
func (r *recovery) indexedAt(at int64) (c *ChunkIndex, limit int64) {
	k, found := slices.BinarySearchFunc(r.index, at, func(c *ChunkIndex, at int64) int {
		return int(max(-1, min(1, int64(c.ChunkStart)-at)))
	})
	switch {
	case found:
		return r.index[k], r.size
	case k < len(r.index):
		return nil, int64(r.index[k].ChunkStart)
	}
	return nil, r.size
}

// takeIndexed keeps a chunk whose position and lengths are known from the index, so that damage to
// its own fields loses nothing as long as its checksum is right.
func (r *recovery) takeIndexed(index *ChunkIndex) (next int64) {
	at := int64(index.ChunkStart)
	next = at + int64(index.ChunkLength)
	if index.UncompressedSize > memory() { // the size is confirmed, so this is no damage
		r.err = tooLarge(at, 1, index.UncompressedSize)
		return next
	}
	record := r.bytes(at, int64(index.ChunkLength))
	if r.err != nil {
		return next
	}
	r.skipping = false
	body := record[9:]
	c, whole := cutChunk(body)
	framed := Opcode(record[0]) == OpChunk && le.Uint64(record[1:]) == uint64(len(body))
	switch {
	case whole && framed && index.describes(c):
	case whole && framed && r.sound(c, index):
		r.loss.Damaged++
		r.loss.note(at, "the index of a chunk is damaged; its own fields are used")
	default:
		r.loss.Damaged++
		r.loss.note(at, "the fields of a chunk are damaged; its index is used")
		c = &Chunk{UncompressedSize: index.UncompressedSize, Compression: index.Compression,
			UncompressedCRC: le.Uint32(body[chunkCRC:]),
			Records:         body[uint64(len(body))-index.CompressedSize:]}
	}
	r.takeRecords(c, nil, at, false)
	return next
}

// sound reports whether a chunk unpacks to what its own fields state, although its index states
// another size for that.
func (r *recovery) sound(c *Chunk, index *ChunkIndex) bool {
	if c.Compression != index.Compression || uint64(len(c.Records)) != index.CompressedSize {
		return false
	}
	records, err := r.unpack.unpack(c, r.records[:0])
	r.records = records
	return err == nil && len(records) > 0 && chained(records) &&
		(c.UncompressedCRC == 0 || c.UncompressedCRC == crc32.ChecksumIEEE(records))
}

// Offsets in the body of a chunk.
const (
	chunkCRC    = 8 + 8 + 8
	chunkFields = chunkCRC + 4 + 4 + 8 // without the name of the compression
)

// describes reports whether a chunk matches its index.
func (c *ChunkIndex) describes(chunk *Chunk) bool {
	return c.Compression == chunk.Compression && c.UncompressedSize == chunk.UncompressedSize &&
		c.CompressedSize == uint64(len(chunk.Records))
}

// confirms reports whether the fields of a chunk match its index or, if they are damaged, whether
// compressed records are where the index says, followed by other records. In a summary without a
// checksum, only such entries are used, because damage to the entries themselves would show.
func (r *recovery) confirms(c *ChunkIndex) bool {
	fields := int64(chunkFields + len(c.Compression))
	if c.ChunkLength != 9+uint64(fields)+c.CompressedSize {
		return false
	}
	body := int64(c.ChunkStart) + 9
	b := newBody(OpChunk, r.bytes(body, fields+4))
	b.take(chunkCRC - 8)
	size, _, compression, packed := b.u64(), b.u32(), b.text(), b.u64()
	if size == c.UncompressedSize && compression == c.Compression && packed == c.CompressedSize {
		return true
	}
	head := r.bytes(body+fields, 4)
	kind := Compression(c.Compression)
	return len(head) == 4 && kind != None && magics[le.Uint32(head)] == kind &&
		c.UncompressedSize <= memory() && // otherwise, the file would be refused
		r.chain(int64(c.ChunkStart+c.ChunkLength))
}

// fits reports whether an index entry can describe a chunk of a file.
func (c *ChunkIndex) fits(size int64) bool {
	const most = 1 << 62
	return c.ChunkStart < most && c.ChunkLength < most && c.CompressedSize < most &&
		c.ChunkLength >= 9+chunkFields+c.CompressedSize+uint64(len(c.Compression)) &&
		c.ChunkStart+c.ChunkLength <= uint64(size) && c.UncompressedSize <= largestMemory
}
