package osi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"gosmp/proto/osifile"
	"gosmp/proto/wire"
)

// Loss describes what could not be recovered from a damaged file.
type Loss struct {
	Messages  int      // recovered
	Damaged   int      // messages that cannot be decoded, left out
	Corrected int      // recovered messages whose length was wrong
	Empty     int      // messages of length 0, left out
	Skipped   int64    // bytes that belong to no message
	Places    []string // the first hundred findings with their places
}

// Whole reports whether nothing was lost or corrected.
func (l *Loss) Whole() bool { return l.Damaged == 0 && l.Corrected == 0 && l.Skipped == 0 }

func (l *Loss) note(at int64, format string, arguments ...any) {
	const most = 100
	if len(l.Places) < most {
		l.Places = append(l.Places, fmt.Sprintf("byte %d: ", at)+fmt.Sprintf(format, arguments...))
	}
}

// Recover reads the remains of a file and passes each message to take; it is valid until take
// returns. valid reports whether bytes are a message of the file's type. The format has neither
// markers nor checksums. After damage, reading continues at the next length that is followed by a
// valid message, which in turn is followed by the end of the file or another plausible length. If
// the bytes up to there are a valid message, only its length was wrong, and it is passed to take as
// well. The error is a read error or an error from take; losses are not errors.
func Recover(from io.ReaderAt, size int64, valid func([]byte) bool, take func([]byte) error) (*Loss,
	error) {
	r := &recovery{from: from, size: size, valid: valid, take: take, loss: &Loss{}}
	for at := int64(0); at < size && r.err == nil; {
		at = r.message(at)
	}
	r.send()
	return r.loss, r.err
}

// RecoverSeparated is like [Recover], for a file with a [Separator] between its messages or with a
// single message. Only damaged messages are lost.
func RecoverSeparated(from io.ReaderAt, size int64, valid func([]byte) bool,
	take func([]byte) error) (*Loss, error) {
	loss := &Loss{}
	reader := NewSeparatedReaderAt(io.NewSectionReader(from, 0, size), 0)
	for {
		at := reader.Offset()
		message, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return loss, nil
		case err != nil && !errors.Is(err, ErrCut):
			return loss, err
		case err != nil:
			loss.Skipped += size - at
			loss.note(at, "%v", err)
			return loss, nil
		case len(message) == 0:
			loss.Empty++
		case !valid(message):
			loss.Damaged++
			loss.note(at, "a message of %d bytes that cannot be decoded", len(message))
		default:
			loss.Messages++
			if err := take(message); err != nil {
				return loss, err
			}
		}
	}
}

// recovery is the state of [Recover]. It holds back one message, because the bytes after it may
// show that its length was too small.
type recovery struct {
	from  io.ReaderAt
	size  int64
	valid func([]byte) bool
	take  func([]byte) error
	loss  *Loss
	err   error

	held      []byte // the last message read
	holds     bool
	heldAt    int64 // position of its length
	next      []byte
	window    []byte // a part of the file that has been read
	windowAt  int64
	small     [2 * binary.MaxVarintLen64]byte
	firstByte byte // of the first message
}

// message processes the message whose length is at an offset and returns where to continue.
func (r *recovery) message(at int64) (next int64) {
	length, fits := r.length(at)
	end := at + osifile.LengthSize + length
	if fits && length == 0 {
		r.loss.Empty++
		return end
	}
	if fits && r.read(&r.next, at+osifile.LengthSize, end) && r.valid(r.next) {
		r.hold(at, r.next)
		return end
	}
	if r.err != nil {
		return r.size
	}
	if fits && (end == r.size || r.begins(end)) {
		r.loss.Damaged++
		r.loss.note(at, "a message of %d bytes that cannot be decoded", length)
		return end
	}
	return r.resume(at, fits)
}

// length reads a length; fits reports whether that many bytes follow.
func (r *recovery) length(at int64) (length int64, fits bool) {
	var head [osifile.LengthSize]byte
	if at+int64(len(head)) > r.size {
		return 0, false
	}
	if _, err := r.from.ReadAt(head[:], at); err != nil && !errors.Is(err, io.EOF) {
		r.err = err
		return 0, false
	}
	length = int64(osifile.Length(head))
	return length, length <= osifile.MaxMessage && length <= r.size-at-int64(len(head))
}

// read reads the bytes between two offsets.
func (r *recovery) read(into *[]byte, from, to int64) bool {
	if int64(cap(*into)) < to-from {
		*into = make([]byte, to-from)
	}
	*into = (*into)[:to-from]
	if _, err := r.from.ReadAt(*into, from); err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return r.err == nil
}

// hold passes on the currently held message, and holds back the next one.
func (r *recovery) hold(at int64, message []byte) {
	r.send()
	r.held, r.next = message, r.held
	r.holds, r.heldAt = true, at
}

func (r *recovery) send() {
	if !r.holds || r.err != nil {
		return
	}
	if r.loss.Messages == 0 {
		r.firstByte = r.held[0]
	}
	r.holds = false
	r.loss.Messages++
	r.err = r.take(r.held)
}

