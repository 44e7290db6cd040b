package ecmascript

import (
	"reflect"
	"strconv"

	"github.com/dop251/goja"
)

// System variables and all their parts are read-only (X17). Freezing the objects would not be
// enough: in a script that is not strict, assigning to a frozen object has no effect but raises no
// error either. Therefore, each object of a system variable is wrapped in a proxy that throws.

var (
	proxyType = reflect.TypeFor[goja.Proxy]()
	nodeType  = reflect.TypeFor[*Node]()
)

// whole seals the value of a system variable. The value keeps its identity when assigned to a
// variable of the chart, as tests 326 and 329 of the W3C require, and stays read-only there.
func (m *model) whole(v goja.Value) goja.Value { return m.sealAs(v, true) }

// seal makes an object and all objects inside it read-only. It returns the object that scripts may
// see. They must not be able to reach the given object in any other way.
func (m *model) seal(v goja.Value) goja.Value { return m.sealAs(v, false) }

func (m *model) sealAs(v goja.Value, whole bool) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok || o.ExportType() == nodeType { // documents are always read-only
		return v
	}
	if _, done := m.sealed(o); done {
		return v
	}
	m.prepareSeal()
	for _, key := range o.Keys() {
		if part, ok := o.Get(key).(*goja.Object); ok {
			must(o.Set(key, m.seal(part)))
		}
	}
	return m.behindProxy(o, whole)
}

func (m *model) prepareSeal() {
	if m.traps == nil {
		m.traps = m.readOnly()
		m.mark = goja.NewSymbol("read-only")
	}
}

// behindProxy makes an object whose parts are already read-only itself read-only.
func (m *model) behindProxy(o *goja.Object, whole bool) goja.Value {
	must(o.DefineDataPropertySymbol(m.mark, m.vm.ToValue(whole), goja.FLAG_FALSE, goja.FLAG_FALSE,
		goja.FLAG_FALSE))
	return m.vm.ToValue(m.vm.NewProxy(o, m.traps))
}

func (m *model) readOnly() *goja.ProxyTrapConfig {
	refuse := func(name string) bool {
		panic(m.vm.NewTypeError(
			"%s is part of a system variable, which is read-only; assign a copy "+
				"to a variable of the chart", name))
	}
	index := strconv.Itoa
	return &goja.ProxyTrapConfig{
		Set: func(_ *goja.Object, name string, _, _ goja.Value) bool {
			return refuse(name)
		},
		SetIdx: func(_ *goja.Object, i int, _, _ goja.Value) bool {
			return refuse(index(i))
		},
		SetSym: func(_ *goja.Object, s *goja.Symbol, _, _ goja.Value) bool {
			return refuse(s.String())
		},
		DefineProperty: func(_ *goja.Object, name string, _ goja.PropertyDescriptor) bool {
			return refuse(name)
		},
		DefinePropertyIdx: func(_ *goja.Object, i int, _ goja.PropertyDescriptor) bool {
			return refuse(index(i))
		},
		DefinePropertySym: func(_ *goja.Object, s *goja.Symbol, _ goja.PropertyDescriptor) bool {
			return refuse(s.String())
		},
		DeleteProperty:    func(_ *goja.Object, name string) bool { return refuse(name) },
		DeletePropertyIdx: func(_ *goja.Object, i int) bool { return refuse(index(i)) },
		DeletePropertySym: func(_ *goja.Object, s *goja.Symbol) bool { return refuse(s.String()) },
		SetPrototypeOf:    func(_, _ *goja.Object) bool { return refuse("the prototype") },
		PreventExtensions: func(*goja.Object) bool { return refuse("the object") },
	}
}

// sealed returns the object inside a read-only proxy, and false for any other object.
func (m *model) sealed(o *goja.Object) (inner *goja.Object, ok bool) {
	if m.mark == nil || o.ExportType() != proxyType {
		return nil, false
	}
	p, ok := o.Export().(goja.Proxy)
	if !ok || p.Target() == nil || p.Target().ExportType() == proxyType ||
		p.Target().GetSymbol(m.mark) == nil {
		return nil, false
	}
	return p.Target(), true
}

// plain returns a value that the chart may keep and change: a copy of a part of a system variable,
// or any other value unchanged.
func (m *model) plain(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	inner, ok := m.sealed(o)
	if !ok || inner.GetSymbol(m.mark).ToBoolean() {
		return v
	}
	twin := m.vm.NewObject()
	if inner.ClassName() == "Array" {
		twin = m.vm.NewArray()
	}
	keys := inner.Keys()
	m.charge(sizeOfGroup + len(keys)*sizeOfValue)
	for _, key := range keys {
		must(twin.Set(key, m.plain(inner.Get(key))))
	}
	return twin
}
