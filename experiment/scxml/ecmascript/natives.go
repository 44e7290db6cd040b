package ecmascript

import (
	"errors"
	"fmt"
	"math"

	"github.com/dop251/goja"

	"gosmp/experiment/scxml"
)

// The engine parses texts and walks through values by recursion, in Go, where neither the limit on
// calls nor the timer of an evaluation reaches; and Go ends a process whose stack is full. So the
// functions of the language that do so are replaced by proxies that look at their arguments first.

// maxDepth is how deep lists and objects may nest where a function of the engine goes through them:
// the limit of encoding/json, which what comes from outside has passed already.
const maxDepth = 10_000

// maxJoins is the same where each level is a call of a proxy, which an error leaves one by one.
const maxJoins = 1000

// natives has the state of the functions that are replaced.
type natives struct {
	replaced bool
	approved bool // a text that eval or Function is about to parse
	joins    int  // of lists inside lists, under way
}

// findJSON finds the engine's own functions for JSON.
func (m *model) findJSON() {
	if m.parse == nil {
		json := m.builtin("JSON")
		m.parse, _ = goja.AssertFunction(json.Get("parse"))
		m.stringify, _ = goja.AssertFunction(json.Get("stringify"))
	}
}

func (m *model) builtin(name string) *goja.Object { return m.builtins.Get(name).ToObject(m.vm) }

// replaceNatives puts the proxies where scripts find the functions.
func (m *model) replaceNatives() {
	if m.natives.replaced {
		return
	}
	m.natives.replaced = true
	m.replace(m.builtins, "eval", m.eval)
	m.replaceFunction()
	m.findJSON()
	m.replace(m.builtin("JSON"), "parse", m.parseJSON)
	m.replace(m.builtin("JSON"), "stringify", m.stringifyJSON)
	list := m.builtin("Array").Get("prototype").ToObject(m.vm)
	m.replace(list, "join", m.join)
	m.replace(list, "toLocaleString", m.join)
	m.replace(list, "flat", m.flat)
}

// native is a function of the engine.
type native func(this goja.Value, arguments []goja.Value) goja.Value

// substitute runs in the place of a function of the engine, which it may call.
type substitute func(call native, this goja.Value, arguments []goja.Value) goja.Value

// replace puts a proxy in the place of a function.
func (m *model) replace(owner *goja.Object, name string, by substitute) {
	original := owner.Get(name).ToObject(m.vm)
	call := m.native(original)
	proxy := m.vm.NewProxy(original, &goja.ProxyTrapConfig{
		Apply: func(_ *goja.Object, this goja.Value, arguments []goja.Value) goja.Value {
			return by(call, this, arguments)
		},
	})
	m.hide(owner, name, m.vm.ToValue(proxy))
}

// hide sets a property that cannot be enumerated, as the language defines its functions.
func (m *model) hide(owner *goja.Object, name string, v goja.Value) {
	must(owner.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

func (m *model) native(f *goja.Object) native {
	call, _ := goja.AssertFunction(f)
	return func(this goja.Value, arguments []goja.Value) goja.Value {
		v, err := call(this, arguments...)
		if err != nil {
			panic(err) // the engine's own: an exception, or an interrupt that nothing catches
		}
		return v
	}
}

// before is an option of the parser, whose own type has no name outside, that runs something each
// time a text is going to be parsed.
func before[Options any](_ func(*Options), do func()) func(*Options) {
	return func(*Options) { do() }
}

// parsing stops what would parse a text that nothing has looked at.
func (m *model) parsing() {
	if !m.natives.approved {
		panic(m.vm.NewTypeError("only eval and Function make code of a text"))
	}
	m.natives.approved = false
}

// approve throws for a text that is too long or too deep for the parser, and admits any other one.
func (m *model) approve(text string) {
	if err := bounded(text); err != nil {
		reason := err.Error()
		if e := (*scxml.CompileError)(nil); errors.As(err, &e) {
			reason = e.Reason
		}
		panic(m.thrown("SyntaxError", reason))
	}
	m.natives.approved = true
}

// thrown is an error of the language.
func (m *model) thrown(class, reason string) goja.Value {
	e, err := m.vm.New(m.builtins.Get(class), m.vm.ToValue(reason))
	must(err)
	return e
}

// eval always works in the global scope, as a call through another name does.
func (m *model) eval(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) > 0 {
		if text, ok := arguments[0].(goja.String); ok {
			m.approve(text.String())
		}
	}
	defer func() { m.natives.approved = false }()
	return call(this, arguments)
}

// replaceFunction replaces the constructor Function, also where functions name it.
func (m *model) replaceFunction() {
	original := m.builtin("Function")
	construct, _ := goja.AssertConstructor(original)
	create := func(arguments []goja.Value, target *goja.Object) *goja.Object {
		defer func() { m.natives.approved = false }()
		m.approve(m.source(arguments))
		f, err := construct(target, arguments...)
		if err != nil {
			panic(err)
		}
		return f
	}
	var proxy *goja.Object
	p := m.vm.NewProxy(original, &goja.ProxyTrapConfig{
		Apply: func(_ *goja.Object, _ goja.Value, arguments []goja.Value) goja.Value {
			return create(arguments, proxy)
		},
		Construct: func(_ *goja.Object, arguments []goja.Value, target *goja.Object) *goja.Object {
			return create(arguments, target)
		},
	})
	proxy = m.vm.ToValue(p).ToObject(m.vm)
	m.keepInstances(original, proxy)
	m.hide(m.builtins, "Function", proxy)
	m.hide(original.Get("prototype").ToObject(m.vm), "constructor", proxy)
}

// keepInstances lets instanceof look through the proxy, which the engine's does not.
func (m *model) keepInstances(original, proxy *goja.Object) {
	has, _ := goja.AssertFunction(original.GetSymbol(goja.SymHasInstance))
	instance := m.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		class := call.This
		if class.SameAs(proxy) {
			class = original
		}
		v, err := has(class, call.Argument(0))
		if err != nil {
			panic(err)
		}
		return v
	})
	const no = goja.FLAG_FALSE
	must(original.DefineDataPropertySymbol(goja.SymHasInstance, instance, no, no, no))
}