// resume finds where messages continue after damage. fits means that the length at the damage does
// not extend past the end of the file, as the last length of a killed recorder does.
func (r *recovery) resume(at int64, fits bool) (next int64) {
	next = at + 1
	for next < r.size && r.err == nil && !r.begins(next) {
		next++
	}
	if r.err != nil {
		return r.size
	}
	cut := next >= r.size && !fits
	if r.holds && !cut && r.extends(r.heldAt, next) {
		return next
	}
	if !cut && r.extends(at, next) {
		return next
	}
	r.loss.Skipped += next - at
	what := "skipped up to the next message"
	if next >= r.size {
		what = "the file ends within a message, or nothing after this place is one"
	}
	r.loss.note(at, "a length or a message that is damaged; %s", what)
	return next
}

// extends accepts the bytes between a length and an offset as one message if they are valid.
func (r *recovery) extends(at, end int64) bool {
	if end-at <= osifile.LengthSize || end-at > osifile.MaxMessage {
		return false
	}
	var message []byte
	if !r.read(&message, at+osifile.LengthSize, end) || !r.usual(message[0]) || !r.valid(message) {
		return false
	}
	if r.holds && at == r.heldAt && !continues(message, len(r.held)) {
		return false
	}
	r.loss.Corrected++
	r.loss.note(at, "the length of a message was wrong; it has %d bytes", len(message))
	if r.holds && at == r.heldAt {
		r.held = message
	} else {
		r.hold(at, message)
	}
	return true
}

// continues reports whether the fields after an offset in a message can belong to the fields before
// it. All tools write fields in the order of their numbers; the rest of a message whose beginning
// is lost starts again with lower numbers, or repeats a number that occurs only once.
func continues(message []byte, at int) bool {
	last, times := wire.Number(0), 0
	for i := 0; i < len(message); {
		key, _, end := wire.Field(message, i)
		if end < 0 {
			return false
		}
		n := key.Number()
		if i >= at && n < last || i == at && n == last && times < 2 {
			return false
		}
		if n != last {
			times = 0
		}
		last, i = n, end
		times++
	}
	return true
}

// begins reports whether a valid message begins at an offset: a length, and fields that fill it
// exactly. It reads the whole message only if the outermost fields fit.
func (r *recovery) begins(at int64) bool {
	head := r.peek(at, osifile.LengthSize+1)
	if len(head) <= osifile.LengthSize {
		return false
	}
	length := int64(binary.LittleEndian.Uint32(head))
	end := at + osifile.LengthSize + length
	if length < 2 || length > osifile.MaxMessage || end > r.size ||
		!r.usual(head[osifile.LengthSize]) {
		return false
	}
	if !r.walk(at+osifile.LengthSize, end) {
		return false
	}
	return r.ends(end) && r.read(&r.next, at+osifile.LengthSize, end) && r.valid(r.next)
}

// ends reports whether a message may end at an offset: at the end of the file, before a length that
// fits, or before the length of a cut message or a damaged length, if a message seems to begin
// after it.
func (r *recovery) ends(at int64) bool {
	if _, fits := r.length(at); fits || r.size-at <= osifile.LengthSize {
		return true
	}
	after := r.near(at+osifile.LengthSize, 1)
	return len(after) > 0 && r.usual(after[0])
}

// usual reports whether messages begin with this byte, the key of field 1 or 2 with a nested
// message, or of the field with which the first message began. Some tools send the version (field
// 1) only once.
func (r *recovery) usual(first byte) bool {
	return first == 0x0a || first == 0x12 || first == r.firstByte && first != 0
}

// walk goes over the outermost fields between two offsets.
func (r *recovery) walk(at, end int64) bool {
	const varint, fixed64, nested, fixed32 = 0, 1, 2, 5
	for at < end {
		b := r.near(at, 2*binary.MaxVarintLen64)
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 || tag>>3 >= 1<<29 {
			return false
		}
		value, size := binary.Uvarint(b[n:])
		at += int64(n)
		switch tag & 7 {
		case varint:
			at += int64(size)
		case fixed64:
			at += 8
		case fixed32:
			at += 4
		case nested:
			if value > uint64(end-at) {
				return false
			}
			at += int64(size) + int64(value)
		default:
			return false
		}
		if size <= 0 && tag&7 != fixed64 && tag&7 != fixed32 {
			return false
		}
	}
	return at == end
}

// peek returns up to n bytes at an offset, valid until the next call.
func (r *recovery) peek(at int64, n int) []byte {
	const ahead = 1 << 16
	if at < r.windowAt || at+int64(n) > r.windowAt+int64(len(r.window)) {
		w := make([]byte, min(ahead, max(0, r.size-at)))
		if _, err := r.from.ReadAt(w, at); err != nil && !errors.Is(err, io.EOF) {
			r.err = err
			return nil
		}
		r.window, r.windowAt = w, at
	}
	begin := min(at-r.windowAt, int64(len(r.window)))
	return r.window[begin:min(begin+int64(n), int64(len(r.window)))]
}

// near is like peek, but for an offset that may be far away, and it leaves the window where it is.
func (r *recovery) near(at int64, n int) []byte {
	if at >= r.windowAt && at+int64(n) <= r.windowAt+int64(len(r.window)) {
		return r.peek(at, n)
	}
	b := r.small[:max(0, min(int64(n), r.size-at))]
	if _, err := r.from.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
		r.err = err
		return nil
	}
	return b
}
