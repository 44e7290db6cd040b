package archive

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// descriptionName is the file in an FMU that describes the model.
const descriptionName = "modelDescription.xml"

// Parse reads a model description. If it cannot be read, the error is an [Error]; faults that do
// not prevent reading are in Problems.
func Parse(r io.Reader) (*ModelDescription, error) { return parse(r, documentLimits) }

func parse(r io.Reader, l limits) (*ModelDescription, error) {
	root, err := readTree(r, l)
	if err == nil {
		var m *ModelDescription
		if m, err = parseRoot(root); err == nil {
			return m, nil
		}
	}
	err.Place.Entry = descriptionName
	return nil, err
}

// parser turns a tree into a model description.
type parser struct {
	root  *node
	major fmi.Version
	m     *ModelDescription
	types map[string]*Type
	units map[string]bool
	place string // the variable that is being read
	valid bool   // the last value that was read is valid
}

func parseRoot(root *node) (*ModelDescription, *Error) {
	fail := func(found, expected string) (*ModelDescription, *Error) {
		return nil, &Error{Place: fault.Place{Line: root.line, Column: root.column},
			Kind: ErrNotFMI, Found: found, Expected: expected}
	}
	if root.name.Local != "fmiModelDescription" {
		return fail("the root element <"+root.name.Local+">", "<fmiModelDescription>")
	}
	version, found := root.attribute("fmiVersion")
	if !found {
		return fail("no attribute fmiVersion", "1.0, 2.0 or 3.0")
	}
	major, err := fmi.ParseVersion(version)
	if err != nil {
		return fail(fmt.Sprintf("fmiVersion %q", version), "1.0, 2.0 or 3.0")
	}
	p := &parser{root: root, major: major, types: map[string]*Type{}, units: map[string]bool{}}
	p.m = &ModelDescription{FMIVersion: version, Problems: finding.List{}}
	if p.major < fmi.FMI3 && version != fmt.Sprintf("%d.0", major) {
		p.error(root, "fmiVersion is %q, expected %d.0 for every release of FMI %d", version, major,
			major)
	}
	p.head()
	p.definitions()
	p.variables()
	p.structure()
	slices.SortStableFunc(p.m.Problems, func(a, b finding.Finding) int {
		return cmp.Compare(a.Place.Line, b.Place.Line)
	})
	return p.m, nil
}

// head reads the root's attributes, the interfaces and the annotations of the whole FMU.
func (p *parser) head() {
	m, n := p.m, p.root
	m.ModelName = p.required(n, "modelName")
	token := "guid"
	if p.major >= fmi.FMI3 {
		token = "instantiationToken"
	}
	m.InstantiationToken = p.required(n, token)
	m.Description, m.Version, m.Author = n.value("description"), n.value("version"),
		n.value("author")
	m.Copyright, m.License = n.value("copyright"), n.value("license")
	m.GenerationTool, m.GenerationDateAndTime = n.value("generationTool"),
		n.value("generationDateAndTime")
	m.VariableNamingConvention = oneOf(p, n, "variableNamingConvention", "flat", []string{"flat",
		"structured"})
	m.Interfaces = p.interfaces()
	e := n.child("DefaultExperiment")
	m.DefaultExperiment = DefaultExperiment{
		p.number(e, "startTime"), p.number(e, "stopTime"), p.number(e, "tolerance"),
		p.number(e, "stepSize"),
	}
	if p.major >= fmi.FMI3 {
		m.Annotations = p.annotations(n.child("Annotations"))
	} else {
		m.Annotations = p.annotations(n.child("VendorAnnotations"))
	}
}

// definitions reads units, types and log categories.
func (p *parser) definitions() {
	m := p.m
	m.Units, m.Types, m.LogCategories = []fmi.Unit{}, []Type{}, []fmi.LogCategory{}
	for _, n := range p.root.child("UnitDefinitions").children("Unit") {
		m.Units = append(m.Units, p.unit(n))
	}
	// FMI 1.0: a name, and units to show it in
	for _, n := range p.root.child("UnitDefinitions").children("BaseUnit") {
		u := fmi.Unit{Name: p.required(n, "unit"), DisplayUnits: []fmi.DisplayUnit{}}
		for _, d := range n.children("DisplayUnitDefinition") {
			u.DisplayUnits = append(u.DisplayUnits, p.displayUnit(d, "displayUnit", "gain"))
		}
		m.Units = append(m.Units, u)
	}
	for _, n := range p.root.child("LogCategories").children("Category") {
		m.LogCategories = append(m.LogCategories, fmi.LogCategory{Name: p.required(n, "name"),
			Description: n.value("description")})
	}
	for _, n := range p.root.child("TypeDefinitions").nodes {
		if t := p.typeDefinition(n); t.Base != 0 {
			m.Types = append(m.Types, t)
		} else {
			p.warn(n, "element <%s> in TypeDefinitions, which FMI %s does not define", n.name.Local,
				m.FMIVersion)
		}
	}
	for _, u := range m.Units {
		p.units[u.Name] = true
	}
	for k := range m.Types {
		p.types[m.Types[k].Name] = &m.Types[k]
	}
}

