package archive

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"gosmp/internal/fault"
)

// limits bound the cost of reading a document, which may come from anyone.
type limits struct {
	bytes      int64
	elements   int
	attributes int // of an element
	depth      int
}

var documentLimits = limits{bytes: 128 << 20, elements: 2 << 20, attributes: 1000, depth: 100}

// node is an element with its place in the document.
type node struct {
	name         xml.Name
	attributes   []xml.Attr
	nodes        []*node
	text         strings.Builder
	line, column int
}

// attribute returns the value of an attribute without a namespace, and whether it exists.
func (n *node) attribute(name string) (string, bool) {
	for _, a := range n.attributes {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// value is an attribute, or empty.
func (n *node) value(name string) string {
	text, _ := n.attribute(name)
	return text
}

// child is the first element of that name, or an empty one.
func (n *node) child(name string) *node {
	for _, c := range n.nodes {
		if c.name.Local == name {
			return c
		}
	}
	return &node{line: n.line, column: n.column}
}

// children are all elements of one of the names.
func (n *node) children(names ...string) (list []*node) {
	for _, c := range n.nodes {
		if slices.Contains(names, c.name.Local) {
			list = append(list, c)
		}
	}
	return list
}

// readTree reads a document.
func readTree(r io.Reader, l limits) (*node, *Error) {
	text, err := readBounded(r, l.bytes)
	if err != nil {
		return nil, err
	}
	if text, err = decodeUTF16(text); err != nil {
		return nil, err
	}
	b := builder{decoder: xml.NewDecoder(bytes.NewReader(text)), limits: l, root: &node{}}
	b.decoder.CharsetReader = charsetReader
	b.stack = []*node{b.root}
	for {
		line, column := b.decoder.InputPos()
		token, err := b.decoder.Token()
		if errors.Is(err, io.EOF) {
			return b.finish(line, column)
		}
		if err != nil {
			return nil, b.locate(syntaxError(err))
		}
		if wrong := b.take(token, line, column); wrong != nil {
			return nil, b.locate(wrong)
		}
	}
}

// readBounded reads all of r, or reports that it has more than n bytes.
func readBounded(r io.Reader, n int64) ([]byte, *Error) {
	text, err := io.ReadAll(io.LimitReader(r, n+1))
	switch {
	case err != nil:
		return nil, &Error{Kind: ErrNoModelDescription, Cause: err}
	case int64(len(text)) > n:
		return nil, &Error{Kind: ErrTooLarge, Found: fmt.Sprintf("more than %d bytes", n), Expected: "at most that"}
	}
	return text, nil
}

// builder turns tokens into a tree.
type builder struct {
	decoder  *xml.Decoder
	limits   limits
	root     *node // a node around the document
	stack    []*node
	elements int
}

// take adds a token to the tree.
func (b *builder) take(token xml.Token, line, column int) *Error {
	top := b.stack[len(b.stack)-1]
	switch t := token.(type) {
	case xml.StartElement:
		if b.elements++; b.elements > b.limits.elements {
			return &Error{Kind: ErrTooLarge, Found: fmt.Sprintf("more than %d elements", b.limits.elements)}
		}
		if len(b.stack) > b.limits.depth {
			return &Error{Kind: ErrTooLarge, Found: fmt.Sprintf("elements nested more than %d deep", b.limits.depth)}
		}
		if len(b.stack) == 1 && len(top.nodes) > 0 {
			return &Error{Kind: ErrXML, Found: "<" + t.Name.Local + "> after the end of the document", Expected: "one root element"}
		}
		if len(t.Attr) > b.limits.attributes {
			return &Error{Kind: ErrTooLarge, Found: fmt.Sprintf("%d attributes of <%s>", len(t.Attr), t.Name.Local),
				Expected: fmt.Sprintf("at most %d", b.limits.attributes)}
		}
		for k, a := range t.Attr {
			if slices.ContainsFunc(t.Attr[:k], func(other xml.Attr) bool { return other.Name == a.Name }) {
				return &Error{Kind: ErrXML, Found: fmt.Sprintf("the attribute %s of <%s> twice", a.Name.Local, t.Name.Local)}
			}
		}
		n := &node{name: t.Name, attributes: t.Attr, line: line, column: column}
		top.nodes = append(top.nodes, n)
		b.stack = append(b.stack, n)
	case xml.EndElement:
		b.stack = b.stack[:len(b.stack)-1]
	case xml.CharData:
		if text := bytes.TrimSpace(t); len(text) > 0 {
			if len(b.stack) == 1 {
				return &Error{Kind: ErrXML, Found: "text outside of the root element"}
			}
			top.text.Write(text)
		}
	}
	return nil
}

func (b *builder) finish(line, column int) (*node, *Error) {
	if len(b.root.nodes) == 0 {
		return nil, &Error{Place: fault.Place{Line: line, Column: column}, Kind: ErrXML, Found: "no element"}
	}
	return b.root.nodes[0], nil
}

// locate adds the place where reading has stopped.
func (b *builder) locate(e *Error) *Error {
	e.Place.Line, e.Place.Column = b.decoder.InputPos()
	return e
}

// syntaxError returns the XML decoder's message without the line, which the place states.
func syntaxError(err error) *Error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		err = errors.New(syntax.Msg)
	}
	return &Error{Kind: ErrXML, Cause: err}
}

// decodeUTF16 converts a document with a UTF-16 byte order mark to UTF-8, and removes a UTF-8 mark.
func decodeUTF16(text []byte) ([]byte, *Error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(text, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	case bytes.HasPrefix(text, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	default:
		return bytes.TrimPrefix(text, []byte("\uFEFF")), nil
	}
	if len(text)%2 != 0 {
		return nil, &Error{Kind: ErrXML, Found: fmt.Sprintf("UTF-16 with an odd number of bytes (%d)", len(text))}
	}
	units := make([]uint16, len(text)/2-1)
	for k := range units {
		units[k] = order.Uint16(text[2*k+2:])
	}
	return []byte(string(utf16.Decode(units))), nil
}

// charsetReader decodes the encodings other than UTF-8 that occur in model descriptions.
func charsetReader(label string, r io.Reader) (io.Reader, error) {
	switch strings.ToLower(label) {
	case "utf-16", "utf-16le", "utf-16be", "us-ascii", "ascii": // UTF-16 has been decoded by its mark
		return r, nil
	case "iso-8859-1", "latin1", "iso8859-1":
		return &singleByteReader{source: r}, nil
	case "windows-1252", "cp1252":
		return &singleByteReader{source: r, upper: windows1252}, nil
	}
	return nil, fmt.Errorf("encoding %q, expected UTF-8, UTF-16, ISO-8859-1 or windows-1252", label)
}

// windows1252 holds what 0x80 to 0x9F mean there; 0 is undefined.
var windows1252 = []rune("€\x00‚ƒ„…†‡ˆ‰Š‹Œ\x00Ž\x00\x00‘’“”•–—˜™š›œ\x00žŸ")

// singleByteReader turns bytes that are characters into UTF-8.
type singleByteReader struct {
	source  io.Reader
	upper   []rune // replaces 0x80 to 0x9F, if set
	pending []byte
}

func (s *singleByteReader) Read(p []byte) (int, error) {
	if len(s.pending) == 0 {
		var raw [512]byte
		n, err := s.source.Read(raw[:])
		for _, c := range raw[:n] {
			r := rune(c)
			if s.upper != nil && c >= 0x80 && c <= 0x9F {
				r = s.upper[c-0x80]
			}
			s.pending = append(s.pending, string(r)...)
		}
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	return n, nil
}
