package ecmascript

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// effect handles the nodes that have side effects. It returns true if it handled the parts of the
// node.
func (w *walker) effect(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.UnaryExpression:
		w.unary(n)
		if n.Operator == token.NOT {
			w.not(n)
			return true
		}
	case *ast.ForIntoExpression:
		w.changed(n.Expression)
	case *ast.CallExpression:
		w.call(n)
		w.searched(n)
	case *ast.NewExpression:
		if id := nameOf(n.Callee); id == "Function" {
			w.facts.Dynamic = true
		} else if id == "Date" {
			w.facts.LocalDate = w.facts.LocalDate || len(n.ArgumentList) > 1 ||
				len(n.ArgumentList) == 1 && isLocalText(n.ArgumentList[0])
		}
	case *ast.TemplateLiteral:
		w.facts.LocalDate = w.facts.LocalDate || slices.ContainsFunc(n.Expressions, isDate)
	case *ast.SwitchStatement:
		w.cases(n)
	case *ast.ThrowStatement:
		w.fails()
	case *ast.WithStatement:
		w.facts.Dynamic = true
	case *ast.CatchStatement:
		for _, name := range boundNames(asExpression(n.Parameter)) {
			w.local[name] = true
		}
	}
	return false
}

func (w *walker) fails() {
	if w.inside != nil {
		w.inside.Fails = true
		return
	}
	w.facts.Fails = true
}

// assign walks through an assignment. Assigning to a name creates a variable.
func (w *walker) assign(n *ast.AssignExpression) bool {
	w.changed(n.Left)
	w.facts.Declares = append(w.facts.Declares, boundNames(n.Left)...)
	w.walk(reflect.ValueOf(n.Left))
	w.valued(n.Left, n.Right)
	return true
}

// changed records that a variable or a part of one receives another value.
func (w *walker) changed(target ast.Expression) {
	names := boundNames(target)
	for _, name := range names {
		w.changes = append(w.changes, change{name, false, w.inside})
	}
	if len(names) > 0 {
		return
	}
	root := rootOf(target)
	w.changes = append(w.changes, change{nameOf(root), true, w.inside})
	if _, this := root.(*ast.ThisExpression); this || nameOf(root) == "globalThis" {
		w.facts.Dynamic = true
	}
}

// rootOf returns the first name of a path: x for x.y[0].
func rootOf(x ast.Expression) ast.Expression {
	for {
		switch part := x.(type) {
		case *ast.DotExpression:
			x = part.Left
		case *ast.BracketExpression:
			x = part.Left
		default:
			return x
		}
	}
}

// nameOf returns the name of an identifier, or "" for anything else.
func nameOf(x ast.Expression) string {
	if id, ok := x.(*ast.Identifier); ok {
		return id.Name.String()
	}
	return ""
}

func (w *walker) unary(n *ast.UnaryExpression) {
	switch n.Operator {
	case token.INCREMENT, token.DECREMENT, token.DELETE:
		w.changed(n.Operand)
	case token.TYPEOF:
		if name := nameOf(n.Operand); name != "" {
			w.local[name] = true // typeof tests whether the variable exists
		}
	}
}

// mutators holds the methods that change lists, maps and sets. The methods that change dates begin
// with "set".
var mutators = strings.Fields(
	"push pop shift unshift splice sort reverse fill copyWithin set add delete clear")

// onFirst holds the functions of Object and Reflect that change their first argument.
var onFirst = strings.Fields(
	"assign defineProperty defineProperties setPrototypeOf freeze seal preventExtensions set " +
		"deleteProperty")

func (w *walker) call(n *ast.CallExpression) {
	if name := nameOf(n.Callee); name != "" {
		w.plainCall(name, n.ArgumentList)
		return
	}
	method, ok := n.Callee.(*ast.DotExpression)
	if !ok {
		return
	}
	name, owner := method.Identifier.Name.String(), nameOf(method.Left)
	switch {
	case owner == "JSON" && name == "parse":
		w.fails()
	case owner == "Date" && name == "parse" && len(n.ArgumentList) > 0:
		w.facts.LocalDate = w.facts.LocalDate || isLocalText(n.ArgumentList[0])
	case (owner == "Object" || owner == "Reflect") && slices.Contains(onFirst, name):
		if len(n.ArgumentList) > 0 && !isFresh(n.ArgumentList[0]) {
			w.changed(&ast.DotExpression{Left: n.ArgumentList[0]})
		}
	case isBuiltin(owner):
	case slices.Contains(mutators, name) || isDateSetter(name):
		if pathOf(method.Left) != "" {
			w.changed(method)
		}
	}
}

