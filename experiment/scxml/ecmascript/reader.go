package ecmascript

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"gosmp/experiment/scxml"
)

// sealedValue creates a read-only engine value, as whole and seal do from an existing one. It runs
// for each event of each machine, so it builds the objects directly from the text, which takes a
// tenth of the time.
func (m *model) sealedValue(v scxml.Value) goja.Value {
	text := v.Text()
	if text == "" || text[0] != '{' && text[0] != '[' || strings.Contains(text, `"__proto__"`) ||
		strings.Contains(text, `\u`) {
		// a name that is repeated, or may be hidden by an escape
		return m.seal(m.value(v))
	}
	m.charge(weight(text))
	m.prepareSeal()
	r := reader{model: m, text: text}
	return r.value()
}

// reader creates values from a JSON text that is known to be valid.
type reader struct {
	model *model
	text  string
	at    int
}

// next skips white space and returns the byte that follows.
func (r *reader) next() byte {
	for r.text[r.at] <= ' ' {
		r.at++
	}
	return r.text[r.at]
}

func (r *reader) value() goja.Value {
	switch c := r.next(); c {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return r.model.vm.ToValue(r.string())
	case 't':
		r.at += len("true")
		return r.model.vm.ToValue(true)
	case 'f':
		r.at += len("false")
		return r.model.vm.ToValue(false)
	case 'n':
		r.at += len("null")
		return goja.Null()
	}
	return r.number()
}

func (r *reader) object() goja.Value {
	o := r.model.vm.NewObject()
	for r.at++; r.next() != '}'; {
		if r.text[r.at] == ',' {
			r.at++
			continue
		}
		name := r.string()
		r.next() // the colon
		r.at++
		must(o.Set(name, r.value()))
	}
	r.at++
	return r.model.behindProxy(o, false)
}

func (r *reader) array() goja.Value {
	var items []any
	for r.at++; r.next() != ']'; {
		if r.text[r.at] == ',' {
			r.at++
			continue
		}
		items = append(items, r.value())
	}
	r.at++
	return r.model.behindProxy(r.model.vm.NewArray(items...), false)
}

func (r *reader) number() goja.Value {
	start := r.at
	for r.at < len(r.text) && strings.IndexByte("+-.0123456789eE", r.text[r.at]) >= 0 {
		r.at++
	}
	// numbers that are too large become infinite, as in JSON.parse
	x, _ := strconv.ParseFloat(r.text[start:r.at], 64)
	return r.model.number(x)
}

// string reads a text that begins at the next byte.
func (r *reader) string() (s string) {
	r.next()
	start := r.at + 1
	for r.at = start; r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	raw := r.text[start : r.at-1]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw
	}
	_ = json.Unmarshal([]byte(r.text[start-1:r.at]), &s) // valid because the whole text is valid
	return s
}
