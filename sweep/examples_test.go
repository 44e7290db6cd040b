package sweep_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// The plans of the examples can be read, name the schema of plans for editors, and the OpenSCENARIO
// plan has the same runs as the YAML plan with its first seed.
func TestExamples(t *testing.T) {
	const dir = "../examples/braking"
	cases := map[string][]sweep.Case{}
	for _, name := range []string{"range.sweep.yaml", "boundary.sweep.yaml", "range.xosc"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		plan, err := sweep.Read(name, strings.NewReader(string(text)))
		require.NoError(t, err)
		require.FileExists(t, filepath.Join(dir, plan.Experiment))
		require.Empty(t, plan.Check())
		cases[name], err = plan.Cases()
		require.NoError(t, err)
		if schema, is := strings.CutPrefix(string(text), "# yaml-language-server: $schema="); is {
			schema, _, _ = strings.Cut(schema, "\n")
			require.FileExists(t, filepath.Join(dir, strings.TrimSpace(schema)))
		} else {
			require.Equal(t, ".xosc", filepath.Ext(name))
		}
	}
	require.Len(t, cases["range.xosc"], 7)
	for k, c := range cases["range.xosc"] {
		require.Equal(t, cases["range.sweep.yaml"][2*k].Set, c.Set)
	}
}
