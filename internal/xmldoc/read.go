package xmldoc

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"gosmp/internal/xmltext"
)

// Limits bound the resources that reading a document takes.
type Limits struct {
	Bytes    int64
	Elements int
	Depth    int
	Names    int // attributes of an element, and namespaces in force
}

// Options determines how a document is read.
type Options struct {
	Limits

	// Size is the number of bytes of the document, if known, so that memory is allocated only once.
	Size int64

	// Strict refuses prefixes that are not declared, and document types with entities. Otherwise
	// the namespace of an undeclared prefix is the prefix itself.
	Strict bool
}

// Error states why a document cannot be read: it has either a cause, or texts about what was found
// and expected, which may be empty.
type Error struct {
	Line, Column    int // 0 if the reader failed
	Found, Expected string
	TooLarge        bool  // the document is beyond a limit
	Cause           error // an error of the reader or of the decoder
}

// Error states the reason without the place.
func (e *Error) Error() string {
	switch {
	case e.Found == "" && e.Cause != nil:
		return e.Cause.Error()
	case e.Expected == "":
		return e.Found
	}
	return e.Found + ", expected " + e.Expected
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// namespaceXML is bound to the prefix xml in every document.
const namespaceXML = "http://www.w3.org/XML/1998/namespace"

// Read reads a document and returns its root element.
func Read(r io.Reader, o Options) (*Node, *Error) {
	text, wrong := all(r, o)
	if wrong != nil {
		return nil, wrong
	}
	p := &parser{options: o, scanner: xmltext.NewRawScanner(text)}
	p.stack = []*Node{&p.document}
	for {
		p.line, p.column = p.scanner.InputPos()
		kind, err := p.scanner.Next()
		if errors.Is(err, io.EOF) {
			return p.finish()
		}
		if err != nil {
			return nil, p.syntax(err)
		}
		if wrong := p.take(kind); wrong != nil {
			return nil, wrong
		}
	}
}

// all reads all of r, or reports that it has more bytes than the limit.
func all(r io.Reader, o Options) (string, *Error) {
	var text strings.Builder
	text.Grow(int(min(max(o.Size, 0), o.Bytes)))
	_, err := io.Copy(&text, io.LimitReader(r, o.Bytes+1))
	switch {
	case err != nil:
		return "", &Error{Cause: err}
	case int64(text.Len()) > o.Bytes:
		return "", &Error{Line: 1, Column: 1, Found: fmt.Sprintf("more than %d bytes", o.Bytes),
			Expected: "at most that", TooLarge: true}
	}
	return text.String(), nil
}

// parser builds a tree from the tokens of the scanner. It matches end tags and resolves namespaces
// itself, so that prefixes are kept.
type parser struct {
	options      Options
	scanner      *xmltext.Scanner
	document     Node // the parent node of the root element
	stack        []*Node
	bindings     []binding // of prefixes to namespaces in force, the innermost last
	outer        []int     // the number of bindings outside each element of the stack
	elements     int
	nodes        []Node      // for the next elements
	attributes   []Attribute // for the next attributes
	line, column int         // where the token begins
}

// binding is a prefix, "" for the default namespace, with the namespace that it denotes.
type binding struct{ prefix, space string }

// syntax returns an error of the scanner at the position where it stopped.
func (p *parser) syntax(err error) *Error {
	line, column := p.scanner.InputPos()
	e := &Error{Line: line, Column: column, Cause: err}
	if encoding := (*xmltext.Error)(nil); errors.As(err, &encoding) {
		e.Found, e.Expected = encoding.Found(), encoding.Expected()
	}
	if entity := (*xmltext.EntityError)(nil); errors.As(err, &entity) {
		e.Found, e.Expected, e.TooLarge = entity.Found, entity.Expected, true
	}
	if s := (*xml.SyntaxError)(nil); errors.As(err, &s) {
		e.Cause = errors.New(s.Msg)
	}
	return e
}

func (p *parser) wrong(expected, format string, args ...any) *Error {
	return &Error{Line: p.line, Column: p.column, Found: fmt.Sprintf(format, args...),
		Expected: expected}
}

func (p *parser) tooLarge(expected, format string, args ...any) *Error {
	e := p.wrong(expected, format, args...)
	e.TooLarge = true
	return e
}

func (p *parser) finish() (*Node, *Error) {
	if len(p.stack) > 1 {
		top := p.stack[len(p.stack)-1]
		return nil, p.wrong("</"+top.Tag()+">", "the end of the document inside <%s> of line %d",
			top.Tag(), top.Line)
	}
	if len(p.document.Nodes) == 0 {
		return nil, p.wrong("a root element", "no element")
	}
	return p.document.Nodes[0], nil
}

// take adds the current token to the tree.
func (p *parser) take(kind xmltext.Kind) *Error {
	top := p.stack[len(p.stack)-1]
	switch kind {
	case xmltext.Start:
		return p.start(top)
	case xmltext.End:
		return p.end(top)
	case xmltext.Text:
		if text := strings.TrimSpace(p.scanner.Text); text != "" {
			if len(p.stack) == 1 {
				return p.wrong("", "text outside the root element")
			}
			top.text = append(top.text, text...)
		}
	case xmltext.Directive:
		if p.options.Strict && strings.Contains(p.scanner.Text, "<!ENTITY") {
			return p.wrong("", "a document type with entities")
		}
	}
	return nil
}

func (p *parser) end(top *Node) *Error {
	name := p.scanner.Name
	tag := strings.TrimPrefix(name.Space+":"+name.Local, ":")
	switch {
	case len(p.stack) == 1:
		return p.wrong("", "</%s>, which closes no element", tag)
	case name.Space != top.Prefix || name.Local != top.Name:
		return p.wrong("</"+top.Tag()+">", "element <%s> of line %d closed by </%s>", top.Tag(),
			top.Line, tag)
	}
	last := len(p.outer) - 1
	p.stack, p.bindings, p.outer = p.stack[:last+1], p.bindings[:p.outer[last]], p.outer[:last]
	return nil
}

func (p *parser) start(top *Node) *Error {
	name, attributes := p.scanner.Name, p.scanner.Attributes
	if wrong := p.bound(name.Local, len(attributes)); wrong != nil {
		return wrong
	}
	p.outer = append(p.outer, len(p.bindings))
	if wrong := p.declare(name.Local, attributes); wrong != nil {
		return wrong
	}
	if len(p.stack) == 1 && len(top.Nodes) > 0 {
		return p.wrong("one root element", "<%s> after the end of the document", name.Local)
	}
	space, is := p.resolve(name.Space)
	if !is {
		return p.wrong("", "the prefix of <%s:%s>, which is not declared", name.Space, name.Local)
	}
	n := p.node()
	*n = Node{Prefix: name.Space, Space: space, Name: name.Local, Line: p.line, Column: p.column}
	if wrong := p.setAttributes(n, attributes); wrong != nil {
		return wrong
	}
	top.Nodes = append(top.Nodes, n)
	p.stack = append(p.stack, n)
	return nil
}

// Elements are allocated in groups that grow with the number of elements.
const (
	fewNodes  = 16
	manyNodes = 256
)

func (p *parser) node() *Node {
	if len(p.nodes) == 0 {
		p.nodes = make([]Node, min(fewNodes+p.elements, manyNodes))
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	return n
}

// bound checks the limits at the beginning of an element.
func (p *parser) bound(name string, attributes int) *Error {
	l := p.options.Limits
	p.elements++
	switch {
	case p.elements > l.Elements:
		return p.tooLarge("", "more than %d elements", l.Elements)
	case len(p.stack) > l.Depth:
		return p.tooLarge("", "elements nested more than %d deep", l.Depth)
	case attributes > l.Names:
		return p.tooLarge(fmt.Sprintf("at most %d", l.Names), "%d attributes of <%s>", attributes,
			name)
	case len(p.bindings) > l.Names:
		return p.tooLarge("", "more than %d namespaces in force", l.Names)
	}
	return nil
}

// resolve returns the namespace of a prefix, and whether the document may use it.
func (p *parser) resolve(prefix string) (space string, is bool) {
	for k := len(p.bindings) - 1; k >= 0; k-- {
		if b := &p.bindings[k]; b.prefix == prefix {
			return b.space, true
		}
	}
	if prefix == "xml" {
		return namespaceXML, true
	}
	return prefix, prefix == "" || !p.options.Strict
}

func (p *parser) setAttributes(n *Node, list []xml.Attr) *Error {
	if len(p.attributes) < len(list) {
		p.attributes = make([]Attribute, max(len(list), min(fewNodes+4*p.elements, 4*manyNodes)))
	}
	own := p.attributes[:0:len(list)]
	for _, a := range list {
		if isDeclaration(a) {
			continue
		}
		x := Attribute{Prefix: a.Name.Space, Name: a.Name.Local, Value: a.Value}
		if x.Prefix != "" {
			space, is := p.resolve(x.Prefix)
			if !is {
				return p.wrong("", "the prefix of the attribute %s:%s, which is not declared",
					x.Prefix, x.Name)
			}
			x.Space = space
		}
		for k := range own {
			if o := &own[k]; o.Name == x.Name && o.Space == x.Space {
				return p.wrong("", "the attribute %s of <%s> twice", x.Name, n.Tag())
			}
		}
		own = append(own, x)
	}
	n.Attributes = own[:len(own):len(own)]
	p.attributes = p.attributes[len(own):]
	return nil
}

func isDeclaration(a xml.Attr) bool {
	return a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns"
}

// declare puts the namespaces that a start tag declares into force.
func (p *parser) declare(name string, list []xml.Attr) *Error {
	outer := len(p.bindings)
	for _, a := range list {
		if !isDeclaration(a) {
			continue
		}
		b := binding{prefix: a.Name.Local, space: a.Value}
		if a.Name.Space == "" {
			b.prefix = ""
		}
		for _, o := range p.bindings[outer:] {
			if o.prefix == b.prefix {
				return p.wrong("", "the attribute %s of <%s> twice", strings.TrimPrefix(
					a.Name.Space+":"+a.Name.Local, ":"), name)
			}
		}
		p.bindings = append(p.bindings, b)
	}
	return nil
}
