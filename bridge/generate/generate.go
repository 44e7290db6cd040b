package generate

import (
	"bytes"
	"embed"
	"fmt"
	"go/format"
	"slices"
	"strings"
	"text/template"

	"gosmp/bridge"
	"gosmp/internal/fault"
)

// Options define what to generate.
type Options struct {
	Package string // "main" adds the SUT support package and its test
	Source  string // the name of the configuration, for comments
}

// File is a generated file.
type File struct {
	Name string
	Data []byte
	// Once marks a file that users edit, which is not overwritten.
	Once bool
}

//go:embed templates
var templates embed.FS

// The files that [Generate] always returns, and the test of a program.
const (
	codecFile = "codec.go"
	tableFile = "table.go"
	typesFile = "types.go"
	testFile  = "loopback_test.go"
)

// Always lists the names of the files that are generated each time, and Sometimes the names of
// further ones that some packages have. Both replace older files. Others have Once.
var (
	Always    = []string{codecFile, tableFile, typesFile}
	Sometimes = []string{testFile}
)

// Generate returns the generated files, sorted by name.
func Generate(c *bridge.Config, o Options) ([]File, error) {
	g := &generator{Options: o, Config: c}
	for _, t := range c.Topics {
		for _, m := range c.Definitions.With(t.Message) {
			if m.Union != nil {
				place := fault.Place{File: o.Source, Object: "topic " + t.Name}
				return nil, fault.New(bridge.ErrDefinition, place,
					"union "+m.Name, "structs, which generated code supports").
					WithHint("gosmp run --bridge, and package bridge in Go, support unions")
			}
			if !slices.Contains(g.messages, m) {
				g.messages = append(g.messages, m)
			}
		}
	}
	slices.SortFunc(g.messages, func(a, b *bridge.Message) int {
		return strings.Compare(a.Name, b.Name)
	})
	g.names = typeNames(c.System, g.messages, reserved)
	files := []File{{Name: codecFile}, {Name: tableFile}, {Name: typesFile}}
	if o.Package == "main" {
		files = append(files, File{Name: testFile}, File{Name: "main.go", Once: true})
	}
	for k := range files {
		var err error
		if files[k].Data, err = g.render(files[k].Name); err != nil {
			return nil, fmt.Errorf("%s: %w", files[k].Name, err)
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// reserved lists the other exported names of a generated package.
var reserved = []string{"Config", "Table", "Events"}

type generator struct {
	Options
	*bridge.Config
	messages []*bridge.Message
	names    map[*bridge.Message]string
}

func (g *generator) render(name string) ([]byte, error) {
	t, err := template.New(name+".tmpl").Delims("«", "»").ParseFS(templates, "templates/"+name+
		".tmpl")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, g); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// IsROS1 reports whether the messages belong to ROS 1.
func (g *generator) IsROS1() bool { return g.System == bridge.ROS1 }

// Wide returns the layout of wide strings, or "" if there are none.
func (g *generator) Wide() string {
	if !slices.ContainsFunc(g.messages, func(m *bridge.Message) bool {
		return slices.ContainsFunc(m.Fields, func(f bridge.Field) bool {
			return f.Type.Kind == bridge.WString
		})
	}) {
		return ""
	}
	if g.System == bridge.DDS {
		return "cdr.WideDDS"
	}
	return "cdr.WideROS2"
}

// Structure is a message for the templates.
type Structure struct {
	*bridge.Message
	Go     string
	Fields []Member
}

// Member is a field for the templates.
type Member struct {
	bridge.Field
	Go, Type string
}

// Structures lists all messages, sorted by name.
func (g *generator) Structures() (list []Structure) {
	for _, m := range g.messages {
		s := Structure{Message: m, Go: g.names[m]}
		for k, name := range fieldNames(m) {
			f := m.Fields[k]
			s.Fields = append(s.Fields, Member{f, name, g.goType(&f.Type)})
		}
		list = append(list, s)
	}
	return list
}

func (g *generator) element(t *bridge.Type) string {
	if t.Kind == bridge.Nested {
		return g.names[g.Definitions.Inner(t)]
	}
	return t.Kind.GoName()
}

func (g *generator) goType(t *bridge.Type) string {
	switch t.Many {
	case bridge.Array:
		return fmt.Sprintf("[%d]%s", t.Count, g.element(t))
	case bridge.Sequence, bridge.Bounded:
		return "[]" + g.element(t)
	}
	return g.element(t)
}

// NeedsCDR reports whether types.go uses package cdr.
func (g *generator) NeedsCDR() bool {
	return slices.ContainsFunc(g.messages, func(m *bridge.Message) bool {
		return slices.ContainsFunc(m.Fields, func(f bridge.Field) bool {
			return f.Type.Kind == bridge.Time
		})
	})
}

// Bounds reports whether a message or a nested message has bounds.
func (g *generator) Bounds(m *bridge.Message) bool {
	return slices.ContainsFunc(g.Definitions.With(m), func(m *bridge.Message) bool {
		return slices.ContainsFunc(m.Fields, func(f bridge.Field) bool {
			return f.Type.Many == bridge.Bounded || f.Type.Bound > 0
		})
	})
}

// Append returns the code that encodes a field.
func (g *generator) Append(f Member) string {
	x, loop := "m."+f.Go, ""
	if f.declared().Many != bridge.One {
		if f.declared().Many != bridge.Array {
			loop = fmt.Sprintf("b = cdr.Append32(b, uint32(len(%s)), f)\n", x)
		}
		switch f.declared().Kind {
		case bridge.Uint8:
			return loop + fmt.Sprintf("b = append(b, %s[:]...)", x)
		case bridge.Float64:
			return loop + fmt.Sprintf("b = cdr.AppendFloat64s(b, %s[:], f)", x)
		}
		loop += fmt.Sprintf("for k := range %s {\n", x)
		x += "[k]"
	}
	code := fmt.Sprintf(appenders[f.declared().Kind], x)
	if loop != "" {
		return loop + code + "\n}"
	}
	return code
}

// declared returns the type of the field in the definition. Type is the Go type.
func (f Member) declared() *bridge.Type { return &f.Field.Type }

// appenders lists the calls that encode a value.
var appenders = map[bridge.Kind]string{
	bridge.Nested: "b = %s.append(b, f)", bridge.Bool: "b = cdr.AppendBool(b, %s)",
	bridge.Int8:  "b = cdr.Append8(b, uint8(%s))",
	bridge.Int16: "b = cdr.Append16(b, uint16(%s), f)",
	bridge.Int32: "b = cdr.Append32(b, uint32(%s), f)",
	bridge.Int64: "b = cdr.Append64(b, uint64(%s), f)", bridge.Uint8: "b = cdr.Append8(b, %s)",
	bridge.Uint16: "b = cdr.Append16(b, %s, f)", bridge.Uint32: "b = cdr.Append32(b, %s, f)",
	bridge.Uint64: "b = cdr.Append64(b, %s, f)", bridge.Float32: "b = cdr.AppendFloat32(b, %s, f)",
	bridge.Float64: "b = cdr.AppendFloat64(b, %s, f)",
	bridge.String:  "b = cdr.AppendString(b, %s, f)", bridge.Time: "b = cdr.AppendTime(b, %s, f)",
	bridge.WString: "b = cdr.AppendWide(b, %s, f, wide)",
}

// readers lists the expressions that decode a value.
var readers = map[bridge.Kind]string{
	bridge.Bool: "r.Bool()", bridge.Int8: "int8(r.Uint8())", bridge.Int16: "int16(r.Uint16())",
	bridge.Int32: "int32(r.Uint32())",
	bridge.Int64: "int64(r.Uint64())", bridge.Uint8: "r.Uint8()", bridge.Uint16: "r.Uint16()",
	bridge.Uint32: "r.Uint32()",
	bridge.Uint64: "r.Uint64()", bridge.Float32: "r.Float32()", bridge.Float64: "r.Float64()",
	bridge.String: "r.String()", bridge.Time: "r.Time()", bridge.WString: "r.Wide(wide, 0)",
}

// Read returns the code that decodes a field.
func (g *generator) Read(f Member) string {
	t, x := f.declared(), "m."+f.Go
	var b strings.Builder
	if t.Many != bridge.One {
		if t.Many != bridge.Array {
			size, most := t.Kind.Size(), -1
			if t.Kind == bridge.Nested {
				size = max(1, g.Definitions.Least(g.Definitions.Inner(t)))
			}
			if t.Many == bridge.Bounded {
				most = t.Count
			}
			fmt.Fprintf(&b, "%s = cdr.Resize(%s, r.Count(%d, %d))\n", x, x, size, most)
		}
		fmt.Fprintf(&b, "for k := range %s {\n", x)
		x += "[k]"
	}
	switch {
	case t.Kind == bridge.Nested:
		fmt.Fprintf(&b, "%s.read(r)", x)
	case t.Bound > 0 && t.Kind == bridge.WString:
		fmt.Fprintf(&b, "%s = r.Wide(wide, %d)", x, t.Bound)
	case t.Bound > 0:
		fmt.Fprintf(&b,
			"if %s = r.String(); len(%s) > %d {\nr.Refuse(\"a string longer than its "+
				"bound of %d\")\n}", x, x, t.Bound, t.Bound)
	default:
		fmt.Fprintf(&b, "%s = %s", x, readers[t.Kind])
	}
	if t.Many != bridge.One {
		b.WriteString("\n}")
	}
	return b.String()
}

// Check returns the code that compares a field with its bounds, or "" if it has none.
func (g *generator) Check(f Member) string {
	t, x := f.declared(), "m."+f.Go
	var b strings.Builder
	if t.Many == bridge.Bounded {
		fmt.Fprintf(&b, "if n := len(%s); n > %d {\nreturn bounded(%q, n, %d)\n}\n", x, t.Count,
			f.Name, t.Count)
	}
	inner := ""
	length := "len"
	if t.Kind == bridge.WString {
		length = "cdr.WideLength"
	}
	switch {
	case t.Bound > 0:
		inner = fmt.Sprintf("if n := %s(%%[1]s); n > %d {\nreturn bounded(%q, n, %d)\n}", length,
			t.Bound, f.Name, t.Bound)
	case t.Kind == bridge.Nested && g.Bounds(g.Definitions.Inner(t)):
		inner = fmt.Sprintf(
			"if err := %%[1]s.check(); err != nil {\nreturn fmt.Errorf(\"%s.%%%%w\", err)\n}",
			f.Name)
	}
	switch {
	case inner == "":
	case t.Many == bridge.One:
		fmt.Fprintf(&b, inner, x)
	default:
		b.WriteString("for k := range " + x + " {\n")
		fmt.Fprintf(&b, inner, x+"[k]")
		b.WriteString("\n}")
	}
	return b.String()
}

// AnyBounds reports whether any message has bounds.
func (g *generator) AnyBounds() bool { return slices.ContainsFunc(g.messages, g.Bounds) }

// Event is a topic for the templates.
type Event struct {
	bridge.Entry
	Go   string // name of the event
	Type string // of the message in Go
	Way  string // the constant for the direction
}

// Entries lists the topics in the order of the configuration.
func (g *generator) Entries() (list []Event) {
	used := taken{}
	for _, t := range g.Topics {
		way := "bridge.Down"
		if t.Direction == bridge.Up {
			way = "bridge.Up"
		}
		list = append(list,
			Event{bridge.Entry{Name: t.Name, Type: t.Message.Name, Direction: t.Direction,
				Vehicle: t.Vehicle, Event: t.Event, QoS: t.QoS, Bare: t.Bare},
				used.name(goName(t.Event)), g.names[t.Message], way})
	}
	return list
}

// Downs returns the topics that go down.
func (g *generator) Downs() []Event { return g.entries(bridge.Down) }

// Ups returns the topics that go up.
func (g *generator) Ups() []Event { return g.entries(bridge.Up) }

func (g *generator) entries(d bridge.Direction) (list []Event) {
	for _, e := range g.Entries() {
		if e.Direction == d {
			list = append(list, e)
		}
	}
	return list
}

// Messages returns the definitions for the table.
func (g *generator) Messages() []bridge.Definition {
	list := g.Table().Messages
	slices.SortFunc(list, func(a, b bridge.Definition) int {
		return strings.Compare(a.Name, b.Name)
	})
	return list
}
