package ecmascript

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"gosmp/experiment/scxml"
)

// maxTested bounds the nodes in tests, of which those in nested conditions count several times; the
// tests of a text with more are not examined.
const maxTested = 50_000

// test records the operands of a condition that depend on a single part of the event's data, except
// comparisons of the part itself, which are recorded as such.
func (w *walker) test(x ast.Expression, negated bool) {
	switch n := x.(type) {
	case *ast.BinaryExpression:
		switch n.Operator {
		case token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
			w.test(n.Left, negated)
			w.test(n.Right, negated)
			return
		}
	case *ast.UnaryExpression:
		if n.Operator == token.NOT {
			w.test(n.Operand, !negated)
			return
		}
	case *ast.ConditionalExpression: // special records what it tests
		w.test(n.Consequent, negated)
		w.test(n.Alternate, negated)
		return
	}
	if w.isCompared(x) {
		return
	}
	part, from, to := w.onlyPart(x), int(x.Idx0())-1, int(x.Idx1())-1
	if part != "" && 0 <= from && from < to && to <= len(w.parsed) {
		w.facts.Tests = append(w.facts.Tests,
			scxml.Test{Part: part, Text: w.parsed[from:to], Negated: negated})
	}
}

// isCompared reports whether an expression is a part of the event's data, or compares one with a
// literal or a variable.
func (w *walker) isCompared(x ast.Expression) bool {
	isPart := func(x ast.Expression) bool { return strings.Count(w.ofEvent(x), ".") == 1 }
	n, is := x.(*ast.BinaryExpression)
	if !is {
		return isPart(x)
	}
	_, compares := comparisonKinds[n.Operator]
	return compares && (isPart(n.Left) && isSimple(n.Right) || isPart(n.Right) && isSimple(n.Left))
}

// isSimple reports whether an expression is a literal or a variable.
func isSimple(x ast.Expression) bool {
	switch x.(type) {
	case *ast.StringLiteral, *ast.NumberLiteral, *ast.BooleanLiteral, *ast.Identifier:
		return true
	}
	return false
}

// onlyPart returns the part of the event's data on which an expression depends, or "" if it depends
// on none, on several, or on anything else that the machine knows.
func (w *walker) onlyPart(x ast.Expression) (only string) {
	events, parts := 0, 0
	visit(reflect.ValueOf(x), func(node ast.Node) bool {
		if w.untested--; w.untested <= 0 {
			return true
		}
		if id, is := node.(*ast.Identifier); is {
			if name := id.Name.String(); name == "_event" {
				events++
			} else if slices.Contains(ofMachine, name) {
				events = -maxTested // no text has as many parts
			}
			return false
		}
		if of, name := memberOf(node); name != "" && isEventData(of) {
			if parts++; only != "" && only != name {
				parts = -maxTested
			}
			only = name
		}
		return false
	})
	if only == "" || parts <= 0 || parts != events {
		return ""
	}
	return "data." + only
}

// ofMachine holds the names whose values only a machine knows, apart from the event.
var ofMachine = []string{"In", "_sessionid", "_name", "_ioprocessors", "_x"}

// memberOf returns what a member belongs to, and its name: a and b for a.b, a?.b and a['b'].
func memberOf(node ast.Node) (of ast.Expression, name string) {
	switch n := node.(type) {
	case *ast.DotExpression:
		of, name = n.Left, n.Identifier.Name.String()
	case *ast.BracketExpression:
		if text, is := n.Member.(*ast.StringLiteral); is {
			of, name = n.Left, text.Value.String()
		}
	}
	if optional, is := of.(*ast.Optional); is {
		of = optional.Expression
	}
	return of, name
}

func isEventData(x ast.Expression) bool {
	of, name := memberOf(x)
	return name == "data" && nameOf(of) == "_event"
}
