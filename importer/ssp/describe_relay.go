package ssp

import (
	"slices"
	"strconv"

	"gosmp/fmi"
)

// A connection has at most one transformation. If nested systems map a value and then scale it, the
// map is written to a connection that leads to an inner system without components, and the scaling
// to the connection from there.

// relay is such an inner system.
type relay struct {
	name       string
	connection *Connection
}

// relayed reports whether a connection needs two transformations.
func relayed(x *Connection) bool {
	return len(x.Transformation.Map) > 0 && (x.Transformation.Factor != 1 ||
		x.Transformation.Offset != 0)
}

// relays returns the required inner systems by their connections.
func (d *describer) relays() (list []relay) {
	for _, x := range slices.Concat(d.system.Connections, d.system.Boundary) {
		if !relayed(x) {
			continue
		}
		name := "map" + strconv.Itoa(len(list)+1)
		for d.system.Component(name) != nil {
			name += "_"
		}
		list = append(list, relay{name, x})
	}
	return list
}

// relay writes an inner system.
func (d *describer) relay(r relay) {
	x := r.connection
	d.open("ssd:System", "name", r.name)
	d.open("ssd:Connectors")
	for _, kind := range []Kind{Input, Output} {
		d.open("ssd:Connector", "name", string(kind), "kind", string(kind))
		d.empty("ssc:" + d.relayType(x).String())
		if len(x.From.Indices) == 0 {
			d.dimensions(d.dimensionsAt(x.From))
		}
		d.close("ssd:Connector")
	}
	d.close("ssd:Connectors")
	d.open("ssd:Connections")
	d.open("ssd:Connection", "startConnector", string(Input), "endConnector", string(Output))
	d.mapEntries(x.Transformation, d.relayType(x), d.relayType(x))
	d.close("ssd:Connection")
	d.close("ssd:Connections")
	d.close("ssd:System")
}

// relayType returns the integer type of a connection's source or, failing that, the type Integer.
func (d *describer) relayType(x *Connection) fmi.Type {
	if t := d.typeAt(x.From); t.IsInteger() && t != fmi.Enumeration {
		return t
	}
	return fmi.Integer
}

// dimensionsAt returns the dimensions of a connector to be written.
func (d *describer) dimensionsAt(p Port) []uint64 {
	for _, c := range d.connectors[d.system.Component(p.Component)] {
		if c.Name == p.Connector {
			return c.Dimensions
		}
	}
	return nil
}

// through writes the two connections to and from an inner system.
func (d *describer) through(r relay) {
	x := r.connection
	d.empty("ssd:Connection", "startElement", x.From.Component, "startConnector", x.From.Connector,
		"startIndices", numbers(x.From.Indices),
		"endElement", r.name, "endConnector", string(Input))
	d.open("ssd:Connection", "startElement", r.name, "startConnector", string(Output),
		"endElement", x.To.Component, "endConnector", x.To.Connector, "endIndices",
		numbers(x.To.Indices))
	d.empty("ssc:LinearTransformation", "factor", plain(x.Transformation.Factor), "offset",
		plain(x.Transformation.Offset))
	d.close("ssd:Connection")
}
