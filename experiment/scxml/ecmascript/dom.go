package ecmascript

import (
	"strings"

	"github.com/dop251/goja"

	"gosmp/experiment/scxml"
)

// Node is an XML element as scripts see it: a small, read-only part of the W3C's DOM. It has
// tagName, nodeName, localName, namespaceURI, textContent, childNodes, children, firstChild,
// documentElement, attributes by getAttribute and hasAttribute, and getElementsByTagName.
type Node struct {
	model   *model
	element *scxml.Element
}

func (m *model) document(text string) goja.Value {
	e, err := scxml.ParseXML([]byte(text))
	if err != nil { // impossible for the content of a Value
		return goja.Undefined()
	}
	return m.node(e)
}

func (m *model) node(e *scxml.Element) goja.Value {
	return m.vm.NewDynamicObject(&Node{m, e})
}

// node returns the element that an object represents, or nil.
func node(o *goja.Object) *Node {
	if o.ExportType() != nodeType { // Export would copy any other object as a whole
		return nil
	}
	n, _ := o.Export().(*Node)
	return n
}

var nodeKeys = []string{"tagName", "nodeName", "localName", "namespaceURI", "textContent",
	"childNodes", "children", "firstChild",
	"documentElement", "getAttribute", "hasAttribute", "getElementsByTagName", "toString"}

// Get returns a property.
func (n *Node) Get(key string) goja.Value {
	vm := n.model.vm
	switch key {
	case "tagName", "nodeName", "localName":
		return vm.ToValue(n.element.Name)
	case "namespaceURI":
		return vm.ToValue(n.element.Space)
	case "textContent":
		return vm.ToValue(allText(n.element))
	case "childNodes":
		return n.list(n.element.Children)
	case "children":
		return n.elements(n.element.Elements())
	case "firstChild":
		if len(n.element.Children) == 0 {
			return goja.Null()
		}
		return n.child(n.element.Children[0])
	case "documentElement":
		return n.model.node(n.element)
	}
	return n.method(key)
}

func (n *Node) method(key string) goja.Value {
	vm := n.model.vm
	var f func(argument string) goja.Value
	switch key {
	case "getAttribute":
		f = func(name string) goja.Value {
			if v, ok := n.element.Attr(name); ok {
				return vm.ToValue(v)
			}
			return goja.Null()
		}
	case "hasAttribute":
		f = func(name string) goja.Value {
			_, ok := n.element.Attr(name)
			return vm.ToValue(ok)
		}
	case "getElementsByTagName":
		f = func(name string) goja.Value { return n.elements(descendants(n.element, name, nil)) }
	case "toString":
		f = func(string) goja.Value { return vm.ToValue(n.element.XML()) }
	default:
		return nil
	}
	return vm.ToValue(func(call goja.FunctionCall) goja.Value {
		return f(call.Argument(0).String())
	})
}

// Set always fails, because documents are read-only.
func (n *Node) Set(key string, _ goja.Value) bool { return n.refuse(key) }

// refuse throws, even in scripts that are not strict.
func (n *Node) refuse(key string) bool {
	panic(n.model.vm.NewTypeError("%s is part of an XML document, which is read-only", key))
}

// Has reports whether there is such a property.
func (n *Node) Has(key string) bool { return n.Get(key) != nil }

// Delete refuses.
func (n *Node) Delete(key string) bool { return n.refuse(key) }

// Keys lists the properties.
func (n *Node) Keys() []string { return nodeKeys }

func (n *Node) child(c scxml.Node) goja.Value {
	if c.Element != nil {
		return n.model.node(c.Element)
	}
	o := n.model.vm.NewObject()
	must(o.Set("nodeName", n.model.vm.ToValue("#text")))
	must(o.Set("nodeValue", n.model.vm.ToValue(c.Text)))
	must(o.Set("textContent", n.model.vm.ToValue(c.Text)))
	return n.model.seal(o)
}

func (n *Node) list(children []scxml.Node) goja.Value {
	items := make([]any, len(children))
	for i, c := range children {
		items[i] = n.child(c)
	}
	return n.model.seal(n.model.vm.NewArray(items...))
}

func (n *Node) elements(elements []*scxml.Element) goja.Value {
	items := make([]any, len(elements))
	for i, e := range elements {
		items[i] = n.model.node(e)
	}
	return n.model.seal(n.model.vm.NewArray(items...))
}

func descendants(e *scxml.Element, name string, found []*scxml.Element) []*scxml.Element {
	for _, c := range e.Elements() {
		if name == "*" || c.Name == name {
			found = append(found, c)
		}
		found = descendants(c, name, found)
	}
	return found
}

func allText(e *scxml.Element) string {
	var b strings.Builder
	for _, c := range e.Children {
		if c.Element != nil {
			b.WriteString(allText(c.Element))
		} else {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}
