package bridge

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"gosmp/internal/fault"
)

// schemaLanguages maps the schema languages in recordings to the systems that use them.
var schemaLanguages = map[string]System{"ros1msg": ROS1, "ros2msg": ROS2, "ros2idl": ROS2,
	"omgidl": DDS}

// schemaLine matches the line that separates the definitions in a schema and names the next one.
var schemaLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^={20,}\r?\n(?:MSG|IDL): *(\S+)[^\n]*\n`)
})

// ReadSchema reads the definition of a message from a recording: in ros1msg, ros2msg and ros2idl,
// the message or a line that names it, then all messages that it contains, each after a line of =;
// in omgidl, a single IDL text. Definitions missing from the schema are taken from the built-in
// messages. All ROS types are read, including those that ROS 1 bridges do not carry.
func ReadSchema(encoding, name string, text []byte) (*Definitions, *Message, error) {
	system, known := schemaLanguages[encoding]
	if !known {
		return nil, nil, fault.New(ErrDefinition, fault.At(name), fmt.Sprintf("schema encoding %q",
			encoding), "ros1msg, ros2msg, ros2idl or omgidl")
	}
	d, err := NewDefinitions(system)
	if err != nil {
		return nil, nil, err
	}
	d.recorded = true
	parts := []schemaPart{{name, string(text)}}
	if encoding != "omgidl" {
		parts = schemaParts(name, string(text))
	}
	if encoding == "ros2msg" {
		parts = append(serviceEvent(&parts[0]), parts...)
	}
	for k := len(parts) - 1; k >= 0; k-- { // the messages that a message contains come after it
		p := parts[k]
		if strings.HasSuffix(encoding, "idl") {
			err = d.AddIDL(p.name+".idl", p.text)
		} else if d.messages[plainName(p.name)] == nil || strings.TrimSpace(p.text) != "" {
			err = d.AddMsg(p.name+".msg", plainName(p.name), p.text)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	m, err := d.Message(name)
	return d, m, err
}

type schemaPart struct{ name, text string }

// schemaParts splits a schema into its definitions.
func schemaParts(name, text string) (parts []schemaPart) {
	at, end := 0, len(text)
	for _, line := range schemaLine().FindAllStringSubmatchIndex(text, -1) {
		if strings.TrimSpace(text[at:line[0]]) != "" {
			parts = append(parts, schemaPart{name, text[at:line[0]]})
		}
		name, at = text[line[2]:line[3]], line[1]
	}
	return append(parts, schemaPart{name, text[at:end]})
}

// serviceLine separates request and response in the definition of a service.
var serviceLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^---[ \t]*\r?$`)
})

// serviceEvent changes the definition of a service into that of its events, which precedes the
// messages that they contain. Recorders store the definition of the service as the schema of its
// events. Source: REP 2012.
func serviceEvent(first *schemaPart) []schemaPart {
	service, isEvent := strings.CutSuffix(first.name, "_Event")
	line := serviceLine().FindStringIndex(first.text)
	if !isEvent || line == nil {
		return nil
	}
	service = strings.Replace(service, "/srv/", "/", 1)
	request, response := first.text[:line[0]], first.text[line[1]:]
	event := schemaPart{first.name, fmt.Sprintf("service_msgs/ServiceEventInfo info\n"+
		"%[1]s_Request[<=1] request\n%[1]s_Response[<=1] response\n", service)}
	*first = schemaPart{service + "_Request", request}
	return []schemaPart{event, {service + "_Response", response},
		{"service_msgs/ServiceEventInfo", "uint8 event_type\nbuiltin_interfaces/Time stamp\n" +
			"char[16] client_gid\nint64 sequence_number\n"}}
}

// plainName returns the name of a message without its kind: "std_msgs/Header".
func plainName(name string) string { return strings.Replace(name, "/msg/", "/", 1) }

// AppendJSON appends a message, as returned by [Definitions.Decode], as JSON. Fields are in the
// order of the definition. As in protobuf's mapping, numbers that JSON cannot represent become
// "NaN", "Infinity" and "-Infinity", and a sequence of uint8 becomes a base64 string.
func (d *Definitions) AppendJSON(b []byte, m *Message, value map[string]any) []byte {
	b = append(b, '{')
	if d, is := value[DiscriminatorName]; is && m.Union != nil {
		b = fmt.Appendf(b, "%q:%v", DiscriminatorName, d)
	}
	for k := range m.Fields {
		f := &m.Fields[k]
		if _, is := value[f.Name]; m.Union != nil && !is {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, f.Name), ':') // letters, digits and underscores
		b = d.appendField(b, &f.Type, value[f.Name])
	}
	return append(b, '}')
}

func (d *Definitions) appendField(b []byte, t *Type, value any) []byte {
	list, _ := value.([]any)
	switch {
	case t.Many == One:
		return d.appendValue(b, t, value)
	case t.Kind == Uint8 && t.Many != Array:
		data := make([]byte, len(list))
		for k := range list {
			n, _ := list[k].(uint64) // as returned by Decode
			data[k] = byte(n)
		}
		return append(base64.StdEncoding.AppendEncode(append(b, '"'), data), '"')
	}
	b = append(b, '[')
	for k := range list {
		if k > 0 {
			b = append(b, ',')
		}
		b = d.appendValue(b, t, list[k])
	}
	return append(b, ']')
}

func (d *Definitions) appendValue(b []byte, t *Type, value any) []byte {
	switch v := value.(type) {
	case []any: // a list within a list
		return d.appendField(b, &d.messages[t.Name].Fields[0].Type, v)
	case map[string]any:
		if t.Kind == Nested {
			return d.AppendJSON(b, d.messages[t.Name], v)
		}
		return fmt.Appendf(b, `{"sec":%d,"nanosec":%d}`, v["sec"], v["nanosec"])
	case float64:
		return appendNumber(b, v, 8*t.Kind.Size())
	case string:
		var quoted bytes.Buffer
		e := json.NewEncoder(&quoted)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // a text
		return append(b, bytes.TrimRight(quoted.Bytes(), "\n")...)
	}
	return fmt.Append(b, value)
}

// appendNumber appends the shortest digits that read back equal.
func appendNumber(b []byte, v float64, bits int) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(b, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(b, `"-Infinity"`...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, bits)
}
