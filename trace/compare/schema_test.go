package compare_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"gosmp/proto/osi3"
	"gosmp/trace"
	"gosmp/trace/compare"
)

// of returns a trace with one message of type robot.Scan, which a custom schema describes: fields
// is protobuf text, content is JSON.
func of(t *testing.T, fields, content string) *stream {
	var scan descriptorpb.FileDescriptorProto
	require.NoError(t, prototext.Unmarshal([]byte(`name: "scan.proto", package: "robot",
		syntax: "proto2", message_type { name: "Scan" `+fields+` }`), &scan))
	var names []string
	set := &descriptorpb.FileDescriptorSet{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		for k := range f.Imports().Len() {
			add(f.Imports().Get(k).FileDescriptor)
		}
		p := protodesc.ToFileDescriptorProto(f)
		for _, name := range names {
			if name == p.GetName() {
				return
			}
		}
		names, set.File = append(names, p.GetName()), append(set.File, p)
	}
	common := (&osi3.Identifier{}).ProtoReflect().Descriptor().ParentFile()
	add(common)
	scan.Dependency = []string{common.Path()}
	set.File = append(set.File, &scan)
	files, err := protodesc.NewFiles(set)
	require.NoError(t, err)
	d, err := files.FindDescriptorByName("robot.Scan")
	require.NoError(t, err)
	m := dynamicpb.NewMessage(d.(protoreflect.MessageDescriptor))
	require.NoError(t, protojson.UnmarshalOptions{Resolver: dynamicpb.NewTypes(files)}.Unmarshal(
		[]byte(content), m))
	data, err := proto.Marshal(m)
	require.NoError(t, err)
	schema, err := proto.Marshal(set)
	require.NoError(t, err)
	return &stream{kind: trace.Channel{Type: "robot.Scan", Encoding: trace.Protobuf,
		SchemaEncoding: trace.Protobuf, Schema: schema}, items: []item{{"scan", 0, data}}}
}

// field returns a field of robot.Scan.
func field(name, number, kind, more string) string {
	label := "LABEL_OPTIONAL"
	if more == "list" {
		label, more = "LABEL_REPEATED", ""
	}
	return `field { name: "` + name + `", number: ` + number + `, type: TYPE_` + kind +
		`, label: ` + label + ` ` + more + ` } `
}

