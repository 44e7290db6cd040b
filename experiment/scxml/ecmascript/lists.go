package ecmascript

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// A call to an engine function cannot be interrupted, so its work and the size of its result are
// bounded before it begins.
const (
	maxList      = 1 << 20  // elements of a list that a function reads or creates
	maxArguments = 1 << 18  // of a call by apply
	maxMade      = 16 << 20 // UTF-16 units of a text that a function or an operator creates
	maxSearched  = 1 << 20  // the same for a text that is searched or converted
	sizeOfValue  = 16       // bytes of an element of a list
)

// missing holds names that the language defines but charts do not have: their values are outside
// JSON, so charts cannot keep them, and their memory and depth are not bounded here.
var missing = strings.Fields("Proxy BigInt ArrayBuffer DataView Int8Array Uint8Array " +
	"Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array")

// listMethods holds the methods that go through an entire list, of whatever length it claims to
// have.
var listMethods = strings.Fields("concat copyWithin every fill filter find findIndex findLast " +
	"findLastIndex forEach includes indexOf lastIndexOf map reduce reduceRight reverse " +
	"shift slice some sort splice toReversed toSorted toSpliced unshift with")

func (m *model) boundLists() {
	list := m.builtin("Array").Get("prototype").ToObject(m.vm)
	for _, name := range listMethods {
		if list.Get(name) != nil {
			m.replace(list, name, m.throughList)
		}
	}
	for _, name := range []string{"keys", "values", "entries"} {
		m.replace(list, name, m.throughList)
	}
	must(list.DefineDataPropertySymbol(goja.SymIterator, list.Get("values"), goja.FLAG_TRUE,
		goja.FLAG_TRUE, goja.FLAG_FALSE))
	m.replace(list, "join", m.join)
	m.replace(list, "toLocaleString", m.toLocaleString)
	m.replace(list, "flat", m.flat)
	m.replace(list, "flatMap", m.flatMap)
	m.replace(m.builtin("Array"), "from", m.throughFirst)
	function := m.builtin("Function").Get("prototype").ToObject(m.vm)
	m.replace(function, "apply", m.applied(1))
	m.replace(m.builtin("Reflect"), "apply", m.applied(2))
	m.replace(m.builtin("Reflect"), "construct", m.applied(1))
}

// elements returns the length of a list or of an object that passes for one. It throws if the
// length is too large, or not a plain number, because code might change it before it is read again.
func (m *model) elements(v goja.Value, most int64) int64 {
	o, ok := v.(*goja.Object)
	if !ok {
		return int64(lengthOf(v))
	}
	if inner, sealed := m.sealed(o); sealed {
		o = inner
	}
	length := o.Get("length")
	class := o.ClassName()
	if class != "Array" && class != "String" && length != nil && !m.own(o, "length").given {
		panic(m.vm.NewTypeError("the length of a list is computed or inherited, expected a number"))
	}
	if length == nil {
		return 0
	}
	if isObject(length) {
		panic(m.vm.NewTypeError("the length of a list is an object, expected a number"))
	}
	n := length.ToInteger()
	m.few(n, most)
	m.charge(int(n) * sizeOfValue)
	return n
}

func (m *model) few(n, most int64) {
	if n > most {
		panic(m.thrown("RangeError", fmt.Sprintf("a list has %d elements, expected at most %d",
			n, most)))
	}
}

// throughList replaces a method that iterates over the list, and for concat over its arguments.
func (m *model) throughList(
	call native, this goja.Value, arguments []goja.Value,
) goja.Value {
	n := m.elements(this, maxList)
	for _, a := range arguments {
		if o, ok := a.(*goja.Object); ok && !isFunction(o) && (o.ClassName() == "Array" ||
			o.GetSymbol(goja.SymIsConcatSpreadable) != nil) {
			n += m.elements(a, maxList)
			m.few(n, maxList)
		}
	}
	return call(this, arguments)
}

// throughFirst replaces a function that iterates over its first argument.
func (m *model) throughFirst(
	call native, this goja.Value, arguments []goja.Value,
) goja.Value {
	if len(arguments) == 0 {
		return call(this, arguments)
	}
	if !isIterable(arguments[0]) {
		m.elements(arguments[0], maxList)
	}
	arguments[0] = m.iterable(arguments[0], maxList)
	return call(this, arguments)
}

// isIterable reports whether a value has an iterator, which may have any number of steps.
func isIterable(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	return ok && o.ClassName() != "Array" && o.GetSymbol(goja.SymIterator) != nil
}

