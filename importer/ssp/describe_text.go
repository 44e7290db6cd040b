package ssp

import (
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
)

// text writes the whole description.
func (d *describer) text() {
	s := d.system
	d.out.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
	d.open("ssd:SystemStructureDescription", "xmlns:ssd", ssd, "xmlns:ssc", ssc, "xmlns:ssv", ssv,
		"version", d.version(), "name!", s.Name,
		"description", s.Description, "generationTool", "gosmp")
	title := s.Title
	if title == "" {
		title = "system"
	}
	d.open("ssd:System", "name", title)
	d.writeConnectors(nil)
	relays := d.relays()
	if len(s.Components)+len(relays) > 0 {
		d.open("ssd:Elements")
		for _, c := range s.Components {
			d.component(c)
		}
		for _, r := range relays {
			d.relay(r)
		}
		d.close("ssd:Elements")
	}
	if all := slices.Concat(s.Connections, s.Boundary); len(all) > 0 && d.err == nil {
		d.open("ssd:Connections")
		for _, c := range all {
			if relayed(c) {
				d.through(relays[0])
				relays = relays[1:]
				continue
			}
			d.connection(c)
		}
		d.close("ssd:Connections")
	}
	d.close("ssd:System")
	d.writeEnumerations()
	d.writeUnits()
	d.experiment()
	d.close("ssd:SystemStructureDescription")
}

func (d *describer) component(c *Component) {
	mode := c.Mode
	if mode == "any" {
		mode = ""
	}
	attributes := []string{"name!", c.Name, "description", c.Description, "type", c.Type,
		"implementation", mode}
	if source := d.source(c); source != "" {
		attributes = append(attributes, "source", uri(source))
	}
	if len(d.connectors[c]) == 0 && len(c.Starts) == 0 && c.Step.Seconds == 0 {
		d.empty("ssd:Component", attributes...)
		return
	}
	d.open("ssd:Component", attributes...)
	d.writeConnectors(c)
	d.starts(c)
	d.step(c.Step)
	d.close("ssd:Component")
}

// writeConnectors writes the connectors of a component, or of the top system for nil.
func (d *describer) writeConnectors(c *Component) {
	list := d.connectors[c]
	if len(list) == 0 {
		return
	}
	d.open("ssd:Connectors")
	for _, x := range list {
		d.connector(c, x)
	}
	d.close("ssd:Connectors")
}

// uri returns a path as a relative URI.
func uri(name string) string {
	const hex = "0123456789ABCDEF"
	var out []byte
	for _, b := range []byte(name) {
		if b <= ' ' || b >= 0x7f || b == '%' || b == '#' || b == '?' || b == '"' || b == '<' ||
			b == '>' {
			out = append(out, '%', hex[b>>4], hex[b&15])
			continue
		}
		out = append(out, b)
	}
	return string(out)
}

// step writes a step size as an annotation because SSP itself has no element for it.
func (d *describer) step(s Step) {
	if s.Seconds == 0 {
		return
	}
	d.open("ssd:Annotations")
	d.open("ssc:Annotation", "type", Annotation)
	d.empty("gosmp:Step", "xmlns:gosmp", Annotation, "size", plain(s.Seconds))
	d.close("ssc:Annotation")
	d.close("ssd:Annotations")
}

func (d *describer) connector(c *Component, x *Connector) {
	attributes := []string{"name", x.Name, "kind", string(x.Kind)}
	t := d.typeOf(x)
	enumeration := ""
	if t == fmi.Enumeration {
		if enumeration = d.enumerationOf(c, x); enumeration == "" {
			t = 0
		}
	}
	if t == 0 {
		d.empty("ssd:Connector", attributes...)
		return
	}
	d.open("ssd:Connector", attributes...)
	mime := x.MIMEType
	if mime == "application/octet-stream" {
		mime = ""
	}
	unit := ""
	if c == nil && x.unit.ok && t.IsFloat() {
		unit = x.unit.unit.Name
	}
	d.empty("ssc:"+t.String(), "name", enumeration, "unit", unit, "mime-type", mime)
	d.dimensions(x.Dimensions)
	d.close("ssd:Connector")
}

// dimensions writes the sizes of an array; a size of 0 is left to the FMU.
func (d *describer) dimensions(sizes []uint64) {
	for _, n := range sizes {
		size := ""
		if n > 0 {
			size = strconv.FormatUint(n, 10)
		}
		d.empty("ssc:Dimension", "size", size)
	}
}

