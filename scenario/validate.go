package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// Ids of the rules that [Document.Validate] checks. They use the standard's id where there is one.
const (
	RuleXML        = "asam.net:xosc:1.0.0:xml.valid_xml_document"
	RuleRoot       = "asam.net:xosc:1.0.0:xml.root_tag_is_openscenario"
	RuleHeader     = "asam.net:xosc:1.0.0:xml.fileheader_is_present"
	RuleVersion    = "asam.net:xosc:1.0.0:xml.version_is_defined"
	RuleSchema     = "asam.net:xosc:1.0.0:xml.valid_schema"
	RuleTooNew     = "xosc.version.too_new"
	RuleDeprecated = "xosc.version.deprecated"
	RuleUnknown    = "xosc.version.unknown"
)

// Validate reports everything that the schema of the document's version forbids or calls
// deprecated. Documents of version 1.4 or later are checked against 1.3, with a warning. Validate
// skips checks that earlier findings make meaningless.
func (d *Document) Validate() finding.List {
	return d.validate(&validator{version: d.Version, grammar: d.Version.grammar()})
}

func (d *Document) validate(v *validator) finding.List {
	v.comments(d)
	switch header := d.Root.Child("FileHeader"); {
	case d.Root.Name != "OpenSCENARIO":
		v.report(RuleRoot, finding.Error, d.Root.Place(), "found the root element "+d.Root.Name+
			", expected OpenSCENARIO", "")
	case header == nil:
		v.report(RuleHeader, finding.Error, d.Root.Place(), "found no FileHeader, expected one",
			"add a FileHeader with revMajor and revMinor")
	case d.Version == Version{}:
		v.report(RuleVersion, finding.Error, header.Place(),
			fmt.Sprintf("found revMajor %q and revMinor %q, expected two whole numbers",
				header.Value("revMajor"), header.Value("revMinor")),
			"state the version, such as 1 and 3")
	case d.Version.Major != 1:
		v.report(RuleUnknown, finding.Error, header.Place(), "found version "+d.Version.String()+
			" of OpenSCENARIO XML, expected 1.0 to 1.3", "")
	default:
		if !d.Version.Known() {
			v.report(RuleUnknown, finding.Warning, header.Place(), "found version "+
				d.Version.String()+
				", whose rules are not known: the rules of 1.3 are used", "")
		}
		v.element(d.Root)
	}
	return v.list
}

// ValidateEntries reports what the schema forbids in the catalog entries that the scenario uses,
// with the severities of [Document.Understood]. An entry is checked against the version of its
// catalog.
func (s *Scenario) ValidateEntries() finding.List {
	v := &validator{lenient: true}
	for _, d := range s.Catalogs {
		v.version, v.grammar = d.Version, d.Version.grammar()
		v.comments(d)
		for _, e := range s.entries {
			if e.File == d.File {
				v.element(e)
			}
		}
	}
	return v.list
}

type validator struct {
	version Version
	grammar *grammar
	list    finding.List
	tally   finding.Tally
	lenient bool // what is understood nevertheless is a warning
	clear   bool // the element or attribute being reported is understood nevertheless
}

func (v *validator) report(id string, s finding.Severity, place fault.Place, text, remedy string) {
	if v.lenient && v.clear && s == finding.Error {
		s = finding.Warning
	}
	v.tally.Add(&v.list, finding.Finding{ID: id, Severity: s, Place: place, Message: text,
		Remedy: remedy})
}

func (v *validator) element(e *Element) {
	t := v.grammar.typeOf(e.Type)
	v.attributes(e, t)
	v.content(e, t)
	for _, c := range e.Children {
		if c.Type != "" {
			if v.grammar.childOf(e.Type, c.Name).deprecated {
				v.report(RuleDeprecated, finding.Note, c.Place(), c.Name+" in "+e.Name+
					" is deprecated in "+v.version.String(), "")
			}
			v.element(c)
		}
	}
}

func (v *validator) attributes(e *Element, t *elementType) {
	for _, a := range e.Attributes {
		known := t.attribute(a.Name)
		if known == nil {
			v.unknownAttribute(e, t, a)
			continue
		}
		if known.deprecated {
			v.report(RuleDeprecated, finding.Note, e.PlaceOf(a.Name), a.Name+" of "+e.Name+
				" is deprecated in "+v.version.String(), "")
		}
		v.value(e, a, known)
	}
	for _, known := range t.attributes {
		if !known.optional && !e.Has(known.name) {
			v.clear = spare(e, known.name)
			v.report(RuleSchema, finding.Error, e.Place(), "found no attribute "+known.name+
				", expected one", "")
			v.clear = false
		}
	}
	if !t.text && strings.TrimSpace(e.Text) != "" {
		v.report(RuleSchema, finding.Error, e.Place(),
			fmt.Sprintf("found the text %s, expected none",
				clipped(e.Text)), "")
	}
}

