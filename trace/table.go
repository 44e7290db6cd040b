package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gosmp/internal/fault"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// tableSink writes the messages of one topic as CSV. The columns are log_time, publish_time,
// sequence, and the fields that are set in the first message. Fields are named by dotted paths that
// include the indexes of list elements: moving_object.0.base.position.x. JSON messages have
// columns, too.
type tableSink struct {
	buffered *bufio.Writer
	to       *csv.Writer
	decoder  Decoder
	channel  *Channel
	columns  []string
	index    map[string]int
	row      []string
	extra    map[string]bool
}

func newTableSink(to io.Writer, o SinkOptions) (Sink, error) {
	b := bufio.NewWriterSize(to, 1<<16)
	return &tableSink{buffered: b, to: csv.NewWriter(b), columns: o.Columns,
		extra: map[string]bool{}}, nil
}

// LeftOut is a sink that counts the columns that later messages have but the first one lacks. Their
// values are lost.
type LeftOut interface{ LeftOut() int }

// LeftOut implements [LeftOut].
func (s *tableSink) LeftOut() int { return len(s.extra) }

// Add implements [Sink]. It accepts one channel, whose messages must have columns.
func (s *tableSink) Add(c Channel) (*Channel, error) {
	if c.Encoding != encodingJSON {
		if _, err := s.decoder.Type(&c); err != nil {
			return nil, err
		}
	}
	if s.channel != nil {
		e := fault.New(ErrChannel, fault.At("channel "+c.Topic), "a second channel",
			"one, as all rows have the columns of one type")
		e.Hint = "select one with --channel"
		return nil, e
	}
	s.channel = &c
	return &c, nil
}

var fixedColumns = []string{"log_time", "publish_time", "sequence"}

// Write implements [Sink].
func (s *tableSink) Write(m *Message) error {
	if m.Channel != s.channel {
		return foreign(m)
	}
	cells, err := s.cells(m)
	if err != nil {
		return err
	}
	if s.index == nil {
		if err := s.head(cells); err != nil {
			return err
		}
	}
	clear(s.row)
	s.row[0] = strconv.FormatInt(int64(m.Time), 10)
	s.row[1] = strconv.FormatInt(int64(m.Publish), 10)
	s.row[2] = strconv.FormatUint(uint64(m.Sequence), 10)
	cells(func(path, cell string) {
		if k, known := s.index[path]; known {
			s.row[k] = cell
		} else if len(s.extra) < 1<<16 {
			s.extra[path] = true
		}
	})
	return s.to.Write(s.row)
}

// cells decodes a message. The returned function calls visit for each field that has a value.
func (s *tableSink) cells(m *Message) (func(visit func(path, cell string)), error) {
	if m.Channel.Encoding == encodingJSON {
		flat, err := flattenJSON(m)
		return func(visit func(path, cell string)) {
			for _, c := range flat {
				visit(c[0], c[1])
			}
		}, err
	}
	decoded, err := s.decoder.Decode(m)
	return func(visit func(path, cell string)) {
		Flatten(decoded, func(path string, v protoreflect.Value, f protoreflect.FieldDescriptor) {
			visit(path, Cell(v, f))
		})
	}, err
}

// flattenJSON returns the paths and values of a message in JSON, in their order in the message.
func flattenJSON(m *Message) (flat [][2]string, err error) {
	d := json.NewDecoder(bytes.NewReader(m.Data))
	d.UseNumber()
	var value func(prefix, name string) error
	value = func(prefix, name string) error {
		token, err := d.Token()
		if err != nil {
			return err
		}
		path := strings.TrimPrefix(prefix+"."+name, ".")
		delim, is := token.(json.Delim)
		if !is {
			if token != nil {
				flat = append(flat, [2]string{path, fmt.Sprint(token)})
			}
			return nil
		}
		for k := 0; d.More(); k++ {
			name := any(k)
			if delim == '{' {
				if name, err = d.Token(); err != nil {
					return err
				}
			}
			if err := value(path, fmt.Sprint(name)); err != nil {
				return err
			}
		}
		_, err = d.Token()
		return err
	}
	if err = value("", ""); err != nil {
		return nil, notJSON(m).WithCause(err)
	}
	return flat, nil
}

// head determines the columns and writes their names.
func (s *tableSink) head(first func(visit func(path, cell string))) error {
	if len(s.columns) == 0 {
		first(func(path, _ string) { s.columns = append(s.columns, path) })
	}
	s.index = map[string]int{}
	names := append([]string{}, fixedColumns...)
	for _, c := range s.columns {
		s.index[c] = len(names)
		names = append(names, c)
	}
	s.row = make([]string, len(names))
	return s.to.Write(names)
}

// Flush implements [Sink].
func (s *tableSink) Flush() error {
	s.to.Flush()
	return cmp.Or(s.to.Error(), s.buffered.Flush())
}

// Close implements [Sink].
func (s *tableSink) Close() error { return s.Flush() }

// Flatten calls visit for every scalar that is set inside a message, in the order of field numbers,
// with its dotted path. The path includes the indexes of list elements.
func Flatten(m proto.Message, visit func(path string, v protoreflect.Value,
	f protoreflect.FieldDescriptor)) {
	flatten(m.ProtoReflect(), "", visit)
}

func flatten(m protoreflect.Message, prefix string, visit func(string, protoreflect.Value,
	protoreflect.FieldDescriptor)) {
	fields := m.Descriptor().Fields()
	for k := range fields.Len() {
		f := fields.Get(k)
		if !m.Has(f) || f.IsMap() {
			continue
		}
		path := prefix + string(f.Name())
		one := func(path string, v protoreflect.Value) {
			if f.Message() != nil {
				flatten(v.Message(), path+".", visit)
			} else {
				visit(path, v, f)
			}
		}
		if !f.IsList() {
			one(path, m.Get(f))
			continue
		}
		list := m.Get(f).List()
		for i := range list.Len() {
			one(path+"."+strconv.Itoa(i), list.Get(i))
		}
	}
}

// Cell formats a scalar: numbers with the fewest digits that read back equal, enums by name, bytes
// in base64.
func Cell(v protoreflect.Value, f protoreflect.FieldDescriptor) string {
	switch f.Kind() {
	case protoreflect.DoubleKind:
		return number(v.Float(), 64)
	case protoreflect.FloatKind:
		return number(v.Float(), 32)
	case protoreflect.EnumKind:
		if value := f.Enum().Values().ByNumber(v.Enum()); value != nil {
			return string(value.Name())
		}
		return strconv.Itoa(int(v.Enum()))
	case protoreflect.BytesKind:
		return base64.StdEncoding.EncodeToString(v.Bytes())
	}
	return fmt.Sprint(v.Interface())
}

func number(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return fmt.Sprintf("%+v", x)
	}
	return strconv.FormatFloat(x, 'g', -1, bits)
}
