package scxml

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"
	"unicode/utf8"
)

// The namespaces in which the elements of statecharts are defined.
const (
	Namespace    = "http://www.w3.org/2005/07/scxml"                               // of the W3C Recommendation
	NamespaceNRP = "http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/scxml" // of the experiments of the Neurorobotics Platform

	namespaceROS = "http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/SCXMLExt/ROS"
	namespaceXSI = "http://www.w3.org/2001/XMLSchema-instance"
	namespaceXML = "http://www.w3.org/XML/1998/namespace"
)

// Bounds on a document. A document beyond them is a mistake or an attack; no chart comes near.
const (
	maxDocument = 16 << 20 // bytes
	maxDepth    = 200      // nested elements
	maxElements = 500_000
	maxNames    = 1000 // attributes of an element
	maxPrefixes = 50   // namespace prefixes in force
)

// Position is a place in a chart's text. Line and Column count from 1, columns in bytes.
type Position struct{ Line, Column int }

// Element is an element of an XML document, with its position. Charts keep their elements, so that
// a check can point at what it means, and XML data can be written out again.
type Element struct {
	Space, Name string
	Attributes  []Attribute
	Children    []Node // in order
	Position    Position
	prefixes    map[string]string // prefixes in force, for xsi:type
}

// Attribute is an attribute of an element. Position is that of its value.
type Attribute struct {
	Space, Name, Value string
	Position           Position
}

// Node is an element or a piece of text; one of both is set. Position is that of a text.
type Node struct {
	Element  *Element
	Text     string
	Position Position
}

// Attr returns the value of an attribute without a namespace.
func (e *Element) Attr(name string) (value string, ok bool) {
	a := e.attribute("", name)
	if a == nil {
		return "", false
	}
	return a.Value, true
}

func (e *Element) attribute(space, name string) *Attribute {
	for i := range e.Attributes {
		if a := &e.Attributes[i]; a.Name == name && a.Space == space {
			return a
		}
	}
	return nil
}

// At is the position of an attribute's value, or of the element if it has no such attribute.
func (e *Element) At(attribute string) Position {
	if a := e.attribute("", attribute); a != nil {
		return a.Position
	}
	return e.Position
}

// Elements lists the child elements in order.
func (e *Element) Elements() (list []*Element) {
	for _, n := range e.Children {
		if n.Element != nil {
			list = append(list, n.Element)
		}
	}
	return list
}

// Text is the text directly inside the element.
func (e *Element) Text() string {
	var b strings.Builder
	for _, n := range e.Children {
		b.WriteString(n.Text)
	}
	return b.String()
}

// is reports whether the element is the SCXML element of that name, in one of the two namespaces.
func (e *Element) is(name string) bool { return e.Name == name && isChartSpace(e.Space) }

func isChartSpace(space string) bool { return space == Namespace || space == NamespaceNRP }

// XML writes the element with its content as a document of its own.
func (e *Element) XML() string { return e.XMLWithin("") }

// XMLWithin writes the element for a place inside a document where the default namespace is space.
func (e *Element) XMLWithin(space string) string {
	var b strings.Builder
	e.write(&b, space)
	return b.String()
}

func (e *Element) write(b *strings.Builder, inherited string) {
	b.WriteString("<" + e.Name)
	if e.Space != inherited {
		b.WriteString(` xmlns="` + escapeXML(e.Space) + `"`)
	}
	for i, a := range e.Attributes {
		name := a.Name
		if a.Space == namespaceXML {
			name = "xml:" + name
		} else if a.Space != "" {
			name = fmt.Sprintf("a%d:%s", i, name)
			fmt.Fprintf(b, ` xmlns:a%d="%s"`, i, escapeXML(a.Space))
		}
		if prefix, _, found := strings.Cut(strings.TrimSpace(a.Value), ":"); found && a.Space == namespaceXSI && a.Name == "type" && e.prefixes[prefix] != "" {
			fmt.Fprintf(b, ` xmlns:%s="%s"`, prefix, escapeXML(e.prefixes[prefix]))
		}
		b.WriteString(" " + name + `="` + escapeXML(a.Value) + `"`)
	}
	if len(e.Children) == 0 {
		b.WriteString("/>")
		return
	}
	b.WriteString(">")
	for _, n := range e.Children {
		if n.Element != nil {
			n.Element.write(b, e.Space)
		} else {
			b.WriteString(escapeXML(n.Text))
		}
	}
	b.WriteString("</" + e.Name + ">")
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder takes everything
	return b.String()
}