// applied replaces a function that calls another one with the arguments in a list; at is the index
// of the list among its own arguments.
func (m *model) applied(at int) substitute {
	return func(call native, this goja.Value, arguments []goja.Value) goja.Value {
		if len(arguments) > at && isObject(arguments[at]) {
			m.elements(arguments[at], maxArguments)
		}
		return call(this, arguments)
	}
}

// join replaces Array.prototype.join, which calls it again for lists inside the list. A list that
// contains itself yields an empty text.
func (m *model) join(_ native, this goja.Value, arguments []goja.Value) goja.Value {
	separator := ","
	if len(arguments) > 0 && !goja.IsUndefined(arguments[0]) {
		separator = arguments[0].String()
	}
	return m.joined(this, separator, func(v goja.Value) goja.Value { return v.ToString() })
}

// toLocaleString replaces Array.prototype.toLocaleString.
func (m *model) toLocaleString(_ native, this goja.Value, _ []goja.Value) goja.Value {
	return m.joined(this, ",", func(v goja.Value) goja.Value {
		f, ok := goja.AssertFunction(v.ToObject(m.vm).Get("toLocaleString"))
		if !ok {
			panic(m.vm.NewTypeError("toLocaleString is not a function"))
		}
		text, err := f(v)
		must(err)
		return text.ToString()
	})
}

func (m *model) joined(
	this goja.Value, separator string, textOf func(goja.Value) goja.Value,
) goja.Value {
	list := this.ToObject(m.vm)
	if slices.ContainsFunc(m.natives.joins, func(o *goja.Object) bool { return o.SameAs(list) }) {
		return m.vm.ToValue("")
	}
	if len(m.natives.joins) >= maxJoins {
		panic(m.tooDeep("RangeError", maxJoins))
	}
	n := m.elements(list, maxList)
	if n*int64(len(separator)) > maxMade {
		panic(m.tooLong())
	}
	m.natives.joins = append(m.natives.joins, list)
	defer func() { m.natives.joins = m.natives.joins[:len(m.natives.joins)-1] }()
	var text strings.Builder
	for i := range n {
		if i > 0 {
			text.WriteString(separator)
		}
		v := list.Get(strconv.FormatInt(i, 10))
		if v == nil || goja.IsUndefined(v) || goja.IsNull(v) {
			continue
		}
		part := textOf(v)
		if text.Len()+lengthOf(part) > maxMade {
			panic(m.tooLong())
		}
		text.WriteString(part.String())
	}
	return m.vm.ToValue(text.String())
}

// flatMap replaces Array.prototype.flatMap, whose function may return long lists.
func (m *model) flatMap(call native, this goja.Value, arguments []goja.Value) goja.Value {
	m.elements(this, maxList)
	if len(arguments) > 0 {
		if f, ok := goja.AssertFunction(arguments[0]); ok {
			all := int64(0)
			arguments[0] = m.vm.ToValue(func(c goja.FunctionCall) goja.Value {
				v, err := f(c.This, c.Arguments...)
				must(err)
				if o, ok := v.(*goja.Object); ok && o.ClassName() == "Array" {
					all += m.elements(o, maxList)
					m.few(all, maxList)
				}
				return v
			})
		}
	}
	return call(this, arguments)
}

// flat replaces Array.prototype.flat. Lists that contain each other many times would yield more
// elements than fit into memory.
func (m *model) flat(_ native, this goja.Value, arguments []goja.Value) goja.Value {
	depth := 1.0
	if len(arguments) > 0 && !goja.IsUndefined(arguments[0]) {
		depth = min(arguments[0].ToFloat(), maxDepth-1)
	}
	var all []any
	var add func(list *goja.Object, depth float64)
	add = func(list *goja.Object, depth float64) {
		if m.late.Load() {
			panic(m.tooLate())
		}
		n := m.elements(list, maxList)
		for i := range n {
			v := list.Get(strconv.FormatInt(i, 10))
			o, isList := v.(*goja.Object)
			switch {
			case v == nil: // a hole
			case isList && o.ClassName() == "Array" && depth >= 1:
				add(o, depth-1)
			default:
				all = append(all, v)
				m.few(int64(len(all)), maxList)
				m.charge(sizeOfValue)
			}
		}
	}
	add(this.ToObject(m.vm), depth)
	return m.vm.NewArray(all...)
}