// Each kind of field is compared in any schema: numbers within rounding or the tolerance of their
// field, everything else exactly.
func TestTraces_KindsOfFields(t *testing.T) {
	of1 := func(kind string) string { return field("v", "1", kind, "") }
	list := func(kind string) string { return field("v", "1", kind, "list") }
	for _, c := range []struct {
		fields, expected, found string
		tolerance               compare.Tolerance
		want                    string // "": equal
	}{
		{of1("DOUBLE"), `{"v":1}`, `{"v":1.0000000001}`, compare.Tolerance{}, ""},
		{of1("DOUBLE"), `{"v":1}`, `{"v":1.00001}`, compare.Tolerance{},
			"v: expected 1, found 1.00001"},
		{of1("DOUBLE"), `{"v":0}`, `{"v":1.5e-9}`, compare.Tolerance{},
			"v: expected 0, found 1.5e-09"},
		{of1("DOUBLE"), `{"v":1e6}`, `{"v":1000000.0005}`, compare.Tolerance{}, ""},
		{of1("DOUBLE"), `{"v":10}`, `{"v":11}`, compare.Tolerance{Field: "v", Relative: 0.1}, ""},
		{of1("DOUBLE"), `{"v":10}`, `{"v":11.5}`, compare.Tolerance{Field: "v", Relative: 0.1},
			"v: expected 10, found 11.5 (tolerance 10 %)"},
		{of1("DOUBLE"), `{"v":10}`, `{"v":13}`,
			compare.Tolerance{Field: "v", Absolute: 2, Relative: 0.1},
			"v: expected 10, found 13 (tolerance 2 or 10 %)"},
		{of1("FLOAT"), `{"v":"NaN"}`, `{"v":"NaN"}`, compare.Tolerance{}, ""},
		{of1("FLOAT"), `{"v":"NaN"}`, `{"v":1}`, compare.Tolerance{Absolute: 1e9},
			"v: expected NaN, found 1 (tolerance 1e+09)"},
		{of1("FLOAT"), `{"v":1}`, `{"v":"NaN"}`, compare.Tolerance{Absolute: 1e9},
			"v: expected 1, found NaN (tolerance 1e+09)"},
		{of1("DOUBLE"), `{"v":"Infinity"}`, `{"v":1}`, compare.Tolerance{Relative: 1e9},
			"v: expected +Inf, found 1 (tolerance 1e+11 %)"},
		{of1("DOUBLE"), `{"v":1}`, `{"v":"Infinity"}`, compare.Tolerance{Absolute: 1e9},
			"v: expected 1, found +Inf (tolerance 1e+09)"},
		{of1("INT32"), `{"v":-3}`, `{"v":-4}`, compare.Tolerance{Absolute: 1},
			"v: expected -3, found -4"},
		{of1("SINT64"), `{"v":-3}`, `{"v":-4}`, compare.Tolerance{Field: "v", Absolute: 1}, ""},
		{of1("INT64"), `{"v":3}`, `{"v":5}`, compare.Tolerance{Field: "v", Absolute: 1},
			"v: expected 3, found 5 (tolerance 1)"},
		{of1("UINT32"), `{"v":3}`, `{"v":4}`, compare.Tolerance{Absolute: 1},
			"v: expected 3, found 4"},
		{of1("FIXED64"), `{"v":3}`, `{"v":4}`, compare.Tolerance{Field: "v", Absolute: 1}, ""},
		{of1("UINT64"), `{"v":3}`, `{"v":5}`, compare.Tolerance{Field: "v", Absolute: 1},
			"v: expected 3, found 5 (tolerance 1)"},
		{of1("BOOL"), `{"v":true}`, `{"v":false}`, compare.Tolerance{Field: "v", Absolute: 1},
			"v: expected true, found false"},
		{of1("STRING"), `{"v":"a"}`, `{"v":"b"}`, compare.Tolerance{Field: "v", Absolute: 1},
			"v: expected a, found b"},
		{of1("BYTES"), `{"v":"AA=="}`, `{"v":"AA=="}`, compare.Tolerance{}, ""},
		{of1("STRING"), `{"v":"a"}`, `{}`, compare.Tolerance{}, "v: expected a, found nothing"},
		{of1("STRING"), `{}`, `{"v":"a"}`, compare.Tolerance{}, "v: expected nothing, found a"},
		{of1("STRING"), `{"v":""}`, `{}`, compare.Tolerance{}, "v: expected , found nothing"},
		{of1("STRING") + field("w", "2", "BOOL", ""), `{"v":"a","w":true}`, `{"w":true}`,
			compare.Tolerance{Field: "v", Ignore: true}, ""},
		{list("DOUBLE"), `{"v":["NaN",1]}`, `{"v":["NaN",1.0000000001]}`, compare.Tolerance{}, ""},
		{list("INT32"), `{"v":[1,2]}`, `{"v":[1,3]}`, compare.Tolerance{},
			"v.1: expected 2, found 3"},
		{list("INT32"), `{"v":[1,2]}`, `{}`, compare.Tolerance{},
			"v: expected 2 elements, found 0"},
		{list("DOUBLE"), `{"v":[1,2]}`, `{"v":[1,2.5]}`,
			compare.Tolerance{Field: "v", Absolute: 1}, ""},
	} {
		var o compare.Options
		if c.tolerance != (compare.Tolerance{}) {
			o.Tolerances = append(o.Tolerances, c.tolerance)
		}
		got := lines(t, o, of(t, c.fields, c.expected), of(t, c.fields, c.found))
		require.Equal(t, single(c.want), got, "%s: %s and %s", c.fields, c.expected, c.found)
	}
}

