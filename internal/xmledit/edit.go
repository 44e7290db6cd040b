package xmledit

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"slices"
	"strings"
)

const blanks = " \t\r\n"

// Children returns the elements in an element, in the order of the file.
func (e *Element) Children() []*Element {
	if e.reduced {
		e.reduced = false
		e.children = slices.DeleteFunc(e.children, func(c *Element) bool { return c.Parent != e })
	}
	return e.children
}

// Named returns the children with a name.
func (e *Element) Named(name string) (list []*Element) {
	for _, c := range e.Children() {
		if c.Name == name {
			list = append(list, c)
		}
	}
	return list
}

// Child returns the first child with a name, or nil if there is none.
func (e *Element) Child(name string) *Element {
	for _, c := range e.Children() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Attributes returns the attributes of an element, with entities in their values replaced.
func (e *Element) Attributes() []xml.Attr { return e.attrs }

// Attribute returns the value of an attribute; ok is false if it is absent.
func (e *Element) Attribute(name string) (value string, ok bool) {
	if k := e.find(name); k >= 0 {
		return e.attrs[k].Value, true
	}
	return "", false
}

// Get returns the value of an attribute, or "" if it is absent.
func (e *Element) Get(name string) string {
	value, _ := e.Attribute(name)
	return value
}

func (e *Element) find(name string) int {
	return slices.IndexFunc(e.attrs, func(a xml.Attr) bool { return a.Name.Local == name })
}

// Set sets the value of an attribute. A new attribute is added at the end of its element.
func (e *Element) Set(name, value string) {
	text := escape(value)
	k := e.find(name)
	if k < 0 {
		e.attrs = append(e.attrs, xml.Attr{Name: xml.Name{Local: name}, Value: value})
		body := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(e.start, ">"), "/"), blanks)
		e.start = body + " " + name + `="` + text + `"` + e.start[len(body):]
		return
	}
	e.attrs[k].Value = value
	span := e.spans()[k]
	quote := e.start[span.value-1 : span.value]
	if quote == "'" {
		text = strings.ReplaceAll(text, "'", "&#39;")
	}
	e.start = e.start[:span.value] + text + e.start[span.end:]
}

// Rename gives an attribute another name.
func (e *Element) Rename(name, to string) {
	k := e.find(name)
	if k < 0 {
		return
	}
	e.attrs[k].Name.Local = to
	span := e.spans()[k]
	written := e.start[span.name:span.nameEnd]
	e.start = e.start[:span.nameEnd-len(name)] + to + e.start[span.name+len(written):]
}

// span locates an attribute in a start tag by the offsets of its name and of its value without
// quotes.
type span struct{ name, nameEnd, value, end int }

// spans finds the attributes in the start tag, which is well-formed.
func (e *Element) spans() (list []span) {
	tag := e.start
	k := strings.IndexAny(tag, blanks+"/>")
	for {
		for k < len(tag) && strings.IndexByte(blanks, tag[k]) >= 0 {
			k++
		}
		if k >= len(tag) || tag[k] == '/' || tag[k] == '>' {
			return list
		}
		s := span{name: k}
		s.nameEnd = k + strings.IndexAny(tag[k:], blanks+"=")
		s.value = s.nameEnd + strings.IndexAny(tag[s.nameEnd:], `"'`) + 1
		s.end = s.value + strings.IndexByte(tag[s.value:], tag[s.value-1])
		list = append(list, s)
		k = s.end + 1
	}
}

// escape writes a text as the value of an attribute in double quotes.
func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer never fails
	return b.String()
}

// Index returns the index of an element among the children of its parent.
func (e *Element) Index() int { return slices.Index(e.Parent.Children(), e) }

// Remove takes an element out of its parent, with the blanks and comments before it. The parent
// notices this when it is asked for its children, so that the time to remove many of them does not
// grow with the square of their number.
func (e *Element) Remove() {
	e.Parent.reduced = true
	e.Parent = nil
}

