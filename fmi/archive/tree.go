package archive

import (
	"bytes"
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
}

var documentLimits = limits{bytes: 128 << 20, elements: 2 << 20, attributes: 1000, depth: 100}

// Node is an element of a document. Line and Column are where its tag begins, from 1, columns in
// bytes.
type Node struct {
	Name         xml.Name
	Attributes   []xml.Attr
	Nodes        []*Node
	Line, Column int

	text strings.Builder
}

// Text returns the text of the element, without the text of the elements in it and without blanks
// around each of its parts.
func (n *Node) Text() string { return n.text.String() }

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
	text, err := readBounded(r, l.bytes)
	if err != nil {
		return nil, err
	}
	b := builder{decoder: xmltext.NewDecoder(bytes.NewReader(text)), limits: l, root: &Node{}}
	b.stack = []*Node{b.root}
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
		return nil, fault.Wrap(ErrNoModelDescription, fault.Place{}, err)
	case int64(len(text)) > n:
		return nil, fault.New(ErrTooLarge, fault.Place{}, fmt.Sprintf("more than %d bytes", n),
			"at most that")
	}
	return text, nil
}

// builder turns tokens into a tree.
type builder struct {
	decoder  *xml.Decoder
	limits   limits
	root     *Node // a node around the document
	stack    []*Node
	elements int
}

// take adds a token to the tree.
func (b *builder) take(token xml.Token, line, column int) *Error {
	top := b.stack[len(b.stack)-1]
	switch t := token.(type) {
	case xml.StartElement:
		if b.elements++; b.elements > b.limits.elements {
			return fault.New(ErrTooLarge, fault.Place{},
				fmt.Sprintf("more than %d elements", b.limits.elements), "")
		}
		if len(b.stack) > b.limits.depth {
			return fault.New(ErrTooLarge, fault.Place{},
				fmt.Sprintf("elements nested more than %d deep", b.limits.depth), "")
		}
		if len(b.stack) == 1 && len(top.Nodes) > 0 {
			return fault.New(ErrXML, fault.Place{}, "<"+t.Name.Local+
				"> after the end of the document", "one root element")
		}
		if len(t.Attr) > b.limits.attributes {
			return fault.New(ErrTooLarge, fault.Place{},
				fmt.Sprintf("%d attributes of <%s>", len(t.Attr), t.Name.Local),
				fmt.Sprintf("at most %d", b.limits.attributes))
		}
		for k, a := range t.Attr {
			if slices.ContainsFunc(t.Attr[:k],
				func(other xml.Attr) bool { return other.Name == a.Name }) {
				return fault.New(ErrXML, fault.Place{},
					fmt.Sprintf("the attribute %s of <%s> twice", a.Name.Local, t.Name.Local), "")
			}
		}
		n := &Node{Name: t.Name, Attributes: t.Attr, Line: line, Column: column}
		top.Nodes = append(top.Nodes, n)
		b.stack = append(b.stack, n)
	case xml.EndElement:
		b.stack = b.stack[:len(b.stack)-1]
	case xml.CharData:
		if text := bytes.TrimSpace(t); len(text) > 0 {
			if len(b.stack) == 1 {
				return fault.New(ErrXML, fault.Place{}, "text outside of the root element", "")
			}
			top.text.Write(text)
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
	e.Place.Line, e.Place.Column = b.decoder.InputPos()
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