func (w *walker) plainCall(name string, arguments []ast.Expression) {
	w.calls = append(w.calls, call{name, w.inside})
	switch name {
	case "eval", "Function":
		w.facts.Dynamic = true
	case "Date":
		w.facts.LocalDate = true
	case "String":
		w.facts.LocalDate = w.facts.LocalDate || len(arguments) > 0 && isDate(arguments[0])
	case "In":
		if len(arguments) == 1 {
			if id, ok := arguments[0].(*ast.StringLiteral); ok {
				w.facts.States = append(w.facts.States, id.Value.String())
			}
		}
	}
}

// isFresh reports whether a value is created here, so that changing it changes no data.
func isFresh(x ast.Expression) bool {
	switch x.(type) {
	case *ast.ObjectLiteral, *ast.ArrayLiteral, *ast.NewExpression, *ast.FunctionLiteral,
		*ast.ArrowFunctionLiteral:
		return true
	}
	return false
}

// assigns reports whether a condition, or an operand of its && and ||, assigns a value where it
// should compare one. (x = f()) && x > 1 uses what it assigns, so it is meant so.
func assigns(condition ast.Expression) bool {
	all := map[string]int{}
	mentions(condition, all)
	return slices.ContainsFunc(assignments(condition), func(x *ast.AssignExpression) bool {
		own := map[string]int{}
		mentions(x, own)
		name := nameOf(x.Left)
		return isLiteral(x.Right) || name == "" || all[name] == own[name]
	})
}

// assignments lists the operands of && and || in a condition that are assignments.
func assignments(condition ast.Expression) []*ast.AssignExpression {
	switch x := condition.(type) {
	case *ast.AssignExpression:
		if x.Operator == token.ASSIGN {
			return []*ast.AssignExpression{x}
		}
	case *ast.BinaryExpression:
		if x.Operator == token.LOGICAL_AND || x.Operator == token.LOGICAL_OR {
			return append(assignments(x.Left), assignments(x.Right)...)
		}
	case *ast.UnaryExpression:
		if x.Operator == token.NOT {
			return assignments(x.Operand)
		}
	}
	return nil
}

// mentions counts how often an expression names each variable.
func mentions(x ast.Expression, count map[string]int) {
	visit(reflect.ValueOf(x), func(n ast.Node) bool {
		if id, is := n.(*ast.Identifier); is {
			count[id.Name.String()]++
		}
		return false
	})
}

// localDates holds the methods of Date that use the time zone. toString and toLocaleString also
// exist on other objects, so they count only for values that are definitely dates.
var localDates = strings.Fields(
	`getDate getDay getFullYear getHours getMinutes getMonth getTimezoneOffset getYear
 setDate setFullYear setHours setMinutes setMonth setYear toDateString toTimeString ` +
		`toLocaleDateString toLocaleTimeString`)

func isDateSetter(name string) bool {
	return strings.HasPrefix(name, "setUTC") || name == "setTime" || name == "setSeconds" ||
		name == "setMilliseconds" ||
		strings.HasPrefix(name, "set") && slices.Contains(localDates, name)
}

func (w *walker) dot(n *ast.DotExpression) {
	name := n.Identifier.Name.String()
	if nameOf(n.Left) == "Math" && name == "random" {
		w.facts.Random = true
	}
	if slices.Contains(localDates, name) || (name == "toString" || name == "toLocaleString") &&
		isDate(n.Left) {
		w.facts.LocalDate = true
	}
	if part := w.ofEvent(n); part != "" {
		w.facts.OfEvent = append(w.facts.OfEvent, part)
	}
	w.walk(reflect.ValueOf(n.Left))
}

// isDate reports whether an expression creates a date.
func isDate(x ast.Expression) bool {
	n, ok := x.(*ast.NewExpression)
	return ok && nameOf(n.Callee) == "Date"
}

var (
	dateOnly = regexp.MustCompile(`^[+-]?\d{4,6}(-\d\d){0,2}$`)
	zoned    = regexp.MustCompile(`(Z|GMT|UTC|[+-]\d\d:?\d\d)\s*(\(.*\))?$`)
)

// isLocalText reports whether the text of a date leaves the time zone to the host: ECMAScript
// interprets a date alone as UTC, and a time without a zone as local time.
func isLocalText(x ast.Expression) bool {
	text, ok := x.(*ast.StringLiteral)
	return ok && !dateOnly.MatchString(text.Value.String()) &&
		!zoned.MatchString(text.Value.String())
}
