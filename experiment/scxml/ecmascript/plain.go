package ecmascript

import (
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
)

// dangerous holds the names through which an expression without calls can reach a function that
// would have to be replaced, or a missing one.
var dangerous = func() map[string]bool {
	names := map[string]bool{}
	for _, list := range [][]string{listMethods, missing, strings.Fields(
		"eval Function JSON Array globalThis Object Reflect String RegExp Symbol " +
			"constructor __proto__ " +
			"keys values entries join toLocaleString flat from apply repeat padStart padEnd " +
			"split replace replaceAll match matchAll search normalize escape encodeURI " +
			"encodeURIComponent Error flatMap")} {
		for _, name := range list {
			names[name] = true
		}
	}
	return names
}()

// isPlain reports whether an expression consists only of parts that cannot reach a replaced
// function: variables and fields by name, numbers and texts, operators, and In. Most guards and
// assignments are plain, and a machine without other code does not need the substitutes.
func isPlain(x ast.Expression) bool {
	switch x := x.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return true
	case *ast.Identifier:
		return !dangerous[x.Name.String()]
	case *ast.DotExpression:
		return isPlain(x.Left) && !dangerous[x.Identifier.Name.String()]
	case *ast.UnaryExpression:
		return isPlain(x.Operand)
	case *ast.BinaryExpression:
		return isPlain(x.Left) && isPlain(x.Right)
	case *ast.ConditionalExpression:
		return isPlain(x.Test) && isPlain(x.Consequent) && isPlain(x.Alternate)
	case *ast.AssignExpression:
		return isPlain(x.Left) && isPlain(x.Right)
	case *ast.ObjectLiteral:
		return !slices.ContainsFunc(x.Value, func(p ast.Property) bool { return !isPlainField(p) })
	case *ast.ArrayLiteral: // an empty list: others may nest
		return len(x.Value) == 0
	case *ast.CallExpression:
		return nameOf(x.Callee) == "In" && !slices.ContainsFunc(x.ArgumentList, isNotPlain)
	}
	return false
}

func isNotPlain(x ast.Expression) bool { return !isPlain(x) }

func isPlainField(p ast.Property) bool {
	field, ok := p.(*ast.PropertyKeyed)
	return ok && !field.Computed && field.Kind == ast.PropertyKindValue && isPlain(field.Value)
}

// isPlainScript does the same for statements.
func isPlainScript(tree *ast.Program) bool {
	return !slices.ContainsFunc(tree.Body, func(s ast.Statement) bool {
		x, ok := s.(*ast.ExpressionStatement)
		return !ok || !isPlain(x.Expression)
	})
}
