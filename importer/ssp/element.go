package ssp

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
)

// element is a system, a component, or a reference to a signal dictionary in the tree of a system.
type element struct {
	name         string
	node         *node // its definition
	doc          *document
	system       bool // a system, or a component replaced by a system
	parent       *element
	children     []*element
	byName       map[string]*element
	ports        []*port
	portByName   map[string]*port
	bindings     []*binding
	edges        []*edge
	dictionaries map[string]*signals // of a system
	signals      *signals            // of a reference
	component    *Component          // of a component
	fmu          *fmuFile
	outer        *node // the component in the enclosing file that is replaced by this system
	outerDoc     *document
}

// port is a connector of an element.
type port struct {
	owner     *element
	connector *Connector
	node      *node
	doc       *document // whose units and enumerations apply
	items     []item    // of an enumeration
	outside   inflows   // into the port, from the enclosing system
	inside    inflows   // into a system's port, from inside that system
	binds     *given    // the value that a binding gives to a system's connector
}

// signals is a signal dictionary of a system.
type signals struct {
	name    string
	place   fault.Place
	doc     *document
	entries map[string]*node
	writers map[string]*inflows
}

// inflows holds the edges that flow into one connector: a single edge for the whole connector, or
// one edge for each of several array elements.
type inflows struct {
	all       []*edge
	byElement map[string]*edge // by the text of the indices
}

// add adds an edge. If its destination already has a source, it returns that edge.
func (f *inflows) add(x *edge) (taken *edge) {
	key := numbers(x.toIndices)
	switch {
	case len(f.all) == 0:
		f.byElement = map[string]*edge{}
	case key == "" || f.byElement[""] != nil:
		return f.all[0]
	case f.byElement[key] != nil:
		return f.byElement[key]
	}
	f.all, f.byElement[key] = append(f.all, x), x
	return nil
}

// into returns the edges into the elements selected by the indices.
func (f *inflows) into(indices []uint64) []*edge {
	switch {
	case len(indices) == 0 || f.byElement[""] != nil:
		return f.all
	case f.byElement[numbers(indices)] != nil:
		return []*edge{f.byElement[numbers(indices)]}
	}
	return nil
}

// edge is a connection in the direction in which values flow.
type edge struct {
	from, to               *port
	fromInner, toInner     bool // the connector belongs to the system that contains the connection
	fromIndices, toIndices []uint64
	transformation         Transformation
	node                   *node
	doc                    *document
}

func (e *element) place() fault.Place { return e.doc.at(e.node, e.label()) }

// label returns the display name of the element.
func (e *element) label() string {
	word := "component"
	switch {
	case e.signals != nil || e.node.Name == "SignalDictionaryReference":
		word = "dictionary reference"
	case e.system:
		word = "system"
	}
	return word + " " + e.full()
}

// full returns the element's name with its path from the top system; for the top system, its own
// name.
func (e *element) full() string {
	if e.parent == nil {
		return e.name
	}
	return strings.Join(e.names(), ".")
}

func (e *element) names() []string {
	if e.parent == nil {
		return nil
	}
	return append(e.parent.names(), e.name)
}

// maxTree limits the number of elements in a tree, and maxParts limits its whole content, because
// the content of descriptions that refer to each other could multiply.
const (
	maxTree  = 1 << 14
	maxParts = 1 << 18
)

// maxNesting limits how deeply systems are nested.
const maxNesting = 64

// readSystem reads a system of a document with all its content.
func (l *loader) readSystem(d *document, n *node, name string, parent *element) *element {
	e := &element{
		name: name, node: n, doc: d, system: true, parent: parent,
		byName: map[string]*element{}, portByName: map[string]*port{},
		dictionaries: map[string]*signals{},
	}
	l.readPorts(e)
	l.readDictionaries(e)
	for _, c := range n.In(ssd, "Elements").Elements() {
		if c.Space != ssd {
			continue
		}
		if l.nodes++; l.nodes > maxTree {
			l.stop("SSP-S9", d.place(c), fmt.Sprintf("more than %d elements", maxTree),
				"reduce the size of the system")
			break
		}
		if child := l.readElement(e, c); child != nil {
			l.adopt(e, child)
		}
	}
	return e
}

