package opendrive

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
	"sync"

	"gosmp/internal/decimal"
)

//go:embed schema.txt
var schemaText string

// versions is a set of versions of OpenDRIVE: bit 0 is 1.4, bit 4 is 1.8.
type versions uint8

// The versions that the schema describes.
const (
	firstMinor  = 4
	lastMinor   = 8
	allVersions = versions(1<<(lastMinor-firstMinor+1) - 1)
)

// version returns a set with the one version whose schema applies to a map. For maps of older and
// newer versions it is the nearest version.
func version(minor int) versions {
	return 1 << (min(max(minor, firstMinor), lastMinor) - firstMinor)
}

// String names the versions in a set: "1.4", "1.6 to 1.8".
func (v versions) String() string {
	first, last := 0, 0
	for minor := firstMinor; minor <= lastMinor; minor++ {
		if v&version(minor) != 0 {
			if first == 0 {
				first = minor
			}
			last = minor
		}
	}
	if first == last {
		return "1." + strconv.Itoa(first)
	}
	return "1." + strconv.Itoa(first) + " to 1." + strconv.Itoa(last)
}

// schemaElement is an element with its allowed content.
type schemaElement struct {
	attributes func() []schemaAttribute // read on first use: a map has few kinds of elements
	children   []schemaChild
}

// schemaChild is an element inside another one.
type schemaChild struct {
	name     string
	element  *schemaElement
	in       versions
	late     bool     // the child may follow additional data
	instead  bool     // the child excludes siblings with the same position
	position int      // in the order of siblings; siblings with equal positions may be mixed
	needed   versions // where there must be at least one
	single   versions // where there must be at most one
}

// schemaAttribute is an attribute in some versions; other versions may define another attribute
// with the same name.
type schemaAttribute struct {
	name         string
	in, required versions
	kinds        []schemaType
}

// schemaType is one of the types that a value may have.
type schemaType struct {
	text, whole bool
	letters     int        // a code of so many capital letters, unless it is 0
	list        schemaList // nil: a number, unless letters is set
	low, high   float64
	open        bool // low and high do not belong to the range
}

// schemaList maps the values of an enumeration to the versions that have them.
type schemaList map[string]versions

// schema returns the root element as the standard defines it.
var schema = sync.OnceValue(func() *schemaElement {
	p := schemaParser{lists: map[string]schemaList{}, paths: map[string]*schemaElement{}}
	for line := range strings.Lines(schemaText) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			p.line(line)
		}
	}
	return p.paths[""]
})

// schemaParser reads the table line by line. The table is part of the program, so an unreadable
// line is a programming error, which a test detects.
type schemaParser struct {
	lists map[string]schemaList
	paths map[string]*schemaElement // without the root
	open  []*schemaElement
	names []string
}

func (p *schemaParser) line(line string) {
	fields := strings.Fields(line)
	if fields[0] == "list" {
		list := schemaList{}
		for _, value := range fields[2:] {
			value, in := splitVersions(value, "@")
			list[strings.ReplaceAll(value, "_", " ")] = in
		}
		p.lists[fields[1]] = list
		return
	}
	depth := len(line) - len(strings.TrimLeft(line, "\t"))
	name, in := splitVersions(fields[0], "@")
	name, late := strings.CutPrefix(name, "~")
	name, instead := strings.CutPrefix(name, "|")
	name, mixed := strings.CutPrefix(name, "&")
	p.open, p.names = p.open[:depth], append(p.names[:max(depth-1, 0)], name)
	if depth == 0 {
		p.names = nil
	}
	var e *schemaElement
	if alias, ok := strings.CutPrefix(fields[len(fields)-1], "=>"); ok {
		e = p.paths[alias]
	} else {
		e = &schemaElement{attributes: sync.OnceValue(func() (list []schemaAttribute) {
			for _, a := range fields[2:] {
				list = append(list, p.attribute(a))
			}
			return list
		})}
	}
	if p.paths[strings.Join(p.names, "/")] == nil {
		p.paths[strings.Join(p.names, "/")] = e
	}
	if depth > 0 {
		p.open[depth-1].add(schemaChild{name: name, element: e, in: in, late: late,
			instead: instead}, mixed || instead, fields[1])
	}
	p.open = append(p.open, e)
}

