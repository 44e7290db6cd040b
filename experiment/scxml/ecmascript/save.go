package ecmascript

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"

	"gosmp/experiment/scxml"
	"gosmp/internal/state"
)

const saveMagic = "scxml ecmascript 2\n"

// readOnlyKey is the only key of an object that represents a read-only value in saved text. The
// key's value is a list of two: whether the value is a whole system variable, and the value itself.
const readOnlyKey = "\x00read-only"

// Save writes the variables by name, and the state of Math.random (X23). Global functions are not
// written, because they come back with the global scripts.
func (m *model) Save() ([]byte, error) {
	if len(m.lexical) > 0 {
		return nil,
			fmt.Errorf(
				"%q is declared by let, const or class and cannot be saved; declare it "+
					"by <data> or var", m.lexical[0])
	}
	b := state.AppendUint64([]byte(saveMagic), m.random)
	global := m.vm.GlobalObject()
	w := writer{model: m, seen: map[*goja.Object]string{}}
	var names, texts []string
	for _, name := range slices.Sorted(slices.Values(global.Keys())) {
		v := global.Get(name)
		if f := m.functions[name]; f != nil && f.SameAs(v) {
			continue
		}
		if m.own(global, name).computed {
			return nil, w.refuse(name, "computed by a getter")
		}
		text, err := w.write(name, v)
		if err != nil {
			return nil, err
		}
		names, texts = append(names, name), append(texts, text)
	}
	b = state.AppendUint64(b, uint64(len(names)))
	for i := range names {
		b = state.AppendString(state.AppendString(b, names[i]), texts[i])
	}
	return state.Seal(b, 0), nil
}

// Restore sets the variables.
func (m *model) Restore(b []byte) error {
	d, err := state.Open(saveMagic, b)
	if err != nil {
		return err
	}
	m.random = d.Uint64()
	n := d.Uint64()
	kept := map[string]bool{}
	for i := uint64(0); i < n && d.Err() == nil; i++ {
		name, text := d.String(), d.String()
		v, ok := goja.Undefined(), true
		if text != "" {
			v, ok = m.restored(text)
		}
		if !ok {
			return fmt.Errorf("the saved variable %q is not a value", name)
		}
		if err := m.vm.GlobalObject().Set(name, v); err != nil {
			return err
		}
		kept[name] = true
	}
	m.dropOthers(kept)
	return d.Done()
}

// dropOthers removes variables that global scripts created but that did not exist when the state
// was saved.
func (m *model) dropOthers(kept map[string]bool) {
	global := m.vm.GlobalObject()
	for _, name := range global.Keys() {
		if m.functions[name] == nil && !kept[name] {
			// a var of a global script cannot be deleted; it existed before too
			_ = global.Delete(name)
		}
	}
}

func (m *model) restored(text string) (goja.Value, bool) {
	if text[0] == '<' {
		return m.document(text), true
	}
	v, ok := scxml.JSON(text)
	if !strings.Contains(text, readOnlyText) {
		return m.value(v), ok
	}
	return m.resealed(m.value(v)), ok
}

// readOnlyText is the key as written in JSON.
var readOnlyText = scxml.String(readOnlyKey).Text()

// resealed makes the parts of a restored value read-only that were read-only when it was saved.
func (m *model) resealed(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		return v
	}
	if inner := o.Get(readOnlyKey); inner != nil {
		return m.sealAs(inner.(*goja.Object).Get("1"), inner.(*goja.Object).Get("0").ToBoolean())
	}
	for _, key := range o.Keys() {
		if part, ok := o.Get(key).(*goja.Object); ok {
			must(o.Set(key, m.resealed(part)))
		}
	}
	return v
}

// writer writes values as JSON, and refuses values that would change when read back.
type writer struct {
	model  *model
	seen   map[*goja.Object]string
	sealed bool // inside a part of a system variable
	depth  int
}

var errNotJSON = errors.New("cannot be written as JSON")

func (w *writer) write(path string, v goja.Value) (string, error) {
	if goja.IsUndefined(v) {
		return "", nil
	}
	return w.part(path, v)
}

func (w *writer) refuse(path, found string) error {
	return fmt.Errorf(
		"the variable %s is %s, which %w; keep numbers, texts, lists and plain objects in data",
		path, found, errNotJSON)
}

func (w *writer) part(path string, v goja.Value) (string, error) {
	if o, ok := v.(*goja.Object); ok {
		return w.object(path, o)
	}
	if x, ok := v.Export().(float64); ok {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return "", w.refuse(path, v.String())
		}
		return scxml.Number(x).Text(), nil
	}
	if goja.IsUndefined(v) {
		return "", w.refuse(path, "undefined")
	}
	switch x := v.(type) {
	case goja.String:
		if hasLoneSurrogate(x) {
			return "", w.refuse(path, "a text with an unpaired surrogate")
		}
	case *goja.Symbol:
		return "", w.refuse(path, "a symbol")
	}
	value, err := w.model.exported(v)
	if err != nil {
		return "", w.refuse(path, err.Error())
	}
	return value.Text(), nil
}

