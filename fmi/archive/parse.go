package archive

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// descriptionName is the file in an FMU that describes the model.
const descriptionName = "modelDescription.xml"

// Parse reads a model description. An [InputError] tells why it cannot be read; what is wrong but can be read nevertheless
// is in Problems.
func Parse(r io.Reader) (*ModelDescription, error) { return parse(r, documentLimits) }

func parse(r io.Reader, l limits) (*ModelDescription, error) {
	root, err := readTree(r, l)
	if err == nil {
		var m *ModelDescription
		if m, err = parseRoot(root); err == nil {
			return m, nil
		}
	}
	var input *InputError
	if !errors.As(err, &input) {
		input = &InputError{Cause: err}
	}
	input.Entry = descriptionName
	return nil, input
}

// parser makes a tree into a model description.
type parser struct {
	root  *node
	major int
	m     *ModelDescription
	types map[string]*Type
	units map[string]bool
	place string // the variable that is being read
	valid bool   // the last value that was read is what it has to be
}

func parseRoot(root *node) (*ModelDescription, error) {
	fail := func(format string, values ...any) (*ModelDescription, error) {
		return nil, &InputError{Line: root.line, Column: root.column,
			Cause: fmt.Errorf("%w: %s", ErrNotFMI, fmt.Sprintf(format, values...))}
	}
	if root.name.Local != "fmiModelDescription" {
		return fail("the root element is <%s>, expected <fmiModelDescription>", root.name.Local)
	}
	version, found := root.attribute("fmiVersion")
	if !found {
		return fail("no attribute fmiVersion, expected 1.0, 2.0 or 3.0")
	}
	major, _, dotted := strings.Cut(version, ".")
	if !dotted || !slices.Contains([]string{"1", "2", "3"}, major) {
		return fail("fmiVersion is %q, expected 1.0, 2.0 or 3.0", version)
	}
	p := &parser{root: root, major: int(major[0] - '0'), types: map[string]*Type{}, units: map[string]bool{}}
	p.m = &ModelDescription{FMIVersion: version, Problems: []Problem{}}
	if p.major < 3 && version != major+".0" {
		p.error(root, "fmiVersion is %q, expected %s.0 for every release of FMI %s", version, major, major)
	}
	p.head()
	p.definitions()
	p.variables()
	p.structure()
	slices.SortStableFunc(p.m.Problems, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return p.m, nil
}

// head reads the root's attributes, the interfaces and the annotations of the whole.
func (p *parser) head() {
	m, n := p.m, p.root
	m.ModelName = p.required(n, "modelName")
	token := "guid"
	if p.major >= 3 {
		token = "instantiationToken"
	}
	m.InstantiationToken = p.required(n, token)
	m.Description, m.Version, m.Author = n.value("description"), n.value("version"), n.value("author")
	m.Copyright, m.License = n.value("copyright"), n.value("license")
	m.GenerationTool, m.GenerationDateAndTime = n.value("generationTool"), n.value("generationDateAndTime")
	m.VariableNamingConvention = p.oneOf(n, "variableNamingConvention", "flat", "flat", "structured")
	m.Interfaces = p.interfaces()
	e := n.child("DefaultExperiment")
	m.DefaultExperiment = DefaultExperiment{
		p.number(e, "startTime"), p.number(e, "stopTime"), p.number(e, "tolerance"), p.number(e, "stepSize"),
	}
	if p.major >= 3 {
		m.Annotations = p.annotations(n.child("Annotations"))
	} else {
		m.Annotations = p.annotations(n.child("VendorAnnotations"))
	}
}

// definitions reads units, types and log categories.
func (p *parser) definitions() {
	m := p.m
	m.Units, m.Types, m.LogCategories = []Unit{}, []Type{}, []LogCategory{}
	for _, n := range p.root.child("UnitDefinitions").children("Unit") {
		m.Units = append(m.Units, p.unit(n))
	}
	for _, n := range p.root.child("UnitDefinitions").children("BaseUnit") { // FMI 1.0: a name, and units to show it in
		u := Unit{Name: p.required(n, "unit"), Base: []BaseUnit{}, Factor: 1, DisplayUnits: []DisplayUnit{}}
		for _, d := range n.children("DisplayUnitDefinition") {
			u.DisplayUnits = append(u.DisplayUnits,
				DisplayUnit{p.required(d, "displayUnit"), p.real(d, "gain", 1), p.real(d, "offset", 0)})
		}
		m.Units = append(m.Units, u)
	}
	for _, n := range p.root.child("LogCategories").children("Category") {
		m.LogCategories = append(m.LogCategories, LogCategory{p.required(n, "name"), n.value("description")})
	}
	for _, n := range p.root.child("TypeDefinitions").nodes {
		if t := p.typeDefinition(n); t.Base != "" {
			m.Types = append(m.Types, t)
		} else {
			p.warn(n, "element <%s> in TypeDefinitions, which FMI %s does not know", n.name.Local, m.FMIVersion)
		}
	}
	for _, u := range m.Units {
		p.units[u.Name] = true
	}
	for k := range m.Types {
		p.types[m.Types[k].Name] = &m.Types[k]
	}
}

func (p *parser) unit(n *node) Unit {
	u := Unit{Name: p.required(n, "name"), Base: []BaseUnit{}, DisplayUnits: []DisplayUnit{}}
	base := n.child("BaseUnit")
	for _, name := range []string{"kg", "m", "s", "A", "K", "mol", "cd", "rad"} {
		if exponent := p.integer(base, name, 0); exponent != 0 {
			u.Base = append(u.Base, BaseUnit{name, int(exponent)})
		}
	}
	u.Factor, u.Offset = p.real(base, "factor", 1), p.real(base, "offset", 0)
	for _, d := range n.children("DisplayUnit") {
		u.DisplayUnits = append(u.DisplayUnits, DisplayUnit{p.required(d, "name"), p.real(d, "factor", 1), p.real(d, "offset", 0)})
	}
	return u
}

// typeDefinition reads a type: an element of its own since FMI 3.0, before that one with an element inside. Base is empty if it
// is none.
func (p *parser) typeDefinition(n *node) Type {
	t := Type{Name: p.required(n, "name"), Description: n.value("description"), Items: []EnumerationItem{}}
	switch {
	case p.major >= 3:
		t.Base, t.attributes = strings.TrimSuffix(n.name.Local, "Type"), n
		if t.Base == n.name.Local || !slices.Contains(typeNames3, t.Base) {
			t.Base = ""
		}
	default:
		for _, c := range n.nodes {
			if base := strings.TrimSuffix(c.name.Local, "Type"); slices.Contains(typeNames, base) {
				t.Base, t.attributes = base, c
			}
		}
	}
	if t.Base == "" {
		return t
	}
	for k, item := range t.attributes.children("Item") {
		value := item.value("value")
		if p.major == 1 {
			value = strconv.Itoa(k + 1)
		}
		t.Items = append(t.Items, EnumerationItem{p.required(item, "name"), value, item.value("description")})
	}
	return t
}

// structure counts the states and event indicators.
func (p *parser) structure() {
	structure := p.root.child("ModelStructure")
	switch p.major {
	case 3:
		p.m.ContinuousStates = len(structure.children("ContinuousStateDerivative"))
		p.m.EventIndicators = len(structure.children("EventIndicator"))
		return
	case 2:
		p.m.ContinuousStates = len(structure.child("Derivatives").children("Unknown"))
	case 1:
		p.m.ContinuousStates = int(p.integer(p.root, "numberOfContinuousStates", 0))
	}
	p.m.EventIndicators = int(p.integer(p.root, "numberOfEventIndicators", 0))
}

// annotations reads the children of an element with annotations.
func (p *parser) annotations(n *node) []Annotation {
	name := "name"
	if p.major >= 3 {
		name = "type"
	}
	list := []Annotation{}
	for _, tool := range n.children("Tool", "Annotation") {
		list = append(list, Annotation{Tool: p.required(tool, name), Elements: elements(tool.nodes)})
	}
	return list
}

func elements(nodes []*node) []Element {
	list := []Element{}
	for _, n := range nodes {
		e := Element{Namespace: n.name.Space, Name: n.name.Local, Text: n.text.String(), Elements: elements(n.nodes)}
		for _, a := range n.attributes {
			if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
				e.Attributes = append(e.Attributes, Attribute{a.Name.Space, a.Name.Local, a.Value})
			}
		}
		list = append(list, e)
	}
	return list
}

