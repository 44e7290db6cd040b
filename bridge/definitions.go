package bridge

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gosmp/internal/charset"
	"gosmp/internal/fault"
	"gosmp/internal/regular"
)

// ErrDefinition is the kind of errors about definitions of messages.
var ErrDefinition = errors.New("bad definition")

// Error states where and why reading failed: file, line, column, found, expected.
type Error = fault.Error

//go:embed definitions
var builtin embed.FS

// Limits that keep inputs from taking long.
const (
	largestFile   = 1 << 20
	deepest       = 32
	mostFields    = 4096
	largestArray  = 1 << 20
	largestInline = 16 << 20 // bytes, and fields, of a message without its sequences
)

// Definitions are the messages that a bridge can carry.
type Definitions struct {
	System   System
	messages map[string]*Message
	// of checked messages; emptied when a message is added
	sizes   map[*Message]int
	parts   map[*Message]int // likewise: number of fields, including nested ones
	broken  map[string]error // by name: the reason why a folder's definition is unusable
	unread  map[string]error // by last name: the reason why a type of an .idl file is missing
	aliases map[string]Type  // of .idl files: typedefs and enums
	// of .idl files, by full name
	constants map[string]int64
	// definitions of a recording, which may use all ROS types
	recorded bool
}

// NewDefinitions returns definitions with the common ROS messages (std_msgs, geometry_msgs,
// sensor_msgs), insofar as the system supports their types.
func NewDefinitions(s System) (*Definitions, error) {
	d := &Definitions{System: s, messages: map[string]*Message{}, sizes: map[*Message]int{},
		parts:  map[*Message]int{},
		broken: map[string]error{}, unread: map[string]error{}, aliases: map[string]Type{},
		constants: map[string]int64{}}
	if s == ROS1 {
		if err := d.AddMsg(builtIn, "std_msgs/Header",
			"uint32 seq\ntime stamp\nstring frame_id\n"); err != nil {
			return nil, err
		}
	}
	return d, d.add(builtin, "definitions", builtIn)
}

const builtIn = "built in"

// AddFolder reads all .msg and .idl files below a folder. The package of a .msg file is the folder
// that contains it, or the folder above if that is named msg. If there is an .idl file written by
// rosidl next to a .msg file, the file in the system's own language is read: .idl in DDS, .msg in
// ROS. A faulty definition causes an error in [Definitions.Message] only when it is used, so the
// others remain usable.
func (d *Definitions) AddFolder(dir string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fault.New(ErrDefinition, fault.In(dir), "", "a folder with .msg or .idl files").
			WithCause(err)
	}
	return d.add(os.DirFS(dir), ".", dir)
}

func (d *Definitions) add(files fs.FS, root, shown string) error {
	return fs.WalkDir(files, root, func(name string, entry fs.DirEntry, err error) error {
		ext := path.Ext(name)
		if err != nil || entry.IsDir() || ext != ".msg" && ext != ".idl" {
			return err
		}
		file := filepath.Join(shown, filepath.FromSlash(strings.TrimPrefix(name, root+"/")))
		if info, err := fs.Stat(files, name); err == nil && info.Size() > largestFile {
			return fault.New(ErrDefinition, fault.In(file), fmt.Sprintf("%d bytes", info.Size()),
				"at most 1 MiB")
		}
		text, err := readDefinition(files, name)
		if err != nil {
			return err
		}
		if encoding := charset.Of(text); encoding != "" {
			return fault.New(ErrDefinition, fault.Line(file, 1), "text in "+encoding, "UTF-8").
				WithHint("save the file as UTF-8")
		}
		message := packageOf(name, shown) + "/" + strings.TrimSuffix(path.Base(name), ext)
		if d.hasOther(files, name) || shown == builtIn && d.messages[message] != nil {
			return nil
		}
		if ext == ".idl" {
			err = d.AddIDL(file, string(text))
		} else {
			err = d.AddMsg(file, message, string(text))
		}
		if errors.Is(err, ErrDefinition) {
			if shown != builtIn { // otherwise the system lacks its types
				d.broken[message] = err
				if ext == ".idl" {
					d.unreadable(string(text), err)
				}
			}
			return nil
		}
		return err
	})
}