// single returns the line of one difference, or nil.
func single(difference string) []string {
	if difference == "" {
		return nil
	}
	return []string{"0 s, scan, " + difference}
}

// Fields are matched by number. A field that the other schema lacksor defines with another kind is
// a difference if it has a value.
func TestTraces_SchemasThatDiffer(t *testing.T) {
	one := field("a", "1", "INT32", "")
	for name, c := range map[string]struct{ other, expected, found, want string }{
		"another name": {field("b", "1", "INT32", ""), `{"a":1}`, `{"b":1}`, ""},
		"missing": {"", `{"a":1}`, `{}`,
			"a: expected 1, found a schema without such a field"},
		"missing empty": {"", `{}`, `{}`, ""},
		"another kind": {field("a", "1", "STRING", ""), `{"a":1}`, `{"a":"1"}`,
			"a: expected 1, found a schema without such a field"},
		"a list": {field("a", "1", "INT32", "list"), `{"a":1}`, `{"a":[1,2]}`,
			"a: expected 1, found a schema without such a field"},
		"more": {one + field("b", "2", "INT32", ""), `{"a":1}`, `{"a":1}`, ""},
		"more value": {one + field("b", "2", "INT32", ""), `{"a":1}`, `{"a":1,"b":7}`,
			"b: expected a schema without such a field, found 7"},
		"another kind, empty": {field("a", "1", "STRING", ""), `{}`, `{}`, ""},
		"another kind, found": {field("a", "1", "STRING", ""), `{}`, `{"a":"1"}`,
			"a: expected 0, found a schema without such a field"},
	} {
		got := lines(t, compare.Options{}, of(t, one+field("z", "9", "BOOL", ""), c.expected),
			of(t, c.other+field("z", "9", "BOOL", ""), c.found))
		require.Equal(t, single(c.want), got, name)
	}
	require.Empty(t, lines(t, compare.Options{Tolerances: []compare.Tolerance{{Field: "a",
		Ignore: true}}}, of(t, field("a", "1", "INT32", ""), `{"a":1}`),
		of(t, field("a", "1", "STRING", ""), `{"a":"1"}`)), "an ignored field")
	long := func(n int) string { return strings.Repeat("x", n) }
	inner := `nested_type { name: "In" ` + field("s", "1", "STRING", "") + `} ` +
		field("in", "1", "MESSAGE", `type_name: ".robot.Scan.In"`)
	for n, want := range map[int]string{72: `{"s":"` + long(72) + `"}`,
		73: `{"s":"` + long(73) + `"...`} {
		require.Equal(t, []string{"0 s, scan, in: expected " + want + ", found nothing"}, lines(t,
			compare.Options{}, of(t, inner, `{"in":{"s":"`+long(n)+`"}}`), of(t, inner, `{}`)))
	}
	lists := field("a", "1", "INT32", "list")
	require.Equal(t, single("a: expected 2 elements, found a schema without such a field"),
		lines(t, compare.Options{}, of(t, lists, `{"a":[1,2]}`), of(t, "", `{}`)))
}

