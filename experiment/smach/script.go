package smach

import (
	"math"
	"slices"
	"strings"

	"gosmp/internal/decimal"
)

// script is the part of a Python script that translation uses.
type script struct {
	constants map[string]*expression // global variables
	functions map[string]*expression // functions that only return an expression, as lambdas
	talks     map[string]bool        // functions that write to the log of the platform
	machine   string                 // the global variable, "" if there is none
	outcomes  []string
	states    []state
	named     map[string]bool // by the names of states
	skipped   []int           // lines of states that are added in loops and branches
	// remaining lookups of numbers, because constants may refer to others many times over
	budget int
}

// state is a state that the script adds to the machine.
type state struct {
	name    string
	make    *expression // its constructor
	targets map[string]string
	line    int
}

// statements splits tokens into logical lines.
func statements(tokens []token) (list [][]token) {
	begin := 0
	for k, t := range tokens {
		if t.kind == line || t.kind == end {
			if k > begin {
				list = append(list, append(slices.Clone(tokens[begin:k]), token{kind: end,
					line: t.line}))
			}
			begin = k + 1
		}
	}
	return list
}

func read(text string) *script {
	s := &script{constants: map[string]*expression{}, functions: map[string]*expression{},
		talks: map[string]bool{}, named: map[string]bool{}, budget: 100_000}
	list := statements(scan(text))
	branch := -1 // column of the loop or branch that contains the line
	for k, tokens := range list {
		first := tokens[0]
		if branch >= 0 && first.column <= branch {
			branch = -1
		}
		switch {
		case first.kind == name && first.text == "def":
			s.function(list[k:])
		case first.kind == name && slices.Contains([]string{"for", "while", "if", "elif", "else",
			"try", "except"}, first.text) && branch < 0:
			branch = first.column
		case branch >= 0:
			if addition(tokens) != nil {
				s.skipped = append(s.skipped, first.line)
			}
		case len(tokens) > 2 && first.kind == name && tokens[1].text == "=" && first.column == 0:
			s.assign(first.text, tokens[2:])
		default:
			if e := addition(tokens); e != nil {
				s.add(e)
			}
		}
	}
	return s
}

func (s *script) assign(to string, tokens []token) {
	delete(s.constants, to)
	e := whole(tokens)
	if e == nil {
		return
	}
	s.constants[to] = e
	if e.called() != "StateMachine" || s.machine != "" {
		return
	}
	s.machine = to
	if list := e.argument(0, "outcomes"); list != nil && list.form == listOf {
		for _, x := range list.args {
			if name, ok := s.text(x); ok {
				s.outcomes = append(s.outcomes, name)
			}
		}
	}
}

// function records the function with which a list of statements begins.
func (s *script) function(list [][]token) {
	head := list[0]
	if len(head) < 3 {
		return
	}
	f := &expression{form: lambdaOf, line: head[0].line}
	for k := 3; k < len(head) && head[k].text != ")"; k++ {
		if head[k].kind == name && (head[k-1].text == "(" || head[k-1].text == ",") {
			f.names = append(f.names, head[k].text)
		}
	}
	lines := 0
	for _, tokens := range list[1:] {
		if tokens[0].column <= head[0].column {
			break
		}
		logs := strings.HasPrefix(tokens[0].text, "clientLogger")
		s.talks[head[1].text] = s.talks[head[1].text] || logs
		if logs || tokens[0].kind == text {
			continue
		}
		if lines++; tokens[0].text == "return" {
			if e := whole(tokens[1:]); e != nil {
				f.args = []*expression{e}
			}
		}
	}
	if lines == 1 && len(f.args) == 1 {
		s.functions[head[1].text] = f
	}
}

// whole returns the expression of a line that consists of a single one, or nil.
func whole(tokens []token) *expression {
	p := parser{tokens: tokens}
	if e := p.expression(); !p.failed && p.now().kind == end {
		return e
	}
	return nil
}

// addition returns the call with which a line adds a state, or nil if it does not add one.
func addition(tokens []token) *expression {
	p := parser{tokens: tokens}
	e := p.expression()
	if p.failed || e.form != callOf || e.args[0].form != attributeOf || e.args[0].value != "add" {
		return nil
	}
	return e
}

func (s *script) add(e *expression) {
	x := state{make: e.argument(1, "state"), targets: map[string]string{}, line: e.line}
	name, ok := s.text(e.argument(0, "label"))
	if !ok || x.make == nil {
		s.skipped = append(s.skipped, e.line)
		return
	}
	x.name = name
	if t := e.argument(2, "transitions"); t != nil && t.form == dictOf {
		for k := 0; k+1 < len(t.args); k += 2 {
			outcome, known := s.text(t.args[k])
			target, names := s.text(t.args[k+1])
			if known && names {
				x.targets[outcome] = target
			}
		}
	}
	if !s.named[name] {
		s.named[name] = true
		s.states = append(s.states, x)
	}
}

// constant resolves global variables to their values.
func (s *script) constant(e *expression) *expression {
	for range maxDepth {
		if e == nil || e.form != nameOf || s.constants[e.value] == nil {
			return e
		}
		e = s.constants[e.value]
	}
	return nil
}

// text returns the value of a constant text.
func (s *script) text(e *expression) (string, bool) {
	e = s.constant(e)
	if e == nil || e.form != textOf {
		return "", false
	}
	return e.value, true
}

// number returns the value of a constant number, or of a coordinate of a constant point.
func (s *script) number(e *expression, depth int) (v float64, ok bool) {
	e = s.constant(e)
	if s.budget--; e == nil || depth > maxDepth || s.budget < 0 {
		return 0, false
	}
	switch e.form {
	case numberOf:
		v, err := decimal.Number(e.value)
		return v, err == nil
	case negative:
		v, ok = s.number(e.args[0], depth+1)
		return -v, ok
	case attributeOf:
		point := s.constant(e.args[0])
		place := strings.Index("xyz", e.value)
		if point.called() == "" || place < 0 || len(e.value) != 1 {
			return 0, false
		}
		s.budget -= len(point.args)
		return s.number(point.argument(place, e.value), depth+1)
	case binary:
		a, first := s.number(e.args[0], depth+1)
		b, second := s.number(e.args[1], depth+1)
		switch e.value {
		case "+":
			v = a + b
		case "-":
			v = a - b
		case "*":
			v = a * b
		case "/":
			v = a / b
		default:
			return 0, false
		}
		return v, first && second && !math.IsInf(v, 0) && !math.IsNaN(v)
	}
	return 0, false
}