// isBroken reports whether an error is about a definition from a folder that cannot be read.
func (d *Definitions) isBroken(err error) bool {
	for _, known := range d.broken {
		if known == err { //nolint:errorlint // the same error
			return true
		}
	}
	return false
}

// hasOther reports whether the same definition exists next to a file in the language that the
// system prefers.
func (d *Definitions) hasOther(files fs.FS, name string) bool {
	other := ".msg"
	if d.System == DDS {
		other = ".idl"
	}
	ext := path.Ext(name)
	if ext == other {
		return false
	}
	_, err := fs.Stat(files, strings.TrimSuffix(name, ext)+other)
	return err == nil
}

// byteOrderMark is the mark that some editors put at the start of a text in UTF-8.
const byteOrderMark = "\ufeff"

// packageOf returns the package of a .msg file, which its folder names.
func packageOf(name, shown string) string {
	dir := path.Dir(name)
	if path.Base(dir) == "msg" {
		dir = path.Dir(dir)
	}
	if dir == "." {
		return filepath.Base(shown)
	}
	return path.Base(dir)
}

var (
	wordPattern  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)
	namePattern  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*(/[A-Za-z][A-Za-z0-9_]*){0,2}$`)
	fieldPattern = regexp.MustCompile(`^(\s*)(\S+)\s+([A-Za-z][A-Za-z0-9_]*)\s*(=?)`)
	arrayPattern = regexp.MustCompile(`^(.*?)(?:\[(<=)?(\d*)\])?$`)
	boundPattern = regexp.MustCompile(`^(w?string)<=(\d+)$`)
)

// AddMsg reads the text of a .msg file.
func (d *Definitions) AddMsg(file, name, text string) error {
	if !namePattern.MatchString(name) {
		return fault.New(ErrDefinition, fault.In(file), strconv.Quote(name),
			"a name such as pkg/Type")
	}
	text = strings.TrimPrefix(text, byteOrderMark)
	m := &Message{Name: name, Text: text, File: file}
	for n, line := range strings.Split(text, "\n") {
		code, _, _ := strings.Cut(line, "#")
		if strings.TrimSpace(code) == "" {
			continue
		}
		if err := d.field(m, code, n+1); err != nil {
			return err
		}
	}
	return d.keep(m)
}

// field reads one line of a .msg file.
func (d *Definitions) field(m *Message, code string, line int) error {
	found := fieldPattern.FindStringSubmatch(code)
	at := fault.Place{File: m.File, Line: line, Column: 1}
	if found == nil {
		return fault.New(ErrDefinition, at, strconv.Quote(strings.TrimSpace(code)),
			"a type and a name")
	}
	at.Column = len(found[1]) + 1
	t, err := d.parse(found[2], pkg(m.Name), at)
	if err != nil || found[4] == "=" { // a constant takes no space
		return err
	}
	m.Fields = append(m.Fields, Field{Name: found[3], Type: t, line: line, column: at.Column})
	return nil
}

// parse parses a type in the spelling of .msg files.
func (d *Definitions) parse(text, inside string, at fault.Place) (t Type, err error) {
	parts := arrayPattern.FindStringSubmatch(text)
	base := parts[1]
	if strings.HasSuffix(text, "]") {
		t.Many = Sequence
		if parts[3] != "" {
			t.Many = Array
			if parts[2] != "" {
				t.Many = Bounded
			}
			if t.Count, err = strconv.Atoi(parts[3]); err != nil || t.Count < 1 ||
				t.Count > largestArray {
				return t, fault.New(ErrDefinition, at, strconv.Quote(text),
					fmt.Sprintf("1 to %d elements", largestArray))
			}
		}
	}
	if bound := boundPattern.FindStringSubmatch(base); bound != nil {
		base = bound[1]
		t.Bound, _ = strconv.Atoi(bound[2]) // digits; a number that is too long sets no bound
	}
	return d.named(t, base, inside, at)
}

// named finds the kind of a type by name.
func (d *Definitions) named(t Type, base, inside string, at fault.Place) (Type, error) {
	if s, known := spellings[base]; known {
		t.Kind, t.Byte = s.kind, base == "byte"
		if d.recorded && d.System == ROS1 && t.Byte {
			t.Kind = Int8 // an alias, unlike in ROS 2
		}
		fromIDL := d.System == ROS2 && s.in(DDS) && strings.HasSuffix(at.File, ".idl")
		if !s.in(d.System) && !fromIDL && !d.recorded {
			return t, fault.New(ErrDefinition, at, "type "+base, "a type that "+
				string(d.System)+" messages can have").
				WithHint(base + " belongs to " + join(s.systems))
		}
		return t, nil
	}
	switch {
	case base == "wchar" || base == "union" || base == "map" || base == "any" || base == "fixed" ||
		base == "long double":
		return t, fault.New(ErrDefinition, at, base, "another type: "+base+" is not supported")
	case base == "duration" && d.System != DDS:
		t.Kind = Time
		return t, nil
	case !namePattern.MatchString(base):
		return t, fault.New(ErrDefinition, at, strconv.Quote(base), "the name of a type")
	case base == "Header":
		base = "std_msgs/Header"
	case !strings.Contains(base, "/"):
		base = inside + "/" + base
	}
	t.Name = strings.Replace(base, "/msg/", "/", 1)
	return t, nil
}

func join(systems []System) string {
	words := make([]string, len(systems))
	for k, s := range systems {
		words[k] = string(s)
	}
	return strings.Join(words, " and ")
}

// keep adds a message. Messages from folders may replace only built-in ones.
func (d *Definitions) keep(m *Message) error {
	seen := map[string]bool{}
	for _, f := range m.Fields {
		if seen[f.Name] || len(m.Fields) > mostFields {
			return fault.New(ErrDefinition, fault.Place{File: m.File, Line: f.line,
				Column: f.column}, "a second field "+f.Name,
				fmt.Sprintf("different names, at most %d", mostFields))
		}
		seen[f.Name] = true
	}
	if other := d.messages[m.Name]; other != nil && !strings.HasPrefix(other.File, builtIn) &&
		other.Text != m.Text {
		return fault.New(ErrDefinition, fault.In(m.File), "a second definition of "+m.Name,
			"the same as in "+other.File)
	}
	d.messages[m.Name] = m
	clear(d.sizes)
	clear(d.parts)
	return nil
}

// Message finds a message with all the messages it contains, and checks that it can be transported.
func (d *Definitions) Message(name string) (*Message, error) {
	name = strings.Replace(strings.ReplaceAll(name, "::", "/"), "/msg/", "/", 1)
	m := d.messages[name]
	if err := d.missing(name); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fault.New(ErrDefinition, fault.At(name), "no definition",
			"a .msg or .idl file in one of the folders").
			WithHint("the folder is named after the package")
	}
	z := measure{d, d.sizes, d.parts, map[*Message]bool{}}
	if _, err := z.size(m, m.Name); err != nil {
		return nil, err
	}
	return m, nil
}

// Inner returns the message of a field.
func (d *Definitions) Inner(t *Type) *Message { return d.messages[t.Name] }

// basic returns the kind of a field inside a message. The field must hold one basic value.
func (d *Definitions) basic(m *Message, names []string) (Kind, error) {
	for k, name := range names {
		place := fault.At(m.Name + "." + name)
		f := m.Field(name)
		last := k == len(names)-1
		switch {
		case f == nil:
			return Nested, fault.New(ErrDefinition, place, "no such field", "one of "+
				strings.Join(m.fieldNames(), ", "))
		case m.Union != nil, f.Type.Many != One,
			last && (f.Type.Kind == Nested || f.Type.Kind == Time),
			!last && f.Type.Kind != Nested:
			return Nested, fault.New(ErrDefinition, place, "type "+f.Type.String(),
				"a path that ends at one number, bool or string")
		case last:
			return f.Type.Kind, nil
		}
		m = d.messages[f.Type.Name]
	}
	return Nested, nil // a path has at least one name
}

// fieldNames lists up to ten names of fields.
func (m *Message) fieldNames() []string {
	const most = 10
	var names []string
	for _, f := range m.Fields[:min(len(m.Fields), most)] {
		names = append(names, f.Name)
	}
	return names
}

// readDefinition reads a file, of which more than the permitted bytes are not needed.
func readDefinition(files fs.FS, name string) ([]byte, error) {
	f, err := regular.OpenIn(files, name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // was only read
	return io.ReadAll(io.LimitReader(f, largestFile))
}