// Maps are compared key by key, with the tolerances of their field.
func TestTraces_Maps(t *testing.T) {
	entry := func(value string) string {
		return `nested_type { name: "VEntry" ` + field("key", "1", "STRING", "") + value +
			` options { map_entry: true } } field { name: "v", number: 1, type: TYPE_MESSAGE, ` +
			`label: LABEL_REPEATED, type_name: ".robot.Scan.VEntry" }`
	}
	double, stamp := entry(field("value", "2", "DOUBLE", "")), entry(field("value", "2",
		"MESSAGE", `type_name: ".osi3.Timestamp"`))
	for _, c := range []struct{ fields, expected, found, want string }{
		{double, `{"v":{"a":1,"b":2}}`, `{"v":{"b":2.0000000001,"a":1}}`, ""},
		{double, `{"v":{"a":1}}`, `{"v":{"a":2}}`, "v.a: expected 1, found 2"},
		{double, `{"v":{"a":1}}`, `{"v":{}}`, "v.a: expected one, found none"},
		{double, `{}`, `{"v":{"a":0}}`, "v.a: expected none, found one"},
		{stamp, `{"v":{"a":{"seconds":1}}}`, `{"v":{"a":{"nanos":1000000000}}}`, ""},
		{stamp, `{"v":{"a":{"seconds":1}}}`, `{"v":{"a":{"seconds":2}}}`,
			"v.a: expected 1 s, found 2 s"},
	} {
		require.Equal(t, single(c.want), lines(t, compare.Options{}, of(t, c.fields, c.expected),
			of(t, c.fields, c.found)))
	}
	require.Len(t, lines(t, compare.Options{}, of(t, double, `{"v":{"a":1,"b":2,"c":3}}`),
		of(t, double, `{"v":{"a":4,"b":5,"d":6}}`)), 4, "all keys of both sides")
	list := `field { name: "v", number: 1, type: TYPE_MESSAGE, label: LABEL_REPEATED, ` +
		`type_name: ".osi3.Identifier" }`
	require.Equal(t, single("v: expected 1 elements, found a schema without such a field"),
		lines(t, compare.Options{}, of(t, list, `{"v":[{"value":1}]}`), of(t, double, `{}`)))
	require.Equal(t, single("v: expected 2 entries, found a schema without such a field"),
		lines(t, compare.Options{}, of(t, double, `{"v":{"a":1,"b":2}}`), of(t, list, `{}`)))
}

// A schema may define types that have the names of OSI types but different fields. They are
// compared like any other type.
func TestTraces_TypesWithNamesOfOSI(t *testing.T) {
	strange := func(fields, content string) *stream {
		var file descriptorpb.FileDescriptorProto
		require.NoError(t, prototext.Unmarshal([]byte(`name: "strange.proto", package: "osi3",
			syntax: "proto2", message_type { name: "Strange" `+
			field("at", "1", "MESSAGE", `type_name: ".osi3.Timestamp"`)+
			`field { name: "part", number: 2, type: TYPE_MESSAGE, label: LABEL_REPEATED,
			type_name: ".osi3.Part" } } message_type { name: "Timestamp" `+fields+`}
			message_type { name: "Identifier" `+fields+`} message_type { name: "Part" `+
			field("id", "1", "MESSAGE", `type_name: ".osi3.Identifier"`)+
			field("base", "2", "MESSAGE", `type_name: ".osi3.Base"`)+`}
			message_type { name: "Base" `+field("position", "1", "MESSAGE",
			`type_name: ".osi3.Point"`)+`} message_type { name: "Point" `+
			field("x", "1", "DOUBLE", "list")+`}`), &file))
		set := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{&file}}
		files, err := protodesc.NewFiles(set)
		require.NoError(t, err)
		d, err := files.FindDescriptorByName("osi3.Strange")
		require.NoError(t, err)
		m := dynamicpb.NewMessage(d.(protoreflect.MessageDescriptor))
		require.NoError(t, protojson.Unmarshal([]byte(content), m))
		data, err := proto.Marshal(m)
		require.NoError(t, err)
		schema, err := proto.Marshal(set)
		require.NoError(t, err)
		return &stream{kind: trace.Channel{Type: "osi3.Strange", Encoding: trace.Protobuf,
			SchemaEncoding: trace.Protobuf, Schema: schema}, items: []item{{"scan", 0, data}}}
	}
	text := field("text", "1", "STRING", "")
	numbers := field("value", "1", "UINT64", "") + field("seconds", "2", "INT64", "") +
		field("nanos", "3", "UINT32", "")
	const part = `"part":[{"id":{},"base":{"position":{"x":[1]}}}]`
	require.Equal(t, single("at.text: expected a, found b"), lines(t, compare.Options{},
		strange(text, `{"at":{"text":"a"},`+part+`}`),
		strange(text, `{"at":{"text":"b"},`+part+`}`)))
	require.Equal(t, single("part with id 0, base.position.x: expected 1 elements, found 2"),
		lines(t, compare.Options{}, strange(numbers, `{`+part+`}`), strange(numbers,
			`{"part":[{"id":{},"base":{"position":{"x":[1,2]}}}]}`)))
	require.NotEmpty(t, lines(t, compare.Options{}, strange(numbers, `{"at":{"seconds":1},`+part+
		`}`), strange(text, `{"at":{"text":"a"},`+part+`}`)))
}