func (e *schemaElement) add(c schemaChild, mixed bool, occurrence string) {
	if n := len(e.children); n > 0 {
		c.position = e.children[n-1].position
		if !mixed {
			c.position++
		}
	}
	for k, part := range strings.Split(occurrence, ",") {
		symbol, where := part[len(part)-1], c.in
		if k > 0 {
			where = versionsOf(part[:len(part)-1])
		}
		c.needed, c.single = c.needed&^where, c.single&^where
		if symbol == '1' || symbol == '+' {
			c.needed |= where
		}
		if symbol == '1' || symbol == '?' {
			c.single |= where
		}
	}
	e.children = append(e.children, c)
}

// splitVersions separates the versions from a word. A word without versions applies to all of them.
func splitVersions(word, mark string) (string, versions) {
	name, digits, found := strings.Cut(word, mark)
	if !found || digits == "" {
		return name, allVersions
	}
	return name, versionsOf(digits)
}

func versionsOf(digits string) (v versions) {
	for _, d := range digits {
		v |= version(int(d - '0'))
	}
	return v
}

func (p *schemaParser) attribute(word string) schemaAttribute {
	name, kinds, _ := strings.Cut(word, ":")
	kinds, required := cutRequired(kinds)
	kinds, in := splitVersions(kinds, "@")
	a := schemaAttribute{name: name, in: in, required: required & in}
	for _, kind := range strings.Split(kinds, "|") {
		a.kinds = append(a.kinds, p.kind(kind))
	}
	return a
}

func cutRequired(word string) (string, versions) {
	if !strings.Contains(word, "!") {
		return word, 0
	}
	return splitVersions(word, "!")
}

func (p *schemaParser) kind(word string) schemaType {
	if name, ok := strings.CutPrefix(word, "="); ok {
		return schemaType{list: p.lists[name]}
	}
	if letters, ok := strings.CutPrefix(word, "code"); ok {
		return schemaType{letters: int(letters[0] - '0')}
	}
	t := schemaType{text: word == "text", whole: strings.HasPrefix(word, "int"), low: math.Inf(-1),
		high: math.Inf(1)}
	for _, bound := range [...]struct {
		mark string
		to   *float64
		open bool
	}{{"<=", &t.high, false}, {">=", &t.low, false}, {"<", &t.high, true}, {">", &t.low, true}} {
		if before, value, ok := strings.Cut(word, bound.mark); ok {
			*bound.to, _ = decimal.Float(value, 64)
			t.open, word = bound.open, before
		}
	}
	return t
}

// child returns the child element with that name, or nil if no version has it.
func (e *schemaElement) child(name string) (*schemaChild, int) {
	for k := range e.children {
		if e.children[k].name == name {
			return &e.children[k], k
		}
	}
	return nil, -1
}

const capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// fits reports whether a value has the type, in the given versions.
func (t *schemaType) fits(value string, in versions) bool {
	switch {
	case t.text:
		return true
	case t.list != nil:
		return t.list[value]&in != 0
	case t.letters > 0:
		return len(value) == t.letters && strings.Trim(value, capitals) == ""
	}
	value = strings.TrimSpace(value)
	x, err := decimal.Float(value, 64)
	if t.whole {
		var n int64
		n, err = strconv.ParseInt(value, 10, 64)
		x = float64(n)
	}
	if err != nil || math.IsNaN(x) {
		return false
	}
	if t.open {
		return x > t.low && x < t.high
	}
	return x >= t.low && x <= t.high
}

// fits reports whether a value has one of the types of an attribute.
func (a *schemaAttribute) fits(value string, in versions) bool {
	for k := range a.kinds {
		if a.kinds[k].fits(value, in) {
			return true
		}
	}
	return false
}

// describe describes the expected value for messages.
func (t *schemaType) describe(in versions) []string {
	if t.list != nil {
		var values []string
		for value, where := range t.list {
			if where&in != 0 {
				values = append(values, value)
			}
		}
		return values
	}
	if t.letters > 0 {
		return []string{strconv.Itoa(t.letters) + " capital letters"}
	}
	word := "a number"
	if t.whole {
		word = "a whole number"
	}
	relation := map[bool][2]string{true: {" above ", " below "},
		false: {" of at least ", " of at most "}}[t.open]
	if !math.IsInf(t.low, -1) {
		word += relation[0] + strconv.FormatFloat(t.low, 'g', -1, 64)
	}
	if !math.IsInf(t.high, 1) {
		word += relation[1] + strconv.FormatFloat(t.high, 'g', -1, 64)
	}
	return []string{word}
}
