package scxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"
	"unicode/utf8"

	"gosmp/internal/xmltext"
)

// Bounds on a document. A document beyond them is a mistake or an attack; no real chart comes near
// them.
const (
	maxDocument = 16 << 20 // bytes
	maxDepth    = 200      // nested elements
	maxElements = 500_000
	maxNames    = 1000 // attributes of an element
	maxPrefixes = 50   // namespace prefixes in force
)

// DocumentError states why a text cannot be read as a document: either the document is not
// well-formed, or it contains something unsupported.
type DocumentError struct {
	At     Position
	Reason string
	Remedy string
}

// Error returns the reason.
func (e *DocumentError) Error() string { return e.Reason }

// ParseXML reads a document and returns its root element. The error is a *DocumentError. Entities
// other than XML's own five and defaults of attributes are refused, nothing outside the text is
// read, and depth and size are bounded, so that the cost of a hostile document is proportional to
// its length.
func ParseXML(text []byte) (*Element, error) {
	if len(text) > maxDocument {
		return nil, unreadable(Position{1, 1},
			fmt.Sprintf("the document has %d bytes, expected at most %d", len(text), maxDocument),
			"divide it")
	}
	text, err := xmltext.UTF8(text)
	if err != nil {
		return nil, unreadable(Position{1, 1}, err.Error(), "save it as UTF-8")
	}
	if element, attribute := xmltext.DefaultAttribute(text); element != "" {
		return nil, unreadable(Position{1, 1}, fmt.Sprintf("its document type declares a default "+
			"of the attribute %s of <%s>, which is not supported", attribute, element),
			"write the attribute in each element")
	}
	p := &xmlParser{text: text, lines: newLineIndex(text),
		decoder: xml.NewDecoder(bytes.NewReader(text))}
	p.decoder.CharsetReader = xmltext.AsDecoded
	for {
		start := p.decoder.InputOffset()
		token, err := p.decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.take(token, int(start))
		}
		if err != nil {
			return nil, p.refuse(err, int(start))
		}
	}
	if p.root == nil {
		return nil, malformed(Position{1, 1}, "it has no element")
	}
	return p.root, nil
}

type xmlParser struct {
	text    []byte
	lines   lineIndex
	decoder *xml.Decoder
	root    *Element
	open    []*Element
	count   int
}

// refuse returns an error for the part of the text from start to the current position.
func (p *xmlParser) refuse(err error, start int) error {
	var s *xml.SyntaxError
	switch {
	case errors.As(err, new(boundError)):
		return unreadable(p.lines.position(start), err.Error(), "divide the document")
	case !errors.As(err, &s):
		return malformed(p.lines.position(start), err.Error())
	}
	at := p.lines.position(max(start, int(p.decoder.InputOffset())-1))
	if name := unknownEntity.FindString(s.Msg); name != "" {
		return unreadable(at, "the entity "+name+
			" is not one of &lt; &gt; &amp; &quot; and &apos;, and others are not supported",
			"write its text instead")
	}
	return malformed(at, s.Msg)
}

// unknownEntity matches the name in the message of encoding/xml about an unknown entity.
var unknownEntity = regexp.MustCompile(`&[^#&;]+;$`)

// boundError reports a document beyond one of the bounds.
type boundError struct{ error }

func tooMuch(format string, args ...any) error { return boundError{fmt.Errorf(format, args...)} }

func malformed(at Position, reason string) *DocumentError {
	return &DocumentError{at, "the document is not well-formed: " + reason, "correct the XML"}
}

func unreadable(at Position, reason, remedy string) *DocumentError {
	return &DocumentError{at, "the document cannot be read: " + reason, remedy}
}

func (p *xmlParser) take(token xml.Token, start int) error {
	switch t := token.(type) {
	case xml.StartElement:
		return p.start(t, start)
	case xml.EndElement:
		p.open = p.open[:len(p.open)-1]
	case xml.CharData:
		if len(p.open) == 0 {
			if len(bytes.TrimSpace(t)) > 0 {
				return errors.New("there is text outside the root element")
			}
			return nil
		}
		if !utf8.Valid(t) {
			return errors.New("the text is not UTF-8")
		}
		p.characters(string(t), start)
	}
	return nil
}

// characters adds a piece of text and joins it with the previous piece, because a comment in
// between does not separate them.
func (p *xmlParser) characters(text string, start int) {
	if text == "" { // from an empty CDATA section
		return
	}
	top := p.open[len(p.open)-1]
	if n := len(top.Children); n > 0 && top.Children[n-1].Element == nil {
		top.Children[n-1].Text += text
		return
	}
	const cdata = "<![CDATA["
	if bytes.HasPrefix(p.text[start:], []byte(cdata)) {
		start += len(cdata)
	}
	top.Children = append(top.Children, Node{Text: text, Position: p.lines.position(start)})
}

