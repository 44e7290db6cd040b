package bridge

import (
	"strconv"
	"strings"
	"text/scanner"

	"gosmp/internal/fault"
)

// AddIDL reads the text of an .idl file: modules, structs, enums, typedefs, sequences, strings,
// arrays, constants. Annotations are skipped, but for the size of an enum; unions, wide strings and
// all else are refused. The spellings of OMG IDL are those of DDS and of ROS 2, whose rosidl writes
// such files.
func (d *Definitions) AddIDL(file, text string) error {
	p := &idl{of: d, file: file}
	p.s.Init(strings.NewReader(strings.TrimPrefix(text, byteOrderMark)))
	p.s.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings | scanner.ScanChars | scanner.ScanComments | scanner.SkipComments
	p.s.Error = func(*scanner.Scanner, string) {} // what it returns then is no token of the grammar
	p.next()
	p.definitions(nil)
	if p.err == nil && p.token != scanner.EOF {
		p.fail("the end of the file")
	}
	return p.err
}

// idl parses a file. After an error there are no more tokens.
type idl struct {
	of    *Definitions
	file  string
	s     scanner.Scanner
	token rune
	text  string
	err   error
	bits  int  // of the next enum, by its annotation
	keyed bool // there was an annotation @key
}

func (p *idl) next() {
	if p.err != nil {
		p.token = scanner.EOF
		return
	}
	p.token = p.s.Scan()
	p.text = p.s.TokenText()
}

func (p *idl) place() fault.Place {
	return fault.Place{File: p.file, Line: p.s.Line, Column: p.s.Column}
}

func (p *idl) fail(expected string) {
	if p.err == nil {
		found := strconv.Quote(p.text)
		if p.token == scanner.EOF {
			found = "the end of the file"
		}
		p.err = fault.New(ErrDefinition, p.place(), found, expected)
	}
	p.token = scanner.EOF
}

// want takes one token.
func (p *idl) want(text string) {
	if p.text != text || p.token == scanner.EOF {
		p.fail(strconv.Quote(text))
		return
	}
	p.next()
}

func (p *idl) word() string {
	text := p.text
	if p.token != scanner.Ident || !wordPattern.MatchString(text) {
		p.fail("a name")
		return ""
	}
	p.next()
	return text
}

// definitions reads what stands in a file or a module.
func (p *idl) definitions(modules []string) {
	if len(modules) > deepest {
		p.fail("fewer modules within each other")
		return
	}
	for p.err == nil && p.token != scanner.EOF && p.text != "}" {
		switch p.text {
		case "#": // #include <...>, #pragma
			for line := p.s.Line; p.token != scanner.EOF && p.s.Line == line; {
				p.next()
			}
		case "@":
			p.annotation()
		case "const":
			for p.token != scanner.EOF && p.text != ";" {
				p.next()
			}
			p.want(";")
		case "module":
			p.next()
			name := p.word()
			p.want("{")
			p.definitions(append(modules[:len(modules):len(modules)], name))
			p.want("}")
			p.want(";")
		case "struct":
			p.structure(modules)
		case "enum":
			p.enum(modules)
		case "typedef":
			p.typedef(modules)
		default:
			p.fail("module, struct, enum, typedef or const: nothing else is supported")
		}
	}
}

// annotation skips @name(...).
func (p *idl) annotation() {
	p.want("@")
	word := p.word()
	bound := word == "bit_bound"
	p.keyed = p.keyed || word == "key"
	if p.text != "(" {
		return
	}
	for depth := 0; p.token != scanner.EOF; {
		switch p.text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if n, err := strconv.Atoi(p.text); bound && err == nil {
			p.bits = n
		}
		p.next()
		if depth == 0 {
			return
		}
	}
}

