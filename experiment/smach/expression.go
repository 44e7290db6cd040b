package smach

import "slices"

// expression is a Python expression, of one of the forms below.
type expression struct {
	form  form
	value string        // of a name, number, text, attribute or operator
	args  []*expression // operands; the callee of a call comes first
	// names of parameters or of arguments ("" for a positional one); operators of a chain of
	// comparisons
	names []string
	line  int
}

// form is the form of an expression.
type form uint8

const (
	nameOf form = iota
	numberOf
	textOf
	callOf
	attributeOf
	listOf
	dictOf // alternating keys and values
	lambdaOf
	notOf
	negative
	binary // and, or, arithmetic
	chain  // of comparisons
	other  // anything that translation does not need
)

// maxDepth bounds how deeply expressions may be nested.
const maxDepth = 100

// parser reads expressions from tokens.
type parser struct {
	tokens []token
	at     int
	depth  int
	failed bool
}

func (p *parser) now() token { return p.tokens[min(p.at, len(p.tokens)-1)] }

// is reports whether the current token is the given mark or keyword, and consumes it if so.
func (p *parser) is(text string) bool {
	t := p.now()
	if (t.kind == mark || t.kind == name) && t.text == text {
		p.at++
		return true
	}
	return false
}

func (p *parser) need(text string) {
	if !p.is(text) {
		p.failed = true
	}
}

// fail ends parsing.
func (p *parser) fail() *expression {
	p.failed = true
	return &expression{form: other, line: p.now().line}
}

// expression reads an expression; failed is set if there is none.
func (p *parser) expression() *expression {
	if p.depth++; p.depth > maxDepth {
		return p.fail()
	}
	defer func() { p.depth-- }()
	if p.is("lambda") {
		e := &expression{form: lambdaOf, line: p.now().line}
		for p.now().kind == name {
			e.names = append(e.names, p.now().text)
			p.at++
			if !p.is(",") {
				break
			}
		}
		p.need(":")
		e.args = []*expression{p.expression()}
		return e
	}
	e := p.level(0)
	if !p.failed && p.is("if") {
		p.level(0)
		p.need("else")
		p.expression()
		return &expression{form: other, line: e.line}
	}
	return e
}

// levels holds the binary operators, weakest first. The nil level stands for not and for
// comparisons, which form a chain.
var levels = [][]string{{"or"}, {"and"}, nil, {"+", "-"}, {"*", "/", "%", "//"}}

var comparisons = []string{"<", ">", "<=", ">=", "==", "!=", "in", "is"}

func (p *parser) level(k int) *expression {
	switch {
	case p.failed:
		return p.fail()
	case k == len(levels):
		return p.unary()
	case k == 2:
		return p.comparison()
	}
	left := p.level(k + 1)
	for !p.failed {
		t := p.now()
		if t.kind != mark && t.kind != name || !slices.Contains(levels[k], t.text) {
			break
		}
		p.at++
		left = &expression{form: binary, value: t.text, args: []*expression{left, p.level(k + 1)},
			line: t.line}
	}
	return left
}

func (p *parser) comparison() *expression {
	if t := p.now(); p.is("not") {
		if p.depth++; p.depth > maxDepth {
			return p.fail()
		}
		defer func() { p.depth-- }()
		return &expression{form: notOf, args: []*expression{p.comparison()}, line: t.line}
	}
	e := p.level(3)
	c := &expression{form: chain, args: []*expression{e}, line: e.line}
	for !p.failed {
		t := p.now()
		if t.kind != mark && t.kind != name || !slices.Contains(comparisons, t.text) {
			break
		}
		p.at++
		c.names, c.args = append(c.names, t.text), append(c.args, p.level(3))
	}
	if len(c.names) == 0 {
		return e
	}
	return c
}

func (p *parser) unary() *expression {
	if p.depth++; p.depth > maxDepth {
		return p.fail()
	}
	defer func() { p.depth-- }()
	t := p.now()
	switch {
	case p.is("-"):
		return &expression{form: negative, args: []*expression{p.unary()}, line: t.line}
	case p.is("+"):
		return p.unary()
	}
	e := p.atom()
	for !p.failed {
		switch at := p.now().line; {
		case p.is("."):
			e = &expression{form: attributeOf, value: p.now().text, args: []*expression{e},
				line: at}
			if p.now().kind != name {
				return p.fail()
			}
			p.at++
		case p.is("("):
			e = p.arguments(e)
		case p.is("["):
			p.expression()
			p.need("]")
			e = &expression{form: other, args: []*expression{e}, line: at}
		case p.is("**"):
			p.unary()
			e = &expression{form: other, line: at}
		default:
			return e
		}
	}
	return e
}

// arguments reads the arguments of a call, after its opening bracket.
func (p *parser) arguments(callee *expression) *expression {
	e := &expression{form: callOf, args: []*expression{callee}, names: []string{""},
		line: callee.line}
	for !p.failed && !p.is(")") {
		key := ""
		if t := p.now(); t.kind == name && p.at+1 < len(p.tokens) && p.tokens[p.at+1].text == "=" &&
			p.tokens[p.at+1].kind == mark {
			key = t.text
			p.at += 2
		}
		e.args, e.names = append(e.args, p.expression()), append(e.names, key)
		if !p.is(",") {
			p.need(")")
			break
		}
	}
	return e
}

func (p *parser) atom() *expression {
	t := p.now()
	e := &expression{value: t.text, line: t.line}
	p.at++
	switch {
	case t.kind == name:
		e.form = nameOf
	case t.kind == number:
		e.form = numberOf
	case t.kind == text:
		e.form = textOf
		for p.now().kind == text { // adjacent texts are one text
			e.value += p.now().text
			p.at++
		}
	case t.text == "(" && t.kind == mark:
		list := p.list(")")
		if len(list.args) == 1 {
			return list.args[0]
		}
		return list
	case t.text == "[" && t.kind == mark:
		return p.list("]")
	case t.text == "{" && t.kind == mark:
		return p.dict(t.line)
	default:
		p.at--
		return p.fail()
	}
	return e
}

func (p *parser) list(closing string) *expression {
	e := &expression{form: listOf, line: p.now().line}
	for !p.failed && !p.is(closing) {
		e.args = append(e.args, p.expression())
		if !p.is(",") {
			p.need(closing)
			break
		}
	}
	return e
}

func (p *parser) dict(line int) *expression {
	e := &expression{form: dictOf, line: line}
	for !p.failed && !p.is("}") {
		e.args = append(e.args, p.expression())
		p.need(":")
		e.args = append(e.args, p.expression())
		if !p.is(",") {
			p.need("}")
			break
		}
	}
	return e
}

// argument returns an argument of a call, by its index from 0 or its name, or nil if it is not
// given.
func (e *expression) argument(place int, key string) *expression {
	for k := 1; k < len(e.args); k++ {
		if e.names[k] == key && key != "" || e.names[k] == "" && k-1 == place {
			return e.args[k]
		}
	}
	return nil
}

// called returns the last part of the callee's name.
func (e *expression) called() string {
	if e == nil || e.form != callOf {
		return ""
	}
	return e.args[0].value
}
