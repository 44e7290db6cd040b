package archive

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The types of variables: FMI 1.0 and 2.0, and FMI 3.0.
var (
	typeNames  = []string{"Real", "Integer", "Boolean", "String", "Enumeration"}
	typeNames3 = []string{"Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64",
		"Boolean", "String", "Binary", "Enumeration", "Clock"}
)

// variables reads ModelVariables.
func (p *parser) variables() {
	p.m.Variables = []Variable{}
	lines := map[string]int{}
	for _, n := range p.root.child("ModelVariables").nodes {
		typed := n // the element that has the type's attributes
		if p.major < 3 {
			if n.name.Local != "ScalarVariable" {
				p.error(n, "element <%s> in ModelVariables, expected ScalarVariable", n.name.Local)
				continue
			}
			if typed = p.typeElement(n); typed == nil {
				continue
			}
		} else if !slices.Contains(typeNames3, n.name.Local) {
			p.error(n, "element <%s> in ModelVariables, expected one of %s", n.name.Local, strings.Join(typeNames3, ", "))
			continue
		}
		p.place = n.value("name")
		v := p.variable(n, typed)
		if line, twice := lines[v.Name]; twice {
			p.error(n, "a second variable of this name, the first is in line %d; names have to be unique", line)
		} else {
			lines[v.Name] = n.line
		}
		p.m.Variables = append(p.m.Variables, v)
		p.place = ""
	}
}

// typeElement is the one element inside of a ScalarVariable that names the type, or nil.
func (p *parser) typeElement(n *node) *node {
	found := n.children(typeNames...)
	if len(found) != 1 {
		p.error(n, "%d elements that name a type, expected one of %s", len(found), strings.Join(typeNames, ", "))
		return nil
	}
	return found[0]
}

func (p *parser) variable(n, typed *node) Variable {
	v := Variable{
		Name: p.required(n, "name"), Description: n.value("description"), Type: typed.name.Local,
		DeclaredType: typed.value("declaredType"), ValueReference: p.reference(n, "valueReference"),
		MIMEType: typed.value("mimeType"), MaxSize: typed.value("maxSize"),
		Start: []string{}, Dimensions: []Dimension{}, Clocks: []uint32{}, Aliases: []Alias{}, Line: n.line, Column: n.column,
	}
	p.words(&v, n, typed)
	p.inherit(&v, typed)
	p.start(&v, n, typed)
	if p.major >= 3 {
		p.arrays(&v, n)
		if v.Type == "Binary" && v.MIMEType == "" {
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
	if p.major == 1 {
		p.words1(v, n, typed)
		return
	}
	causalities := []string{"parameter", "calculatedParameter", "input", "output", "local", "independent"}
	if p.major >= 3 {
		causalities = append(causalities, "structuralParameter", "dependent")
	}
	v.Causality = Causality(p.oneOf(n, "causality", "local", causalities...))
	v.Variability = Variability(p.oneOf(n, "variability", string(defaultVariability(p.major, v)),
		"constant", "fixed", "tunable", "discrete", "continuous"))
	v.Initial = Initial(p.oneOf(n, "initial", string(defaultInitial(v)), "exact", "approx", "calculated"))
}

// words1 translates those of FMI 1.0.
func (p *parser) words1(v *Variable, n, typed *node) {
	causality := p.oneOf(n, "causality", "internal", "input", "output", "internal", "none")
	variability := p.oneOf(n, "variability", "continuous", "constant", "parameter", "discrete", "continuous")
	v.Causality, v.Variability = Causality(causality), Variability(variability)
	if causality == "internal" || causality == "none" {
		v.Causality = Local
	}
	if variability == "parameter" {
		v.Variability = Fixed
		if v.Causality == Local {
			v.Causality = Parameter
		}
	}
	v.Initial = defaultInitial(v)
	if _, started := typed.attribute("start"); started && v.Causality != Input {
		v.Initial = Exact
		if !p.boolean(typed, "fixed", true) {
			v.Initial = Approx
		}
	}
}

// inherit fills in what the variable or its declared type say.
func (p *parser) inherit(v *Variable, typed *node) {
	from := &node{}
	if v.DeclaredType != "" {
		switch t := p.types[v.DeclaredType]; {
		case t == nil:
			p.error(typed, "declaredType %q is not in TypeDefinitions", v.DeclaredType)
		case t.Base != v.Type:
			p.error(typed, "declaredType %q is for %s, the variable is %s", v.DeclaredType, t.Base, v.Type)
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
	v.Unit, v.DisplayUnit, v.Quantity = attribute("unit"), attribute("displayUnit"), attribute("quantity")
	v.Min, v.Max, v.Nominal = attribute("min"), attribute("max"), attribute("nominal")
	for _, bound := range [][2]string{{"min", v.Min}, {"max", v.Max}, {"nominal", v.Nominal}} {
		if name, text := bound[0], bound[1]; text != "" && !validValue(v.Type, text) {
			p.error(typed, "%s is %q, expected %s", name, text, expectedValue(v.Type))
		}
	}
	if v.Unit != "" && !p.units[v.Unit] {
		p.warn(typed, "unit %q is not in UnitDefinitions", v.Unit)
	}
}

// start reads the start value: an attribute, or elements for strings and binaries since FMI 3.0.
func (p *parser) start(v *Variable, n, typed *node) {
	text, found := typed.attribute("start")
	switch {
	case p.major >= 3 && (v.Type == "String" || v.Type == "Binary"):
		for _, s := range n.children("Start") {
			v.Start = append(v.Start, s.value("value"))
		}
	case found && p.major >= 3 && len(n.children("Dimension")) > 0:
		v.Start = append(v.Start, strings.Fields(text)...)
	case found:
		v.Start = append(v.Start, text)
	}
	for _, text := range v.Start {
		if !validValue(v.Type, text) {
			p.error(typed, "start is %q, expected %s", text, expectedValue(v.Type))
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

// widths are the sizes of whole numbers in bits; negative means signed.
var widths = map[string]int{"Integer": -32, "Int8": -8, "UInt8": 8, "Int16": -16, "UInt16": 16, "Int32": -32, "UInt32": 32,
	"Int64": -64, "UInt64": 64, "Enumeration": -64}

// validValue says whether text is a value of that type.
func validValue(kind, text string) bool {
	switch width := widths[kind]; {
	case width < 0:
		_, err := strconv.ParseInt(strings.TrimSpace(text), 10, -width)
		return err == nil
	case width > 0:
		_, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(text), "+"), 10, width)
		return err == nil
	}
	ok := true
	switch kind {
	case "Real", "Float32", "Float64":
		_, ok = parseReal(text)
	case "Boolean":
		_, ok = parseBoolean(text)
	case "Binary":
		_, err := hex.DecodeString(strings.TrimSpace(text))
		ok = err == nil
	}
	return ok
}

// expectedValue says what values of a type look like.
func expectedValue(kind string) string {
	switch width := widths[kind]; {
	case width < 0:
		return fmt.Sprintf("a whole number of %d bits", -width)
	case width > 0:
		return fmt.Sprintf("a whole number of %d bits from 0", width)
	case kind == "Boolean":
		return "true or false"
	case kind == "Binary":
		return "pairs of hexadecimal digits"
	}
	return "a number"
}
