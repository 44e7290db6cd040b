package ssp

import (
	"strconv"

	"gosmp/fmi"
)

func (d *describer) connection(x *Connection) {
	from, to := d.system.Component(x.From.Component), d.system.Component(x.To.Component)
	sources, targets := []string{x.From.Connector}, []string{x.To.Connector}
	if d.splits(x) {
		sources, targets = d.actual(from, x.From.Connector, x.Message), d.actual(to, x.To.Connector,
			x.Message)
	}
	for k := range sources {
		attributes := []string{
			"startElement", x.From.Component, "startConnector", sources[k], "startIndices",
			numbers(x.From.Indices),
			"endElement", x.To.Component, "endConnector", targets[k], "endIndices",
			numbers(x.To.Indices),
		}
		d.transformed(x, attributes)
	}
}

func numbers(list []uint64) (text string) {
	for k, v := range list {
		if k > 0 {
			text += " "
		}
		text += strconv.FormatUint(v, 10)
	}
	return text
}

// transformed writes a connection with the transformation of its values. Conversions that a reader
// derives from the FMUs' units are not written.
func (d *describer) transformed(x *Connection, attributes []string) {
	t := x.Transformation
	natural := Identity()
	a, b := d.unitAt(x.From), d.unitAt(x.To)
	if a.ok && b.ok {
		if factor, offset, ok := a.unit.Conversion(b.unit); ok {
			natural = Transformation{Factor: factor, Offset: offset}
		}
	}
	if len(t.Map) == 0 && t.Factor == natural.Factor && t.Offset == natural.Offset {
		d.empty("ssd:Connection", attributes...)
		return
	}
	if a.ok && b.ok {
		attributes = append(attributes, "suppressUnitConversion", "true")
	}
	if t.IsIdentity() {
		d.empty("ssd:Connection", attributes...)
		return
	}
	d.open("ssd:Connection", attributes...)
	if len(t.Map) == 0 {
		d.empty("ssc:LinearTransformation", "factor", plain(t.Factor), "offset", plain(t.Offset))
	} else {
		d.mapEntries(t, d.typeAt(x.From), d.typeAt(x.To))
	}
	d.close("ssd:Connection")
}

// mapEntries writes the map of a transformation between connectors of two types.
func (d *describer) mapEntries(t Transformation, source, target fmi.Type) {
	tag := "ssc:IntegerMappingTransformation"
	if source == fmi.Boolean {
		tag, target = "ssc:BooleanMappingTransformation", fmi.Boolean
	}
	d.open(tag)
	for _, e := range t.Map {
		d.empty("ssc:MapEntry", "source", spell(e.Source, source), "target", spell(e.Target,
			target))
	}
	d.close(tag)
}

// typeAt returns the type of a connector to be written; 0 if it has none.
func (d *describer) typeAt(p Port) fmi.Type {
	for _, c := range d.connectors[d.system.Component(p.Component)] {
		if c.Name == p.Connector {
			return d.typeOf(c)
		}
	}
	return 0
}

// spell returns the text of one end of a map entry.
func spell(v int64, t fmi.Type) string {
	switch t {
	case fmi.Boolean:
		return strconv.FormatBool(v != 0)
	case fmi.UInt64:
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}

// unitAt returns the unit of a port, as interpreted by readers of the description.
func (d *describer) unitAt(p Port) unitOf {
	if c := d.system.Component(p.Component); c != nil {
		return unitIn(c, p.Connector)
	}
	for _, x := range d.system.Interface {
		if x.Name == p.Connector && d.typeOf(x).IsFloat() {
			return x.unit
		}
	}
	return unitOf{}
}

// unitIn returns the unit of a variable as stated by its FMU.
func unitIn(c *Component, name string) unitOf {
	if c.FMU == nil {
		return unitOf{}
	}
	return fmuUnit(&element{fmu: &fmuFile{fmu: c.FMU}}, &Connector{Variable: findVariable(c.FMU,
		name)})
}
