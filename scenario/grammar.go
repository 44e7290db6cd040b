package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is a version of the standard, such as 1.3.
type Version struct{ Major, Minor int }

// Versions lists the versions whose rules are known.
var Versions = []Version{{1, 0}, {1, 1}, {1, 2}, {1, 3}}

// String returns the version in the form "1.3".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// AtLeast reports whether v is 1.minor or later.
func (v Version) AtLeast(minor int) bool { return v.Major > 1 || v.Major == 1 && v.Minor >= minor }

// Known reports whether the rules of the version are known.
func (v Version) Known() bool { return slices.Contains(Versions, v) }

// versionOf returns the version that a FileHeader states; or the zero Version if it states none.
func versionOf(header *Element) Version {
	major, err1 := strconv.Atoi(strings.TrimSpace(header.Value("revMajor")))
	minor, err2 := strconv.Atoi(strings.TrimSpace(header.Value("revMinor")))
	if err1 != nil || err2 != nil {
		return Version{}
	}
	return Version{major, minor}
}

// IsNumber reports whether an attribute of an element is a number in any version of the standard.
// Identifiers, such as that of a road, are strings.
func IsNumber(e *Element, name string) bool {
	return slices.ContainsFunc(Versions, func(v Version) bool {
		t := v.grammar().typeOf(e.Type)
		if t == nil {
			return false
		}
		a := t.attribute(name)
		return a != nil && slices.Contains([]string{"Double", "Int", "UnsignedInt",
			"UnsignedShort"}, a.kind)
	})
}

// grammar describes the elements of one version.
type grammar struct {
	types map[string]func() *elementType
	enums map[string]func() []mark
}

// own returns the type with that name; nil if the version has none.
func (g *grammar) own(kind string) *elementType {
	if read := g.types[kind]; read != nil {
		return read()
	}
	return nil
}

// typeOf returns the type with that name: that of the version or else, for an element that is too
// new for the document, that of the newest version, which corrects earlier ones; nil if no version
// has it.
func (g *grammar) typeOf(kind string) *elementType {
	if t := g.own(kind); t != nil || kind == "" {
		return t
	}
	for _, v := range slices.Backward(Versions) {
		if t := v.grammar().own(kind); t != nil {
			return t
		}
	}
	return nil
}

// childOf returns the particle of a child in a type. As in typeOf, it may be that of a later
// version.
func (g *grammar) childOf(kind, name string) *particle {
	if p := g.typeOf(kind).child(name); p != nil {
		return p
	}
	for _, v := range slices.Backward(Versions) {
		if p := v.grammar().own(kind).child(name); p != nil {
			return p
		}
	}
	return nil
}

// attributeOf returns an attribute of a type; nil if no version has it. As in typeOf, it may be an
// attribute of a later version.
func (g *grammar) attributeOf(kind, name string) *attributeType {
	if a := g.typeOf(kind).lookup(name); a != nil {
		return a
	}
	for _, v := range slices.Backward(Versions) {
		if a := v.grammar().own(kind).lookup(name); a != nil {
			return a
		}
	}
	return nil
}

// enum returns the values of an enumeration. As in typeOf, they may be those of a later version; ok
// is false if no version has an enumeration with that name.
func (g *grammar) enum(kind string) (values []mark, ok bool) {
	if read := g.enums[kind]; read != nil {
		return read(), true
	}
	if plain(kind) { // the grammars of the other versions need not be read
		return nil, false
	}
	for _, v := range slices.Backward(Versions) {
		if read := v.grammar().enums[kind]; read != nil {
			return read(), true
		}
	}
	return nil, false
}

// mark is a name that the version may call deprecated.
type mark struct {
	name       string
	deprecated bool
}

// elementType describes the content of an element.
type elementType struct {
	name       string
	attributes []attributeType
	content    *particle // nil for an element without children
	text       bool
}

type attributeType struct {
	name, kind           string
	optional, deprecated bool
}

func (t *elementType) attribute(name string) *attributeType {
	for k := range t.attributes {
		if t.attributes[k].name == name {
			return &t.attributes[k]
		}
	}
	return nil
}

// child returns the particle of the child with that name; nil if the element cannot have such a
// child.
func (t *elementType) child(name string) *particle {
	if t == nil {
		return nil
	}
	return t.content.find(name)
}

// since returns the first version in which a type has a child or attribute, according to has; ok is
// false if no version has it.
func since(kind string, has func(*elementType) bool) (Version, bool) {
	for _, v := range Versions {
		if t := v.grammar().own(kind); t != nil && has(t) {
			return v, true
		}
	}
	return Version{}, false
}

// assign sets the types of an element and of all elements below it.
func (g *grammar) assign(root *Element) {
	if root.Name == "OpenSCENARIO" {
		g.assignAs(root, "OpenScenario")
	}
}

func (g *grammar) assignAs(e *Element, kind string) {
	e.Type = kind
	for _, c := range e.Children {
		if p := g.childOf(kind, c.Name); p != nil {
			g.assignAs(c, p.kind)
		}
	}
}

// particle is a part of an element's content (an element, a sequence, a choice, or elements in any
// order) with the number of times it may occur.
type particle struct {
	form       form
	name, kind string // of an element
	deprecated bool
	parts      []*particle
	min, max   int
}

type form int

const (
	single form = iota
	sequence
	choice
	anyOrder
)

const unbounded = 1 << 30

// find returns the element with that name anywhere in the particle.
func (p *particle) find(name string) *particle {
	switch {
	case p == nil:
		return nil
	case p.form == single:
		if p.name == name {
			return p
		}
		return nil
	}
	for _, part := range p.parts {
		if found := part.find(name); found != nil {
			return found
		}
	}
	return nil
}

// begins reports whether the particle can start with an element of that name.
func (p *particle) begins(name string) bool {
	if p.form == single {
		return p.name == name
	}
	for _, part := range p.parts {
		if part.begins(name) {
			return true
		}
		if p.form == sequence && !part.empty() {
			return false
		}
	}
	return false
}

// empty reports whether the particle may be absent.
func (p *particle) empty() bool {
	if p.min == 0 {
		return true
	}
	isEmpty := (*particle).empty
	switch p.form {
	case choice:
		return slices.ContainsFunc(p.parts, isEmpty)
	case sequence, anyOrder:
		return !slices.ContainsFunc(p.parts, func(q *particle) bool { return !q.empty() })
	default:
		return false
	}
}

// firsts returns the names of the elements that the particle can start with.
func (p *particle) firsts() (names []string) {
	if p.form == single {
		return []string{p.name}
	}
	for _, part := range p.parts {
		names = append(names, part.firsts()...)
		if p.form == sequence && !part.empty() {
			break
		}
	}
	return names
}
