package ecmascript

import (
	"fmt"
	"strings"

	"github.com/dop251/goja"
)

func (m *model) boundTexts() {
	class := m.builtin("String")
	text := class.Get("prototype").ToObject(m.vm)
	m.replace(class, "raw", m.raw)
	m.replace(text, "repeat", m.repeat)
	m.replace(text, "padStart", m.pad)
	m.replace(text, "padEnd", m.pad)
	m.replace(text, "concat", m.concat)
	m.replace(text, "split", m.divide)
	m.replace(text, "replace", m.replaceText)
	m.replace(text, "replaceAll", m.replaceText)
	m.replaceSymbol(text, goja.SymIterator, m.iterate)
	m.replace(text, "match", m.withPattern(goja.SymMatch))
	m.replace(text, "matchAll", m.withPattern(goja.SymMatchAll))
	m.replace(text, "search", m.withPattern(goja.SymSearch))
	m.replaceClass("RegExp", m.bearable)
	pattern := m.builtin("RegExp").Get("prototype").ToObject(m.vm)
	m.replace(pattern, "compile", func(call native, this goja.Value, a []goja.Value) goja.Value {
		m.bearable(a)
		return call(this, a)
	})
	// The engine searches for all matches in one instruction unless exec has been replaced.
	m.replace(pattern, "exec", m.throughSubstitute)
	m.replaceSymbol(pattern, goja.SymMatch, m.search)
	m.replaceSymbol(pattern, goja.SymMatchAll, m.search)
	m.replaceSymbol(pattern, goja.SymSplit, m.searchAndDivide)
	m.replaceSymbol(pattern, goja.SymReplace, m.searchAndReplace)
	m.replace(pattern, "toString", m.ofBoundedLength)
	m.replace(m.builtin("Error").Get("prototype").ToObject(m.vm), "toString", m.ofBoundedLength)
	for _, name := range []string{"toUpperCase", "toLowerCase", "toLocaleUpperCase",
		"toLocaleLowerCase"} {
		m.replace(text, name, m.converted)
	}
	m.replace(text, "normalize", m.searched)
	for _, name := range []string{"encodeURI", "encodeURIComponent", "escape"} {
		m.replace(m.builtins, name, m.encoded)
	}
	m.boundNames()
}

// boundNames bounds the functions that turn the indices of a list into names.
func (m *model) boundNames() {
	for _, class := range []string{"Object", "Reflect"} {
		for _, name := range strings.Fields("assign defineProperties entries freeze fromEntries " +
			"getOwnPropertyDescriptors getOwnPropertyNames getOwnPropertySymbols groupBy " +
			"isFrozen isSealed keys ownKeys preventExtensions seal values") {
			if owner := m.builtin(class); owner.Get(name) != nil {
				m.replace(owner, name, m.partsOf)
			}
		}
	}
}

// throughSubstitute calls an engine function. As all substitutes, it does not if time is up.
func (m *model) throughSubstitute(
	call native, this goja.Value, arguments []goja.Value,
) goja.Value {
	return call(this, arguments)
}

// ofBoundedLength bounds the result of a function that joins two texts.
func (m *model) ofBoundedLength(call native, this goja.Value, arguments []goja.Value) goja.Value {
	v := call(this, arguments)
	if m.made(v) > maxMade {
		panic(m.tooLong())
	}
	return v
}

// mostOfCase is how much longer a text can become if its letters change between upper and lower
// case.
const mostOfCase = 3

func (m *model) converted(call native, this goja.Value, arguments []goja.Value) goja.Value {
	this = textual(this)
	m.short(float64(lengthOf(this)), mostOfCase)
	return call(this, arguments)
}

// searched bounds the text on which a method works.
func (m *model) searched(call native, this goja.Value, arguments []goja.Value) goja.Value {
	this = textual(this)
	m.searchable(lengthOf(this))
	return call(this, arguments)
}

// encoded bounds the text that a function encodes.
func (m *model) encoded(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) > 0 {
		arguments[0] = arguments[0].ToString()
		m.searchable(lengthOf(arguments[0]))
	}
	return call(this, arguments)
}

// sizeOfMatch is the number of bytes, roughly, of what a pattern finds in a text.
const sizeOfMatch = 64

func (m *model) searchable(n int) {
	if n > maxSearched {
		panic(m.thrown("RangeError", fmt.Sprintf("a text of %d characters is searched or "+
			"converted, expected at most %d", n, maxSearched)))
	}
	m.charge(sizeOfMatch * n)
}

// lengthOf returns the length of a text, or 0 for anything else.
func lengthOf(v goja.Value) int {
	if text, ok := v.(goja.String); ok {
		return text.Length()
	}
	return 0
}

func (m *model) tooLong() goja.Value {
	return m.thrown("RangeError",
		fmt.Sprintf("the text would be longer than %d characters", maxMade))
}

// short throws if the product of two lengths is longer than a text may be.
func (m *model) short(n, times float64) {
	if n*times > maxMade {
		panic(m.tooLong())
	}
	m.charge(int(2 * n * times))
}

// textual converts the value that a method works on to a text, exactly once. The method's own check
// refuses undefined and null.
func textual(v goja.Value) goja.Value {
	if goja.IsUndefined(v) || goja.IsNull(v) {
		return v
	}
	return v.ToString()
}

func (m *model) repeat(call native, this goja.Value, arguments []goja.Value) goja.Value {
	this = textual(this)
	if len(arguments) > 0 {
		arguments[0] = arguments[0].ToNumber()
		m.short(float64(lengthOf(this)), arguments[0].ToFloat())
	}
	return call(this, arguments)
}