// syntaxError is why a text is not a well-formed document.
type syntaxError struct {
	at     Position
	reason string
}

func (e *syntaxError) Error() string { return e.reason }

// ParseXML reads a document and returns its root element. Entities other than XML's own five are
// refused, nothing outside the text is read, and depth and size are bounded, so that a hostile
// document costs no more than its own length.
func ParseXML(text []byte) (*Element, error) {
	if len(text) > maxDocument {
		return nil, &syntaxError{Position{1, 1}, fmt.Sprintf("the document has %d bytes, expected at most %d", len(text), maxDocument)}
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	p := &xmlParser{text: text, lines: newLineIndex(text), decoder: xml.NewDecoder(bytes.NewReader(text))}
	p.decoder.CharsetReader = func(charset string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("the encoding is %q, expected UTF-8", charset)
	}
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
		return nil, &syntaxError{Position{1, 1}, "the document has no element"}
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

func (p *xmlParser) refuse(err error, start int) error {
	var s *xml.SyntaxError
	if errors.As(err, &s) {
		return &syntaxError{p.lines.position(max(start, int(p.decoder.InputOffset())-1)), s.Msg}
	}
	return &syntaxError{p.lines.position(start), err.Error()}
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

// characters adds a piece of text, joined with the previous piece: a comment between them does not
// separate them.
func (p *xmlParser) characters(text string, start int) {
	if text == "" { // of an empty CDATA section
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
		return fmt.Errorf("elements are nested deeper than %d levels", maxDepth)
	}
	if p.count > maxElements {
		return fmt.Errorf("the document has more than %d elements", maxElements)
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
		return fmt.Errorf("<%s> has %d attributes, expected at most %d", e.Name, len(list), maxNames)
	}
	own := false // the table of prefixes is the element's, not that of the element around it
	bind := func(prefix, space string) error {
		if !own {
			e.prefixes, own = maps.Clone(e.prefixes), true
		}
		if e.prefixes == nil {
			e.prefixes = map[string]string{}
		}
		if e.prefixes[prefix] = space; len(e.prefixes) > maxPrefixes {
			return fmt.Errorf("<%s> has more than %d namespace prefixes in force", e.Name, maxPrefixes)
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
// decoder of encoding/xml checks only the whole: p:8 passes, because p begins it.
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

// boundPrefix is the prefix that an attribute binds to a namespace, "" for the default one.
func boundPrefix(name xml.Name) (prefix string, ok bool) {
	switch {
	case name.Space == "xmlns":
		return name.Local, true
	case name.Space == "" && name.Local == "xmlns":
		return "", true
	}
	return "", false
}

// valueOffsets finds where the values of attributes begin in the text of a start tag, in order.
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

// XSIType is the attribute xsi:type: a name, and the namespace that its prefix is bound to.
func (e *Element) XSIType() (name, space string, ok bool) {
	a := e.attribute(namespaceXSI, "type")
	if a == nil {
		return "", "", false
	}
	prefix, name, found := strings.Cut(strings.TrimSpace(a.Value), ":")
	if !found {
		prefix, name = "", strings.TrimSpace(a.Value)
	}
	return name, e.prefixes[prefix], true
}

// ErrorPosition is where an error of ParseXML was found.
func ErrorPosition(err error) Position {
	if s := (*syntaxError)(nil); errors.As(err, &s) {
		return s.at
	}
	return Position{1, 1}
}
