package ssp

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
)

// leaves returns the components of a system in the order of the files.
func (e *element) leaves() (list []*element) {
	for _, c := range e.children {
		switch {
		case c.system:
			list = append(list, c.leaves()...)
		case c.component != nil:
			list = append(list, c)
		}
	}
	return list
}

// origin is the source of a value: a connector of a component, or a connector of a system with no
// incoming value.
type origin struct {
	port           *port
	transformation Transformation
	indices        []uint64 // the element of the port; none means all
	part           []uint64 // the destination's element that receives the value; none means all
	// a connector on the path has no unit, so nothing is converted there
	unitless   bool
	suppressed bool // a connection on the path suppresses unit conversion
}

// maxOrigins is the maximum number of values that can flow into one connector through arrays.
const maxOrigins = 1 << 12

// maxFollowed limits how often connections are followed, because array elements could multiply the
// number of paths through systems and dictionaries.
const maxFollowed = 1 << 18

// flatten follows the connections from each destination to its sources and turns them into
// connections between components.
func (l *loader) flatten(top *element) {
	taken := map[string]bool{}
	for _, e := range top.leaves() {
		c := e.component
		c.Path = e.names()
		c.Name = strings.Join(c.Path, ".")
		if taken[c.Name] {
			l.stop("SSP-S4", c.Place,
				fmt.Sprintf("two components are called %q when systems are joined by dots", c.Name),
				"rename one of them")
			continue
		}
		taken[c.Name] = true
		for _, p := range e.ports {
			c.Connectors = append(c.Connectors, p.connector)
		}
		l.system.Components = append(l.system.Components, c)
	}
	for _, e := range top.leaves() {
		for _, p := range e.ports {
			l.flattenPort(e, p)
		}
	}
	for _, p := range top.ports {
		l.flattenOutput(top, p)
	}
}

// flattenPort creates the connections that lead to a connector of a component.
func (l *loader) flattenPort(e *element, p *port) {
	for _, x := range p.outside.all {
		for _, o := range l.origins(x, map[*edge]bool{}) {
			if !l.judgeWay(x, o, p) {
				continue
			}
			c := joined(x, o, Port{e.component.Name, p.connector.Name, o.part})
			if o.port.owner.component != nil {
				c.order = len(l.system.Connections)
				l.system.Connections = append(l.system.Connections, c)
				continue
			}
			l.boundaryStart(e, p, o)
			if o.port.owner.isTop() {
				l.system.Boundary = append(l.system.Boundary, c)
			}
		}
	}
}

// judgeWay compares both ends of a path through systems, whose connectors may leave types and units
// unspecified. It returns false if the values cannot be transferred.
func (l *loader) judgeWay(x *edge, o origin, p *port) bool {
	place := x.doc.place(x.node)
	if a, b := o.port.valueType(), p.valueType(); !fits(a, b) {
		l.stop("SSP-S5", place, fmt.Sprintf("%s of the type %s arrives at %s of the type %s",
			o.port.label(), a, p.label(), b),
			"connect equal types, or put a conversion between them")
		return false
	}
	from, to := o.port.unit(), p.unit()
	if !o.unitless || o.suppressed || !o.transformation.IsIdentity() || !from.ok || !to.ok {
		return true
	}
	if factor, offset, ok := from.unit.Conversion(to.unit); !ok || factor != 1 || offset != 0 {
		l.find("SSP-U2", place,
			fmt.Sprintf(
				"%s in %s arrives unconverted at %s in %s: a connector between them has no unit",
				o.port.label(),
				unitText(from.unit), p.label(), unitText(to.unit)),
			"state the units of the connectors of systems and dictionaries")
	}
	return true
}

// flattenOutput creates the connections that lead to a connector of the top system.
func (l *loader) flattenOutput(top *element, p *port) {
	for _, x := range p.inside.all {
		for _, o := range l.origins(x, map[*edge]bool{}) {
			if o.port.owner.component != nil || o.port.owner == top {
				l.system.Boundary = append(l.system.Boundary,
					joined(x, o, Port{"", p.connector.Name, o.part}))
			}
		}
	}
}

// joined returns the connection from an origin to a port, whose last segment is the edge.
func joined(x *edge, o origin, to Port) *Connection {
	return &Connection{
		From: Port{strings.Join(o.port.owner.names(), "."), o.port.connector.Name,
			o.indices},
		To:             to,
		Initial:        x.to.isParameter(),
		Transformation: o.transformation,
		Place:          x.doc.place(x.node),
	}
}

// isParameter reports whether the port receives its value only before initialization.
func (p *port) isParameter() bool {
	kind := p.kind()
	return kind == Parameter || kind == StructuralParameter
}

// kind returns the kind stated in the file. If the file does not specify it, the FMU determines the
// kind.
func (p *port) kind() Kind {
	c, f := p.connector, p.owner.fmu
	if c.Kind != Unspecified || f == nil {
		return c.Kind
	}
	if c.Variable != nil {
		return variableKind(c.Variable)
	}
	if m, is := f.messagesByName()[c.Name]; is {
		return m.kind
	}
	return Unspecified
}

// variableKind returns the kind of a variable's connector.
func variableKind(v *archive.Variable) Kind {
	kind := Kind(v.Causality)
	switch {
	case v.Variability == fmi.Constant:
		return Constant
	case !slices.Contains(Kinds(), kind): // the time
		return Unspecified
	}
	return kind
}