// Objects with ids inside objects with ids are matched too, and types may contain themselves.
func TestTraces_ObjectsInObjects(t *testing.T) {
	fields := `nested_type { name: "Part" ` + field("id", "1", "MESSAGE",
		`type_name: ".osi3.Identifier"`) + field("size", "2", "DOUBLE", "") +
		`field { name: "part", number: 3, type: TYPE_MESSAGE, label: LABEL_REPEATED, ` +
		`type_name: ".robot.Scan.Part" } } ` +
		`field { name: "part", number: 1, type: TYPE_MESSAGE, label: LABEL_REPEATED, ` +
		`type_name: ".robot.Scan.Part" } ` + field("count", "2", "INT32", "")
	const expected = `{"part":[{"id":{"value":1},"part":[{"id":{"value":5},"size":1},` +
		`{"id":{"value":6},"size":2}],"size":3}],"count":1}`
	const same = `{"part":[{"id":{"value":1},"part":[{"id":{"value":6},"size":2},` +
		`{"id":{"value":5},"size":1}],"size":3}],"count":1}`
	const other = `{"part":[{"id":{"value":1},"part":[{"id":{"value":6},"size":2.5},` +
		`{"id":{"value":7},"size":1}],"size":4}],"count":2}`
	require.Empty(t, lines(t, compare.Options{}, of(t, fields, expected), of(t, fields, same)))
	const place = "0 s, scan, part with id 1, "
	r, err := compare.Traces(of(t, fields, expected), of(t, fields, other), compare.Options{
		Tolerances: []compare.Tolerance{{Field: "part.part.size", Absolute: 0.1},
			{Field: "part.part.part.part.id", Absolute: 1}, {Field: "count.part"}}})
	require.NoError(t, err)
	var list []string
	for _, d := range r.Differences {
		list = append(list, d.String())
	}
	require.Equal(t, []string{place + "size: expected 3, found 4",
		place + "part with id 5: expected one, found none",
		place + "part with id 6.size: expected 2, found 2.5 (tolerance 0.1)",
		place + "part with id 7: expected none, found one",
		"0 s, scan, count: expected 1, found 2"}, list)
	require.Equal(t, []string{"count.part"}, r.Unused)
}

