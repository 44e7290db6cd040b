package ecmascript

import (
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"gosmp/experiment/scxml"
)

// comparisonKinds holds the operators that compare.
var comparisonKinds = map[token.Token]scxml.ComparisonKind{
	token.EQUAL: scxml.Equal, token.NOT_EQUAL: scxml.Equal,
	token.STRICT_EQUAL: scxml.Strict, token.STRICT_NOT_EQUAL: scxml.Strict,
	token.LESS: scxml.Ordered, token.LESS_OR_EQUAL: scxml.Ordered,
	token.GREATER: scxml.Ordered, token.GREATER_OR_EQUAL: scxml.Ordered,
}

// compared records the comparison of a part of the event with a literal or a variable.
func (w *walker) compared(n *ast.BinaryExpression) {
	kind, is := comparisonKinds[n.Operator]
	if !is {
		return
	}
	differs := n.Operator == token.NOT_EQUAL || n.Operator == token.STRICT_NOT_EQUAL
	w.compare(n.Left, n.Right, kind, differs)
	w.compare(n.Right, n.Left, kind, differs)
}

// isFound holds the comparisons of the result of indexOf that hold if it finds something.
var isFound = map[string]bool{">=0": true, ">-1": true, "!=-1": true, "!==-1": true}

// required notes the calls of indexOf of lists that have to find something, as the whole condition
// or as an operand of && or ||.
func (w *walker) required(condition ast.Expression) {
	n, is := condition.(*ast.BinaryExpression)
	if !is {
		return
	}
	if n.Operator == token.LOGICAL_AND || n.Operator == token.LOGICAL_OR {
		w.required(n.Left)
		w.required(n.Right)
	} else if call, is := n.Left.(*ast.CallExpression); is && isOfList(call) {
		w.finds[call] = isFound[n.Operator.String()+numberOf(n.Right)]
	}
}

// isOfList reports whether a call is one of a method of a list that the text contains.
func isOfList(call *ast.CallExpression) bool {
	callee, is := call.Callee.(*ast.DotExpression)
	if is {
		_, is = callee.Left.(*ast.ArrayLiteral)
	}
	return is
}

// numberOf returns a number as it is written, such as -1, or "".
func numberOf(x ast.Expression) string {
	switch x := x.(type) {
	case *ast.NumberLiteral:
		return x.Literal
	case *ast.UnaryExpression:
		if number := numberOf(x.Operand); number != "" && x.Operator == token.MINUS {
			return "-" + number
		}
	}
	return ""
}

// cases records the comparisons of a switch statement. They count as negated, because a case may
// also exclude something.
func (w *walker) cases(n *ast.SwitchStatement) {
	for _, c := range n.Body {
		w.compare(n.Discriminant, c.Test, scxml.Strict, !w.negated)
	}
}

func (w *walker) compare(part, literal ast.Expression, kind scxml.ComparisonKind, negated bool) {
	c := scxml.Comparison{Kind: kind, Negated: negated != w.negated}
	switch x := literal.(type) {
	case *ast.StringLiteral:
		c.Text = x.Value.String()
	case *ast.NumberLiteral:
		c.Text, c.Number = x.Literal, true
	case *ast.Identifier:
		c.Variable = x.Name.String()
	default:
		return
	}
	if c.Part = w.ofEvent(part); c.Part != "" {
		w.facts.Compared = append(w.facts.Compared, c)
	}
}

// searched records calls that look for a text: in a list of texts, in a part of the event, and
// among the names of the members of a part.
func (w *walker) searched(n *ast.CallExpression) {
	callee, is := n.Callee.(*ast.DotExpression)
	if !is || len(n.ArgumentList) == 0 {
		return
	}
	argument, excludes := n.ArgumentList[0], false
	switch callee.Identifier.Name.String() {
	case "includes":
	case "indexOf", "lastIndexOf":
		excludes = !w.negated && !w.finds[n] // what the result is compared with is not known
	case "startsWith", "endsWith":
		w.compare(callee.Left, argument, scxml.Contains, false)
		return
	case "hasOwnProperty":
		w.compare(callee.Left, argument, scxml.Key, false)
		return
	default:
		return
	}
	switch in := callee.Left.(type) {
	case *ast.ArrayLiteral:
		for _, x := range in.Value {
			w.compare(argument, x, scxml.Strict, excludes)
			w.compare(x, argument, scxml.Strict, excludes)
		}
	case *ast.CallExpression:
		if pathOf(in.Callee) == "Object.keys" && len(in.ArgumentList) == 1 {
			w.compare(in.ArgumentList[0], argument, scxml.Key, excludes)
		}
	default:
		w.compare(callee.Left, argument, scxml.Contains, excludes)
	}
}

// not walks through a negated expression.
func (w *walker) not(n *ast.UnaryExpression) {
	w.negated = !w.negated
	w.walk(reflect.ValueOf(n.Operand))
	w.negated = !w.negated
}

// isLiteral reports whether an expression consists of literals and operators only.
func isLiteral(x ast.Expression) bool {
	literal := true
	visit(reflect.ValueOf(x), func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.BooleanLiteral, *ast.StringLiteral, *ast.NullLiteral,
			*ast.BinaryExpression, *ast.ConditionalExpression:
		case *ast.NumberLiteral:
			switch n.Value.(type) {
			case int64, float64:
			default: // of any length
				literal = false
			}
		case *ast.UnaryExpression:
			literal = literal && (n.Operator == token.NOT || n.Operator == token.MINUS ||
				n.Operator == token.PLUS || n.Operator == token.BITWISE_NOT)
		default:
			literal = false
		}
		return !literal
	})
	return literal
}