func (m *model) pad(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) > 0 {
		arguments[0] = arguments[0].ToNumber()
		m.short(arguments[0].ToFloat(), 1)
	}
	return call(this, arguments)
}

func (m *model) concat(call native, this goja.Value, arguments []goja.Value) goja.Value {
	this = textual(this)
	all := lengthOf(this)
	for i, a := range arguments {
		arguments[i] = a.ToString()
		all += lengthOf(arguments[i])
		m.short(float64(all), 1)
	}
	return call(this, arguments)
}

// raw replaces String.raw, whose first argument has a list of texts.
func (m *model) raw(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) == 0 {
		return call(this, arguments)
	}
	texts := arguments[0].ToObject(m.vm).Get("raw")
	if texts == nil {
		texts = goja.Undefined()
	}
	given := texts.ToObject(m.vm)
	n, all := m.elements(given, maxArguments), 0
	list := make([]any, n)
	for i := range list {
		v := given.Get(fmt.Sprint(i))
		if v == nil {
			v = goja.Undefined()
		}
		list[i] = v.ToString()
		all += lengthOf(v.ToString())
		m.short(float64(all), 1)
	}
	once := m.vm.NewObject()
	must(once.Set("raw", m.vm.NewArray(list...)))
	arguments[0] = once
	for i, a := range arguments[1:] {
		arguments[i+1] = a.ToString()
		all += lengthOf(arguments[i+1])
		m.short(float64(all), 1)
	}
	return call(this, arguments)
}

// divide replaces splitting by a text; search bounds splitting by a pattern.
func (m *model) divide(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) == 0 || isObject(arguments[0]) {
		return call(this, arguments)
	}
	this, arguments[0] = textual(this), textual(arguments[0])
	if lengthOf(this) > maxList && !goja.IsUndefined(arguments[0]) {
		m.few(int64(strings.Count(this.String(), arguments[0].String())), maxList)
	}
	return call(this, arguments)
}

// replaceText replaces replace and replaceAll for a text; searchAndReplace bounds replacements for
// a pattern.
func (m *model) replaceText(
	call native, this goja.Value, arguments []goja.Value,
) goja.Value {
	if len(arguments) < 2 || isObject(arguments[0]) {
		return call(this, arguments)
	}
	this, arguments[0] = textual(this), textual(arguments[0])
	found := 1 + strings.Count(this.String(), arguments[0].String())
	m.boundReplacement(this, found, &arguments[1])
	return call(this, arguments)
}

// boundReplacement throws for a replacement that would make the result too long, and counts the
// texts that a replacement function returns.
func (m *model) boundReplacement(this goja.Value, found int, by *goja.Value) {
	if f, ok := goja.AssertFunction(*by); ok {
		*by = m.counted(f)
		return
	}
	*by = (*by).ToString()
	text, n := (*by).String(), float64(lengthOf(this))
	longest := float64(n * float64(strings.Count(text, "$"))) // for each one, everything found
	if strings.Contains(text, "$`") || strings.Contains(text, "$'") {
		longest = float64(longest * float64(found)) // each time, the whole text
	}
	m.short(n+longest+float64(float64(found)*float64(lengthOf(*by))), 1)
}

// counted wraps a function and bounds the total length of the texts that it returns.
func (m *model) counted(f goja.Callable) goja.Value {
	all := 0
	return m.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		v, err := f(call.This, call.Arguments...)
		must(err)
		text := v.ToString()
		all += lengthOf(text)
		m.short(float64(all), 1)
		return text
	})
}

// search replaces a method of a pattern that searches a text.
func (m *model) search(call native, this goja.Value, arguments []goja.Value) goja.Value {
	if len(arguments) > 0 {
		arguments[0] = arguments[0].ToString()
		m.searchable(lengthOf(arguments[0]))
	}
	return call(this, arguments)
}

// searchAndDivide replaces splitting by a pattern. The result contains what each group has matched.
func (m *model) searchAndDivide(
	call native, this goja.Value, arguments []goja.Value,
) goja.Value {
	return m.search(func(this goja.Value, arguments []goja.Value) goja.Value {
		if o, ok := this.(*goja.Object); ok && len(arguments) > 0 {
			groups := strings.Count(o.Get("source").String(), "(")
			m.few(int64(lengthOf(arguments[0])+1)*int64(groups), maxList)
		}
		return call(this, arguments)
	}, this, arguments)
}

func (m *model) searchAndReplace(
	call native, this goja.Value, arguments []goja.Value,
) goja.Value {
	if len(arguments) < 2 {
		return call(this, arguments)
	}
	return m.search(func(this goja.Value, arguments []goja.Value) goja.Value {
		m.boundReplacement(arguments[0], lengthOf(arguments[0])+1, &arguments[1])
		return call(this, arguments)
	}, this, arguments)
}

// iterate creates the iterator over the characters of a text that engine functions use.
func (m *model) iterate(call native, this goja.Value, arguments []goja.Value) goja.Value {
	this = textual(this)
	m.few(int64(lengthOf(this)), maxList)
	return call(this, arguments)
}

// partsOf replaces a function that lists the parts of its arguments: a text has one for each
// character.
func (m *model) partsOf(call native, this goja.Value, arguments []goja.Value) goja.Value {
	for _, a := range arguments {
		m.nameable(a)
	}
	return call(this, arguments)
}
