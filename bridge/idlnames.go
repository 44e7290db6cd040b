package bridge

import (
	"strconv"
	"strings"
	"text/scanner"

	"gosmp/internal/fault"
)

// This file handles constants, their expressions, and the names that an .idl file refers to.

// constant reads const TYPE NAME = EXPRESSION. Numeric constants are kept for labels and lengths.
func (p *idl) constant(modules []string) {
	p.want("const")
	name := ""
	for p.err == nil && p.token != scanner.EOF && p.text != "=" && p.text != ";" {
		if p.token == scanner.Ident {
			name = p.text
		}
		p.next()
	}
	p.want("=")
	if p.err != nil {
		return
	}
	at := p.place()
	value := p.expression(1)
	if p.text == ";" && p.err == nil && !p.noNumber {
		p.of.constants[scoped(modules, name)] = value
	}
	if p.err != nil && p.noNumber { // a text or a floating-point number, which is never referenced
		p.err = nil
		p.next()
	}
	p.noNumber = false
	for p.err == nil && p.token != scanner.EOF && p.text != ";" {
		p.next()
	}
	if p.text != ";" {
		p.err = fault.New(ErrDefinition, at, "a constant", "; behind it")
	}
	p.next()
}

// strengths maps the operators of constant expressions to their precedence.
var strengths = map[string]int{"|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6,
	"/": 6, "%": 6}

// operator returns the next operator. Shifts consist of two tokens.
func (p *idl) operator() string {
	if (p.text == "<" || p.text == ">") && p.s.Peek() == []rune(p.text)[0] {
		return p.text + p.text
	}
	return p.text
}

// expression reads a constant expression of integers (IDL 4.2, 7.4.1.4.3).
func (p *idl) expression(least int) int64 {
	value := p.operand()
	for p.err == nil {
		operator := p.operator()
		strength := strengths[operator]
		if strength < least || strength == 0 {
			return value
		}
		for range operator {
			p.next()
		}
		other := p.expression(strength + 1)
		if (operator == "/" || operator == "%") && other == 0 {
			p.fail("a divisor other than 0")
			return 0
		}
		value = calculate(operator, value, other)
	}
	return value
}

func calculate(operator string, a, b int64) int64 {
	switch operator {
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "&":
		return a & b
	case "<<":
		return a << uint64(b)
	case ">>":
		return a >> uint64(b)
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	}
	return a % b
}

func (p *idl) operand() int64 {
	if p.nested++; p.nested > deepest {
		p.fail("fewer brackets")
	}
	defer func() { p.nested-- }()
	switch text := p.text; {
	case p.token == scanner.Int && strings.Contains(text, "_"): // Go's, not IDL's
		p.fail("a number without underscores")
		return 0
	case p.token == scanner.Int:
		n, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			u, _ := strconv.ParseUint(text, 0, 64) // may be an unsigned long long
			n = int64(u)
		}
		p.next()
		return n
	case p.token == scanner.Char:
		r, _, _, err := strconv.UnquoteChar(strings.Trim(text, "'"), '\'')
		if err != nil {
			p.fail("a character")
		}
		p.next()
		return int64(r)
	case text == "-" || text == "+" || text == "~":
		p.next()
		n := p.operand()
		return map[string]int64{"-": -n, "+": n, "~": ^n}[text]
	case text == "(":
		p.next()
		n := p.expression(1)
		p.want(")")
		return n
	case text == "TRUE" || text == "FALSE":
		p.next()
		return map[string]int64{"TRUE": 1}[text]
	case p.token == scanner.Ident || text == ":":
		return p.named()
	}
	p.noNumber = true
	p.fail("a number or the name of a constant")
	return 0
}

// named reads the name of a constant.
func (p *idl) named() int64 {
	at, words := p.place(), p.scopedName()
	for _, name := range p.candidates(words) {
		if n, is := p.of.constants[name]; is {
			return n
		}
	}
	if p.err == nil {
		p.err = fault.New(ErrDefinition, at, strconv.Quote(strings.ReplaceAll(words, "/", "::")),
			"a constant that is defined before it")
		p.token = scanner.EOF
	}
	return 0
}

// scopedName reads a::b::C, which becomes a/b/C. A name that begins with :: begins with /.
func (p *idl) scopedName() (words string) {
	if p.text == ":" {
		p.want(":")
		p.want(":")
		words = "/"
	}
	words += p.word()
	for parts := 1; p.text == ":" && p.s.Peek() == ':' && p.err == nil; parts++ {
		p.want(":")
		p.want(":")
		if parts > deepest {
			p.fail("less deeply nested modules")
		}
		words += "/" + p.word()
	}
	return words
}

// candidates returns the full names that a name may stand for, from the innermost module outwards.
func (p *idl) candidates(words string) (list []string) {
	if global, is := strings.CutPrefix(words, "/"); is {
		return []string{scoped(nil, global)}
	}
	for k := len(p.modules); k >= 0; k-- {
		list = append(list, scoped(p.modules[:k], words))
	}
	return list
}

// union reads a union: union NAME switch (TYPE) { case LABEL: TYPE NAME; ... default: TYPE NAME; };
// it becomes a message.
func (p *idl) union(modules []string) {
	p.want("union")
	name := p.word()
	if p.text == ";" { // a forward declaration
		p.next()
		return
	}
	at := p.place()
	m := p.message(modules, name)
	u := &Union{Default: -1, Labels: map[int64]int{}}
	m.Union = u
	p.keyed = false
	p.want("switch")
	p.want("(")
	for p.text == "@" {
		p.annotation()
	}
	enum := p.text
	u.Discriminator = p.fieldType(pkg(m.Name))
	_, integer := limits[u.Discriminator.Kind]
	if p.err == nil && (u.Discriminator.Many != One || !integer && u.Discriminator.Kind != Bool) {
		p.err = fault.New(ErrDefinition, at, enum, "an integer, an enum, a char or a boolean")
		p.token = scanner.EOF
	}
	p.want(")")
	p.want("{")
	for p.err == nil && p.text != "}" {
		p.unionCase(m)
	}
	m.Keyed = p.keyed
	p.want("}")
	p.want(";")
	if p.err == nil && p.of.System != DDS {
		p.err = fault.New(ErrDefinition, at, "a union", "messages that "+string(p.of.System)+
			" can carry").WithHint("union belongs to dds")
	}
	p.keep(m)
}

// unionCase reads the labels of a field and the field itself.
func (p *idl) unionCase(m *Message) {
	labelled := false
	for p.err == nil && (p.text == "case" || p.text == "default") {
		labelled = true
		if p.text == "default" {
			p.next()
			m.Union.Default = len(m.Fields)
			p.want(":")
			continue
		}
		p.next()
		n := p.expression(1)
		if _, taken := m.Union.Labels[n]; p.err == nil && (taken || !m.Union.holds(n)) {
			p.fail("a valid label of the discriminator, each only once")
		}
		m.Union.Labels[n] = len(m.Fields)
		p.want(":")
	}
	if !labelled {
		p.fail("case or default")
	}
	for p.text == "@" {
		p.annotation()
	}
	before := len(m.Fields)
	if p.fields(m); p.err == nil && len(m.Fields) != before+1 {
		p.fail("one name before this")
	}
}
