package ecmascript

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"

	"gosmp/experiment/scxml"
)

// Facts implements scxml.Analyzer: it returns the facts about a text that are known without running
// it.
func (Language) Facts(c scxml.Code) (f scxml.Facts) {
	compiled, ok := c.(*code)
	if !ok || compiled.tree == nil {
		return f
	}
	w := walker{facts: &f, local: map[string]bool{}, parameters: map[string]bool{},
		uses: map[string]bool{}, budget: maxPaths, finds: map[*ast.CallExpression]bool{}}
	if compiled.decides {
		w.required(single(compiled.tree))
		f.Assigns = assigns(single(compiled.tree))
	}
	w.walk(reflect.ValueOf(compiled.tree.Body))
	w.conclude()
	if x := single(compiled.tree); x != nil {
		f.Path, f.Asks = pathOf(x), w.pathsIn(x)
		parts(x, "", maxPath, func(part string) { f.Parts = append(f.Parts, part) })
		f.Fields, f.Literal = fieldsOf(x, compiled.text), isLiteral(x)
	}
	if w.budget <= 0 {
		f.Members, f.OfEvent, f.Compared = nil, nil, nil
	}
	return f
}

// fieldsOf returns the fields of an object as it is written in the text.
func fieldsOf(x ast.Expression, text string) (list []scxml.Field) {
	object, ok := x.(*ast.ObjectLiteral)
	if !ok {
		return nil
	}
	const before = 2 // positions count from 1, and the parser has seen the text in parentheses
	if at := int(object.LeftBrace) - before; at < 0 || at >= len(text) || text[at] != '{' {
		return nil
	}
	for _, property := range object.Value {
		field, ok := property.(*ast.PropertyKeyed)
		if !ok || field.Computed || field.Kind != ast.PropertyKindValue {
			return nil
		}
		key, ok := field.Key.(*ast.StringLiteral)
		from, to := int(field.Value.Idx0())-before, int(field.Value.Idx1())-before
		if !ok || from < 0 || to > len(text) || from > to {
			return nil
		}
		list = append(list, scxml.Field{Name: key.Value.String(), Expr: text[from:to]})
	}
	return list
}

// walker walks through a syntax tree by reflection, which works for every kind of node; the cases
// are the nodes in which an identifier does not refer to a variable.
type walker struct {
	facts      *scxml.Facts
	uses       map[string]bool
	local      map[string]bool // parameters, and variables of functions
	parameters map[string]bool
	function   int  // nesting
	negated    bool // inside an odd number of negations
	// paths that the expression tests before it reaches the current node
	guards []string
	budget int                          // of paths to compare, see maxPaths
	finds  map[*ast.CallExpression]bool // see required

	named   []*named // functions that the text defines
	inside  *named   // the function that contains the current node, or nil
	changes []change
	calls   []call
}

// named is a function with a name.
type named struct {
	scxml.Function
	calls map[string]bool
}

// change is an assignment or a similar change. It counts only if its variable is not local, which
// is known at the end.
type change struct {
	variable string // "" if the target is not part of a variable
	part     bool   // of the variable, not the variable itself
	inside   *named
}

type call struct {
	function string
	inside   *named
}

// conclude determines everything that depends on which variables are local.
func (w *walker) conclude() {
	f := w.facts
	for _, c := range w.changes {
		given := c.part && c.inside != nil && w.parameters[c.variable] // belongs to the caller
		mine := w.local[c.variable] && !given
		switch {
		case mine:
		case c.inside == nil:
			f.Changes = true
		default:
			c.inside.Changes = true
		}
	}
	called := map[string]bool{}
	for _, c := range w.calls {
		switch {
		case w.local[c.function] || isBuiltin(c.function):
		case c.inside == nil:
			called[c.function] = true
		default:
			c.inside.calls[c.function] = true
		}
	}
	f.Calls = sorted(called)
	for _, n := range w.named {
		n.Calls = sorted(n.calls)
		f.Functions = append(f.Functions, n.Function)
	}
	for name := range w.uses {
		if !w.local[name] && !isBuiltin(name) {
			f.Uses = append(f.Uses, name)
		}
	}
	slices.Sort(f.Uses)
}

func sorted(set map[string]bool) (names []string) {
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (w *walker) walk(v reflect.Value) { visit(v, w.special) }

// visit walks through a syntax tree and calls enter for each node; enter returns true if it handled
// the parts of the node.
func visit(v reflect.Value, enter func(ast.Node) bool) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		if node, ok := v.Interface().(ast.Node); ok && v.Kind() == reflect.Pointer && enter(node) {
			return
		}
		visit(v.Elem(), enter)
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), enter)
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[ast.Identifier]().PkgPath() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "DeclarationList" {
				visit(v.Field(i), enter)
			}
		}
	}
}

