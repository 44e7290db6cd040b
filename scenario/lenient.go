package scenario

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// Understood is like [Document.Validate], but what has only one possible meaning is a warning:
// parts of a later version, children in another order, optional elements without their content
// (also stories and maneuvers that only have a name), missing elements that could be empty, two
// hyphens in a comment, True and False, missing names that are only labels, missing edges and
// delays, and all attributes of a FileHeader except the version. Public scenarios deviate from
// their schemas in these ways, and other tools accept them. Errors are what cannot be understood.
func (d *Document) Understood() finding.List {
	return d.validate(&validator{version: d.Version, grammar: d.Version.grammar(), lenient: true})
}

// understood reports whether the children of an element have a meaning although its version
// demands other ones.
func (v *validator) understood(e *Element) bool {
	newest := Versions[len(Versions)-1].grammar()
	if e.Type == "SelectedEntities" && blank(e) { // nothing is selected
		return true
	}
	if (blank(e) || isIdle(e)) && e.Parent != nil {
		p := newest.typeOf(e.Parent.Type).child(e.Name)
		if p != nil && p.min == 0 { // an optional element, which might as well be absent
			return true
		}
	}
	t := newest.typeOf(e.Type) // the older versions allow to leave out what an element exists for
	return t != nil && t.content != nil && v.completes(t.content, inOrder(e.Children, t.content))
}

// mostAbsent limits how many absent elements are tolerated in one element.
const mostAbsent = 4

// blank reports whether an element contains nothing.
func blank(e *Element) bool {
	return len(e.Attributes) == 0 && len(e.Children) == 0 && e.Text == ""
}

// isIdle reports whether an element of the storyboard has a name but no content, so that it is
// complete when it starts.
func isIdle(e *Element) bool {
	return (e.Type == "Story" || e.Type == "Maneuver") && len(e.Children) == 0
}

// inOrder returns children in the order of the schema.
func inOrder(children []*Element, content *particle) []*Element {
	names := content.names()
	return slices.SortedStableFunc(slices.Values(children), func(a, b *Element) int {
		return slices.Index(names, a.Name) - slices.Index(names, b.Name)
	})
}

// completes reports whether children match a content model after adding the fewest possible empty
// elements, if only one choice of them makes it complete.
func (v *validator) completes(content *particle, children []*Element) bool {
	for added := range mostAbsent + 1 {
		if n := v.solutions(content, children, added); n > 0 {
			return n == 1
		}
	}
	return false
}

// solutions counts the ways to match a content model by adding a number of empty elements.
func (v *validator) solutions(content *particle, children []*Element, add int) (n int) {
	m := &matcher{children: children}
	if m.match(content) {
		if add > 0 || m.next < len(children) {
			return 0
		}
		return 1
	}
	if add == 0 {
		return 0
	}
	for _, name := range m.expected {
		has := func(e *Element) bool { return e.Name == name }
		if content.chooses(name) || slices.ContainsFunc(children, has) ||
			!v.spares(content.find(name).kind) {
			continue
		}
		more := slices.Insert(slices.Clone(children), m.next, &Element{Name: name})
		n += v.solutions(content, more, add-1)
	}
	return n
}

// spares reports whether an element of a type may contain nothing, by the newest version.
func (v *validator) spares(kind string) bool {
	if kind == "Storyboard" { // what the document exists for
		return false
	}
	t := Versions[len(Versions)-1].grammar().typeOf(kind)
	if t == nil || t.text || slices.ContainsFunc(t.attributes,
		func(a attributeType) bool { return !a.optional }) {
		return false
	}
	return t.content == nil || v.completes(t.content, nil)
}

// labeled are the elements with names that need not be referred to.
var labeled = [...]string{"Story", "Act", "ManeuverGroup", "Maneuver", "Event", "Action",
	"Condition", "Route", "Trajectory", "Vehicle", "Pedestrian", "MiscObject", "Environment",
	"Controller"}

