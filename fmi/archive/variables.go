package archive

import (
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

// variables reads ModelVariables.
func (p *parser) variables() {
	nodes := p.root.Child("ModelVariables").Nodes
	p.m.Variables = make([]Variable, 0, len(nodes))
	for _, n := range nodes {
		typed := n // element with the attributes of the type
		if p.major < fmi.FMI3 {
			if n.Name != "ScalarVariable" {
				continue
			}
			if typed = p.typeElement(n); typed == nil {
				continue
			}
		} else if _, err := fmi.ParseType(p.major, n.Name); err != nil {
			continue
		}
		p.m.Variables = append(p.m.Variables, p.variable(n, typed))
	}
}

// typeElement returns the child element of a ScalarVariable that names its type, or nil.
func (p *parser) typeElement(n *xmldoc.Node) *xmldoc.Node {
	var found []*xmldoc.Node
	for _, c := range n.Nodes {
		if _, err := fmi.ParseType(p.major, c.Name); err == nil {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

func (p *parser) variable(n, typed *xmldoc.Node) Variable {
	kind, _ := fmi.ParseType(p.major, typed.Name) // variables has checked the type
	v := Variable{
		Name: n.Value("name"), Description: n.Value("description"), Type: kind,
		DeclaredType: typed.Value("declaredType"), ValueReference: reference(n, "valueReference"),
		MIMEType: typed.Value("mimeType"), MaxSize: typed.Value("maxSize"),
		Start: []string{}, Dimensions: []Dimension{}, Clocks: []uint32{}, Aliases: []Alias{},
		Line: n.Line, Column: n.Column,
	}
	p.words(&v, n, typed)
	p.inherit(&v, typed)
	p.start(&v, n, typed)
	if p.major >= fmi.FMI3 {
		p.arrays(&v, n)
		v.IntermediateUpdate, _ = fmi.ParseBoolean(strings.TrimSpace(n.Value("intermediateUpdate")))
		if v.Type == fmi.Binary && v.MIMEType == "" {
			v.MIMEType = "application/octet-stream"
		}
	}
	v.Annotations = p.annotations(n.Child("Annotations"))
	return v
}

// reference reads a value reference; it returns 0 for an unreadable one.
func reference(n *xmldoc.Node, name string) uint32 {
	value, _ := strconv.ParseUint(strings.TrimSpace(n.Value(name)), 10, 32)
	return uint32(value)
}

// words reads causality, variability and initial.
func (p *parser) words(v *Variable, n, typed *xmldoc.Node) {
	if p.major == fmi.FMI1 {
		p.words1(v, n, typed)
		return
	}
	v.Causality = word(n, "causality", fmi.Local)
	v.Variability = word(n, "variability", fmi.DefaultVariability(p.major, v.Type, v.Causality))
	v.Initial = word(n, "initial", fmi.DefaultInitial(p.major, v.Type, v.Causality, v.Variability))
}

// words1 translates these attributes of FMI 1.0.
func (p *parser) words1(v *Variable, n, typed *xmldoc.Node) {
	v.Negated = strings.TrimSpace(n.Value("alias")) == "negatedAlias"
	causality, variability := word(n, "causality", "internal"), word(n, "variability", "continuous")
	v.Causality, v.Variability = fmi.Causality(causality), fmi.Variability(variability)
	if causality == "internal" || causality == "none" {
		v.Causality = fmi.Local
	}
	if variability == "parameter" {
		v.Variability = fmi.Fixed
		if v.Causality == fmi.Local {
			v.Causality = fmi.Parameter
		}
	}
	v.Initial = fmi.DefaultInitial(p.major, v.Type, v.Causality, v.Variability)
	if _, started := typed.Attribute("start"); started && v.Causality != fmi.Input {
		v.Initial = fmi.Exact
		if !p.boolean(typed, "fixed", true) {
			v.Initial = fmi.Approx
		}
	}
}

// inherit sets the attributes that the variable or its declared type states.
func (p *parser) inherit(v *Variable, typed *xmldoc.Node) {
	from := &xmldoc.Node{}
	if v.DeclaredType != "" {
		if t := p.types[v.DeclaredType]; t != nil && t.Base == v.Type {
			from = t.attributes
		}
	}
	attribute := func(name string) string {
		if text, found := typed.Attribute(name); found {
			return text
		}
		return from.Value(name)
	}
	v.Unit, v.DisplayUnit, v.Quantity = attribute("unit"), attribute("displayUnit"),
		attribute("quantity")
	v.Min, v.Max, v.Nominal = attribute("min"), attribute("max"), attribute("nominal")
	if v.Type == fmi.Clock {
		v.IntervalVariability, v.Timing = attribute("intervalVariability"), p.timing(typed, from)
	}
}

// timing reads the timing of a clock from the variable or its declared type.
func (p *parser) timing(typed, from *xmldoc.Node) *Timing {
	place := func(name string) *xmldoc.Node {
		if _, found := typed.Attribute(name); found {
			return typed
		}
		return from
	}
	counter := func(name string) uint64 {
		value, _ := strconv.ParseUint(strings.TrimSpace(place(name).Value(name)), 10, 64)
		return value
	}
	return &Timing{
		Interval:         p.number(place("intervalDecimal"), "intervalDecimal"),
		Shift:            p.real(place("shiftDecimal"), "shiftDecimal", 0),
		SupportsFraction: p.boolean(place("supportsFraction"), "supportsFraction", false),
		Resolution:       counter("resolution"),
		IntervalCounter:  counter("intervalCounter"), ShiftCounter: counter("shiftCounter"),
	}
}

// start reads the start value, which is an attribute, or a list of elements for strings and
// binaries since FMI 3.0.
func (p *parser) start(v *Variable, n, typed *xmldoc.Node) {
	text, found := typed.Attribute("start")
	switch {
	case p.major >= fmi.FMI3 && (v.Type == fmi.String || v.Type == fmi.Binary):
		for _, s := range n.Children("Start") {
			v.Start = append(v.Start, s.Value("value"))
		}
	case found && p.major >= fmi.FMI3 && len(n.Children("Dimension")) > 0:
		v.Start = append(v.Start, strings.Fields(text)...)
	case found:
		v.Start = append(v.Start, text)
	}
}

// arrays reads the parts that FMI 3.0 added.
func (p *parser) arrays(v *Variable, n *xmldoc.Node) {
	for _, c := range n.Children("Dimension") {
		var d Dimension
		if text, found := c.Attribute("start"); found {
			size, _ := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
			d.Start = &size
		} else {
			of := reference(c, "valueReference")
			d.ValueReference = &of
		}
		v.Dimensions = append(v.Dimensions, d)
	}
	for _, text := range strings.Fields(n.Value("clocks")) {
		of, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			break
		}
		v.Clocks = append(v.Clocks, uint32(of))
	}
	for _, c := range n.Children("Alias") {
		v.Aliases = append(v.Aliases, Alias{c.Value("name"), c.Value("description")})
	}
}
