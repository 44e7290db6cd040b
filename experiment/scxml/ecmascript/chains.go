package ecmascript

import (
	"reflect"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// The engine folds constants. To compile 1 || x, it evaluates the left side twice, so each operator
// in a chain doubles the time.
const (
	fewLogical  = 16      // operators up to which the cost of a text need not be computed
	maxFoldings = 100_000 // evaluations of a constant
)

// affordable refuses a tree whose logical operators take too long to compile.
func affordable(tree *ast.Program, text string) error {
	if logicalIn(text) <= fewLogical {
		return nil
	}
	f := folding{seen: map[*ast.BinaryExpression]bool{}}
	total := 0.0
	visit(reflect.ValueOf(tree.Body), func(node ast.Node) bool {
		if x, ok := node.(*ast.BinaryExpression); ok && !f.seen[x] {
			cost, _ := f.of(x)
			total += cost
		}
		return total > maxFoldings
	})
	if total > maxFoldings {
		return refuse("a chain of the operators ||, && or ?? begins with constants, and takes " +
			"too long to compile")
	}
	return nil
}

// logicalIn counts what may be logical operators.
func logicalIn(text string) (n int) {
	for i := 1; i < len(text); i++ {
		if c := text[i]; c == text[i-1] && (c == '|' || c == '&' || c == '?') {
			n++
		}
	}
	return n
}

// folding computes the cost of expressions; seen holds the ones that are parts of others.
type folding struct {
	seen map[*ast.BinaryExpression]bool
}

// of returns how often the engine evaluates parts of an expression while compiling it, and whether
// the engine treats the expression as a constant.
func (f *folding) of(x ast.Expression) (cost float64, constant bool) {
	switch x := x.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return 1, true
	case *ast.UnaryExpression:
		return f.of(x.Operand)
	case *ast.BinaryExpression:
		f.seen[x] = true
		left, isLeft := f.of(x.Left)
		right, isRight := f.of(x.Right)
		switch x.Operator {
		case token.LOGICAL_OR, token.LOGICAL_AND, token.COALESCE:
			if isLeft {
				return 2 * (left + right), true
			}
			return left + right, false
		}
		return left + right, isLeft && isRight
	}
	return 1, false
}
