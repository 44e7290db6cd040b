package bridge

import (
	"strconv"
	"strings"
	"text/scanner"

	"gosmp/internal/fault"
)

// AddIDL reads the text of an .idl file: modules, structs, sequences, strings, arrays, constants.
// Annotations are skipped; unions, enums, typedefs, wide strings and all else are refused.
func (d *Definitions) AddIDL(file, text string) error {
	p := &idl{of: d, file: file}
	p.s.Init(strings.NewReader(text))
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
		p.err = &Error{Place: p.place(), Kind: ErrDefinition, Found: found, Expected: expected}
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
		default:
			p.fail("module, struct or const: nothing else is supported")
		}
	}
}

// annotation skips @name(...).
func (p *idl) annotation() {
	p.want("@")
	p.word()
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
		p.next()
		if depth == 0 {
			return
		}
	}
}

func (p *idl) structure(modules []string) {
	p.want("struct")
	name := strings.Join(append(modules[:len(modules):len(modules)], p.word()), "/")
	m := &Message{Name: strings.Replace(name, "/msg/", "/", 1), File: p.file}
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
		if p.text == "[" {
			p.next()
			if f.Type.Many != One {
				p.fail("a typedef instead of an array of sequences, which is not supported")
			}
			f.Type.Many, f.Type.Count = Array, p.count()
			p.want("]")
		}
		p.want(";")
		m.Fields = append(m.Fields, f)
		if len(m.Fields) > mostFields {
			p.fail("fewer fields")
		}
	}
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
		t = p.fieldType(inside)
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
	for p.err == nil && p.token == scanner.Ident && (words == "unsigned" || words == "long" || words == "unsigned long" || words == "long long") &&
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
	t, p.err = p.of.named(t, words, inside, at)
	return t
}
