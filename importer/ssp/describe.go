package ssp

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
)

// Describe writes the description of a system alone (.ssd). source gives the source of each
// component; nil means that of the system.
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
	needs2       bool // something came with SSP 2.0
	connectors   map[*Component][]*Connector
	order        []string // names of enumerations
	enumerations map[string][]item
	err          error
}

// open writes a start tag with attributes in pairs. Empty ones are left out unless their name ends
// in an exclamation mark.
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
		_ = xml.EscapeText(&d.out, []byte(attributes[k+1])) // a Buffer takes everything
		d.out.WriteByte('"')
	}
}

func (d *describer) close(tag string) {
	d.depth--
	d.out.WriteString(strings.Repeat("  ", d.depth) + "</" + tag + ">\n")
}

// plan settles which connectors are written and which version of SSP that takes.
func (d *describer) plan() {
	d.connectors = map[*Component][]*Connector{}
	for _, c := range d.system.Components {
		for _, x := range c.Connectors {
			if x.Type != fmi.Binary || len(d.actual(c, x.Name, true)) == 1 { // else its three Integers are written
				d.connectors[c] = append(d.connectors[c], x)
			}
		}
	}
	for _, x := range d.system.Connections {
		d.need(d.system.Component(x.From.Component), x.From.Connector, x.Message, Output)
		d.need(d.system.Component(x.To.Component), x.To.Connector, x.Message, Input)
		d.needs2 = d.needs2 || len(x.From.Indices)+len(x.To.Indices) > 0
	}
	for _, c := range d.system.Components {
		for _, x := range d.connectors[c] {
			d.inspect(c, x)
		}
		for _, s := range c.Starts {
			plain := s.Type == fmi.Real || s.Type == fmi.Integer || s.Type == fmi.Boolean || s.Type == fmi.String || s.Type == fmi.Enumeration || s.Type == fmi.Binary
			d.needs2 = d.needs2 || !plain || len(s.Values) != 1
		}
		d.needs2 = d.needs2 || c.Source == "" || c.Mode == "ScheduledExecution"
	}
}

// inspect looks for what came with SSP 2.0, and for enumerations.
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
			d.enumerations[name] = fmuItems(&fmuFile{fmu: c.FMU}, x.Variable.DeclaredType)
		}
	default:
		d.needs2 = true
	}
	d.needs2 = d.needs2 || len(x.Dimensions) > 0
}

// enumerationOf is the name that the type of a connector gets: that of the FMU's type, with the
// component before it, because two FMUs may have different types of one name.
func (d *describer) enumerationOf(c *Component, x *Connector) string {
	if c.FMU == nil || x.Variable == nil || x.Variable.DeclaredType == "" {
		return ""
	}
	return c.Name + "." + x.Variable.DeclaredType
}

// typeOf is the type that is written for a connector, in the words of SSP 1.0 where it has them.
func (d *describer) typeOf(x *Connector) fmi.Type {
	t := x.Type
	if t == 0 && x.Variable != nil {
		t = x.Variable.Type
	}
	return writtenType(t)
}

// writtenType is a type in the words of SSP 1.0, where it has them.
func writtenType(t fmi.Type) fmi.Type {
	switch t {
	case fmi.Float64:
		return fmi.Real
	case fmi.Int32:
		return fmi.Integer
	}
	return t
}

// need adds a connector that a connection needs.
func (d *describer) need(c *Component, name string, isMessage bool, kind Kind) {
	if c == nil {
		d.err = &Error{Kind: ErrSystem, Found: "a connection to a component that the system does not have"}
		return
	}
	for _, name := range d.actual(c, name, isMessage) {
		if slices.ContainsFunc(d.connectors[c], func(x *Connector) bool { return x.Name == name }) {
			continue
		}
		x := &Connector{Name: name, Kind: kind}
		if v := findVariable(c.FMU, name); v != nil {
			x.Type, x.Variable, x.Dimensions = v.Type, v, variableShape(v)
			if x.Kind = Kind(v.Causality); !slices.Contains(Kinds(), x.Kind) {
				x.Kind = Unspecified
			}
		} else if isMessage {
			x.Type = fmi.Binary
		}
		d.connectors[c] = append(d.connectors[c], x)
	}
}

func findVariable(f *archive.FMU, name string) *archive.Variable {
	if f == nil {
		return nil
	}
	for k := range f.Model.Variables {
		v := &f.Model.Variables[k]
		if v.Name == name || slices.ContainsFunc(v.Aliases, func(a archive.Alias) bool { return a.Name == name }) {
			return v
		}
	}
	return nil
}

// actual are the variables that make up what is connected: the three Integers of a message in FMI
// 2.0, as other tools want them.
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
