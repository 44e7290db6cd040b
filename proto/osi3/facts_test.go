package osi3_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"gosmp/proto/osi3"
)

// fieldless lists the messages without fields, which a table of fields cannot contain.
var fieldless = []string{"CameraSpecificObjectData", "LidarSpecificObjectData"}

// readFacts returns one line per row of the table, without the column since, in the form of
// [describe].
func readFacts(t *testing.T) []string {
	t.Helper()
	table, err := os.ReadFile("testdata/osi-3.8.0-fields.csv")
	require.NoError(t, err)
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "kind,file,container,name,number,type,oneof,options,since",
		strings.Join(rows[0], ","))
	require.Len(t, rows[1:], 855+952, "OSI 3.8.0 has 855 fields and 952 enum values")
	lines := make([]string, 0, len(rows))
	for _, row := range rows[1:] {
		lines = append(lines, strings.Join(row[:8], ","))
	}
	return lines
}

// describe returns the same lines for everything that is compiled into package osi3, and the
// messages without fields.
func describe() (lines, empty []string) {
	protoregistry.GlobalFiles.RangeFilesByPackage("osi3", func(f protoreflect.FileDescriptor) bool {
		lines = append(lines, describeEnums(f.Enums())...)
		l, e := describeMessages(f.Messages())
		lines, empty = append(lines, l...), append(empty, e...)
		return true
	})
	return lines, empty
}

func describeMessages(messages protoreflect.MessageDescriptors) (lines, empty []string) {
	for i := range messages.Len() {
		m := messages.Get(i)
		if m.Fields().Len() == 0 {
			empty = append(empty, inPackage(m))
		}
		for j := range m.Fields().Len() {
			lines = append(lines, describeField(m.Fields().Get(j)))
		}
		lines = append(lines, describeEnums(m.Enums())...)
		l, e := describeMessages(m.Messages())
		lines, empty = append(lines, l...), append(empty, e...)
	}
	return lines, empty
}

func describeField(f protoreflect.FieldDescriptor) string {
	kind := f.Kind().String()
	switch {
	case f.Message() != nil:
		kind = string(f.Message().FullName())
	case f.Enum() != nil:
		kind = string(f.Enum().FullName())
	}
	oneof := ""
	if f.ContainingOneof() != nil {
		oneof = string(f.ContainingOneof().Name())
	}
	switch {
	case f.IsList():
		kind = "repeated " + kind
	case f.Cardinality() == protoreflect.Required:
		kind = "required " + kind
	}
	// A packed or defaulted field has different bytes or a different meaning from OSI's, so it must
	// show up as a difference.
	options := ""
	if f.IsPacked() {
		options = "packed"
	}
	if f.HasDefault() {
		options = "default"
	}
	return fmt.Sprintf("field,%s,%s,%s,%d,%s,%s,%s",
		f.ParentFile().Path(), inPackage(f.ContainingMessage()), f.Name(), f.Number(), kind, oneof,
		options)
}

func describeEnums(enums protoreflect.EnumDescriptors) (lines []string) {
	for i := range enums.Len() {
		e := enums.Get(i)
		options := ""
		if e.Options().(*descriptorpb.EnumOptions).GetAllowAlias() {
			options = "alias"
		}
		for j := range e.Values().Len() {
			v := e.Values().Get(j)
			lines = append(lines, fmt.Sprintf("enum,%s,%s,%s,%d,,,%s",
				e.ParentFile().Path(), inPackage(e), v.Name(), v.Number(), options))
		}
	}
	return lines
}

// inPackage returns the name of a message or enum without the package.
func inPackage(d protoreflect.Descriptor) string {
	return strings.TrimPrefix(string(d.FullName()), "osi3.")
}

func TestSchemaIsTheFactTable(t *testing.T) {
	compiled, empty := describe()
	facts, have := set(t, readFacts(t)), set(t, compiled)
	for line := range facts {
		if !have[line] {
			t.Errorf("in the fact table, not in the schema: %s", line)
		}
	}
	for line := range have {
		if !facts[line] {
			t.Errorf("in the schema, not in the fact table: %s", line)
		}
	}
	require.ElementsMatch(t, fieldless, empty)
}

// set converts lines to a set and fails if a line occurs twice.
func set(t *testing.T, lines []string) map[string]bool {
	t.Helper()
	s := make(map[string]bool, len(lines))
	for _, line := range lines {
		require.Falsef(t, s[line], "occurs twice: %s", line)
		s[line] = true
	}
	return s
}

func TestFilesFollowOSI(t *testing.T) {
	n := 0
	protoregistry.GlobalFiles.RangeFilesByPackage("osi3", func(f protoreflect.FileDescriptor) bool {
		n++
		options := f.Options().(*descriptorpb.FileOptions)
		require.Equal(t, protoreflect.Proto2, f.Syntax(), f.Path())
		require.Equal(t, "gosmp/proto/osi3", options.GetGoPackage(), f.Path())
		require.Equal(t, descriptorpb.FileOptions_SPEED, options.GetOptimizeFor(), f.Path())
		require.Zero(t, f.Services().Len(), f.Path())
		extensions := 0
		if f.Path() == "osi_version.proto" {
			extensions = 1
		}
		require.Equal(t, extensions, f.Extensions().Len(), f.Path())
		return true
	})
	require.Equal(t, 32, n, "OSI 3.8.0 has 32 files")
}

func TestVersionIsTheFileOption81000(t *testing.T) {
	x := osi3.E_CurrentInterfaceVersion.TypeDescriptor()
	require.EqualValues(t, 81000, x.Number())
	require.EqualValues(t, "osi3.current_interface_version", x.FullName())
	require.EqualValues(t, "google.protobuf.FileOptions", x.ContainingMessage().FullName())

	want := &osi3.InterfaceVersion{VersionMajor: proto.Uint32(3), VersionMinor: proto.Uint32(8),
		VersionPatch: proto.Uint32(0)}
	require.True(t, proto.Equal(want, osi3.Version()), "got %v", osi3.Version())

	osi3.Version().VersionMajor = proto.Uint32(99)
	require.True(t, proto.Equal(want, osi3.Version()),
		"a caller cannot change the version of others")
}