func (v *validator) unknownAttribute(e *Element, t *elementType, a *Attribute) {
	has := func(t *elementType) bool { return t.attribute(a.Name) != nil }
	if first, ok := since(e.Type, has); ok && first.Minor > v.version.Minor {
		v.tooNew(e.PlaceOf(a.Name), "the attribute "+a.Name, first)
		v.value(e, a, v.grammar.attributeOf(e.Type, a.Name))
		return
	}
	var names []string
	for _, known := range t.attributes {
		names = append(names, known.name)
	}
	expected := "no attribute"
	if len(names) > 0 {
		expected = oneOf(names)
	}
	v.clear = spare(e, a.Name)
	v.report(RuleSchema, finding.Error, e.PlaceOf(a.Name), fmt.Sprintf(
		"found the attribute %s, expected %s", a.Name, expected), "")
	v.clear = false
}

// value checks an attribute that is written as a plain value; parameters and expressions are
// checked when they are resolved.
func (v *validator) value(e *Element, a *Attribute, t *attributeType) {
	if strings.HasPrefix(a.Value, "$") {
		switch {
		case t.kind == "String" || isParameter(a.Value):
		case isExpression(a.Value) && !v.version.AtLeast(1):
			v.tooNew(e.PlaceOf(a.Name), "the expression "+clipped(a.Value), Version{1, 1})
		case !isExpression(a.Value):
			v.report(RuleSchema, finding.Error, e.PlaceOf(a.Name), fmt.Sprintf(
				"found %s %s, expected a value, $NAME or ${...}", a.Name, clipped(a.Value)), "")
		}
		return
	}
	if items, is := v.grammar.enum(t.kind); is {
		v.item(e, a, t.kind, items)
		return
	}
	if expected := mismatch(t.kind, a.Value); expected != "" {
		_, python := capital(t.kind, a.Value)
		v.clear = python || spare(e, a.Name)
		v.report(RuleSchema, finding.Error, e.PlaceOf(a.Name), fmt.Sprintf(
			"found %s %s, expected %s", a.Name, clipped(a.Value), expected), "")
		v.clear = false
	}
}

func (v *validator) item(e *Element, a *Attribute, kind string, items []mark) {
	var names []string
	for _, item := range items {
		if item.name == a.Value {
			if item.deprecated {
				v.report(RuleDeprecated, finding.Note, e.PlaceOf(a.Name), fmt.Sprintf(
					"%s %q is deprecated in %s", a.Name, a.Value, v.version), "")
			}
			return
		}
		names = append(names, item.name)
	}
	for _, other := range Versions {
		if other.Minor <= v.version.Minor {
			continue
		}
		later, _ := other.grammar().enum(kind)
		if slices.ContainsFunc(later, func(m mark) bool { return m.name == a.Value }) {
			v.tooNew(e.PlaceOf(a.Name), fmt.Sprintf("%s %q", a.Name, a.Value), other)
			return
		}
	}
	v.report(RuleSchema, finding.Error, e.PlaceOf(a.Name), fmt.Sprintf("found %s %s, expected %s",
		a.Name, clipped(a.Value), oneOf(names)), "")
}

// content checks which children are present, and in which order.
func (v *validator) content(e *Element, t *elementType) {
	if t.content == nil {
		if len(e.Children) > 0 {
			v.clear = v.lenient && v.understood(e)
			v.unexpected(e, e.Children[0], nil)
			v.clear = false
		}
		return
	}
	m := &matcher{children: e.Children}
	complete := m.match(t.content)
	if complete && m.next == len(e.Children) {
		v.choice(e, t)
		return
	}
	v.clear = v.lenient && v.understood(e)
	if complete {
		v.unexpected(e, e.Children[m.next], m.expected)
	} else {
		v.missing(e, m)
	}
	v.clear = false
}

