package ecmascript

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// The operator + and templates join texts in one instruction of the engine. A text that is joined
// to itself doubles, so a loop of thirty rounds needs all memory before a timer notices it, and
// the parts of an object or a list that are listed in one instruction need up to a hundred times
// the memory of the list. Therefore, code is changed before it is compiled: the result of such an
// operator passes through a function that looks at its length, unless the operator adds only a few
// characters. The functions are methods of numbers, called on 0: no scope, not even with, can hide
// them, and code cannot replace them.
const (
	checkText  = "+"     // returns a text, or throws for one that is too long
	checkGrown = "+="    // the same for a text that is stored already, so it ends the machine
	checkParts = "..."   // throws for a list with too many parts to list them as names
	checkSteps = "[...]" // returns an iterable whose steps end when time is up
	checkGiven = "(...)" // the same for arguments, of which there may be fewer
)

// shortText is the length of a literal up to which joining it needs no check: only the time of an
// evaluation limits how often it can be joined, and each time, the whole text is copied.
const shortText = 64

const (
	maxNames   = 1 << 18 // elements of a list whose indices become names
	sizeOfName = 200     // bytes, roughly, of such a name and its value in an object
)

// mayJoin reports whether code contains anything that guard might change.
func mayJoin(text string) bool {
	return strings.ContainsAny(text, "+`") || strings.Contains(text, "...") ||
		strings.Contains(text, "for") || strings.Contains(text, "yield")
}

// guard inserts the checks into a tree. It refuses the rest of an object (...name) where its source
// is not an expression that could be checked.
func guard(tree *ast.Program) error {
	g := guarding{}
	g.visit(reflect.ValueOf(tree.Body))
	if g.rests != 0 {
		return refuse("found ...name for the rest of an object in a parameter, a loop or inside " +
			"another pattern, expected it in a declaration or an assignment of its own")
	}
	return nil
}

type guarding struct {
	rests int // of objects, in patterns whose source is not checked
}

// visit replaces the expressions in a tree, the inner ones first.
func (g *guarding) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		g.visit(v.Elem())
		if v.Kind() == reflect.Interface {
			g.replace(v)
		} else {
			g.enter(v.Interface())
		}
	case reflect.Slice:
		for i := range v.Len() {
			g.visit(v.Index(i))
		}
	case reflect.Struct:
		if v.Type().PkgPath() != reflect.TypeFor[ast.Identifier]().PkgPath() {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "DeclarationList" {
				g.visit(v.Field(i))
			}
		}
	}
}

// enter checks what a node lists the parts of.
func (g *guarding) enter(node any) {
	switch x := node.(type) {
	case *ast.ObjectLiteral:
		for _, p := range x.Value {
			if spread, ok := p.(*ast.SpreadElement); ok {
				spread.Expression = checked(checkParts, spread.Expression)
			}
		}
	case *ast.ArrayLiteral:
		checkSpread(checkSteps, x.Value)
	case *ast.CallExpression:
		checkSpread(checkGiven, x.ArgumentList)
	case *ast.NewExpression:
		checkSpread(checkGiven, x.ArgumentList)
	case *ast.YieldExpression:
		if x.Delegate {
			x.Argument = checked(checkSteps, x.Argument)
		}
	case *ast.ForInStatement:
		x.Source = checked(checkParts, x.Source)
	case *ast.ObjectPattern:
		if x.Rest != nil {
			g.rests++
		}
	case *ast.Binding:
		if takesRest(x.Target) && x.Initializer != nil {
			x.Initializer = checked(checkParts, x.Initializer)
			g.rests--
		}
		if takesRestOfList(x.Target) && x.Initializer != nil {
			x.Initializer = checked(checkSteps, x.Initializer)
		}
	case *ast.AssignExpression:
		if takesRest(x.Left) {
			x.Right = checked(checkParts, x.Right)
			g.rests--
		}
		if takesRestOfList(x.Left) {
			x.Right = checked(checkSteps, x.Right)
		}
	case *ast.ParameterList:
		for _, b := range x.List {
			if takesRest(b.Target) && b.Initializer != nil { // only a default
				g.rests++
			}
		}
	}
}

// checkSpread checks what a list or the arguments of a call take from iterables.
func checkSpread(check string, list []ast.Expression) {
	for _, x := range list {
		if spread, ok := x.(*ast.SpreadElement); ok {
			spread.Expression = checked(check, spread.Expression)
		}
	}
}

func takesRestOfList(target ast.Node) bool {
	p, ok := target.(*ast.ArrayPattern)
	return ok && p.Rest != nil
}

func takesRest(target ast.Node) bool {
	p, ok := target.(*ast.ObjectPattern)
	return ok && p.Rest != nil
}