// adopt adds a child and checks its name.
func (l *loader) adopt(e, child *element) {
	switch {
	case strings.TrimSpace(child.name) == "":
		l.stop("SSP-S4", child.doc.place(child.node), "an element without a name", "give it a name")
		return
	case e.byName[child.name] != nil:
		l.stop("SSP-S4", child.place(), fmt.Sprintf("the system has two elements named %q",
			child.name), "rename one of them")
		return
	}
	e.byName[child.name] = child
	e.children = append(e.children, child)
}

func (l *loader) readElement(parent *element, n *node) *element {
	name := n.Get("name", "")
	switch n.Name {
	case "System":
		return l.readSystem(parent.doc, n, name, parent)
	case "Component":
		return l.readComponent(parent, n, name)
	case "SignalDictionaryReference":
		return l.readReference(parent, n, name)
	}
	return nil
}

// tooLarge counts the parts of a system, and reports once if there are too many to continue.
func (l *loader) tooLarge(parts int, e *element) bool {
	before := l.parts
	if l.parts += parts; l.parts > maxParts && before <= maxParts {
		l.stop("SSP-S9", e.place(),
			fmt.Sprintf("a system of more than %d connectors, connections and values", maxParts),
			"make it smaller")
	}
	return l.parts > maxParts
}

// readPorts reads the connectors of an element.
func (l *loader) readPorts(e *element) {
	if l.tooLarge(len(e.node.In(ssd, "Connectors").Elements()), e) {
		return
	}
	for _, n := range e.node.In(ssd, "Connectors").AllIn(ssd, "Connector") {
		p := l.readPort(e, n)
		name := p.connector.Name
		switch {
		case name == "":
			l.stop("SSP-S4", e.doc.at(n, e.label()), "a connector without a name",
				"give it the name of the variable")
		case e.portByName[name] != nil:
			l.stop("SSP-S4", e.doc.at(n, e.label()), fmt.Sprintf("two connectors are named %q",
				name), "keep one of them")
		default:
			e.ports = append(e.ports, p)
			e.portByName[name] = p
		}
	}
}

func (l *loader) readPort(e *element, n *node) *port {
	c := &Connector{Name: n.Get("name", ""), Kind: Kind(n.Get("kind", "")), Place: e.doc.at(n,
		e.label())}
	if !slices.Contains(Kinds(), c.Kind) {
		c.Kind = Unspecified // already reported by the grammar
	}
	p := &port{owner: e, connector: c, node: n, doc: e.doc}
	for _, t := range n.Nodes {
		if t.Space == ssc && typeNames[t.Name] != 0 {
			l.readType(p, t)
		}
	}
	if e.doc.version >= 2 { // older versions have no such attribute
		for _, dim := range n.AllIn(ssc, "Dimension") {
			l.readDimension(p, dim)
		}
	}
	return p
}

// readType reads the type of a connector or of an entry of a dictionary.
func (l *loader) readType(p *port, t *node) {
	c := p.connector
	c.Type = typeNames[t.Name]
	switch c.Type {
	case fmi.Enumeration:
		c.Enumeration = t.Get("name", "")
		items, known := p.doc.enumerations[c.Enumeration]
		p.items = items
		if !known {
			l.find("SSP-X3", p.doc.at(t, c.Name),
				fmt.Sprintf("the enumeration %q is not declared in this file", c.Enumeration),
				"declare it in Enumerations of this file")
		}
	case fmi.Binary:
		c.MIMEType = t.Get("mime-type", "application/octet-stream")
	case fmi.Real, fmi.Float64, fmi.Float32:
		c.Unit = t.Get("unit", "")
		l.knownUnit(p.doc, t, c.Unit, c.Name)
	}
}

// knownUnit reports a unit that the file does not declare.
func (l *loader) knownUnit(d *document, n *node, unit, object string) {
	if _, known := d.units[unit]; !known && unit != "" {
		l.find("SSP-U1", d.at(n, object), fmt.Sprintf("the unit %q is not declared in this file",
			unit),
			"declare it in Units of this file: each file has its own")
	}
}