// starts writes start values as a parameter set inside the component, in the units of the
// variables.
func (d *describer) starts(c *Component) {
	if len(c.Starts) == 0 {
		return
	}
	d.open("ssd:ParameterBindings")
	d.open("ssd:ParameterBinding")
	d.open("ssd:ParameterValues")
	d.open("ssv:ParameterSet", "version", d.version(), "name", "start values")
	d.open("ssv:Parameters")
	for _, s := range c.Starts {
		d.open("ssv:Parameter", "name", s.Variable)
		d.value(c, s)
		d.close("ssv:Parameter")
	}
	d.close("ssv:Parameters")
	d.close("ssv:ParameterSet")
	d.close("ssd:ParameterValues")
	d.close("ssd:ParameterBinding")
	d.close("ssd:ParameterBindings")
}

// value writes a start value. Enumeration items are numbers here, which are written as Integer
// values if the FMU has no items with these numbers.
func (d *describer) value(c *Component, s Start) {
	t := s.Type
	if t == fmi.Enumeration && !named(s.Values) {
		if items, ok := itemsOf(c, s); ok {
			s.Values = items
		} else {
			t = fmi.Integer
		}
	}
	tag := "ssv:" + t.String()
	switch {
	case len(s.Values) == 1:
		d.empty(tag, "value!", s.Values[0])
	case t == fmi.String || t == fmi.Enumeration || t == fmi.Binary:
		d.open(tag)
		for _, v := range s.Values {
			d.empty("ssv:Value", "value!", v)
		}
		d.close(tag)
	default:
		d.empty(tag, "value!", strings.Join(s.Values, " "))
	}
	if len(s.Values) != 1 {
		d.dimensions(shapeOf(c, s))
	}
}

// shapeOf returns the shape of a start value: the shape of the variable, or one dimension if the
// FMU does not state a shape or structural parameters have changed it.
func shapeOf(c *Component, s Start) []uint64 {
	flat := []uint64{uint64(len(s.Values))}
	v := findVariable(c.FMU, s.Variable)
	if v == nil || (&port{connector: &Connector{Variable: v}}).size() != flat[0] {
		return flat
	}
	return variableShape(v)
}

// itemsOf returns the names of the items of a start value, if a reader gets the same numbers from
// these names.
func itemsOf(c *Component, s Start) (list []string, ok bool) {
	v := findVariable(c.FMU, s.Variable)
	if v == nil {
		return nil, false
	}
	items := fmuItems(&fmuFile{fmu: c.FMU}, v.DeclaredType)
	for _, text := range s.Values {
		number, err := strconv.ParseInt(text, 10, 64)
		k := slices.IndexFunc(items, func(i item) bool { return i.value == number })
		if err != nil || k < 0 || slices.IndexFunc(items,
			func(i item) bool { return i.name == items[k].name }) != k {
			return nil, false
		}
		list = append(list, items[k].name)
	}
	return list, true
}

// named reports whether the values are item names, which are kept if their numbers are not
// declared.
func named(list []string) bool {
	for _, v := range list {
		if _, err := strconv.ParseInt(v, 10, 64); err != nil {
			return true
		}
	}
	return false
}

func (d *describer) writeEnumerations() {
	if len(d.order) == 0 {
		return
	}
	d.open("ssd:Enumerations")
	for _, name := range d.order {
		d.open("ssc:Enumeration", "name", name)
		for _, i := range d.enumerations[name] {
			d.empty("ssc:Item", "name!", i.name, "value", strconv.FormatInt(i.value, 10))
		}
		d.close("ssc:Enumeration")
	}
	d.close("ssd:Enumerations")
}

// writeUnits writes the units of the top system.
func (d *describer) writeUnits() {
	if len(d.units) == 0 {
		return
	}
	d.open("ssd:Units")
	for _, u := range d.units {
		var attributes []string
		for _, p := range u.Powers() {
			attributes = append(attributes, p.Name, strconv.Itoa(p.Exponent))
		}
		if u.Scale() != 1 {
			attributes = append(attributes, "factor", plain(u.Scale()))
		}
		if u.Offset != 0 {
			attributes = append(attributes, "offset", plain(u.Offset))
		}
		d.open("ssc:Unit", "name", u.Name)
		d.empty("ssc:BaseUnit", attributes...)
		d.close("ssc:Unit")
	}
	d.close("ssd:Units")
}

func (d *describer) experiment() {
	x := d.system.Experiment
	if x.Start == nil && x.Stop == nil && x.Step.Seconds == 0 {
		return
	}
	attributes := []string{"startTime", seconds(x.Start), "stopTime", seconds(x.Stop)}
	if x.Step.Seconds == 0 {
		d.empty("ssd:DefaultExperiment", attributes...)
		return
	}
	d.open("ssd:DefaultExperiment", attributes...)
	d.step(x.Step)
	d.close("ssd:DefaultExperiment")
}