// special handles the nodes that mean more than their parts. It returns true if it handled the
// parts.
func (w *walker) special(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.Identifier:
		w.uses[n.Name.String()] = true
	case *ast.DotExpression:
		w.member(n.Left)
		w.dot(n)
	case *ast.BracketExpression:
		w.member(n.Left)
		w.compare(n.Left, n.Member, scxml.Index, false)
		return false
	case *ast.OptionalChain: // stops at anything undefined
		w.guarded(n.Expression, w.pathsIn(n.Expression))
	case *ast.BinaryExpression:
		w.facts.LocalDate = w.facts.LocalDate || n.Operator == token.PLUS && (isDate(n.Left) ||
			isDate(n.Right))
		w.compared(n)
		w.walk(reflect.ValueOf(n.Left))
		w.guarded(n.Right, w.askedBy(n))
	case *ast.ConditionalExpression:
		w.walk(reflect.ValueOf(n.Test))
		w.guarded(n.Consequent, w.pathsIn(n.Test))
		w.guarded(n.Alternate, w.pathsIn(n.Test))
	case *ast.PropertyShort:
		w.uses[n.Name.Name.String()] = true
		return false
	case *ast.PropertyKeyed:
		if n.Computed {
			w.walk(reflect.ValueOf(n.Key))
		}
		w.walk(reflect.ValueOf(n.Value))
	case *ast.FunctionLiteral:
		w.literal(n.Name, n.ParameterList, reflect.ValueOf(n.Body))
	case *ast.ArrowFunctionLiteral:
		w.literal(nil, n.ParameterList, reflect.ValueOf(n.Body))
	case *ast.Binding:
		w.bind(n)
	case *ast.AssignExpression:
		return w.assign(n)
	default:
		return w.effect(node)
	}
	return true
}

// literal walks through a function. It records named functions that are not inside another
// function.
func (w *walker) literal(name *ast.Identifier, parameters *ast.ParameterList, body reflect.Value) {
	outer := w.inside
	if name != nil {
		w.declare(name.Name.String())
		w.begin(name.Name.String())
	}
	w.function++
	for _, p := range parameters.List {
		for _, bound := range boundNames(p.Target) {
			w.parameters[bound] = true
		}
	}
	for _, rest := range boundNames(parameters.Rest) {
		w.parameters[rest] = true
		w.declare(rest)
	}
	w.walk(reflect.ValueOf(parameters))
	w.walk(body)
	w.function--
	w.inside = outer
}

// begin creates the record of a function if the current node is not inside any function.
func (w *walker) begin(name string) {
	if w.function == 0 && w.inside == nil {
		w.inside = &named{scxml.Function{Name: name}, map[string]bool{}}
		w.named = append(w.named, w.inside)
	}
}

// valued walks through the value assigned to a variable, which may be a function.
func (w *walker) valued(target, value ast.Expression) {
	outer := w.inside
	if id, ok := target.(*ast.Identifier); ok && isFunctionLiteral(value) {
		w.begin(id.Name.String())
	}
	w.walk(reflect.ValueOf(value))
	w.inside = outer
}

func isFunctionLiteral(x ast.Expression) bool {
	switch x.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
		return true
	}
	return false
}

func (w *walker) bind(b *ast.Binding) {
	for _, name := range boundNames(b.Target) {
		w.declare(name)
	}
	if b.Initializer != nil {
		w.valued(asExpression(b.Target), b.Initializer)
	}
}

func asExpression(target ast.BindingTarget) ast.Expression {
	x, _ := target.(ast.Expression)
	return x
}

// declare records a bound name: a variable of the chart outside functions, or a local one inside.
func (w *walker) declare(name string) {
	if w.function > 0 {
		w.local[name], w.local["arguments"] = true, true
		return
	}
	w.facts.Declares = append(w.facts.Declares, name)
}

// boundNames returns the variables of a binding: one, or all variables of a pattern.
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

const builtins = ` AggregateError Array Boolean Date Error EvalError Function Infinity JSON Map Math
 NaN Number Object Promise RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError
 TypeError URIError WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape
 eval globalThis isFinite isNaN parseFloat parseInt undefined unescape
 In _event _sessionid _name _ioprocessors _x `

var builtinNames = func() map[string]bool {
	names := map[string]bool{}
	for _, name := range strings.Fields(builtins) {
		names[name] = true
	}
	return names
}()

// isBuiltin reports whether the language or the platform declares a name.
func isBuiltin(name string) bool { return builtinNames[name] }
