package ecmascript

import "github.com/dop251/goja"

// maxPrototypes bounds the length of the prototype chain when a script changes an object's
// prototype.
const maxPrototypes = 10_000

// boundPrototypes replaces the functions that change the prototype of an object. The engine looks
// up properties recursively, and does not notice if an object becomes its own prototype through a
// proxy, such as the event.
func (m *model) boundPrototypes() {
	second := func(call native, this goja.Value, arguments []goja.Value) goja.Value {
		if len(arguments) > 1 {
			m.ordinary(arguments[1])
		}
		return call(this, arguments)
	}
	m.replace(m.builtin("Object"), "setPrototypeOf", second)
	m.replace(m.builtin("Reflect"), "setPrototypeOf", second)
	root := m.builtin("Object").Get("prototype").ToObject(m.vm)
	found := m.ask("getOwnPropertyDescriptor", root, m.vm.ToValue("__proto__")).ToObject(m.vm)
	set := m.substituted(found.Get("set").ToObject(m.vm),
		func(call native, this goja.Value, arguments []goja.Value) goja.Value {
			if len(arguments) > 0 {
				m.ordinary(arguments[0])
			}
			return call(this, arguments)
		})
	must(root.DefineAccessorProperty("__proto__", found.Get("get"), set, goja.FLAG_TRUE,
		goja.FLAG_FALSE))
}

// ordinary throws for a prototype that is a proxy, or whose own chain contains a proxy or is too
// long.
func (m *model) ordinary(prototype goja.Value) {
	o, _ := prototype.(*goja.Object)
	for n := 0; o != nil; n++ {
		if o.ExportType() == proxyType {
			panic(m.vm.NewTypeError("a part of a system variable cannot become a prototype"))
		}
		if n > maxPrototypes {
			panic(m.thrown("RangeError", "the chain of prototypes is too long"))
		}
		o = o.Prototype()
	}
}
