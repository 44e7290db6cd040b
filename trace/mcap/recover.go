package mcap

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// Loss describes what could not be recovered from a damaged file.
type Loss struct {
	Messages  uint64   // recovered, including those kept although they may be altered
	Altered   uint64   // messages from damaged parts: left out, or kept in marked channels
	Unchecked uint64   // in a damaged file, recovered messages that no checksum covers
	Orphans   uint64   // messages without a channel: left out, or kept in marked channels
	Damaged   int      // records that were damaged
	Skipped   int64    // bytes that belong to no record
	Unknown   int      // records of private kinds, left out
	Ended     bool     // the file has an end, so nothing is missing after its last record
	Unsorted  bool     // log times go back in file order
	Places    []string // the first hundred findings with their places
}

// Whole reports whether nothing was lost.
func (l *Loss) Whole() bool {
	return l.Altered == 0 && l.Orphans == 0 && l.Damaged == 0 && l.Skipped == 0 && l.Unknown == 0 &&
		l.Ended
}

func (l *Loss) note(at int64, format string, arguments ...any) {
	const most = 100
	if len(l.Places) < most {
		l.Places = append(l.Places, fmt.Sprintf("byte %d: ", at)+fmt.Sprintf(format, arguments...))
	}
}

// RecoverOptions say what to keep of a damaged file.
type RecoverOptions struct {
	// KeepDamaged keeps the messages that can be read from a damaged chunk, messages outside of
	// chunks that have a wrong length or directly precede damage, and messages whose channel is
	// lost. All of them may have been altered. They are written to separate channels, whose topics
	// end in [DamagedTopic] and whose metadata have the key [DamagedKey].
	KeepDamaged bool
}

// Marks of channels whose messages come from damaged parts of a file.
const (
	DamagedTopic = ".damaged"
	DamagedKey   = "gosmp.repair.damaged"
)

// IsDamaged reports whether the metadata of a channel say that its messages may be damaged.
func IsDamaged(metadata map[string]string) bool { return metadata[DamagedKey] != "" }

// Recover reads the remains of a file from front to back and writes them. A damaged record is lost;
// reading continues at the next bytes that look like a record, or where a chunk begins according to
// the index. Damaged schemas and channels are taken from wherever the file repeats them. Texts that
// are not UTF-8 are read as Latin-1. Messages of a chunk with a wrong checksum and messages with a
// wrong length are left out; see [RecoverOptions]. Messages of a truncated chunk are kept if they
// can be unpacked completely. The error reports a failure to read or write, or an undamaged chunk
// that needs too much memory or chunks that unpack to too much (of kind [ErrMemory]); losses are
// not errors.
func Recover(from io.ReaderAt, size int64, to *Writer, o RecoverOptions) (*Loss, error) {
	r := newRecovery(from, size)
	r.to, r.options = to, o
	r.run()
	r.declareRest()
	return r.loss, r.err
}

func newRecovery(from io.ReaderAt, size int64) *recovery {
	r := &recovery{from: from, size: size, loss: &Loss{}, known: newDefinitions(),
		doubtful: newDefinitions(), written: newDefinitions(), marked: map[uint16]uint16{}}
	r.readSummary()
	return r
}

// recovery is the state of [Recover]. Without a writer, it only collects schemas and channels.
type recovery struct {
	from    io.ReaderAt
	size    int64
	at      int64 // the record that is processed
	to      *Writer
	options RecoverOptions
	loss    *Loss
	err     error // read or write error
	window  window

	summaryStart int64       // 0 if unknown
	dataSum      *uint32     // the checksum of the data section, once computed
	chunked      bool        // a chunk has been found
	summary      definitions // of an intact summary; empty otherwise
	index        []*ChunkIndex
	known        definitions // what intact records define
	doubtful     definitions // what damaged chunks and summaries define
	written      definitions
	marked       map[uint16]uint16 // ids of the channels for messages that may be altered
	collected    bool              // known contains all definitions of the file

	unpack   unpacker
	records  []byte // memory for the records of a chunk
	lenient  unpacker
	all      expansion
	skipping bool
	footer   bool // a footer was found, so that the magic after it is the end
	newest   uint64
	covered  bool   // the records come from a chunk with a checksum
	bare     uint64 // messages that do not come from such a chunk
}

