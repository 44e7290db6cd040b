package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const committed = "../../osi3"

// generated reads the .pb.go files of dir by name.
func generated(t *testing.T, dir string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.pb.go"))
	require.NoError(t, err)
	files := map[string]string{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		require.NoError(t, err)
		files[filepath.Base(p)] = string(text)
	}
	return files
}

// firstDifference names the first line in which two texts differ, so that a test failure is
// readable.
func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "want " + w[i] + "\ngot  " + g[i]
		}
	}
	return "one text is the beginning of the other"
}

func TestCommittedCodeMatchesTheSchema(t *testing.T) {
	for _, committed := range []string{committed, "../../foxglove"} {
		t.Run(filepath.Base(committed), func(t *testing.T) { matches(t, committed) })
	}
}

// matches compares the generated code in a folder with freshly generated code.
func matches(t *testing.T, committed string) {
	t.Helper()
	fresh := t.TempDir()
	require.NoError(t, run(t.Context(), committed, fresh))

	want, got := generated(t, fresh), generated(t, committed)
	require.NotEmpty(t, want)
	for name, text := range want {
		require.Containsf(t, got, name, "%s is not committed: run go generate ./proto/...", name)
		if got[name] != text {
			t.Errorf("%s differs from its .proto file: run go generate ./proto/...\n%s",
				name, firstDifference(text, got[name]))
		}
	}
	require.Len(t, got, len(want),
		"a committed .pb.go file has no .proto file: run go generate ./proto/...")
}

func TestRunRemovesStaleCode(t *testing.T) {
	dir := t.TempDir()
	schema := "syntax = \"proto2\";\npackage p;\noption go_package = \"gosmp/p\";\nmessage M { " +
		"optional bool a = 1; }\n"
	for name, text := range map[string]string{
		"m.proto": schema, "gone.pb.go": "package p\n", "kept.go": "package p\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, run(t.Context(), dir, dir))
	require.FileExists(t, filepath.Join(dir, "m.pb.go"))
	require.FileExists(t, filepath.Join(dir, "kept.go"))
	require.NoFileExists(t, filepath.Join(dir, "gone.pb.go"))
}

func TestRunReportsWhatIsWrong(t *testing.T) {
	tests := []struct {
		name, schema string
		want         []string
	}{
		{"folder without schema", "", []string{"no .proto file found", "-dir"}},
		{"syntax error", "syntax = \"proto2\";\nmessage M {\n  optional nothing;\n}\n",
			[]string{"m.proto:3:"}},
		{"missing import", "syntax = \"proto2\";\nimport \"absent.proto\";\n",
			[]string{"m.proto:2:", "absent.proto"}},
		{"no Go package", "syntax = \"proto2\";\nmessage M {}\n", []string{"go_package"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if tt.schema != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "m.proto"), []byte(tt.schema),
					0o600))
			}
			err := run(t.Context(), dir, dir)
			for _, part := range tt.want {
				require.ErrorContains(t, err, part)
			}
			require.Empty(t, generated(t, dir), "nothing is written after an error")
		})
	}
}
