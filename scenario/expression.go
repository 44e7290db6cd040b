package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/decimal"
	"gosmp/internal/fault"
)

// Limits on expressions.
const (
	maxExpression = 64 << 10 // bytes
	maxNesting    = 200
)

// isParameter reports whether a value is $NAME.
func isParameter(text string) bool {
	name, is := strings.CutPrefix(text, "$")
	return is && IsName(name)
}

// IsName reports whether a text can be the name of a parameter.
func IsName(text string) bool {
	for k, c := range text {
		if c != '_' && !isLetter(c) && (k == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return text != ""
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// isExpression reports whether a value is ${...}.
func isExpression(text string) bool {
	return strings.HasPrefix(text, "${") && strings.HasSuffix(text, "}")
}

// Names returns the names of the parameters that a value refers to.
func Names(value string) (names []string) {
	if isParameter(value) {
		return []string{value[1:]}
	}
	if !isExpression(value) || len(value) > maxExpression {
		return nil
	}
	e := &evaluator{text: value[2 : len(value)-1]}
	for e.scan(); e.token != ""; e.scan() {
		if name, is := strings.CutPrefix(e.token, "$"); is {
			names = append(names, name)
		}
	}
	return names
}

// Evaluate computes an expression, which is passed without the surrounding ${ }. lookup returns the
// value of a parameter; ok is false if it is not declared. The error has no place.
func Evaluate(expression string, lookup func(name string) (v Value, ok bool)) (Value, error) {
	return evaluate(expression, lookup, new(int))
}

// errTexts says that operators have created texts of more than maxTexts.
var errTexts = errors.New("too many texts")

// evaluate is like Evaluate, and counts the bytes of the texts that operators create.
func evaluate(expression string, lookup func(name string) (Value, bool), texts *int) (Value,
	error) {
	e := &evaluator{text: expression, lookup: lookup, texts: texts}
	if len(expression) > maxExpression {
		return Value{}, e.bad(fmt.Sprintf("%d bytes", len(expression)), "at most 64 KiB")
	}
	e.scan()
	v, err := e.or()
	if err == nil && e.token != "" {
		err = e.bad(strconv.Quote(e.token), "an operator or the end")
	}
	return v, err
}

// evaluator computes while it parses, because an expression is evaluated only once.
type evaluator struct {
	text   string
	next   int    // of the text
	token  string // empty at the end
	at     int    // the start of the token
	depth  int
	lookup func(string) (Value, bool)
	texts  *int // bytes of texts that operators created
}

func (e *evaluator) bad(found, expected string) error {
	return fault.New(ErrExpression, fault.Place{}, found+" at character "+strconv.Itoa(e.at+1),
		expected)
}

// unfit returns the error for operands that an operator or function does not accept.
func (e *evaluator) unfit(found, expected string) error {
	return fault.New(ErrOperand, fault.Place{}, found+" at character "+strconv.Itoa(e.at+1),
		expected)
}

// binary reads operands with operators of one rank between them.
func (e *evaluator) binary(operand func() (Value, error), operators ...string) (Value, error) {
	left, err := operand()
	for err == nil {
		operator := e.token
		if !slices.Contains(operators, operator) {
			return left, nil
		}
		at := e.at
		e.scan()
		var right Value
		if right, err = operand(); err != nil {
			return Value{}, err
		}
		if left, err = apply(operator, left, right); err != nil {
			e.at = at
			err = e.unfit(err.Error(), "two operands that "+operator+" can have")
		} else if len(left.Text) > maxExpression {
			e.at = at
			err = e.unfit(fmt.Sprintf("a text of %d bytes", len(left.Text)), "at most 64 KiB")
		} else if *e.texts += len(left.Text); *e.texts > maxTexts {
			err = errTexts
		}
	}
	return left, err
}

func (e *evaluator) or() (Value, error)  { return e.binary(e.and, "or") }
func (e *evaluator) and() (Value, error) { return e.binary(e.sum, "and") }
func (e *evaluator) sum() (Value, error) { return e.binary(e.product, "+", "-") }
func (e *evaluator) product() (Value, error) {
	return e.binary(e.unary, "*", "/", "%")
}

func (e *evaluator) unary() (Value, error) {
	operator := e.token
	if operator != "-" && operator != "+" && operator != "not" {
		return e.primary()
	}
	at := e.at
	if e.depth++; e.depth > maxNesting {
		return Value{}, e.bad("operators and parentheses nested too deep", "at most 200 levels")
	}
	defer func() { e.depth-- }()
	e.scan()
	v, err := e.unary()
	if operator == "not" {
		v = asBool(v)
	} else {
		v = asNumber(v)
	}
	switch {
	case err != nil:
		return v, err
	case operator == "not" && v.Kind == Bool:
		return Value{Kind: Bool, Bool: !v.Bool}, nil
	case operator == "-" && v.Kind == Number:
		return Value{Kind: Number, Number: -v.Number}, nil
	case operator == "+" && v.Kind == Number:
		return v, nil
	}
	e.at = at
	return v, e.unfit(operator+" before "+describe(v), "an operand that it can have")
}

func (e *evaluator) primary() (Value, error) {
	token := e.token
	switch c := first(token); {
	case token == "":
		return Value{}, e.bad("the end", "a value")
	case token == "(":
		return e.parenthesis()
	case c == '$':
		return e.parameter(token[1:])
	case isDigit(c) || c == '.':
		x, err := decimal.Float(token, 64)
		if err != nil {
			return Value{}, e.bad(strconv.Quote(token), "a number")
		}
		e.scan()
		return Value{Kind: Number, Number: x}, nil
	case isWord(token):
		return e.word(token)
	}
	return Value{}, e.bad(strconv.Quote(token), "a value")
}

func (e *evaluator) parenthesis() (Value, error) {
	if e.depth++; e.depth > maxNesting {
		return Value{}, e.bad("operators and parentheses nested too deep", "at most 200 levels")
	}
	defer func() { e.depth-- }()
	e.scan()
	v, err := e.or()
	if err != nil {
		return v, err
	}
	return v, e.pass(")")
}

// pass reads a required token.
func (e *evaluator) pass(token string) error {
	if e.token != token {
		found := strconv.Quote(e.token)
		if e.token == "" {
			found = "the end"
		}
		return e.bad(found, token)
	}
	e.scan()
	return nil
}

func (e *evaluator) parameter(name string) (Value, error) {
	v, ok := e.lookup(name)
	if !ok {
		return v, e.bad("$"+name, "a parameter that is declared here or around it")
	}
	e.scan()
	return v, nil
}

// word reads true, false, pi, a function call or a text.
func (e *evaluator) word(token string) (Value, error) {
	begin, end := e.at, e.next
	e.scan()
	switch token {
	case "true", "false":
		return Value{Kind: Bool, Bool: token == "true"}, nil
	case "pi":
		return Value{Kind: Number, Number: math.Pi}, nil
	}
	f, known := functions[token]
	if e.token != "(" {
		if known {
			return Value{}, e.bad(token, "( after the name of a function")
		}
		return Value{Text: e.words(begin, end)}, nil
	}
	if !known {
		return Value{}, e.bad(token, "a function: "+functionNames)
	}
	return e.call(token, f)
}

// words returns a text that begins with a word: all words up to the next operator, as written.
func (e *evaluator) words(begin, end int) string {
	for isWord(e.token) && e.token != "and" && e.token != "or" {
		end = e.next
		e.scan()
	}
	return e.text[begin:end]
}

func (e *evaluator) call(name string, f function) (Value, error) {
	if e.depth++; e.depth > maxNesting {
		return Value{}, e.bad("operators and parentheses nested too deep", "at most 200 levels")
	}
	defer func() { e.depth-- }()
	e.scan()
	var x [2]float64
	for k := range f.operands {
		if k > 0 {
			if err := e.pass(","); err != nil {
				return Value{}, err
			}
		}
		v, err := e.or()
		if err != nil {
			return v, err
		}
		if v = asNumber(v); v.Kind != Number {
			return v, e.unfit(describe(v)+" as an operand of "+name, "a number")
		}
		x[k] = v.Number
	}
	if err := e.pass(")"); err != nil {
		return Value{}, err
	}
	y := f.compute(x[0], x[1])
	if math.IsNaN(y) && !math.IsNaN(x[0]) && !math.IsNaN(x[1]) {
		return Value{}, e.unfit(fmt.Sprintf("%s of %s", name, FormatNumber(x[0])),
			"an operand for which the function is defined")
	}
	return Value{Kind: Number, Number: y}, nil
}
