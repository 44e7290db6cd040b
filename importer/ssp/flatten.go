package ssp

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi"
)

// leaves are the components of a system in the order of the files.
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

// origin is where a value comes from: a connector of a component, or one of a system that nothing
// flows into.
type origin struct {
	port           *port
	transformation Transformation
	indices        []uint64
}

// maxOrigins bounds the values that flow into one connector by way of arrays.
const maxOrigins = 1 << 12

// flatten follows the connections from each destination to its sources and makes them into
// connections between components.
func (l *loader) flatten(top *element) {
	taken := map[string]bool{}
	for _, e := range top.leaves() {
		c := e.component
		c.Path = e.names()
		c.Name = strings.Join(c.Path, ".")
		if taken[c.Name] {
			l.stop("SSP-S4", c.Place, fmt.Sprintf("two components are called %q when systems are joined by dots", c.Name), "rename one of them")
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
}

// flattenPort makes the connections that end at a connector of a component.
func (l *loader) flattenPort(e *element, p *port) {
	for _, x := range p.outside {
		for _, o := range l.origins(x, map[*edge]bool{}) {
			if o.port.owner.component == nil {
				l.boundaryStart(e, p, o)
				continue
			}
			l.system.Connections = append(l.system.Connections, &Connection{
				From:           Port{strings.Join(o.port.owner.names(), "."), o.port.connector.Name, o.indices},
				To:             Port{e.component.Name, p.connector.Name, x.toIndices},
				Initial:        p.connector.Kind == Parameter || p.connector.Kind == StructuralParameter,
				Transformation: o.transformation,
				Place:          x.doc.place(x.node),
				order:          len(l.system.Connections),
			})
		}
	}
}

// origins follows an edge upstream. Edges that were followed already close a loop of systems
// without a component in it.
func (l *loader) origins(x *edge, seen map[*edge]bool) []origin {
	if seen[x] || len(seen) > maxOrigins {
		return nil
	}
	seen[x] = true
	defer delete(seen, x)
	before := x.sources()
	if len(before) == 0 {
		return []origin{{port: x.from, transformation: x.transformation, indices: x.fromIndices}}
	}
	var list []origin
	for _, b := range before {
		for _, o := range l.origins(b, seen) {
			if len(x.fromIndices) > 0 || len(b.toIndices) > 0 {
				l.stop("SSP-S5", x.doc.place(x.node), "elements of an array are connected through the boundary of a system, which is not read here",
					"connect the whole array to the boundary")
				return nil
			}
			joined, ok := o.transformation.then(x.transformation)
			if !ok {
				l.stop("SSP-S5", x.doc.place(x.node), "a map follows a linear transformation", "keep one of the two")
				return nil
			}
			o.transformation = joined
			if list = append(list, o); len(list) > maxOrigins {
				return list
			}
		}
	}
	return list
}

// sources are the edges that bring the value to where an edge begins; none at a component and where
// nothing flows in.
func (x *edge) sources() []*edge {
	switch owner := x.from.owner; {
	case owner.signals != nil:
		var list []*edge
		for _, w := range owner.signals.writers[x.from.connector.Name] {
			if w != x {
				list = append(list, w)
			}
		}
		return list
	case owner.component != nil:
		return nil
	case x.fromInner:
		return x.from.outside
	}
	return x.from.inside
}

// boundaryStart makes the value that a binding gives to a connector of a system into a start value
// of what it is connected to.
func (l *loader) boundaryStart(e *element, p *port, o origin) {
	if o.port.binds == nil {
		return
	}
	v := *o.port.binds
	v.reason += " of " + o.port.label() + ", by a connection"
	v.connected = true
	if values, ok := l.carry(v.values, o.port, p, o.transformation); ok {
		v.values = values
		e.given(p.connector.Name, &v)
	}
}

// carry applies a transformation to the texts of values.
func (l *loader) carry(values []string, from, to *port, t Transformation) ([]string, bool) {
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
		list[k] = v
	}
	return list, true
}

// text applies a transformation to the text of a value.
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
