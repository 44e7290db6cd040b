package ssp

import (
	"fmt"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/similar"
)

// readConnections turns the connections of a system and all systems in it into edges.
func (l *loader) readConnections(e *element) {
	if l.tooLarge(len(e.node.In(ssd, "Connections").Elements()), e) {
		return
	}
	for _, n := range e.node.In(ssd, "Connections").AllIn(ssd, "Connection") {
		if x := l.readConnection(e, n); x != nil {
			e.edges = append(e.edges, x)
		}
	}
	for _, c := range e.children {
		if c.system {
			l.readConnections(c)
		}
	}
}

// readConnection reads one connection; nil if it leads nowhere.
func (l *loader) readConnection(e *element, n *node) *edge {
	start, startInner := l.end(e, n, "start")
	end, endInner := l.end(e, n, "end")
	if start == nil || end == nil {
		return nil
	}
	x := &edge{
		from: start, fromInner: startInner, fromIndices: indices(n, "startIndices"),
		to: end, toInner: endInner, toIndices: indices(n, "endIndices"), node: n, doc: e.doc,
		transformation: Identity(),
	}
	a, b := start.kind(), end.kind()
	switch {
	case flowsTo(a, startInner, b, endInner):
	case flowsTo(b, endInner, a, startInner):
		x.from, x.to, x.fromInner, x.toInner = x.to, x.from, x.toInner, x.fromInner
		x.fromIndices, x.toIndices = x.toIndices, x.fromIndices
		l.find("SSP-S8", e.doc.place(n),
			fmt.Sprintf("the connection is written from its destination %s to its source %s: "+
				"some tools take the first end for the source", x.to.label(), x.from.label()),
			"swap the ends")
	default:
		l.stop("SSP-S5", e.doc.place(n),
			fmt.Sprintf("%s of the kind %s and %s of the kind %s cannot be connected",
				start.label(), a, end.label(), b), "connect a source with a destination")
		return nil
	}
	if !l.joinTypes(x) || !l.inflow(x) {
		return nil
	}
	return x
}

// label returns the display name of a port: element.connector, or the connector of the system
// itself.
func (p *port) label() string {
	name := strings.Join(append(p.owner.names(), p.connector.Name), ".")
	if p.owner.system && p.owner.parent == nil {
		return "the system's " + name
	}
	return name
}

// end finds the connector at one end of a connection.
func (l *loader) end(e *element, n *node, which string) (found *port, inner bool) {
	name, has := n.Attribute(which + "Element")
	connector := n.Get(which+"Connector", "")
	owner := e
	switch {
	case has && name == "":
		l.find("SSP-S8", e.doc.place(n),
			fmt.Sprintf(
				"%sElement is empty: the connector of the system itself is meant by leaving it out",
				which), "remove the attribute")
	case has:
		owner = e.byName[name]
		if owner == nil {
			var names []string
			for _, c := range e.children {
				names = append(names, c.name)
			}
			l.stop("SSP-S4", e.doc.place(n), fmt.Sprintf("the system has no element %q%s", name,
				didYouMean(name, names)),
				"correct the name")
			return nil, false
		}
	}
	found = owner.portByName[connector]
	if found == nil {
		l.unknownConnector(e, n, owner, connector)
	}
	return found, owner == e
}

func (l *loader) unknownConnector(e *element, n *node, owner *element, connector string) {
	var names []string
	for _, p := range owner.ports {
		names = append(names, p.connector.Name)
	}
	hint := "add the connector or correct the name"
	if v := owner.fmu.variable(connector); v != nil {
		hint = fmt.Sprintf(
			"add a connector of this name and of the kind %s: the FMU has the variable",
			v.Causality)
	}
	l.stop("SSP-S4", e.doc.place(n), fmt.Sprintf("%s has no connector %q%s", owner.label(),
		connector, didYouMean(connector, names)), hint)
}

func didYouMean(name string, names []string) string {
	list := similar.Names(name, names)
	if len(list) == 0 {
		return ""
	}
	for k := range list {
		list[k] = strconv.Quote(list[k])
	}
	return "; near " + strings.Join(list, ", ")
}

func parseIndex(text string) (v uint64) {
	for _, c := range strings.TrimSpace(text) {
		if c < '0' || c > '9' || v > 1<<32 {
			return 0
		}
		v = v*10 + uint64(c-'0')
	}
	return v
}

func indices(n *node, name string) (list []uint64) {
	for _, w := range strings.Fields(n.Get(name, "")) {
		list = append(list, parseIndex(w))
	}
	return list
}

// inflow records that the edge flows into its destination, which can have only one source.
func (l *loader) inflow(x *edge) bool {
	other := x.to.inflows(x.toInner).add(x)
	if other != nil {
		l.stop("SSP-S5", x.doc.place(x.node),
			fmt.Sprintf("a second value for %s, which already has one from %s (line %d)",
				x.to.label(), other.from.label(), other.node.Line), "remove one of the connections")
	}
	return other == nil
}

// inflows returns what flows into a port, seen from inside or outside its system. A signal
// dictionary stores them by entry, independently of the reference that they pass through.
func (p *port) inflows(inner bool) *inflows {
	s := p.owner.signals
	switch {
	case s != nil:
		if s.writers[p.connector.Name] == nil {
			s.writers[p.connector.Name] = &inflows{}
		}
		return s.writers[p.connector.Name]
	case inner:
		return &p.inside
	}
	return &p.outside
}

// joinTypes checks that the values fit and determines the unit conversion and the transformation.
func (l *loader) joinTypes(x *edge) bool {
	a, b := x.from.valueType(), x.to.valueType()
	place := x.doc.place(x.node)
	if !fits(a, b) {
		l.stop("SSP-S5", place, fmt.Sprintf("%s is of type %s, and %s is of type %s",
			x.from.label(), a, x.to.label(), b),
			"connect equal types, or put a conversion between them")
		return false
	}
	if m, n := x.from.mime(), x.to.mime(); a == fmi.Binary && !l.sameMIME(m, n, x) {
		return false
	}
	if !l.joinSizes(x) {
		return false
	}
	suppress := l.truth(x.doc, x.node, "suppressUnitConversion")
	t := transformationOf(x.node)
	if extra := len(transformations(x.node)) - 1; extra > 0 {
		l.stop("SSP-S5", x.doc.place(transformations(x.node)[1]),
			"a second transformation in one connection", "keep one of them")
	}
	unit, ok := l.convertUnits(place, x.from.unit(), x.to.unit(), suppress, t != nil)
	if !ok {
		return false
	}
	var transformed Transformation
	if transformed, ok = l.transformation(x.doc, t, x.from, x.to); !ok {
		return false
	}
	x.transformation, ok = unit.then(transformed)
	return ok
}

// valueType returns the type of a port: the type stated in the file, otherwise the FMU's type; 0 if
// unknown.
func (p *port) valueType() fmi.Type {
	if t := p.connector.Type; t != 0 {
		return t
	}
	if v := p.connector.Variable; v != nil {
		return v.Type
	}
	return 0
}

func (p *port) mime() string {
	if v := p.connector.Variable; v != nil && p.connector.Type == 0 {
		return v.MIMEType
	}
	return p.connector.MIMEType
}