// choice checks that an element has what it exists for. The schemas before 1.3 allow to leave out
// all alternatives, such as both targets of a lane change, although the standard demands one. An
// Action without any is accepted, because public documents use it in events without effect.
func (v *validator) choice(e *Element, t *elementType) {
	if e.Type == "Action" {
		return
	}
	newest := Versions[len(Versions)-1].grammar().typeOf(e.Type)
	if !t.content.empty() || newest == nil || newest.content.empty() {
		return
	}
	needed := newest.content.firsts()
	if slices.ContainsFunc(e.Children, func(c *Element) bool {
		return slices.Contains(needed, c.Name)
	}) {
		return
	}
	v.clear = v.lenient && v.understood(e)
	v.missing(e, &matcher{next: len(e.Children), expected: slices.DeleteFunc(needed,
		func(name string) bool { return t.child(name) == nil })})
	v.clear = false
}

func (v *validator) missing(e *Element, m *matcher) {
	if m.next < len(e.Children) {
		v.unexpected(e, e.Children[m.next], m.expected)
		return
	}
	found, expected := strings.Replace(oneOf(m.expected), "one of ", "none of ", 1), "one"
	if len(m.expected) == 1 {
		found = "no " + found
		if n := len(e.All(m.expected[0])); n > 0 {
			least := max(n+1, v.grammar.childOf(e.Type, m.expected[0]).min)
			found = fmt.Sprintf("%d %s", n, m.expected[0])
			expected = fmt.Sprintf("at least %d", least)
		}
	}
	v.report(RuleSchema, finding.Error, e.Place(), "found "+found+", expected "+expected,
		v.corrected(e))
}

func (v *validator) unexpected(e, child *Element, expected []string) {
	has := func(t *elementType) bool { return t.child(child.Name) != nil }
	known := has(v.grammar.typeOf(e.Type))
	if first, ok := since(e.Type, has); ok && !known && first.Minor > v.version.Minor {
		v.report(RuleTooNew, finding.Error, child.Place(), fmt.Sprintf(
			"found %s in %s, which is of version %s, in a document of %s", child.Name, e.Name,
			first, v.version), "raise revMinor to "+strconv.Itoa(first.Minor))
		return
	}
	text := "found the element " + child.Name + " in " + e.Name
	switch {
	case len(expected) > 0:
		text += ", expected " + oneOf(expected)
	case known:
		text += " once more or in the wrong place"
	default:
		text += ", expected no further element"
	}
	v.report(RuleSchema, finding.Error, child.Place(), text, v.corrected(e))
}

// matcher matches children against the content of an element type. The content model is
// deterministic, so the name of the next child decides.
type matcher struct {
	children []*Element
	next     int
	expected []string // at the point where matching stopped
}

func (m *matcher) ahead(p *particle) bool {
	return m.next < len(m.children) && p.begins(m.children[m.next].Name)
}

func (m *matcher) match(p *particle) bool {
	count := 0
	for count < p.max && m.ahead(p) {
		if !m.once(p) {
			return false
		}
		count++
	}
	if count < p.min && !p.empty() {
		m.expected = p.firsts()
		return false
	}
	if count < p.max {
		m.expected = append(m.expected, p.firsts()...)
	}
	return true
}

// once matches one occurrence of a particle that can start with the next child.
func (m *matcher) once(p *particle) bool {
	m.expected = nil
	switch p.form {
	case single:
		m.next++
		return true
	case sequence:
		for _, part := range p.parts {
			if !m.match(part) {
				return false
			}
		}
		return true
	case choice:
		k := slices.IndexFunc(p.parts, m.ahead)
		return m.match(p.parts[k])
	default:
		return m.inAnyOrder(p)
	}
}

func (m *matcher) inAnyOrder(p *particle) bool {
	left := slices.Clone(p.parts)
	for {
		k := slices.IndexFunc(left, m.ahead)
		if k < 0 {
			break
		}
		if !m.match(left[k]) {
			return false
		}
		left = slices.Delete(left, k, k+1)
	}
	m.expected = nil
	for _, part := range left {
		m.expected = append(m.expected, part.firsts()...)
		if !part.empty() {
			m.expected = part.firsts()
			return false
		}
	}
	return true
}

// oneOf lists the allowed names in a message.
func oneOf(names []string) string {
	var list []string
	for _, n := range names {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	switch len(list) {
	case 0:
		return "nothing"
	case 1:
		return list[0]
	}
	const shown = 12
	if len(list) > shown {
		list = append(list[:shown], "...")
	}
	return "one of " + strings.Join(list, ", ")
}

// clipped quotes the start of a text.
func clipped(text string) string {
	if r := []rune(text[:min(len(text), 200)]); len(r) > 40 {
		return strconv.Quote(string(r[:40]) + "...")
	}
	return strconv.Quote(text)
}
