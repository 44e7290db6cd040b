package archive

import (
	"fmt"
	"strconv"
	"strings"

	"gosmp/fmi"
)

// variables reads ModelVariables.
func (p *parser) variables() {
	p.m.Variables = []Variable{}
	lines := map[string]int{}
	for _, n := range p.root.child("ModelVariables").nodes {
		typed := n // the element that has the type's attributes
		if p.major < fmi.FMI3 {
			if n.name.Local != "ScalarVariable" {
				p.error(n, "element <%s> in ModelVariables, expected ScalarVariable", n.name.Local)
				continue
			}
			if typed = p.typeElement(n); typed == nil {
				continue
			}
		} else if _, err := fmi.ParseType(p.major, n.name.Local); err != nil {
			p.error(n, "element <%s> in ModelVariables, expected one of %s", n.name.Local,
				join(fmi.Types(p.major)))
			continue
		}
		p.place = n.value("name")
		v := p.variable(n, typed)
		if line, twice := lines[v.Name]; twice {
			p.error(n,
				"a second variable of this name, the first is in line %d; names have to be unique",
				line)
		} else {
			lines[v.Name] = n.line
		}
		p.m.Variables = append(p.m.Variables, v)
		p.place = ""
	}
}

// typeElement returns the one element inside a ScalarVariable that names the type, or nil.
func (p *parser) typeElement(n *node) *node {
	var found []*node
	for _, c := range n.nodes {
		if _, err := fmi.ParseType(p.major, c.name.Local); err == nil {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		p.error(n, "%d elements that name a type, expected one of %s", len(found),
			join(fmi.Types(p.major)))
		return nil
	}
	return found[0]
}

// join lists words with commas between them.
func join[T any](words []T) string {
	list := make([]string, len(words))
	for k, w := range words {
		list[k] = fmt.Sprint(w)
	}
	return strings.Join(list, ", ")
}

func (p *parser) variable(n, typed *node) Variable {
	kind, _ := fmi.ParseType(p.major, typed.name.Local) // which variables has checked
	v := Variable{
		Name: p.required(n, "name"), Description: n.value("description"), Type: kind,
		DeclaredType: typed.value("declaredType"), ValueReference: p.reference(n, "valueReference"),
		MIMEType: typed.value("mimeType"), MaxSize: typed.value("maxSize"),
		Start: []string{}, Dimensions: []Dimension{}, Clocks: []uint32{}, Aliases: []Alias{},
		Line: n.line, Column: n.column,
	}
	p.words(&v, n, typed)
	p.inherit(&v, typed)
	p.start(&v, n, typed)
	if p.major >= fmi.FMI3 {
		p.arrays(&v, n)
		if v.Type == fmi.Binary && v.MIMEType == "" {
			v.MIMEType = "application/octet-stream"
		}
	}
	v.Annotations = p.annotations(n.child("Annotations"))
	return v
}

// reference reads a value reference; 0 stands for one that cannot be read.
func (p *parser) reference(n *node, name string) uint32 {
	text, found := n.attribute(name)
	value, err := strconv.ParseUint(strings.TrimSpace(text), 10, 32)
	switch {
	case !found:
		p.required(n, name)
	case err != nil:
		p.wrong(n, name, "a whole number from 0 to 4294967295")
	}
	return uint32(value)
}

// words reads causality, variability and initial.
func (p *parser) words(v *Variable, n, typed *node) {
	if p.major == fmi.FMI1 {
		p.words1(v, n, typed)
		return
	}
	v.Causality = oneOf(p, n, "causality", fmi.Local, fmi.Causalities(p.major))
	v.Variability = oneOf(p, n, "variability", fmi.DefaultVariability(p.major, v.Type, v.Causality),
		fmi.Variabilities())
	v.Initial = oneOf(p, n, "initial", fmi.DefaultInitial(p.major, v.Type, v.Causality,
		v.Variability), fmi.Initials())
}

// words1 translates those of FMI 1.0.
func (p *parser) words1(v *Variable, n, typed *node) {
	causality := oneOf(p, n, "causality", "internal", []string{"input", "output", "internal",
		"none"})
	variability := oneOf(p, n, "variability", "continuous", []string{"constant", "parameter",
		"discrete", "continuous"})
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
	if _, started := typed.attribute("start"); started && v.Causality != fmi.Input {
		v.Initial = fmi.Exact
		if !p.boolean(typed, "fixed", true) {
			v.Initial = fmi.Approx
		}
	}
}

// inherit fills in what the variable or its declared type states.
func (p *parser) inherit(v *Variable, typed *node) {
	from := &node{}
	if v.DeclaredType != "" {
		switch t := p.types[v.DeclaredType]; {
		case t == nil:
			p.error(typed, "declaredType %q is not in TypeDefinitions", v.DeclaredType)
		case t.Base != v.Type:
			p.error(typed, "declaredType %q is for %s, the variable is %s", v.DeclaredType, t.Base,
				v.Type)
		default:
			from = t.attributes
		}
	}
	attribute := func(name string) string {
		if text, found := typed.attribute(name); found {
			return text
		}
		return from.value(name)
	}
	v.Unit, v.DisplayUnit, v.Quantity = attribute("unit"), attribute("displayUnit"),
		attribute("quantity")
	v.Min, v.Max, v.Nominal = attribute("min"), attribute("max"), attribute("nominal")
	for _, bound := range [][2]string{{"min", v.Min}, {"max", v.Max}, {"nominal", v.Nominal}} {
		if name, text := bound[0], bound[1]; text != "" && !validValue(v.Type, text) {
			p.error(typed, "%s is %q, expected %s", name, text, v.Type.ExpectedValue())
		}
	}
	if v.Type == fmi.Clock {
		v.IntervalVariability, v.Timing = attribute("intervalVariability"), p.timing(typed, from)
	}
	if v.Unit != "" && !p.units[v.Unit] {
		p.warn(typed, "unit %q is not in UnitDefinitions", v.Unit)
	}
}

// timing reads when a clock ticks, from the variable or its declared type.
func (p *parser) timing(typed, from *node) *Timing {
	place := func(name string) *node {
		if _, found := typed.attribute(name); found {
			return typed
		}
		return from
	}
	counter := func(name string) uint64 {
		n := place(name)
		text, found := n.attribute(name)
		value, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		if found && err != nil {
			p.wrong(n, name, "a whole number from 0 to 18446744073709551615")
		}
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

// start reads the start value: an attribute, or elements for strings and binaries since FMI 3.0.
func (p *parser) start(v *Variable, n, typed *node) {
	text, found := typed.attribute("start")
	switch {
	case p.major >= fmi.FMI3 && (v.Type == fmi.String || v.Type == fmi.Binary):
		for _, s := range n.children("Start") {
			v.Start = append(v.Start, s.value("value"))
		}
	case found && p.major >= fmi.FMI3 && len(n.children("Dimension")) > 0:
		v.Start = append(v.Start, strings.Fields(text)...)
	case found:
		v.Start = append(v.Start, text)
	}
	for _, text := range v.Start {
		if !validValue(v.Type, text) {
			p.error(typed, "start is %q, expected %s", text, v.Type.ExpectedValue())
			return
		}
	}
}

// arrays reads what FMI 3.0 has added.
func (p *parser) arrays(v *Variable, n *node) {
	for _, c := range n.children("Dimension") {
		var d Dimension
		if text, found := c.attribute("start"); found {
			size, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
			if err != nil {
				p.error(c, "<Dimension> has start=%q, expected a whole number", text)
			}
			d.Start = &size
		} else {
			reference := p.reference(c, "valueReference")
			d.ValueReference = &reference
		}
		v.Dimensions = append(v.Dimensions, d)
	}
	for _, word := range strings.Fields(n.value("clocks")) {
		reference, err := strconv.ParseUint(word, 10, 32)
		if err != nil {
			p.wrong(n, "clocks", "value references with blanks between them")
			break
		}
		v.Clocks = append(v.Clocks, uint32(reference))
	}
	for _, c := range n.children("Alias") {
		v.Aliases = append(v.Aliases, Alias{p.required(c, "name"), c.value("description")})
	}
}

// validValue reports whether text is a value of that type.
func validValue(t fmi.Type, text string) bool {
	_, err := t.ParseValue(text)
	return err == nil
}
