package simsensor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	bufferSize = 64 << 10
	// maxLine bounds a row: 21 numbers of 64 bits with signs and commas are 440 bytes.
	maxLine = 4096
	// headSize is the size of the buffer and of the longest line that begins in it.
	headSize = bufferSize + maxLine
	// fillsPerCheck is the number of buffers read between two checks of the file's size and time;
	// each check allocates.
	fillsPerCheck = 16
)

// errLongLine reports that lines.next has skipped a line of more than maxLine bytes.
var errLongLine = errors.New("overlong line")

// source is a file of known size that can detect whether it has changed since it was opened.
type source interface {
	io.ReaderAt
	io.Closer
	changed() error
}

// lines splits a source into lines through one buffer. A file that fits into the buffer is read
// once and then played from there, no matter how often it loops.
type lines struct {
	src  source
	size int64

	buf   []byte // of capacity headSize, or with all rows of a live player
	base  int64  // file offset of buf[0]
	pos   int    // next byte of buf
	fills int

	line   int   // number of the line that next returned last
	start  int64 // file offset at which that line begins
	length int64 // bytes of that line, when it was overlong

	// where the search for a good row or for the end of an overlong line stops; 0 is the end of the
	// file
	limit int64
	cut   bool // the overlong line continues there
}

func newLines(src source, size int64) lines {
	l := lines{src: src, size: size}
	if size > 0 { // a live player needs no buffer of its own
		l.buf = make([]byte, 0, headSize)
	}
	return l
}

// offset returns the position in the file at which the next line begins.
func (l *lines) offset() int64 { return l.base + int64(l.pos) }

// next returns the next line without its line feed, valid until the following call. It returns
// io.EOF at the end, and errLongLine after an overlong line. The last line needs no line feed.
func (l *lines) next() ([]byte, error) {
	l.start = l.offset()
	for {
		rest := l.buf[l.pos:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			return l.take(rest[:i], 1)
		}
		if l.base+int64(len(l.buf)) == l.size {
			if len(rest) == 0 {
				return nil, l.end()
			}
			return l.take(rest, 0)
		}
		if len(rest) > maxLine {
			return nil, l.skip()
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// take advances past a line and its feed of 0 or 1 bytes.
func (l *lines) take(b []byte, feed int) ([]byte, error) {
	l.pos += len(b) + feed
	l.line++
	if len(b) > maxLine {
		l.length, l.cut = int64(len(b)), false
		return nil, errLongLine
	}
	return b, nil
}

// skip advances past the rest of a line that does not end in the buffer, up to the limit.
func (l *lines) skip() error {
	l.cut = false
	for {
		if i := bytes.IndexByte(l.buf[l.pos:], '\n'); i >= 0 {
			l.pos += i
			l.length = l.offset() - l.start
			l.pos++
			break
		}
		l.pos = len(l.buf)
		l.length = l.offset() - l.start
		if l.cut = l.limit > 0 && l.offset() > l.limit && l.offset() < l.size; l.cut ||
			l.offset() == l.size {
			break
		}
		if err := l.fill(); err != nil {
			return err
		}
	}
	l.line++
	return errLongLine
}

// end returns io.EOF, unless the file has changed in the meantime. A change is irrelevant if the
// file is played from the buffer alone.
func (l *lines) end() error {
	if l.size > bufferSize {
		if err := l.src.changed(); err != nil {
			return err
		}
	}
	return io.EOF
}

// fill moves the unread bytes to the front of the buffer and reads as much as fits after them.
func (l *lines) fill() error {
	if l.fills++; l.fills%fillsPerCheck == 0 {
		if err := l.src.changed(); err != nil {
			return err
		}
	}
	kept := copy(l.buf[:bufferSize], l.buf[l.pos:])
	l.base, l.pos = l.offset(), 0
	want := int(min(bufferSize-int64(kept), l.size-l.base-int64(kept)))
	n, err := l.src.ReadAt(l.buf[kept:kept+want], l.base+int64(kept))
	l.buf = l.buf[:kept+n]
	switch {
	case n == want:
		return nil // ReadAt may add io.EOF to the last bytes
	case err == nil || errors.Is(err, io.EOF):
		return fmt.Errorf("%w: it had %d bytes and now ends after %d", ErrChanged, l.size,
			l.base+int64(kept+n))
	}
	return fmt.Errorf("%w at byte %d: %w", ErrRead, l.base+int64(kept+n), err)
}

// head reads the beginning of the file. Afterwards, the buffer is as after the first fill. The
// result is valid until the next fill. It is nil if the file cannot be read; a fill then also
// fails.
func (l *lines) head() []byte {
	want := int(min(l.size, headSize))
	if n, _ := l.src.ReadAt(l.buf[:want], 0); n < want {
		return nil
	}
	l.fills++
	l.buf, l.base, l.pos = l.buf[:min(want, bufferSize)], 0, 0
	return l.buf[:want]
}

// seek makes the line at the file offset the next one; line is the number of its predecessor.
func (l *lines) seek(offset int64, line int) {
	if d := offset - l.base; d >= 0 && d <= int64(len(l.buf)) {
		l.pos = int(d)
	} else {
		l.buf, l.base, l.pos = l.buf[:0], offset, 0
	}
	l.line = line
}