// hasLoneSurrogate reports whether a text contains half of a UTF-16 surrogate pair, which UTF-8
// cannot represent.
func hasLoneSurrogate(text goja.String) bool {
	for i, n := 0, text.Length(); i < n; i++ {
		if c := rune(text.CharAt(i)); utf16.IsSurrogate(c) {
			if i++; i == n || utf16.DecodeRune(c, rune(text.CharAt(i))) == utf8.RuneError {
				return true
			}
		}
	}
	return false
}

func (w *writer) object(path string, o *goja.Object) (string, error) {
	if w.depth++; w.depth > maxDepth {
		return "", fmt.Errorf("the variable %.40s… is nested deeper than %d levels", path, maxDepth)
	}
	defer func() { w.depth-- }()
	if first, twice := w.seen[o]; twice {
		return "", w.refuse(path, "the same object as "+first)
	}
	w.seen[o] = path
	if inner, ok := w.model.sealed(o); ok {
		return w.readOnly(path, inner)
	}
	if n := node(o); n != nil {
		if w.nested(path) {
			return "", w.refuse(path, "an XML document inside an object")
		}
		return n.element.XML(), nil
	}
	if c := o.ClassName(); !w.sealed && (c == "Array" || c == "Object") {
		if odd := w.model.oddity(o); odd != "" {
			return "", w.refuse(path, odd)
		}
	}
	switch o.ClassName() {
	case "Array":
		return w.array(path, o)
	case "Object":
		plain := w.model.vm.NewObject().Prototype()
		if p := o.Prototype(); p != plain {
			return "", w.refuse(path, "an object of a class")
		}
		return w.fields(path, o)
	}
	return "", w.refuse(path, "a "+o.ClassName())
}

// oddity returns the part of an object that JSON would lose, or "" if there is none.
func (m *model) oddity(o *goja.Object) string {
	if len(o.Symbols()) > 0 {
		return "an object with a symbol as a key"
	}
	if !m.ask("isExtensible", o).ToBoolean() {
		return "a frozen or sealed object, or one that accepts no new properties"
	}
	isArray := o.ClassName() == "Array"
	for _, name := range o.GetOwnPropertyNames() {
		p := m.own(o, name)
		switch {
		case p.computed:
			return "an object with the getter or setter " + strconv.Quote(name)
		case !p.plain && (!isArray || name != "length"):
			return "an object whose part " + strconv.Quote(name) + " is hidden or read-only"
		}
	}
	return ""
}

// property describes the definition of a part of an object.
type property struct {
	given    bool // as a value
	computed bool // by a getter or setter
	plain    bool // enumerable, writable and configurable, as by an assignment
}

func (m *model) own(o *goja.Object, name string) (p property) {
	var found goja.Value
	if describe := m.natives.describe; describe != nil {
		found, _ = describe(goja.Undefined(), o, m.vm.ToValue(name))
	} else {
		found = m.ask("getOwnPropertyDescriptor", o, m.vm.ToValue(name))
	}
	d, ok := found.(*goja.Object)
	if !ok {
		return p
	}
	is := func(key string) bool { v := d.Get(key); return v != nil && v.ToBoolean() }
	return property{d.Get("value") != nil, is("get") || is("set"),
		is("enumerable") && is("writable") && is("configurable")}
}

// ask calls a function of Object.
func (m *model) ask(name string, arguments ...goja.Value) goja.Value {
	f, ok := goja.AssertFunction(m.builtins.Get("Object").ToObject(m.vm).Get(name))
	if !ok {
		return goja.Undefined()
	}
	v, err := f(goja.Undefined(), arguments...)
	if err != nil {
		return goja.Undefined()
	}
	return v
}

// readOnly writes a part of a system variable that a variable holds. The values inside it are also
// read-only, and are not marked again.
func (w *writer) readOnly(path string, inner *goja.Object) (string, error) {
	outer := !w.sealed
	w.sealed = true
	text, err := w.object(path, inner)
	if outer {
		w.sealed = false
		whole := inner.GetSymbol(w.model.mark).String()
		text = "{" + readOnlyText + ":[" + whole + "," + text + "]}"
	}
	return text, err
}

func (w *writer) nested(path string) bool {
	for _, c := range path {
		if c == '.' || c == '[' {
			return true
		}
	}
	return false
}

func (w *writer) array(path string, o *goja.Object) (string, error) {
	var text strings.Builder
	text.WriteByte('[')
	n := int(o.Get("length").ToInteger())
	if len(o.Keys()) != n {
		return "", w.refuse(path, "an array with holes or named properties")
	}
	for i := range n {
		if i > 0 {
			text.WriteByte(',')
		}
		part, err := w.part(fmt.Sprintf("%s[%d]", path, i), o.Get(strconv.Itoa(i)))
		if err != nil {
			return "", err
		}
		text.WriteString(part)
	}
	text.WriteByte(']')
	return text.String(), nil
}

func (w *writer) fields(path string, o *goja.Object) (string, error) {
	var text strings.Builder
	text.WriteByte('{')
	for i, name := range o.Keys() {
		if name == readOnlyKey {
			return "", w.refuse(path, "an object with a reserved key")
		}
		if i > 0 {
			text.WriteByte(',')
		}
		part, err := w.part(path+"."+name, o.Get(name))
		if err != nil {
			return "", err
		}
		text.WriteString(scxml.String(name).Text() + ":" + part)
	}
	text.WriteByte('}')
	return text.String(), nil
}
