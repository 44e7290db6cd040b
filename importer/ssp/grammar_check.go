package ssp

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gosmp/fmi"
)

// checkGrammar compares a document with the grammar.
func (l *loader) checkGrammar(d *document) {
	if d.enclosing == nil {
		l.checkPrefixes(d, d.root)
	}
	prefix := usualPrefixes[d.kind.space]
	l.checkElement(d, d.root, prefix+":"+d.kind.root)
}

// checkPrefixes reports each unusual prefix in a document once, at its first occurrence.
func (l *loader) checkPrefixes(d *document, root *node) {
	seen := map[[2]string]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		usual := usualPrefixes[n.Space]
		key := [2]string{n.Space, n.Prefix}
		if usual == "" {
			return // inside an annotation, or reported as unknown
		}
		if n.Prefix != usual && !seen[key] {
			seen[key] = true
			found := fmt.Sprintf("the prefix %q", n.Prefix)
			if n.Prefix == "" {
				found = "a default namespace"
			}
			l.find("SSP-X4", d.place(n),
				fmt.Sprintf(
					"%s is the prefix of %s instead of the usual %s: libcosim "+
						"and ecos then read nothing",
					found, n.Space, usual), "declare xmlns:"+usual+" and use it")
		}
		for _, c := range n.Nodes {
			walk(c)
		}
	}
	walk(root)
}

// checkElement compares an element with its definition, and then checks its content.
func (l *loader) checkElement(d *document, n *node, name string) {
	def := grammar()[name]
	l.checkAttributes(d, n, def)
	if def.any {
		if n.Name == "Annotation" && len(n.Nodes) > 1 {
			l.find("SSP-X3", d.place(n.Nodes[1]),
				fmt.Sprintf("<%s> is a second element of <%s>, which may have only one",
					n.Nodes[1].Tag(), n.Tag()),
				"put the elements into one, or write two annotations")
		}
		return
	}
	if n.Text() != "" {
		l.find("SSP-X3", d.place(n), fmt.Sprintf("text in <%s>, "+
			"which may not contain text", n.Tag()),
			"remove the text")
	}
	at, count := 0, 0
	bad := func(c *node, format string, args ...any) {
		l.find("SSP-X3", d.place(c), fmt.Sprintf(format, args...),
			"correct the structure according to the SSP schema")
	}
	for _, c := range n.Nodes {
		position, chosen := def.position(c)
		switch {
		case position < 0:
			l.unknownElement(d, c, n, def)
			continue
		case position < at:
			bad(c, "<%s> is too late in <%s>", c.Tag(), n.Tag())
		default:
			for k := at; k < position; k++ {
				if k > at {
					count = 0
				}
				if count < def.content[k].min {
					bad(c, "<%s> lacks %s before <%s>", n.Tag(), def.content[k].names(), c.Tag())
				}
			}
			if position > at {
				count = 0
			}
			// A second transformation is reported as SSP-S5 when it is read.
			if count++; count == 2 && def.content[position].max == 1 && !strings.HasSuffix(c.Name,
				"Transformation") {
				bad(c, "<%s> has more than one of %s", n.Tag(), def.content[position].names())
			}
			at = position
		}
		if d.version < 2 && (def.content[position].since2 || chosen.since2) {
			bad(c, "<%s> was introduced in SSP 2.0, but the version of the file is 1.0", c.Tag())
		}
		l.checkElement(d, c, chosen.definition)
	}
	for k := at; k < len(def.content); k++ {
		if k > at {
			count = 0
		}
		if count < def.content[k].min {
			bad(n, "<%s> lacks %s", n.Tag(), def.content[k].names())
		}
	}
}

// position finds the particle of an element; -1 if there is none.
func (def *definition) position(n *node) (int, choice) {
	for k, p := range def.content {
		for _, c := range p.choices {
			if c.space == n.Space && c.local == n.Name {
				return k, c
			}
		}
	}
	return -1, choice{}
}

func (p particle) names() string {
	var names []string
	for _, c := range p.choices {
		names = append(names, c.local)
	}
	if len(names) > 4 {
		names = append(names[:3], "...")
	}
	return strings.Join(names, " or ")
}

func (l *loader) unknownElement(d *document, c, parent *node, def *definition) {
	expected := ""
	for _, p := range def.content {
		for _, x := range p.choices {
			if x.local == c.Name {
				expected = x.space
			}
		}
	}
	if expected != "" {
		l.find("SSP-X2", d.place(c), fmt.Sprintf("<%s> has the namespace %q, expected %q", c.Tag(),
			c.Space, expected),
			"write <"+usualPrefixes[expected]+":"+c.Name+">")
		return
	}
	l.find("SSP-X2", d.place(c), fmt.Sprintf("<%s> is not an element of <%s>", c.Tag(),
		parent.Tag()),
		"remove it, or put it into an annotation")
}

