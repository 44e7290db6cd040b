package scenario

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/regular"
	"gosmp/internal/xmltext"
)

// Limits on a document, which may come from untrusted sources.
const (
	maxBytes      = 64 << 20
	maxElements   = 1 << 20
	maxDepth      = 100
	maxAttributes = 1000
)

// Element is an element of a document.
type Element struct {
	Name       string
	Type       string // in the grammar; empty if not in the grammar
	Attributes []*Attribute
	Children   []*Element
	Parent     *Element // nil for the root
	Text       string   // of an element that contains text, without surrounding white space
	Entry      *Element // after Resolve, of a CatalogReference: a copy of the referenced entry
	File       string   // the file in which it is written
	Line       int
	Column     int
}

// Attribute is an attribute of an element. It has no namespace.
type Attribute struct {
	Name       string
	Value      string // after Resolve: with parameters and expressions replaced
	Line       int
	Column     int
	begin, end int // of the value in the document's text, without the quotes
}

// Place returns the place where the element is written.
func (e *Element) Place() fault.Place {
	return fault.Place{File: e.File, Line: e.Line, Column: e.Column, Object: e.Name}
}

// PlaceOf returns the place of an attribute, or of the element if it does not have the attribute.
func (e *Element) PlaceOf(name string) fault.Place {
	p := e.Place()
	if a := e.Attribute(name); a != nil {
		p.Line, p.Column, p.Object = a.Line, a.Column, e.Name+"."+name
	}
	return p
}

