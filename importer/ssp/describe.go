package ssp

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
)

// Describe returns only the description of a system (.ssd). source returns the source of each
// component; if it is nil, the sources in the system are used.
func Describe(s *System, source func(*Component) string) ([]byte, error) {
	d := &describer{system: s, source: source, enumerations: map[string][]item{}}
	if source == nil {
		d.source = func(c *Component) string { return c.Source }
	}
	d.plan()
	d.text()
	return d.out.Bytes(), d.err
}

// describer writes the XML of a system.
type describer struct {
	system       *System
	source       func(*Component) string
	out          bytes.Buffer
	depth        int
	needs2       bool                        // some content requires SSP 2.0
	connectors   map[*Component][]*Connector // for the top system: key nil
	order        []string                    // names of enumerations
	enumerations map[string][]item
	units        []fmi.Unit // of the connectors of the top system
	err          error
}

// open writes a start tag with attributes given in pairs. Empty attributes are omitted unless their
// names end in an exclamation mark.
func (d *describer) open(tag string, attributes ...string) {
	d.start(tag, attributes)
	d.out.WriteString(">\n")
	d.depth++
}

func (d *describer) empty(tag string, attributes ...string) {
	d.start(tag, attributes)
	d.out.WriteString("/>\n")
}

func (d *describer) start(tag string, attributes []string) {
	d.out.WriteString(strings.Repeat("  ", d.depth) + "<" + tag)
	for k := 0; k < len(attributes); k += 2 {
		name, always := strings.CutSuffix(attributes[k], "!")
		if attributes[k+1] == "" && !always {
			continue
		}
		d.out.WriteString(" " + name + `="`)
		_ = xml.EscapeText(&d.out, []byte(attributes[k+1])) // writing to a Buffer never fails
		d.out.WriteByte('"')
	}
}

func (d *describer) close(tag string) {
	d.depth--
	d.out.WriteString(strings.Repeat("  ", d.depth) + "</" + tag + ">\n")
}

// plan determines which connectors are written and which version of SSP they require.
func (d *describer) plan() {
	d.connectors = map[*Component][]*Connector{nil: d.system.Interface}
	whole := d.wholeMessages()
	for _, c := range d.system.Components {
		for _, x := range c.Connectors {
			d.keep(c, x, whole[Port{Component: c.Name, Connector: x.Name}.String()])
		}
	}
	for _, x := range d.ends() {
		d.need(x)
	}
	d.planUnits()
	for _, c := range append([]*Component{nil}, d.system.Components...) {
		for _, x := range d.connectors[c] {
			d.inspect(c, x)
		}
		if c == nil {
			continue
		}
		for _, s := range c.Starts {
			plain := s.Type == fmi.Real || s.Type == fmi.Integer || s.Type == fmi.Boolean ||
				s.Type == fmi.String || s.Type == fmi.Enumeration || s.Type == fmi.Binary
			d.needs2 = d.needs2 || !plain || len(s.Values) != 1
		}
		d.needs2 = d.needs2 || c.Source == "" || c.Mode == "ScheduledExecution"
	}
	d.needs2 = d.needs2 || d.wideNumbers()
}

// wideNumbers reports whether an item of an enumeration or an entry of a map has more than 32 bits.
func (d *describer) wideNumbers() bool {
	wide := func(v int64) bool { return v != int64(int32(v)) }
	for _, items := range d.enumerations {
		if slices.ContainsFunc(items, func(i item) bool { return wide(i.value) }) {
			return true
		}
	}
	return slices.ContainsFunc(slices.Concat(d.system.Connections, d.system.Boundary),
		func(c *Connection) bool {
			return slices.ContainsFunc(c.Transformation.Map,
				func(e MapEntry) bool { return wide(e.Source) || wide(e.Target) })
		})
}

// inspect looks for SSP 2.0 features and for enumerations.
func (d *describer) inspect(c *Component, x *Connector) {
	switch x.Kind {
	case StructuralParameter, Constant, Local, Unspecified:
		d.needs2 = true
	}
	switch t := d.typeOf(x); t {
	case 0, fmi.Real, fmi.Integer, fmi.Boolean, fmi.String, fmi.Binary:
	case fmi.Enumeration:
		if name := d.enumerationOf(c, x); name != "" && d.enumerations[name] == nil {
			d.order = append(d.order, name)
			d.enumerations[name] = x.items
			if c != nil {
				d.enumerations[name] = fmuItems(&fmuFile{fmu: c.FMU}, x.Variable.DeclaredType)
			}
		}
	default:
		d.needs2 = true
	}
	d.needs2 = d.needs2 || len(x.Dimensions) > 0
}

// enumerationOf returns the name of the type written for a connector. For the top system, it is the
// name in the file. For a component, it is the name of the FMU's type, preceded by the name of the
// component because two FMUs may have different types with the same name.
func (d *describer) enumerationOf(c *Component, x *Connector) string {
	if c == nil {
		if len(x.items) == 0 {
			return ""
		}
		return x.Enumeration
	}
	if c.FMU == nil || x.Variable == nil || x.Variable.DeclaredType == "" {
		return ""
	}
	name := c.Name + "." + x.Variable.DeclaredType
	for slices.ContainsFunc(d.system.Interface,
		func(top *Connector) bool { return top.Enumeration == name }) {
		name += "_"
	}
	return name
}

// typeOf returns the type to write for a connector, expressed as an SSP 1.0 type if possible.
func (d *describer) typeOf(x *Connector) fmi.Type {
	t := x.Type
	if t == 0 && x.Variable != nil {
		t = x.Variable.Type
	}
	return writtenType(t)
}

