package ecmascript

import (
	"fmt"
	"slices"

	"github.com/dop251/goja"
)

// The engine parses texts and traverses values recursively in Go, where neither the call limit nor
// the evaluation timer has an effect, and Go aborts a process whose stack is full. Therefore, the
// language functions that do so are replaced by functions that check their arguments first.

// maxDepth bounds the nesting of lists and objects that a function of the engine walks through. It
// is the limit of encoding/json, which data from outside has already passed.
const maxDepth = 10_000

// maxJoins is the bound if each level is a call to a substitute, because an error unwinds these
// calls one by one.
const maxJoins = 1000

// natives holds the state of the replaced functions.
type natives struct {
	replaced bool

	iterators iterators
	describe  goja.Callable  // the engine's own Object.getOwnPropertyDescriptor
	joins     []*goja.Object // nested lists being converted to text
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

// replaceNatives puts the substitutes where scripts find the functions.
func (m *model) replaceNatives() {
	if m.natives.replaced {
		return
	}
	m.natives.replaced = true
	m.defineChecks() // before code can define properties of the same names
	object := m.builtin("Object")
	m.natives.describe, _ = goja.AssertFunction(object.Get("getOwnPropertyDescriptor"))
	for _, name := range missing {
		must(m.builtins.Delete(name))
	}
	m.replace(m.builtins, "eval", m.eval)
	m.replaceFunction()
	m.findJSON()
	m.replace(m.builtin("JSON"), "parse", m.parseJSON)
	m.replace(m.builtin("JSON"), "stringify", m.stringifyJSON)
	m.boundPrototypes()
	m.boundLists()
	m.boundTexts()
	m.boundIterables()
}

// native is an engine function that is replaced.
type native func(this goja.Value, arguments []goja.Value) goja.Value

// substitute runs in place of an engine function, which it may call.
type substitute func(call native, this goja.Value, arguments []goja.Value) goja.Value

// replace replaces a function with a substitute.
func (m *model) replace(owner *goja.Object, name string, by substitute) {
	m.hide(owner, name, m.substituted(owner.Get(name).ToObject(m.vm), by))
}

// replaceSymbol is like replace for a function whose name is a symbol.
func (m *model) replaceSymbol(owner *goja.Object, name *goja.Symbol, by substitute) {
	f := m.substituted(owner.GetSymbol(name).ToObject(m.vm), by)
	must(owner.DefineDataPropertySymbol(name, f, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// substituted returns a function with the name and the length of the original. It is not a proxy,
// because a proxy could become its own prototype.
func (m *model) substituted(original *goja.Object, by substitute) goja.Value {
	call := m.native(original)
	f := m.vm.ToValue(func(c goja.FunctionCall) goja.Value {
		if m.late.Load() {
			panic(m.tooLate())
		}
		return by(call, c.This, slices.Clone(c.Arguments)) // they are on the engine's stack
	}).ToObject(m.vm)
	m.describe(f, original)
	return f
}

func (m *model) describe(f, original *goja.Object) {
	for _, name := range []string{"name", "length"} {
		must(f.DefineDataProperty(name, original.Get(name), goja.FLAG_FALSE, goja.FLAG_TRUE,
			goja.FLAG_FALSE))
	}
}

// replaceClass replaces a constructor by one that first examines, and may change, its arguments.
// The engine does not show whether the constructor was called with new. Only RegExp can also be
// called without it; all others are constructed in both cases.
func (m *model) replaceClass(name string, examine func(arguments []goja.Value)) {
	original := m.builtin(name)
	construct, _ := goja.AssertConstructor(original)
	call := m.native(original)
	f := m.vm.ToValue(func(c goja.ConstructorCall) *goja.Object {
		if m.late.Load() {
			panic(m.tooLate())
		}
		arguments := slices.Clone(c.Arguments) // they are on the engine's stack
		examine(arguments)
		if c.NewTarget == nil && name == "RegExp" {
			return call(goja.Undefined(), arguments).ToObject(m.vm)
		}
		made, err := construct(c.NewTarget, arguments...)
		must(err)
		return made
	}).ToObject(m.vm)
	m.replaceConstructor(name, f)
}

// replaceConstructor replaces a constructor, including where its prototype refers to it.
func (m *model) replaceConstructor(name string, by *goja.Object) {
	original := m.builtin(name)
	m.describe(by, original)
	prototype := original.Get("prototype").ToObject(m.vm)
	const no = goja.FLAG_FALSE
	must(by.DefineDataProperty("prototype", prototype, no, no, no))
	species := m.ask("getOwnPropertyDescriptor", original, goja.SymSpecies)
	if !goja.IsUndefined(species) { // what methods create for classes that extend this one
		get := species.ToObject(m.vm).Get("get")
		must(by.DefineAccessorPropertySymbol(goja.SymSpecies, get, nil, goja.FLAG_TRUE, no))
	}
	m.hide(m.builtins, name, by)
	m.hide(prototype, "constructor", by)
}

// hide sets a property that is not enumerable, like the language's own functions.
func (m *model) hide(owner *goja.Object, name string, v goja.Value) {
	must(owner.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

func (m *model) native(f *goja.Object) native {
	call, _ := goja.AssertFunction(f)
	return func(this goja.Value, arguments []goja.Value) goja.Value {
		v, err := call(this, arguments...)
		if err != nil {
			panic(err) // from the engine: an exception or an uncaught interrupt
		}
		return v
	}
}

// thrown is an error of the language.
func (m *model) thrown(class, reason string) goja.Value {
	e, err := m.vm.New(m.builtins.Get(class), m.vm.ToValue(reason))
	must(err)
	return e
}

// parseJSON replaces JSON.parse.
func (m *model) parseJSON(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) > 0 {
		arguments[0] = arguments[0].ToString()
		shape := shapeOf(arguments[0].String())
		if shape.depth > maxDepth {
			panic(m.tooDeep("SyntaxError", maxDepth))
		}
		if err := shape.tooLarge(); err != nil {
			panic(m.thrown("RangeError", err.Error()))
		}
	}
	return call(this, arguments)
}

func (m *model) tooDeep(class string, most int) goja.Value {
	reason := fmt.Sprintf("lists and objects are nested deeper than %d levels", most)
	return m.thrown(class, reason)
}

// stringifyJSON replaces JSON.stringify.
func (m *model) stringifyJSON(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) == 0 {
		return call(this, arguments)
	}
	if !isObject(arguments[0]) {
		m.short(float64(escapedLength(arguments[0])), 1)
		return call(this, arguments)
	}
	for len(arguments) < 3 {
		arguments = append(arguments, goja.Undefined())
	}
	if names := arguments[1]; isObject(names) && !isFunction(names) { // names of the parts to write
		return m.stringifyNamed(call, this, arguments)
	}
	replacer, _ := goja.AssertFunction(arguments[1])
	indent := 0
	if !goja.IsUndefined(arguments[2]) {
		indent = maxIndent
	}
	arguments[1] = m.measured(replacer, indent)
	return call(this, arguments)
}

// stringifyNamed writes only the parts with the given names, like JSON.stringify with a list of
// names. It calls the value's toJSON only once.
func (m *model) stringifyNamed(
	call native, this goja.Value, arguments []goja.Value,
) goja.Value {
	text := call(this, []goja.Value{arguments[0], m.measured(nil, 0)})
	if goja.IsUndefined(text) {
		return text
	}
	shape := shapeOf(text.String())
	if shape.depth*maxIndent*(shape.values+1) > maxMade {
		panic(m.tooLong())
	}
	parsed, err := m.parse(goja.Undefined(), text)
	must(err)
	arguments[0] = parsed
	return call(this, arguments)
}

func isObject(v goja.Value) bool {
	_, ok := v.(*goja.Object)
	return ok
}

// maxIndent is the largest indentation for each level that JSON.stringify accepts.
const maxIndent = 10

// measured returns a replacer for JSON.stringify that tracks how deep the walk is and how long the
// text may become, stops an interrupted walk, and leaves the values to another replacer if there is
// one; indent is the number of characters before a value for each level.
func (m *model) measured(replacer goja.Callable, indent int) goja.Value {
	var open []*goja.Object // the objects around the current value
	length := 0
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
		made := escapedLength(v) + escapedLength(call.Argument(0)) + indent*len(open)
		if length += made; length > maxMade {
			panic(m.tooLong())
		}
		m.charge(2 * made)
		return v
	})
}

// escapedLength returns the length of a text in JSON, or 0 for anything else.
func escapedLength(v goja.Value) int {
	text, ok := v.(goja.String)
	if !ok {
		return 0
	}
	n := text.Length()
	for _, c := range []byte(text.String()) {
		switch {
		case c < ' ':
			n += len(`u001f`)
		case c == '"' || c == '\\':
			n++
		}
	}
	return n
}

// tooLate ends an engine function that the timer interrupted.
func (m *model) tooLate() goja.Value {
	return m.thrown("Error", "the time limit of the evaluation has been exceeded")
}
