package bridge

import (
	"slices"
	"strconv"
	"strings"
)

// System is a publish-subscribe system.
type System string

// The systems that a bridge connects to.
const (
	ROS1 System = "ros1"
	ROS2 System = "ros2"
	DDS  System = "dds"
)

// Encoding returns the name of the message encoding as used by recordings and viewers: "cdr" or
// "ros1".
func (s System) Encoding() string {
	if s == ROS1 {
		return "ros1"
	}
	return "cdr"
}

// SchemaEncoding returns the name of the schema language: "ros2msg" or "ros1msg".
func (s System) SchemaEncoding() string {
	if s == ROS1 {
		return "ros1msg"
	}
	return "ros2msg"
}

// SchemaName returns the name of a message in recordings: "geometry_msgs/msg/Point" in ROS 2 and
// DDS, "geometry_msgs/Point" in ROS 1.
func (s System) SchemaName(m *Message) string {
	if s == ROS1 {
		return m.Name
	}
	return strings.Replace(m.Name, "/", "/msg/", 1)
}

// Kind is the kind of value that a field holds.
type Kind uint8

// The kinds. Nested stands for another message.
const (
	Nested Kind = iota
	Bool
	Int8
	Int16
	Int32
	Int64
	Uint8
	Uint16
	Uint32
	Uint64
	Float32
	Float64
	String
	Time    // seconds as int32, nanoseconds as uint32
	WString // of UTF-16
)

// kindFacts lists the size and alignment of kinds in CDR, and their names in Go.
var kindFacts = [...]struct {
	size   int
	goName string
}{
	Nested: {1, ""}, Bool: {1, "bool"}, Int8: {1, "int8"}, Int16: {2, "int16"}, Int32: {4, "int32"},
	Int64: {8, "int64"},
	Uint8: {1, "uint8"}, Uint16: {2, "uint16"}, Uint32: {4, "uint32"}, Uint64: {8, "uint64"},
	Float32: {4, "float32"}, Float64: {8, "float64"}, String: {4, "string"}, Time: {4, "cdr.Time"},
	WString: {4, "string"},
}

// GoName returns the type in Go: "float64", "cdr.Time", or "" for Nested.
func (k Kind) GoName() string { return kindFacts[k].goName }

// String returns the name in .msg files of ROS 2: "float64".
func (k Kind) String() string {
	switch k {
	case Nested:
		return "message"
	case Time:
		return "time"
	case WString:
		return "wstring"
	}
	return kindFacts[k].goName
}

// Size returns the size in CDR, which is also the alignment; for a string, it is the size of its
// length.
func (k Kind) Size() int { return kindFacts[k].size }

// spelling is the kind that a name stands for, and the systems that have the name.
type spelling struct {
	kind    Kind
	systems []System
}

var (
	anywhere = []System{ROS1, ROS2, DDS}
	onlyROS  = []System{ROS1, ROS2}
	notROS1  = []System{ROS2, DDS}
	onlyDDS  = []System{DDS}
)

// spellings is the document's table of types: the names of types in each system.
var spellings = map[string]spelling{
	"string": {String, anywhere}, "bool": {Bool, onlyROS}, "float32": {Float32, onlyROS},
	"float64": {Float64, onlyROS}, "int32": {Int32, anywhere}, "int64": {Int64, anywhere},
	"uint32": {Uint32, anywhere}, "uint64": {Uint64, anywhere}, "time": {Time, onlyROS},
	"int8": {Int8, notROS1}, "int16": {Int16, notROS1}, "uint8": {Uint8, notROS1},
	"uint16": {Uint16, notROS1}, "byte": {Uint8, []System{ROS2}}, "char": {Uint8, notROS1},
	"wstring": {WString, notROS1}, "octet": {Uint8, onlyDDS}, "float": {Float32, onlyDDS},
	"double": {Float64, onlyDDS}, "boolean": {Bool, onlyDDS}, "long long int": {Int64, onlyDDS},
	"long long": {Int64, onlyDDS}, "short": {Int16, onlyDDS},
	"long": {Int32, onlyDDS}, "unsigned short": {Uint16, onlyDDS}, "unsigned long": {Uint32,
		onlyDDS}, "unsigned long long": {Uint64, onlyDDS},
}

// in reports whether a spelling exists in a system.
func (s spelling) in(system System) bool { return slices.Contains(s.systems, system) }

// Many reports whether a field has one value or several.
type Many uint8

// One value, an array of a fixed length, a sequence of any length, a sequence with a bound.
const (
	One Many = iota
	Array
	Sequence
	Bounded
)

// Type is the type of a field.
type Type struct {
	Kind  Kind
	Name  string // of the nested message: "geometry_msgs/Point"
	Many  Many
	Count int  // of an array, or the bound of a sequence
	Bound int  // of a string; 0: none
	Byte  bool // spelled byte, which ROS 2 type hashes distinguish from uint8
}

// String returns the type in the spelling of .msg files.
func (t Type) String() string {
	name := t.Name
	for word, s := range spellings {
		if t.Kind != Nested && s.kind == t.Kind && s.in(ROS2) && word != "byte" &&
			word != "char" {
			name = word
		}
	}
	if t.Bound > 0 {
		name += "<=" + strconv.Itoa(t.Bound)
	}
	switch t.Many {
	case Array:
		return name + "[" + strconv.Itoa(t.Count) + "]"
	case Sequence:
		return name + "[]"
	case Bounded:
		return name + "[<=" + strconv.Itoa(t.Count) + "]"
	}
	return name
}

// Field is one field of a message.
type Field struct {
	Name   string
	Type   Type
	line   int
	column int
}

// Message is the definition of a message.
type Message struct {
	Name   string // "geometry_msgs/PoseStamped"
	Fields []Field
	Text   string // the .msg text; for .idl files, the equivalent .msg text
	File   string
	IDL    string // the scoped name in an .idl file, "nav::msg::Goal"; empty for others
	Keyed  bool   // some of its fields are a key, in an .idl file
	Union  *Union // nil for all but a union in an .idl file
	List   bool   // it stands for a list inside a list, which is its only field
}

// Field returns the field with a name, or nil if there is none.
func (m *Message) Field(name string) *Field {
	for k := range m.Fields {
		if m.Fields[k].Name == name {
			return &m.Fields[k]
		}
	}
	return nil
}

// pkg returns the package in a message name.
func pkg(name string) string {
	p, _, _ := strings.Cut(name, "/")
	return p
}
