package ecmascript

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
)

// member records a value that may be undefined although a part of it is read, unless the expression
// tests it first, as in x && x.y.
func (w *walker) member(base ast.Expression) {
	w.budget -= len(w.guards)
	if w.budget <= 0 {
		return
	}
	if path := pathOf(base); path != "" && w.function == 0 && !slices.Contains(w.guards, path) {
		w.facts.Members = append(w.facts.Members, path)
	}
}

// Bounds on the search for values that may be undefined, so that its cost is proportional to the
// length of a text.
const (
	maxPaths = 50_000 // paths to compare; a text with more is not judged
	maxPath  = 16     // parts of a path; a longer one is not judged
	// maxPathText bounds the length of the path of a part of a literal value.
	maxPathText = 200
)

// pathOf returns "x", "x.y", or "x[]" for an index, and "" for an expression that is neither a
// variable nor a part of one.
func pathOf(x ast.Expression) string { return pathWithin(x, maxPath) }

func pathWithin(x ast.Expression, parts int) string {
	if parts == 0 {
		return ""
	}
	switch x := x.(type) {
	case *ast.Identifier:
		return x.Name.String()
	case *ast.DotExpression:
		if left := pathWithin(x.Left, parts-1); left != "" {
			return left + "." + x.Identifier.Name.String()
		}
	case *ast.BracketExpression:
		if left := pathWithin(x.Left, parts-1); left != "" {
			return left + "[]"
		}
	}
	return ""
}

// parts visits, by path, the parts of a literal value that are neither undefined nor null. The path
// of the value itself is "".
func parts(x ast.Expression, path string, depth int, visit func(path string)) {
	switch x := x.(type) {
	case *ast.NumberLiteral, *ast.StringLiteral, *ast.BooleanLiteral, *ast.TemplateLiteral,
		*ast.ArrayLiteral,
		*ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.NewExpression:
		visit(path)
	case *ast.ObjectLiteral:
		visit(path)
		for _, property := range x.Value {
			keyed, ok := property.(*ast.PropertyKeyed)
			if !ok || keyed.Computed || keyed.Kind != ast.PropertyKindValue || depth == 0 {
				continue
			}
			if key, ok := keyed.Key.(*ast.StringLiteral); ok &&
				len(path)+len(key.Literal) < maxPathText {
				parts(keyed.Value, strings.TrimPrefix(path+"."+key.Value.String(), "."), depth-1,
					visit)
			}
		}
	}
}

// guarded walks through an expression that is evaluated only after the paths were tested.
func (w *walker) guarded(x ast.Expression, paths []string) {
	before := len(w.guards)
	w.guards = append(w.guards, paths...)
	w.walk(reflect.ValueOf(x))
	w.guards = w.guards[:before]
}

// askedBy lists the paths that the left side of a logical operator tests.
func (w *walker) askedBy(n *ast.BinaryExpression) []string {
	switch n.Operator {
	case token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
		return w.pathsIn(n.Left)
	}
	return nil
}

// pathsIn lists the variables and parts of variables in an expression.
func (w *walker) pathsIn(x ast.Expression) (paths []string) {
	if w.budget--; w.budget <= 0 {
		return nil
	}
	if path := pathOf(x); path != "" {
		paths = append(paths, path)
	}
	switch x := x.(type) {
	case *ast.UnaryExpression:
		paths = append(paths, w.pathsIn(x.Operand)...)
	case *ast.BinaryExpression:
		paths = append(append(paths, w.pathsIn(x.Left)...), w.pathsIn(x.Right)...)
	case *ast.DotExpression:
		paths = append(paths, w.pathsIn(x.Left)...)
	case *ast.BracketExpression:
		paths = append(paths, w.pathsIn(x.Left)...)
	case *ast.Optional:
		paths = append(paths, w.pathsIn(x.Expression)...)
	case *ast.OptionalChain:
		paths = append(paths, w.pathsIn(x.Expression)...)
	case *ast.CallExpression:
		for _, argument := range x.ArgumentList {
			paths = append(paths, w.pathsIn(argument)...)
		}
	}
	return paths
}

// ofEvent returns the part of the event that an expression reads, such as _event.data.actor, or "".
func (w *walker) ofEvent(x ast.Expression) string {
	if w.budget--; w.budget <= 0 {
		return ""
	}
	part, is := strings.CutPrefix(pathOf(x), "_event.")
	if !is || slices.Contains(ofEveryObject, part[strings.LastIndex(part, ".")+1:]) {
		return ""
	}
	return part
}

// ofEveryObject holds the parts that all objects have.
var ofEveryObject = []string{"constructor", "hasOwnProperty", "isPrototypeOf",
	"propertyIsEnumerable", "toLocaleString", "toString", "valueOf"}