func (p *idl) structure(modules []string) {
	p.want("struct")
	name := p.word()
	m := &Message{Name: scoped(modules, name), File: p.file,
		IDL: strings.Join(append(modules[:len(modules):len(modules)], name), "::")}
	p.keyed = false
	if !strings.Contains(m.Name, "/") {
		m.Name = "idl/" + m.Name
	}
	p.want("{")
	for p.err == nil && p.text != "}" {
		if p.text == "@" {
			p.annotation()
			continue
		}
		f := Field{line: p.s.Line, column: p.s.Column}
		f.Type = p.fieldType(pkg(m.Name))
		f.Name = p.word()
		f.Type = p.dimensions(f.Type)
		p.want(";")
		m.Fields = append(m.Fields, f)
		if len(m.Fields) > mostFields {
			p.fail("fewer fields")
		}
	}
	m.Keyed = p.keyed
	p.want("}")
	p.want(";")
	if p.err != nil {
		return
	}
	for _, f := range m.Fields {
		m.Text += f.Type.String() + " " + f.Name + "\n"
	}
	p.err = p.of.keep(m)
}

// dimensions reads the length of an array behind a name.
func (p *idl) dimensions(t Type) Type {
	if p.text != "[" {
		return t
	}
	p.next()
	if t.Many != One {
		p.fail("a struct around the inner list: lists of lists are not supported")
	}
	t.Many, t.Count = Array, p.count()
	p.want("]")
	if p.text == "[" {
		p.fail("one dimension: lists of lists are not supported")
	}
	return t
}

// scoped is a name with the modules around it, as messages have it.
func scoped(modules []string, name string) string {
	return strings.Replace(strings.Join(append(modules[:len(modules):len(modules)], name), "/"),
		"/msg/", "/", 1)
}

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
	for p.err == nil && p.text != "}" {
		if p.text == "@" {
			p.annotation()
			continue
		}
		p.word()
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

// typedef reads another name of a type.
func (p *idl) typedef(modules []string) {
	p.want("typedef")
	inside := "idl"
	if len(modules) > 0 {
		inside = modules[0]
	}
	t := p.fieldType(inside)
	for p.err == nil {
		name := p.word()
		alias := p.dimensions(t)
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

// alias replaces the name of a typedef or an enum by what it stands for, if there is such a name:
// in the package, or in one of the modules around.
func (p *idl) alias(words, inside string) (Type, bool) {
	name := strings.Replace(words, "/msg/", "/", 1)
	if t, is := p.of.aliases[name]; is {
		return t, true
	}
	t, is := p.of.aliases[inside+"/"+name]
	return t, is
}

func (p *idl) count() int {
	n, err := strconv.Atoi(p.text)
	if p.token != scanner.Int || err != nil || n < 1 || n > largestArray {
		p.fail("a count from 1 to 1048576")
		return 1
	}
	p.next()
	return n
}

// fieldType reads a type as .idl files spell it.
func (p *idl) fieldType(inside string) (t Type) {
	at := p.place()
	switch p.text {
	case "sequence":
		p.next()
		p.want("<")
		if p.text == "sequence" {
			p.fail("no sequence of sequences, which is not supported")
			return t
		}
		if t = p.fieldType(inside); t.Many != One {
			p.fail("a struct around the inner list: lists of lists are not supported")
		}
		t.Many = Sequence
		if p.text == "," {
			p.next()
			t.Many, t.Count = Bounded, p.count()
		}
		p.want(">")
		return t
	case "string":
		p.next()
		if t.Kind = String; p.text == "<" {
			p.next()
			t.Bound = p.count()
			p.want(">")
		}
		return t
	}
	words := p.word()
	for p.err == nil && p.token == scanner.Ident && (words == "unsigned" || words == "long" ||
		words == "unsigned long" || words == "long long") &&
		(p.text == "long" || p.text == "short" || p.text == "int" || p.text == "double") {
		words += " " + p.word()
	}
	for parts := 1; p.text == ":" && p.err == nil; parts++ {
		p.want(":")
		p.want(":")
		if parts > deepest {
			p.fail("fewer modules within each other")
		}
		words += "/" + p.word()
	}
	if p.err != nil {
		return t
	}
	if alias, is := p.alias(words, inside); is {
		return alias
	}
	t, p.err = p.of.named(t, words, inside, at)
	return t
}
