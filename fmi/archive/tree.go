package archive

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/xmltext"
)

// limits bound the cost of reading a document, which may come from anyone.
type limits struct {
	bytes      int64
	elements   int
	attributes int // of an element
	depth      int
	expected   int64 // bytes of this document, 0 if it is not known
}

var documentLimits = limits{bytes: 128 << 20, elements: 2 << 20, attributes: 1000, depth: 100}

// Node is an element of a document. Line and Column are where its tag begins, from 1, columns in
// bytes.
type Node struct {
	Name         xml.Name
	Attributes   []xml.Attr
	Nodes        []*Node
	Line, Column int

	text []byte
}

// Text returns the text of the element, without the text of the elements in it and without blanks
// around each of its parts.
func (n *Node) Text() string { return string(n.text) }

// Attribute returns the value of an attribute without a namespace, and whether it exists.
func (n *Node) Attribute(name string) (string, bool) {
	for _, a := range n.Attributes {
		if a.Name.Space == "" && a.Name.Local == name {
			return a.Value, true
		}
	}
	return "", false
}

// Value is an attribute, or empty.
func (n *Node) Value(name string) string {
	text, _ := n.Attribute(name)
	return text
}

// Child is the first element of that name, or an empty one.
func (n *Node) Child(name string) *Node {
	for _, c := range n.Nodes {
		if c.Name.Local == name {
			return c
		}
	}
	return &Node{Line: n.Line, Column: n.Column}
}

// Children returns all elements that have one of the names.
func (n *Node) Children(names ...string) (list []*Node) {
	for _, c := range n.Nodes {
		if slices.Contains(names, c.Name.Local) {
			list = append(list, c)
		}
	}
	return list
}

// ReadTree reads an XML document within the bounds of a model description. If it is not well-formed
// or too large, the error is an [Error].
func ReadTree(r io.Reader) (*Node, error) {
	root, err := readTree(r, documentLimits)
	if err != nil {
		return nil, err
	}
	return root, nil
}

func readTree(r io.Reader, l limits) (*Node, *Error) {
	text, err := readBounded(r, l)
	if err != nil {
		return nil, err
	}
	b := builder{scanner: xmltext.NewScanner(text), limits: l, root: &Node{}}
	b.stack = []*Node{b.root}
	for {
		line, column := b.scanner.InputPos()
		kind, err := b.scanner.Next()
		if errors.Is(err, io.EOF) {
			return b.finish(line, column)
		}
		if err != nil {
			return nil, b.locate(syntaxError(err))
		}
		if wrong := b.take(kind, line, column); wrong != nil {
			return nil, b.locate(wrong)
		}
	}
}

// readBounded reads all of r, or reports that it has more bytes than it may.
func readBounded(r io.Reader, l limits) (string, *Error) {
	var text strings.Builder
	n := l.bytes
	text.Grow(int(min(max(l.expected, 0), n)))
	_, err := io.Copy(&text, io.LimitReader(r, n+1))
	switch {
	case err != nil:
		return "", fault.Wrap(ErrNoModelDescription, fault.Place{}, err)
	case int64(text.Len()) > n:
		return "", fault.New(ErrTooLarge, fault.Place{}, fmt.Sprintf("more than %d bytes", n),
			"at most that")
	}
	return text.String(), nil
}

// builder makes a tree of what a scanner finds.
type builder struct {
	scanner    *xmltext.Scanner
	limits     limits
	root       *Node // a node around the document
	stack      []*Node
	elements   int
	nodes      []Node     // for the next elements
	attributes []xml.Attr // for the next attributes
}

// Elements are allocated in groups, which are larger the more there have been.
const (
	fewNodes  = 16
	manyNodes = 256
)

// add makes an element the last one of the open element, and opens it.
func (b *builder) add(line, column int) {
	if len(b.nodes) == 0 {
		b.nodes = make([]Node, min(fewNodes+b.elements, manyNodes))
	}
	n := &b.nodes[0]
	b.nodes = b.nodes[1:]
	found := b.scanner.Attributes
	if len(b.attributes) < len(found) {
		b.attributes = make([]xml.Attr, max(len(found), min(fewNodes+4*b.elements, 4*manyNodes)))
	}
	own := b.attributes[:len(found):len(found)]
	b.attributes = b.attributes[copy(own, found):]
	*n = Node{Name: b.scanner.Name, Attributes: own, Line: line, Column: column}
	top := b.stack[len(b.stack)-1]
	top.Nodes = append(top.Nodes, n)
	b.stack = append(b.stack, n)
}

// take adds to the tree what was found.
func (b *builder) take(kind xmltext.Kind, line, column int) *Error {
	top := b.stack[len(b.stack)-1]
	switch kind {
	case xmltext.Start:
		if wrong := b.refuse(); wrong != nil {
			return wrong
		}
		b.add(line, column)
	case xmltext.End:
		b.stack = b.stack[:len(b.stack)-1]
	case xmltext.Text:
		if text := strings.TrimSpace(b.scanner.Text); text != "" {
			if len(b.stack) == 1 {
				return fault.New(ErrXML, fault.Place{}, "text outside of the root element", "")
			}
			top.text = append(top.text, text...)
		}
	}
	return nil
}

// refuse says what is wrong with an element that begins, nil if nothing is.
func (b *builder) refuse() *Error {
	name, found := b.scanner.Name.Local, b.scanner.Attributes
	if b.elements++; b.elements > b.limits.elements {
		return fault.New(ErrTooLarge, fault.Place{},
			fmt.Sprintf("more than %d elements", b.limits.elements), "")
	}
	if len(b.stack) > b.limits.depth {
		return fault.New(ErrTooLarge, fault.Place{},
			fmt.Sprintf("elements nested more than %d deep", b.limits.depth), "")
	}
	if len(b.stack) == 1 && len(b.root.Nodes) > 0 {
		return fault.New(ErrXML, fault.Place{}, "<"+name+"> after the end of the document",
			"one root element")
	}
	if len(found) > b.limits.attributes {
		return fault.New(ErrTooLarge, fault.Place{},
			fmt.Sprintf("%d attributes of <%s>", len(found), name),
			fmt.Sprintf("at most %d", b.limits.attributes))
	}
	for k, a := range found {
		for _, other := range found[:k] {
			if other.Name == a.Name {
				return fault.New(ErrXML, fault.Place{},
					fmt.Sprintf("the attribute %s of <%s> twice", a.Name.Local, name), "")
			}
		}
	}
	return nil
}

func (b *builder) finish(line, column int) (*Node, *Error) {
	if len(b.root.Nodes) == 0 {
		return nil, fault.New(ErrXML, fault.Place{Line: line, Column: column}, "no element", "")
	}
	return b.root.Nodes[0], nil
}

// locate adds the place where reading has stopped.
func (b *builder) locate(e *Error) *Error {
	e.Place.Line, e.Place.Column = b.scanner.InputPos()
	return e
}

// syntaxError returns the XML decoder's message without the line, which the place states.
func syntaxError(err error) *Error {
	if encoding := (*xmltext.Error)(nil); errors.As(err, &encoding) {
		return fault.New(ErrXML, fault.Place{}, encoding.Found(), encoding.Expected())
	}
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		err = errors.New(syntax.Msg)
	}
	return fault.Wrap(ErrXML, fault.Place{}, err)
}