// isTop reports whether the element is the top system.
func (e *element) isTop() bool { return e.system && e.parent == nil }

// origins follows an edge upstream to the origins of everything that arrives at its destination. An
// edge that has already been followed closes a loop of systems without a component.
func (l *loader) origins(x *edge, seen map[*edge]bool) []origin {
	if seen[x] || len(seen) > maxOrigins {
		return nil
	}
	if l.followed++; l.followed > maxFollowed {
		if l.followed == maxFollowed+1 {
			l.stop("SSP-S9", x.doc.place(x.node),
				"too many paths through systems and signal dictionaries",
				"connect components more directly")
		}
		return nil
	}
	seen[x] = true
	defer delete(seen, x)
	var list []origin
	before, hidden := x.sources()
	if len(before) == 0 && !hidden {
		list = append(list, origin{port: x.from, transformation: Identity()})
	}
	for _, b := range before {
		if list = append(list, l.origins(b, seen)...); len(list) > maxOrigins {
			break
		}
	}
	unitless, suppressed := len(before) > 0 && !x.from.unit().ok,
		isTrue(x.node, "suppressUnitConversion")
	var arrived []origin
	for _, o := range list {
		o.unitless, o.suppressed = o.unitless || unitless, o.suppressed || suppressed
		o, is := x.through(o)
		if !is {
			continue
		}
		joined, ok := o.transformation.then(x.transformation)
		if !ok {
			l.stop("SSP-S5", x.doc.place(x.node), "a map follows a linear transformation",
				"keep one of the two")
			return nil
		}
		o.transformation = joined
		arrived = append(arrived, o)
	}
	return arrived
}

// sources returns the edges that lead to the start of an edge; there are none if it starts at a
// component or if nothing flows in. hidden is true if only other elements flow in.
func (x *edge) sources() (list []*edge, hidden bool) {
	if x.from.owner.signals == nil && x.from.owner.component != nil {
		return nil, false
	}
	all := x.from.inflows(!x.fromInner)
	for _, w := range all.into(x.fromIndices) {
		if w != x {
			list = append(list, w)
		}
	}
	return list, len(list) == 0 && len(all.all) > 0
}

// boundaryStart turns the value that a binding gives to a connector of a system into a start value
// for the connected variable.
func (l *loader) boundaryStart(e *element, p *port, o origin) {
	if o.port.binds == nil {
		return
	}
	v := *o.port.binds
	if len(o.part) > 0 {
		l.find("SSP-P2", v.place,
			fmt.Sprintf(
				"the value has no effect: it goes to one element of %s, and start values are "+
					"values of whole arrays",
				p.label()), "give the array a value")
		return
	}
	v.reason += " of " + o.port.label() + ", by a connection"
	v.connected = true
	values := v.values
	if len(o.indices) > 0 {
		shape, _ := o.port.shape()
		at, ok := position(shape, o.indices)
		if !ok || at >= uint64(len(values)) {
			return
		}
		values = values[at : at+1]
	}
	if values, ok := l.carry(values, o.port, p, o.transformation, v.place); ok {
		l.checkRange(values, p, v.place)
		v.values = values
		e.given(p.connector.Name, &v)
	}
}

// carry applies a transformation to the textual forms of values.
func (l *loader) carry(values []string, from, to *port, t Transformation, place fault.Place) (
	[]string, bool) {
	if t.IsIdentity() {
		return values, true
	}
	kind := from.valueType()
	if kind == 0 {
		kind = to.valueType()
	}
	list := slices.Clone(values)
	for k, text := range values {
		v, ok := t.text(kind, text)
		if !ok {
			return nil, false
		}
		if isFinite(text) && !isFinite(v) {
			l.stop("SSP-P3", place, fmt.Sprintf("the value %s becomes %s of %s, expected a finite "+
				"number", text, v, to.label()), "correct the value, its unit or the factor")
			return nil, false
		}
		list[k] = v
	}
	return list, true
}

// isFinite reports whether a text is a number other than NaN and the infinities.
func isFinite(text string) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// text applies a transformation to the textual form of a value.
func (t Transformation) text(kind fmi.Type, text string) (string, bool) {
	v, err := kind.ParseValue(text)
	if err != nil {
		return "", false
	}
	switch x := v.(type) {
	case bool:
		n := int64(0)
		if x {
			n = 1
		}
		return fmi.FormatValue(t.Integer(n) != 0), true
	case float64:
		return fmi.FormatValue(t.Real(x)), true
	case float32:
		return fmi.FormatValue(float32(t.Real(float64(x)))), true
	}
	if n, is := integer(v); is {
		if len(t.Map) == 0 {
			return fmi.FormatValue(t.Real(float64(n))), true
		}
		return fmi.FormatValue(t.Integer(n)), true
	}
	return text, true
}

func integer(v any) (int64, bool) {
	switch x := v.(type) {
	case int8:
		return int64(x), true
	case int16:
		return int64(x), true
	case int32:
		return int64(x), true
	case int64:
		return x, true
	case uint8:
		return int64(x), true
	case uint16:
		return int64(x), true
	case uint32:
		return int64(x), true
	case uint64:
		return int64(x), true
	}
	return 0, false
}
