package ecmascript

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"gosmp/experiment/scxml"
)

// Facts implements scxml.Analyzer: what can be seen in a text without running it.
func (Language) Facts(c scxml.Code) (f scxml.Facts) {
	compiled, ok := c.(*code)
	if !ok || compiled.tree == nil {
		return f
	}
	w := walker{facts: &f}
	w.walk(reflect.ValueOf(compiled.tree.Body))
	f.Uses = slices.DeleteFunc(f.Uses, func(name string) bool { return slices.Contains(w.local, name) || isBuiltin(name) })
	slices.Sort(f.Uses)
	f.Uses = slices.Compact(f.Uses)
	return f
}

// walker goes through a syntax tree by reflection. That holds for every kind of node there is; the
// cases are those in which an identifier is not the use of a variable.
type walker struct {
	facts    *scxml.Facts
	local    []string // parameters, and variables of functions
	function int      // nesting
	guards   []string // paths that the expression has asked for before it comes to the present node
}

func (w *walker) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		if node, ok := v.Interface().(ast.Node); ok && v.Kind() == reflect.Pointer && w.special(node) {
			return
		}
		w.walk(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[ast.Identifier]().PkgPath() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "DeclarationList" {
				w.walk(v.Field(i))
			}
		}
	}
}

// special handles the nodes that mean more than their parts; true means that the parts are done.
func (w *walker) special(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.Identifier:
		w.facts.Uses = append(w.facts.Uses, n.Name.String())
	case *ast.DotExpression:
		w.member(n.Left)
		w.dot(n)
	case *ast.BracketExpression:
		w.member(n.Left)
		return false
	case *ast.OptionalChain: // ends where something is undefined
		w.guarded(n.Expression, w.pathsIn(n.Expression))
	case *ast.BinaryExpression:
		w.walk(reflect.ValueOf(n.Left))
		w.guarded(n.Right, w.askedBy(n))
	case *ast.ConditionalExpression:
		w.walk(reflect.ValueOf(n.Test))
		w.guarded(n.Consequent, w.pathsIn(n.Test))
		w.guarded(n.Alternate, w.pathsIn(n.Test))
	case *ast.PropertyShort:
		w.facts.Uses = append(w.facts.Uses, n.Name.Name.String())
		return false
	case *ast.PropertyKeyed:
		if n.Computed {
			w.walk(reflect.ValueOf(n.Key))
		}
		w.walk(reflect.ValueOf(n.Value))
	case *ast.AssignExpression:
		w.facts.Changes = w.facts.Changes || w.function == 0
		if id, ok := n.Left.(*ast.Identifier); ok {
			w.facts.Declares = append(w.facts.Declares, id.Name.String())
		}
		return false
	case *ast.UnaryExpression:
		w.facts.Changes = w.facts.Changes || w.function == 0 && (n.Operator == token.INCREMENT || n.Operator == token.DECREMENT || n.Operator == token.DELETE)
		if id, ok := n.Operand.(*ast.Identifier); ok && n.Operator == token.TYPEOF {
			w.local = append(w.local, id.Name.String()) // typeof asks whether the variable exists
		}
		return false
	case *ast.FunctionLiteral:
		w.literal(n.Name, n.ParameterList, reflect.ValueOf(n.Body))
	case *ast.ArrowFunctionLiteral:
		w.literal(nil, n.ParameterList, reflect.ValueOf(n.Body))
	case *ast.Binding:
		w.bind(n)
	case *ast.CatchStatement:
		w.local = append(w.local, boundNames(n.Parameter)...)
		return false
	default:
		return false
	}
	return true
}

func (w *walker) literal(name *ast.Identifier, parameters *ast.ParameterList, body reflect.Value) {
	if name != nil {
		w.declare(name.Name.String())
	}
	w.function++
	w.walk(reflect.ValueOf(parameters))
	w.walk(body)
	w.function--
}

func (w *walker) bind(b *ast.Binding) {
	for _, name := range boundNames(b.Target) {
		w.declare(name)
	}
	w.walk(reflect.ValueOf(b.Initializer))
}

// declare notes a name that is bound: a variable of the chart outside functions, a local one
// inside.
func (w *walker) declare(name string) {
	if w.function > 0 {
		w.local = append(w.local, name, "arguments")
		return
	}
	w.facts.Declares = append(w.facts.Declares, name)
}

var localDates = []string{"getHours", "getMinutes", "getDate", "getDay", "getMonth", "getFullYear", "getTimezoneOffset", "toLocaleString",
	"toLocaleDateString", "toLocaleTimeString", "toDateString", "toTimeString", "setHours"}

func (w *walker) dot(n *ast.DotExpression) {
	name := n.Identifier.Name.String()
	if id, ok := n.Left.(*ast.Identifier); ok && id.Name == "Math" && name == "random" {
		w.facts.Random = true
	}
	if slices.Contains(localDates, name) {
		w.facts.LocalDate = true
	}
	w.walk(reflect.ValueOf(n.Left))
}

// boundNames are the variables of a binding: one, or those of a pattern.
func boundNames(target ast.Expression) (names []string) {
	switch t := target.(type) {
	case *ast.Identifier:
		return []string{t.Name.String()}
	case *ast.AssignExpression:
		return boundNames(t.Left)
	case *ast.ArrayPattern:
		for _, e := range append(slices.Clone(t.Elements), t.Rest) {
			names = append(names, boundNames(e)...)
		}
	case *ast.ObjectPattern:
		for _, p := range t.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				names = append(names, p.Name.Name.String())
			case *ast.PropertyKeyed:
				names = append(names, boundNames(p.Value)...)
			}
		}
		names = append(names, boundNames(t.Rest)...)
	}
	return names
}

const builtins = ` Array ArrayBuffer BigInt Boolean DataView Date Error EvalError Float32Array Float64Array Function Infinity Int16Array
 Int32Array Int8Array JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol
 SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet AggregateError decodeURI
 decodeURIComponent encodeURI encodeURIComponent escape unescape eval globalThis isFinite isNaN parseFloat parseInt undefined
 In _event _sessionid _name _ioprocessors _x `

// isBuiltin reports whether the language or the platform declares a name.
func isBuiltin(name string) bool {
	return slices.Contains(strings.Fields(builtins), name)
}