// error and warn note a problem at an element.
func (p *parser) error(n *node, format string, values ...any) { p.note(Error, n, format, values...) }

func (p *parser) warn(n *node, format string, values ...any) { p.note(Warning, n, format, values...) }

func (p *parser) note(s Severity, n *node, format string, values ...any) {
	place := cmp.Or(p.place, n.value("name"), descriptionName)
	p.m.Problems = append(p.m.Problems, Problem{
		Severity: s, Rule: "FMI " + p.m.FMIVersion, Place: place, Line: n.line, Column: n.column,
		Message: fmt.Sprintf(format, values...),
	})
}

// required is an attribute that has to be there; an empty one passes.
func (p *parser) required(n *node, name string) string {
	text, found := n.attribute(name)
	if !found {
		p.error(n, "<%s> has no attribute %s, expected one", n.name.Local, name)
	}
	return text
}

// wrong notes that an attribute is not what it has to be.
func (p *parser) wrong(n *node, name, wanted string) {
	p.valid = false
	p.error(n, "<%s> has %s=%q, expected %s", n.name.Local, name, n.value(name), wanted)
}

// oneOf reads a word.
func (p *parser) oneOf(n *node, name, missing string, words ...string) string {
	text, found := n.attribute(name)
	if !found {
		return missing
	}
	if p.valid = slices.Contains(words, text); !p.valid {
		p.wrong(n, name, "one of "+strings.Join(words, ", "))
	}
	return text
}

func (p *parser) boolean(n *node, name string, missing bool) bool {
	p.valid = true
	text, found := n.attribute(name)
	if !found {
		return missing
	}
	value, ok := parseBoolean(text)
	if !ok {
		p.wrong(n, name, "true or false")
	}
	return value
}

// parseBoolean follows the XML type, which has four words.
func parseBoolean(text string) (value, ok bool) {
	text = strings.TrimSpace(text)
	value = text == "true" || text == "1"
	return value, value || text == "false" || text == "0"
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
	value, ok := parseReal(text)
	if !ok || math.IsInf(value, 0) || math.IsNaN(value) {
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

// parseReal follows the XML type double: no hexadecimal digits, no underscores, INF and NaN by these names.
func parseReal(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	switch text {
	case "INF", "+INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	case "NaN":
		return math.NaN(), true
	}
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil || errors.Is(err, strconv.ErrRange)
}