// writtenType returns a type, expressed as an SSP 1.0 type if possible.
func writtenType(t fmi.Type) fmi.Type {
	switch t {
	case fmi.Float64:
		return fmi.Real
	case fmi.Int32:
		return fmi.Integer
	}
	return t
}

// planUnits collects the units of the connectors of the top system.
func (d *describer) planUnits() {
	for _, x := range d.system.Interface {
		if x.unit.ok && !slices.ContainsFunc(d.units,
			func(u fmi.Unit) bool { return u.Name == x.unit.unit.Name }) {
			d.units = append(d.units, x.unit.unit)
		}
	}
}

// wholeMessages returns the FMI 2.0 messages that are connected under their own names: to an FMI
// 3.0 Binary, a placeholder or the top system. The names are port names.
func (d *describer) wholeMessages() map[string]bool {
	whole := map[string]bool{}
	for _, x := range d.system.Connections {
		if x.Message && !d.splits(x) {
			whole[x.From.String()], whole[x.To.String()] = true, true
		}
	}
	for _, x := range d.system.Boundary {
		whole[x.From.String()], whole[x.To.String()] = true, true
	}
	return whole
}

// splits reports whether a connection of messages is written as three connections of Integers.
func (d *describer) splits(x *Connection) bool {
	from, to := d.system.Component(x.From.Component), d.system.Component(x.To.Component)
	return from != nil && to != nil && len(d.actual(from, x.From.Connector, x.Message)) == len(
		d.actual(to, x.To.Connector, x.Message))
}

// keep plans a connector of a component. An FMI 2.0 message is written as its three Integers, as
// expected by other tools, and under its own name only if something is connected to that name.
func (d *describer) keep(c *Component, x *Connector, whole bool) {
	three := d.actual(c, x.Name, x.Type == fmi.Binary)
	switch {
	case d.planned(c, x.Name):
		return
	case whole || len(three) == 1:
		d.connectors[c] = append(d.connectors[c], withDimensions(x))
		return
	}
	for _, name := range three {
		d.need(plug{component: c, name: name})
	}
}

// withDimensions adds the dimensions of the variable to a connector whose file leaves its type, and
// thus its dimensions, to the FMU. This is necessary because the type is written explicitly.
func withDimensions(x *Connector) *Connector {
	if x.Type != 0 || x.Variable == nil || len(x.Dimensions) > 0 {
		return x
	}
	full := *x
	full.Dimensions = variableShape(x.Variable)
	return &full
}

// planned reports whether a component already has a connector.
func (d *describer) planned(c *Component, name string) bool {
	return slices.ContainsFunc(d.connectors[c], func(x *Connector) bool { return x.Name == name })
}

// plug is one end of a connection to be written.
type plug struct {
	component *Component // nil for the top system
	name      string
	message   bool // a notional binary variable of OSMP
	kind      Kind // if not stated by the FMU
}

// ends returns the ends of all connections to be written.
func (d *describer) ends() (list []plug) {
	for _, x := range d.system.Connections {
		from, to := d.system.Component(x.From.Component), d.system.Component(x.To.Component)
		if from == nil || to == nil {
			d.err = fault.New(ErrSystem, fault.Place{},
				"a connection to a component of the system", "")
			continue
		}
		sources, targets := []string{x.From.Connector}, []string{x.To.Connector}
		if d.splits(x) {
			sources, targets = d.actual(from, x.From.Connector, x.Message),
				d.actual(to, x.To.Connector, x.Message)
		}
		for k := range sources {
			whole := x.Message && len(sources) == 1
			list = append(list, plug{from, sources[k], whole, Output}, plug{to, targets[k], whole,
				Input})
		}
		d.needs2 = d.needs2 || len(x.From.Indices)+len(x.To.Indices) > 0
	}
	for _, x := range d.system.Boundary {
		d.needs2 = d.needs2 || len(x.From.Indices)+len(x.To.Indices) > 0
	}
	return list
}

// need adds a connector needed by a connection.
func (d *describer) need(p plug) {
	if d.planned(p.component, p.name) {
		return
	}
	x := &Connector{Name: p.name, Kind: p.kind}
	if v := findVariable(p.component.FMU, p.name); v != nil {
		x.Type, x.Variable, x.Dimensions = v.Type, v, variableShape(v)
		if x.Kind = Kind(v.Causality); !slices.Contains(Kinds(), x.Kind) {
			x.Kind = Unspecified
		}
	} else if p.message {
		x.Type = fmi.Binary
	}
	d.connectors[p.component] = append(d.connectors[p.component], x)
}

func findVariable(f *archive.FMU, name string) *archive.Variable {
	if f == nil {
		return nil
	}
	for k := range f.Model.Variables {
		v := &f.Model.Variables[k]
		if v.Name == name || slices.ContainsFunc(v.Aliases,
			func(a archive.Alias) bool { return a.Name == name }) {
			return v
		}
	}
	return nil
}

// actual returns the variables that make up a connected variable: the three Integers of an FMI 2.0
// message, as expected by other tools.
func (d *describer) actual(c *Component, name string, isMessage bool) []string {
	if !isMessage || c.FMU == nil || findVariable(c.FMU, name) != nil {
		return []string{name}
	}
	var three [3]string
	for actual, m := range (&fmuFile{fmu: c.FMU}).messagesByName() {
		if m.name == name {
			switch m.role {
			case "base.lo":
				three[0] = actual
			case "base.hi":
				three[1] = actual
			case "size":
				three[2] = actual
			}
		}
	}
	if slices.Contains(three[:], "") {
		return []string{name}
	}
	return three[:]
}

func (d *describer) version() string {
	if d.needs2 {
		return "2.0"
	}
	return "1.0"
}

func seconds(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
