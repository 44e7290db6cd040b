package ssp

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"gosmp/internal/xmltext"
)

// Bounds of a document, whoever has written it.
const (
	maxBytes    = 64 << 20
	maxElements = 1 << 20
	maxDepth    = 100
	maxNames    = 1000 // attributes of an element, and namespaces that are in force
)

// node is an element with its place in the document. Prefixes are kept, because some tools compare
// them.
type node struct {
	prefix, space, local string
	attributes           []attribute
	nodes                []*node
	text                 bool // there is text besides the elements
	line, column         int
}

type attribute struct{ prefix, space, local, value string }

// value is an attribute without a namespace, and whether it is there.
func (n *node) value(name string) (string, bool) {
	for _, a := range n.attributes {
		if a.space == "" && a.local == name {
			return a.value, true
		}
	}
	return "", false
}

// get returns an attribute, or the given text if it is missing.
func (n *node) get(name, otherwise string) string {
	if v, is := n.value(name); is {
		return v
	}
	return otherwise
}

// child is the first element of that name; nil if there is none. It may be called with a nil
// receiver.
func (n *node) child(space, local string) *node {
	for _, c := range n.children() {
		if c.space == space && c.local == local {
			return c
		}
	}
	return nil
}

// children returns the elements of n, which may be nil.
func (n *node) children() []*node {
	if n == nil {
		return nil
	}
	return n.nodes
}

// all returns the elements of that name.
func (n *node) all(space, local string) (list []*node) {
	for _, c := range n.children() {
		if c.space == space && c.local == local {
			list = append(list, c)
		}
	}
	return list
}

// malformed describes why a document is not XML.
type malformed struct {
	line, column int
	text         string
}

const xmlSpace = "http://www.w3.org/XML/1998/namespace"

// parser makes a document into a tree. It resolves namespaces itself, so that a prefix that nobody
// declares is an error.
type parser struct {
	decoder  *xml.Decoder
	root     node // around the document
	stack    []*node
	scopes   []map[string]string
	elements int
	line     int
	column   int
}

// parse reads a document. The error is a malformed.
func parse(text []byte) (*node, *malformed) {
	if len(text) > maxBytes {
		return nil, &malformed{1, 1, fmt.Sprintf("more than %d bytes", maxBytes)}
	}
	if xmltext.IsUTF16(text) {
		return nil, &malformed{1, 1, "encoded in UTF-16, expected UTF-8"}
	}
	p := &parser{decoder: xmltext.NewDecoder(bytes.NewReader(text))}
	p.stack = []*node{&p.root}
	p.scopes = []map[string]string{{"": "", "xml": xmlSpace}}
	for {
		p.line, p.column = p.decoder.InputPos()
		token, err := p.decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return p.finish()
		}
		if err != nil {
			return nil, p.syntax(err)
		}
		if wrong := p.take(token); wrong != nil {
			return nil, wrong
		}
	}
}

func (p *parser) syntax(err error) *malformed {
	line, column := p.decoder.InputPos()
	text := err.Error()
	if e := (*xmltext.Error)(nil); errors.As(err, &e) {
		text = e.Found() + ", expected UTF-8"
	}
	if s := (*xml.SyntaxError)(nil); errors.As(err, &s) {
		line, text = s.Line, s.Msg
	}
	return &malformed{line, column, text}
}

func (p *parser) wrong(format string, args ...any) *malformed {
	return &malformed{p.line, p.column, fmt.Sprintf(format, args...)}
}

func (p *parser) finish() (*node, *malformed) {
	if len(p.stack) > 1 {
		top := p.stack[len(p.stack)-1]
		return nil, p.wrong("the document ends inside of <%s> of line %d", top.tag(), top.line)
	}
	if len(p.root.nodes) == 0 {
		return nil, p.wrong("no root element")
	}
	return p.root.nodes[0], nil
}

// tag is the name as it is written.
func (n *node) tag() string {
	if n.prefix == "" {
		return n.local
	}
	return n.prefix + ":" + n.local
}

func (p *parser) take(token xml.Token) *malformed {
	top := p.stack[len(p.stack)-1]
	switch t := token.(type) {
	case xml.StartElement:
		return p.start(t, top)
	case xml.EndElement:
		if len(p.stack) == 1 || t.Name.Space != top.prefix || t.Name.Local != top.local {
			return p.wrong("</%s> closes no element that is open", strings.TrimPrefix(t.Name.Space+
				":"+t.Name.Local, ":"))
		}
		p.stack, p.scopes = p.stack[:len(p.stack)-1], p.scopes[:len(p.scopes)-1]
	case xml.CharData:
		if len(bytes.TrimSpace(t)) > 0 {
			if len(p.stack) == 1 {
				return p.wrong("text outside of the root element")
			}
			top.text = true
		}
	case xml.Directive:
		if bytes.Contains(t, []byte("<!ENTITY")) {
			return p.wrong("a document type with entities")
		}
	}
	return nil
}

func (p *parser) start(t xml.StartElement, top *node) *malformed {
	if p.elements++; p.elements > maxElements {
		return p.wrong("more than %d elements", maxElements)
	}
	if len(p.stack) > maxDepth {
		return p.wrong("elements nested more than %d deep", maxDepth)
	}
	if len(p.stack) == 1 && len(top.nodes) > 0 {
		return p.wrong("<%s> after the end of the root element", t.Name.Local)
	}
	scope := declare(p.scopes[len(p.scopes)-1], t.Attr)
	if len(t.Attr) > maxNames || len(scope) > maxNames {
		return p.wrong("more than %d attributes or namespaces", maxNames)
	}
	space, known := scope[t.Name.Space]
	if !known {
		return p.wrong("the prefix of <%s:%s> is not declared", t.Name.Space, t.Name.Local)
	}
	n := &node{prefix: t.Name.Space, space: space, local: t.Name.Local, line: p.line,
		column: p.column}
	if wrong := p.attributes(n, t.Attr, scope); wrong != nil {
		return wrong
	}
	top.nodes = append(top.nodes, n)
	p.stack, p.scopes = append(p.stack, n), append(p.scopes, scope)
	return nil
}

func (p *parser) attributes(n *node, list []xml.Attr, scope map[string]string) *malformed {
	for _, a := range list {
		if isDeclaration(a) {
			continue
		}
		x := attribute{prefix: a.Name.Space, local: a.Name.Local, value: a.Value}
		if x.prefix != "" {
			space, known := scope[x.prefix]
			if !known {
				return p.wrong("the prefix of the attribute %s:%s is not declared", x.prefix,
					x.local)
			}
			x.space = space
		}
		for _, other := range n.attributes {
			if other.space == x.space && other.local == x.local {
				return p.wrong("the attribute %s of <%s> twice", x.local, n.tag())
			}
		}
		n.attributes = append(n.attributes, x)
	}
	return nil
}

func isDeclaration(a xml.Attr) bool {
	return a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns"
}

// declare is the scope inside of an element.
func declare(scope map[string]string, list []xml.Attr) map[string]string {
	copied := false
	for _, a := range list {
		if !isDeclaration(a) {
			continue
		}
		if !copied {
			inner := make(map[string]string, len(scope)+1)
			for k, v := range scope {
				inner[k] = v
			}
			scope, copied = inner, true
		}
		if a.Name.Space == "" {
			scope[""] = a.Value
		} else {
			scope[a.Name.Local] = a.Value
		}
	}
	return scope
}
