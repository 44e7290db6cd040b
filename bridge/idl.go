package bridge

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/scanner"

	"gosmp/internal/fault"
)

// AddIDL reads the text of an .idl file: modules, structs with a base, unions, enums, bitmasks,
// typedefs, sequences, arrays, lists of lists, strings and wide strings, constants. Interfaces and
// other definitions without values are skipped, as are annotations other than keys and the values
// and sizes of enums and bitmasks. Annotations that change the bytes (@optional and @mutable) and
// everything else are refused. OMG IDL is read in the spelling of DDS and ROS 2; rosidl of ROS 2
// writes such files.
func (d *Definitions) AddIDL(file, text string) error {
	p := &idl{of: d, file: file}
	p.s.Init(strings.NewReader(strings.TrimPrefix(text, byteOrderMark)))
	p.s.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats | scanner.ScanStrings |
		scanner.ScanChars | scanner.ScanComments | scanner.SkipComments
	p.s.Error = func(*scanner.Scanner, string) {} // which then returns a token outside the grammar
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
	bits  int    // of the next enum, from its annotation
	value *int64 // of the next enumerator or flag, from its annotation
	keyed bool   // there was a @key annotation

	modules  []string // around the current definition
	nested   int      // nesting depth of brackets in an expression
	noNumber bool     // a constant is not a number
}

func (p *idl) next() {
	if p.err != nil {
		p.token, p.text = scanner.EOF, ""
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
	p.token, p.text = scanner.EOF, ""
}

// want accepts one token, which must be text.
func (p *idl) want(text string) {
	if p.text != text || p.token == scanner.EOF {
		p.fail(strconv.Quote(text))
		return
	}
	p.next()
}

func (p *idl) word() string {
	text := strings.TrimPrefix(p.text, "_") // _struct is a name, and struct a keyword
	if p.token != scanner.Ident || !wordPattern.MatchString(text) {
		p.fail("a name")
		return ""
	}
	p.next()
	return text
}

// definitions reads the content of a file or a module.
func (p *idl) definitions(modules []string) {
	if len(modules) > deepest {
		p.fail("less deeply nested modules")
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
			p.constant(modules)
		case "union":
			p.union(modules)
		case "module":
			p.next()
			name := p.word()
			p.want("{")
			p.modules = slices.Concat(modules, []string{name})
			p.definitions(p.modules)
			p.modules = modules
			p.want("}")
			p.want(";")
		case "struct":
			p.structure(modules)
		case "enum":
			p.enum(modules)
		case "bitmask":
			p.bitmask(modules)
		case "typedef":
			p.typedef(modules)
		default:
			if slices.Contains(valueless, p.text) {
				p.skip()
				continue
			}
			p.fail("module, struct, union, enum, bitmask, typedef or const")
		}
	}
}

// refused lists the annotations that change the bytes of a message.
var refused = []string{"optional", "mutable", "MUTABLE"}

// annotation skips @name(...).
func (p *idl) annotation() {
	p.want("@")
	if slices.Contains(refused, p.text) {
		p.fail("an annotation that does not change the encoding")
	}
	word := p.scopedName()
	p.keyed = p.keyed || word == "key"
	if word == "annotation" { // the declaration of one
		p.skip()
		return
	}
	if p.text != "(" {
		return
	}
	if word == "value" || word == "position" {
		p.want("(")
		n := p.expression(1)
		p.value = &n
		p.want(")")
		return
	}
	for depth := 0; p.token != scanner.EOF; {
		switch p.text {
		case "(":
			depth++
		case ")":
			depth--
		}
		if word == "extensibility" && slices.Contains(refused, p.text) {
			p.fail("FINAL or APPENDABLE")
		}
		if n, err := strconv.Atoi(p.text); word == "bit_bound" && err == nil {
			p.bits = n
		}
		p.next()
		if depth == 0 {
			return
		}
	}
}

// message returns a new message with the given name.
func (p *idl) message(modules []string, name string) *Message {
	m := &Message{Name: scoped(modules, name), File: p.file,
		IDL: strings.Join(append(modules[:len(modules):len(modules)], name), "::")}
	if !strings.Contains(m.Name, "/") {
		m.Name = "idl/" + m.Name
	}
	return m
}

// keep adds a message with its text.
func (p *idl) keep(m *Message) {
	if p.err != nil {
		return
	}
	if m.Union != nil { // only to compare definitions: .msg files have no unions
		m.Text = fmt.Sprintf("# union of %v: %v, default %d\n", m.Union.Discriminator,
			m.Union.Labels, m.Union.Default) // maps are printed in order
	}
	for _, f := range m.Fields {
		m.Text += f.Type.String() + " " + f.Name + "\n"
	}
	p.err = p.of.keep(m)
}

func (p *idl) structure(modules []string) {
	p.want("struct")
	name := p.word()
	if p.text == ";" { // a declaration in advance
		p.next()
		return
	}
	m := p.message(modules, name)
	p.keyed = false
	if p.text == ":" {
		p.base(m)
	}
	p.want("{")
	for p.err == nil && p.text != "}" {
		if p.text == "@" {
			p.annotation()
			continue
		}
		p.fields(m)
	}
	m.Keyed = m.Keyed || p.keyed
	p.want("}")
	p.want(";")
	p.keep(m)
}

// base prepends the fields of another struct.
func (p *idl) base(m *Message) {
	p.want(":")
	at, words := p.place(), p.scopedName()
	t, is := p.resolve(words)
	if base := p.of.messages[t.Name]; is && base != nil && base.Union == nil && t.Many == One {
		m.Fields, m.Keyed = slices.Clone(base.Fields), base.Keyed
	} else if p.err == nil {
		p.err = fault.New(ErrDefinition, at, strconv.Quote(strings.ReplaceAll(words, "/", "::")),
			"a struct that is defined before it")
		p.token = scanner.EOF
	}
}

// fields reads a type and the names of one or more fields.
func (p *idl) fields(m *Message) {
	t := p.fieldType(pkg(m.Name))
	for p.err == nil {
		f := Field{line: p.s.Line, column: p.s.Column}
		f.Name = p.word()
		f.Type = p.dimensions(t, pkg(m.Name))
		m.Fields = append(m.Fields, f)
		if len(m.Fields) > mostFields {
			p.fail("fewer fields")
		}
		if p.text != "," {
			break
		}
		p.next()
	}
	p.want(";")
}

// dimensions reads the lengths of an array, which follow its name.
func (p *idl) dimensions(t Type, inside string) Type {
	var lengths []int
	for p.text == "[" && p.err == nil {
		p.next()
		lengths = append(lengths, p.count())
		p.want("]")
		if len(lengths) > deepest {
			p.fail("fewer dimensions")
		}
	}
	for _, n := range slices.Backward(lengths) {
		t = p.many(t, inside, Array, n)
	}
	return t
}

// many returns the type of a list.
func (p *idl) many(t Type, inside string, many Many, count int) Type {
	if t.Many != One && p.err == nil {
		at := p.place()
		if t, p.err = p.of.listed(inside, t); p.err != nil {
			p.err, p.token = placed(p.err, at), scanner.EOF
		}
	}
	t.Many, t.Count = many, count
	return t
}

// placed adds a position to an error that lacks one.
func placed(err error, at fault.Place) error {
	var e *fault.Error
	if errors.As(err, &e) && e.Place == (fault.Place{}) {
		e.Place = at
	}
	return err
}

// scoped returns a name with its enclosing modules, in the form of message names.
func scoped(modules []string, name string) string {
	return strings.Replace(strings.Join(append(modules[:len(modules):len(modules)], name), "/"),
		"/msg/", "/", 1)
}
