package xmldoc

import "slices"

// Node is an element. Line and Column state where its tag begins; both count from 1, and columns
// are in bytes.
//
// Methods that look something up accept a nil Node and find nothing in it.
type Node struct {
	Prefix, Space, Name string
	Attributes          []Attribute // without namespace declarations
	Nodes               []*Node
	Line, Column        int

	text []byte
}

// Text returns the text of the element, without the text of the elements in it and without the
// blanks around its parts.
func (n *Node) Text() string { return string(n.text) }

// Attribute is an attribute of an element. Without a prefix it is in no namespace.
type Attribute struct{ Prefix, Space, Name, Value string }

// Attribute returns the value of an attribute without a namespace, and whether it exists.
func (n *Node) Attribute(name string) (string, bool) {
	if n == nil {
		return "", false
	}
	for k := range n.Attributes {
		if a := &n.Attributes[k]; a.Space == "" && a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// Value returns an attribute, or "" if the element does not have it.
func (n *Node) Value(name string) string { return n.Get(name, "") }

// Get returns an attribute, or the other value if the element does not have it.
func (n *Node) Get(name, otherwise string) string {
	if text, is := n.Attribute(name); is {
		return text
	}
	return otherwise
}

// Elements returns the elements in n.
func (n *Node) Elements() []*Node {
	if n == nil {
		return nil
	}
	return n.Nodes
}

// Child returns the first child with that name in any namespace, or an empty element at the
// position of n.
func (n *Node) Child(name string) *Node {
	for _, c := range n.Elements() {
		if c.Name == name {
			return c
		}
	}
	if n == nil {
		return &Node{}
	}
	return &Node{Line: n.Line, Column: n.Column}
}

// Children returns all elements that have one of the names, in any namespace.
func (n *Node) Children(names ...string) (list []*Node) {
	for _, c := range n.Elements() {
		if slices.Contains(names, c.Name) {
			list = append(list, c)
		}
	}
	return list
}

// In returns the first element of that name in a namespace, or nil if there is none.
func (n *Node) In(space, name string) *Node {
	for _, c := range n.Elements() {
		if c.Space == space && c.Name == name {
			return c
		}
	}
	return nil
}

// AllIn returns the elements of that name in a namespace.
func (n *Node) AllIn(space, name string) (list []*Node) {
	for _, c := range n.Elements() {
		if c.Space == space && c.Name == name {
			list = append(list, c)
		}
	}
	return list
}

// Tag returns the name as it is written, with its prefix.
func (n *Node) Tag() string {
	if n.Prefix == "" {
		return n.Name
	}
	return n.Prefix + ":" + n.Name
}