// run processes all records.
func (r *recovery) run() {
	at := int64(0)
	if string(r.bytes(0, int64(len(Magic)))) == Magic {
		at = int64(len(Magic))
	} else {
		r.loss.note(0, "no magic")
	}
	for at < r.size && r.err == nil && !r.loss.Ended {
		at = r.record(at)
	}
	if !r.loss.Ended {
		r.loss.note(r.size, "the file has no end")
	}
	if (r.loss.Damaged > 0 || r.loss.Skipped > 0) && !r.dataIntact() {
		r.loss.Unchecked += r.bare
	}
}

// bytes reads at most length bytes.
func (r *recovery) bytes(at, length int64) []byte {
	b := make([]byte, max(0, min(length, r.size-at)))
	if _, err := r.from.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		r.err = err
		return nil
	}
	return b
}

// window is a part of the file that has been read.
type window struct {
	at   int64
	data []byte
}

// head reads the head of a record, or the rest of the file if that is shorter. It is valid until
// the next call.
func (r *recovery) head(at int64) []byte {
	const length, ahead = 9, 1 << 16
	w := &r.window
	if at < w.at || at+length > w.at+int64(len(w.data)) {
		w.at, w.data = at, r.bytes(at, ahead)
	}
	begin := min(at-w.at, int64(len(w.data)))
	return w.data[begin:min(begin+length, int64(len(w.data)))]
}

// skip moves on by one byte.
func (r *recovery) skip(at int64) int64 {
	if !r.skipping {
		r.loss.note(at, "no record; skipped up to the next one")
	}
	r.skipping = true
	r.loss.Skipped++
	return at + 1
}

// record processes the record at an offset and returns where to continue.
func (r *recovery) record(at int64) (next int64) {
	r.at = at
	indexed, limit := r.indexedAt(at)
	if indexed != nil {
		return r.takeIndexed(indexed)
	}
	head := r.head(at)
	if len(head) < 9 {
		if string(head) == Magic {
			r.loss.Ended = r.footer
			return r.size
		}
		return r.skip(at)
	}
	op, length := Opcode(head[0]), le.Uint64(head[1:])
	rest := limit - at - 9
	if op == OpMessage && !r.skipping {
		if next, found := r.fragment(at, length, rest); found {
			return next
		}
	}
	if op == OpChunk {
		length = r.chunkLength(at+9, length, rest)
	}
	if rest < 0 || !r.plausible(op, length, rest) { // the head reaches into the next chunk
		return r.skip(at)
	}
	cut := length > uint64(max(0, rest))
	body := r.bytes(at+9, int64(min(length, uint64(rest))))
	if op != OpChunk {
		body = r.shorten(op, body, at)
	}
	if r.err != nil || r.swallows(op, body, at) || !r.take(op, body, at, cut) {
		return r.skip(at)
	}
	r.skipping = false
	return at + 9 + int64(len(body))
}

// swallows reports whether the length of a message outside of chunks must be wrong, because it is
// followed by neither a record nor the end of the file.
func (r *recovery) swallows(op Opcode, body []byte, at int64) bool {
	end := at + 9 + int64(len(body))
	return op == OpMessage && end < r.size && !r.follows(end)
}

// shorten cuts a body after its fields if no record follows the end of the body but one follows the
// fields: in that case the length is damaged, and using it would lose the records that follow.
func (r *recovery) shorten(op Opcode, content []byte, at int64) []byte {
	fields := newBody(op, content)
	fields.record(content)
	used := len(content) - len(fields.data)
	if fields.short || len(fields.data) == 0 || op == OpMessage || used == 0 ||
		r.follows(at+9+int64(len(content))) || !r.follows(at+9+int64(used)) {
		return content
	}
	r.loss.Damaged++
	r.loss.note(at, "a %s record that states %d bytes and has %d", op, len(content), used)
	return content[:used]
}

// follows reports whether a record or the end of the file may be at an offset.
func (r *recovery) follows(at int64) bool {
	if indexed, _ := r.indexedAt(at); indexed != nil {
		return true
	}
	head := r.head(at)
	if len(head) < 9 {
		return len(head) == 0 || string(head) == Magic || r.cut(head, at)
	}
	return r.plausible(Opcode(head[0]), le.Uint64(head[1:]), r.size-at-9) || r.cut(head, at)
}

