package ecmascript

import (
	"errors"
	"math"
	"strconv"

	"github.com/dop251/goja"

	"gosmp/experiment/scxml"
)

// value converts a value to an engine value.
func (m *model) value(v scxml.Value) goja.Value {
	text := v.Text()
	m.charge(weight(text))
	switch {
	case text == "":
		return goja.Undefined()
	case v.IsXML():
		return m.document(text)
	case text == "null":
		return goja.Null()
	case text == "true" || text == "false":
		return m.vm.ToValue(text == "true")
	}
	if s, ok := v.AsString(); ok {
		return m.vm.ToValue(s)
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return m.number(x)
	}
	m.findJSON()
	parsed, err := m.parse(goja.Undefined(), m.vm.ToValue(text))
	if err != nil { // impossible for the content of a Value
		return goja.Undefined()
	}
	return parsed
}

// described returns the text of a value for a message. It does not call an object's own conversion,
// because that would run code without a limit.
func described(v goja.Value) string {
	o, ok := v.(*goja.Object)
	switch {
	case !ok:
		return v.String()
	case isFunction(o):
		return "a function"
	case o.ClassName() == "Array":
		return "a list"
	}
	return "an object"
}

func (m *model) number(x float64) goja.Value {
	if i := int64(x); float64(i) == x && (i != 0 || !math.Signbit(x)) {
		return m.vm.ToValue(i)
	}
	return m.vm.ToValue(x)
}

// exported converts an engine value to one that can leave the machine.
func (m *model) exported(v goja.Value) (scxml.Value, error) {
	switch x := v.(type) {
	case *goja.Object:
		return m.exportedObject(x)
	case *goja.Symbol:
		return scxml.Value{}, errors.New("a symbol cannot leave the machine")
	}
	switch x := v.Export().(type) {
	case nil:
		if goja.IsNull(v) {
			return scxml.ValueOf(nil)
		}
		return scxml.Value{}, nil
	case string:
		return scxml.String(x), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return scxml.ValueOf(nil)
		}
		return scxml.Number(x), nil
	default:
		return scxml.ValueOf(x)
	}
}

func (m *model) exportedObject(o *goja.Object) (v scxml.Value, err error) {
	if isFunction(o) {
		return scxml.Value{}, nil
	}
	if n := node(o); n != nil {
		return scxml.XMLValue(n.element), nil
	}
	err = m.guarded(func() error {
		m.findJSON()
		text, err := m.stringify(goja.Undefined(), o, m.measured(nil, 0))
		if err != nil {
			return err
		}
		if goja.IsUndefined(text) { // toJSON returned nothing
			text = goja.Null()
		}
		v, _ = scxml.JSON(text.String())
		return nil
	})
	return v, err
}
