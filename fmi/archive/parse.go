package archive

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/xmldoc"
)

// descriptionName is the file in an FMU that describes the model.
const descriptionName = "modelDescription.xml"

// Parse reads a model description. If it cannot be read, the error is an [Error]. Faults that do
// not prevent reading are ignored here; package fmi/check reports them.
func Parse(r io.Reader) (*ModelDescription, error) {
	m, _, err := parse(r, xmldoc.Options{Limits: documentLimits})
	return m, err
}

// parse is like Parse, but also returns the document.
func parse(r io.Reader, o xmldoc.Options) (*ModelDescription, *xmldoc.Node, error) {
	root, err := readTree(r, o)
	if err == nil {
		var m *ModelDescription
		if m, err = parseRoot(root); err == nil {
			return m, root, nil
		}
	}
	err.Place.Entry = descriptionName
	return nil, nil, err
}

// parser turns a tree into a model description.
type parser struct {
	root  *xmldoc.Node
	major fmi.Version
	m     *ModelDescription
	types map[string]*Type
	valid bool // whether the last value that was read is valid
}

func parseRoot(root *xmldoc.Node) (*ModelDescription, *Error) {
	fail := func(found, expected string) (*ModelDescription, *Error) {
		return nil, fault.New(ErrNotFMI, fault.Place{Line: root.Line, Column: root.Column}, found,
			expected)
	}
	if root.Name != "fmiModelDescription" {
		return fail("the root element <"+root.Name+">", "<fmiModelDescription>")
	}
	version, found := root.Attribute("fmiVersion")
	if !found {
		return fail("no attribute fmiVersion", "1.0, 2.0 or 3.0")
	}
	major, err := fmi.ParseVersion(version)
	if err != nil {
		return fail(fmt.Sprintf("fmiVersion %q", version), "1.0, 2.0 or 3.0")
	}
	p := &parser{root: root, major: major, types: map[string]*Type{}}
	p.m = &ModelDescription{FMIVersion: version}
	p.head()
	p.definitions()
	p.variables()
	p.structure()
	return p.m, nil
}

// head reads the attributes of the root element, the interfaces, and the annotations of the whole
// FMU.
func (p *parser) head() {
	m, n := p.m, p.root
	m.ModelName = n.Value("modelName")
	token := "guid"
	if p.major >= fmi.FMI3 {
		token = "instantiationToken"
	}
	m.InstantiationToken = n.Value(token)
	m.Description, m.Version, m.Author = n.Value("description"), n.Value("version"),
		n.Value("author")
	m.Copyright, m.License = n.Value("copyright"), n.Value("license")
	m.GenerationTool, m.GenerationDateAndTime = n.Value("generationTool"),
		n.Value("generationDateAndTime")
	m.VariableNamingConvention = word(n, "variableNamingConvention", "flat")
	m.Interfaces = p.interfaces()
	e := n.Child("DefaultExperiment")
	m.DefaultExperiment = DefaultExperiment{
		p.number(e, "startTime"), p.number(e, "stopTime"), p.number(e, "tolerance"),
		p.number(e, "stepSize"),
	}
	if p.major >= fmi.FMI3 {
		m.Annotations = p.annotations(n.Child("Annotations"))
	} else {
		m.Annotations = p.annotations(n.Child("VendorAnnotations"))
	}
}

// definitions reads units, types and log categories.
func (p *parser) definitions() {
	m := p.m
	m.Units, m.Types, m.LogCategories = []fmi.Unit{}, []Type{}, []fmi.LogCategory{}
	for _, n := range p.root.Child("UnitDefinitions").Children("Unit") {
		m.Units = append(m.Units, p.unit(n))
	}
	// FMI 1.0: a name with its display units
	for _, n := range p.root.Child("UnitDefinitions").Children("BaseUnit") {
		u := fmi.Unit{Name: n.Value("unit"), DisplayUnits: []fmi.DisplayUnit{}}
		for _, d := range n.Children("DisplayUnitDefinition") {
			u.DisplayUnits = append(u.DisplayUnits, p.displayUnit(d, "displayUnit", "gain"))
		}
		m.Units = append(m.Units, u)
	}
	for _, n := range p.root.Child("LogCategories").Children("Category") {
		m.LogCategories = append(m.LogCategories, fmi.LogCategory{Name: n.Value("name"),
			Description: n.Value("description")})
	}
	for _, n := range p.root.Child("TypeDefinitions").Nodes {
		if t := p.typeDefinition(n); t.Base != 0 {
			m.Types = append(m.Types, t)
		}
	}
	for k := range m.Types {
		p.types[m.Types[k].Name] = &m.Types[k]
	}
}