// source makes texts of the arguments of Function, in place, so that what is looked at is what is
// parsed, and returns them as they will stand together.
func (m *model) source(arguments []goja.Value) (all string) {
	for i, a := range arguments {
		text := a.ToString()
		arguments[i] = text
		if all += text.String() + "\n"; len(all) > maxText {
			break // which is enough to refuse it
		}
	}
	return "(function anonymous(" + all + ")"
}

// parseJSON is JSON.parse.
func (m *model) parseJSON(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) > 0 {
		arguments[0] = arguments[0].ToString()
		if jsonDepth(arguments[0].String()) > maxDepth {
			panic(m.tooDeep("SyntaxError", maxDepth))
		}
	}
	return call(this, arguments)
}

func (m *model) tooDeep(class string, most int) goja.Value {
	reason := fmt.Sprintf("lists and objects are nested deeper than %d levels", most)
	return m.thrown(class, reason)
}

// stringifyJSON is JSON.stringify.
func (m *model) stringifyJSON(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) == 0 || !isObject(arguments[0]) {
		return call(this, arguments)
	}
	if len(arguments) == 1 {
		arguments = append(arguments, goja.Undefined())
	}
	if names := arguments[1]; isObject(names) && !isFunction(names) { // of the parts to write
		call(this, []goja.Value{arguments[0], m.measured(nil)})
		return call(this, arguments)
	}
	replacer, _ := goja.AssertFunction(arguments[1])
	arguments[1] = m.measured(replacer)
	return call(this, arguments)
}

func isObject(v goja.Value) bool {
	_, ok := v.(*goja.Object)
	return ok
}

// measured is a replacer for JSON.stringify that counts how deep it is, ends a walk that is
// interrupted, and leaves the values to another replacer, if there is one.
func (m *model) measured(replacer goja.Callable) goja.Value {
	var open []*goja.Object // the objects around the present value
	return m.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		holder, v := call.This.ToObject(m.vm), call.Argument(1)
		for len(open) > 0 && !open[len(open)-1].SameAs(holder) {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			open = append(open, holder)
		}
		if replacer != nil {
			var err error
			if v, err = replacer(call.This, call.Arguments...); err != nil {
				panic(err)
			}
		}
		if o, ok := v.(*goja.Object); ok {
			open = append(open, o)
		}
		if len(open) > maxDepth+1 {
			panic(m.tooDeep("RangeError", maxDepth))
		}
		if m.late.Load() {
			panic(m.tooLate())
		}
		return v
	})
}

// tooLate lets a function of the engine end where the timer has interrupted it.
func (m *model) tooLate() goja.Value {
	return m.thrown("Error", "the time of the evaluation has passed")
}

// join is Array.prototype.join, and toLocaleString: what they call for lists inside the list comes
// here again.
func (m *model) join(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if m.natives.joins >= maxJoins {
		panic(m.tooDeep("RangeError", maxJoins))
	}
	m.natives.joins++
	defer func() { m.natives.joins-- }()
	return call(this, arguments)
}

// flat is Array.prototype.flat; a list inside itself has no end.
func (m *model) flat(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) > 0 {
		if depth := arguments[0].ToFloat(); depth > maxDepth || math.IsInf(depth, 1) {
			arguments[0] = m.vm.ToValue(maxDepth)
		}
	}
	return call(this, arguments)
}