// unit reads a unit. Without a BaseUnit its factor stays 0: nothing is known about it.
func (p *parser) unit(n *node) fmi.Unit {
	u := fmi.Unit{Name: p.required(n, "name"), DisplayUnits: []fmi.DisplayUnit{}}
	base := n.child("BaseUnit")
	var exponents [8]int
	for k, name := range fmi.BaseUnits() {
		exponents[k] = int(p.integer(base, name, 0))
	}
	u.SetExponents(exponents)
	if len(n.children("BaseUnit")) > 0 {
		u.Factor, u.Offset = p.real(base, "factor", 1), p.real(base, "offset", 0)
	}
	for _, d := range n.children("DisplayUnit") {
		u.DisplayUnits = append(u.DisplayUnits, p.displayUnit(d, "name", "factor"))
	}
	return u
}

func (p *parser) displayUnit(n *node, name, factor string) fmi.DisplayUnit {
	return fmi.DisplayUnit{Name: p.required(n, name), Factor: p.real(n, factor, 1),
		Offset: p.real(n, "offset", 0)}
}

// typeDefinition reads a type: an element of its own since FMI 3.0; earlier, an element that
// contains another one. Base is 0 if the element is not a type.
func (p *parser) typeDefinition(n *node) Type {
	t := Type{Name: p.required(n, "name"), Description: n.value("description"),
		Items: []EnumerationItem{}}
	switch {
	case p.major >= fmi.FMI3:
		if name, isType := strings.CutSuffix(n.name.Local, "Type"); isType {
			t.Base, _ = fmi.ParseType(p.major, name)
			t.attributes = n
		}
	default:
		for _, c := range n.nodes {
			if base, err := fmi.ParseType(p.major, strings.TrimSuffix(c.name.Local,
				"Type")); err == nil {
				t.Base, t.attributes = base, c
			}
		}
	}
	if t.Base == 0 {
		return t
	}
	for k, item := range t.attributes.children("Item") {
		value := item.value("value")
		if p.major == fmi.FMI1 {
			value = strconv.Itoa(k + 1)
		}
		t.Items = append(t.Items, EnumerationItem{p.required(item, "name"), value,
			item.value("description")})
	}
	return t
}

// annotations reads the children of an element with annotations.
func (p *parser) annotations(n *node) []fmi.Annotation {
	name := "name"
	if p.major >= fmi.FMI3 {
		name = "type"
	}
	list := []fmi.Annotation{}
	for _, tool := range n.children("Tool", "Annotation") {
		list = append(list, fmi.Annotation{Tool: p.required(tool, name), Elements: elements(tool.nodes)})
	}
	return list
}

func elements(nodes []*node) []fmi.Element {
	list := []fmi.Element{}
	for _, n := range nodes {
		e := fmi.Element{Namespace: n.name.Space, Name: n.name.Local, Text: n.text.String(),
			Elements: elements(n.nodes)}
		for _, a := range n.attributes {
			if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
				e.Attributes = append(e.Attributes, fmi.Attribute{Namespace: a.Name.Space,
					Name: a.Name.Local, Value: a.Value})
			}
		}
		list = append(list, e)
	}
	return list
}

// error and warn note a problem at an element.
func (p *parser) error(n *node, format string, values ...any) {
	p.note(finding.Error, n, format, values...)
}

func (p *parser) warn(n *node, format string, values ...any) {
	p.note(finding.Warning, n, format, values...)
}

func (p *parser) note(s finding.Severity, n *node, format string, values ...any) {
	place := fault.Place{Entry: descriptionName, Line: n.line, Column: n.column,
		Object: cmp.Or(p.place, n.value("name"))}
	p.m.Problems = append(p.m.Problems, finding.Finding{
		ID: "FMI " + p.m.FMIVersion, Severity: s, Place: place, Message: fmt.Sprintf(format,
			values...),
	})
}

// required returns an attribute that must exist, but may be empty.
func (p *parser) required(n *node, name string) string {
	text, found := n.attribute(name)
	if !found {
		p.error(n, "<%s> has no attribute %s, expected one", n.name.Local, name)
	}
	return text
}

// wrong reports an attribute with an invalid value.
func (p *parser) wrong(n *node, name, wanted string) {
	p.valid = false
	p.error(n, "<%s> has %s=%q, expected %s", n.name.Local, name, n.value(name), wanted)
}

// oneOf reads a word; an unknown one is reported and returned unchanged.
func oneOf[T ~string](p *parser, n *node, name string, missing T, words []T) T {
	text, found := n.attribute(name)
	if !found {
		return missing
	}
	if p.valid = slices.Contains(words, T(text)); !p.valid {
		p.wrong(n, name, "one of "+join(words))
	}
	return T(text)
}

func (p *parser) boolean(n *node, name string, missing bool) bool {
	p.valid = true
	text, found := n.attribute(name)
	if !found {
		return missing
	}
	value, ok := fmi.ParseBoolean(text)
	if !ok {
		p.wrong(n, name, "true or false")
	}
	return value
}

func (p *parser) integer(n *node, name string, missing int64) int64 {
	p.valid = true
	text, found := n.attribute(name)
	if !found {
		return missing
	}
	value, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil {
		p.wrong(n, name, "a whole number of 32 bits")
		return missing
	}
	return value
}

// number reads a finite number, nil if there is none.
func (p *parser) number(n *node, name string) *float64 {
	p.valid = true
	text, found := n.attribute(name)
	if !found {
		return nil
	}
	number, err := fmi.Real.ParseValue(text)
	value, _ := number.(float64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		p.wrong(n, name, "a finite number")
		return nil
	}
	return &value
}

func (p *parser) real(n *node, name string, missing float64) float64 {
	if x := p.number(n, name); x != nil {
		return *x
	}
	return missing
}
