package startfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/startfile"
)

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("there.csv", []byte("1"), 0o600))
	require.NoError(t, os.WriteFile("empty.csv", nil, 0o600))
	absolute := func(name string) string { return filepath.Join(dir, name) }
	elsewhere := func(name string) bool {
		return startfile.In([]string{"resources/maps/town.csv"}, name)
	}
	for _, c := range []struct{ variable, value, reason string }{
		{"scenarioFile", "there.csv", ""},
		{"scenarioFile", "./there.csv", ""},
		{"scenarioFile", absolute("there.csv"), ""},
		{"scenarioFile", "", ""},
		{"scenarioFile", ".", ""},
		{"scenarioFile", "maps/town.csv", ""},
		{"scenarioFile", "./town.csv", ""},
		{"mapPath", "resources/maps", ""},
		{"mapPath", "maps/", ""},
		{"routeFile", "none.csv", "it is not there"},
		{"catalogFile", "none.csv", "it is not there"},
		{"scenarioFile", "own.csv", "it is not there"},
		{"a.filePath", "none.csv", "it is not there"},
		{"file.mode", "none.csv", ""},
		{"mode", "none.csv", ""},
		{"mode", absolute("none.csv"), "it is not there"},
		{"logFile", absolute("none.csv"), ""},
		{"outputFile", "none.csv", ""},
		{"path", "empty.csv", "it is empty"},
	} {
		err := startfile.Missing(c.variable, c.value, elsewhere)
		if c.reason == "" {
			require.NoError(t, err, c)
			continue
		}
		require.EqualError(t, err, c.reason, c)
	}
	require.Error(t, startfile.Missing("file", "maps/town.csv", nil))
}
