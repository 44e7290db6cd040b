package ecmascript

import (
	"errors"
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"

	"gosmp/experiment/scxml"
)

// The engine would compile a text that scripts create without the checks of guard, so eval and
// Function compile it here, and everything else that compiles a text is refused.

// before returns a parser option that calls a function each time before a text is parsed. The
// option's type has no exported name.
func before[Options any](_ func(*Options), do func()) func(*Options) {
	return func(*Options) { do() }
}

// parsing prevents the engine from reading a text.
func (m *model) parsing() {
	panic(m.vm.NewTypeError("only eval and Function compile text to code"))
}

// compiled returns the program of a text, and throws if the text is not a program or exceeds a
// bound.
func (m *model) compiled(text string, accept func(*ast.Program) error) *goja.Program {
	program, err := compileText(text, accept)
	if err != nil {
		panic(m.refused(err))
	}
	return program
}

// refused is the error of the language for a text that was refused.
func (m *model) refused(err error) goja.Value {
	reason := err.Error()
	if e := (*scxml.CompileError)(nil); errors.As(err, &e) {
		reason = e.Reason
	}
	return m.thrown("SyntaxError", reason)
}

func compileText(text string, accept func(*ast.Program) error) (*goja.Program, error) {
	if err := bounded(text); err != nil {
		return nil, err
	}
	tree, err := parse(text, 0)
	if err == nil {
		err = accept(tree)
	}
	if err != nil {
		return nil, err
	}
	return compile(tree, text, false)
}

// evaluate runs a program inside a running evaluation.
func (m *model) evaluate(program *goja.Program) goja.Value {
	m.defineChecks()
	v, err := m.vm.RunProgram(program)
	if err != nil {
		panic(err) // an exception or an uncaught interrupt
	}
	return v
}

// eval always works in the global scope, like a call through another name.
func (m *model) eval(_ native, _ goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) == 0 {
		return goja.Undefined()
	}
	given, ok := arguments[0].(goja.String)
	if !ok {
		return arguments[0]
	}
	text := given.String()
	local := false
	program := m.compiled(text, func(tree *ast.Program) error {
		local = slices.ContainsFunc(tree.Body, isLexical)
		return nil
	})
	if local {
		program = m.compiled("{"+text+"\n}", func(*ast.Program) error { return nil })
	}
	return m.evaluate(program)
}

// isLexical reports whether a statement declares names that are visible in their block only.
func isLexical(s ast.Statement) bool {
	switch s.(type) {
	case *ast.LexicalDeclaration, *ast.ClassDeclaration:
		return true
	}
	return false
}

// replaceFunction replaces the constructor Function, including where prototypes of functions refer
// to it.
func (m *model) replaceFunction() {
	f := m.vm.ToValue(func(c goja.ConstructorCall) *goja.Object {
		text := m.source(c.Arguments)
		f := m.evaluate(m.compiled("("+text+")", func(tree *ast.Program) error {
			if _, ok := single(tree).(*ast.FunctionLiteral); !ok {
				return refuse("found something after the function, expected parameters and a body")
			}
			return nil
		})).ToObject(m.vm)
		if c.NewTarget != nil {
			if prototype, ok := c.NewTarget.Get("prototype").(*goja.Object); ok {
				must(f.SetPrototype(prototype))
			}
		}
		return f
	}).ToObject(m.vm)
	m.replaceConstructor("Function", f)
}

// source joins the arguments of Function in the same way as the engine.
func (m *model) source(arguments []goja.Value) string {
	var parameters, body string
	for i, a := range slices.Clone(arguments) { // they are on the engine's stack
		text := a.ToString().String()
		switch {
		case i+1 == len(arguments):
			body = text
		case i > 0:
			parameters += ","
			fallthrough
		default:
			parameters += text
		}
		if len(parameters) > maxText {
			break // enough to refuse it
		}
	}
	return "function anonymous(" + parameters + "\n) {\n" + body + "\n}"
}
