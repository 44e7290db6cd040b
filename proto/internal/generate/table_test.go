package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommittedTableMatchesTheSchema(t *testing.T) {
	out := filepath.Join(t.TempDir(), "table_gen.go")
	require.NoError(t, runTable(t.Context(), committed, []string{"SensorView",
		"SensorViewConfiguration"}, out))
	want, err := os.ReadFile(out)
	require.NoError(t, err)
	got, err := os.ReadFile("../../wire/table_gen.go")
	require.NoError(t, err)
	if string(want) != string(got) {
		t.Errorf("wire/table_gen.go differs from the schema: run go generate ./proto/...\n%s",
			firstDifference(string(want), string(got)))
	}
}

func TestTableRefusesWhatItCannotExpress(t *testing.T) {
	const head = "syntax = \"proto2\";\npackage osi3;\noption go_package = \"gosmp/p\";\n"
	tests := []struct {
		name, schema, root, want string
	}{
		{"unknown message", head, "Absent",
			"osi3.Absent is not a message of the schema with nested messages"},
		{"enum", head + "enum E { A = 0; }", "E", "osi3.E is not a message"},
		{"nothing nested", head + "message M { optional bool a = 1; }", "M",
			"osi3.M is not a message of the schema with"},
		{"map", head + "message M { map<string, M> a = 1; }", "M", "osi3.M.a is a map"},
		{"required", head + "message M { required M a = 1; }", "M",
			"osi3.M.a is a map, a group or required"},
		{"group", head + "message M { optional group G = 1 {} }", "M",
			"osi3.M.g is a map, a group or required"},
		{"unknown packing", head + "message M { repeated sint32 a = 1; }", "M",
			"osi3.M.a is a repeated sint32"},
		{"syntax error", "nothing", "M", "m.proto:1:"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "m.proto"), []byte(tt.schema),
				0o600))
			out := filepath.Join(dir, "table_gen.go")
			require.ErrorContains(t, runTable(t.Context(), dir, []string{tt.root}, out), tt.want)
			require.NoFileExists(t, out)
		})
	}
}