func (l *loader) checkAttributes(d *document, n *node, def *definition) {
	for _, a := range n.Attributes {
		if a.Space != "" {
			continue // of other namespaces: XML's own, or a tool's
		}
		k := slices.IndexFunc(def.attributes,
			func(r attributeRule) bool { return r.name == a.Name })
		if k < 0 {
			l.find("SSP-X2", d.place(n), fmt.Sprintf("<%s> has no attribute %s", n.Tag(), a.Name),
				"remove it")
			continue
		}
		r := def.attributes[k]
		if r.since2 && d.version < 2 {
			l.find("SSP-X3", d.place(n),
				fmt.Sprintf(
					"the attribute %s was introduced in SSP 2.0, but the "+
						"version of the file is 1.0",
					a.Name),
				`write version="2.0", or remove the attribute`)
		}
		if expected := r.expected(a.Value, d.version); expected != "" {
			l.find("SSP-X3", d.place(n), fmt.Sprintf("%s=%q, expected %s", a.Name, a.Value,
				expected), "correct the value")
		}
		if r.kind == "id" {
			if d.ids[a.Value] {
				l.find("SSP-X3", d.place(n), fmt.Sprintf("the id %q occurs twice", a.Value),
					"make ids unique in the file")
			}
			d.ids[a.Value] = true
		}
	}
	for _, r := range def.attributes {
		if _, is := n.Attribute(r.name); !is && r.required && (!r.only1 || d.version < 2) {
			remedy := "add it"
			if r.only1 {
				remedy = `add it, or write version="2.0", where it is optional`
			}
			l.find("SSP-X3", d.place(n), fmt.Sprintf("<%s> lacks the attribute %s", n.Tag(),
				r.name), remedy)
		}
	}
}

var dateTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$`)
})
var identifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}._\-]*$`)
})

// expected describes the expected value; it is empty if the value is valid.
func (r attributeRule) expected(value string, version int) string {
	text := strings.TrimSpace(value)
	all := func(check func(string) bool) bool {
		return !slices.ContainsFunc(strings.Fields(text), func(w string) bool { return !check(w) })
	}
	switch r.kind {
	case "version":
		return expect(text == "1.0" || text == "2.0", "1.0 or 2.0")
	case "double":
		return expect(isDouble(text), "a number")
	case "doubles":
		return expect(all(isDouble), "numbers")
	case "boolean":
		return expect(text == "true" || text == "false" || text == "1" || text == "0",
			"true or false")
	case "integer", "long":
		return expectInteger(text, r.kind, version)
	case "exponent":
		_, err := strconv.ParseInt(text, 10, 32)
		return expect(err == nil, "a 32-bit integer")
	case "index":
		return expect(isIndex(text), "a non-negative integer")
	case "indices":
		return expect(all(isIndex), "non-negative integers")
	case "dateTime":
		return expect(dateTime().MatchString(text), "a time like 2026-01-31T12:00:00Z")
	case "id":
		return expect(identifier().MatchString(text), "an XML identifier")
	case "word":
		words := r.words
		if version >= 2 {
			words = slices.Concat(r.words, r.wordsSince2)
		}
		return expect(slices.Contains(words, value), strings.Join(words, ", "))
	}
	return ""
}

func expect(ok bool, what string) string {
	if ok {
		return ""
	}
	return what
}

// expectInteger checks an integer. In SSP 1.0, integers have 32 bits. In SSP 2.0, a long has 64
// bits, and an integer can be any Int64 or UInt64.
func expectInteger(text, kind string, version int) string {
	bits := 64
	if version < 2 {
		bits = 32
	}
	_, err := strconv.ParseInt(text, 10, bits)
	if kind == "integer" && version >= 2 {
		return expect(isInteger(text), "a 64-bit integer")
	}
	return expect(err == nil, fmt.Sprintf("a %d-bit integer", bits))
}

func isDouble(text string) bool {
	_, err := fmi.Real.ParseValue(text)
	return err == nil
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	_, errUnsigned := strconv.ParseUint(text, 10, 64)
	return err == nil || errUnsigned == nil
}

func isIndex(text string) bool {
	_, err := strconv.ParseUint(text, 10, 64)
	return err == nil
}
