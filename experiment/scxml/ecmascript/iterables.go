package ecmascript

import "github.com/dop251/goja"

// iterators holds the engine's own functions that go through lists, before scripts can replace
// them.
type iterators struct {
	values goja.Value   // the method of lists that creates an iterator
	class  *goja.Object // the prototype of such iterators
	next   goja.Value   // its method
}

// findIterators finds the functions.
func (m *model) findIterators() {
	list := m.vm.NewArray()
	values := list.GetSymbol(goja.SymIterator)
	create, _ := goja.AssertFunction(values)
	iterator, err := create(list)
	must(err)
	class := iterator.ToObject(m.vm).Prototype()
	m.natives.iterators = iterators{values, class, class.Get("next")}
}

// iterable returns a value that yields the same as v, but ends when the time is up or after the
// given number of steps, and charges the machine for each step. An engine function that goes
// through an iterable never returns to the script in between if its own method is an engine
// function, too, and may take all memory in the meantime. Lists and texts that scripts have not
// changed end by themselves.
func (m *model) iterable(v goja.Value, most int64) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	method := o.GetSymbol(goja.SymIterator)
	create, ok := goja.AssertFunction(method)
	if own := m.natives.iterators; !ok || o.ClassName() == "Array" && own.values != nil &&
		method.SameAs(own.values) && own.next.SameAs(own.class.Get("next")) {
		return v
	}
	result := m.vm.NewObject()
	must(result.SetSymbol(goja.SymIterator, func(goja.FunctionCall) goja.Value {
		made, err := create(o)
		must(err)
		return m.stepwise(made, most)
	}))
	return result
}

// stepwise returns an iterator that makes the steps of another one.
func (m *model) stepwise(made goja.Value, most int64) goja.Value {
	iterator, ok := made.(*goja.Object)
	if !ok {
		return made // the engine refuses it
	}
	next, ok := goja.AssertFunction(iterator.Get("next"))
	if !ok {
		return made
	}
	steps := int64(0)
	result := m.vm.NewObject()
	must(result.Set("next", func(goja.FunctionCall) goja.Value {
		if m.late.Load() {
			panic(m.tooLate())
		}
		steps++
		m.few(steps-1, most)
		m.charge(sizeOfValue)
		v, err := next(iterator)
		must(err)
		return v
	}))
	must(result.Set("return", func(goja.FunctionCall) goja.Value {
		end, ok := goja.AssertFunction(iterator.Get("return"))
		if !ok {
			return m.vm.NewObject()
		}
		v, err := end(iterator)
		must(err)
		return v
	}))
	return result
}

// throughIterable replaces a function that goes through its first argument.
func (m *model) throughIterable(
	call native, this goja.Value, arguments []goja.Value,
) goja.Value {
	if len(arguments) > 0 {
		arguments[0] = m.iterable(arguments[0], maxList)
	}
	return call(this, arguments)
}

// boundIterables replaces the functions that go through an iterable.
func (m *model) boundIterables() {
	m.findIterators()
	for _, name := range []string{"Map", "Set", "WeakMap", "WeakSet"} {
		m.replaceClass(name, func(arguments []goja.Value) {
			if len(arguments) > 0 {
				arguments[0] = m.iterable(arguments[0], maxList)
			}
		})
	}
	m.replace(m.builtin("Object"), "fromEntries", m.throughIterable)
	for _, name := range []string{"all", "allSettled", "any", "race"} {
		m.replace(m.builtin("Promise"), name, m.throughIterable)
	}
}