// An angle equals itself plus a full turn, and a time stamp has its field's tolerance.
func TestTraces_AnglesAndTimes(t *testing.T) {
	scan := field("v", "1", "MESSAGE", `type_name: ".osi3.Orientation3d"`) + field("at", "2",
		"MESSAGE", `type_name: ".osi3.Timestamp"`)
	for _, c := range []struct {
		expected, found string
		tolerance       compare.Tolerance
		want            string
	}{
		{`{"v":{"yaw":3.1}}`, `{"v":{"yaw":-3.1}}`, compare.Tolerance{Absolute: 0.1}, ""},
		{`{"v":{"yaw":3.1}}`, `{"v":{"yaw":-3.1}}`, compare.Tolerance{Absolute: 0.08},
			"v.yaw: expected 3.1, found -3.1 (tolerance 0.08)"},
		{`{"v":{"yaw":1}}`, `{"v":{"yaw":1.2}}`, compare.Tolerance{Absolute: 0.1},
			"v.yaw: expected 1, found 1.2 (tolerance 0.1)"},
		{`{"v":{"yaw":0.1}}`, `{"v":{"yaw":6.3}}`, compare.Tolerance{Absolute: 0.1}, ""},
		{`{"v":{"yaw":1}}`, `{"v":{"yaw":-1}}`, compare.Tolerance{Absolute: 0.1},
			"v.yaw: expected 1, found -1 (tolerance 0.1)"},
		{`{"v":{"yaw":"NaN"}}`, `{"v":{"yaw":1}}`, compare.Tolerance{Absolute: 9},
			"v.yaw: expected NaN, found 1 (tolerance 9)"},
		{`{"v":{"yaw":1}}`, `{"v":{"yaw":"NaN"}}`, compare.Tolerance{Absolute: 9},
			"v.yaw: expected 1, found NaN (tolerance 9)"},
		{`{"v":{"yaw":"NaN"}}`, `{"v":{"yaw":"NaN"}}`, compare.Tolerance{}, ""},
		{`{"v":{"yaw":"Infinity"}}`, `{"v":{"yaw":1}}`, compare.Tolerance{Absolute: 9},
			"v.yaw: expected +Inf, found 1 (tolerance 9)"},
		{`{"at":{"nanos":7}}`, `{"at":{"seconds":"36028797018963968","nanos":7}}`,
			compare.Tolerance{}, "at.seconds: expected nothing, found 36028797018963968"},
		{`{"at":{"seconds":"9000000000"}}`, `{"at":{"seconds":"-9000000000"}}`,
			compare.Tolerance{Field: "at", Absolute: 1e9},
			"at.seconds: expected 9000000000, found -9000000000 (tolerance 1e+09)"},
		{`{"at":{"seconds":3}}`, `{"at":{"seconds":4}}`, compare.Tolerance{Absolute: 9},
			"at: expected 3 s, found 4 s"},
		{`{"at":{"seconds":3}}`, `{"at":{"seconds":4}}`,
			compare.Tolerance{Field: "at", Absolute: 1}, ""},
		{`{"at":{"seconds":3}}`, `{"at":{"seconds":4,"nanos":5}}`,
			compare.Tolerance{Field: "at", Absolute: 1},
			"at: expected 3 s, found 4.000000005 s (tolerance 1)"},
		{`{"at":{"seconds":10}}`, `{"at":{"seconds":11}}`,
			compare.Tolerance{Field: "at", Relative: 0.1}, ""},
		{`{"at":{"seconds":10}}`, `{"at":{"seconds":12}}`,
			compare.Tolerance{Field: "at", Relative: 0.1},
			"at: expected 10 s, found 12 s (tolerance 10 %)"},
	} {
		o := compare.Options{Tolerances: []compare.Tolerance{c.tolerance}}
		require.Equal(t, single(c.want), lines(t, o, of(t, scan, c.expected), of(t, scan, c.found)))
	}
}

// A tolerance may name only fields of the compared channels.
func TestTraces_FieldsOfOtherChannels(t *testing.T) {
	expected := of(t, field("v", "1", "INT32", ""), `{"v":1}`)
	for _, topic := range []string{"b", "c", "d", "e", "f", "g", "h", "i"} {
		expected.items = append(expected.items, item{topic, 0, nil})
	}
	found := of(t, field("v", "1", "INT32", ""), `{"v":1}`)
	r, err := compare.Traces(expected, found, compare.Options{Topics: []string{"scan"},
		Tolerances: []compare.Tolerance{{Field: "v", Absolute: 1}, {Field: "w", Absolute: 1}}})
	require.NoError(t, err)
	require.True(t, r.Equal())
	require.Equal(t, []string{"w"}, r.Unused)
}