// unit reads a unit. Without a BaseUnit its factor stays 0, because nothing is known about it.
func (p *parser) unit(n *xmldoc.Node) fmi.Unit {
	u := fmi.Unit{Name: n.Value("name"), DisplayUnits: []fmi.DisplayUnit{}}
	base := n.Child("BaseUnit")
	var exponents [8]int
	for k, name := range fmi.BaseUnits() {
		exponents[k] = int(p.integer(base, name, 0))
	}
	u.SetExponents(exponents)
	if len(n.Children("BaseUnit")) > 0 {
		u.Factor, u.Offset = p.real(base, "factor", 1), p.real(base, "offset", 0)
	}
	for _, d := range n.Children("DisplayUnit") {
		u.DisplayUnits = append(u.DisplayUnits, p.displayUnit(d, "name", "factor"))
	}
	return u
}

func (p *parser) displayUnit(n *xmldoc.Node, name, factor string) fmi.DisplayUnit {
	return fmi.DisplayUnit{Name: n.Value(name), Factor: p.real(n, factor, 1),
		Offset: p.real(n, "offset", 0)}
}

// typeDefinition reads a type definition. Since FMI 3.0 it is an element named after the type;
// earlier versions wrap such an element in another one. If the element is not a type, Base is 0.
func (p *parser) typeDefinition(n *xmldoc.Node) Type {
	t := Type{Name: n.Value("name"), Description: n.Value("description"),
		Items: []EnumerationItem{}}
	switch {
	case p.major >= fmi.FMI3:
		if name, isType := strings.CutSuffix(n.Name, "Type"); isType {
			t.Base, _ = fmi.ParseType(p.major, name)
			t.attributes = n
		}
	default:
		for _, c := range n.Nodes {
			if base, err := fmi.ParseType(p.major, strings.TrimSuffix(c.Name,
				"Type")); err == nil {
				t.Base, t.attributes = base, c
			}
		}
	}
	if t.Base == 0 {
		return t
	}
	for k, item := range t.attributes.Children("Item") {
		value := item.Value("value")
		if p.major == fmi.FMI1 {
			value = strconv.Itoa(k + 1)
		}
		t.Items = append(t.Items, EnumerationItem{item.Value("name"), value,
			item.Value("description")})
	}
	return t
}

// annotations reads annotations, which are the children of an element.
func (p *parser) annotations(n *xmldoc.Node) []fmi.Annotation {
	name := "name"
	if p.major >= fmi.FMI3 {
		name = "type"
	}
	list := []fmi.Annotation{}
	for _, tool := range n.Children("Tool", "Annotation") {
		list = append(list, fmi.Annotation{Tool: tool.Value(name), Elements: elements(tool.Nodes)})
	}
	return list
}

func elements(nodes []*xmldoc.Node) []fmi.Element {
	list := []fmi.Element{}
	for _, n := range nodes {
		e := fmi.Element{Namespace: n.Space, Name: n.Name, Text: n.Text(),
			Elements: elements(n.Nodes)}
		for _, a := range n.Attributes {
			if a.Space != "xmlns" && a.Name != "xmlns" {
				e.Attributes = append(e.Attributes, fmi.Attribute{Namespace: a.Space,
					Name: a.Name, Value: a.Value})
			}
		}
		list = append(list, e)
	}
	return list
}

// word reads a keyword. It returns an unknown keyword unchanged.
func word[T ~string](n *xmldoc.Node, name string, missing T) T {
	if text, found := n.Attribute(name); found {
		return T(text)
	}
	return missing
}

func (p *parser) boolean(n *xmldoc.Node, name string, missing bool) bool {
	p.valid = true
	text, found := n.Attribute(name)
	if !found {
		return missing
	}
	value, ok := fmi.ParseBoolean(text)
	p.valid = ok
	return value
}

func (p *parser) integer(n *xmldoc.Node, name string, missing int64) int64 {
	p.valid = true
	text, found := n.Attribute(name)
	if !found {
		return missing
	}
	value, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil {
		p.valid = false
		return missing
	}
	return value
}

// number reads a finite number. It returns nil if there is no such number.
func (p *parser) number(n *xmldoc.Node, name string) *float64 {
	p.valid = true
	text, found := n.Attribute(name)
	if !found {
		return nil
	}
	number, err := fmi.Real.ParseValue(text)
	value, _ := number.(float64)
	if err != nil || math.IsInf(value, 0) || math.IsNaN(value) {
		p.valid = false
		return nil
	}
	return &value
}

func (p *parser) real(n *xmldoc.Node, name string, missing float64) float64 {
	if x := p.number(n, name); x != nil {
		return *x
	}
	return missing
}
