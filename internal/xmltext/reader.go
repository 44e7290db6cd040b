package xmltext

import (
	"encoding/xml"
	"errors"
	"io"
)

// headSize is the number of bytes of a document that are searched for its declaration.
const headSize = 4096

// NewDecoder returns a decoder of a document in any supported encoding. Memory does not grow with
// the document. The decoder returns an [*Error] unchanged when it reaches the place of the error;
// an unsupported encoding is reported after the declaration.
func NewDecoder(from io.Reader) *xml.Decoder {
	d := xml.NewDecoder(&reader{from: from})
	d.CharsetReader = AsDecoded
	return d
}

// AsDecoded is the CharsetReader for a decoder that reads a result of [UTF8], whose declaration no
// longer states its encoding.
func AsDecoded(_ string, in io.Reader) (io.Reader, error) { return in, nil }

// UTF8 returns a document in UTF-8 without a byte order mark. The result is a part of text unless
// the encoding is another one. The error is an [*Error].
func UTF8(text []byte) ([]byte, error) {
	mark, e, err := detect(text[:min(len(text), headSize)])
	if err != nil {
		return nil, err
	}
	text = text[mark:]
	if e == nil {
		return text, nil
	}
	text, _, err = e.appendUTF8(make([]byte, 0, len(text)+len(text)/8), text, true)
	return text, err
}

// IsUTF16 reports whether a document is in UTF-16, judging by its first bytes.
func IsUTF16(text []byte) bool {
	_, e, _ := detect(text[:min(len(text), headSize)])
	return e != nil && e.order != nil
}

// reader converts a document to UTF-8 while it is read.
type reader struct {
	from     io.Reader
	encoding *encoding // nil for UTF-8
	raw      []byte    // the buffer for reading, nil before the first call
	rest     []byte    // the part of raw that has not been converted
	text     []byte    // converted and not yet returned
	buffer   []byte    // memory of text
	err      error     // the error that follows text
}

// Read implements [io.Reader].
func (r *reader) Read(p []byte) (int, error) {
	if r.raw == nil {
		r.begin()
	}
	for len(r.text) == 0 {
		switch {
		case r.err != nil:
			return 0, r.err
		case r.encoding == nil:
			return r.from.Read(p)
		}
		n := copy(r.raw, r.rest)
		m, err := r.from.Read(r.raw[n:])
		r.convert(r.raw[:n+m], err)
	}
	n := copy(p, r.text)
	r.text = r.text[n:]
	return n, nil
}

// begin reads the head of the document and detects its encoding.
func (r *reader) begin() {
	r.raw = make([]byte, headSize)
	n, err := io.ReadFull(r.from, r.raw)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	head := r.raw[:n]
	mark, e, wrong := detect(head)
	switch {
	case wrong != nil:
		_, end := declaration(head)
		r.text, r.err = head[:end], wrong
	case e == nil:
		r.text, r.err = head[mark:], err
	default:
		r.encoding = e
		r.convert(head[mark:], err)
	}
}

// convert converts the bytes that have been read, up to a reading error.
func (r *reader) convert(raw []byte, err error) {
	text, used, wrong := r.encoding.appendUTF8(r.buffer[:0], raw, errors.Is(err, io.EOF))
	if wrong != nil {
		err = wrong
	}
	r.text, r.buffer, r.rest, r.err = text, text, raw[used:], err
}