// neutral are the attributes with a value that changes nothing: no edge, no delay, not closed.
var neutral = [...]string{"conditionEdge", "delay", "closed"}

// spare reports whether a run does without an attribute, or without a valid value of it: a later
// version makes it optional, or it only says where the document comes from or what it is called.
// Actors that are listed need no statement that they are not the triggering entities.
func spare(e *Element, name string) bool {
	switch {
	case e.Type == "FileHeader":
		return name != "revMajor" && name != "revMinor"
	case e.Has(name):
		return false
	case name == "name": // which nothing refers to
		return slices.Contains(labeled[:], e.Type) && e.Parent.Name != "Catalog"
	case name == "selectTriggeringEntities":
		return e.Child("EntityRef") != nil
	case slices.Contains(neutral[:], name):
		return true
	}
	a := Versions[len(Versions)-1].grammar().typeOf(e.Type).lookup(name)
	return a != nil && a.optional
}

// capital returns a Boolean that is written as in Python, True or False, as the schema demands it.
func capital(kind, text string) (lower string, is bool) {
	lower = strings.ToLower(text)
	return lower, kind == "Boolean" && text != lower && mismatch(kind, lower) == ""
}

// chooses reports whether an element is one of several alternatives: which one is meant cannot be
// guessed.
func (p *particle) chooses(name string) bool {
	return slices.ContainsFunc(p.parts, func(q *particle) bool {
		return q.chooses(name) || p.form == choice && q.form == single && q.name == name
	})
}

// names returns the names of all elements in a particle, in their order.
func (p *particle) names() (list []string) {
	if p.form == single {
		return []string{p.name}
	}
	for _, part := range p.parts {
		list = append(list, part.names()...)
	}
	return list
}

// withoutHyphens returns a text in which comments contain no hyphens, and the offset of the first
// two hyphens in a comment. XML allows none there, but authors turn off parts of a document by
// comments around comments. All offsets in the text stay as they are.
func withoutHyphens(text []byte) (plain []byte, first int) {
	const begin, end = "<!--", "-->"
	first = -1
	for at := 0; ; {
		k := bytes.Index(text[at:], []byte(begin))
		if k < 0 {
			return text, first
		}
		at += k + len(begin)
		length := bytes.Index(text[at:], []byte(end))
		if length < 0 {
			return text, first
		}
		inside := text[at : at+length]
		two := bytes.Index(inside, []byte("--"))
		if two >= 0 || bytes.HasSuffix(inside, []byte("-")) {
			if first < 0 {
				first = at + max(two, 0)
				text = bytes.Clone(text)
				inside = text[at : at+length]
			}
			copy(inside, bytes.ReplaceAll(inside, []byte("-"), []byte(" ")))
		}
		at += length + len(end)
	}
}

// tooNew reports something that a later version has introduced.
func (v *validator) tooNew(place fault.Place, found string, first Version) {
	v.clear = true
	v.report(RuleTooNew, finding.Error, place, fmt.Sprintf(
		"found %s, which is of version %s, in a document of %s", found, first, v.version),
		"raise revMinor to "+strconv.Itoa(first.Minor))
	v.clear = false
}

// comments reports two hyphens in a comment.
func (v *validator) comments(d *Document) {
	if d.hyphens == (fault.Place{}) {
		return
	}
	v.clear = true
	v.report(RuleXML, finding.Error, d.hyphens,
		`found "--" in a comment, expected it only at its end`, "write one hyphen")
	v.clear = false
}

// corrected returns a remedy for an element that the version refuses and a later one accepts, such
// as an AppearanceAction, in which the schema of 1.2 demands all alternatives.
func (v *validator) corrected(e *Element) string {
	for _, later := range Versions {
		t := later.grammar().own(e.Type)
		if later.Minor <= v.version.Minor || t == nil || t.content == nil {
			continue
		}
		m := &matcher{children: e.Children}
		if m.match(t.content) && m.next == len(e.Children) {
			return fmt.Sprintf("version %s accepts it: raise revMinor to %d", later, later.Minor)
		}
	}
	return ""
}
