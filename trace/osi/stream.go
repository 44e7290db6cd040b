package osi

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gosmp/internal/fault"
	"gosmp/proto/osifile"
)

// ErrCut reports a file that ends within a message, or holds a length that cannot be right.
var ErrCut = errors.New("cut or garbled trace file")

// Reader reads messages one at a time.
type Reader struct {
	from   io.Reader
	buffer []byte
	offset int64 // of the next message
	count  int   // number of messages read
	empty  int

	separated bool
	ahead     []byte // in a separated file, bytes read past the newest message
	ended     bool
}

// NewReader returns a reader that starts at the beginning of a trace. Pass a buffered reader if
// calls are expensive.
func NewReader(from io.Reader) *Reader { return &Reader{from: from} }

// NewReaderAt returns a reader that starts at a message offset bytes after the start of the trace;
// from must already be at that position.
func NewReaderAt(from io.Reader, offset int64) *Reader {
	return &Reader{from: from, offset: offset}
}

// Separator separates the messages in files without lengths, which were written before OSI 3.0 and
// by early tools for 3.0.
const Separator = "$$__$$"

// NewSeparatedReaderAt is like NewReaderAt, but for a file with a [Separator] between its messages,
// or with a single message.
func NewSeparatedReaderAt(from io.Reader, offset int64) *Reader {
	return &Reader{from: from, offset: offset, separated: true}
}

// nextSeparated reads up to the next separator or to the end of the file.
func (r *Reader) nextSeparated() ([]byte, error) {
	const step = 1 << 16
	searched := 0
	for {
		at := bytes.Index(r.ahead[searched:], []byte(Separator))
		switch {
		case at >= 0:
			return r.separate(searched+at, len(Separator))
		case r.ended && len(r.ahead) == 0:
			return nil, io.EOF
		case r.ended:
			return r.separate(len(r.ahead), 0)
		case len(r.ahead) > osifile.MaxMessage:
			return nil, r.cut(io.ErrUnexpectedEOF, "a message without an end",
				fmt.Sprintf("at most %d bytes", osifile.MaxMessage))
		}
		searched = max(0, len(r.ahead)-len(Separator)+1)
		n := len(r.ahead)
		r.ahead = append(r.ahead, make([]byte, step)...)
		got, err := io.ReadFull(r.from, r.ahead[n:])
		r.ahead = r.ahead[:n+got]
		if r.ended = errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); err != nil &&
			!r.ended {
			return nil, err
		}
	}
}

// separate returns a message of length bytes and skips the separator after it.
func (r *Reader) separate(length, separator int) ([]byte, error) {
	r.buffer = append(r.buffer[:0], r.ahead[:length]...)
	r.ahead = r.ahead[:copy(r.ahead, r.ahead[length+separator:])]
	r.offset += int64(length + separator)
	r.count++
	if length == 0 {
		r.empty++
	}
	return r.buffer, nil
}

// Next returns the next message, valid until the next call. The error is io.EOF at the end of the
// file, and of kind [ErrCut] where the file is damaged; after that, nothing more can be read.
func (r *Reader) Next() ([]byte, error) {
	if r.separated {
		return r.nextSeparated()
	}
	var head [osifile.LengthSize]byte
	if n, err := io.ReadFull(r.from, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, r.cut(err, fmt.Sprintf("%d of the 4 bytes of a length", n),
			"a whole message or the end of the file")
	}
	length := osifile.Length(head)
	if length > osifile.MaxMessage {
		return nil, r.cut(io.ErrUnexpectedEOF, fmt.Sprintf("a message of %d bytes", length),
			fmt.Sprintf("at most %d", osifile.MaxMessage))
	}
	if err := r.read(int(length)); err != nil {
		return nil, r.cut(err, fmt.Sprintf("%d of the %d bytes of a message", len(r.buffer),
			length), "the whole message")
	}
	r.offset += osifile.LengthSize + int64(length)
	r.count++
	if length == 0 {
		r.empty++
	}
	return r.buffer, nil
}

// read fills the buffer in steps, so that a wrong length takes no more memory than there is data.
func (r *Reader) read(length int) error {
	const step = 1 << 20
	r.buffer = r.buffer[:0]
	for len(r.buffer) < length {
		at := len(r.buffer)
		n := min(step, length-at)
		if cap(r.buffer)-at < n {
			r.buffer = append(r.buffer, make([]byte, n)...)
		} else {
			r.buffer = r.buffer[:at+n]
		}
		got, err := io.ReadFull(r.from, r.buffer[at:])
		if err != nil {
			r.buffer = r.buffer[:at+got]
			return err
		}
	}
	return nil
}

func (r *Reader) cut(err error, found, expected string) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return fault.New(ErrCut, fault.At(fmt.Sprintf("after message %d, byte %d", r.count, r.offset)),
		found, expected)
}

// Offset returns where the next message begins, in bytes from the start.
func (r *Reader) Offset() int64 { return r.offset }

// Count returns the number of messages that have been read.
func (r *Reader) Count() int { return r.count }

// Empty returns how many messages have length 0, which some tools refuse.
func (r *Reader) Empty() int { return r.empty }

// Writer writes messages one at a time.
type Writer struct {
	to     io.Writer
	buffer []byte
}

// NewWriter returns a writer to an empty file, or to one that already has messages.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to} }

// Write writes a message in one call of the underlying writer. It fails with
// [osifile.ErrMessage] for a message that is empty or larger than [osifile.MaxMessage].
func (w *Writer) Write(message []byte) error {
	if err := osifile.CheckSize(len(message)); err != nil {
		return err
	}
	w.buffer = append(osifile.AppendLength(w.buffer[:0], len(message)), message...)
	n, err := w.to.Write(w.buffer)
	if err == nil && n < len(w.buffer) {
		err = io.ErrShortWrite
	}
	return err
}
