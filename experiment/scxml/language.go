package scxml

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"gosmp/timebase"
)

// Role states how a piece of text is used, which determines how it is compiled.
type Role uint8

// The roles of texts in a chart.
const (
	Condition  Role = iota // cond: yields true or false
	Expr                   // yields a value
	Location               // can be assigned to
	Variable               // a plain variable name: item and index of foreach, id of data
	Statements             // a script
)

// Code is compiled by a language; only that language looks inside. Code never changes, so machines
// can share it.
type Code any

// Language is a data model named by the datamodel attribute: it compiles expressions, and creates
// the data model of each machine. A language must be safe for use by several goroutines.
type Language interface {
	// Name returns the value of the datamodel attribute.
	Name() string
	// Compile compiles a text. The error, if possible a *CompileError, states what does not parse.
	Compile(role Role, text string) (Code, error)
	// New creates the data model of one machine.
	New(Environment) Model
}

// CompileError is an error at a place in a text; Line and Column count from 1 in that text.
type CompileError struct {
	Position
	Reason string
}

// Error returns the reason.
func (e *CompileError) Error() string { return e.Reason }

// Environment is a machine's interface for its data model. It is valid as long as the machine
// exists.
type Environment interface {
	// In reports whether a state is active.
	In(id string) bool
	// Now returns the time of the machine.
	Now() timebase.Time
	// System returns the value of a system variable: _sessionid, _name, _ioprocessors or _x.
	System(variable string) Value
	// Event returns the event that is being handled, or nil before the first one.
	Event() *Event
	// Seed returns the seed for the language's random numbers.
	Seed() uint64
	// Ended returns the reason why evaluations must end with ErrStopped at once, or nil. Any
	// goroutine may call it.
	Ended() error
}

// Model is the data of one machine. Every error except ErrStopped becomes an error.execution event
// of the machine. A model belongs to one machine and is used by one goroutine at a time.
type Model interface {
	// Declare creates a variable without a value, or leaves an existing one unchanged (X3).
	Declare(variable Code) error
	// Bool evaluates a condition.
	Bool(cond Code) (bool, error)
	// Value evaluates an expression or the value at a location.
	Value(expr Code) (Value, error)
	// Text evaluates an expression that must yield a text, such as the name of an event.
	Text(expr Code) (string, error)
	// Assign evaluates an expression and sets a location to the result without copying it.
	Assign(location, expr Code) error
	// Set sets a location to a value.
	Set(location Code, v Value) error
	// ForEach calls body once for each item of a shallow copy of an array, with item and index
	// (unless nil) set.
	ForEach(array, item, index Code, body func() error) error
	// Run executes a script.
	Run(script Code) error
	// EventChanged is called after the result of Environment.Event has changed.
	EventChanged()
	// Ready is called after global scripts have run, before the machine enters its first states.
	Ready()
	// Save writes the variables with their values, in a fixed order, and everything else that the
	// model needs to continue. If a variable cannot be serialized, it fails with an error that
	// names the variable.
	Save() ([]byte, error)
	// Restore restores the result of Save, into a model for which global scripts have run and Ready
	// was called.
	Restore([]byte) error
}

// ErrStopped is the cause of an error with which a data model ends its machine, because an
// evaluation exceeded a bound.
var ErrStopped = errors.New("evaluation was stopped")

// Value is a datum that machines exchange: JSON, an XML document, or nothing. The zero value is
// undefined.
type Value struct {
	text string // JSON, or XML if it begins with "<", which JSON never does
}

// JSON returns the value of a JSON text; ok is false if it is not valid JSON.
func JSON(text string) (v Value, ok bool) {
	if !json.Valid([]byte(text)) {
		return Value{}, false
	}
	return Value{strings.TrimSpace(text)}, true
}

// String returns a text as a value.
func String(text string) Value {
	b, err := json.Marshal(text)
	if err != nil { // impossible for a string
		return Value{}
	}
	return Value{string(b)}
}

// Number returns a number as a value.
func Number(x float64) Value { return Value{strconv.FormatFloat(x, 'g', -1, 64)} }

// XMLValue returns an element as a value.
func XMLValue(e *Element) Value { return Value{e.XML()} }

// ValueOf returns anything that encoding/json can write as a value.
func ValueOf(x any) (Value, error) {
	b, err := json.Marshal(x)
	return Value{string(b)}, err
}

// IsUndefined reports whether there is no value.
func (v Value) IsUndefined() bool { return v.text == "" }

// IsXML reports whether the value is an XML document.
func (v Value) IsXML() bool { return strings.HasPrefix(v.text, "<") }

// Text returns the JSON or XML text of the value, or "" if it is undefined.
func (v Value) Text() string { return v.text }

// Display returns the value in readable form: text without quotes, and "undefined" for no value.
func (v Value) Display() string {
	if v.IsUndefined() {
		return "undefined"
	}
	if s, ok := v.AsString(); ok {
		return s
	}
	return v.text
}

// AsString returns the text of a value that is a JSON string.
func (v Value) AsString() (string, bool) {
	var s string
	if !strings.HasPrefix(v.text, `"`) || json.Unmarshal([]byte(v.text), &s) != nil {
		return "", false
	}
	return s, true
}

// Decode sets x to the value as encoding/json does. An undefined or XML value leaves x unchanged.
func (v Value) Decode(x any) error {
	if v.IsUndefined() || v.IsXML() {
		return nil
	}
	return json.Unmarshal([]byte(v.text), x)
}

// object creates a JSON object from named values in order; if names repeat, the last one wins.
// Undefined values are left out, and an XML document becomes a text.
func object(names []string, values []Value) Value {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range names {
		if values[i].IsUndefined() || containsAfter(names, i) {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.WriteString(String(name).text)
		b.WriteByte(':')
		if values[i].IsXML() {
			b.WriteString(String(values[i].text).text)
		} else {
			b.WriteString(values[i].text)
		}
	}
	b.WriteByte('}')
	return Value{b.String()}
}

func containsAfter(names []string, i int) bool {
	for _, n := range names[i+1:] {
		if n == names[i] {
			return true
		}
	}
	return false
}

// field returns the value of one field of a JSON object.
func (v Value) field(name string) Value {
	var fields map[string]json.RawMessage
	if v.IsXML() || json.Unmarshal([]byte(v.text), &fields) != nil {
		return Value{}
	}
	return Value{string(fields[name])}
}

// literal returns the value represented by a text in a chart or file (X18).
func literal(text string) Value {
	if v, ok := JSON(text); ok {
		return v
	}
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		if e, err := ParseXML([]byte(text)); err == nil {
			return XMLValue(e)
		}
	}
	return String(strings.Join(strings.Fields(text), " "))
}