// cut reports whether the last record of the file may begin at an offset and be incomplete, as when
// a recorder was killed.
func (r *recovery) cut(head []byte, at int64) bool {
	const ids = 9 + 2 // head of a message and its channel id
	op := Opcode(head[0])
	switch {
	case op == 0 || op > OpDataEnd:
		return false
	case len(head) == 9 && le.Uint64(head[1:]) > memory():
		return false
	case string(r.bytes(r.size-int64(len(Magic)), int64(len(Magic)))) == Magic:
		return false
	case op == OpMessage && at+ids <= r.size:
		id := le.Uint16(r.bytes(at, ids)[9:])
		return r.summary.channels[id] != nil || r.known.channels[id] != nil
	}
	return true
}

// plausible reports whether a record may begin with this opcode and length. A chunk may be cut,
// because a killed recorder leaves an incomplete chunk at the end.
func (r *recovery) plausible(op Opcode, length uint64, rest int64) bool {
	switch {
	case op == 0 || op > OpDataEnd && op < 0x80:
		return false
	case op >= 0x80 && r.skipping: // any text would look like a private record
		return false
	case op == OpChunk && length <= memory():
		return true
	}
	return length <= uint64(rest)
}

// chunkLength returns the length of a chunk: the length in its record, or the one that its
// compressed size implies. If both are possible, it returns the one that is followed by records, or
// else the greater one, since a record may have fields after the known ones.
func (r *recovery) chunkLength(at int64, stated uint64, rest int64) uint64 {
	b := newBody(OpChunk, r.bytes(at, chunkFields+maxCompressionName))
	b.take(chunkCRC + 4)
	name := b.text()
	size := b.u64()
	implied := chunkFields + uint64(len(name)) + size
	if b.short || size > uint64(rest) || implied > uint64(rest) || implied == stated {
		return stated
	}
	if stated <= uint64(rest) && r.chain(at+int64(stated)) {
		return stated
	}
	if stated > uint64(rest) || r.chain(at+int64(implied)) {
		return implied
	}
	return max(stated, implied)
}

// maxCompressionName is an upper bound for the length of compression names.
const maxCompressionName = 32

// take keeps a record. It returns false if the bytes are not a record.
func (r *recovery) take(op Opcode, body []byte, at int64, cut bool) bool {
	if op == OpChunk {
		return r.takeChunk(body, at, cut)
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
		r.keep(record, r.trustOutside(record))
	}
	return true
}

// trustOutside returns how far a record outside of chunks can be trusted. In a file with chunks, a
// message there is most likely damage that looks like a message, unless the checksum of the data
// section is right.
func (r *recovery) trustOutside(record any) trust {
	if _, is := record.(*Message); !is || !r.chunked || r.dataIntact() {
		return intact
	}
	return altered
}

// dataIntact reports whether the checksum of the data section is right or, if there is none,
// whether no damage has been found so far.
func (r *recovery) dataIntact() bool {
	const length = 9 + 4
	end := r.bytes(max(0, r.summaryStart-length), length)
	if r.summaryStart < length || len(end) < length || Opcode(end[0]) != OpDataEnd ||
		le.Uint32(end[9:]) == 0 {
		return !r.skipping && r.loss.Damaged == 0 && r.loss.Skipped == 0
	}
	if r.dataSum == nil {
		sum := crc32.NewIEEE()
		if _, err := io.Copy(sum, io.NewSectionReader(r.from, 0,
			r.summaryStart-length)); err != nil {
			r.err = err
			return false
		}
		found := sum.Sum32()
		r.dataSum = &found
	}
	return *r.dataSum == le.Uint32(end[9:])
}

// compare checks the data section against its checksum. This reveals damage that nothing else does,
// for example in chunks without a checksum.
func (r *recovery) compare(d *DataEnd, at int64) {
	if d.CRC == 0 || r.to == nil || r.loss.Damaged > 0 || r.loss.Skipped > 0 {
		return
	}
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(r.from, 0, at)); err != nil {
		r.err = err
		return
	}
	if sum.Sum32() != d.CRC {
		r.loss.Damaged++
		r.loss.note(at, "a data section with checksum %08x, expected %08x: a message may be wrong",
			sum.Sum32(), d.CRC)
	}
}

// unknown counts a record of unknown kind. It cannot be kept, because any offsets in it would be
// wrong.
func (r *recovery) unknown(op Opcode, at int64) {
	r.loss.Unknown++
	r.loss.note(at, "a %s record is left out", op)
}
