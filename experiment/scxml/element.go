package scxml

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The namespaces in which the elements of statecharts are defined.
const (
	// of the W3C Recommendation.
	Namespace    = "http://www.w3.org/2005/07/scxml"
	NamespaceNRP = "http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/scxml" // of NRP

	namespaceROS = "http://schemas.humanbrainproject.eu/SP10/2015/ExDConfig/SCXMLExt/ROS"
	namespaceXSI = "http://www.w3.org/2001/XMLSchema-instance"
	namespaceXML = "http://www.w3.org/XML/1998/namespace"
)

// Position is a place in a chart's text. Line and Column start at 1; columns count bytes.
type Position struct{ Line, Column int }

// Element is an element of an XML document, with its position. Charts keep their elements so that
// checks can report their places and XML data can be written back.
type Element struct {
	Space, Name string
	Attributes  []Attribute
	Children    []Node // in order
	Position    Position
	prefixes    map[string]string // prefixes in force, for xsi:type
}

// Attribute is an attribute of an element. Position is the position of its value.
type Attribute struct {
	Space, Name, Value string
	Position           Position
}

// Node is either an element or a piece of text. Position is the position of the text.
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

// At returns the position of an attribute's value, or of the element if it has no such attribute.
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

// Text returns the text directly inside the element.
func (e *Element) Text() string {
	var b strings.Builder
	for _, n := range e.Children {
		b.WriteString(n.Text)
	}
	return b.String()
}

// is reports whether the element is the SCXML element of that name in one of the two namespaces.
func (e *Element) is(name string) bool { return e.Name == name && isChartSpace(e.Space) }

func isChartSpace(space string) bool { return space == Namespace || space == NamespaceNRP }

// XML writes the element with its content as a separate document.
func (e *Element) XML() string { return e.XMLWithin("") }

// XMLWithin writes the element for insertion into a document where the default namespace is space.
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
		if prefix, _, found := strings.Cut(strings.TrimSpace(a.Value), ":"); found &&
			a.Space == namespaceXSI && a.Name == "type" && e.prefixes[prefix] != "" {
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
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder never fails
	return b.String()
}

// XSIType returns the xsi:type attribute as a name and the namespace to which its prefix is bound.
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