// replace replaces an expression that joins texts.
func (g *guarding) replace(v reflect.Value) {
	if v.Type() != reflect.TypeFor[ast.Expression]() {
		return
	}
	switch x := v.Interface().(type) {
	case *ast.BinaryExpression:
		if x.Operator == token.PLUS && !isSmall(x.Right) && !isSmall(x.Left) {
			v.Set(reflect.ValueOf(checked(checkText, x)))
		}
	case *ast.TemplateLiteral:
		if x.Tag == nil && !addsLittle(x) {
			v.Set(reflect.ValueOf(checked(checkText, x)))
		}
	case *ast.AssignExpression:
		if x.Operator != token.PLUS || isSmall(x.Right) {
			return
		}
		if id, ok := x.Left.(*ast.Identifier); ok {
			sum := &ast.BinaryExpression{Operator: token.PLUS, Left: id, Right: x.Right}
			x.Operator, x.Right = token.ASSIGN, checked(checkText, sum)
			return
		}
		v.Set(reflect.ValueOf(checked(checkGrown, x)))
	}
}

// checked passes an expression through a function.
func checked(name string, x ast.Expression) ast.Expression {
	at := x.Idx0()
	callee := &ast.DotExpression{Left: &ast.NumberLiteral{Idx: at, Literal: "0", Value: int64(0)},
		Identifier: ast.Identifier{Name: unistring.String(name), Idx: at}}
	return &ast.CallExpression{Callee: callee, LeftParenthesis: at,
		ArgumentList: []ast.Expression{x}, RightParenthesis: at}
}

// isSmall reports whether joining a value to a text makes it only a little longer.
func isSmall(x ast.Expression) bool {
	switch x := x.(type) {
	case *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return true
	case *ast.StringLiteral:
		return len(x.Literal) <= shortText
	case *ast.TemplateLiteral:
		return x.Tag == nil && len(x.Expressions) == 0 && addsLittle(x)
	case *ast.UnaryExpression:
		return true
	case *ast.BinaryExpression:
		switch x.Operator {
		case token.PLUS:
			return isNumber(x.Left) && isNumber(x.Right)
		case token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
			return isSmall(x.Left) && isSmall(x.Right)
		}
		return true
	case *ast.ConditionalExpression:
		return isSmall(x.Consequent) && isSmall(x.Alternate)
	}
	return false
}

// isNumber reports whether a value cannot be a text.
func isNumber(x ast.Expression) bool {
	switch x := x.(type) {
	case *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return true
	case *ast.UnaryExpression:
		return x.Operator != token.TYPEOF
	case *ast.BinaryExpression:
		switch x.Operator {
		case token.PLUS, token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
			return isNumber(x.Left) && isNumber(x.Right)
		}
		return true
	case *ast.ConditionalExpression:
		return isNumber(x.Consequent) && isNumber(x.Alternate)
	}
	return false
}

// addsLittle reports whether a template has at most one insertion that may be long, and short texts
// around it.
func addsLittle(x *ast.TemplateLiteral) bool {
	long, length := 0, 0
	for _, e := range x.Elements {
		length += len(e.Parsed)
	}
	for _, e := range x.Expressions {
		if !isSmall(e) {
			long++
		}
	}
	return long <= 1 && length <= shortText
}

// defineChecks creates the functions that guard inserts.
func (m *model) defineChecks() {
	if m.checking {
		return
	}
	m.defineCheck(checkText, func(v goja.Value) {
		if m.made(v) > maxMade {
			panic(m.tooLong())
		}
	})
	m.defineCheck(checkGrown, func(v goja.Value) {
		if n := m.made(v); n > maxMade {
			m.end(fmt.Sprintf("a text of %d characters, expected at most %d", n, maxMade))
		}
	})
	m.defineCheck(checkParts, m.nameable)
	m.hideCheck(checkSteps, func(call goja.FunctionCall) goja.Value {
		return m.iterable(call.Arguments[0], maxList)
	})
	m.hideCheck(checkGiven, func(call goja.FunctionCall) goja.Value {
		if o, ok := call.Arguments[0].(*goja.Object); ok && o.ClassName() == "Array" {
			m.elements(o, maxArguments)
		}
		return m.iterable(call.Arguments[0], maxArguments)
	})
	m.checking = true
}

func (m *model) defineCheck(name string, check func(goja.Value)) {
	m.hideCheck(name, func(call goja.FunctionCall) goja.Value {
		check(call.Arguments[0])
		return call.Arguments[0]
	})
}

// hideCheck makes a function a method of numbers.
func (m *model) hideCheck(name string, check func(goja.FunctionCall) goja.Value) {
	f := m.vm.ToValue(check)
	numbers := m.vm.ToValue(0).ToObject(m.vm).Prototype()
	const no = goja.FLAG_FALSE
	must(numbers.DefineDataProperty(name, f, no, no, no))
}

// made charges the machine for a text that an operator has created, and returns its length.
func (m *model) made(v goja.Value) int {
	text, ok := v.(goja.String)
	if !ok {
		return 0
	}
	n := text.Length()
	if n > shortText {
		m.charge(2 * n)
	}
	return n
}

// nameable throws for a list with too many elements to turn their indices into names.
func (m *model) nameable(v goja.Value) {
	if o, ok := v.(*goja.Object); ok {
		if inner, sealed := m.sealed(o); sealed {
			o = inner
		}
		switch o.ClassName() {
		case "Array", "String", "Arguments":
			n := o.Get("length").ToInteger()
			m.few(n, maxNames)
			m.charge(int(n) * sizeOfName)
		}
		return
	}
	m.few(int64(lengthOf(v)), maxNames)
}