func (l *loader) readDimension(p *port, n *node) {
	size, sized := n.Attribute("size")
	connector, named := n.Attribute("sizeConnector")
	switch {
	case sized && named:
		l.find("SSP-X3", p.doc.at(n, p.connector.Name),
			"a dimension with size and with sizeConnector", "keep one of them")
	case sized:
		p.connector.Dimensions = append(p.connector.Dimensions, parseIndex(size))
	case named:
		p.connector.Dimensions = append(p.connector.Dimensions, 0)
		if p.owner != nil && p.owner.node.In(ssd, "Connectors") != nil &&
			!hasConnector(p.owner.node, connector) {
			l.find("SSP-S4", p.doc.at(n, p.connector.Name),
				fmt.Sprintf("there is no connector %q to take the size from", connector),
				"add the connector of the structural parameter")
		}
	default:
		p.connector.Dimensions = append(p.connector.Dimensions, 0)
	}
}

func hasConnector(element *node, name string) bool {
	return slices.ContainsFunc(element.In(ssd, "Connectors").AllIn(ssd, "Connector"),
		func(n *node) bool {
			return n.Get("name", "") == name
		})
}

// readReference reads a reference to a signal dictionary, and looks up its name from the inside
// out.
func (l *loader) readReference(parent *element, n *node, name string) *element {
	e := &element{name: name, node: n, doc: parent.doc, parent: parent,
		portByName: map[string]*port{}}
	wanted := n.Get("dictionary", "")
	for s := parent; s != nil && e.signals == nil; s = s.parent {
		e.signals = s.dictionaries[wanted]
	}
	l.readPorts(e)
	if e.signals == nil {
		l.stop("SSP-S4", e.place(),
			fmt.Sprintf("there is no signal dictionary %q here or in an enclosing system", wanted),
			"declare it in SignalDictionaries")
		return e
	}
	for _, p := range e.ports {
		entry := e.signals.entries[p.connector.Name]
		if entry == nil {
			l.stop("SSP-S4", p.connector.Place,
				fmt.Sprintf("the signal dictionary %q has no entry %q", wanted, p.connector.Name),
				"add the entry to the dictionary")
			continue
		}
		l.fillFromEntry(p, e.signals, entry)
	}
	return e
}

// fillFromEntry gives a connector of a reference the properties that are left to the dictionary
// entry.
func (l *loader) fillFromEntry(p *port, s *signals, entry *node) {
	if p.connector.Type != 0 {
		return
	}
	p.doc = s.doc
	for _, t := range entry.Nodes {
		if t.Space == ssc && typeNames[t.Name] != 0 {
			l.readType(p, t)
		}
	}
	if len(p.connector.Dimensions) == 0 && s.doc.version >= 2 {
		for _, dim := range entry.AllIn(ssc, "Dimension") {
			l.readDimension(p, dim)
		}
	}
}

// readDictionaries reads the signal dictionaries of a system.
func (l *loader) readDictionaries(e *element) {
	for _, n := range e.node.In(ssd, "SignalDictionaries").AllIn(ssd, "SignalDictionary") {
		name := n.Get("name", "")
		from := e.doc.at(n, "signal dictionary "+name)
		d := l.attached(e.doc, n, dictionary, dictionaryType, from, "SSP-S1")
		if d == nil {
			continue
		}
		s := &signals{name: name, place: from, doc: d, entries: map[string]*node{},
			writers: map[string]*inflows{}}
		for _, entry := range d.root.AllIn(ssb, "DictionaryEntry") {
			key := entry.Get("name", "")
			if s.entries[key] == nil { // duplicates are reported with the dictionary
				s.entries[key] = entry
			}
		}
		if e.dictionaries[name] != nil {
			l.stop("SSP-S4", from, fmt.Sprintf("the system has two signal dictionaries named %q",
				name), "rename one of them")
			continue
		}
		e.dictionaries[name] = s
	}
}