func (p *xmlParser) start(t xml.StartElement, start int) error {
	p.count++
	if len(p.open) >= maxDepth {
		return tooMuch("elements are nested deeper than %d levels", maxDepth)
	}
	if p.count > maxElements {
		return tooMuch("the document has more than %d elements", maxElements)
	}
	if !localName(t.Name.Local) {
		return fmt.Errorf("%q is not the name of an element", t.Name.Local)
	}
	e := &Element{Space: t.Name.Space, Name: t.Name.Local, Position: p.lines.position(start)}
	switch {
	case len(p.open) > 0:
		top := p.open[len(p.open)-1]
		e.prefixes = top.prefixes
		top.Children = append(top.Children, Node{Element: e})
	case p.root != nil:
		return errors.New("there is a second root element")
	default:
		p.root = e
	}
	p.open = append(p.open, e)
	return p.attributes(e, t.Attr, start)
}

func (p *xmlParser) attributes(e *Element, list []xml.Attr, start int) error {
	if len(list) > maxNames {
		return tooMuch("<%s> has %d attributes, expected at most %d", e.Name, len(list), maxNames)
	}
	own := false // the element has its own prefix table instead of its parent's
	bind := func(prefix, space string) error {
		if !own {
			e.prefixes, own = maps.Clone(e.prefixes), true
		}
		if e.prefixes == nil {
			e.prefixes = map[string]string{}
		}
		if e.prefixes[prefix] = space; len(e.prefixes) > maxPrefixes {
			return tooMuch("<%s> has more than %d namespace prefixes in force", e.Name, maxPrefixes)
		}
		return nil
	}
	places := valueOffsets(p.text[start:p.decoder.InputOffset()])
	for i, a := range list {
		at := e.Position
		if i < len(places) {
			at = p.lines.position(start + places[i])
		}
		if !localName(a.Name.Local) {
			return fmt.Errorf("%q is not the name of an attribute or prefix", a.Name.Local)
		}
		if prefix, ok := boundPrefix(a.Name); ok {
			if err := bind(prefix, a.Value); err != nil {
				return err
			}
			continue
		}
		if e.attribute(a.Name.Space, a.Name.Local) != nil {
			return fmt.Errorf("<%s> has two attributes %q", e.Name, a.Name.Local)
		}
		e.Attributes = append(e.Attributes, Attribute{a.Name.Space, a.Name.Local, a.Value, at})
	}
	return nil
}

// localName reports whether a name can stand without its prefix (Namespaces in XML 1.0, 4). The
// decoder of encoding/xml checks only the whole name: it accepts p:8, because the name begins with
// p.
func localName(name string) bool {
	if strings.Contains(name, ":") {
		return false
	}
	if c := name[0]; c < utf8.RuneSelf {
		return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	_, err := xml.NewDecoder(strings.NewReader("<" + name + "/>")).Token()
	return err == nil
}

// boundPrefix returns the prefix that an attribute binds to a namespace, or "" for the default
// namespace.
func boundPrefix(name xml.Name) (prefix string, ok bool) {
	switch {
	case name.Space == "xmlns":
		return name.Local, true
	case name.Space == "" && name.Local == "xmlns":
		return "", true
	}
	return "", false
}

// valueOffsets finds the offsets of the attribute values in the text of a start tag, in order.
func valueOffsets(tag []byte) (offsets []int) {
	for i := 0; i < len(tag); i++ {
		quote := tag[i]
		if quote != '"' && quote != '\'' {
			continue
		}
		offsets = append(offsets, i+1)
		end := bytes.IndexByte(tag[i+1:], quote)
		if end < 0 {
			break
		}
		i += 1 + end
	}
	return offsets
}

// lineIndex holds the offset at which each line begins.
type lineIndex []int

func newLineIndex(text []byte) lineIndex {
	l := lineIndex{0}
	for i, c := range text {
		if c == '\n' {
			l = append(l, i+1)
		}
	}
	return l
}

func (l lineIndex) position(offset int) Position {
	low, high := 0, len(l) // the line is in [low, high)
	for high-low > 1 {
		if middle := (low + high) / 2; l[middle] <= offset {
			low = middle
		} else {
			high = middle
		}
	}
	return Position{low + 1, offset - l[low] + 1}
}