// Insert adds a new element before the child with an index, or as the last child. Attributes are
// names and values in turn.
func (e *Element) Insert(at int, name string, attributes ...string) *Element {
	added := &Element{Name: name, Line: e.Line, Parent: e}
	added.start = "<" + e.prefix() + name + "/>"
	for k := 0; k+1 < len(attributes); k += 2 {
		added.Set(attributes[k], attributes[k+1])
	}
	added.lead = e.indentation()
	e.open()
	e.children = slices.Insert(e.Children(), at, added)
	return added
}

// Append adds a new element as the last child.
func (e *Element) Append(name string, attributes ...string) *Element {
	return e.Insert(len(e.Children()), name, attributes...)
}

// prefix returns the prefix of the element's own name, with its colon.
func (e *Element) prefix() string {
	name := e.start[1 : 1+strings.IndexAny(e.start[1:], blanks+"/>")]
	return name[:strings.LastIndexByte(name, ':')+1]
}

// open turns <name/> into a start tag with an end tag.
func (e *Element) open() {
	if e.end != "" {
		return
	}
	name := e.start[1 : 1+strings.IndexAny(e.start[1:], blanks+"/>")]
	e.start = strings.TrimRight(strings.TrimSuffix(e.start, "/>"), blanks) + ">"
	e.end = "</" + name + ">"
	if k := strings.LastIndexByte(e.lead, '\n'); k >= 0 {
		e.trail = e.lead[k:]
		if k > 0 && e.lead[k-1] == '\r' {
			e.trail = e.lead[k-1:]
		}
	}
}

// indentation returns the blanks before a new child: the blanks before its first sibling, or the
// blanks before the element itself plus one level, if its parent shows the width of a level.
func (e *Element) indentation() string {
	if list := e.Children(); len(list) > 0 {
		return blankEnd(list[0].lead)
	}
	own := blankEnd(e.lead)
	if !strings.Contains(own, "\n") {
		return ""
	}
	if e.Parent != nil {
		outer := blankEnd(e.Parent.lead)
		if strings.HasPrefix(outer, "\n") && strings.HasPrefix(own, outer) {
			return own + own[len(outer):]
		}
	}
	return own
}

// blankEnd returns the last line break of a text and the blanks after it, or its trailing blanks if
// there is no line break.
func blankEnd(text string) string {
	end := text[len(strings.TrimRight(text, blanks)):]
	if k := strings.LastIndexByte(end, '\n'); k >= 0 {
		if k > 0 && end[k-1] == '\r' {
			k--
		}
		return end[k:]
	}
	return end
}

// Move puts an element with its content at the end of another element.
func (e *Element) Move(to *Element) {
	e.Remove()
	to.open()
	to.children = to.Children() // while the element is in neither
	e.Parent = to
	to.children = append(to.children, e)
}

// Sort sorts the children of an element by a key; children with equal keys keep their order. It
// returns the children that were out of order: each came after a sibling that belongs after it.
func (e *Element) Sort(key func(*Element) float64) (moved []*Element) {
	return e.SortThose(func(*Element) bool { return true }, key)
}

// SortThose applies [Element.Sort] to some of the children; the others stay in place.
func (e *Element) SortThose(choose func(*Element) bool, key func(*Element) float64) (
	moved []*Element) {
	var (
		chosen []*Element
		places []int
		most   float64 // the highest key so far
	)
	for k, c := range e.Children() {
		if !choose(c) {
			continue
		}
		chosen, places = append(chosen, c), append(places, k)
		if k := key(c); len(chosen) > 1 && k < most {
			moved = append(moved, c)
		} else {
			most = k
		}
	}
	slices.SortStableFunc(chosen, func(a, b *Element) int { return cmp.Compare(key(a), key(b)) })
	for k, c := range chosen {
		e.children[places[k]] = c
	}
	return moved
}
