package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/run"
	"gosmp/scenario"
	"gosmp/scenario/check"
)

// TestOpenScenario_Numbers: a run refuses numbers that cannot be meant, with their place and in the
// words of the check.
func TestOpenScenario_Numbers(t *testing.T) {
	const main, catalog = "clean.xosc", "catalogs/vehicles.xosc"
	for _, c := range []struct{ file, before, after, expected string }{
		{catalog, `width="`, `width="-`, "expected a finite number from 0 on"},
		{catalog, `maxDeceleration="9"`, `maxDeceleration="-9"`,
			"found maxDeceleration -9, expected at least 0"},
		{main, `value="20" rule="greaterThan"`, `value="NaN" rule="greaterThan"`,
			"found value NaN, expected a number"},
		{main, `delay="0.5"`, `delay="-0.5"`, "found delay -0.5, expected at least 0"},
		{main, `linear" dynamicsDimension="rate" value="6"`,
			`linear" dynamicsDimension="time" value="-6"`,
			"found the time -6, expected at least 0"},
		{main, `duration="10"`, `duration="-10"`, "found duration -10, expected more than 0"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS("../scenario/check/testdata")))
		changed := filepath.Join(dir, filepath.FromSlash(c.file))
		text, err := os.ReadFile(changed)
		require.NoError(t, err)
		before, after, found := strings.Cut(string(text), c.before)
		require.True(t, found, c.before)
		require.NoError(t, os.WriteFile(changed, []byte(before+c.after+after), 0o600))
		line := 1 + strings.Count(before, "\n")

		file := filepath.Join(dir, main)
		_, err = run.OpenScenario(run.Defaults(file))
		require.ErrorContains(t, err, c.expected, c.after)
		require.Equal(t, run.Invalid, run.ExitCode(err))
		var e *scenario.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, changed, e.Place.File)
		require.Equal(t, line, e.Place.Line)

		d, err := scenario.Open(file)
		require.NoError(t, err)
		found = false
		for _, f := range check.Document(d) {
			found = found || strings.HasSuffix(f.Message, c.expected) && f.Place == e.Place
		}
		require.True(t, found, "%v: %v", e.Place, check.Document(d))
	}
}
