package dds

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"gosmp/bridge"
)

// hashVersion is the version of the type hashes of ROS 2.
const hashVersion = "RIHS01_"

// TypeHash returns the hash by which ROS 2 distinguishes versions of a message. It is computed from
// the type description as JSON (REP 2011; rosidl_generator_type_description).
func TypeHash(d *bridge.Definitions, m *bridge.Message) string {
	list := d.With(m)
	types := slices.Clone(list[1:])
	slices.SortFunc(types, func(a, b *bridge.Message) int {
		return strings.Compare(a.Name, b.Name)
	})
	var b strings.Builder
	b.WriteString(`{"type_description": `)
	describe(&b, list[0])
	b.WriteString(`, "referenced_type_descriptions": [`)
	for k, one := range types {
		if k > 0 {
			b.WriteString(", ")
		}
		describe(&b, one)
	}
	b.WriteString("]}")
	sum := sha256.Sum256([]byte(b.String()))
	return hashVersion + hex.EncodeToString(sum[:])
}

// hashIn returns the type hash that an endpoint announces, or "" if it announces none or the one
// that means none.
func hashIn(userData []byte) string {
	for part := range strings.SplitSeq(string(userData), ";") {
		if hash, is := strings.CutPrefix(part, hashKey); is && strings.Trim(strings.TrimPrefix(hash,
			hashVersion), "0") != "" {
			return hash
		}
	}
	return ""
}

// describe appends the description of a message.
func describe(b *strings.Builder, m *bridge.Message) {
	b.WriteString(`{"type_name": ` + quoted(fullName(m.Name)) + `, "fields": [`)
	fields := m.Fields
	if len(fields) == 0 { // rosidl adds a field to messages without fields
		fields = []bridge.Field{{Name: "structure_needs_at_least_one_member",
			Type: bridge.Type{Kind: bridge.Uint8}}}
	}
	for k := range fields {
		if k > 0 {
			b.WriteString(", ")
		}
		b.WriteString(`{"name": ` + quoted(fields[k].Name) + `, "type": `)
		describeType(b, &fields[k].Type)
		b.WriteString("}")
	}
	b.WriteString("]}")
}

// Type numbers (type_description_interfaces/FieldType): one for each basic type, and an offset for
// arrays, bounded sequences and other sequences.
const (
	idNested      = 1
	idByte        = 16
	idString      = 17
	idWString     = 18
	boundedString = 4 // added to the type number
	idArray       = 48
	idBounded     = 96
	idSequence    = 144
)

var basicIDs = map[bridge.Kind]int{bridge.Int8: 2, bridge.Uint8: 3, bridge.Int16: 4,
	bridge.Uint16: 5, bridge.Int32: 6, bridge.Uint32: 7, bridge.Int64: 8, bridge.Uint64: 9,
	bridge.Float32: 10, bridge.Float64: 11, bridge.Bool: 15, bridge.String: idString,
	bridge.WString: idWString}

// describeType appends the description of a type.
func describeType(b *strings.Builder, t *bridge.Type) {
	id, nested := basicIDs[t.Kind], ""
	switch {
	case t.Kind == bridge.Nested:
		id, nested = idNested, fullName(t.Name)
	case t.Kind == bridge.Time:
		id, nested = idNested, "builtin_interfaces/msg/Time"
	case t.Byte:
		id = idByte
	case t.Bound > 0:
		id += boundedString
	}
	capacity := 0
	switch t.Many {
	case bridge.Array:
		id, capacity = id+idArray, t.Count
	case bridge.Bounded:
		id, capacity = id+idBounded, t.Count
	case bridge.Sequence:
		id += idSequence
	}
	b.WriteString(`{"type_id": ` + strconv.Itoa(id) + `, "capacity": ` + strconv.Itoa(capacity) +
		`, "string_capacity": ` + strconv.Itoa(t.Bound) + `, "nested_type_name": ` +
		quoted(nested) + `}`)
}

// fullName returns a message name with its kind: "std_msgs/msg/Header".
func fullName(name string) string { return strings.Replace(name, "/", "/msg/", 1) }

func quoted(text string) string {
	b, _ := json.Marshal(text) // names are letters, digits and underscores
	return string(b)
}
