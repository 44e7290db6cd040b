package bridge

import (
	"strings"
	"text/scanner"
)

// enum reads an enumeration, whose values are integers.
func (p *idl) enum(modules []string) {
	p.want("enum")
	kind := Int32
	switch {
	case p.bits > 0 && p.bits <= 8:
		kind = Int8
	case p.bits > 0 && p.bits <= 16:
		kind = Int16
	}
	p.bits = 0
	name := p.word()
	p.want("{")
	for next := int64(0); p.err == nil && p.text != "}"; next++ {
		for p.text == "@" {
			p.annotation()
		}
		enumerator := p.word()
		if p.value != nil {
			next, p.value = *p.value, nil
		}
		p.of.constants[scoped(modules, enumerator)] = next
		p.of.constants[scoped(modules, name+"/"+enumerator)] = next
		if p.text == "," {
			p.next()
		}
	}
	p.bits = 0
	p.want("}")
	p.want(";")
	if p.err == nil {
		p.of.aliases[scoped(modules, name)] = Type{Kind: kind}
	}
}

// typedef reads an alias of a type.
func (p *idl) typedef(modules []string) {
	p.want("typedef")
	inside := "idl"
	if len(modules) > 0 {
		inside = modules[0]
	}
	t := p.fieldType(inside)
	for p.err == nil {
		name := p.word()
		alias := p.dimensions(t, inside)
		if p.err == nil {
			p.of.aliases[scoped(modules, name)] = alias
		}
		if p.text != "," {
			break
		}
		p.next()
	}
	p.want(";")
}

// resolve finds what a name stands for: a typedef, an enum or a message that was already read.
func (p *idl) resolve(words string) (Type, bool) {
	for _, name := range p.candidates(words) {
		if t, is := p.of.aliases[name]; is {
			return t, true
		}
		for _, full := range [...]string{name, "idl/" + name} {
			if p.of.messages[full] != nil {
				return Type{Name: full}, true
			}
		}
	}
	return Type{}, false
}

// count reads a length or a bound. It accepts no shifts, because >> may close two types.
func (p *idl) count() int {
	const withoutShifts = 5
	n := p.expression(withoutShifts)
	if p.err == nil && (n < 1 || n > largestArray) {
		p.fail("a count from 1 to 1048576 before this")
		return 1
	}
	return int(n)
}

// fieldType reads a type in the spelling of .idl files.
func (p *idl) fieldType(inside string) (t Type) {
	at := p.place()
	if p.nested++; p.nested > deepest {
		p.fail("less deeply nested lists")
	}
	defer func() { p.nested-- }()
	switch p.text {
	case "sequence":
		p.next()
		p.want("<")
		t = p.fieldType(inside)
		many, count := Sequence, 0
		if p.text == "," {
			p.next()
			many, count = Bounded, p.count()
		}
		t = p.many(t, inside, many, count)
		p.want(">")
		return t
	case "string", "wstring":
		t.Kind = spellings[p.text].kind
		if p.next(); p.text == "<" {
			p.next()
			t.Bound = p.count()
			p.want(">")
		}
		return t
	}
	words := p.scopedName()
	for p.err == nil && p.token == scanner.Ident && (words == "unsigned" || words == "long" ||
		words == "unsigned long" || words == "long long") &&
		(p.text == "long" || p.text == "short" || p.text == "int" || p.text == "double") {
		words += " " + p.word()
	}
	if p.err != nil {
		return t
	}
	if _, basic := spellings[words]; !basic {
		if t, is := p.resolve(words); is {
			return t
		}
	}
	words = strings.TrimPrefix(words, "/")
	t, p.err = p.of.named(t, words, inside, at)
	return t
}
