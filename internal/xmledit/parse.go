package xmledit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"gosmp/internal/xmltext"
)

// Document is an XML document in UTF-8.
type Document struct {
	Root *Element
	rest string // after the root
}

// Element is an element of a document.
type Element struct {
	Name   string // without its prefix
	Line   int    // line where its start tag ends; for a new element, the line of its parent
	Parent *Element

	lead     string // blanks and comments between the previous tag and the start tag
	start    string // start tag
	children []*Element
	reduced  bool   // some of the children have been removed
	trail    string // between the last child and the end tag
	end      string // end tag; empty for <name/>
	attrs    []xml.Attr
}

// Parse reads a document in UTF-8. The errors come from encoding/xml. A document without a root
// element fails with io.ErrUnexpectedEOF.
func Parse(text []byte) (*Document, error) {
	p := parser{text: string(text), line: 1, xml: xml.NewDecoder(bytes.NewReader(text))}
	p.xml.CharsetReader = xmltext.AsDecoded
	d := &Document{}
	for {
		token, err := p.xml.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			p.begin(token, d)
		case xml.EndElement:
			p.finish()
		}
	}
	if d.Root == nil {
		return nil, io.ErrUnexpectedEOF
	}
	d.rest = p.text[p.done:]
	return d, nil
}

// parser holds a document that is being read.
type parser struct {
	text    string
	done    int // bytes that belong to elements
	counted int // bytes whose lines are counted
	line    int
	xml     *xml.Decoder
	open    *Element
}

// until returns the text up to an offset that belongs to no element yet.
func (p *parser) until(offset int) string {
	text := p.text[p.done:offset]
	p.done = offset
	return text
}

func (p *parser) begin(token xml.StartElement, d *Document) {
	end := int(p.xml.InputOffset())
	tag := strings.LastIndexByte(p.text[p.done:end], '<') // never within an attribute
	p.line += strings.Count(p.text[p.counted:end], "\n")
	p.counted = end
	e := &Element{Name: token.Name.Local, Line: p.line, Parent: p.open,
		lead: p.until(p.done + tag), attrs: token.Copy().Attr}
	e.start = p.until(end)
	switch {
	case p.open != nil:
		p.open.children = append(p.open.children, e)
	case d.Root == nil:
		d.Root = e
	}
	p.open = e
}

// finish ends the open element. For <name/>, the decoder returns an end tag that has no text of its
// own.
func (p *parser) finish() {
	end := int(p.xml.InputOffset())
	e := p.open
	if rest := p.until(end); rest != "" {
		tag := strings.LastIndexByte(rest, '<')
		e.trail, e.end = rest[:tag], rest[tag:]
	}
	p.open = e.Parent
}

// Bytes returns the text of the document.
func (d *Document) Bytes() []byte {
	var b bytes.Buffer
	d.Root.write(&b)
	b.WriteString(d.rest)
	return b.Bytes()
}

// declared matches the name of the encoding in an XML declaration.
var declared = regexp.MustCompile(`(<\?xml[^>]*encoding\s*=\s*["'])[^"']*(["'])`)

// DeclareUTF8 makes the XML declaration, if there is one, name the encoding of [Document.Bytes].
func (d *Document) DeclareUTF8() {
	d.Root.lead = declared.ReplaceAllString(d.Root.lead, "${1}UTF-8${2}")
}

func (e *Element) write(b *bytes.Buffer) {
	b.WriteString(e.lead)
	b.WriteString(e.start)
	for _, c := range e.Children() {
		c.write(b)
	}
	b.WriteString(e.trail)
	b.WriteString(e.end)
}