// Attribute returns the attribute with that name; or nil if there is none. Like all lookup methods,
// it may be called on a nil receiver.
func (e *Element) Attribute(name string) *Attribute {
	if e == nil {
		return nil
	}
	for _, a := range e.Attributes {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Value returns the value of an attribute, or an empty string if there is none.
func (e *Element) Value(name string) string {
	if a := e.Attribute(name); a != nil {
		return a.Value
	}
	return ""
}

// True reports whether an attribute has the Boolean value true, which may be written as 1.
func (e *Element) True(name string) bool {
	text := strings.Trim(e.Value(name), " \t\r\n")
	return text == "true" || text == "1"
}

// Number returns the value of an attribute as a number. It returns false if there is no attribute
// with that name, or its value is not a number.
func (e *Element) Number(name string) (float64, bool) { return double(e.Value(name)) }

// Has reports whether an attribute with that name exists.
func (e *Element) Has(name string) bool { return e.Attribute(name) != nil }

// Child returns the first child with that name; or nil if there is none.
func (e *Element) Child(name string) *Element {
	if e == nil {
		return nil
	}
	for _, c := range e.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Content describes what a document with this root is: a scenario, a catalog or a distribution.
func (e *Element) Content() string {
	switch {
	case e.Child("Storyboard") != nil:
		return "a scenario"
	case e.Child("Catalog") != nil:
		return "a catalog"
	case e.Child("ParameterValueDistribution") != nil:
		return "a distribution of parameters"
	}
	return "no scenario, catalog or distribution"
}

// Path descends from first child to first child by their names.
func (e *Element) Path(names ...string) *Element {
	for _, name := range names {
		e = e.Child(name)
	}
	return e
}

// All returns the children with that name.
func (e *Element) All(name string) (list []*Element) {
	if e == nil {
		return nil
	}
	for _, c := range e.Children {
		if c.Name == name {
			list = append(list, c)
		}
	}
	return list
}

// Walk calls visit for the element and all elements below it in document order; the elements of
// catalog entries come after the references to them. It does not descend into an element for which
// visit returns false.
func (e *Element) Walk(visit func(*Element) bool) {
	if e == nil || !visit(e) {
		return
	}
	for _, c := range e.Children {
		c.Walk(visit)
	}
	e.Entry.Walk(visit)
}

// Document is a file as written.
type Document struct {
	File    string
	Version Version
	Root    *Element
	Map     string      // replaces the map in RoadNetwork; see [Scenario.MapFile]
	text    []byte      // in UTF-8, without a byte order mark
	shelf   *shelf      // the catalogs that the document has read
	hyphens fault.Place // of two hyphens in a comment; zero if there are none
}

// Open reads a file.
func Open(name string) (*Document, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	return Read(name, f)
}

// Read reads a document from r. name is the file name: errors mention it, and paths in the document
// are relative to its folder.
func Read(name string, r io.Reader) (*Document, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// Parse reads a document from its text. The tree is usable even if the document violates its
// schema; [Document.Validate] reports the violations.
func Parse(name string, text []byte) (*Document, error) {
	p := &parser{file: name}
	if len(text) > maxBytes {
		return nil, fault.New(ErrDocument, p.place(), fmt.Sprintf("more than %d MiB", maxBytes>>20),
			"a smaller document")
	}
	decoded, err := xmltext.UTF8(text)
	if e := (*xmltext.Error)(nil); errors.As(err, &e) {
		p.seek(text)
		return nil, fault.New(ErrDocument, p.place(), e.Found(), e.Expected())
	}
	p.text = bytes.TrimPrefix(decoded, []byte("\ufeff"))
	p.scanner = xmltext.NewScanner(string(text))
	root, err := p.parse()
	hyphens := fault.Place{}
	if err != nil {
		plain, first := withoutHyphens(text)
		if first < 0 {
			return nil, err
		}
		hyphens = placeIn(name, text, first)
		p = &parser{file: name, text: p.text, scanner: xmltext.NewScanner(string(plain))}
		if root, err = p.parse(); err != nil {
			return nil, err
		}
	}
	d := &Document{File: name, Root: root, text: p.text, shelf: &shelf{}, hyphens: hyphens}
	d.Version = versionOf(root.Child("FileHeader"))
	d.Version.grammar().assign(root)
	return d, nil
}

// parser parses a text into a tree.
type parser struct {
	file     string
	text     []byte
	scanner  *xmltext.Scanner
	root     *Element
	open     []*Element
	elements int
	line     int
	column   int
}

// seek finds the position up to which a text is readable.
func (p *parser) seek(text []byte) {
	d := xmltext.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err != nil {
			p.line, p.column = d.InputPos()
			return
		}
	}
}

// placeIn returns the place of an offset in a text.
func placeIn(file string, text []byte, offset int) fault.Place {
	before := text[:offset]
	return fault.Place{File: file, Line: 1 + bytes.Count(before, []byte("\n")),
		Column: offset - bytes.LastIndexByte(before, '\n'), Object: "comment"}
}

// place returns the current place of the parser.
func (p *parser) place() fault.Place {
	return fault.Place{File: p.file, Line: p.line, Column: p.column}
}

func (p *parser) parse() (*Element, error) {
	for {
		begin := p.scanner.InputOffset()
		p.line, p.column = p.scanner.InputPos()
		kind, err := p.scanner.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, p.syntax(err)
		}
		if err := p.take(kind, begin, p.scanner.InputOffset()); err != nil {
			return nil, err
		}
	}
	if p.root == nil {
		return nil, fault.New(ErrDocument, p.place(), "no element", "the element OpenSCENARIO")
	}
	return p.root, nil
}

// syntax returns an error of the scanner at the position where it stopped.
func (p *parser) syntax(err error) error {
	p.line, p.column = p.scanner.InputPos()
	if s := (*xml.SyntaxError)(nil); errors.As(err, &s) {
		err = errors.New(s.Msg)
	}
	return fault.Wrap(ErrDocument, p.place(), err)
}

func (p *parser) take(kind xmltext.Kind, begin, end int) error {
	switch kind {
	case xmltext.Start:
		return p.start(begin, end)
	case xmltext.End:
		last := p.open[len(p.open)-1]
		last.Text = strings.TrimSpace(last.Text)
		p.open = p.open[:len(p.open)-1]
	case xmltext.Text:
		if len(p.open) > 0 {
			p.open[len(p.open)-1].Text += p.scanner.Text
		} else if strings.TrimSpace(p.scanner.Text) != "" {
			return fault.New(ErrDocument, p.place(), "text outside the root element", "none")
		}
	case xmltext.Directive:
		return fault.New(ErrDocument, p.place(), "a document type",
			"none, as in all documents of OpenSCENARIO")
	case xmltext.Other:
	}
	return nil
}

func (p *parser) start(begin, end int) error {
	list := p.scanner.Attributes
	p.elements++
	switch {
	case p.elements > maxElements:
		return fault.New(ErrDocument, p.place(), fmt.Sprintf("more than %d elements", maxElements),
			"a smaller document")
	case len(p.open) >= maxDepth:
		return fault.New(ErrDocument, p.place(), fmt.Sprintf("elements nested more than %d deep",
			maxDepth), "fewer levels")
	case len(list) > maxAttributes:
		return fault.New(ErrDocument, p.place(), fmt.Sprintf("more than %d attributes",
			maxAttributes), "fewer")
	case len(p.open) == 0 && p.root != nil:
		return fault.New(ErrDocument, p.place(), "a second root element", "one")
	}
	e := &Element{Name: p.scanner.Name.Local, File: p.file, Line: p.line, Column: p.column}
	if err := p.attributes(e, list, begin, end); err != nil {
		return err
	}
	if len(p.open) == 0 {
		p.root = e
	} else {
		e.Parent = p.open[len(p.open)-1]
		e.Parent.Children = append(e.Parent.Children, e)
	}
	p.open = append(p.open, e)
	return nil
}

// attributes keeps the attributes without a namespace and finds the positions of their values.
func (p *parser) attributes(e *Element, list []xml.Attr, begin, end int) error {
	spans := valueSpans(p.text[begin:end])
	for k, a := range list {
		if a.Name.Space != "" || a.Name.Local == "xmlns" {
			continue // such as the schema location
		}
		x := &Attribute{Name: a.Name.Local, Value: a.Value, Line: p.line, Column: p.column}
		if k < len(spans) {
			x.begin, x.end = begin+spans[k].value, begin+spans[k].end
			x.Line, x.Column = p.position(begin, begin+spans[k].name)
		}
		if e.Has(x.Name) {
			p.line, p.column = x.Line, x.Column
			return fault.New(ErrDocument, p.place(), "the attribute "+x.Name+" twice", "it once")
		}
		e.Attributes = append(e.Attributes, x)
	}
	return nil
}

// position returns the line and column of an offset in the tag that starts at begin.
func (p *parser) position(begin, offset int) (line, column int) {
	before := p.text[begin:offset]
	if n := bytes.Count(before, []byte("\n")); n > 0 {
		return p.line + n, len(before) - bytes.LastIndexByte(before, '\n')
	}
	return p.line, p.column + len(before)
}

// span holds the offsets of an attribute in its tag.
type span struct{ name, value, end int }

// valueSpans finds the attributes of a start tag that the decoder has accepted.
func valueSpans(tag []byte) (list []span) {
	const blank = " \t\r\n"
	k := bytes.IndexAny(tag, blank)
	for k >= 0 && k < len(tag) {
		name := k + len(tag[k:]) - len(bytes.TrimLeft(tag[k:], blank))
		equals := bytes.IndexByte(tag[name:], '=')
		if equals < 0 {
			return list
		}
		quote := bytes.IndexAny(tag[name+equals:], `"'`)
		if quote < 0 {
			return list
		}
		value := name + equals + quote + 1
		length := bytes.IndexByte(tag[value:], tag[value-1])
		if length < 0 {
			return list
		}
		list = append(list, span{name, value, value + length})
		k = value + length + 1
	}
	return list
}
